"""What the author of a bot needs. Three lines make a bot that plays:

    from protocol.bot import Bot, serve
    class MyBot(Bot): ...
    serve(MyBot)

Each choice is a method that gets a ``View`` and returns the choice; override those in which you know better.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import Any

import grpc

from protocol import wire
from protocol.cards import Card, Cards, Suit
from protocol.listening import Listening, listening
from protocol.three_five_eight_pb2 import DescribeRequest, Description, FromBot, FromReferee
from protocol.three_five_eight_pb2_grpc import BotServicer, add_BotServicer_to_server
from protocol.view import Choice, Contract, Rules, Three, TurnKind, View

__all__ = ["Bot", "OtherVersion", "answers", "choose", "serve"]

log = logging.getLogger(__name__)

ACES = Cards.read("A.A.A.A")
MATCHES_AT_ONCE = 64


class Bot:
    """A player. Every method has a default, the one that the referee's stand-in plays by: low cards, long suits.

    A view is complete, so a bot need not remember anything. If it does: ``serve`` makes a new instance for every
    match, and a bot that crashed is started again in the middle of one.

    :cvar name: the bot's name, that of the class unless set. ``version`` is in whatever form the author likes.
    """

    name: str = "Bot"
    version: str = "1"

    def __init_subclass__(cls) -> None:
        cls.name = vars(cls).get("name", cls.__name__)

    # The choices

    def give(self, view: View) -> Card:
        """Swap (R5.1): a card to give to ``view.partner``, who returns his highest of its suit, or itself."""
        return min(view.legal_cards, key=lowest_first)

    def claim(self, view: View) -> Suit:
        """Claim (R5.2): the suit whose highest card ``view.partner`` must hand over."""
        lacking = [suit for suit in view.legal_suits if not view.hand & ACES.suit(suit)]
        return max(lacking, key=view.hand.count, default=view.legal_suits[0])

    def give_back(self, view: View) -> Card:
        """Claim (R5.2): a card to give back for ``view.claimed``, which is in the hand already."""
        return min(view.legal_cards, key=lowest_first)

    def declare(self, view: View) -> Contract:
        """As dealer, announce the contract (R4.3): one of ``view.legal_contracts``."""
        allowed = [contract for contract in Contract if contract in view.legal_contracts]
        return max(allowed, key=lambda contract: -1 if contract.trump is None else view.hand.count(contract.trump))

    def discard(self, view: View) -> Iterable[Card]:
        """As dealer, put ``view.count`` cards of ``view.legal_cards`` aside (R4.1, R4.2)."""
        return sorted(view.legal_cards, key=lowest_first)[: view.count]

    def play(self, view: View) -> Card:
        """A card to the trick (R6): one of ``view.legal_cards``; ``view.trick`` is on the table."""
        return min(view.legal_cards, key=lowest_first)

    # What happens

    def match_started(self, rules: Rules, seat: int) -> None:
        """A match begins (or goes on, after a restart)."""

    def round_over(self, view: View, scores: Three) -> None:
        """A round was scored: the view as it was at its end, and the scores by seat."""

    def match_over(self, placing: Three, totals: Three, end: str) -> None:
        """The match is over: places (1 to 3) and totals by seat, and which end rule ended it (R8)."""

    # Help

    def rng(self, view: View) -> Random:
        """Dice for this decision. They depend on the view's seed and decision alone, so a rerun repeats them."""
        return Random((view.seed << 16) + view.decision)


def lowest_first(card: Card) -> tuple[int, int]:
    """Sorting key: the lowest rank first, of equal ranks clubs, diamonds, hearts, spades."""
    return card.rank, -card.suit


ANSWERS: dict[TurnKind, tuple[type[Any], str]] = {
    TurnKind.GIVE: (Card, "a Card of view.legal_cards"),
    TurnKind.CLAIM: (Suit, "a Suit of view.legal_suits"),
    TurnKind.GIVE_BACK: (Card, "a Card of view.legal_cards"),
    TurnKind.DECLARE: (Contract, "a Contract of view.legal_contracts"),
    TurnKind.DISCARD: (Iterable, "view.count cards of view.legal_cards"),
    TurnKind.PLAY: (Card, "a Card of view.legal_cards"),
}


