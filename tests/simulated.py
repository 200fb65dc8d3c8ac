"""Leagues drawn from a pool of real matches, over and over: how often is the interval of a rating right?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from random import Random

import numpy as np
from numpy.typing import NDArray

from arena.converged import posterior
from arena.rating import Ratings, fit
from arena.schedule import schedule
from tests.graded import Pool

__all__ = ["Coverage", "Field", "coverage"]

Z95 = 1.959964
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Coverage:
    """What many leagues of one kind came to. Shares are of all players, or all pairs, of all leagues."""

    single: float
    """Share of the players whose μ − mean(μ) was less than 1.96 σ off."""
    pairs: float
    """Share of the pairs whose difference was less than 1.96 of its standard errors off."""
    error: float
    """Standard error of ``single``, from league to league."""
    sigma: float
    """Mean σ."""
    off: float
    """Root of the mean square of what μ − mean(μ) was off."""
    apart: float
    """Share of the pairs of which one was better with 97.5 %."""
    wrong: float
    """Share of all pairs of which the other one was better."""
    model: float
    """``single`` with TrueSkill's own σ, about the mean, instead."""
    boards: int
    """Of a league."""


@dataclass(frozen=True)
class Field:
    """The entrants of leagues to be drawn, and the pool of real matches that they are drawn from."""

    pool: Pool
    kinds: Sequence[int]
    """The kind of each entrant, in rising order: its number in the pool."""

    def truth(self) -> Floats:
        """The ratings from all triples and all boards of the pool: what leagues drawn from it look for."""
        triples = list(combinations(range(len(self.kinds)), 3))
        boards = self._boards
        placings = self._placings(np.repeat(triples, boards, axis=0), list(range(boards)) * len(triples))
        return fit(placings, np.arange(len(placings)) // 6, len(self.kinds)).mu

    def league(self, dice: Random, after: int | None = None) -> tuple[Ints, Ints]:
        """Placings and boards of a league with the default design and boards.

        No board of the pool is drawn twice: what the pool happens to hold of three kinds would repeat, as it does on
        no league's own boards, and no σ could know.

        :param after: only its first boards, in the order of play.
        """
        names: dict[str, str | None] = dict.fromkeys(f"{player:03}" for player in range(len(self.kinds)))
        plan = schedule(names, dice.randbytes(32)).boards[:after]
        triples = np.array([[int(name) for name in triple] for _, triple in plan])
        undrawn = defaultdict[tuple[int, ...], list[int]](lambda: dice.sample(range(self._boards), self._boards))
        boards = [undrawn[tuple(self.kinds[player] for player in triple)].pop() for triple in triples.tolist()]
        placings = self._placings(triples, boards)
        return placings, np.arange(len(placings)) // 6

    @property
    def _boards(self) -> int:
        return len(next(iter(self.pool.values())))

    def _placings(self, triples: Ints, boards: Sequence[int]) -> Ints:
        """(6 · boards, 3): who was first, second, third on these boards, each by one of the triples."""
        kinds = [(self.kinds[a], self.kinds[b], self.kinds[c]) for a, b, c in triples.tolist()]
        places = np.array([self.pool[choice][board] for choice, board in zip(kinds, boards, strict=True)])
        return np.take_along_axis(triples[:, None, :], places, axis=2).reshape(-1, 3)


def coverage(field: Field, leagues: int, seed: int, after: int | None = None, stretch: float = 1.0) -> Coverage:
    """Rates many leagues and holds their intervals against the truth.

    :param after: the leagues are still running: only this many boards are played. (Drawn again if not all have met.)
    :param stretch: what every σ is multiplied by: to see that a wrong one would be noticed.
    """
    true = field.truth()
    dice = Random(seed)
    rows: list[tuple[float, ...]] = []
    while len(rows) < leagues:
        placings, boards = field.league(dice, after)
        ratings = fit(placings, boards, len(true))
        if len(ratings.groups[0]) == len(true):
            rows.append(_held(ratings, placings, true, stretch))
    single, pairs, sigma, square, apart, wrong, model = np.mean(rows, axis=0).tolist()
    error = float(np.std([row[0] for row in rows], ddof=1)) / leagues**0.5
    return Coverage(single, pairs, error, sigma, square**0.5, apart, wrong, model, len(np.unique(boards)))


def _held(ratings: Ratings, placings: Ints, true: Floats, stretch: float) -> tuple[float, ...]:
    off = ratings.mu - ratings.mu.mean() - (true - true.mean())
    one, other = np.triu_indices(len(true), 1)
    variance = ratings.sigma**2
    deviation = np.sqrt(variance[one] + variance[other] - 2 * ratings.covariance[one, other])
    better = ratings.better()[one, other]
    apart = (better > 0.975) | (better < 0.025)
    wrong = apart & ((better > 0.5) != (true[one] > true[other]))
    return (
        float(np.mean(np.abs(off) < Z95 * stretch * ratings.sigma)),
        float(np.mean(np.abs(off[one] - off[other]) < Z95 * stretch * deviation)),
        float(np.mean(ratings.sigma)),
        float(np.mean(off**2)),
        float(np.mean(apart)),
        float(np.mean(wrong)),
        float(np.mean(np.abs(off) < Z95 * _own_sigma(placings, len(true)))),
    )


def _own_sigma(placings: Ints, n: int) -> Floats:
    """TrueSkill's σ of μ − mean(μ)."""
    covariance = posterior(*np.unique(placings, axis=0, return_counts=True), n).covariance
    centre = np.eye(n) - 1 / n
    deviations: Floats = np.sqrt(np.diag(centre @ covariance @ centre))
    return deviations
