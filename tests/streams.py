"""Bots as real processes, and their matches as streams, for the tests that need no referee."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import grpc

from protocol import wire
from protocol.three_five_eight_pb2 import FromBot, FromReferee
from protocol.three_five_eight_pb2_grpc import BotStub
from protocol.view import Clock, Rules
from referee.match import Match

ROOT = Path(__file__).parent.parent


@contextmanager
def started(folder: Path, home: Path, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """The process of a bot in Python in this folder; its socket is ``bot.sock`` in its home."""
    process = subprocess.Popen(
        [sys.executable, "bot.py", *arguments],
        cwd=folder,
        env=os.environ | {"ARENA_SOCKET": str(home / "bot.sock"), "PYTHONPATH": str(ROOT)},
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        assert process.stderr
        process.stderr.close()


def wait_for(family: socket.AddressFamily, address: Any) -> None:
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        with socket.socket(family) as probe:
            if probe.connect_ex(address) == 0:
                return
        time.sleep(0.01)
    raise TimeoutError(f"nothing listens on {address}")


@contextmanager
def dialled(home: Path) -> Iterator[BotStub]:
    """A stub on the bot whose socket is in this home."""
    wait_for(socket.AF_UNIX, str(home / "bot.sock"))
    with grpc.insecure_channel(f"unix:{home / 'bot.sock'}") as channel:
        yield BotStub(channel)


class Stream:
    """A match on a stub: ``ask`` sends one message and waits for the answer."""

    def __init__(self, stub: BotStub, start: FromReferee) -> None:
        self.questions: SimpleQueue[FromReferee | None] = SimpleQueue()
        self.questions.put(start)
        self.call = stub.Play(iter(self.questions.get, None), timeout=10)

    def ask(self, question: FromReferee) -> FromBot:
        self.questions.put(question)
        answer: FromBot = next(self.call)
        return answer

    def close(self) -> list[FromBot]:
        self.questions.put(None)
        return list(self.call)


A_SECOND = Clock(1.0, 10.0)


def play_match(stub: BotStub, rules: Rules, seed: bytes, clock: Clock = A_SECOND) -> Match:
    """All three seats are played by the bot, each on a stream of its own at the same time."""
    match = Match(rules, seed)
    streams = [Stream(stub, wire.match_started_message(rules, seat)) for seat in range(3)]
    while not match.over:
        kind = match.kind
        assert kind
        view = match.view(match.seat, clock)
        answer = streams[match.seat].ask(wire.turn_message(view, match.decision + 1))
        assert answer.sequence == match.decision + 1
        match.choose(wire.choice_of(answer, kind))
    assert [stream.close() for stream in streams] == [[], [], []]
    return match
