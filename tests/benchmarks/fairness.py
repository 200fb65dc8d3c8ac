"""How much two bots that compute all the time slow an honest third.

The third does the same work on each card it plays, none, 10 ms or 50 ms; beside it sit two honest bots, or two that
keep every core busy whenever they run, in turn on the same boards. Its time a decision with these is divided by that
with those, pair by pair: 1.00 is perfectly fair, and 1.10 the limit. Where it does no work, what is left is what an
exchange costs more: an absolute time, whatever the work. The ratios of times need a machine that does nothing else; the
third's own CPU time and the share that the two computed in its turns do not.
"""

from __future__ import annotations

import hashlib
import math
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from operator import add, sub
from pathlib import Path

from referee.deal import board_seed
from referee.player import Limits, Seated
from referee.rules import rules_for
from referee.run import Program
from referee.sandbox import usable_sandbox
from referee.sitting import Board, Sitting, play_sitting
from referee.table import Table

BOTS = Path(__file__).parent.parent / "bots"
PAIRS = 15
RULES = rules_for("announcer", overrides={"max_rounds": "3"})
HONEST = ("python", "bad.py", "honest")
GREEDY = ("python", "starts.py", "computes_always")
LIMIT_S = 5.0


@dataclass
class Onlooker:
    """Watches a match: the CPU seconds of each bot while it was the third's turn."""

    seat: int | None = None
    before_s: tuple[float, ...] = (0.0, 0.0, 0.0)
    used_s: tuple[float, ...] = (0.0, 0.0, 0.0)

    def __call__(self, table: Table) -> None:
        now_s = tuple(player.cpu_s() for player in table.players)
        if self.seat == 2:
            self.used_s = tuple(map(add, self.used_s, map(sub, now_s, self.before_s)))
        self.seat, self.before_s = table.match.seat, now_s


@dataclass(frozen=True)
class Third:
    """What the third had in one match: seconds and CPU seconds a decision, and the two's share of its turns."""

    wall_s: float
    cpu_s: float
    share: float


def main() -> None:
    sandbox = usable_sandbox("auto")
    a_hash_s = seconds_of_a_hash()
    for freeze in (True, False):
        print("stopped off turn (--freeze):" if freeze else "running off turn (--no-freeze):", flush=True)
        for work_s in (0.0, 0.01, 0.05) if freeze else (0.01,):
            hashes = max(1, round(work_s / a_hash_s))
            pairs = [pair(number, hashes, sandbox, freeze) for number in range(PAIRS)]
            print(f"  {1000 * work_s:2.0f} ms of work: {words(pairs)}", flush=True)


def pair(number: int, hashes: int, sandbox: str, freeze: bool) -> tuple[Third, Third]:
    """The third beside the honest and beside the greedy on one board; which comes first goes round."""
    rivals = (HONEST, GREEDY) if number % 2 else (GREEDY, HONEST)
    one, other = (play(two, hashes, sandbox, freeze, number) for two in rivals)
    return (one, other) if number % 2 else (other, one)


def words(pairs: Sequence[tuple[Third, Third]]) -> str:
    ratio = median_of([greedy.wall_s / honest.wall_s for honest, greedy in pairs], "{:.2f}")
    more = median_of([1000 * (greedy.wall_s - honest.wall_s) for honest, greedy in pairs], "{:+.2f}")
    cpu = median_of([greedy.cpu_s / honest.cpu_s for honest, greedy in pairs], "{:.2f}")
    alone_ms = 1000 * statistics.median(honest.wall_s for honest, _ in pairs)
    share = statistics.median(greedy.share for _, greedy in pairs)
    return (
        f"time × {ratio}, that is {more} ms on {alone_ms:.2f} ms a decision; the third's own CPU time × {cpu}; "
        f"the two computed {share:.1%} of its turns"
    )


def median_of(values: Sequence[float], form: str) -> str:
    """The median and its 95 % interval, from the order of the values alone (the sign test)."""
    n, ordered = len(values), sorted(values)
    tails = [sum(math.comb(n, k) for k in range(below + 1)) / 2**n for below in range(n // 2)]
    cut = sum(tail <= 0.025 for tail in tails)
    return f"{form} ({form} to {form})".format(statistics.median(ordered), ordered[cut], ordered[n - 1 - cut])


def play(rivals: tuple[str, ...], hashes: int, sandbox: str, freeze: bool, number: int) -> Third:
    seats = [seated(0, rivals), seated(1, rivals), seated(2, ("python", "thinker.py", str(hashes)))]
    limits = Limits(move_time_s=LIMIT_S, freeze=freeze, sandbox=sandbox)
    board = Board(number, board_seed(b"fairness", number))
    sitting = Sitting("fairness", 0, (seats[0], seats[1], seats[2]), RULES, limits, (board,))
    onlooker = Onlooker()
    (played,) = play_sitting(sitting, watch=onlooker)
    clock = played.record["clock"][2]
    decisions, think_s = clock["decisions"], clock["think_s"]
    *two_s, third_s = onlooker.used_s
    return Third(think_s / decisions, third_s / decisions, sum(two_s) / think_s)


def seated(seat: int, command: tuple[str, ...]) -> Seated:
    return Seated(f"seat-{seat}", "1", Program("bot", BOTS, command))


def seconds_of_a_hash() -> float:
    """CPU seconds of one of the hashes that the third's work consists of."""
    begun = time.thread_time()
    hashlib.pbkdf2_hmac("sha256", b"ace", b"king", 100_000)
    return (time.thread_time() - begun) / 100_000
