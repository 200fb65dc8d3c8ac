"""Matches a second with one worker and with one a core, of bots that compute 20 ms a card."""

from __future__ import annotations

import os
import time
from collections import deque
from pathlib import Path

from arena.workers import Lost, Workers
from referee.bot_process import Program
from referee.deal import board_seed
from referee.player import Limits, Seated
from referee.rules import rules_for
from referee.sandbox import usable_sandbox
from referee.sitting import Board, Sitting
from referee.table import Played

BOT = Path(__file__).parents[1] / "bots" / "thinks"
SITTINGS = ((12, 1), (6, 4))
"""How many sittings, of how many boards: with one board, the start of three bots weighs as much as it ever can."""
RULES = rules_for("announcer", overrides={"max_rounds": 2})


def sitting(number: int, length: int) -> Sitting:
    program = Program("thinks", BOT, ("python", "bot.py"))
    one, two, three = (Seated(name, "1", program) for name in ("one", "two", "three"))
    numbers = range(number * length, (number + 1) * length)
    boards = tuple(Board(board, board_seed(b"scaling", board)) for board in numbers)
    return Sitting("bench", 0, (one, two, three), RULES, Limits(sandbox=usable_sandbox("auto")), boards)


def matches_a_second(jobs: int, sittings: int, boards: int) -> float:
    waiting = deque(sitting(number, boards) for number in range(sittings))
    played = 0
    with Workers(jobs) as workers:
        begun = time.perf_counter()
        while waiting or workers.busy:
            while waiting and workers.free:
                workers.begin(waiting.popleft())
            for news in workers.news(1.0):
                assert not isinstance(news, Lost), news
                played += isinstance(news, Played)
        return played / (time.perf_counter() - begun)


def main() -> None:
    cores = len(os.sched_getaffinity(0))
    if cores == 1:
        print("  this machine has one core: there is nothing to compare")
        return
    for sittings, boards in SITTINGS:
        alone = matches_a_second(1, sittings, boards)
        together = matches_a_second(cores, sittings, boards)
        print(
            f"  sittings of {boards} board{'s' * (boards > 1)}: --jobs 1 {alone:.2f} matches/s, --jobs {cores} "
            f"{together:.2f}, {together / alone:.2f} times as many"
        )
