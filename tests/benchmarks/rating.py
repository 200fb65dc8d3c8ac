"""A million matches rated, with intervals and in any order, beside the trueskill package taking them one by one."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

import numpy as np
import trueskill
from numpy.typing import NDArray

from arena.converged import BETA
from arena.rating import fit
from arena.schedule import schedule

Ints = NDArray[np.int64]

ONE_BY_ONE = 1000
SHUFFLES = 30


def main() -> None:
    placings, boards = league(20, 166_667, 1)
    all_at_once = best_of(3, lambda: fit(placings, boards, 20))
    one_by_one = best_of(1, lambda: rate(placings[:ONE_BY_ONE], 20)) * len(placings) / ONE_BY_ONE
    print(f"{len(placings):,} matches of 20 players: {all_at_once:.2f} s, {one_by_one / all_at_once:,.0f} × faster")
    placings, boards = league(9, 72, 2)
    print(f"{len(placings)} matches of 9 players: {1000 * best_of(5, lambda: fit(placings, boards, 9)):.0f} ms")
    order_matters(placings, boards, 9)
    for entrants in (9, 50, 98, 100, 200):
        names: dict[str, str | None] = dict.fromkeys(f"{number:03}" for number in range(entrants))
        took = best_of(3, partial(schedule, names, b"seed"))
        triples = np.array([[int(name) for name in triple] for _, triple in schedule(names, b"seed").boards])
        print(f"schedule of {entrants} entrants, {len(triples):,} boards: {1000 * took:.0f} ms", end="; ")
        placings, boards = played(triples, entrants, entrants)
        took = best_of(3, partial(fit, placings, boards, entrants))
        print(f"its {len(placings):,} matches rated: {1000 * took:,.0f} ms")


def order_matters(placings: Ints, boards: Ints, players: int) -> None:
    """How far the ratings of one league move when its matches are taken in other orders."""
    rng = np.random.default_rng(3)
    orders = [rng.permutation(len(placings)) for _ in range(SHUFFLES)]
    for name, found in (
        ("the package, one by one", [rate(placings[order], players) for order in orders]),
        ("converged", [fit(placings[order], boards[order], players).mu for order in orders]),
    ):
        reach = float(np.max(np.ptp(found, axis=0)))
        rankings = len({tuple(np.argsort(-mu)) for mu in found})
        print(f"{SHUFFLES} orders of the same matches, {name}: μ moves by up to {reach:.2f}; {rankings} rankings")


def league(players: int, boards: int, seed: int) -> tuple[Ints, Ints]:
    """Placings and boards of random triples."""
    seats = np.argsort(np.random.default_rng(seed).random((boards, players)), axis=1)[:, :3]
    return played(seats, players, seed)


def played(triples: Ints, players: int, seed: int) -> tuple[Ints, Ints]:
    """Placings and boards by TrueSkill's model: skills of deviation 2, six matches a board."""
    rng = np.random.default_rng(seed)
    seats = triples.repeat(6, axis=0)
    performances = rng.normal(0, 2, players)[seats] + rng.normal(0, BETA, seats.shape)
    return np.take_along_axis(seats, np.argsort(-performances, axis=1), axis=1), np.arange(len(triples)).repeat(6)


def rate(placings: Ints, players: int) -> NDArray[np.float64]:
    """μ by the package, one match after the other."""
    environment = trueskill.TrueSkill(draw_probability=0, tau=0)
    ratings = [environment.create_rating() for _ in range(players)]
    for placing in placings.tolist():
        for player, (rating,) in zip(placing, environment.rate([(ratings[p],) for p in placing]), strict=True):
            ratings[player] = rating
    return np.array([rating.mu for rating in ratings])


def best_of(times: int, work: Callable[[], object]) -> float:
    """CPU seconds of the fastest run: other load on the machine does not count."""
    took = []
    for _ in range(times):
        begun = time.process_time()
        work()
        took.append(time.process_time() - begun)
    return min(took)
