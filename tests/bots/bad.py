"""A bot with a bad habit, to which it gives way when its match comes to certain decisions; else it plays honestly.

Usage: bad.py HABIT [DECISION,DECISION...]. Habits are the names in ON_TURN below, or those of ``Game.describe``.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import grpc

from protocol import wire
from protocol.bot import Bot, choose
from protocol.cards import CARDS, Card, Cards, Suit
from protocol.three_five_eight_pb2 import DescribeRequest, Description, FromBot, FromReferee
from protocol.view import Choice, Contract, TurnKind, View

SOCKET = os.environ.get("ARENA_SOCKET", "")
SCRATCH = Path(os.environ.get("TMPDIR", "/tmp"))
MB = 2**20
LONG_S = 600.0


class Honest(Bot):
    """Plays by the rules, and always otherwise than the stand-in would: high cards, short suits."""

    def give(self, view: View) -> Card:
        return highest(view)[0]

    def claim(self, view: View) -> Suit:
        return min(view.legal_suits, key=view.hand.count)

    def give_back(self, view: View) -> Card:
        return highest(view)[0]

    def declare(self, view: View) -> Contract:
        return min(view.legal_contracts, key=lambda contract: view.hand.count(contract.trump or Suit.SPADES))

    def discard(self, view: View) -> Iterable[Card]:
        return highest(view)[: view.count]

    def play(self, view: View) -> Card:
        return highest(view)[0]


def highest(view: View) -> list[Card]:
    return sorted(view.legal_cards, key=lambda card: (-card.rank, card.suit))


def illegal(habit: str, view: View) -> Choice | None:
    """The illegal choice of a habit on this turn; None where there is no such choice."""
    held, others = tuple(view.hand), [card for card in CARDS if card not in view.hand]
    match habit, view.kind:
        case "not_in_hand", TurnKind.GIVE | TurnKind.GIVE_BACK | TurnKind.PLAY:
            return others[0]
        case "not_in_hand", TurnKind.DISCARD:
            return Cards.of([*highest(view)[:3], others[0]])
        case "not_in_hand", TurnKind.DECLARE:
            return Contract.MISERE
        case "revoke", TurnKind.PLAY:
            return next((card for card in held if card not in view.legal_cards), None)
        case "too_few", TurnKind.DISCARD:
            return Cards.of(highest(view)[:3])
        case "too_many", TurnKind.DISCARD:
            return Cards.of(highest(view)[:5])
    return None


@dataclass(frozen=True)
class Turn:
    """A turn at which the bot gives way to its habit."""

    habit: str
    view: View
    sequence: int
    honest: FromBot
    context: grpc.ServicerContext


Reply = FromBot | bytes
Habit = Callable[[Turn], Iterator[Reply]]

# Habits on a turn: what the bot sends instead of its honest answer


def chooses_illegally(turn: Turn) -> Iterator[Reply]:
    choice = illegal(turn.habit, turn.view)
    yield turn.honest if choice is None else wire.choice_message(choice, turn.sequence)


def sends(*replies: Callable[[Turn], Reply]) -> Habit:
    return lambda turn: (reply(turn) for reply in replies)


def honest(turn: Turn) -> Reply:
    return turn.honest


def next_sequence(turn: Turn) -> Reply:
    return FromBot(sequence=turn.sequence + 1, card=turn.honest.card)


def blank_for_the_next(turn: Turn) -> Reply:
    return FromBot(sequence=turn.sequence + 1)


def blank(turn: Turn) -> Reply:
    return FromBot(sequence=turn.sequence)


def no_such_code(turn: Turn) -> Reply:
    values = {"suit": 9, "contract": 77, "cards": 1 << 60, "card": 99}
    field = str(turn.honest.WhichOneof("choice"))
    return FromBot(**{"sequence": turn.sequence, field: values[field]})  # type: ignore[arg-type]


def does(deed: Callable[[Turn], object]) -> Habit:
    """Does something first, and then, if it comes to that, answers honestly."""

    def habit(turn: Turn) -> Iterator[Reply]:
        deed(turn)
        yield turn.honest

    return habit


def spin(_: object = None) -> None:
    while True:
        pass


def hold_the_interpreter(_: Turn) -> None:
    """Sleeps in C without letting any other thread of Python go on."""
    ctypes.PyDLL(None).sleep(int(LONG_S))


def left_s(turn: Turn) -> float:
    """Seconds until the time is up, the referee's margin not counted."""
    return turn.view.clock.move_time_s + turn.view.clock.bank_s


