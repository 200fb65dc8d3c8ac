"""Rating against matches played: what the ratings were when only the first boards of the schedule had been played.

The schedule decides what comes first, not the order in which matches finished: the same matches, the same history.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

import numpy as np

from arena.rating import Ratings, fit
from arena.standings import MatchFigures, Mean

__all__ = ["Stage", "history"]

STAGES_AT_MOST, STAGES_AT_LEAST = 12, 4
FITS = 720  # the work of a fit rises with the entrants: so the more there are, the fewer stages


@dataclass(frozen=True)
class Stage:
    """A bot's rating after so many of its matches."""

    matches: int
    rating: Mean
    """μ and its 95 % interval, μ ± 1.96 σ."""


def history(figures: MatchFigures, n: int) -> list[list[Stage]]:
    """For each of the league's n entrants its ratings from the first boards to all of them; the last is that of the
    standings. Left out is what can't be compared with the end: those who meet later have not met yet."""
    boards = np.unique(figures.board)
    whole = fit(figures.placings, figures.board, n)
    stages: list[list[Stage]] = [[] for _ in range(n)]
    for count in boards_of_stages(len(boards), n):
        first = figures.board <= boards[count - 1]
        ratings = fit(figures.placings[first], figures.board[first], n) if count < len(boards) else whole
        if divided_more(ratings, whole):
            continue
        matches = np.bincount(figures.bot[first].ravel(), minlength=n).tolist()
        for player, (low, high) in enumerate(ratings.interval().tolist()):
            if matches[player]:
                stage = Stage(matches[player], Mean(float(ratings.mu[player]), low, high))
                stages[player] = [earlier for earlier in stages[player] if earlier.matches < stage.matches] + [stage]
    return stages


def boards_of_stages(boards: int, n: int) -> list[int]:
    """How many boards each stage has. Intervals narrow with the square root: so stages are closer at the beginning."""
    count = max(STAGES_AT_LEAST, min(STAGES_AT_MOST, FITS // max(n, 1)))
    return sorted({ceil(boards * (stage / count) ** 2) for stage in range(1, count + 1)} - {0})


def divided_more(early: Ratings, late: Ratings) -> bool:
    """Whether some who have met in the end, directly or through others, had not yet."""
    group_of = {player: number for number, group in enumerate(late.groups) for player in group}
    return len(early.groups) > len({group_of[player] for group in early.groups for player in group})
