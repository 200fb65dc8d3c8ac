"""How much two bots that compute all the time slow an honest third.

The third does the same work on each decision; beside it sit two honest bots, or two that keep every core busy whenever
they run. Its time a decision with these is divided by that with those: 1.00 is perfectly fair, and 1.10 the limit. The
ratio needs a machine that does nothing else; the share of the two in the third's turns does not.
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from pathlib import Path

from referee.deal import board_seed
from referee.player import Limits, Seated
from referee.rules import rules_for
from referee.run import Program
from referee.sandbox import usable_sandbox
from referee.sitting import Board, Sitting, play_sitting
from referee.table import Table

BOTS = Path(__file__).parent.parent / "bots"
REPEATS = 7
RULES = rules_for("announcer", overrides={"max_rounds": "3"})
THINKER = ("python", "thinker.py")
HONEST = ("python", "bad.py", "honest")
GREEDY = ("python", "starts.py", "computes_always")


@dataclass
class Onlooker:
    """Watches a match: the CPU time that the two took while it was the third's turn."""

    seat: int | None = None
    before_s: float = 0.0
    taken_s: float = 0.0

    def __call__(self, table: Table) -> None:
        now_s = sum(player.cpu_s() for player in table.players[:2])
        if self.seat == 2:
            self.taken_s += now_s - self.before_s
        self.seat, self.before_s = table.match.seat, now_s


def main() -> None:
    sandbox = usable_sandbox("auto")
    for freeze in (True, False):
        ratios, shares = [], []
        for number in range(REPEATS):
            beside_honest, _ = play(HONEST, sandbox, freeze, number)
            beside_greedy, share = play(GREEDY, sandbox, freeze, number)
            ratios.append(beside_greedy / beside_honest)
            shares.append(share)
        word = "stopped off turn (--freeze)" if freeze else "running off turn (--no-freeze)"
        print(
            f"{word}: {statistics.median(ratios):.2f} (from {min(ratios):.2f} to {max(ratios):.2f} in {REPEATS} pairs "
            f"of matches); while it was the third's turn the two computed {statistics.median(shares):.1%} of the time"
        )


def play(rivals: tuple[str, ...], sandbox: str, freeze: bool, number: int) -> tuple[float, float]:
    """The third's seconds a decision, and the two's CPU time in its turns as a share of these turns' time."""
    seats = [seated(0, rivals), seated(1, rivals), seated(2, THINKER)]
    limits = Limits(move_time_s=5.0, freeze=freeze, sandbox=sandbox)
    board = Board(number, board_seed(b"fairness", number))
    sitting = Sitting("fairness", 0, (seats[0], seats[1], seats[2]), RULES, limits, (board,))
    onlooker = Onlooker()
    (played,) = play_sitting(sitting, watch=onlooker)
    clock = played.record["clock"][2]
    return clock["think_s"] / clock["decisions"], onlooker.taken_s / clock["think_s"]


def seated(seat: int, command: tuple[str, ...]) -> Seated:
    return Seated(f"seat-{seat}", "1", Program("bot", BOTS, command))
