"""A player at the table: somebody who is asked for a choice and may fail to give one. Here, a bot behind gRPC.

The referee decides what went wrong from its own clock and the state of the bot's process first, and from the gRPC
status second: a bot can forge any status.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import grpc
from grpc import aio

from protocol.three_five_eight_pb2 import DescribeRequest, FromBot
from protocol.three_five_eight_pb2_grpc import BotStub
from protocol.view import Choice, Rules, Three, View
from protocol.wire import (
    PROTOCOL,
    UnreadableChoice,
    choice_of,
    match_over_message,
    match_started_message,
    round_over_message,
    turn_message,
)
from referee.bot_process import BotProcess, StartFailure
from referee.dial import Seated, credentials, dial, too_large, without_token

__all__ = ["BotPlayer", "Limits", "Player", "PlayerFault", "Seated"]

# gRPC would print a traceback for every message that it can't read.
logging.getLogger("grpc._common").setLevel(logging.CRITICAL)

REDIAL_S = 0.2  # between two attempts to reach a remote bot
EXIT_IS_NEAR_S = 0.1  # a process that ends closes its stream a moment before it is gone
BUSY_AT_MOST = 3
TEXT_LENGTH = 500

# The fixed sentence of each kind of fault; what varies stands in the journal beside the record.
DETAILS = {
    "timeout": "no answer within the move time, the bank and the margin",
    "illegal": "the answer is against the rules",
    "malformed": "the answer can not be read",
    "crash": "the process ended",
    "disconnect": "the stream was closed",
    "start": "the bot did not start",
    "error": "the bot reported an error",
}


@dataclass(frozen=True)
class Limits:
    """The clock and the conditions of a match; times in seconds."""

    move_time_s: float = 1.0
    """For each decision."""
    bank_s: float = 10.0
    """For a match: what decisions that take longer draw on."""
    margin_s: float = 0.1
    """On top, for the referee's own delay."""
    start_s: float = 10.0
    """For a start."""
    strikes: int = 3
    """The fault with which a bot is struck out of the match."""
    freeze: bool = True
    """Whether a bot that is not on turn is stopped."""
    sandbox: str = "bubblewrap"
    """``bubblewrap`` or ``none``."""


class PlayerFault(Exception):
    """A turn without a choice that can be used.

    :ivar kind: timeout, illegal, malformed, crash, disconnect, start or error.
    :ivar why: what happened this time; anything that comes from the bot in it is hostile.
    :ivar after_s: seconds from the question, None where none was asked.
    """

    def __init__(self, kind: str, why: str, after_s: float | None = None) -> None:
        super().__init__(why)
        self.kind = kind
        self.why = why
        self.after_s = after_s


@dataclass
class Question:
    """A question that is out: when it was asked, how it stands, how often this machine's delay extended it."""

    asked: float
    limit_s: float
    answered: bool = False
    expired: bool = False
    extensions: int = 0


@contextlib.contextmanager
def forgiving() -> Iterator[None]:
    """For what needs no answer: a stream that has ended is noticed at the next turn."""
    try:
        yield
    except (TimeoutError, aio.AioRpcError, asyncio.InvalidStateError):
        pass
    except asyncio.CancelledError:
        if cancelled():
            raise


def cancelled() -> bool:
    """Whether a ``CancelledError`` is meant for us: a stream that its bot ends with CANCELLED raises one too."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


class Player(Protocol):
    """What the table needs of a player."""

    busy: int
    """How often a question was extended because this machine, not the player, was late."""

    async def begin(self, rules: Rules, seat: int) -> None:
        """Gets ready for a match. :raises PlayerFault: kind ``start``."""

    async def ask(self, view: View, limit_s: float) -> tuple[Choice, float]:
        """The choice and the seconds that it took. :raises PlayerFault: there is none."""

    async def round_over(self, view: View, scores: Three) -> None: ...

    async def match_over(self, placing: Three, totals: Three, end: str) -> None: ...

    def cpu_s(self) -> float:
        """CPU seconds used so far; 0 where they can't be known."""

    def output_tail(self) -> str | None:
        """The last that the player wrote to its stdout and stderr; None where that is not ours to see."""


