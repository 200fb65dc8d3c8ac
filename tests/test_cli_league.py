"""Leagues of real bots from the command line: interrupted, killed, resumed, and with options from a file."""

from __future__ import annotations

import json
import os
import pty
import random
import re
import select
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fastjsonschema
import pytest

from arena import reports
from arena.journal import Journal
from arena.store import Store
from tests.home import ARENA, SAMPLES, CommandLine, arena, bot_folder, timeless

SEED = bytes(range(32)).hex()
SCHEMA = json.loads(Path(str(reports.__file__)).with_name("report.schema.json").read_text("utf-8"))
TRIO = [SAMPLES / name for name in ("random", "first-legal", "high-card")]


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    return CommandLine(tmp_path / "home", capsys, monkeypatch)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    """The records of a league that nobody disturbs."""
    home = tmp_path_factory.mktemp("undisturbed")
    submitted(home)
    done = arena(home, "run", "demo", "--boards", "2", "--seed", SEED)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    document = json.loads((home / "demo" / "report.json").read_text("utf-8"))
    fastjsonschema.compile(SCHEMA)(document)
    assert document["standings"][0]["bot"] == "high-card"
    assert arena(home, "verify", "demo").stdout == "12 matches verified\n"
    again = arena(home, "run", "demo")
    assert again.returncode == 0
    assert "high-card" in again.stdout
    other = arena(home, "run", "demo", "--boards", "3")
    assert other.returncode == 2
    assert other.stderr == "league demo was begun with --boards 2 (not 3): leave that out, or name another league\n"
    return exported(home)


def submitted(home: Path) -> None:
    assert arena(home, "submit", "--no-check", *TRIO).returncode == 0


def exported(home: Path) -> list[Any]:
    return [timeless(json.loads(line)) for line in arena(home, "export", "demo").stdout.splitlines()]


def started(home: Path, **more: Any) -> subprocess.Popen[bytes]:
    line = [ARENA, "--home", home, "run", "demo", "--boards", "2", "--seed", SEED]
    return subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)


def wait_for_matches(home: Path, count: int) -> None:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        if (home / "arena.sqlite").exists():
            with Store(home) as store:
                row = store.row("SELECT count(*) FROM matches")
            if row and row[0] >= count:
                return
        time.sleep(0.05)
    pytest.fail(f"there are still fewer than {count} matches")


def left_of(home: Path) -> list[str]:
    """The processes that have the home's bots in their command line or environment, or were started from it."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes() + (process / "environ").read_bytes()
        except OSError:
            continue
        if str(home).encode() in words and int(process.name) != os.getpid():
            found.append(words[:200].decode(errors="replace"))
    return found


def test_ctrl_c_stops_within_two_seconds_and_says_how_to_go_on(tmp_path: Path, undisturbed: list[Any]) -> None:
    submitted(tmp_path)
    with started(tmp_path) as runner:
        wait_for_matches(tmp_path, 3)
        runner.send_signal(signal.SIGINT)
        _, err = runner.communicate(timeout=10)
    assert runner.returncode == 3
    done = re.fullmatch(rb"interrupted with (\d+) matches recorded; go on with: arena run demo --home (\S+)\n", err)
    assert done
    assert 3 <= int(done[1]) < 12
    assert done[2].decode() == str(tmp_path)
    assert not left_of(tmp_path)
    assert arena(tmp_path, "run", "demo").returncode == 0
    assert exported(tmp_path) == undisturbed


def test_ctrl_c_again_and_again_leaves_nothing_either(tmp_path: Path) -> None:
    submitted(tmp_path)
    with started(tmp_path) as runner:
        wait_for_matches(tmp_path, 1)
        for _ in range(5):
            runner.send_signal(signal.SIGINT)
            time.sleep(0.02)
        _, err = runner.communicate(timeout=10)
    assert runner.returncode == 3
    assert b"Traceback" not in err
    end = time.monotonic() + 5
    while left_of(tmp_path) and time.monotonic() < end:
        time.sleep(0.1)
    assert not left_of(tmp_path)


def test_ctrl_c_in_a_terminal_ends_the_display_cleanly(tmp_path: Path) -> None:
    submitted(tmp_path)
    ours, theirs = pty.openpty()
    line = ["setsid", "--ctty", "--wait", ARENA, "--home", tmp_path, "run", "demo", "--boards", "2"]
    with subprocess.Popen(line, stdin=theirs, stdout=theirs, stderr=theirs) as runner:
        os.close(theirs)
        wait_for_matches(tmp_path, 2)
        os.write(ours, b"\x03")
        seen = b""
        while select.select([ours], [], [], 20)[0]:
            try:
                seen += os.read(ours, 65536)
            except OSError:  # the other end is closed
                break
        assert runner.wait(20) == 3
    os.close(ours)
    assert b"matches" in seen
    assert b"\x1b[?25h" in seen, "the cursor is shown again"
    assert b"Traceback" not in seen
    assert b"go on with: arena run demo" in seen
    assert not left_of(tmp_path)


@pytest.fixture
def scratch(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A short folder for what runs leave, which must be nothing."""
    folder = Path(tempfile.mkdtemp(prefix="t", dir="/tmp"))
    monkeypatch.setenv("TMPDIR", str(folder))
    yield folder
    end = time.monotonic() + 10
    while list(folder.iterdir()) and time.monotonic() < end:
        time.sleep(0.1)
    left = list(folder.iterdir())
    shutil.rmtree(folder)
    assert not left


