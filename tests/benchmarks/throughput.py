"""Decisions a second over gRPC, beside a bare stream with messages of the same size: how near the floor we are.

All in one run and pinned: a referee, its three bots and the floor's two processes share one core each, since only one
of them is ever at work. A bot answers at once, so what is measured is ours: rules, views, messages, legality, record
and clock.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import grpc
from grpc import aio

from protocol.view import TurnKind
from protocol.wire import choice_message, turn_message
from referee.bot_process import Program
from referee.deal import board_seed
from referee.match import Match
from referee.player import Limits, Seated
from referee.rules import SETS
from referee.sandbox import usable_sandbox
from referee.sitting import Board, Sitting, play_sitting
from referee.stand_in import stand_in
from referee.table import Played

BOT = Path(__file__).parents[1] / "bots" / "at-once"
ROUND_TRIPS = 4000
BOARDS = 12
RULES = SETS["ten-points"]


@dataclass(frozen=True)
class Measured:
    """What one worker did: decisions, matches, and the seconds that they took."""

    decisions: int
    seconds: float
    matches: int = 0
    referee_cpu_s: float = 0.0
    bots_cpu_s: float = 0.0

    def micros(self, seconds: float) -> str:
        """Seconds spread over the decisions."""
        return f"{1e6 * seconds / self.decisions:.0f} µs"


# The floor


def typical_messages() -> tuple[bytes, bytes]:
    """A turn in the middle of a round's play and its answer, as bytes."""
    match = Match(RULES, board_seed(b"floor", 0))
    while match.kind is not TurnKind.PLAY or len(match.round.played) < 24:
        match.choose(stand_in(match.view(match.seat)))
    turn = turn_message(match.view(match.seat), 30).SerializeToString()
    return turn, choice_message(match.legal()[0], 30).SerializeToString()


async def echo(address: str) -> None:
    """A server that answers every message with one of an answer's size."""
    _, answer = typical_messages()

    async def play(messages: AsyncIterator[bytes], context: object) -> AsyncIterator[bytes]:
        async for _ in messages:
            yield answer

    server = aio.server()
    handler = grpc.stream_stream_rpc_method_handler(play)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("floor", {"Play": handler}),))
    server.add_insecure_port(address)
    await server.start()
    await server.wait_for_termination()


async def ping(address: str, round_trips: int) -> Measured:
    turn, _ = typical_messages()
    async with aio.insecure_channel(address) as channel:
        stream = channel.stream_stream("/floor/Play")(wait_for_ready=True)
        for _ in range(200):
            await stream.write(turn)
            await stream.read()
        begun, cpu = time.perf_counter(), time.process_time()
        for _ in range(round_trips):
            await stream.write(turn)
            await stream.read()
        return Measured(round_trips, time.perf_counter() - begun, referee_cpu_s=time.process_time() - cpu)


def floor(core: int) -> Measured:
    os.sched_setaffinity(0, {core})
    with tempfile.TemporaryDirectory() as folder:
        address = f"unix:{folder}/floor.sock"
        server = subprocess.Popen([sys.executable, "-m", "tests.benchmarks.throughput", address])
        try:
            return asyncio.run(ping(address, ROUND_TRIPS))
        finally:
            server.kill()
            server.wait()


# The whole stack


def sitting(boards: int, sandbox: str, freeze: bool, offset: int = 0) -> Sitting:
    program = Program("at-once", BOT, ("python", "bot.py"))
    one, two, three = (Seated(name, "1", program) for name in ("one", "two", "three"))
    return Sitting(
        league="bench",
        seating=0,
        seats=(one, two, three),
        rules=RULES,
        limits=Limits(sandbox=sandbox, freeze=freeze),
        boards=tuple(Board(n, board_seed(b"throughput", n)) for n in range(offset, offset + boards)),
    )


def stack(core: int, sandbox: str, freeze: bool) -> Measured:
    """From the end of the first match on: start-up is measured apart."""
    os.sched_setaffinity(0, {core})
    marks: list[tuple[float, float]] = []

    def note(_: Played) -> None:
        marks.append((time.perf_counter(), time.process_time()))

    played = play_sitting(sitting(BOARDS, sandbox, freeze, 100 * core), note)[1:]
    clocks = [seat for match in played for seat in match.record["clock"]]
    assert not any(match.record["faults"] for match in played)
    return Measured(
        decisions=sum(seat["decisions"] for seat in clocks),
        seconds=marks[-1][0] - marks[0][0],
        matches=len(played),
        referee_cpu_s=marks[-1][1] - marks[0][1],
        bots_cpu_s=sum(seat["cpu_s"] for seat in clocks),
    )


def on_cores(measure: Callable[..., Measured], cores: list[int], *arguments: object) -> tuple[float, Measured]:
    """Decisions a second of one worker a core, all at once; and what the first of them measured."""
    with ProcessPoolExecutor(len(cores), mp_context=get_context("spawn")) as pool:
        measured = list(pool.map(measure, cores, *([argument] * len(cores) for argument in arguments)))
    return sum(one.decisions / one.seconds for one in measured), measured[0]


def configurations() -> Iterator[tuple[str, str, bool]]:
    yield "unsandboxed", "none", False
    if usable_sandbox("auto") == "bubblewrap":
        yield "sandboxed", "bubblewrap", False
        yield "sandboxed, frozen off turn", "bubblewrap", True
    else:
        print("bubblewrap does not work here: the sandboxed lines are left out")


# Start-up


def startup_share(boards: int, sandbox: str) -> float:
    """The share of a sitting's time that passes before its first decision."""
    first: list[float] = []
    begun = time.perf_counter()
    played = play_sitting(sitting(boards, sandbox, freeze=True), lambda _: first.append(time.perf_counter()))
    total = time.perf_counter() - begun
    thinking = sum(seat["think_s"] for seat in played[0].record["clock"])
    a_match = (first[-1] - first[0]) / (boards - 1) if boards > 1 else thinking
    return max(first[0] - begun - a_match, 0.0) / total


def main() -> None:
    turn, answer = typical_messages()
    cores = sorted(os.sched_getaffinity(0))
    print(f"messages of {len(turn)} and {len(answer)} bytes; {len(cores)} cores")
    for chosen in (cores[:1], cores) if len(cores) > 1 else (cores,):
        floor_rate, bare = on_cores(floor, chosen)
        where = f"{len(chosen)} worker{'s, one a core' if len(chosen) > 1 else ''}"
        print(f"{where}: floor {floor_rate:,.0f} round trips/s, client CPU {bare.micros(bare.referee_cpu_s)}")
        for name, sandbox, freeze in configurations():
            rate, one = on_cores(stack, chosen, sandbox, freeze)
            print(
                f"  {name:27} {rate:7,.0f} decisions/s, {rate / floor_rate:.2f} of the floor; CPU a decision: "
                f"referee {one.micros(one.referee_cpu_s)}, bots {one.micros(one.bots_cpu_s)}; "
                f"{60 * rate * one.matches / one.decisions:,.0f} matches/min",
                flush=True,
            )
    sandbox = usable_sandbox("auto")
    for boards in (1, 5, 20):
        print(f"start-up, {boards:2} boards a sitting ({sandbox}): {startup_share(boards, sandbox):.0%} of the time")


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(echo(sys.argv[1]))
