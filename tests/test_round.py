"""Contract and kitty, tricks, score: a round from the contract on (R3, R4, R6, R7)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from protocol.cards import Card, Cards, Suit
from protocol.view import Contract, Rules, TurnKind
from referee.errors import IllegalChoice
from referee.round import Round
from referee.trick import followers, winning_place
from tests.table_words import ANNOUNCER, SIX_THREE_EIGHT, TEN_POINTS, TWELVE_TRICKS, cards, hand, play, round_of

DEALER_HAND = "AKQJT98..AKQJ.AKQJT"
FOREHAND_HAND = "765.AKQJT98.T98.987"
THIRD_HAND = "432.765432.765.6543"  # the kitty is 4D 3D 2D 2C


def opened(rules: Rules = TEN_POINTS, contract: Contract = Contract.SPADES, discard: str = "TC JC QC KC") -> Round:
    rnd = round_of(rules, DEALER_HAND, FOREHAND_HAND, THIRD_HAND)
    rnd.choose(contract)
    rnd.choose(Cards.of(cards(discard)))
    return rnd


def test_r3_1_the_dealer_has_eight_the_forehand_five_the_third_hand_three() -> None:
    assert round_of(TEN_POINTS, DEALER_HAND, FOREHAND_HAND, THIRD_HAND, dealer=0).targets == (8, 5, 3)
    assert round_of(TEN_POINTS, DEALER_HAND, FOREHAND_HAND, THIRD_HAND, dealer=1).targets == (3, 8, 5)
    assert round_of(TEN_POINTS, DEALER_HAND, FOREHAND_HAND, THIRD_HAND, dealer=2).targets == (5, 3, 8)


def test_r4_1_the_dealer_names_trump_from_sixteen_discards_four_and_takes_the_kitty_unseen() -> None:
    rnd = round_of(TEN_POINTS, DEALER_HAND, FOREHAND_HAND, THIRD_HAND)
    assert (rnd.seat, rnd.kind, len(Cards(rnd.hands[0]))) == (0, TurnKind.DECLARE, 16)
    rnd.choose(Contract.SPADES)
    assert (rnd.seat, rnd.kind, rnd.count) == (0, TurnKind.DISCARD, 4)
    assert rnd.legal() == tuple(hand(DEALER_HAND))
    rnd.choose(Cards.of(cards("TC JC QC KC")))
    assert repr(Cards(rnd.hands[0])) == "AKQJT98..AKQJ432.A2"


def test_r4_1_a_kitty_card_can_not_be_discarded() -> None:
    rnd = round_of(TEN_POINTS, DEALER_HAND, FOREHAND_HAND, THIRD_HAND)
    rnd.choose(Contract.SPADES)
    with pytest.raises(IllegalChoice, match=r"2C is not in your hand and can't be put aside.*\(R4.1\)"):
        rnd.choose(Cards.of(cards("TC JC QC 2C")))


def test_r4_2_pick_up_first_the_dealer_sees_twenty_cards_and_discards_any_four() -> None:
    rnd = round_of(TWELVE_TRICKS, DEALER_HAND, FOREHAND_HAND, THIRD_HAND)
    assert (rnd.kind, len(Cards(rnd.hands[0]))) == (TurnKind.DECLARE, 20)
    rnd.choose(Contract.SPADES)
    rnd.choose(Cards.of(cards("4D 3D 2D 2C")))
    assert repr(Cards(rnd.hands[0])) == DEALER_HAND


def test_r4_3_the_dealer_names_trump_out_of_the_contracts_allowed() -> None:
    rnd = round_of(TEN_POINTS, DEALER_HAND, FOREHAND_HAND, THIRD_HAND, dealer=2)
    assert rnd.seat == 2
    assert rnd.legal() == (Contract.SPADES, Contract.HEARTS, Contract.DIAMONDS, Contract.CLUBS)
    with pytest.raises(IllegalChoice, match=r"NT may not be announced: choose one of S, H, D, C \(R4.3\)"):
        rnd.choose(Contract.NO_TRUMP)


@pytest.mark.parametrize("four", ["TC JC QC", "TC JC QC KC AC", "TC JC QC 7S"])
def test_r4_four_cards_of_the_hand_are_discarded_no_more_no_fewer(four: str) -> None:
    rnd = round_of(TEN_POINTS, DEALER_HAND, FOREHAND_HAND, THIRD_HAND)
    rnd.choose(Contract.SPADES)
    with pytest.raises(IllegalChoice, match=r"can't be put aside.*\(R4\)"):
        rnd.choose(Cards.of(cards(four)))
    assert rnd.kind is TurnKind.DISCARD


@pytest.mark.parametrize("nonsense", [["x"], "ABCD", 15, Cards(15 << 52), list(cards("TC JC QC KC")), Card("TC"), None])
def test_r4_what_is_no_set_of_cards_can_not_be_put_aside(nonsense: Any) -> None:
    rnd = round_of(TEN_POINTS, DEALER_HAND, FOREHAND_HAND, THIRD_HAND)
    rnd.choose(Contract.SPADES)
    with pytest.raises(IllegalChoice, match="choose 4 different cards"):
        rnd.choose(nonsense)


def test_r6_1_the_dealer_leads_first_in_announcer_else_the_forehand() -> None:
    assert opened(ANNOUNCER).seat == 0
    assert opened(TEN_POINTS).seat == 1
    assert opened(TWELVE_TRICKS, discard="4D 3D 2D 2C").seat == 1


def test_r6_1_after_rotated_targets_the_forehand_leads_not_the_five() -> None:
    rotating = replace(TEN_POINTS, rotate_targets=True)
    rnd = round_of(rotating, DEALER_HAND, FOREHAND_HAND, THIRD_HAND, number=1)
    assert rnd.targets == (3, 8, 5)
    rnd.choose(Contract.SPADES)
    rnd.choose(Cards.of(cards("TC JC QC KC")))
    assert rnd.seat == 1


def test_r6_2_any_card_may_be_led() -> None:
    assert opened().legal() == tuple(hand(FOREHAND_HAND))


def test_r6_2_follow_suit_if_you_can() -> None:
    rnd = opened()
    rnd.choose(Card("7C"))
    assert rnd.legal() == cards("3C 4C 5C 6C")
    with pytest.raises(IllegalChoice, match=r"4S does not follow suit: you hold clubs, play one of ...6543 \(R6.2\)"):
        rnd.choose(Card("4S"))
    with pytest.raises(IllegalChoice, match=r"AH is not in your hand: play one of ...6543 \(R6.2\)"):
        rnd.choose(Card("AH"))
    with pytest.raises(IllegalChoice, match="AH is not in your hand"):
        rnd.choose(Card("AH"))


def test_r6_2_void_play_anything_also_no_trump_and_never_need_to_beat() -> None:
    rnd = opened()
    play(rnd, "AH 2H")
    assert len(rnd.legal()) == 16  # the dealer has no heart
    assert followers(hand("AK.2.."), Suit.CLUBS) == hand("AK.2..")
    assert followers(hand("AK.2.."), Suit.HEARTS) == hand(".2..")


def test_r6_2_a_suit_or_a_number_is_no_card() -> None:
    rnd = opened()
    for nonsense in (Suit.SPADES, Contract.SPADES, Cards.of(cards("7C"))):
        with pytest.raises(IllegalChoice, match="is not in your hand"):
            rnd.choose(nonsense)


@pytest.mark.parametrize(
    ("trick", "trump", "winner"),
    [
        ("7H AH 7S", "S", "7S"),  # the trump
        ("7H 2S 3S", "S", "3S"),  # overruff: the higher trump
        ("7H AS KH", "C", "KH"),  # the highest of the suit led
        ("7H AS AC", "D", "7H"),  # nobody followed
        ("2S 3S AH", "S", "3S"),
        ("7H AS KH", None, "KH"),  # no-trump (R9.4)
    ],
)
def test_r6_3_the_highest_trump_wins_or_the_highest_of_the_suit_led(trick: str, trump: str | None, winner: str) -> None:
    played = cards(trick)
    assert played[winning_place(played, Suit.read(trump) if trump else None)] == Card(winner)


def test_r6_3_the_winner_leads_next_and_play_is_clockwise() -> None:
    rnd = opened()
    play(rnd, "8H 2H")
    assert rnd.seat == 0
    play(rnd, "8S")  # the dealer ruffs
    assert (rnd.seat, rnd.taken) == (0, [1, 0, 0])
    assert [trick.winner for trick in rnd.tricks] == [0, None]
    assert list(rnd.leaders) == [1, 0]


def test_r6_4_all_tricks_are_played_out() -> None:
    rnd = opened()
    while not rnd.over:
        rnd.choose(rnd.legal()[-1])
    assert len(rnd.tricks) == 16
    assert rnd.hands == [0, 0, 0]
    assert sum(rnd.taken) == 16
    with pytest.raises(IllegalChoice, match="round is over"):
        rnd.choose(Card("AS"))


@pytest.mark.parametrize("contracts", [TEN_POINTS.contracts, (Contract.NO_TRUMP,)])
def test_the_only_choice_is_the_one_that_is_legal(contracts: tuple[Contract, ...]) -> None:
    """Suits that come to an end, as last cards do, and a contract that is the only one (R9.4)."""
    rnd = round_of(replace(TEN_POINTS, contracts=contracts), DEALER_HAND, FOREHAND_HAND, THIRD_HAND)
    only = 0
    while not rnd.over:
        legal = rnd.legal()
        assert rnd.only_choice() == (legal[0] if len(legal) == 1 else None)
        only += len(legal) == 1
        rnd.choose(Cards.of(legal[: rnd.count]) if rnd.kind is TurnKind.DISCARD else legal[0])
    assert rnd.only_choice() is None
    assert only > 3 + (len(contracts) == 1)


def test_r7_1_up_by_the_surplus_down_by_the_shortfall() -> None:
    rnd = opened()
    rnd.taken = [10, 5, 1]
    assert rnd.scores == (2, 0, -2)


def test_r3_2_overtricks_count_plus() -> None:
    rnd = opened()
    rnd.taken = [7, 4, 5]
    assert rnd.scores == (-1, -1, 2)  # target 3, five tricks, +2


def test_r9_2_six_three_eight_has_seventeen_tricks_without_kitty_or_discard() -> None:
    rnd = round_of(SIX_THREE_EIGHT, "AKQJT98..AKQJ.AKQJT9", "765.AKQJT98.T98.8765", "432.765432.765432.43")
    rnd.choose(Contract.SPADES)
    assert (rnd.kind, rnd.seat, rnd.targets) == (TurnKind.PLAY, 1, (6, 3, 8))
    while not rnd.over:
        rnd.choose(rnd.legal()[0])
    assert sum(rnd.taken) == 17


def test_r9_5_misere_has_no_trump_and_reversed_ceilings() -> None:
    misere = replace(TEN_POINTS, contracts=(*TEN_POINTS.contracts, Contract.MISERE))
    rnd = opened(misere, Contract.MISERE)
    assert rnd.targets == (3, 5, 8)
    play(rnd, "8H 2H AC")
    assert rnd.taken == [0, 1, 0]
    rnd.taken = [2, 5, 9]
    assert rnd.scores == (1, 0, -1)


def test_a_copy_goes_its_own_way() -> None:
    rnd = opened()
    other = rnd.copy()
    play(other, "8H 2H 8S")
    assert (rnd.seat, rnd.played, rnd.taken, len(rnd.legal())) == (1, b"", [0, 0, 0], 16)
    assert (other.seat, other.taken) == (0, [1, 0, 0])