def abort(code: grpc.StatusCode, text: str) -> Habit:
    return does(lambda turn: turn.context.abort(code, text))


class Close(Exception):
    """The bot ends its stream."""


def close(_: Turn) -> None:
    raise Close


def fail(text: str) -> Habit:
    def deed(_: Turn) -> None:
        raise ValueError(text)

    return does(deed)


def flood_output(_: Turn) -> None:
    for _ in range(64):
        os.write(2, b"\x1b[31m" + b"x" * MB)


def flood_scratch(_: Turn) -> None:
    with contextlib.suppress(OSError):
        for number in range(100):
            (SCRATCH / f"flood-{number}").write_bytes(bytes(4 * MB))


def hoard(_: Turn) -> None:
    held = []
    while True:
        held.append(bytearray(16 * MB))
        time.sleep(0.001)


def start_threads(_: Turn) -> None:
    told = threading.Event()
    try:
        while True:
            threading.Thread(target=told.wait, daemon=True).start()
    except RuntimeError:
        told.set()


def start_processes(_: Turn) -> None:
    while True:
        try:
            os.fork()
        except OSError:
            time.sleep(0.001)


def try_to_fork(_: Turn) -> None:
    with contextlib.suppress(PermissionError):
        os._exit(0 if os.fork() == 0 else 9)


def replace_socket(by: str) -> Habit:
    def deed(_: Turn) -> None:
        os.unlink(SOCKET)
        if by == "link":
            os.symlink("/run/docker.sock", SOCKET)
        elif by == "file":
            Path(SOCKET).write_text("not a socket")
        else:
            socket.socket(socket.AF_UNIX).bind(SOCKET)

    return does(deed)


def others() -> list[int]:
    """The processes to be seen that are not this one or the one that reaps."""
    return [int(name) for name in os.listdir("/proc") if name.isdigit() and int(name) not in (1, os.getpid())]


def snoop(_: Turn) -> None:
    """Ends the process if anything can be had that should not."""
    if others():
        os._exit(9)
    for attempt in (
        lambda: socket.create_connection(("1.1.1.1", 80), 0.1),
        lambda: Path("/etc/passwd").read_text(),
        lambda: Path("/bot/bad.py").write_text("import this"),
        lambda: Path(wire.__file__).write_text("import this"),
        lambda: Path("/root").touch(),
    ):
        try:
            attempt()
        except OSError:
            continue
        os._exit(9)


def stop_myself(_: Turn) -> None:
    os.kill(os.getpid(), signal.SIGSTOP)
    time.sleep(LONG_S)  # the signal may come a moment later


