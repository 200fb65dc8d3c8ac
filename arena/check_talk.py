"""How ``arena check`` talks to a bot: started as in a league, asked over gRPC, and everything that it does is noted."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc
from grpc import aio

from protocol.three_five_eight_pb2 import DescribeRequest, Description, FromBot, FromReferee
from protocol.three_five_eight_pb2_grpc import BotStub
from protocol.view import Choice, Rules, TurnKind, View
from protocol.wire import (
    UnreadableChoice,
    choice_of,
    match_over_message,
    match_started_message,
    turn_message,
)
from referee.bot_process import BotProcess, Program
from referee.dial import Seated, credentials, dial, too_large, without_token
from referee.player import Limits

__all__ = ["Conversation", "Loose", "Reply", "Subject"]

A_MOMENT_S = 0.05  # in which a message that nobody asked for would come
EXIT_IS_NEAR_S = 0.1
UNASKED_AT_MOST = 20  # messages that are counted
WORDS = 200
GARBLED = "garbled"  # what can't be parsed arrives as None


@dataclass(frozen=True)
class Reply:
    """What came of one question.

    :ivar echoed: whether the answer bore the question's sequence number.
    :ivar trouble: nothing, or ``unreadable``, ``error`` (the stream ended with one), ``closed`` (it just ended),
        ``crash`` or ``timeout``.
    :ivar why: what happened, hostile text.
    """

    took_s: float
    choice: Choice | None = None
    echoed: bool | None = None
    trouble: str = ""
    why: str = ""


class Loose(BotProcess):
    """A bot that may change its folder, which must be a copy: to find out whether it needs to."""

    writable = True


class Subject:
    """The bot that is checked: one run of it after another.

    :ivar starts_s: how long each start took.
    :ivar tail: the last that the run before this one wrote.
    """

    def __init__(self, seated: Seated, limits: Limits, home: Path) -> None:
        self.seated = seated
        self.limits = limits
        self.process: BotProcess | None = None
        self.starts_s: list[float] = []
        self.tail = b""
        self.home = home
        self._runs = 0
        self._channel: aio.Channel | None = None

    async def start(self, *, processes: bool = False, writable: bool = False) -> None:
        """Starts the bot until it listens.

        :param processes: whether it may start processes though its manifest does not ask for it.
        :param writable: whether it may change its folder, of which it then gets a copy.
        :raises StartFailure: it ended, or did not listen in time.
        """
        begun = time.monotonic()
        socket = ""
        if program := self.seated.program:
            self._runs += 1
            home = self.home / str(self._runs)
            folder = copied(program.folder, self.home / f"{self._runs}-folder") if writable else program.folder
            program = Program(program.name, folder, program.command, program.processes or processes)
            self.process = (Loose if writable else BotProcess)(program, self.limits.sandbox, home)
            await self.process.start(self.limits.start_s)
            socket = self.process.address
        self._channel = dial(self.seated, socket)
        self.starts_s.append(time.monotonic() - begun)

    @property
    def stub(self) -> BotStub:
        assert self._channel, "the bot is started"
        return BotStub(self._channel)

    async def describe(self) -> Description:
        """What the bot says of itself.

        :raises AioRpcError: it does not answer.
        """
        answer: Description = await self.stub.Describe(
            DescribeRequest(), metadata=credentials(self.seated), timeout=self.limits.start_s
        )
        return answer

    async def hang_up(self) -> None:
        """Closes the connection; the bot goes on."""
        if self._channel:
            await self._channel.close()
            self._channel = None

    async def stop(self) -> None:
        """Ends the bot at once; nothing of it is left."""
        await self.hang_up()
        if self.process:
            await self.process.stop()
            self.tail = self.process.output_tail()
            self.process = None

    async def exit(self) -> str | None:
        """How the bot has ended, or does within a moment; None if it runs."""
        return await self.process.ended(EXIT_IS_NEAR_S) if self.process else None

    def last_words(self) -> str:
        """The last line that the bot wrote, to be added to a sentence: hostile text, or nothing."""
        tail = self.process.output_tail() if self.process else self.tail
        lines = tail.decode("utf-8", "replace").strip().splitlines()
        return f" (its last words: {lines[-1][:WORDS]})" if lines else ""


def copied(folder: Path, to: Path) -> Path:
    """A copy of a folder that every user may change."""
    shutil.copytree(folder, to, symlinks=True)
    for place, _, names in os.walk(to):
        for path in (Path(place), *(Path(place, name) for name in names)):
            if not path.is_symlink():
                path.chmod(path.stat().st_mode | 0o666 | (0o111 if path.is_dir() else 0))
    return to


@dataclass
class Conversation:
    """One stream of a match.

    :ivar unasked: how many messages came that answer no question, and ``late``, how many after the match was over.
    """

    subject: Subject
    rules: Rules
    seat: int
    unasked: int = 0
    late: int = 0
    _sequence: int = 0
    _call: Any = field(init=False)
    _reading: asyncio.Future[Any] | None = None

    async def open(self) -> None:
        """Begins the match, as far as a bot that has gone lets us."""
        self._call = self.subject.stub.Play(metadata=credentials(self.subject.seated))
        await self.send(match_started_message(self.rules, self.seat))

    async def send(self, message: FromReferee) -> None:
        """What a stream that has ended does not take is lost; the next reading tells."""
        with contextlib.suppress(aio.AioRpcError, asyncio.InvalidStateError):
            await self._call.write(message)

    async def ask(self, view: View, extra: bytes = b"") -> Reply:
        """A turn and its answer.

        :param extra: fields that no version of the protocol knows yet, put into turn and view.
        """
        assert view.kind
        self._sequence += 1
        message = turn_message(view, self._sequence)
        for part in (message, message.turn, message.turn.view):
            part.MergeFromString(extra)
        asked = time.monotonic()
        limits = self.subject.limits
        limit_s = limits.move_time_s + limits.bank_s + limits.margin_s
        await self.send(message)
        answer = await self.next_message(limit_s)
        while self._sequence > 1 and self._is_old(answer) and self.unasked < UNASKED_AT_MOST:
            self.unasked += 1
            answer = await self.next_message(limit_s)
        return await self._reply(answer, view.kind, time.monotonic() - asked)

    def _is_old(self, answer: Any) -> bool:
        """Whether this is a second answer to the question before."""
        return isinstance(answer, FromBot) and answer.sequence == self._sequence - 1

    async def next_message(self, within_s: float) -> Any:
        """The next message, ``GARBLED``, ``aio.EOF``, an ``AioRpcError``, or None if nothing comes."""
        if self._reading is None:
            self._reading = asyncio.ensure_future(self._call.read())
        done, _ = await asyncio.wait([self._reading], timeout=within_s)
        if not done:
            return None
        reading, self._reading = self._reading, None
        if reading.cancelled():
            return aio.EOF
        if error := reading.exception():
            return error
        message = reading.result()
        return GARBLED if message is None else message

    async def _reply(self, answer: Any, kind: TurnKind, took_s: float) -> Reply:
        if answer is None:
            return Reply(took_s, trouble="timeout", why=f"no answer within {took_s:.1f} s")
        if answer is GARBLED:
            return Reply(took_s, trouble="unreadable", why="a message that is no FromBot")
        if isinstance(answer, FromBot):
            try:
                return Reply(took_s, choice_of(answer, kind), answer.sequence == self._sequence)
            except UnreadableChoice as unreadable:
                return Reply(took_s, None, answer.sequence == self._sequence, "unreadable", str(unreadable))
        if end := await self.subject.exit():
            return Reply(took_s, trouble="crash", why=end)
        code, details = await self._call.code(), await self._call.details()
        text = without_token(details or "no details", self.subject.seated)[:WORDS]
        if too_large(code, details):
            return Reply(took_s, trouble="unreadable", why=text)
        if code is grpc.StatusCode.OK:
            return Reply(took_s, trouble="closed", why="it ended the stream")
        return Reply(took_s, trouble="error", why=f"{code.name}: {text}")

    async def unasked_now(self) -> int:
        """How many messages come in a moment without a question."""
        count = 0
        while count < UNASKED_AT_MOST and isinstance(await self.next_message(A_MOMENT_S), FromBot):
            count += 1
        return count

    async def close(self) -> bool:
        """Ends the match politely; whether the bot then closed its side, within the move time."""
        await self.send(match_over_message((1, 2, 3), (0, 0, 0), "rounds"))
        with contextlib.suppress(aio.AioRpcError, asyncio.InvalidStateError):
            await self._call.done_writing()
        answer = await self.next_message(self.subject.limits.move_time_s)
        while isinstance(answer, FromBot) and self.late < UNASKED_AT_MOST:
            self.late += 1
            answer = await self.next_message(self.subject.limits.move_time_s)
        self.cancel()
        return answer is not None and not isinstance(answer, FromBot)

    def cancel(self) -> None:
        """Ends the stream as a referee does that has lost patience."""
        self._call.cancel()
        if self._reading:
            self._reading.cancel()
            self._reading = None
