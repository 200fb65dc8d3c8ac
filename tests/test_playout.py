"""Many deals played out at once, held against the rules card by card."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from protocol.cards import CARDS, Card, Suit
from referee.lanes import lanes_of, suits_of
from referee.playout import Playout, Policy, play_out
from referee.policies import AnyCard, tips
from tests.playouts import Witness, playout_of, rounds_in_play
from tests.table_words import cards, masks


def three(*played: str) -> Playout:
    """Three seats with these cards, spades trump, seat 0 to lead."""
    return Playout([masks(played)], Suit.SPADES, 0)


def put(playout: Playout, text: str) -> None:
    for card in cards(text):
        playout.play(lanes_of([1 << card], playout.suit))


@pytest.mark.parametrize("policy", [AnyCard(np.random.default_rng(1)), tips], ids=["any card", "tips"])
@pytest.mark.parametrize("played", [0, 1, 2, 3, 16, 29, 45, 47])
def test_a_playout_plays_by_the_rules_and_ends_as_the_round_does(policy: Policy, played: int) -> None:
    rounds = rounds_in_play(Random(played), 60, played)
    witness = Witness(policy)
    end = play_out(playout_of(rounds), witness)
    for seats, plays in witness.plays:
        for rnd, seat, card in zip(rounds, seats, plays, strict=True):
            assert rnd.seat == seat
            rnd.choose(CARDS[card])  # raises if it is against the rules
    assert all(rnd.over for rnd in rounds)
    assert np.array_equal(end.taken, [rnd.taken for rnd in rounds])
    assert np.array_equal(end.last_taken, [rnd.last_taken for rnd in rounds])


@pytest.mark.parametrize("played", [0, 7, 20])
def test_what_a_policy_sees_is_what_the_rules_say(played: int) -> None:
    rounds = rounds_in_play(Random(played), 60, played)
    playout = playout_of(rounds)
    dice = AnyCard(np.random.default_rng(1))
    while playout.left > 1:
        witness = Witness(dice)
        legal = playout.legal
        chosen = witness(playout)
        for i, rnd in enumerate(rounds):
            assert lanes_of(rnd.legal_cards, playout.suit[i]) == legal[i]
        ((_, plays),) = witness.plays
        for rnd, card in zip(rounds, plays, strict=True):
            rnd.choose(CARDS[card])
        playout.play(chosen)
        again = playout_of(rounds)
        for seen, known in zip(playout.shown, again.shown, strict=True):
            assert (seen == known).all()
        assert (playout.out == again.out).all()


def test_r6_2_who_can_not_follow_may_play_anything_and_shows_it() -> None:
    playout = three("2.K..", "3..A.", "4..2.")
    put(playout, "KH")
    assert playout.legal == playout.hand
    assert playout.void.all()
    assert playout.shown[1] == suits_of(lanes_of([8191 << 13], Suit.SPADES))
    assert playout.shown[2] == 0


def test_r6_3_the_higher_trump_wins_and_leads() -> None:
    playout = three("2.K..", "3..A.", "4..2.")
    put(playout, "KH 3S 4S")
    assert playout.taken.tolist() == [[0, 0, 1]]
    assert playout.seat.tolist() == [2]
    assert playout.last_taken.tolist() == [[-1, -1, 0]]


def test_r6_3_a_high_card_of_a_third_suit_wins_nothing() -> None:
    playout = three("2.3..", "..A2.", ".4.K.")
    put(playout, "3H AD 4H")
    assert playout.taken.tolist() == [[0, 0, 1]]


@pytest.mark.parametrize("trump", range(-1, 4))
def test_r6_3_only_the_suit_led_wins_without_trumps(trump: int) -> None:
    playout = Playout([masks(("..2.", "A...", ".A.."))], trump, 0)
    put(playout, "2D AS AH")
    assert playout.taken[0].argmax() == {0: 1, 1: 2}.get(trump, 0)


def test_the_cards_on_the_table_are_part_of_the_trick() -> None:
    playout = Playout([masks(["...", "...", ".A.."])], Suit.SPADES, 0, table=[Card("2H"), Card("2S")])
    put(playout, "AH")
    assert playout.taken.tolist() == [[0, 1, 0]]
    assert playout.left == 0


def test_one_trump_or_leader_stands_for_all_deals() -> None:
    rounds = rounds_in_play(Random(4), 8, 0)
    hands = [rnd.hands for rnd in rounds]
    one = play_out(Playout(hands, Suit.HEARTS, 2), tips)
    each = play_out(Playout(hands, [Suit.HEARTS] * 8, [2] * 8), tips)
    assert one.taken.tolist() == each.taken.tolist()
