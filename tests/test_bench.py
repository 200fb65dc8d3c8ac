"""How fast the arena is, in its own figures: whole runs, but short ones."""

from __future__ import annotations

import json
import os

import pytest

from arena import cli_bench
from arena.bench import Bench, Effort, Line, bench
from arena.cli import arena
from arena.terminal import run_command
from referee.sandbox import usable_sandbox

FLOORS = ["bare stream, one bot", "bare stream, three bots in turn"]
FLOORS += [f"{what}, tuned" for what in FLOORS]
WALLED = ["arena, sandbox", "arena, sandbox, frozen off turn"]
FOUND = Bench(
    137,
    4,
    "bubblewrap",
    tuple(Line(workers, what, 12_345.6, 0.5, 1.25, 123.4, 99.6, 1234.5) for workers in (1, 64) for what in WALLED),
    {1: 0.65, 20: 0.051},
)


def test_each_kind_of_table_is_measured_beside_the_floors() -> None:
    found = bench(Effort(round_trips=60, boards=2, start_up=(2,)))
    walled = WALLED if usable_sandbox("auto") == "bubblewrap" else []
    workers = sorted({1, len(os.sched_getaffinity(0))})
    expected = [(n, what) for n in workers for what in (*FLOORS, "arena, no sandbox", *walled)]
    assert [(line.workers, line.what) for line in found.lines] == expected
    for line in found.lines:
        assert line.decisions_a_second > 0
        assert line.referee_us > 0
        assert line.bots_us > 0
        assert bool(line.matches_a_minute) == line.what.startswith("arena")
        base, near = (
            next(other for other in found.lines if (other.workers, other.what) == (line.workers, what))
            for what in (FLOORS[0], FLOORS[-1])
        )
        assert line.of_the_floor == pytest.approx(line.decisions_a_second / base.decisions_a_second)
        assert line.of_the_near_floor == pytest.approx(line.decisions_a_second / near.decisions_a_second)
    assert found.start_up.keys() == {2}
    assert all(0 <= share < 1 for share in found.start_up.values())
    assert found.sandbox == ("bubblewrap" if walled else "none")


def test_the_figures_have_a_sentence_each_and_fit_eighty_columns(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cli_bench, "bench", lambda effort: FOUND)
    monkeypatch.setenv("COLUMNS", "80")
    assert run_command(arena, ["bench"]) == 0
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= 80
    assert "12,346" in out
    assert "123 + 100" in out
    assert "Start-up takes 65% of the time of a sitting of one board." in out
    assert "Start-up takes 5% of the time of a sitting of 20 boards." in out
    for column in ("rate", "floor", "near", "CPU µs"):
        assert f"\n{column}: " in out


def test_the_figures_as_json(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(cli_bench, "bench", lambda effort: FOUND)
    assert run_command(arena, ["bench", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["lines"][0]["of_the_near_floor"] == 1.25
    assert found["start_up"] == {"1": 0.65, "20": 0.051}
