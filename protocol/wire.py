"""Our values as messages and back: the one place that knows the codes of ``three_five_eight.proto``.

The referee builds ``FromReferee`` and reads ``FromBot``; a bot does the opposite. What a bot sends is hostile:
``choice_of`` takes any message and either reads a choice of the kind asked for or raises ``UnreadableChoice``; whether
the choice is legal is not its business. What the referee sends is trusted.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields
from functools import lru_cache
from typing import Any

from protocol.cards import CARDS, DECK, Card, Cards, Suit
from protocol.three_five_eight_pb2 import Description, FromBot, FromReferee
from protocol.three_five_eight_pb2 import Rules as RulesMessage
from protocol.three_five_eight_pb2 import View as ViewMessage
from protocol.view import Choice, Clock, Contract, Exchange, Rules, TurnKind, View

__all__ = [
    "PROTOCOL",
    "UnreadableChoice",
    "choice_message",
    "choice_of",
    "description_message",
    "match_over_message",
    "match_started_message",
    "round_over_message",
    "rules_message",
    "rules_of",
    "three_of",
    "turn_message",
    "view_of",
]

PROTOCOL = 1
"""The version of the protocol that this package speaks."""

Three = tuple[int, int, int]


class UnreadableChoice(ValueError):
    """A bot's message carries no choice of the kind that it was asked for."""


# Codes begin at 1. Reading goes through dictionaries, so that 0 and every other stray number is refused.
CARD_OF = {card + 1: card for card in CARDS}
SUIT_OF = {suit + 1: suit for suit in Suit}
CONTRACT_OF = dict(enumerate(Contract, start=1))
KIND_OF: dict[int, TurnKind | None] = {0: None, **dict(enumerate(TurnKind, start=1))}
CONTRACT_CODE: dict[Contract | None, int] = {None: 0, **{contract: code for code, contract in CONTRACT_OF.items()}}
KIND_CODE = {kind: code for code, kind in KIND_OF.items()}
# The field in which a kind is answered, and what its codes mean (discard apart: it is answered with a set).
ANSWERS: dict[TurnKind, tuple[str, Mapping[int, Choice]]] = {
    TurnKind.GIVE: ("card", CARD_OF),
    TurnKind.CLAIM: ("suit", SUIT_OF),
    TurnKind.GIVE_BACK: ("card", CARD_OF),
    TurnKind.DECLARE: ("contract", CONTRACT_OF),
    TurnKind.PLAY: ("card", CARD_OF),
}
# Translation tables between bytes that count from 0 and bytes of codes.
TO_CODES = bytes(range(1, 256)) + b"\0"
FROM_CODES = b"\xff" + bytes(range(255))

RULE_FIELDS = tuple(field.name for field in fields(Rules))
ENDS = ("points_to_win", "points_to_lose", "tricks_to_win", "max_rounds")


def rules_message(rules: Rules) -> RulesMessage:
    values: dict[str, Any] = {name: getattr(rules, name) for name in RULE_FIELDS}
    return RulesMessage(**values | {"contracts": [CONTRACT_CODE[contract] for contract in rules.contracts]})


def rules_of(message: RulesMessage) -> Rules:
    """:raises ValueError: not three targets, or a code that stands for no contract."""
    values: dict[str, Any] = {name: getattr(message, name) for name in RULE_FIELDS}
    values |= {name: None for name in ENDS if not message.HasField(name)}
    values["removed"] = Cards(message.removed)
    try:
        values["targets"] = three_of(message.targets)
        values["contracts"] = _contracts_of(message.contracts)
    except (KeyError, ValueError) as why:
        raise ValueError(f"the referee's rules can't be read: {why}") from None
    return Rules(**values)


def match_started_message(rules: Rules, seat: int) -> FromReferee:
    """Opens a stream: the rules and the bot's seat (0..2)."""
    return FromReferee(match_started={"protocol": PROTOCOL, "rules": rules_message(rules), "seat": seat + 1})


def turn_message(view: View, sequence: int) -> FromReferee:
    """Asks for a choice. The rules are left out: the stream began with them."""
    return FromReferee(turn={"sequence": sequence, "view": _view_fields(view)})


def round_over_message(view: View, scores: Three) -> FromReferee:
    """The round as a seat saw it to its end (``view.kind`` is None), and its scores by seat."""
    return FromReferee(round_over={"view": _view_fields(view), "scores": scores})


def match_over_message(placing: Three, totals: Three, end: str) -> FromReferee:
    """The place of each seat (1..3), the totals by seat, and the end rule's word in the record."""
    return FromReferee(match_over={"placing": placing, "totals": totals, "end": end})


def description_message(name: str, version: str, language: str) -> Description:
    return Description(protocol=PROTOCOL, name=name, version=version, language=language)


