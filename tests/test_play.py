"""``arena play``: a match at once, of real processes, shown when it is over or as it happens."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from rich.console import Console

from arena.cli import arena as command
from arena.kibitzer import Kibitzer, added
from arena.terminal import run_command
from referee.match import Match
from referee.record import read_record, verify
from referee.rules import SETS
from referee.table import Table
from tests.home import ARENA, SAMPLES, bot_folder
from tests.table_words import random_choice
from tests.test_show import LIMITS, shown

Run = Callable[..., tuple[int, str, str]]
RANDOM, HIGH_CARD = SAMPLES / "random", SAMPLES / "high-card"
SEED = "0011223344556677"
SHORT = ("--rules", "announcer", "--set", "max_rounds=2")
TALKER = """
from protocol.bot import Bot, serve

class Talker(Bot):
    def declare(self, view):
        print("I have", view.hand)
        return super().declare(view)

    def discard(self, view):
        raise RuntimeError("\\x1b[31mno idea")

serve(Talker)
"""


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Run]:
    """Runs a command line in this process: exit code, stdout, stderr; nothing of the bots is left afterwards."""
    scratch = Path(tempfile.mkdtemp(prefix="play-"))
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    monkeypatch.setenv("ARENA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "80")

    def run(*arguments: Any) -> tuple[int, str, str]:
        code = run_command(command, [str(argument) for argument in arguments])
        assert list(scratch.iterdir()) == []
        out, err = capsys.readouterr()
        return code, out, err

    yield run
    scratch.rmdir()


def test_a_match_is_played_shown_and_recorded_also_with_a_bot_twice(run: Run, tmp_path: Path) -> None:
    lines = [run("play", RANDOM, HIGH_CARD, RANDOM, "--seed", SEED, *SHORT, "--record", tmp_path / "r") for _ in "12"]
    assert [code for code, _, _ in lines] == [0, 0]
    _, out, err = lines[0]
    assert err == ""
    assert out.startswith(f"Seed: {SEED}\nplay/0/")
    assert "1 high-card" in out
    assert "dealt by random (seat " in out
    assert max(map(len, out.splitlines())) <= 80
    assert lines[0] == lines[1], "the same seed, the same match"
    record = read_record((tmp_path / "r").read_text())
    verify(record, bytes.fromhex(SEED))
    assert [seat["bot"] for seat in record["seats"]] == ["random", "high-card", "random"]
    assert record["faults"] == []
    assert shown(record) in "\n".join(line.rstrip() for line in out.splitlines()) + "\n"
    assert run("show", tmp_path / "r")[:2] == (0, out.partition("\n")[2])


def test_watched_through_a_pipe_each_round_comes_once(run: Run, tmp_path: Path) -> None:
    _, watched, _ = run(
        "play", RANDOM, HIGH_CARD, RANDOM, "--seed", SEED, *SHORT, "--watch", "--record", tmp_path / "r"
    )
    shown_after = shown(read_record((tmp_path / "r").read_text()))
    assert "\x1b" not in watched
    seen = [line.rstrip() for line in watched.splitlines() if line.strip()]
    after = [line for line in shown_after.splitlines() if line]
    assert seen == [f"Seed: {SEED}", *after[after.index(next(line for line in after if line.startswith("Round 1"))) :]]


def test_without_a_clock_what_bots_write_is_shown_and_faults_are_told_in_full(run: Run, tmp_path: Path) -> None:
    talker = bot_folder(tmp_path, "talker", TALKER)
    code, out, _ = run(
        *("play", talker, RANDOM, HIGH_CARD, "--no-clock", "--watch", "--record", tmp_path / "r"),
        *("--rules", "announcer", "--set", "max_rounds=3"),
    )
    assert code == 0
    record = json.loads((tmp_path / "r").read_text())
    assert (record["limits"]["move_time_s"], record["limits"]["freeze"]) == (86_400.0, False)
    assert "talker | I have " in out
    assert [fault["kind"] for fault in record["faults"]] == ["error"], "each seat deals once"
    assert "! talker, asked to discard at decision " in out
    assert "talker | RuntimeError: \\x1b[31mno idea" in out
    assert "talker on seat 0" in out
    assert "\x1b" not in out


def test_a_bot_that_does_not_start_is_told(run: Run, tmp_path: Path) -> None:
    broken = bot_folder(tmp_path, "broken", "raise SystemExit('no model')")
    for watch in ((), ("--watch",)):
        code, out, _ = run("play", broken, RANDOM, RANDOM, *SHORT, *watch)
        assert code == 0
        assert "! broken: start, the bot did not start; with this it was struck out" in out
        assert "| no model" in out


def test_submitted_bots_are_called_by_name(run: Run) -> None:
    run("submit", "--no-check", RANDOM, HIGH_CARD)
    code, out, err = run("play", "random", "high-card", RANDOM, *SHORT)
    assert (code, err) == (0, "")
    assert "0 random" in out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("a", "b"), "takes 3 values"),
        (("tips", "tips", "tips"), "'tips' is no folder with a bot.toml, and nothing was submitted to"),
        (("./none", RANDOM, RANDOM), "'none' does not exist"),
        ((RANDOM, RANDOM, RANDOM, "--set", "targets=1,1,1"), "targets 1,1,1 sum to 3"),
        ((RANDOM, RANDOM, RANDOM, "--seed", "12"), "--seed must have 16 to 128 hex digits"),
        ((RANDOM, RANDOM, RANDOM, "--no-clock", "--bank", "1"), "--no-clock leaves no --move-time and no --bank"),
        ((RANDOM, RANDOM, RANDOM, "--rules", "whist"), "Invalid value for '--rules'"),
    ],
)
def test_wrong_usage_is_one_sentence(run: Run, arguments: tuple[Any, ...], sentence: str) -> None:
    code, _, err = run("play", *arguments)
    assert (code, err.count("\n")) == (2, 1)
    assert sentence in err


def test_a_folder_that_a_submission_would_refuse_is_refused(run: Run, tmp_path: Path) -> None:
    folder = bot_folder(tmp_path, "ada", name="Ada!")
    (folder / "link").symlink_to("/etc/passwd")
    code, _, err = run("play", folder, RANDOM, RANDOM)
    assert (code, err) == (2, "'link' is a link: put the file itself there\n")
    (folder / "link").unlink()
    assert "'Ada!' can't be the name of a bot" in run("play", folder, RANDOM, RANDOM)[2]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_ends_it_at_once_and_nothing_is_left(number: signal.Signals, tmp_path: Path) -> None:
    sleeper = bot_folder(
        tmp_path,
        "sleeper",
        "import time\nfrom protocol.bot import Bot, serve\n"
        "class Sleeper(Bot):\n    def play(self, view):\n        print('zzz')\n        time.sleep(600)\nserve(Sleeper)",
    )
    (tmp_path / "scratch").mkdir()
    line = [ARENA, "play", sleeper, RANDOM, RANDOM, "--no-clock", "--watch"]
    environment = {**os.environ, "TMPDIR": str(tmp_path / "scratch"), "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, text=True) as match:
        assert match.stdout
        assert match.stdout.readline().startswith("Seed: ")
        assert match.stdout.readline()
        time.sleep(0.3)
        match.send_signal(number)
        _, err = match.communicate(timeout=10)
    assert (match.returncode, err) == (3, "the match was interrupted; nothing of it is recorded\n")
    assert list((tmp_path / "scratch").iterdir()) == []


# The onlooker


def table_of() -> Table:
    match = Match(SETS["announcer"], b"s" * 32)
    seats = [{"bot": name, "version": "1"} for name in ("ada", "bob", "cyd")]
    return Table(match, LIMITS, [], "play/0/0", 0, seats)  # type: ignore[arg-type]


def test_on_a_terminal_the_tricks_grow_card_by_card(monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []
    monkeypatch.setattr("arena.kibitzer.time.sleep", waited.append)
    out = io.StringIO()
    terminal = Console(file=out, force_terminal=True, width=80, height=24, color_system=None)
    table, dice = table_of(), Random(1)
    with Kibitzer(terminal, symbols=True, rounds=True, output=False) as onlooker:
        onlooker(table)
        while not table.match.rounds:
            table.match.choose(random_choice(dice, table.match))
            onlooker(table)
    assert len(waited) == 2 + 3 * 16 - 1
    assert out.getvalue().count("leads; * won") == 3 * 16
    assert out.getvalue().count("Score") == 1


def test_of_an_output_of_which_the_end_is_kept_only_what_is_new_is_shown() -> None:
    assert added("", "one\n") == "one\n"
    assert added("one\n", "one\ntwo\n") == "two\n"
    assert added("zero\none\n", "ero\none\ntwo\n") == "ero\none\ntwo\n"
    long = "".join(f"line {number}\n" for number in range(100))
    assert added(long, long[50:] + "new\n") == "new\n"
    assert added(long, "of another process\n") == "of another process\n"
