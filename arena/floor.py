"""The floor: a bare ``grpc.aio`` stream, turn and answer, to one bot process or to three in turn as at a table.

A bot process is ``python -m arena.floor ADDRESS``. It answers each message with one of an answer's size.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import grpc
import uvloop
from grpc import aio

from protocol.view import TurnKind
from protocol.wire import choice_message, turn_message
from referee.deal import board_seed
from referee.match import Match
from referee.process_tree import cpu_seconds
from referee.rules import SETS
from referee.stand_in import stand_in

__all__ = ["Measured", "floor", "typical_messages"]

WARM_UP = 200


@dataclass(frozen=True)
class Measured:
    """What a worker did: decisions (or round trips), matches, and the seconds that they took."""

    decisions: int
    seconds: float
    referee_cpu_s: float
    bots_cpu_s: float
    matches: int = 0


def typical_messages() -> tuple[bytes, bytes]:
    """A turn in the middle of a round's play and its answer, as bytes."""
    match = Match(SETS["ten-points"], board_seed(b"floor", 0))
    while match.kind is not TurnKind.PLAY or len(match.round.played) < 24:
        match.choose(stand_in(match.view(match.seat)))
    turn = turn_message(match.view(match.seat), 30).SerializeToString()
    return turn, choice_message(match.legal()[0], 30).SerializeToString()


def floor(core: int, bots: int, as_it_comes: bool, round_trips: int) -> Measured:
    """Round trips to so many bot processes in turn, all on one core.

    :param as_it_comes: on asyncio's own event loop; else on uvloop, as the arena's. (How gRPC polls is for the
        environment to say: ``protocol/__init__.py``.)
    """
    os.sched_setaffinity(0, {core})
    run = asyncio.run if as_it_comes else uvloop.run
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as processes:
        addresses = [f"unix:{folder}/{bot}.sock" for bot in range(bots)]
        pids = []
        for address in addresses:
            words = [sys.executable, "-m", "arena.floor", address, *(["asyncio"] if as_it_comes else [])]
            process = processes.enter_context(subprocess.Popen(words))
            processes.callback(process.kill)
            pids.append(process.pid)
        return run(ping(addresses, pids, round_trips))


async def ping(addresses: list[str], pids: list[int], round_trips: int) -> Measured:
    turn, _ = typical_messages()
    async with contextlib.AsyncExitStack() as channels:
        streams: list[Any] = []
        for address in addresses:
            channel = await channels.enter_async_context(aio.insecure_channel(address))
            streams.append(channel.stream_stream("/floor/Play")(wait_for_ready=True))
        for number in range(-WARM_UP * len(streams), round_trips):
            if number == 0:
                begun, cpu, bots_cpu = time.perf_counter(), time.process_time(), cpu_of(pids)
            stream = streams[number % len(streams)]
            await stream.write(turn)
            await stream.read()
        took = time.perf_counter() - begun
        return Measured(round_trips, took, time.process_time() - cpu, cpu_of(pids) - bots_cpu)


def cpu_of(pids: list[int]) -> float:
    return sum(cpu_seconds(pid) or 0.0 for pid in pids)


async def echo(address: str) -> None:
    """A server that answers every message."""
    _, answer = typical_messages()

    async def play(messages: AsyncIterator[bytes], context: object) -> AsyncIterator[bytes]:
        async for _ in messages:
            yield answer

    server = aio.server()
    handler: Any = grpc.stream_stream_rpc_method_handler(play)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("floor", {"Play": handler}),))
    server.add_insecure_port(address)
    await server.start()
    await server.wait_for_termination()


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        (asyncio.run if sys.argv[2:] else uvloop.run)(echo(sys.argv[1]))
