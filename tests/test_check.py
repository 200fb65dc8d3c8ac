"""``arena check``: good bots pass every point, and a bot with one fault fails at that point and nowhere else."""

from __future__ import annotations

import json
import os
import shutil
import socket
import tempfile
from pathlib import Path
from typing import Any

import pytest

from arena.check import Report, check
from arena.check_points import POINTS, Findings, State
from arena.check_positions import GRID, RARE, by_dice, scenes
from arena.cli import arena as command
from arena.terminal import run_command
from referee.player import Limits
from tests.home import SAMPLES, bot_folder
from tests.streams import started, wait_for
from tests.walled import open_files

BAD = Path(__file__).parent / "bots" / "checked.py"
LIMITS = Limits(move_time_s=2.0, bank_s=4.0, start_s=20.0)


def checked(tmp_path: Path, mode: str, sandbox: str = "bubblewrap", **limits: Any) -> Report:
    """What is found of the bot with this fault; nothing of it is left."""
    folder = tmp_path / "checked"
    folder.mkdir()
    shutil.copy(BAD, folder / "bot.py")
    (folder / "bot.toml").write_text(
        f'name = "checked"\nauthor = "A"\nlanguage = "python"\ndescription = "D"\ncommand = "python bot.py {mode}"\n'
    )
    before = open_files()
    with tempfile.TemporaryDirectory(prefix="c-") as scratch, pytest.MonkeyPatch.context() as patch:
        patch.setattr(tempfile, "tempdir", scratch)
        report = check(folder, Limits(**{**vars(LIMITS), "sandbox": sandbox, **limits}))
        assert os.listdir(scratch) == []
    assert open_files() == before
    return report


def at(report: Report, state: State) -> dict[str, str]:
    return {finding.point.name: finding.found for finding in report.findings.all() if finding.state is state}


def test_there_are_at_least_thirty_points_and_the_list_has_each_once() -> None:
    assert len(POINTS) >= 60
    assert [finding.point.name for finding in Findings().all()] == list(POINTS)
    assert all(point.mend and "\n" not in point.mend for point in POINTS.values())


# Positions


def test_every_kind_of_turn_is_asked_under_every_rule_set_and_in_every_rare_position() -> None:
    found = scenes()
    assert {scene.point for scene in found} == {*GRID, *RARE}
    assert {scene.point for scene in found[: len(GRID) + len(RARE)]} == {*GRID, *RARE}, "the first ones touch all"
    for scene in found:
        if scene.point in GRID:
            rules, kind = GRID[scene.point]
            assert (scene.match.rules, scene.match.kind) == (rules, kind)
            assert len(scene.match.legal()) > 1


def test_the_rare_positions_are_what_they_are_called() -> None:
    rare = [scene for scene in scenes() if scene.point in RARE]
    assert len(rare) >= 4 * len(RARE)
    rounds = {point: [scene.match.round for scene in rare if scene.point == point] for point in RARE}
    assert all(any(e.suit is not None and e.gave is None for e in rnd.exchanges) for rnd in rounds["void claims"])
    assert all(rnd.rules.tricks == 17 for rnd in rounds["seventeen tricks"])
    assert min(rnd.number for rnd in rounds["long matches"]) >= 30
    assert all(rnd.number == 1 == rnd.rules.max_rounds for rnd in rounds["deciding round"])
    assert {len(rnd.rules.contracts) for rnd in rounds["misere"]} == {5}
    assert all(rnd.rules.rotate_targets for rnd in rounds["rotating targets"])
    for rnd in rounds["six exchanges"]:
        assert rnd.last_scores
        assert 2 * rnd.last_scores[rnd.seat] >= 6


def test_the_positions_are_always_the_same() -> None:
    once = [scene.match.view(0) for scene in scenes()]
    scenes.cache_clear()
    assert [scene.match.view(0) for scene in scenes()] == once
    assert [match.decision for match in by_dice(GRID["play in announcer"][0], 1)]


# Good bots


@pytest.mark.parametrize("name", ["random", "first-legal", "high-card"])
def test_a_good_bot_passes_every_point(name: str) -> None:
    report = check(SAMPLES / name, LIMITS)
    assert report.passed
    assert at(report, State.FAILED) == at(report, State.SKIPPED) == {}
    assert set(at(report, State.NOTE)) <= {"pace"}, "on a busy machine an answer may take long"


def test_a_good_bot_without_a_sandbox(tmp_path: Path) -> None:
    report = checked(tmp_path, "good", sandbox="none")
    assert report.passed
    assert set(at(report, State.SKIPPED)) == {"scratch", "no network", "no disk", "no processes"}


