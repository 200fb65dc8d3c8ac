"""How often the 95 % interval of a rating, and of the difference of two, is right: 500 leagues a cell.

The leagues are drawn from real matches, played here, of twenty players of graded strength; ``docs/rating.md`` says how.
Beside it, the same for the σ that TrueSkill itself gives, which takes all matches for independent.
"""

from __future__ import annotations

import os
import time

import numpy as np

from protocol.view import Rules
from referee.rules import SETS
from tests.graded import LADDER, Pool, pool, rungs
from tests.simulated import Coverage, coverage

POOLS = {8: 40, 9: 100, 13: 50, 20: 10}
"""Entrants, and boards of each triple that are played to draw leagues from.

A league has 1, 6, 4 and 1 of them. The more it has, the more must be played: what a pool happens to hold of a triple
repeats on all of a league's boards of that triple, as no σ can know. Here it is 2 to 5 % of the variance.
"""
LEAGUES = 500
RUNNING = {4: (4, 8, 16, 32), 8: (4, 8, 16, 32)}
"""Entrants, and after how many boards leagues that are still running are looked at."""


def main() -> None:
    print(f"{LEAGUES} leagues a cell, default design and boards, six seatings; coverage in %, with its standard error")
    print("set              N boards  single       pairs  σ      off    told apart  of these wrong  TrueSkill's σ")
    for number, (name, rules) in enumerate(SETS.items()):
        begun = time.perf_counter()
        for count, boards in POOLS.items():
            show(name, count, coverage(played(rules, count, boards), np.arange(count), LEAGUES, 100 * number + count))
        print(f"  ({time.perf_counter() - begun:.0f} s)", flush=True)
    print("leagues that are still running")
    for count, stages in RUNNING.items():
        matches = played(SETS["ten-points"], count, POOLS[8])
        for after in stages:
            show("ten-points", count, coverage(matches, np.arange(count), LEAGUES, after, after=after))


def played(rules: Rules, count: int, boards: int) -> Pool:
    return pool(rules, [LADDER[rung] for rung in rungs(count)], boards, os.cpu_count() or 1)


def show(name: str, count: int, c: Coverage) -> None:
    wrong = c.wrong / c.apart if c.apart else 0.0
    print(
        f"{name:15} {count:2} {c.boards:6}  {100 * c.single:.1f} ± {100 * c.error:.1f}  {100 * c.pairs:.1f}"
        f"   {c.sigma:.3f}  {c.off:.3f}  {c.apart:9.0%}  {wrong:14.2%}  {100 * c.model:.1f}",
        flush=True,
    )