def choose(bot: Bot, view: View) -> Choice:
    """Asks a bot what a view asks for. Whether the choice is legal is for the rules to say.

    :raises TypeError: the bot's method returned something else than it should.
    :raises ValueError: the view asks for nothing.
    """
    if view.kind is None:
        raise ValueError("this view asks for nothing: its kind is None")
    answer = getattr(bot, view.kind.value)(view)
    expected, words = ANSWERS[view.kind]
    if not isinstance(answer, expected):
        raise TypeError(f"{view.kind.value} returned {answer!r:.60}; it must return {words}")
    return Cards.of(answer) if view.kind is TurnKind.DISCARD else answer


# Serving


class OtherVersion(Exception):
    """The referee speaks another version of the protocol."""


def answers(bot: Bot | type[Bot], messages: Iterator[FromReferee]) -> Iterator[FromBot]:
    """Plays one match: the answers of a bot (of a new one, if it is a class) to a referee's messages.

    :raises OtherVersion: the match is not begun, or not in this version of the protocol.
    """
    started = next(messages, FromReferee()).match_started
    if started.protocol != wire.PROTOCOL:
        raise OtherVersion(f"this bot speaks version {wire.PROTOCOL} of the protocol, the referee {started.protocol}")
    rules = wire.rules_of(started.rules)
    player = bot() if isinstance(bot, type) else bot
    player.match_started(rules, started.seat - 1)
    for message in messages:
        match message.WhichOneof("event"):
            case "turn":
                turn = message.turn
                yield wire.choice_message(choose(player, wire.view_of(turn.view, rules)), turn.sequence)
            case "round_over":
                over = message.round_over
                player.round_over(wire.view_of(over.view, rules), wire.three_of(over.scores))
            case "match_over":
                end = message.match_over
                player.match_over(wire.three_of(end.placing), wire.three_of(end.totals), end.end)


class _Servicer(BotServicer):
    def __init__(self, bot: Bot | type[Bot], place: Listening) -> None:
        self.bot = bot
        self.place = place

    def Describe(self, request: DescribeRequest, context: grpc.ServicerContext) -> Description:  # noqa: N802
        self._refuse_strangers(context)
        return wire.description_message(self.bot.name, self.bot.version, "python")

    def Play(self, requests: Iterator[FromReferee], context: grpc.ServicerContext) -> Iterator[FromBot]:  # noqa: N802
        self._refuse_strangers(context)
        try:
            yield from answers(self.bot, requests)
        except OtherVersion as other:
            context.abort(grpc.StatusCode.FAILED_PRECONDITION, str(other))
        except Exception as error:
            if context.is_active():  # else it was the referee who went away
                log.exception("The match ends here for this bot:")
                context.abort(grpc.StatusCode.INTERNAL, f"{type(error).__name__}: {error!s:.200}")

    def _refuse_strangers(self, context: grpc.ServicerContext) -> None:
        if not self.place.admits(context):
            context.abort(grpc.StatusCode.UNAUTHENTICATED, "the token is missing or not the right one")


def serve(bot: Bot | type[Bot]) -> None:
    """Plays the matches that a referee asks for, until SIGTERM or Ctrl-C.

    Give a class: every match gets an instance of its own. The arena says where to listen in ``ARENA_SOCKET``; a bot
    that its author runs for a league elsewhere is started with ``--address HOST:PORT`` (docs/remote.md). A method that
    raises ends its match, with a traceback on stderr; the bot goes on to serve others.

    :raises SystemExit: there is nowhere to listen; one sentence says why.
    """
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(message)s")
    place = listening(sys.argv[1:], os.environ)
    told_to_stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: told_to_stop.set())
    # The synchronous server: as fast here as grpc.aio, and matches played at once don't wait for each other's choices.
    server = grpc.server(ThreadPoolExecutor(MATCHES_AT_ONCE), options=[("grpc.so_reuseport", 0)])
    add_BotServicer_to_server(_Servicer(bot, place), server)
    place.open(server)
    server.start()
    log.info("%s listens on %s", bot.name, place.address)
    while not told_to_stop.wait(0.5):
        pass  # a signal in the moment before the wait would be noticed at its end only
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)  # whoever can't wait for a choice being made may ask again
    server.stop(None).wait()
