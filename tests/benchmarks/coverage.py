"""How often the 95 % interval of a rating, and of the difference of two, is right: 500 leagues a cell.

The leagues are drawn from real matches, played here, of players of graded strength; ``docs/rating.md`` says how.
Beside it, the same for the σ that TrueSkill itself gives, which takes all matches for independent.
"""

from __future__ import annotations

import os
import time

import numpy as np

from referee.rules import SETS
from tests.graded import LADDER, Pool, pool
from tests.simulated import Coverage, Field, coverage

ENTRANTS = (8, 9, 13, 20)
BOARDS = 120
"""Boards of each choice of three kinds of players that are played to draw leagues from."""
LEAGUES = 500
RUNNING = {4: (4, 8, 16, 32), 8: (4, 8, 16, 32)}
"""Entrants, and after how many boards leagues that are still running are looked at."""


def main() -> None:
    print(f"{LEAGUES} leagues a cell, default design and boards, six seatings; coverage in %, with its standard error")
    print("set              N boards  single       pairs  σ      off    told apart  of these wrong  TrueSkill's σ")
    pools = {}
    for number, (name, rules) in enumerate(SETS.items()):
        begun = time.perf_counter()
        pools[name] = pool(rules, LADDER, BOARDS, os.cpu_count() or 1)
        matches = 6 * BOARDS * len(pools[name])
        print(f"  {name}: {matches:,} matches in {time.perf_counter() - begun:.0f} s", flush=True)
        for entrants in ENTRANTS:
            show(name, entrants, coverage(field(pools[name], entrants), LEAGUES, 100 * number + entrants))
    print("leagues that are still running")
    for entrants, stages in RUNNING.items():
        for after in stages:
            show("ten-points", entrants, coverage(field(pools["ten-points"], entrants), LEAGUES, after, after))


def field(played: Pool, entrants: int) -> Field:
    """Entrants from all along the ladder."""
    return Field(played, np.round(np.linspace(0, len(LADDER) - 1, entrants)).astype(int).tolist())


def show(name: str, entrants: int, c: Coverage) -> None:
    wrong = c.wrong / c.apart if c.apart else 0.0
    print(
        f"{name:15} {entrants:2} {c.boards:6}  {100 * c.single:.1f} ± {100 * c.error:.1f}  {100 * c.pairs:.1f}"
        f"   {c.sigma:.3f}  {c.off:.3f}  {c.apart:9.0%}  {wrong:14.2%}  {100 * c.model:.1f}",
        flush=True,
    )