def test_a_bot_that_its_author_runs(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    folder = bot_folder(tmp_path, "far")
    manifest = f'name = "random"\nauthor = "A"\naddress = "127.0.0.1:{port}"\n'
    (folder / "bot.toml").write_text(manifest)
    assert list(at(check(folder, LIMITS), State.FAILED)) == ["handshake"]
    with started(SAMPLES / "random", tmp_path, "--address", f"127.0.0.1:{port}"):
        wait_for(socket.AF_INET, ("127.0.0.1", port))
        report = check(folder, LIMITS)
    assert report.passed
    assert set(at(report, State.SKIPPED)) == {
        *("start time", "no network", "no disk", "no processes", "stopped", "restart", "memory", "scratch", "output"),
        *("ends", "nothing left"),
    }


# One fault each

TURNS = [f"turn/{kind.value}/{rules.set}" for rules, kind in GRID.values()]
FAULTS = {
    "exits": ("start", "no \x1b[31mmodel"),
    "handshake": ("handshake", "UNIMPLEMENTED"),
    "version": ("version", "it speaks version 2"),
    "network": ("no network", "Network is unreachable"),
    "forks": ("no processes", "Operation not permitted"),
    "forks-late": ("no processes", ""),
    "writes": ("no disk", "Read-only file system"),
    "writes-late": ("no disk", ""),
    "void-claims": ("void claims", ""),
    "six-exchanges": ("six exchanges", ""),
    "no-trump": ("no-trump", ""),
    "misere": ("misere", ""),
    "seventeen": ("seventeen tricks", ""),
    "rotating": ("rotating targets", ""),
    "freak": ("freak hands", ""),
    "deciding": ("deciding round", ""),
    "long": ("long matches", ""),
    "sequence": ("sequence", ""),
    "twice": ("once", ""),
    "unasked": ("unasked", "1 messages before the first turn"),
    "babbles": ("unasked", "20 messages before the first turn"),
    "twice-later": ("once", ""),
    "news": ("news", ""),
    "match-over": ("news", ""),
    "open": ("end", ""),
    "unknown": ("unknown fields", "what is that?"),
    "stopped": ("stopped", "I was stopped"),
    "broken": ("new stream", "the other stream"),
    "restart": ("restart", "the match that I remember"),
    "raises": ("errors", "no idea"),
    "dies": ("stays up", "exit code 3"),
    "matches": ("matches", "error in a match of announcer"),
    "hoards": ("memory", "512 MB"),
    "scratch": ("scratch", "61 MB of 64 MB"),
    "stubborn": ("ends", "it still runs 5 s after SIGTERM"),
}
QUICK = ("exits", "version", "network", "forks", "writes-late", "void-claims", "sequence", "twice", "news", "unknown")


def test_every_point_has_a_bot_that_fails_it_or_a_test_of_its_own() -> None:
    of_their_own = {
        *("files", "manifest", "about", "command", "build", "start time", "name", "same again", "pace", "output"),
        *("in time", "nothing left"),
    }
    assert {point for point, _ in FAULTS.values()} | set(GRID) | of_their_own == set(POINTS)


@pytest.mark.parametrize("mode", [*QUICK, *(pytest.param(m, marks=pytest.mark.long) for m in FAULTS if m not in QUICK)])
def test_a_bot_with_one_fault_fails_at_that_point_alone(mode: str, tmp_path: Path) -> None:
    point, words = FAULTS[mode]
    report = checked(tmp_path, mode)
    failed = at(report, State.FAILED)
    assert list(failed) == [point], failed
    assert words in failed[point]


@pytest.mark.parametrize(
    "mode", [TURNS[4], *(pytest.param(turn, marks=pytest.mark.long) for turn in TURNS[:4] + TURNS[5:])]
)
def test_a_wrong_answer_to_one_kind_of_turn_under_one_rule_set(mode: str, tmp_path: Path) -> None:
    _, kind, rule_set = mode.split("/")
    assert list(at(checked(tmp_path, mode), State.FAILED)) == [f"{kind.replace('_', '-')} in {rule_set}"]


@pytest.mark.parametrize(("mode", "asked"), [("hangs", "asked to play"), ("hangs-at-once", "asked to declare")])
def test_a_bot_that_hangs_is_asked_no_more(mode: str, asked: str, tmp_path: Path) -> None:
    report = checked(tmp_path, mode, move_time_s=0.5, bank_s=0.5)
    assert list(at(report, State.FAILED)) == ["in time"]
    assert asked in at(report, State.FAILED)["in time"]


@pytest.mark.parametrize(
    ("mode", "point", "words"),
    [
        ("name", "name", "Describe says 'somebody'"),
        ("dice", "same again", "answered otherwise the second time"),
        ("slow", "pace", "slowest"),
        pytest.param("talks", "output", "64.0 KiB", marks=pytest.mark.long),
        pytest.param("telemetry", "no network", "it tried to send something, 1 times", marks=pytest.mark.long),
    ],
)
def test_what_is_worth_knowing_is_a_note_and_no_failure(mode: str, point: str, words: str, tmp_path: Path) -> None:
    report = checked(tmp_path, mode, move_time_s=0.4)
    assert report.passed
    assert words in at(report, State.NOTE)[point]


def test_a_bot_that_loads_for_too_long_does_not_start(tmp_path: Path) -> None:
    report = checked(tmp_path, "loads/600", start_s=1.0)
    assert at(report, State.FAILED) == {"start": "it did not listen on ARENA_SOCKET within 1 s"}
    assert "start time" in at(report, State.SKIPPED)


@pytest.mark.long
def test_a_bot_that_needs_most_of_its_time_to_start_is_told_so(tmp_path: Path) -> None:
    report = checked(tmp_path, "loads/4.5", start_s=8.0)
    assert report.passed
    assert at(report, State.NOTE)["start time"].endswith("s, of 8 s")


def test_a_process_that_survives_without_a_sandbox_is_found(tmp_path: Path) -> None:
    assert list(at(checked(tmp_path, "leaves", sandbox="none"), State.FAILED)) == ["nothing left"]


# The folder


@pytest.mark.parametrize(
    ("fields", "point", "words"),
    [
        ({"name": "Ada!"}, "manifest", "'Ada!' can't be the name of a bot"),
        ({"command": "pythn bot.py"}, "command", "there is no program 'pythn'"),
        ({"command": "python bto.py"}, "command", "'bto.py' is not in the folder"),
        ({"build": "sh -c 'echo no compiler; exit 1'"}, "build", "no compiler"),
        ({"build": "mkdir protocol"}, "build", "after the build step 'protocol' would hide the arena's own"),
        ({"build": "ln -s /bot/lib referee"}, "build", "after the build step 'referee' would hide the arena's own"),
        ({"build": "mkfifo pipe"}, "build", "'pipe', which is no file that can be read"),
    ],
)
def test_a_folder_that_is_not_in_order(fields: dict[str, str], point: str, words: str, tmp_path: Path) -> None:
    report = check(bot_folder(tmp_path, "ada", **fields), LIMITS)
    assert list(at(report, State.FAILED)) == [point]
    assert words in at(report, State.FAILED)[point]
    assert len(at(report, State.SKIPPED)) > 50


def test_a_link_or_no_manifest(tmp_path: Path) -> None:
    folder = bot_folder(tmp_path, "ada")
    (folder / "link").symlink_to("/etc/passwd")
    assert list(at(check(folder, LIMITS), State.FAILED)) == ["files"]
    assert list(at(check(tmp_path / "none", LIMITS), State.FAILED)) == ["files"]


# The command


def test_the_list_is_for_people_and_fits_80_columns(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = bot_folder(tmp_path, "ada", "raise SystemExit('\\x1b[31mno \\u202emodel')")
    assert run_command(command, ["check", str(folder)]) == 1
    out, err = capsys.readouterr()
    assert err == f"ada fails at 1 of {len(POINTS)} points\n"
    lines = [line.rstrip() for line in out.splitlines()]
    assert max(map(len, lines)) <= 80
    assert "  ✓ manifest" in lines
    assert any(line.startswith("  ✗ start  ") for line in lines)
    assert "      mend: listen on the Unix socket in ARENA_SOCKET;" in out
    assert "\x1b" not in out
    assert "\u202e" not in out
    assert sum(line.startswith("  - ") for line in lines) > 50


def test_the_points_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(command, ["check", str(bot_folder(tmp_path, "ada", "exit(1)")), "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert (document["format"], document["bot"], document["passed"]) == ("three-five-eight/check/1", "ada", False)
    assert [point["point"] for point in document["points"]] == list(POINTS)
    assert {point["state"] for point in document["points"]} == {"passed", "failed", "not tried", "note"}
    assert all(point["mend"] for point in document["points"])


def test_a_submission_is_checked_unless_its_author_knows_better(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home, broken = str(tmp_path / "home"), str(bot_folder(tmp_path, "ada", "raise SystemExit('no model')"))
    assert run_command(command, ["submit", "--home", home, str(SAMPLES / "random"), broken]) == 1
    out, err = capsys.readouterr()
    assert "random c" in out
    assert err.count("\n") == 1
    assert "ada fails arena check (start: it ended before it listened on ARENA_SOCKET: exit code 1" in err
    assert err.endswith("mend it, or submit it anyway with --no-check\n")
    assert [path.name for path in (tmp_path / "home" / "bots").iterdir() if path.name.startswith(".")] == []
    assert run_command(command, ["submit", "--home", home, "--no-check", broken]) == 0
    assert "ada" in capsys.readouterr().out
