"""Which matches of a league are worth a look: those with faults, the closest, and the biggest swings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from arena.standings import MatchFigures

__all__ = ["Highlight", "Kind", "highlights"]

Kind = Literal["faults", "closest", "swings"]
TURNS: tuple[Kind, ...] = ("faults", "closest", "faults", "swings")
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Highlight:
    """A match, and what it was chosen for."""

    board: int
    seating: int
    kind: Kind


def highlights(figures: MatchFigures, first: Sequence[tuple[int, int]], at_most: int) -> list[Highlight]:
    """The matches to look at: half of them with faults, a quarter each close and swinging, or more where one kind has
    too few; by kind, the most striking first. The order in which matches finished never matters.

    :param first: board and seating of matches with faults that come before the others.
    """
    order = np.lexsort((figures.seating, figures.board))
    rankings = {
        "faults": iter(faulty(figures, order, first)),
        "closest": iter(order[np.lexsort(tuple(reversed(leads(figures)[order].T)))].tolist()),
        "swings": most(swings(figures), order),
    }
    chosen: dict[int, Kind] = {}
    for kind in cycle(TURNS):
        if len(chosen) >= min(at_most, len(order)):
            break
        match = next((match for match in rankings[kind] if match not in chosen), None)
        if match is not None:
            chosen[match] = kind
    return [
        Highlight(int(figures.board[match]), int(figures.seating[match]), kind)
        for wanted in dict.fromkeys(TURNS)
        for match, kind in chosen.items()
        if kind == wanted
    ]


def faulty(figures: MatchFigures, order: Ints, first: Sequence[tuple[int, int]]) -> Iterator[int]:
    """The matches with faults: some before the others, then those with most."""
    where = {(int(figures.board[match]), int(figures.seating[match])): int(match) for match in order}
    yield from (where[match] for match in first if match in where)
    yield from most(figures.faults.sum(axis=1), order)


def most(values: NDArray[Any], order: Ints) -> Iterator[int]:
    """The matches whose value is not zero, the greatest first, equal ones in the given order."""
    yield from (match for match in order[np.argsort(-values[order], kind="stable")].tolist() if values[match])


def leads(figures: MatchFigures) -> Ints:
    """(m, 2) points by which the highest total leads the second, and the second the third."""
    totals: Ints = -np.sort(-figures.points.sum(axis=2), axis=1)
    ahead: Ints = totals[:, :2] - totals[:, 1:]
    return ahead


def swings(figures: MatchFigures) -> NDArray[np.float64]:
    """(m,) by how many points a match differs, at its seat that differs most, from what the same cards brought on
    average in all seatings of the board: bridge's swing."""
    totals = figures.points.sum(axis=2).astype(np.float64)
    numbers, board = np.unique(figures.board, return_inverse=True)
    seatings = np.bincount(board, minlength=len(numbers))
    average = np.stack([np.bincount(board, totals[:, seat], len(numbers)) for seat in range(3)], axis=1)
    swing: NDArray[np.float64] = np.abs(totals - average[board] / seatings[board, None]).max(axis=1, initial=0)
    return swing
