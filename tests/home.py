"""A home with bots for tests of the arena, and workers that play a sitting at random, in this process."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import deque
from pathlib import Path
from random import Random
from typing import Any

import pytest

from arena.cli import arena as command
from arena.entrants import submit
from arena.journal import Journal
from arena.league import begin_league, to_play
from arena.options import Wish
from arena.store import Store
from arena.terminal import run_command
from arena.workers import Ended, Lost
from protocol.cards import Cards
from protocol.view import TurnKind
from referee.deal import bot_seed
from referee.match import Match
from referee.record import Record, match_record
from referee.sitting import Board, Sitting
from referee.table import Played

ARENA = Path(sys.executable).with_name("arena")
SAMPLES = Path(__file__).parents[1] / "sample_bots"


def manifest(**fields: str) -> str:
    values = {"author": "Ada", "command": "python bot.py", **fields}
    return "\n".join(f'{key} = "{value}"' for key, value in values.items())


def bot_folder(parent: Path, name: str, code: str = "", /, **fields: str) -> Path:
    """A bot's folder as its author has it."""
    folder = parent / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "bot.toml").write_text(manifest(**{"name": name, **fields}), "utf-8")
    (folder / "bot.py").write_text(code or f"# {name}\n", "utf-8")
    return folder


def store_with(tmp_path: Path, *names: str, **fields: str) -> Store:
    """A store with bots of these names, which no test starts."""
    store = Store(tmp_path / "home")
    for name in names:
        submit(store, bot_folder(tmp_path / "authors", name, **fields), False, no_build)
    return store


def no_build(folder: Path, command: tuple[str, ...]) -> None:
    raise AssertionError("there is nothing to build")


class RandomHall:
    """In place of ``arena.workers.Workers``: plays each sitting in this process, with choices by dice of the board.

    :param jobs: sittings that are begun at a time.
    """

    def __init__(self, jobs: int = 1) -> None:
        self.jobs = jobs
        self.begun: list[Sitting] = []
        self._news: deque[tuple[Sitting, list[Played | Ended | Lost]]] = deque()

    @property
    def busy(self) -> bool:
        return bool(self._news)

    @property
    def free(self) -> bool:
        return len(self._news) < self.jobs

    def begin(self, sitting: Sitting) -> None:
        self.begun.append(sitting)
        self._news.append((sitting, [*(self.play(sitting, board) for board in sitting.boards), Ended(sitting)]))

    def news(self, timeout_s: float) -> list[Played | Ended | Lost]:
        """One match of the sitting that was begun last, so that matches finish out of order."""
        _, news = self._news[-1]
        first = news.pop(0)
        if not news:
            self._news.pop()
        return [first]

    def play(self, sitting: Sitting, board: Board) -> Played:
        return Played(random_record(sitting, board))


def random_record(sitting: Sitting, board: Board) -> Record:
    """The record of a match in which nobody fails."""
    match = Match(sitting.rules, board.seed, board.deals)
    while not match.over:
        rnd = match.round
        dice = Random(bot_seed(board.seed, rnd.number, match.seat) + match.decision)
        if match.kind is TurnKind.DISCARD:
            match.choose(Cards.of(dice.sample(list(match.legal()), match.count)))  # type: ignore[arg-type]
        else:
            match.choose(dice.choice(match.legal()))
    return match_record(
        match,
        name=f"{sitting.league}/{board.number}/{sitting.seating}",
        number=board.number,
        seats=[{"bot": seated.name, "version": seated.version} for seated in sitting.seats],
        limits=vars(sitting.limits),
        faults=[],
        clock=[{"decisions": 10, "think_s": 0.5, "cpu_s": 0.4, "slowest_s": 0.1}] * 3,
    )


def played_league(tmp_path: Path) -> Journal:
    """A league ``demo`` of three bots on two boards, played at random, over."""
    store = store_with(tmp_path, "ada", "bob", "cyd")
    journal = begin_league(store, "demo", Wish(boards=2, sandbox="none"), b"s" * 32)
    hall = RandomHall()
    for sitting in to_play(journal):
        for board in sitting.boards:
            journal.add(hall.play(sitting, board))
    journal.end()
    return journal


class CommandLine:
    """The command line in this process: call it with arguments for exit code, stdout and stderr."""

    def __init__(self, home: Path, capture: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("ARENA_HOME", str(home))
        monkeypatch.setenv("COLUMNS", "140")
        self._capture = capture

    def __call__(self, *arguments: object) -> tuple[int, str, str]:
        self._capture.readouterr()
        code = run_command(command, [str(argument) for argument in arguments])
        return code, *self._capture.readouterr()


def arena(home: Path, *arguments: str | Path, timeout: float = 120, **more: Any) -> subprocess.CompletedProcess[str]:
    """Runs the ``arena`` command as a user does."""
    environment = {**os.environ, "ARENA_HOME": str(home)}
    return subprocess.run(
        [ARENA, *arguments], env=environment, capture_output=True, text=True, check=False, timeout=timeout, **more
    )


def timeless(record: Record) -> Record:
    """What of a record must be the same whenever it is played: all but what was measured."""
    faults = [{**fault, "after_s": None} for fault in record["faults"]]
    return {**record, "clock": None, "faults": faults}
