"""Leagues drawn from a pool of real matches, over and over: how often is the interval of a rating right?"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

import numpy as np
from numpy.typing import NDArray

from arena.converged import posterior
from arena.rating import Ratings, fit
from arena.schedule import schedule
from tests.graded import Pool

__all__ = ["Coverage", "coverage", "draw", "truth"]

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


def truth(pool: Pool, players: Ints) -> Floats:
    """The ratings from all matches of the pool among some of its players: what leagues drawn from it look for."""
    chosen, position = _among(pool, players)
    placings = position[pool.placings[chosen]]
    boards = np.arange(placings.shape[0] * placings.shape[1]).repeat(6)
    return fit(placings.reshape(-1, 3), boards, len(players)).mu


def draw(pool: Pool, players: Ints, dice: Random, after: int | None = None) -> tuple[Ints, Ints]:
    """Placings and boards of a league with the default design and boards, each triple's boards drawn from its own.

    :param after: only its first boards, in the order of play.
    """
    names = [f"{player:03}" for player in range(len(players))]
    index = {tuple(triple): number for number, triple in enumerate(pool.triples.tolist())}
    plan = schedule(dict.fromkeys(names), dice.randbytes(32)).boards[:after]
    triples = [index[tuple(sorted(int(players[int(name)]) for name in triple))] for _, triple in plan]
    boards = [dice.randrange(pool.placings.shape[1]) for _ in triples]
    _, position = _among(pool, players)
    return position[pool.placings[triples, boards]].reshape(-1, 3), np.arange(len(triples)).repeat(6)


def coverage(
    pool: Pool, players: Ints, leagues: int, seed: int, after: int | None = None, stretch: float = 1.0
) -> Coverage:
    """Rates many leagues of some of a pool's players and holds their intervals against the truth.

    :param after: the league is still running: only this many of its boards are played. (Drawn again if not all have
        met by then.)
    :param stretch: what every σ is multiplied by: to see that a wrong one would be noticed.
    """
    true = truth(pool, players)
    dice = Random(seed)
    rows: list[tuple[float, ...]] = []
    while len(rows) < leagues:
        placings, boards = draw(pool, players, dice, after)
        ratings = fit(placings, boards, len(players))
        if len(ratings.groups[0]) == len(players):
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


def _among(pool: Pool, players: Ints) -> tuple[Ints, Ints]:
    """The numbers of the triples of some players, and the position of each player among them (−1: not among them)."""
    position = np.full(int(pool.triples.max()) + 1, -1)
    position[players] = np.arange(len(players))
    return np.flatnonzero((position[pool.triples] >= 0).all(axis=1)), position
