"""What a running league shows: matches done, rate, time left, and the standings so far."""

from __future__ import annotations

import time

from rich.console import Console, Group, RenderableType
from rich.progress_bar import ProgressBar
from rich.text import Text

from arena.league import Progress
from arena.live import LiveStandings
from arena.on_screen import OnScreen
from arena.reports.console import one_line, standings_table
from arena.standings import Standings

__all__ = ["Watch", "duration"]

LINE_EVERY_S = 10.0
STANDINGS_EVERY_S = 2.0
SHARE = 0.05  # of the time, at most, goes into standings


class Watch(OnScreen):
    """Shows progress on a terminal as a bar above the standings, elsewhere as a line now and then."""

    def __init__(self, live: LiveStandings, out: Console) -> None:
        super().__init__(out)
        self._standings_source = live
        self._standings: Standings | None = None
        self._next = time.monotonic() + STANDINGS_EVERY_S
        self._next_line = time.monotonic() + LINE_EVERY_S

    def show(self, progress: Progress) -> None:
        """Shows how far the league is."""
        now = time.monotonic()
        if self._screen:
            if progress.done and (now >= self._next or self._standings is None):
                self._standings = self._source_now(now)
            self._screen.update(self._picture(progress), refresh=True)
        elif now >= self._next_line:
            self._next_line = now + LINE_EVERY_S
            if progress.done and now >= self._next:
                self._standings = self._source_now(now)
            far = f"; {one_line(self._standings)}" if self._standings else ""
            self._out.print(status(progress) + far, soft_wrap=True)

    def _source_now(self, now: float) -> Standings:
        standings = self._standings_source.now()
        took_s = time.monotonic() - now
        self._next = now + max(STANDINGS_EVERY_S, took_s / SHARE)
        return standings

    def _picture(self, progress: Progress) -> RenderableType:
        bar = ProgressBar(total=progress.total, completed=progress.done, width=min(60, self._out.width))
        parts: list[RenderableType] = [Text(status(progress)), bar]
        if self._standings:
            parts += ["", standings_table(self._standings, self._out.width)]
        return Group(*parts)


def status(progress: Progress) -> str:
    """``120 of 312 matches, 4.2 a second, 46 s left``."""
    text = f"{progress.done:,} of {progress.total:,} matches"
    if progress.left_s is None:
        return text
    return f"{text}, {progress.rate:.1f} a second, {duration(progress.left_s)} left"


def duration(seconds: float) -> str:
    """Seconds as people say them: ``46 s``, ``3 min``, ``2 h 5 min``."""
    if seconds < 100:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60} min"
