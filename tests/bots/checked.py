"""A bot that plays by dice and has one fault, for tests of ``arena check``: checked.py MODE. Below, a mode a branch."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import Any

import grpc
from google.protobuf.unknown_fields import UnknownFieldSet

from protocol import wire
from protocol.cards import DECK, Card, Cards, Suit
from protocol.three_five_eight_pb2 import DescribeRequest, Description, FromBot, FromReferee
from protocol.three_five_eight_pb2_grpc import BotServicer, add_BotServicer_to_server
from protocol.view import Choice, Contract, TurnKind, View
from referee.rules import SETS

MODE, *DETAILS = sys.argv[1].split("/")
# Whether an illegal choice is made, by mode.
RARELY = {
    "void-claims": lambda view: (
        view.rules.cards_per_point == 1
        and any(e.suit is not None and e.gave is None and view.seat in (e.up, e.down) for e in view.exchanges)
    ),
    "six-exchanges": lambda view: (
        view.rules.cards_per_point == 2 and sum(exchange.up == view.seat for exchange in view.exchanges) == 5
    ),
    "no-trump": lambda view: Contract.NO_TRUMP in (view.contract, *view.legal_contracts),
    "misere": lambda view: Contract.MISERE in (view.contract, *view.legal_contracts),
    "seventeen": lambda view: view.rules.tricks == 17 and len(view.leaders) == 16,
    "rotating": lambda view: view.rules.rotate_targets,
    "freak": lambda view: view.rules.exchange == "none" and max(map(view.hand.count, Suit)) >= 10,
    "deciding": lambda view: view.rules.ties == "deciding-round" and view.round >= (view.rules.max_rounds or 60),
    "long": lambda view: view.round >= 30,
    "turn": lambda view: view.kind.value == DETAILS[0] and view.rules == SETS[DETAILS[1]],
}
happened: dict[str, Any] = {"questions": 0, "stopped": False, "broken": False, "real round": False}


class Checked(BotServicer):
    def Describe(self, request: DescribeRequest, context: grpc.ServicerContext) -> Description:  # noqa: N802
        if MODE == "handshake":
            context.abort(grpc.StatusCode.UNIMPLEMENTED, "\x1b[31mwho asks?")
        description = wire.description_message("checked", "1", "python")
        description.protocol += MODE == "version"
        description.name = "somebody" if MODE == "name" else description.name
        return description

    def Play(self, requests: Iterator[FromReferee], context: grpc.ServicerContext) -> Iterator[FromBot]:  # noqa: N802
        rules = wire.rules_of(next(requests).match_started.rules)
        if MODE == "unasked":
            yield FromBot(sequence=1, card=1)
        while MODE == "babbles":
            yield FromBot(sequence=1, card=1)
        politely_over = False
        try:
            for message in requests:
                if MODE == "unknown":
                    refuse_unknown(message)
                match message.WhichOneof("event"):
                    case "turn":
                        yield from self.answers(wire.view_of(message.turn.view, rules), message.turn.sequence)
                    case "round_over":
                        happened["real round"] = sum(message.round_over.view.taken) >= 16
                        if MODE == "news":
                            yield FromBot(sequence=1, card=1)
                    case "match_over" if MODE == "match-over":
                        yield FromBot(sequence=1, card=1)
            politely_over = True
        finally:
            happened["broken"] = happened["broken"] or not politely_over
        while MODE == "open" and context.is_active():
            time.sleep(0.01)

    def answers(self, view: View, sequence: int) -> Iterator[FromBot]:
        misbehave(view)
        happened["questions"] += 1
        choice = illegal(view) if RARELY.get(MODE, lambda view: False)(view) else legal(view)
        if MODE == "field" and view.kind is TurnKind.CLAIM:
            choice = Contract.SPADES
        yield wire.choice_message(choice, sequence + (MODE == "sequence"))
        if MODE == "twice" or (MODE == "twice-later" and view.kind is TurnKind.PLAY):
            yield wire.choice_message(choice, sequence)


def refuse_unknown(message: FromReferee) -> None:
    for part in (message, message.turn, message.turn.view):
        if len(UnknownFieldSet(part)):
            raise ValueError("what is that?")


def misbehave(view: View) -> None:
    """What goes wrong before an answer."""
    plays_late = view.kind is TurnKind.PLAY and len(view.leaders) == 8
    if MODE == "restart" and view.decision and not happened["questions"]:
        raise KeyError("the match that I remember")
    if MODE == "stopped" and happened["stopped"]:
        happened["stopped"] = False
        raise TimeoutError("I was stopped")
    if MODE == "broken" and happened["broken"]:
        raise BrokenPipeError("the other stream")
    if MODE == "matches" and happened["real round"]:
        raise ValueError("a second round")
    if MODE == "raises" and plays_late:
        raise ValueError("\x1b[31mno idea")
    if MODE == "dies" and plays_late:
        print("I have had enough", flush=True)
        os._exit(3)
    if MODE == "hangs-at-once" or (MODE == "hangs" and plays_late):
        time.sleep(600)
    if MODE == "slow" and not happened["questions"]:
        time.sleep(0.5)
    if MODE == "hoards" and plays_late:
        hoard = bytearray(700 * 2**20)
        hoard[:: 2**12] = b"x" * len(hoard[:: 2**12])
        time.sleep(5)
    if MODE == "forks-late" and plays_late:
        subprocess.run(["true"], check=True)
    if MODE == "writes-late" and plays_late:
        Path("memory.txt").write_text("x")


def legal(view: View) -> Choice:
    dice = Random() if MODE == "dice" else Random((view.seed << 16) + view.decision)
    if view.kind is TurnKind.DISCARD:
        return Cards.of(dice.sample(list(view.legal_cards), view.count))
    return dice.choice(view.legal)


def illegal(view: View) -> Choice:
    """A choice against the rules, of the right kind where there is one: every suit may be claimed."""
    if view.kind is TurnKind.DISCARD:
        return Cards.of(list(view.legal_cards)[:3])
    if view.kind is TurnKind.DECLARE:
        return next((contract for contract in Contract if contract not in view.legal_contracts), Card("AS"))
    return (DECK - view.legal_cards)[0] if view.legal_cards else Contract.SPADES


def before_start() -> None:
    """What goes wrong before it listens."""
    if MODE == "exits":
        print("no \x1b[31mmodel", flush=True)
        sys.exit(3)
    if MODE == "loads":
        time.sleep(float(DETAILS[0]))
    if MODE == "network":
        socket.create_connection(("192.0.2.1", 80), timeout=5)
    if MODE == "telemetry":
        try:
            socket.create_connection(("192.0.2.1", 80), timeout=5)
        except OSError as error:
            print(error)
    if MODE == "forks":
        subprocess.run(["true"], check=True)
    if MODE == "writes":
        Path("cache.txt").write_text("x")
    if MODE == "scratch":
        Path(os.environ["TMPDIR"], "cache").write_bytes(bytes(61 * 2**20))
    if MODE == "talks":
        print("bla\n" * 50_000, flush=True)
    if MODE == "leaves":
        line = "import os, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(20)"
        subprocess.run([sys.executable, "-c", line], env={}, check=True)


before_start()
told_to_stop = threading.Event()
signal.signal(signal.SIGTERM, lambda *_: None if MODE == "stubborn" else told_to_stop.set())
signal.signal(signal.SIGCONT, lambda *_: happened.update(stopped=True))
server = grpc.server(ThreadPoolExecutor(16))
add_BotServicer_to_server(Checked(), server)
server.add_insecure_port(f"unix:{os.environ['ARENA_SOCKET']}")
server.start()
while not told_to_stop.wait(0.05):
    pass
server.stop(None).wait()
