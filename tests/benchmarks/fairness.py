"""How much two bots that compute all the time slow an honest third.

The third does the same work on each decision; beside it sit two honest bots, or two that keep every core busy whenever
they run. Its time a decision with these is divided by that with those: 1.00 is perfectly fair, and 1.10 the limit.
"""

from __future__ import annotations

import statistics
from pathlib import Path

from referee.deal import board_seed
from referee.player import Limits, Seated
from referee.rules import rules_for
from referee.run import Program
from referee.sandbox import usable_sandbox
from referee.sitting import Board, Sitting, play_sitting

BOTS = Path(__file__).parent.parent / "bots"
REPEATS = 7
RULES = rules_for("announcer", overrides={"max_rounds": "3"})
THINKER = ("python", "thinker.py")
HONEST = ("python", "bad.py", "honest")
GREEDY = ("python", "starts.py", "computes_always")


def main() -> None:
    sandbox = usable_sandbox("auto")
    for freeze in (True, False):
        ratios, cpu = [], []
        for number in range(REPEATS):
            beside_honest, _ = play(HONEST, sandbox, freeze, number)
            beside_greedy, greedy_cpu = play(GREEDY, sandbox, freeze, number)
            ratios.append(beside_greedy / beside_honest)
            cpu.append(greedy_cpu)
        word = "stopped off turn (--freeze)" if freeze else "running off turn (--no-freeze)"
        print(
            f"{word}: {statistics.median(ratios):.2f} (from {min(ratios):.2f} to {max(ratios):.2f} in {REPEATS} pairs "
            f"of matches); the two took {statistics.median(cpu):.1f} times the third's CPU time"
        )


def play(rivals: tuple[str, ...], sandbox: str, freeze: bool, number: int) -> tuple[float, float]:
    """The third's seconds a decision, and the rivals' CPU time over its own."""
    seats = [seated(0, rivals), seated(1, rivals), seated(2, THINKER)]
    limits = Limits(move_time_s=5.0, freeze=freeze, sandbox=sandbox)
    board = Board(number, board_seed(b"fairness", number))
    (played,) = play_sitting(Sitting("fairness", 0, (seats[0], seats[1], seats[2]), RULES, limits, (board,)))
    first, second, third = played.record["clock"]
    return third["think_s"] / third["decisions"], (first["cpu_s"] + second["cpu_s"]) / third["cpu_s"]


def seated(seat: int, command: tuple[str, ...]) -> Seated:
    return Seated(f"seat-{seat}", "1", Program("bot", BOTS, command))
