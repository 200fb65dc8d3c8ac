"""Who deals and what is dealt (R2)."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.cards import DECK, Cards
from referee.deal import board_seed, bot_seed, deal, drawn, first_dealer, hand_out, read_deal, write_deal
from referee.errors import DealError
from referee.match import Match
from tests.table_words import SIX_THREE_EIGHT, TEN_POINTS, cards, play_at_random

VECTORS = json.loads((Path(__file__).parent / "data" / "deal_vectors.json").read_text())
SEED = board_seed(b"\x00" * 32, 1)


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: f"board-{vector['board']}-{vector['set']}")
def test_the_published_deals_come_out_to_the_byte(vector: dict[str, object]) -> None:
    seed = board_seed(bytes.fromhex(str(vector["league_seed"])), int(str(vector["board"])))
    rules = SIX_THREE_EIGHT if vector["set"] == "six-three-eight" else TEN_POINTS
    dealt = deal(rules, seed, int(str(vector["round"])), int(str(vector["attempt"])))
    assert seed.hex() == vector["board_seed"]
    assert first_dealer(seed) == vector["first_dealer"]
    assert [repr(Cards.of(hand)) for hand in dealt.hands] == vector["hands"]
    assert [str(card) for card in dealt.kitty] == vector["kitty"]


def test_the_board_seed_is_the_hmac_of_its_number() -> None:
    assert board_seed(b"league", 7) == hmac.new(b"league", b"7", hashlib.sha256).digest()


def test_a_bots_dice_depend_on_board_round_and_position_alone() -> None:
    dice = {bot_seed(SEED, r, p) for r in range(5) for p in range(3)}
    assert len(dice) == 15
    assert all(0 <= number < 1 << 52 for number in dice)


def test_numbers_below_n_skip_the_words_that_would_favour_the_low_ones() -> None:
    # 2**32 = 3 * 1431655765 + 1: the last word would make 0 likelier
    assert drawn(iter([(1 << 32) - 1, 5]), [3]) == [2]
    assert drawn(iter([(1 << 32) - 2]), [3]) == [2]


def test_r2_2_the_first_dealer_is_drawn_and_the_deal_passes_to_the_left() -> None:
    drawn = Counter(first_dealer(board_seed(b"x", n)) for n in range(600))
    assert set(drawn) == {0, 1, 2}
    assert min(drawn.values()) > 150
    match = play_at_random(Match(TEN_POINTS, SEED))
    dealers = [rnd.dealer for rnd in match.rounds]
    assert dealers == [(match.first_dealer + r) % 3 for r in range(len(dealers))]


def test_r2_3_four_packets_of_four_clockwise_from_the_forehand_then_the_kitty() -> None:
    deck = list(DECK)
    dealt = hand_out(deck, 16)
    assert dealt.hands[1][:4] == tuple(deck[0:4])  # forehand
    assert dealt.hands[2][:4] == tuple(deck[4:8])  # third hand
    assert dealt.hands[0][:4] == tuple(deck[8:12])  # dealer
    assert dealt.hands[1][4:8] == tuple(deck[12:16])
    assert dealt.kitty == tuple(deck[48:])


def test_r2_3_six_three_eight_deals_one_more_card_each_and_no_kitty() -> None:
    deck = list(SIX_THREE_EIGHT.deck)
    dealt = hand_out(deck, 17)
    assert [hand[16] for hand in dealt.hands] == [deck[50], deck[48], deck[49]]
    assert dealt.kitty == ()


@given(st.binary(min_size=32, max_size=32), st.integers(0, 20))
def test_r2_4_every_deal_has_every_card_once(seed: bytes, number: int) -> None:
    for rules in (TEN_POINTS, SIX_THREE_EIGHT):
        assert deal(rules, seed, number).fault(rules) is None


def test_r2_4_a_deal_does_not_depend_on_how_the_match_went() -> None:
    one, other = (play_at_random(Match(TEN_POINTS, SEED), dice) for dice in (1, 2))
    rounds = min(len(one.rounds), len(other.rounds))
    assert rounds > 2
    assert one.totals != other.totals
    assert [r.deal for r in one.rounds[:rounds]] == [r.deal for r in other.rounds[:rounds]]


FAULTY = {
    "a card twice": (
        "AKQJT98765432.AKQ..",
        ".JT98765432.AKQJT9.",
        "..8765432.AKQJT9872",
        "...6544",
        "the 4C was dealt twice",
    ),
    "a hand too long": (
        "AKQJT98765432.AKQJ..",
        ".T98765432.AKQJT98.",
        "..765432.AKQJT98765",
        "...432",
        "17 cards, not 16",
    ),
    "no kitty": ("AKQJT98765432.AKQ..", ".JT98765432.AKQJT9.", "..8765432.AKQJT9872", "kitty has 0 cards, not 4"),
}


@pytest.mark.parametrize("case", FAULTY)
def test_r2_5_a_faulty_deal_is_thrown_in_and_dealt_again_from_the_seed(case: str) -> None:
    *parts, why = FAULTY[case]
    match = Match(TEN_POINTS, SEED, [" ".join(parts)])
    ((thrown, reason),) = match.thrown_in[0]
    assert why in reason
    assert thrown == " ".join(parts)
    assert match.round.deal == deal(TEN_POINTS, SEED, 0, attempt=1)


def test_r2_5_a_sound_given_deal_is_played() -> None:
    text = "AKQJT98765432.AKQ.. .JT98765432.AKQJT9. ..8765432.AKQJT9873 ...6542"
    match = Match(TEN_POINTS, SEED, [text])
    assert match.thrown_in[0] == ()
    assert write_deal(match.round.deal, match.round.dealer) == text
    assert repr(Cards(match.round.hands[0])) == "AKQJT98765432.AKQ.."


@pytest.mark.parametrize(
    ("text", "why"),
    [("AKQ", "not 1 parts"), ("AK.Q . .", "with three points"), ("X... ... ...", "is not a rank")],
)
def test_a_deal_that_can_not_be_read_says_which_part(text: str, why: str) -> None:
    with pytest.raises(DealError, match=why):
        read_deal(text, 0)


def test_r2_5_a_card_that_is_not_in_the_deck_is_a_misdeal() -> None:
    dealt = deal(TEN_POINTS, SEED, 0)
    assert dealt.fault(SIX_THREE_EIGHT) is not None
    swapped = hand_out([*cards("2C"), *list(SIX_THREE_EIGHT.deck)[1:]], 17)
    assert "2C was dealt, which is not in the deck" in str(swapped.fault(SIX_THREE_EIGHT))
