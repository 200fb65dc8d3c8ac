"""The exchange between rounds (R5)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from protocol.cards import Card, Cards, Suit
from protocol.view import Exchange, Three, TurnKind
from referee.errors import IllegalChoice
from referee.exchange import claimed_card, exchanges_due, returned_card
from referee.match import Match
from referee.round import Round
from tests.table_words import ANNOUNCER, TEN_POINTS, TWELVE_TRICKS, hand, round_of

DEALER, FOREHAND, THIRD = 0, 1, 2  # seat 0 deals in these tests

TARGETS: Three = (8, 5, 3)
NORTH = "AKQ2.AKQ2.AKQ2.AKQ2"
EAST = "JT98.JT98.JT98.JT98"
WEST = "7654.7654.7654.7654"  # the kitty is 3S 3H 3D 3C


@pytest.mark.parametrize(
    ("held", "given", "back"),
    [
        ("AQJ...", "TS", "AS"),  # the highest, not merely a higher one
        ("98...", "TS", "TS"),  # only lower ones: the very card
        (".AKQ..", "TS", "TS"),  # none of the suit: the very card
        ("J...", "TS", "JS"),
    ],
)
def test_r5_1_the_highest_card_comes_back_if_it_is_higher(held: str, given: str, back: str) -> None:
    assert returned_card(hand(held), Card(given)) == Card(back)


def test_r5_1_a_swap_changes_the_two_cards() -> None:
    rnd = round_of(TEN_POINTS, EAST, NORTH, WEST, last_scores=(1, -1, 0))
    assert (rnd.seat, rnd.kind, rnd.partner) == (DEALER, TurnKind.GIVE, FOREHAND)
    rnd.choose(Card("8H"))
    assert rnd.exchanges == (Exchange(DEALER, FOREHAND, None, Card("8H"), Card("AH")),)
    assert repr(Cards(rnd.hands[DEALER])) == "JT98.AJT9.JT98.JT98"
    assert repr(Cards(rnd.hands[FOREHAND])) == "AKQ2.KQ82.AKQ2.AKQ2"


def test_r5_1_a_card_that_bounces_changes_nothing() -> None:
    rnd = round_of(TEN_POINTS, NORTH, EAST, WEST, last_scores=(1, -1, 0))
    before = rnd.hands[:]
    rnd.choose(Card("AS"))
    assert rnd.exchanges == (Exchange(DEALER, FOREHAND, None, Card("AS"), Card("AS")),)
    assert rnd.hands == before


def test_r5_2_the_highest_of_the_named_suit_is_handed_over_whatever_its_rank() -> None:
    assert claimed_card(hand("642..."), Suit.SPADES) == Card("6S")
    assert claimed_card(hand("642..."), Suit.HEARTS) is None


def test_r5_2_the_up_player_names_a_suit_and_gives_any_card_back() -> None:
    rnd = round_of(TWELVE_TRICKS, NORTH, EAST, WEST, last_scores=(0, -1, 1))
    assert (rnd.seat, rnd.kind, rnd.partner) == (THIRD, TurnKind.CLAIM, FOREHAND)
    rnd.choose(Suit.CLUBS)
    assert (rnd.kind, rnd.claimed) == (TurnKind.GIVE_BACK, Card("JC"))
    rnd.choose(Card("4S"))
    assert rnd.exchanges == (Exchange(THIRD, FOREHAND, Suit.CLUBS, Card("4S"), Card("JC")),)
    assert repr(Cards(rnd.hands[FOREHAND])) == "JT984.JT98.JT98.T98"


def test_r5_2_the_card_just_received_may_be_given_straight_back() -> None:
    rnd = round_of(TWELVE_TRICKS, NORTH, EAST, WEST, last_scores=(0, -1, 1))
    before = rnd.hands[:]
    rnd.choose(Suit.CLUBS)
    rnd.choose(Card("JC"))
    assert rnd.hands[1:] == before[1:]  # the dealer has picked up the kitty


def test_r5_2_a_claim_lapses_when_the_down_player_has_none_of_the_suit() -> None:
    void_in_spades = ".JT98.JT98.JT987654"
    rnd = round_of(TWELVE_TRICKS, NORTH, void_in_spades, "JT987654.7654.7654.", last_scores=(0, -2, 2))
    before = rnd.hands[:]
    rnd.choose(Suit.SPADES)
    assert rnd.exchanges == (Exchange(THIRD, FOREHAND, Suit.SPADES),)
    assert rnd.hands == before
    assert (rnd.seat, rnd.kind) == (THIRD, TurnKind.CLAIM)  # the lapsed one is spent, one is left
    rnd.choose(Suit.HEARTS)
    assert rnd.claimed == Card("JH")


@pytest.mark.parametrize(
    ("scores", "due"),
    [
        ((3, -1, -2), [(0, 1), (0, 2), (0, 2)]),  # one up, two down: each bears his own
        ((2, 1, -3), [(0, 2), (0, 2), (1, 2)]),  # two up, one down
        ((0, 4, -4), [(1, 2)] * 4),
        ((0, 0, 0), []),
    ],
)
def test_r5_3_as_many_exchanges_as_points(scores: Three, due: list[tuple[int, int]]) -> None:
    assert list(exchanges_due(TEN_POINTS, scores, TARGETS, dealer=0)) == due


def test_r5_4_one_exchange_is_resolved_before_the_next_is_chosen() -> None:
    """3S then JS to a holder of the TS alone: the first brings the TS, then the JS bounces."""
    giver, holder = "J53.AKQ.AKQ2.AKQ2J8", "T4.JT98.JT987.T9543"
    other = "AKQ9876.7654.654.76"
    rnd = round_of(TEN_POINTS, giver, holder, other, last_scores=(2, -2, 0))
    rnd.choose(Card("3S"))
    assert rnd.exchanges[0].got == Card("TS")
    rnd.choose(Card("JS"))
    assert rnd.exchanges[1].got == Card("JS")


def test_r5_5_in_a_swap_the_higher_target_of_the_new_round_goes_first() -> None:
    assert exchanges_due(TEN_POINTS, (1, 2, -3), TARGETS, dealer=0)[0] == (0, 2)
    assert exchanges_due(TEN_POINTS, (1, 2, -3), (3, 8, 5), dealer=1)[0] == (1, 2)


def test_r5_5_in_a_claim_the_more_points_up_go_first_equal_clockwise_from_the_dealers_left() -> None:
    assert exchanges_due(TWELVE_TRICKS, (1, 2, -3), TARGETS, dealer=0)[0] == (1, 2)
    assert exchanges_due(TWELVE_TRICKS, (1, -2, 1), TARGETS, dealer=0)[0] == (2, 1)
    assert exchanges_due(TWELVE_TRICKS, (1, -2, 1), (5, 3, 8), dealer=2)[0] == (0, 1)


def test_r5_6_clockwise_from_the_up_player_or_the_higher_target_first() -> None:
    scores: Three = (-1, 2, -1)
    assert [down for _, down in exchanges_due(ANNOUNCER, scores, TARGETS, dealer=0)] == [2, 0]
    assert [down for _, down in exchanges_due(TEN_POINTS, scores, TARGETS, dealer=0)] == [0, 2]


def test_r5_6_equal_targets_are_served_clockwise_from_the_dealers_left() -> None:
    assert [down for _, down in exchanges_due(TEN_POINTS, (-1, 2, -1), (5, 6, 5), dealer=1)] == [2, 0]


def test_r5_7_only_the_two_parties_see_the_cards() -> None:
    match = Match(TWELVE_TRICKS, b"seed")
    rnd = round_of(TWELVE_TRICKS, NORTH, EAST, WEST, last_scores=(0, -1, 1))
    match.round = rnd
    rnd.choose(Suit.CLUBS)
    rnd.choose(Card("4S"))
    whole, veiled = Exchange(2, 1, Suit.CLUBS, Card("4S"), Card("JC")), Exchange(2, 1, Suit.CLUBS)
    assert [match.view(seat).exchanges for seat in range(3)] == [(veiled,), (whole,), (whole,)]


def test_r5_8_the_up_player_alone_is_asked() -> None:
    rnd = round_of(TEN_POINTS, EAST, NORTH, WEST, last_scores=(3, -2, -1))
    asked = []
    while rnd.kind is TurnKind.GIVE:
        asked.append(rnd.seat)
        rnd.choose(rnd.legal()[0])
    assert asked == [DEALER] * 3


def test_r9_6_double_payment_makes_two_exchanges_of_each_point() -> None:
    double = replace(TEN_POINTS, cards_per_point=2)
    assert list(exchanges_due(double, (2, -1, -1), TARGETS, dealer=0)) == [(0, 1)] * 2 + [(0, 2)] * 2


def test_r4_no_exchange_in_the_first_round_nor_where_the_rules_have_none() -> None:
    assert Match(TEN_POINTS, b"seed").kind is TurnKind.DECLARE
    none = replace(TEN_POINTS, exchange="none")
    assert round_of(none, EAST, NORTH, WEST, last_scores=(1, -1, 0)).kind is TurnKind.DECLARE


@pytest.mark.parametrize(
    ("rnd", "choice", "why"),
    [
        (
            round_of(TEN_POINTS, EAST, NORTH, WEST, last_scores=(1, -1, 0)),
            Card("AS"),
            r"AS is not in your hand.*\(R5.1\)",
        ),
        (round_of(TWELVE_TRICKS, EAST, NORTH, WEST, last_scores=(1, -1, 0)), Card("AS"), r"name S, H, D or C \(R5.2\)"),
        (
            round_of(TEN_POINTS, EAST, NORTH, WEST, last_scores=(1, -1, 0)),
            Suit.SPADES,
            r"S is not in your hand.*\(R5.1\)",
        ),
    ],
)
def test_an_illegal_exchange_names_rule_choice_and_what_is_legal(rnd: Round, choice: Card, why: str) -> None:
    before = rnd.hands[:]
    with pytest.raises(IllegalChoice, match=why):
        rnd.choose(choice)
    assert rnd.hands == before