@dataclass
class BotPlayer:
    """A bot behind gRPC: its process if it is ours to start, its channel, and the stream of the match."""

    seated: Seated
    limits: Limits
    home: Path
    busy: int = 0
    _runs: int = 0
    _process: BotProcess | None = None
    _channel: aio.Channel | None = None
    _stream: Any = None
    _sequence: int = 0
    _missed: str = ""
    _cpu_s: float = 0.0
    _output: bytes = b""
    _rules: Rules = field(default_factory=Rules)
    _seat: int = 0

    # Starting and ending

    async def start(self) -> None:
        """Starts the bot, or dials it where its author runs it, and asks it who it is.

        :raises PlayerFault: kind ``start``.
        """
        self._missed = ""
        try:
            async with asyncio.timeout(self.limits.start_s):
                await self._connect()
        except TimeoutError:
            await self.stop()
            why = f"it was not ready within {self.limits.start_s:g} s"
            raise PlayerFault("start", f"{why} ({self._missed})" if self._missed else why) from None
        except (StartFailure, aio.AioRpcError, asyncio.CancelledError) as failed:
            await self.stop()
            if cancelled():
                raise
            raise PlayerFault("start", self._described(failed)) from None
        self._freeze()

    async def _connect(self) -> None:
        if self.seated.program:
            self._runs += 1
            self._process = BotProcess(self.seated.program, self.limits.sandbox, self.home / str(self._runs))
            await self._process.start(self.limits.start_s)
            await self._introduce(self._process.address)
        else:
            await self._reach()

    async def _reach(self) -> None:
        """Dials a remote bot until it is there: its author may be starting it again."""
        while True:
            try:
                return await self._introduce()
            except aio.AioRpcError as failed:
                if failed.code() is not grpc.StatusCode.UNAVAILABLE:
                    raise
                self._missed = self._described(failed)
            await self.stop()
            await asyncio.sleep(REDIAL_S)

    async def _introduce(self, socket: str = "") -> None:
        self._channel = dial(self.seated, socket)
        description = await BotStub(self._channel).Describe(DescribeRequest(), metadata=credentials(self.seated))
        if description.protocol != PROTOCOL:
            raise StartFailure(f"it speaks version {description.protocol} of the protocol, the referee {PROTOCOL}")

    def _described(self, failure: BaseException) -> str:
        """A failure in a sentence, bounded: the text of a status is the bot's."""
        if isinstance(failure, aio.AioRpcError):
            text = f"{failure.code().name}: {failure.details() or 'no details'}"
        else:
            text = str(failure) or "it ended the call"
        return without_token(text, self.seated)[:TEXT_LENGTH]

    async def stop(self) -> None:
        """Ends the stream, the channel and the process; nothing of them is left. Can be repeated."""
        self._drop_stream()
        if self._channel:
            await self._channel.close()
            self._channel = None
        if self._process:
            await self._process.stop()
            self._cpu_s += self._process.cpu_s()
            self._output = self._process.output_tail()
            self._process = None

    def _freeze(self) -> None:
        if self.limits.freeze and self._process:
            self._process.freeze()

    def _thaw(self) -> None:
        if self.limits.freeze and self._process:
            self._process.thaw()

    # A match

    async def begin(self, rules: Rules, seat: int) -> None:
        self._rules, self._seat = rules, seat
        if self._process is None or self._process.exit:
            await self.stop()  # a remote bot is dialled for each match: it may have been started again since the last
        if not self._channel:
            await self.start()
        self._drop_stream()

    async def ask(self, view: View, limit_s: float) -> tuple[Choice, float]:
        if not self._channel:
            await self.start()
        self._thaw()
        loop = asyncio.get_running_loop()
        question = Question(time.monotonic(), limit_s)
        timer = loop.call_later(limit_s, self._expire, question)
        try:
            await self._send(view)
            message = await self._stream.read()
            took_s = time.monotonic() - question.asked
        except (aio.AioRpcError, asyncio.InvalidStateError, asyncio.CancelledError):
            took_s = time.monotonic() - question.asked
            if cancelled():
                raise
            if question.expired:
                await self.stop()
                raise PlayerFault("timeout", f"no answer within {limit_s:.2f} s", took_s) from None
            raise await self._broken(took_s) from None
        finally:
            question.answered = True
            timer.cancel()
        self._freeze()
        return await self._read(message, view, took_s), took_s

    async def _send(self, view: View) -> None:
        if self._stream is None:
            assert self._channel
            self._stream = BotStub(self._channel).Play(metadata=credentials(self.seated))
            self._sequence = 0
            await self._stream.write(match_started_message(self._rules, self._seat))
        self._sequence += 1
        await self._stream.write(turn_message(view, self._sequence))

    def _expire(self, question: Question) -> None:
        """The time is up: unless it is this machine that was late, the question is taken back."""
        if question.answered:
            return
        late_s = time.monotonic() - question.asked - question.limit_s
        if late_s > self.limits.margin_s and question.extensions < BUSY_AT_MOST:
            self.busy += 1
            question.extensions += 1
            question.asked = time.monotonic()  # what passed until now is nobody's time
            asyncio.get_running_loop().call_later(question.limit_s, self._expire, question)
        else:
            question.expired = True
            self._stream.cancel()

    async def _read(self, message: Any, view: View, took_s: float) -> Choice:
        assert view.kind
        if message is aio.EOF:
            raise await self._broken(took_s)
        if not isinstance(message, FromBot):
            self._drop_stream()
            raise PlayerFault("malformed", "a message that is not a FromBot", took_s)
        if message.sequence != self._sequence:
            self._drop_stream()
            why = f"it answered turn {message.sequence}, but turn {self._sequence} was asked"
            raise PlayerFault("malformed", why, took_s)
        try:
            return choice_of(message, view.kind)
        except UnreadableChoice as unreadable:
            raise PlayerFault("malformed", str(unreadable), took_s) from None

    async def _broken(self, after_s: float) -> PlayerFault:
        """What a stream that ended means: the process first, the status second."""
        code, text = await self._stream.code(), await self._stream.details()
        what = without_token(f"{code.name}: {text or 'no details'}", self.seated)[:TEXT_LENGTH]
        if self._process:
            ended = await self._process.ended(EXIT_IS_NEAR_S)
            if ended:
                await self.stop()
                return PlayerFault("crash", f"the process ended: {ended}", after_s)
        self._drop_stream()
        if too_large(code, text):
            return PlayerFault("malformed", what, after_s)
        if code in (grpc.StatusCode.OK, grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED):
            await self.stop()
            return PlayerFault("disconnect", what, after_s)
        self._freeze()
        return PlayerFault("error", what, after_s)

    def _drop_stream(self) -> None:
        if self._stream is not None:
            self._stream.cancel()
            self._stream = None

    async def round_over(self, view: View, scores: Three) -> None:
        if self._stream is not None:
            with forgiving():
                async with asyncio.timeout(self.limits.move_time_s):
                    await self._stream.write(round_over_message(view, scores))

    async def match_over(self, placing: Three, totals: Three, end: str) -> None:
        """Tells the bot, lets it finish within its move time, and closes the stream."""
        if self._stream is None:
            return
        self._thaw()
        with forgiving():
            async with asyncio.timeout(self.limits.move_time_s):
                await self._stream.write(match_over_message(placing, totals, end))
                await self._stream.done_writing()
                await self._stream.read()
        self._drop_stream()
        self._freeze()

    def cpu_s(self) -> float:
        return self._cpu_s + (self._process.cpu_s() if self._process else 0.0)

    def output_tail(self) -> str | None:
        if self.seated.program is None:
            return None
        return (self._process.output_tail() if self._process else self._output).decode("utf-8", "replace")