def _view_fields(view: View) -> dict[str, Any]:
    values = {
        "kind": KIND_CODE[view.kind],
        "seat": view.seat + 1,
        "round": view.round,
        "dealer": view.dealer + 1,
        "hand": view.hand,
        "legal_cards": view.legal_cards,
        "count": view.count,
        "contract": CONTRACT_CODE[view.contract],
        "played": view.played.translate(TO_CODES),
        "leaders": view.leaders.translate(TO_CODES),
        "taken": view.taken,
        "discard": view.discard,
        "kitty": view.kitty,
        "totals": view.totals,
        "last_scores": view.last_scores,
        "decision": view.decision,
        "seed": view.seed,
        "move_time_s": view.clock.move_time_s,
        "bank_s": view.clock.bank_s,
    }
    if view.exchanges:
        values["exchanges"] = b"".join(map(_exchange_codes, view.exchanges))
    if view.partner is not None:
        values["partner"] = view.partner + 1
    if view.claimed is not None:
        values["claimed"] = view.claimed + 1
    if view.legal_suits:
        values["legal_suits"] = [suit + 1 for suit in view.legal_suits]
    if view.legal_contracts:
        values["legal_contracts"] = [CONTRACT_CODE[contract] for contract in view.legal_contracts]
    return values


def _exchange_codes(exchange: Exchange) -> bytes:
    suit, gave, got = exchange.suit, exchange.gave, exchange.got
    return bytes(
        (
            exchange.up + 1,
            exchange.down + 1,
            0 if suit is None else suit + 1,
            0 if gave is None else gave + 1,
            0 if got is None else got + 1,
        )
    )


def view_of(message: ViewMessage, rules: Rules) -> View:
    """The view that a turn or the end of a round carries; the rules are those that the stream began with.

    :raises ValueError: a code that stands for nothing, or not three values where each seat has one.
    """
    try:
        kind = KIND_OF[message.kind]
        return View.of(
            rules=rules,
            seat=message.seat - 1,
            round=message.round,
            dealer=message.dealer - 1,
            totals=three_of(message.totals),
            last_scores=three_of(message.last_scores) if message.last_scores else None,
            hand=Cards(message.hand),
            exchanges=_exchanges_of(message.exchanges) if message.exchanges else (),
            contract=CONTRACT_OF[message.contract] if message.contract else None,
            discard=Cards(message.discard),
            kitty=Cards(message.kitty),
            leaders=message.leaders.translate(FROM_CODES),
            played=message.played.translate(FROM_CODES),
            taken=three_of(message.taken),
            kind=kind,
            partner=message.partner - 1 if message.partner else None,
            claimed=CARD_OF[message.claimed] if message.claimed else None,
            legal_cards=Cards(message.legal_cards),
            legal_suits=tuple([SUIT_OF[code] for code in message.legal_suits]) if kind is TurnKind.CLAIM else (),
            legal_contracts=_contracts_of(message.legal_contracts) if kind is TurnKind.DECLARE else (),
            count=message.count,
            decision=message.decision,
            seed=message.seed,
            clock=Clock(message.move_time_s, message.bank_s),
        )
    except (KeyError, ValueError) as why:
        raise ValueError(f"the referee's view can't be read: {why}") from None


def _contracts_of(codes: Collection[int]) -> tuple[Contract, ...]:
    return tuple([CONTRACT_OF[code] for code in codes])


def three_of(values: Sequence[int]) -> Three:
    """The values of the three seats. :raises ValueError: not three values."""
    first, second, third = values[:]  # of a message's field a copy is read faster than the field
    return first, second, third


@lru_cache(maxsize=256)  # they stay the same through a round's play
def _exchanges_of(codes: bytes) -> tuple[Exchange, ...]:
    return tuple(
        Exchange(
            up=up - 1,
            down=down - 1,
            suit=SUIT_OF[suit] if suit else None,
            gave=CARD_OF[gave] if gave else None,
            got=CARD_OF[got] if got else None,
        )
        for up, down, suit, gave, got in zip(*(codes[i::5] for i in range(5)), strict=True)
    )


def choice_message(choice: Choice, sequence: int) -> FromBot:
    """Answers the turn with this sequence number."""
    values: dict[str, Any] = {"sequence": sequence}
    if isinstance(choice, Card):
        values["card"] = choice + 1
    elif isinstance(choice, Cards):
        values["cards"] = choice
    elif isinstance(choice, Suit):
        values["suit"] = choice + 1
    else:
        values["contract"] = CONTRACT_CODE[choice]
    return FromBot(**values)


def choice_of(message: FromBot, kind: TurnKind) -> Choice:
    """The choice with which a bot answers a turn of this kind, whether legal or not.

    :raises UnreadableChoice: the field that this kind needs is missing, or its code stands for nothing.
    """
    if kind is TurnKind.DISCARD:
        if 0 < message.cards <= DECK:
            return Cards(message.cards)
        raise _unreadable(message, kind, "cards, bits 0 to 51")
    field, table = ANSWERS[kind]
    choice = table.get(getattr(message, field))
    if choice is None:
        raise _unreadable(message, kind, f"{field}, 1 to {len(table)}")
    return choice


def _unreadable(message: FromBot, kind: TurnKind, answer: str) -> UnreadableChoice:
    field = message.WhichOneof("choice")
    sent = f"{field} {getattr(message, field)}" if field else "no choice"
    return UnreadableChoice(f"{kind.value} is answered with {answer}; the message has {sent}")
