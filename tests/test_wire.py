"""Values become messages and come back the same; what is no choice is refused, whatever a bot sends."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from google.protobuf.message import DecodeError
from hypothesis import example, given
from hypothesis import strategies as st

from protocol import wire
from protocol.cards import CARDS, DECK, Card, Cards, Suit
from protocol.three_five_eight_pb2 import FromBot, FromReferee
from protocol.three_five_eight_pb2 import View as ViewMessage
from protocol.view import Choice, Clock, Contract, Exchange, Rules, TurnKind, View

seats = st.integers(0, 2)
cards = st.sampled_from(CARDS)
sets_of_cards = st.integers(0, DECK).map(Cards)
suits = st.sampled_from(Suit)
contracts = st.sampled_from(Contract)
counts = st.integers(0, 17)
points = st.integers(-1000, 1000)
limits = st.none() | st.integers(0, 10_000)
seconds = st.floats(0, allow_nan=False)


def three(values: st.SearchStrategy[int]) -> st.SearchStrategy[tuple[int, int, int]]:
    return st.tuples(values, values, values)


rules = st.builds(
    Rules,
    set=st.sampled_from(["announcer", "ten-points", "twelve-tricks", "nine-five-two", "six-three-eight"]),
    targets=three(counts),
    removed=sets_of_cards,
    kitty=st.sampled_from(["discard-first", "pick-up-first", "none"]),
    first_lead=st.sampled_from(["dealer", "forehand"]),
    exchange=st.sampled_from(["swap", "claim", "none"]),
    cards_per_point=st.integers(1, 3),
    downs=st.sampled_from(["clockwise", "target"]),
    contracts=st.lists(contracts, min_size=1, unique=True).map(tuple),
    rotate_targets=st.booleans(),
    points_to_win=limits,
    points_to_lose=limits,
    tricks_to_win=limits,
    max_rounds=limits,
    ties=st.sampled_from(["last-round", "deciding-round"]),
)
exchanges = st.builds(
    Exchange, up=seats, down=seats, suit=st.none() | suits, gave=st.none() | cards, got=st.none() | cards
)
unasked = st.builds(
    View,
    rules=rules,
    seat=seats,
    round=st.integers(0, 60),
    dealer=seats,
    totals=three(points),
    last_scores=st.none() | three(points),
    hand=sets_of_cards,
    exchanges=st.lists(exchanges, max_size=8).map(tuple),
    contract=st.none() | contracts,
    discard=sets_of_cards,
    kitty=sets_of_cards,
    leaders=st.lists(seats, max_size=17).map(bytes),
    played=st.lists(cards, max_size=51).map(bytes),
    taken=three(counts),
    partner=st.none() | seats,
    claimed=st.none() | cards,
    legal_cards=sets_of_cards,
    count=st.integers(0, 20),
    decision=st.integers(0, 5000),
    seed=st.integers(0, 2**52 - 1),
    clock=st.builds(Clock, seconds, seconds),
)


@st.composite
def views(draw: st.DrawFn) -> View:
    kind = draw(st.sampled_from(TurnKind))
    named = tuple(draw(st.lists(suits, min_size=1, unique=True))) if kind is TurnKind.CLAIM else ()
    announced = tuple(draw(st.lists(contracts, min_size=1, unique=True))) if kind is TurnKind.DECLARE else ()
    return replace(draw(unasked), kind=kind, legal_suits=named, legal_contracts=announced)


def sent(message: FromReferee) -> FromReferee:
    return FromReferee.FromString(message.SerializeToString())


# What the referee says


@given(views(), st.integers(1, 2**32 - 1))
def test_a_view_comes_back_the_same(view: View, sequence: int) -> None:
    turn = sent(wire.turn_message(view, sequence)).turn
    assert turn.sequence == sequence
    assert wire.view_of(turn.view, view.rules) == view


@given(unasked, three(points))
def test_the_end_of_a_round_comes_back_the_same(view: View, scores: tuple[int, int, int]) -> None:
    over = sent(wire.round_over_message(view, scores)).round_over
    assert wire.view_of(over.view, view.rules) == view
    assert tuple(over.scores) == scores


@given(rules, seats)
def test_the_start_of_a_match_tells_version_rules_and_seat(rules: Rules, seat: int) -> None:
    started = sent(wire.match_started_message(rules, seat)).match_started
    assert (started.protocol, started.seat) == (wire.PROTOCOL, seat + 1)
    assert wire.rules_of(started.rules) == rules


def test_the_end_of_a_match_tells_places_totals_and_why() -> None:
    over = sent(wire.match_over_message((2, 3, 1), (4, -14, 10), "points")).match_over
    assert (list(over.placing), list(over.totals), over.end) == ([2, 3, 1], [4, -14, 10], "points")


def test_the_first_card_is_not_taken_for_a_missing_one() -> None:
    """The two of spades is card 0, seat 0 is the first, spades the first suit: none may be lost on the way."""
    two = Card("2S")
    exchange = Exchange(up=0, down=0, suit=Suit.SPADES, gave=two, got=two)
    view = View(
        rules=Rules(),
        seat=0,
        round=0,
        dealer=0,
        totals=(0, 0, 0),
        last_scores=(0, 0, 0),
        hand=Cards.of([two]),
        exchanges=(exchange,),
        leaders=bytes([0]),
        played=bytes([two]),
        kind=TurnKind.GIVE_BACK,
        partner=0,
        claimed=two,
    )
    assert wire.view_of(sent(wire.turn_message(view, 1)).turn.view, view.rules) == view


def test_no_code_in_a_message_is_zero() -> None:
    view = View(
        rules=Rules(),
        seat=0,
        round=0,
        dealer=0,
        totals=(0, 0, 0),
        last_scores=None,
        hand=Cards(1),
        leaders=bytes([0, 0]),
        played=bytes(range(4)),
    )
    message = wire.turn_message(view, 1).turn.view
    assert (message.seat, message.dealer) == (1, 1)
    assert (message.leaders, message.played) == (b"\1\1", b"\1\2\3\4")


@given(st.binary(max_size=200))
def test_any_bytes_are_a_view_or_refused(garbled: bytes) -> None:
    try:
        message = ViewMessage.FromString(garbled)
    except DecodeError:
        return
    with suppress(ValueError):
        assert isinstance(wire.view_of(message, Rules()), View)


@pytest.mark.parametrize("stray", [{"kind": 7}, {"kind": -1}, {"contract": 9}, {"claimed": 53}, {"exchanges": b"\1\2"}])
def test_a_stray_code_from_a_referee_is_not_misread(stray: dict[str, Any]) -> None:
    message = ViewMessage(totals=[0, 0, 0], taken=[0, 0, 0], **stray)
    with pytest.raises(ValueError, match="the referee's view can't be read"):
        wire.view_of(message, Rules())


# What a bot says

CHOICES: list[tuple[TurnKind, st.SearchStrategy[Any]]] = [
    (TurnKind.GIVE, cards),
    (TurnKind.CLAIM, suits),
    (TurnKind.GIVE_BACK, cards),
    (TurnKind.DECLARE, contracts),
    (TurnKind.DISCARD, st.integers(1, DECK).map(Cards)),
    (TurnKind.PLAY, cards),
]
answers = st.sampled_from(CHOICES).flatmap(lambda choice: st.tuples(st.just(choice[0]), choice[1]))


@given(answers, st.integers(1, 2**32 - 1))
@example((TurnKind.PLAY, Card("2S")), 1)
@example((TurnKind.CLAIM, Suit.SPADES), 1)
def test_a_choice_comes_back_the_same(answer: tuple[TurnKind, Choice], sequence: int) -> None:
    kind, choice = answer
    message = FromBot.FromString(wire.choice_message(choice, sequence).SerializeToString())
    read = wire.choice_of(message, kind)
    assert (read, type(read), message.sequence) == (choice, type(choice), sequence)


@pytest.mark.parametrize("kind", TurnKind)
def test_an_empty_message_is_no_choice(kind: TurnKind) -> None:
    with pytest.raises(wire.UnreadableChoice, match="the message has no choice"):
        wire.choice_of(FromBot(), kind)


@pytest.mark.parametrize(
    ("kind", "message", "why"),
    [
        (TurnKind.PLAY, FromBot(card=0), "play is answered with card, 1 to 52; the message has card 0"),
        (TurnKind.GIVE, FromBot(card=53), "give is answered with card, 1 to 52; the message has card 53"),
        (TurnKind.GIVE_BACK, FromBot(suit=1), "give_back is answered with card, 1 to 52; the message has suit 1"),  # type: ignore[arg-type]
        (TurnKind.CLAIM, FromBot(suit=5), "claim is answered with suit, 1 to 4; the message has suit 5"),  # type: ignore[arg-type]
        (TurnKind.CLAIM, FromBot(contract=1), "claim is answered with suit, 1 to 4; the message has contract 1"),  # type: ignore[arg-type]
        (TurnKind.DECLARE, FromBot(contract=-1), "declare is answered with contract, 1 to 6; .* contract -1"),  # type: ignore[arg-type]
        (TurnKind.DISCARD, FromBot(cards=0), "discard is answered with cards, bits 0 to 51; the message has cards 0"),
        (TurnKind.DISCARD, FromBot(cards=1 << 52), "discard is answered with cards, bits 0 to 51; .* 4503599627370496"),
        (TurnKind.DISCARD, FromBot(card=4), "discard is answered with cards, bits 0 to 51; the message has card 4"),
    ],
)
def test_what_is_no_choice_of_the_kind_is_refused(kind: TurnKind, message: FromBot, why: str) -> None:
    with pytest.raises(wire.UnreadableChoice, match=why):
        wire.choice_of(message, kind)


def test_too_many_cards_are_readable_though_illegal() -> None:
    five = Cards.read("5432..2.")
    assert wire.choice_of(wire.choice_message(five, 1), TurnKind.DISCARD) == five


def fits(kind: TurnKind) -> Callable[[Choice], bool]:
    types = {TurnKind.CLAIM: Suit, TurnKind.DECLARE: Contract, TurnKind.DISCARD: Cards}
    return lambda choice: isinstance(choice, types.get(kind, Card))


@given(st.binary(max_size=60), st.sampled_from(TurnKind))
@example(b"", TurnKind.PLAY)
@example(b"\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", TurnKind.PLAY)
def test_any_bytes_are_a_choice_of_the_kind_or_unreadable(garbled: bytes, kind: TurnKind) -> None:
    with suppress(DecodeError, wire.UnreadableChoice):
        assert fits(kind)(wire.choice_of(FromBot.FromString(garbled), kind))


@given(
    st.fixed_dictionaries(
        {"sequence": st.integers(0, 2**32 - 1)},
        optional={
            "card": st.integers(0, 2**32 - 1),
            "suit": st.integers(-(2**31), 2**31 - 1),
            "contract": st.integers(-(2**31), 2**31 - 1),
            "cards": st.integers(0, 2**64 - 1),
        },
    ),
    st.sampled_from(TurnKind),
)
def test_any_codes_are_a_choice_of_the_kind_or_unreadable(fields: dict[str, Any], kind: TurnKind) -> None:
    with suppress(wire.UnreadableChoice):
        assert fits(kind)(wire.choice_of(FromBot(**fields), kind))


def test_every_public_name_is_there() -> None:
    assert all(hasattr(wire, name) for name in wire.__all__)
