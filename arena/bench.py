"""Decisions a second of the whole arena, beside a bare gRPC stream with messages of the same size.

All in one run and pinned: a referee and its three bots share one core, since only one of them is ever at work. The bots
answer at once, so what is measured is ours: rules, views, messages, legality, record and clock.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from arena.floor import Measured, floor, typical_messages
from referee.bot_process import Program
from referee.deal import board_seed
from referee.player import Limits, Seated
from referee.rules import SETS
from referee.sandbox import usable_sandbox
from referee.sitting import Board, Sitting, play_sitting
from referee.table import Played

__all__ = ["Bench", "Effort", "Line", "bench"]

BOT = Path(__file__).with_name("at-once")
POLLING = "GRPC_EXPERIMENTS"


@dataclass(frozen=True)
class Effort:
    """How much is played: more takes longer and says it more surely."""

    round_trips: int = 4000
    boards: int = 12
    start_up: tuple[int, ...] = (1, 5, 20)
    """For each of these, a sitting of so many boards."""


@dataclass(frozen=True)
class Line:
    """One figure's worth: ``workers`` at once, each on a core of its own with its bots."""

    workers: int
    what: str
    decisions_a_second: float
    """Of all workers. Round trips, where it is a floor."""
    of_the_floor: float
    """Beside a stream to one bot process, with gRPC as it comes."""
    of_the_near_floor: float
    """Beside a stream to three bot processes in turn, with gRPC as the arena sets it up."""
    referee_us: float
    """CPU microseconds a decision."""
    bots_us: float
    matches_a_minute: float


@dataclass(frozen=True)
class Bench:
    """What was measured. ``start_up`` has for boards a sitting the share of its time before the first decision."""

    turn_bytes: int
    answer_bytes: int
    sandbox: str
    lines: tuple[Line, ...]
    start_up: dict[int, float]

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def bench(effort: Effort) -> Bench:
    """Measures everything, with one worker and with one a core."""
    cores = sorted(os.sched_getaffinity(0))
    sandbox = usable_sandbox("auto")
    lines = [
        line for chosen in ([cores[:1], cores] if len(cores) > 1 else [cores]) for line in lines_of(chosen, effort)
    ]
    start_up = {boards: startup_share(boards, sandbox) for boards in effort.start_up}
    turn, answer = typical_messages()
    return Bench(len(turn), len(answer), sandbox, tuple(lines), start_up)


def lines_of(cores: list[int], effort: Effort) -> Iterator[Line]:
    """The lines of so many workers: floors, then the whole arena."""
    floors: dict[str, list[Measured]] = {}
    for as_it_comes in (True, False):
        with polling(as_it_comes):
            for bots in (1, 3):
                what = f"bare stream, {'one bot' if bots == 1 else 'three bots in turn'}"
                what += "" if as_it_comes else ", tuned"
                floors[what] = on_cores(floor, cores, bots, as_it_comes, effort.round_trips)
    base, *_, near = map(rate, floors.values())
    for what, measured in floors.items():
        yield line(what, measured, base, near)
    for what, sandbox, freeze in configurations():
        yield line(what, on_cores(stack, cores, sandbox, freeze, effort.boards), base, near)


@contextmanager
def polling(as_it_comes: bool) -> Iterator[None]:
    """How gRPC polls in the processes that are started meanwhile."""
    ours = os.environ[POLLING]
    os.environ[POLLING] = "" if as_it_comes else ours
    try:
        yield
    finally:
        os.environ[POLLING] = ours


def on_cores(measure: Callable[..., Measured], cores: list[int], *arguments: object) -> list[Measured]:
    """What a worker on each of the cores measures, all at once."""
    with ProcessPoolExecutor(len(cores), mp_context=get_context("spawn")) as pool:
        return list(pool.map(measure, cores, *([argument] * len(cores) for argument in arguments)))


def rate(measured: list[Measured]) -> float:
    return sum(one.decisions / one.seconds for one in measured)


def line(what: str, measured: list[Measured], base: float, near: float) -> Line:
    decisions = sum(one.decisions for one in measured)
    a_second = rate(measured)
    return Line(
        workers=len(measured),
        what=what,
        decisions_a_second=a_second,
        of_the_floor=a_second / base,
        of_the_near_floor=a_second / near,
        referee_us=1e6 * sum(one.referee_cpu_s for one in measured) / decisions,
        bots_us=1e6 * sum(one.bots_cpu_s for one in measured) / decisions,
        matches_a_minute=60 * sum(one.matches / one.seconds for one in measured),
    )


# The whole arena


def configurations() -> Iterator[tuple[str, str, bool]]:
    yield "arena, no sandbox", "none", False
    if usable_sandbox("auto") == "bubblewrap":
        yield "arena, sandbox", "bubblewrap", False
        yield "arena, sandbox, frozen off turn", "bubblewrap", True


def sitting(boards: int, sandbox: str, freeze: bool, offset: int = 0) -> Sitting:
    program = Program("at-once", BOT, ("python", "bot.py"))
    one, two, three = (Seated(name, "1", program) for name in ("one", "two", "three"))
    return Sitting(
        league="bench",
        seating=0,
        seats=(one, two, three),
        rules=SETS["ten-points"],
        limits=Limits(sandbox=sandbox, freeze=freeze),
        boards=tuple(Board(n, board_seed(b"throughput", n)) for n in range(offset, offset + boards)),
    )


def stack(core: int, sandbox: str, freeze: bool, boards: int) -> Measured:
    """From the end of the first match on: start-up is measured apart."""
    os.sched_setaffinity(0, {core})
    marks: list[tuple[float, float]] = []

    def note(_: Played) -> None:
        marks.append((time.perf_counter(), time.process_time()))

    played = play_sitting(sitting(boards, sandbox, freeze, 100 * core), note)[1:]
    clocks = [seat for match in played for seat in match.record["clock"]]
    return Measured(
        decisions=sum(seat["decisions"] for seat in clocks),
        seconds=marks[-1][0] - marks[0][0],
        referee_cpu_s=marks[-1][1] - marks[0][1],
        bots_cpu_s=sum(seat["cpu_s"] for seat in clocks),
        matches=len(played),
    )


def startup_share(boards: int, sandbox: str) -> float:
    """The share of a sitting's time that passes before its first decision."""
    first: list[float] = []
    begun = time.perf_counter()
    played = play_sitting(sitting(boards, sandbox, freeze=True), lambda _: first.append(time.perf_counter()))
    total = time.perf_counter() - begun
    thinking = sum(seat["think_s"] for seat in played[0].record["clock"])
    a_match = (first[-1] - first[0]) / (boards - 1) if boards > 1 else thinking
    return max(first[0] - begun - a_match, 0.0) / total
