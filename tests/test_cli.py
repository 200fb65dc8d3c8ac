"""The command line as a user meets it: bots, and what is told to who mistypes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from arena.entrants import disqualify
from arena.league import begin_league
from arena.options import Wish
from arena.store import Store
from tests.home import CommandLine, arena, bot_folder, store_with


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    return CommandLine(tmp_path / "home", capsys, monkeypatch)


def test_bots_are_submitted_listed_withdrawn_and_disqualified(run: CommandLine, tmp_path: Path) -> None:
    ada, bob = bot_folder(tmp_path, "ada", team="Blue", language="Python"), bot_folder(tmp_path, "bob")
    code, out, err = run("submit", "--no-check", ada, bob)
    assert (code, err) == (0, "")
    assert out.splitlines()[0] == f"Home: {tmp_path / 'home'}"
    assert re.fullmatch(r"ada [0-9a-f]{12}: new\nbob [0-9a-f]{12}: new", "\n".join(out.splitlines()[1:]))
    assert "ada" in run("submit", "--no-check", ada)[1]
    assert run("withdraw", "ada")[0] == 0
    assert "why is bob disqualified?" in run("disqualify", "bob", "--why", " ")[2]
    assert run("disqualify", "bob", "--why", "it spied")[0] == 0
    listed = run("bots")[1]
    assert re.search(r"^ada .*Ada .*Blue .*Python$", listed, re.MULTILINE)
    assert listed.endswith("\n\nada is withdrawn\nbob is disqualified: it spied\n")


LONG = "a-bot-with-a-name-of-32-letters-"


@pytest.mark.parametrize("columns", [80, 140])
def test_names_are_whole_in_any_terminal_and_no_line_ends_in_blanks(
    run: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    author = "Wolfgang Amadeus Mozart"
    store = store_with(tmp_path, "ada", "bob", LONG, author=author)
    begin_league(store, LONG, Wish(boards=1, seatings=1, sandbox="none"), b"s" * 32)
    disqualify(store, "ada", "it spied on everybody and that for a very long time, as all of its matches show")
    for out in (run("bots")[1], run("leagues")[1], run("rankings", LONG)[1]):
        lines = out.splitlines()
        sentences = ("disqualified", "isolation", str(tmp_path))  # they are not folded when piped
        assert max(len(line) for line in lines if not any(word in line for word in sentences)) <= columns
        assert not [line for line in lines if line != line.rstrip()]
        assert set(re.findall(r"\b(?:Wolf|Ama|Moz)\w*(?!\w*…)", out)) <= {*author.split()}  # whole, or cut with an …
    assert LONG in run("bots")[1]
    assert re.search(f"^{LONG} .*0 of 1 +can be resumed$", run("leagues")[1], re.MULTILINE)
    assert "\n\nBots ran without isolation" in run("rankings", LONG)[1]


def test_a_refused_submission_is_exit_code_1_and_the_others_are_taken(run: CommandLine, tmp_path: Path) -> None:
    good = bot_folder(tmp_path, "ada")
    bad = bot_folder(tmp_path, "bob", name="Bob!")
    code, out, err = run("submit", "--no-check", bad, good)
    assert code == 1
    assert "ada" in out
    assert err.count("\n") == 1
    assert "'Bob!' can't be the name of a bot" in err


def test_a_build_step_runs_in_the_sandbox(run: CommandLine, tmp_path: Path) -> None:
    built = bot_folder(tmp_path, "ada", build="sh -c 'echo made > product'")
    assert run("submit", "--no-check", built)[0] == 0
    (product,) = (tmp_path / "home" / "bots").rglob("product")
    assert product.read_text() == "made\n"
    code, _, err = run("submit", bot_folder(tmp_path, "bob", build="sh -c 'echo no compiler here; exit 3'"))
    assert code == 1
    assert "the build step failed: exit code 3 (no compiler here)" in err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["frob"], "No such command 'frob'."),
        (["run"], "Missing argument 'LEAGUE'."),
        (["run", "demo", "--boards", "0"], "Invalid value for '--boards'"),
        (["run", "demo", "--jobs", "x"], "Invalid value for '--jobs'"),
        (["run", "demo", "--seatings", "5"], "Invalid value for '--seatings'"),
        (["run", "demo", "--rules", "whist"], "Invalid value for '--rules'"),
        (["run", "demo", "--set", "targets"], "write each field once"),
        (["run", "demo", "--set", "targets=8,8,8"], "targets 8,8,8 sum to 24"),
        (["run", "demo", "--seed", "xyz"], "write it in hex digits"),
        (["run", "demo", "--move-time", "nan"], "--move-time can't be nan"),
        (["run", "demo", "--cluster", "host"], "write the scheduler's address as tcp://host:8786"),
        (["run", "demo", "--cluster", "tcp://host:99999"], "write the scheduler's address as tcp://host:8786"),
        (["run", "demo"], "at least three entrants"),
        (["run", "Demo"], "'Demo' can't be the name of a league"),
        (["run", "demo", "--bots", "tips"], "there is no bot 'tips'"),
        (["run", "demo", "--config", "/absent.toml"], "Invalid value for '--config'"),
        (["rankings", "demo"], "there is no league 'demo'"),
        (["delete", "demo"], "there is no league 'demo'"),
        (["export", "demo"], "there is no league 'demo'"),
        (["verify", "demo"], "there is no league 'demo'"),
        (["logs", "demo", "ada"], "is no match: write league/board/seating"),
        (["logs", "demo/1/2", "ada"], "there is no league 'demo'"),
        (["withdraw", "ada"], "there is no bot 'ada'"),
        (["submit", "/absent"], "There is no folder or archive '/absent'"),
        (["submit", "/absent.zip", "/tmp"], "There is no folder or archive '/absent.zip'"),
        (["check", "/absent\x1b[m"], r"There is no folder or archive '/absent\x1b[m'"),
        (["replay-turn", "demo/0/0", "1", "/absent"], "There is no folder or archive '/absent'"),
    ],
)
def test_wrong_usage_is_one_sentence_and_exit_code_2(
    run: CommandLine, arguments: list[str], sentence: str, tmp_path: Path
) -> None:
    Store(tmp_path / "home").close()
    code, _, err = run(*arguments)
    assert code == 2
    assert err.count("\n") == 1
    assert sentence in err


def test_without_a_command_they_are_listed(run: CommandLine) -> None:
    code, out, err = run()
    assert (code, err) == (0, "")
    assert re.search(r"^  submit +Take in bots", out, re.MULTILINE)


def test_an_empty_home_is_not_made_by_asking(run: CommandLine, tmp_path: Path) -> None:
    code, _, err = run("bots")
    assert (code, err.count("\n")) == (2, 1)
    assert "submit a bot first" in err
    assert not (tmp_path / "home").exists()


def test_a_home_in_a_bots_own_folder_is_no_part_of_the_bot(
    run: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(bot_folder(tmp_path, "ada"))
    monkeypatch.delenv("ARENA_HOME")
    first, again = (run("submit", "--no-check", ".") for _ in range(2))
    assert (first[0], again[0]) == (0, 0), first[2]
    assert "unchanged" in again[1]
    (kept,) = Path("results", "bots").iterdir()
    assert not (kept / "results").exists()


def test_home_may_stand_before_or_after_the_command(run: CommandLine, tmp_path: Path) -> None:
    folder = bot_folder(tmp_path, "ada")
    run("--home", tmp_path / "one", "submit", "--no-check", folder)
    run("submit", "--no-check", "--home", tmp_path / "two", folder)
    assert "ada" in run("bots", "--home", tmp_path / "one")[1]
    assert "ada" in run("--home", tmp_path / "two", "bots")[1]
    assert not (tmp_path / "home").exists()


def test_a_terminal_that_writes_ascii_alone_is_served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    assert arena(tmp_path, "submit", "--no-check", bot_folder(tmp_path, "ada", author="Zoë")).returncode == 0
    done = arena(tmp_path, "bots")
    assert (done.returncode, done.stderr) == (0, "")
    assert r"Zo\xeb" in done.stdout
