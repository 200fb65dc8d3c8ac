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
SITTINGS, BOARDS = 6, 4
"""Boards of a sitting: a league of a few bots by default has 10 or more, so that start-up is a smaller share yet."""
RULES = rules_for("announcer", overrides={"max_rounds": 2})


def sitting(number: int) -> Sitting:
    program = Program("thinks", BOT, ("python", "bot.py"))
    one, two, three = (Seated(name, "1", program) for name in ("one", "two", "three"))
    boards = tuple(
        Board(board, board_seed(b"scaling", board)) for board in range(number * BOARDS, (number + 1) * BOARDS)
    )
    return Sitting("bench", 0, (one, two, three), RULES, Limits(sandbox=usable_sandbox("auto")), boards)


def matches_a_second(jobs: int) -> float:
    waiting = deque(sitting(number) for number in range(SITTINGS))
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
    alone = matches_a_second(1)
    print(f"  --jobs 1: {alone:.2f} matches/s")
    if cores == 1:
        print("  this machine has one core: there is nothing to compare")
        return
    together = matches_a_second(cores)
    print(f"  --jobs {cores}: {together:.2f} matches/s, {together / alone:.2f} times as many")
