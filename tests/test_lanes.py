"""Sets of cards in lanes: each operation does to all suits at once what ``Cards`` does to one."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from protocol.cards import CARDS, DECK, Cards, Suit
from referee.lanes import (
    Lanes,
    cards_of,
    counts,
    highest,
    lanes_of,
    lowest,
    lowest_of_all,
    suits_of,
    up_to_highest,
)

hands = st.lists(st.integers(0, DECK), min_size=1, max_size=20)
trumps = st.integers(-1, 3)


def back(lanes: Lanes, trump: int = -1) -> list[Cards]:
    return [Cards(bits) for bits in cards_of(lanes, trump).tolist()]


@given(hands, trumps)
def test_cards_come_back_from_lanes_whatever_is_trump(given: list[int], trump: int) -> None:
    assert back(lanes_of(given, trump), trump) == given


@given(hands, st.lists(trumps, min_size=20, max_size=20))
def test_each_hand_may_have_its_own_trump(given: list[int], trump: list[int]) -> None:
    each = trump[: len(given)]
    assert cards_of(lanes_of(given, each), each).tolist() == given
    assert lanes_of(given, each).tolist() == [int(lanes_of([g], t)[0]) for g, t in zip(given, each, strict=True)]


@given(st.sampled_from(CARDS), st.sampled_from(CARDS), st.sampled_from(Suit))
def test_a_trump_is_more_than_any_other_card(one: int, other: int, trump: Suit) -> None:
    first, second = lanes_of([1 << one, 1 << other], trump).tolist()
    if CARDS[one].suit == trump != CARDS[other].suit or (CARDS[one].suit == CARDS[other].suit and one > other):
        assert first > second


@given(hands)
def test_the_lowest_and_the_highest_of_each_suit(given: list[int]) -> None:
    lanes = lanes_of(given, -1)
    for hand, low, high in zip(map(Cards, given), back(lowest(lanes)), back(highest(lanes)), strict=True):
        assert set(low) == {card for suit in Suit if (card := hand.lowest(suit)) is not None}
        assert set(high) == {card for suit in Suit if (card := hand.highest(suit)) is not None}


@given(hands)
def test_up_to_the_highest_are_all_cards_not_above_it(given: list[int]) -> None:
    for hand, down in zip(map(Cards, given), back(up_to_highest(lanes_of(given, -1))), strict=True):
        highs = {suit: hand.highest(suit) for suit in Suit}
        assert set(down) == {card for card in CARDS if (high := highs[card.suit]) is not None and card <= high}


@given(hands, st.sampled_from(Suit))
def test_the_lowest_of_all_where_there_is_one_suit(given: list[int], suit: Suit) -> None:
    one_suit = [Cards(bits).suit(suit) for bits in given]
    for hand, low in zip(one_suit, back(lowest_of_all(lanes_of(one_suit, -1))), strict=True):
        assert tuple(low) == tuple(hand)[:1]


@given(hands)
def test_how_many_of_each_suit_and_which_there_are(given: list[int]) -> None:
    lanes = lanes_of(given, -1)
    for hand, count, there in zip(map(Cards, given), counts(lanes).tolist(), suits_of(lanes).tolist(), strict=True):
        for suit in Suit:
            assert count >> 16 * suit & 0xFFFF == hand.count(suit)
            assert there >> 16 * suit & 0xFFFF == (0x7FFF if hand.suit(suit) else 0)


def test_any_shape_will_do() -> None:
    given = np.arange(12, dtype=np.uint64).reshape(2, 3, 2)
    assert (cards_of(lanes_of(given, 2), 2) == given).all()
