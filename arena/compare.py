"""Is A better than B? The chance of it, the boards that it rests on, and how many more would settle it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil

import numpy as np
from scipy.special import ndtri

from arena.entrants import EntrantError
from arena.journal import Journal
from arena.live import LiveStandings, joined
from arena.standings import SURE, Entry, MatchFigures, standings

__all__ = ["Comparison", "compare"]

TOO_MANY_BOARDS = 1_000_000


@dataclass(frozen=True)
class Comparison:
    """What some leagues together say about two bots."""

    a: str
    b: str
    chance: float | None
    """How likely A is better than B; None if they never met, not even through others."""
    ahead: int
    """In how many matches A finished ahead of B."""
    met: int
    """In how many matches both played."""
    boards: int
    """On how many boards both played."""

    @property
    def settled(self) -> bool:
        """Whether it is as good as certain which is better (97.5 %)."""
        return self.chance is not None and not 1 - SURE < self.chance < SURE

    @property
    def more_boards(self) -> int | None:
        """About how many more boards with both would settle it if the difference is what it seems; None where there
        is nothing to go by. (Certainty grows with the square root of the boards.)"""
        if self.settled:
            return 0
        if self.chance is None or not self.boards or self.chance == 0.5:
            return None
        boards = self.boards * (float(ndtri(SURE)) / float(ndtri(self.chance))) ** 2
        return ceil(boards) - self.boards if boards < TOO_MANY_BOARDS else None

    @property
    def sentence(self) -> str:
        """The answer for people, the better one named first."""
        if self.chance is None:
            return f"{self.a} and {self.b} never met, not even through others: nothing can be said."
        if self.chance < 0.5:
            return replace(self, a=self.b, b=self.a, chance=1 - self.chance, ahead=self.met - self.ahead).sentence
        basis = (
            f"they met on {self.boards:,} boards, and {self.a} finished ahead in {self.ahead:,} of {self.met:,} matches"
        )
        if not self.boards:
            basis = "they met through others only"
        more = self.more_boards
        if more is None:
            end = "so near to each other they can't be told apart"
        else:
            end = f"about {more:,} more boards with both would settle it" if more else "that is settled"
        return f"{self.a} is better than {self.b} with {_percent(self.chance)}: {basis}; {end}."


def compare(journals: Sequence[Journal], a: str, b: str) -> Comparison:
    """Compares two bots by all matches of some leagues, taken together.

    :raises EntrantError: one of them is in none of the leagues, or they are the same.
    """
    names = sorted({name for journal in journals for name in journal.numbers})
    for name in (a, b):
        if name not in names:
            raise EntrantError(f"{name!r:.50} played in none of these leagues")
    if a == b:
        raise EntrantError(f"{a} can't be compared with itself")
    figures = _together(journals, names)
    found = standings([Entry(name, "", "") for name in names], figures)
    row, column = (next(i for i, r in enumerate(found.rows) if r.entry.name == name) for name in (a, b))
    both = np.isin(figures.bot, [names.index(a)]).any(axis=1) & np.isin(figures.bot, [names.index(b)]).any(axis=1)
    return Comparison(
        a=a,
        b=b,
        chance=found.better[row][column],
        ahead=found.ahead[row][column],
        met=int(both.sum()),
        boards=len(np.unique(figures.board[both])),
    )


def _together(journals: Sequence[Journal], names: Sequence[str]) -> MatchFigures:
    """The matches of several leagues, bots numbered by name, boards numbered on from league to league."""
    parts = [MatchFigures.of([])]
    for journal in journals:
        live = LiveStandings(journal)
        live.now()
        number = np.array([names.index(member.name) for member in journal.members])
        start = 1 + max((int(part.board.max()) for part in parts if len(part.board)), default=-1)
        parts.append(replace(live.figures, bot=number[live.figures.bot], board=live.figures.board + start))
    return joined(parts)


def _percent(chance: float) -> str:
    return "more than 99.9 %" if chance > 0.999 else f"{100 * chance:.1f} %"
