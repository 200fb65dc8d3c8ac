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
from arena.reports.console import counted
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
    played: int
    """On how many boards the one played who played on fewer."""

    @property
    def settled(self) -> bool:
        """Whether it is as good as certain which is better (97.5 %): never before each has played five boards."""
        return self.chance is not None and not 1 - SURE < self.chance < SURE

    @property
    def more_boards(self) -> int | None:
        """About how many more boards with both, or of each if they met through others only, would settle it if the
        difference is what it seems and the leagues go on alike; None where there is nothing to go by.

        Certainty grows with the square root of the boards: σ is that of the chance.
        """
        if self.settled:
            return 0
        if self.chance is None or self.chance == 0.5:
            return None
        so_far = self.boards or self.played
        boards = so_far * (float(ndtri(SURE)) / float(ndtri(self.chance))) ** 2
        return ceil(boards) - so_far if boards < TOO_MANY_BOARDS else None

    @property
    def sentence(self) -> str:
        """The answer for people, the better one named first."""
        if self.chance is None:
            return f"{self.a} and {self.b} never met, not even through others: nothing can be said."
        if self.chance < 0.5:
            return replace(self, a=self.b, b=self.a, chance=1 - self.chance, ahead=self.met - self.ahead).sentence
        return f"{self.a} is better than {self.b} with {_percent(self.chance)}: {self._basis}; {self._end}."

    @property
    def _basis(self) -> str:
        if not self.boards:
            return f"they met through others only, on {counted(self.played, 'board')} or more of each"
        ahead = f"{self.a} finished ahead in {self.ahead:,} of {counted(self.met, 'match', 'matches')}"
        return f"they met on {counted(self.boards, 'board')}, and {ahead}"

    @property
    def _end(self) -> str:
        if self.settled:
            return "that is settled"
        if self.more_boards is None:
            return "so near to each other they can't be told apart"
        more = counted(self.more_boards, "more board")
        return f"about {more} {'with both' if self.boards else 'of each'}, in leagues like these, would settle it"


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
    of_a, of_b = ((figures.bot == names.index(name)).any(axis=1) for name in (a, b))
    return Comparison(
        a=a,
        b=b,
        chance=found.better[row][column],
        ahead=found.ahead[row][column],
        met=int((of_a & of_b).sum()),
        boards=len(np.unique(figures.board[of_a & of_b])),
        played=min(len(np.unique(figures.board[of_one])) for of_one in (of_a, of_b)),
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