def killed_and_resumed(home: Path, kills: int, dice: random.Random) -> int:
    """Runs the league, killing the runner again and again at a random moment; gives the number of real kills."""
    done = 0
    for _ in range(kills):
        with started(home, start_new_session=True) as runner:
            try:
                runner.wait(dice.uniform(0.0, 6.0))
            except subprocess.TimeoutExpired:
                runner.kill()
                done += 1
        if runner.returncode == 0:
            arena(home, "delete", "demo")
    assert arena(home, "run", "demo", "--boards", "2", "--seed", SEED).returncode == 0
    return done


@pytest.mark.usefixtures("scratch")
def test_killed_at_any_moment_and_resumed_each_match_is_there_once(tmp_path: Path, undisturbed: list[Any]) -> None:
    submitted(tmp_path)
    assert killed_and_resumed(tmp_path, 5, random.Random(358)) >= 1
    assert exported(tmp_path) == undisturbed
    end = time.monotonic() + 5
    while left_of(tmp_path) and time.monotonic() < end:
        time.sleep(0.1)
    assert not left_of(tmp_path)


@pytest.mark.long
@pytest.mark.exhaustive
@pytest.mark.usefixtures("scratch")
def test_killed_fifty_times(tmp_path: Path, undisturbed: list[Any]) -> None:
    submitted(tmp_path)
    dice = random.Random(359)
    kills = 0
    while kills < 50:
        kills += killed_and_resumed(tmp_path, 5, dice)
        assert exported(tmp_path) == undisturbed
        arena(tmp_path, "delete", "demo")


def test_a_league_file_gives_options(tmp_path: Path) -> None:
    submitted(tmp_path)
    (tmp_path / "league.toml").write_text(
        'bots = ["random", "first-legal", "high-card"]\nrules = "twelve-tricks"\nvariant = ["no-trump"]\n'
        'boards = 1\nseatings = 1\nseed = "00112233445566778899"\nmove-time = 0.5\nfreeze = false\n'
        "[set]\ntargets = [9, 4, 3]\nmax_rounds = 2\n"
    )
    done = arena(tmp_path, "run", "cup", "--config", tmp_path / "league.toml", "--seatings", "3")
    assert done.returncode == 0, done.stderr
    with Store(tmp_path) as store:
        journal = Journal(store, "cup")
    rules, limits = journal.options["rules"], journal.options["limits"]
    assert (rules["set"], rules["targets"], rules["max_rounds"]) == ("twelve-tricks", [9, 4, 3], 2)
    assert rules["contracts"] == ["S", "H", "D", "C", "NT"]
    assert (limits["move_time_s"], limits["freeze"]) == (0.5, False)
    assert (journal.options["boards"], journal.options["seatings"]) == (1, 3)
    assert journal.seed.hex() == "00112233445566778899"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("boards = ", "is not valid TOML"),
        ("bords = 3", "'bords' is not a key of it"),
        ('boards = "many"', "Invalid value for '--boards'"),
        ('config = "x"', "'config' is not a key of it"),
        ('home = "/elsewhere"', "'home' is not a key of it"),
        ("boards = [1, 2]", "Invalid value for '--boards'"),
        ("freeze = 3", "Invalid value for '--freeze'"),
    ],
)
def test_a_wrong_league_file_is_refused(run: CommandLine, tmp_path: Path, text: str, sentence: str) -> None:
    (tmp_path / "league.toml").write_text(text)
    code, _, err = run("run", "cup", "--config", tmp_path / "league.toml")
    assert (code, err.count("\n")) == (2, 1)
    assert sentence in err


def test_a_later_entrant_is_entered_once_and_only_into_a_league_that_was_begun(
    run: CommandLine, tmp_path: Path
) -> None:
    submitted(tmp_path / "home")
    assert "--add is for a league that was begun" in run("run", "cup", "--add", "random")[2]
    assert "there is no league 'cup'" in run("rankings", "cup")[2]
    assert run("run", "cup", "--boards", "1", "--seatings", "1")[0] == 0
    ada = bot_folder(tmp_path, "ada")
    assert run("submit", "--no-check", ada)[0] == 0
    assert "there is no bot 'bob'" in run("run", "cup", "--add", "ada", "--add", "bob")[2]
    with Store(tmp_path / "home") as store:
        assert "ada" not in Journal(store, "cup").numbers
    first, again = (run("run", "cup", "--add", "ada") for _ in range(2))
    assert (first[0], again[0]) == (0, 0)
    assert "ada has entered" in first[1]
    assert "ada has entered" not in again[1]


@pytest.mark.parametrize("option", ["--config", "--deals"])
def test_a_file_without_an_end_is_refused(run: CommandLine, option: str) -> None:
    code, _, err = run("run", "cup", option, "/dev/zero")
    assert (code, err.count("\n")) == (2, 1)
    assert "/dev/zero is larger than" in err


def test_a_bot_that_does_not_start_is_reported_and_its_author_sees_why(tmp_path: Path) -> None:
    crash = bot_folder(tmp_path / "authors", "crash", "raise SystemExit('\\x1b[31mno \\u202emodel')")
    assert arena(tmp_path, "submit", "--no-check", *TRIO[:2], crash).returncode == 0
    done = arena(tmp_path, "run", "demo", "--boards", "1", "--seatings", "1")
    assert done.returncode == 0, done.stderr
    assert re.search(r"Faults\n.*start\n.*\n.*crash +1\n", done.stdout)
    seat = json.loads(arena(tmp_path, "export", "demo").stdout)["match"]
    logs = arena(tmp_path, "logs", seat, "crash").stdout
    assert "crash on seat" in logs
    assert "the bot did not start: it ended before it listened on ARENA_SOCKET: exit code 1" in logs
    assert "| \\x1b[31mno \\u202emodel" in logs
    assert "made no fault" in arena(tmp_path, "logs", seat, "random").stdout
    assert arena(tmp_path, "verify", "demo").returncode == 0
