"""What a running league shows, on a terminal and in a log."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from arena import progress
from arena.league import Progress
from arena.live import LiveStandings
from arena.progress import Watch, duration, status
from tests.home import played_league


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.2, "1 s"), (46.4, "46 s"), (180, "3 min"), (7_500, "2 h 5 min"), (90_000, "25 h 0 min")],
)
def test_durations_as_people_say_them(seconds: float, words: str) -> None:
    assert duration(seconds) == words


def test_the_status_says_matches_rate_and_time_left() -> None:
    assert status(Progress(0, 312, 0, 0.1)) == "0 of 312 matches"
    assert status(Progress(120, 312, 100, 20.0)) == "120 of 312 matches, 5.0 a second, 38 s left"


def test_a_terminal_shows_a_bar_and_the_standings_and_leaves_nothing(tmp_path: Path) -> None:
    out = io.StringIO()
    with Watch(LiveStandings(played_league(tmp_path)), Console(file=out, width=80, force_terminal=True)) as watch:
        watch.show(Progress(12, 24, 12, 3.0))
        picture = out.getvalue()
    assert "12 of 24 matches, 4.0 a second, 3 s left" in picture
    assert "━" in picture
    assert "μ−3σ" in picture
    assert out.getvalue().endswith("\x1b[2K"), "the last line is wiped out"


def test_a_log_gets_a_line_now_and_then(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr(progress.time, "monotonic", lambda: now)
    out = io.StringIO()
    with Watch(LiveStandings(played_league(tmp_path)), Console(file=out, width=80)) as watch:
        for _ in range(50):
            now += 1.0
            watch.show(Progress(12, 24, 12, 3.0))
    lines = out.getvalue().splitlines()
    assert len(lines) == 5
    assert all(line.startswith("12 of 24 matches, 4.0 a second, 3 s left; ") for line in lines)
    assert "\x1b" not in out.getvalue()
