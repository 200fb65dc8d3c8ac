"""How often ``monte_carlo`` is placed first against two ``tips``: a third would be luck, 60 % is the aim.

Each board is played in the three seatings that differ when two of three are the same. The clock is the CPU time of the
search, so that other work on the machine changes nothing.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from math import sqrt

import numpy as np

from protocol.bot import Bot
from referee.practice import play_match
from referee.rules import SETS
from tests.samples import bot_of

BOARDS = int(os.environ.get("CHAMPION_BOARDS", "100"))
MATCHES_OF = ("ten-points", "twelve-tricks", "announcer")
LONG_S, SHORT_S = 0.2, 0.02
Times = tuple[float, float | None, float | None]


def champion(move_time_s: float) -> Bot:
    """The bot with so many seconds of CPU time for a decision."""
    made = bot_of("monte_carlo")
    search = sys.modules[made.__module__].Search(time.thread_time, move_time_s)
    return made(search)


def places(name: str, board: int, move_times_s: Times) -> list[int]:
    """The places of the first of three players in the three seatings of a board.

    :param move_times_s: the champion's seconds for a decision, by player; None is ``tips``.
    """
    result = []
    for turn in range(3):
        bots = [bot_of("tips")() if seconds is None else champion(seconds) for seconds in move_times_s]
        match = play_match(bots[-turn:] + bots[:-turn] if turn else bots, SETS[name], seed=board)
        assert match.placing
        result.append(match.placing[turn])
    return result


def interval(shares: Sequence[float]) -> tuple[float, float]:
    """The mean of boards' shares and half the width of its 95 % interval."""
    return float(np.mean(shares)), 1.96 * float(np.std(shares, ddof=1)) / sqrt(len(shares))


def show(name: str, what: str, move_times_s: Times, pool: ProcessPoolExecutor) -> None:
    begun = time.perf_counter()
    boards = [pool.submit(places, name, board, move_times_s) for board in range(BOARDS)]
    taken = []
    for board in as_completed(boards):
        taken.append(board.result())
        so_far = np.array(taken)
        left_s = (time.perf_counter() - begun) / len(taken) * (BOARDS - len(taken))
        print(
            f"\r{name}: first in {(so_far == 1).mean():.0%} of {so_far.size}, {left_s:.0f} s to go",
            end=" ",
            file=sys.stderr,
        )
    first, wide = interval((so_far == 1).mean(1))
    print(
        f"{name:14} {what:28} first in {first:.1%} ± {wide:.1%} of {so_far.size} matches, second in "
        f"{(so_far == 2).mean():.1%}  [{time.perf_counter() - begun:.0f} s]",
        flush=True,
    )


def main() -> None:
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for name in MATCHES_OF:
            show(name, "100 ms against two tips", (0.1, None, None), pool)
        show("ten-points", "200 ms against two of 20 ms", (LONG_S, SHORT_S, SHORT_S), pool)
