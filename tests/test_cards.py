"""Cards and how they are written (R2.1)."""

from __future__ import annotations

import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.cards import CARDS, DECK, Card, Cards, NotationError, Rank, Suit

masks = st.integers(0, (1 << 52) - 1)


def test_r2_1_fifty_two_cards_each_written_rank_then_suit() -> None:
    assert len(DECK) == len({repr(card) for card in CARDS}) == 52
    assert [str(card) for card in (CARDS[0], CARDS[12], CARDS[51])] == ["2S", "AS", "AC"]
    assert all(Card(repr(card)) is card for card in CARDS)


def test_r2_1_ranks_run_from_the_ace_down_to_the_two() -> None:
    order = [Card(letter + "H") for letter in "AKQJT98765432"]
    assert order == sorted(order, reverse=True)
    assert [card.rank.letter for card in order] == list("AKQJT98765432")


@pytest.mark.parametrize("text", ["", "A", "1S", "10S", "AX", "as", "ASS", "A S", "\x1b[2J"])
def test_what_is_no_card_is_refused_with_what_would_be_one(text: str) -> None:
    with pytest.raises(NotationError, match="is not a card: write rank then suit"):
        Card(text)


def test_a_hand_is_written_as_in_bridge() -> None:
    hand = Cards.read("AKQ.JT9.8.2")
    assert [str(card) for card in hand] == ["QS", "KS", "AS", "9H", "TH", "JH", "8D", "2C"]
    assert repr(hand) == "AKQ.JT9.8.2"
    assert repr(Cards.read("...")) == "..."


@given(masks)
def test_every_set_of_cards_is_read_back_as_written(mask: int) -> None:
    hand = Cards(mask)
    assert Cards.read(repr(hand)) == hand == Cards.of(hand)
    assert len(hand) == len(list(hand)) == mask.bit_count()


@given(masks, masks)
def test_sets_of_cards_combine_as_sets(one: int, other: int) -> None:
    a, b = Cards(one), Cards(other)
    assert set(a | b) == set(a) | set(b)
    assert set(a & b) == set(a) & set(b)
    assert set(a - b) == set(a) - set(b)
    assert set(a ^ b) == set(a) ^ set(b)
    assert all(card in a for card in a)


@given(masks)
def test_highest_and_lowest_of_a_suit(mask: int) -> None:
    hand = Cards(mask)
    for suit in Suit:
        held = [card for card in hand if card.suit is suit]
        assert hand.count(suit) == len(held) == len(hand.suit(suit))
        assert hand.highest(suit) == max(held, default=None)
        assert hand.lowest(suit) == min(held, default=None)


@pytest.mark.parametrize(("text", "why"), [("AK.Q", "four suits"), ("AA...", "twice"), ("1...", "not a rank")])
def test_a_hand_that_can_not_be_read_says_why(text: str, why: str) -> None:
    with pytest.raises(NotationError, match=why):
        Cards.read(text)


def test_a_card_is_no_suit_and_a_number_no_card() -> None:
    assert 3 not in Cards.read("5...")
    with pytest.raises(NotationError, match="S, H, D or C"):
        Suit.read("s")
    with pytest.raises(NotationError, match="23456789TJQKA"):
        Rank.read("1")


def test_cards_are_the_same_after_copy_and_pickle() -> None:
    card = Card("TD")
    assert copy.deepcopy(card) is card
    assert pickle.loads(pickle.dumps(card)) is card
    assert f"{card:>4}|{card.suit}|{Cards.of([card]):>6}" == "  TD|D|  ..T."