ON_TURN: dict[str, Habit] = {
    # ends
    "exits": does(lambda _: os._exit(3)),
    "exits_quietly": does(lambda _: os._exit(0)),
    "segfaults": does(lambda _: ctypes.string_at(0)),
    "aborts": does(lambda _: os.abort()),
    "hoards": does(hoard),
    "fork_bomb": does(start_processes),
    # takes its time
    "sleeps": does(lambda _: time.sleep(LONG_S)),
    "spins": does(spin),
    "holds_the_interpreter": does(hold_the_interpreter),
    "stops_itself": does(stop_myself),
    "just_too_late": does(lambda turn: time.sleep(left_s(turn) + 0.3)),
    "just_in_time": does(lambda turn: time.sleep(max(left_s(turn) - 0.25, 0.0))),
    # says what can't be read
    "answers_twice": sends(honest, honest),
    "answers_early": sends(honest, blank_for_the_next),
    "answers_another_turn": sends(next_sequence),
    "blank": sends(blank),
    "no_such_code": sends(no_such_code),
    "empty": sends(lambda _: FromBot()),
    "garbled": sends(lambda _: b"\xff\xfe\xfd garbled"),
    "huge": sends(lambda _: bytes(5 * MB)),
    "enormous": sends(lambda _: bytes(100 * MB)),
    # forges or raises
    "closes": does(close),
    "forges_cancelled": abort(grpc.StatusCode.CANCELLED, "Locally cancelled by application!"),
    "forges_unavailable": abort(grpc.StatusCode.UNAVAILABLE, "Connection reset by peer"),
    "forges_deadline": abort(grpc.StatusCode.DEADLINE_EXCEEDED, "Deadline Exceeded"),
    "forges_exhausted": abort(grpc.StatusCode.RESOURCE_EXHAUSTED, "the machine has no memory left"),
    "raises": fail("no idea"),
    "raises_a_story": fail("x" * 70_000),  # gRPC takes so much on some days, and not on others
    "raises_a_novel": fail("\x1b[2J<script>\u202e" * 100_000),
    # chooses against the rules
    "not_in_hand": chooses_illegally,
    "revoke": chooses_illegally,
    "too_few": chooses_illegally,
    "too_many": chooses_illegally,
    # does what it should not, to no avail, and answers
    "floods_output": does(flood_output),
    "floods_scratch": does(flood_scratch),
    "thread_bomb": does(start_threads),
    "forks": does(try_to_fork),
    "socket_by_link": replace_socket("link"),
    "socket_by_file": replace_socket("file"),
    "socket_by_another": replace_socket("another"),
    "snoops": does(snoop),
}

# Serving: by hand, since what is sent need not be a message


class Game:
    """What the bot serves."""

    def __init__(self, habit: str, decisions: set[int]) -> None:
        self.habit = habit
        self.decisions = decisions

    def describe(self, request: DescribeRequest, context: grpc.ServicerContext) -> Description:
        match self.habit:
            case "speaks_another_version":
                return Description(protocol=2)
            case "describes_itself_at_length":
                return Description(protocol=1, name="x" * 5 * MB)
            case "fails_to_describe_itself":
                raise ValueError("who am I?")
        return wire.description_message("bad", "1", "python")

    def play(self, requests: Iterator[FromReferee], context: grpc.ServicerContext) -> Iterator[Reply]:
        rules = wire.rules_of(next(requests).match_started.rules)
        for message in requests:
            if message.WhichOneof("event") == "turn":
                view, sequence = wire.view_of(message.turn.view, rules), message.turn.sequence
                answer = wire.choice_message(choose(Honest(), view), sequence)
                if view.decision not in self.decisions:
                    yield answer
                    continue
                try:
                    yield from ON_TURN[self.habit](Turn(self.habit, view, sequence, answer, context))
                except Close:
                    return


def serialized(reply: Reply) -> bytes:
    return reply if isinstance(reply, bytes) else reply.SerializeToString()


def serve(game: Game) -> None:
    handlers = {
        "Describe": grpc.unary_unary_rpc_method_handler(
            game.describe, DescribeRequest.FromString, Description.SerializeToString
        ),
        "Play": grpc.stream_stream_rpc_method_handler(game.play, FromReferee.FromString, serialized),
    }
    server = grpc.server(ThreadPoolExecutor(4), options=[("grpc.max_send_message_length", -1)])
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("threefiveeight.v1.Bot", handlers),))
    server.add_insecure_port(f"unix:{SOCKET}")
    server.start()
    server.wait_for_termination()


if __name__ == "__main__":
    name, *rest = sys.argv[1:]
    serve(Game(name, {int(number) for text in rest for number in text.split(",")}))
