"""``tips`` plays by the tips of the table. Each tip that decides something, on a hand that a card player can read."""

from __future__ import annotations

import sys
from dataclasses import replace
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.bot import choose
from protocol.cards import Card, Cards, Suit
from protocol.view import Choice, Contract, Exchange, Rules, TurnKind, View
from referee.rules import SETS, rules_for
from tests.benchmarks.tips import tally
from tests.samples import asked, bot_of

TIPS = bot_of("tips")()
SUITS = tuple(Suit)
EVERY_CONTRACT = tuple(Contract)
ME, LEFT, RIGHT = 0, 1, 2


def chosen(view: View) -> Choice:
    return choose(TIPS, view)


# The dealer: contract


def declared(hand: str, contracts: tuple[Contract, ...] = SETS["ten-points"].contracts) -> Choice:
    return chosen(asked(TurnKind.DECLARE, hand, legal_contracts=contracts))


def test_trump_is_the_longest_suit() -> None:
    assert declared("A32.KJT9876.A32.432") is Contract.HEARTS


def test_of_suits_of_one_length_trump_is_the_one_with_ace_and_king() -> None:
    assert declared("98765.AK432.432.432") is Contract.HEARTS
    assert declared("AK432.98765.432.432") is Contract.SPADES


def test_four_top_cards_take_their_tricks_anyway_and_the_longer_suit_is_trump() -> None:
    assert declared("5432.AKQJ.432.65432") is Contract.CLUBS


def test_no_trump_is_announced_with_high_cards_everywhere_and_no_long_suit() -> None:
    assert declared("AKQJ.AKQJ.AKQJ.AKQJ", EVERY_CONTRACT) is Contract.NO_TRUMP
    assert declared("AKQ.AKQ.AKQ.KQJT987", EVERY_CONTRACT) is Contract.CLUBS


def test_misere_is_announced_with_nothing_but_low_cards() -> None:
    assert declared("8432.7432.6432.7432", EVERY_CONTRACT) is Contract.MISERE
    assert declared("8432.7432.6432.7432") is Contract.SPADES


# The dealer: discards


def discarded(hand: str, trump: Contract) -> Choice:
    return chosen(asked(TurnKind.DISCARD, hand, contract=trump))


def test_losers_of_short_suits_are_put_aside_for_voids() -> None:
    assert discarded("AKQJ98.A43.32.QJ987", Contract.SPADES) == Cards.read(".43.32.")


def test_without_trumps_a_void_is_worth_nothing() -> None:
    aside = discarded("AK.AK432.QT.A87643", Contract.NO_TRUMP)
    assert isinstance(aside, Cards)
    assert not aside & Cards.read("..QT.")


def test_trumps_are_kept_however_low() -> None:
    assert discarded("65432.AK987.KQ976.AQ876", Contract.SPADES) == Cards.read("..76.76")


def test_an_ace_and_a_guarded_king_are_kept() -> None:
    assert discarded("AKQJ98.A.K5.J98765432", Contract.SPADES) == Cards.read("...5432")


def test_where_all_else_is_trump_trumps_are_put_aside() -> None:
    assert discarded("AKQJT98765432.2.2.2", Contract.SPADES) == Cards.read("2.2.2.2")


def test_in_misere_the_highest_cards_are_put_aside() -> None:
    assert discarded("AK32.A432.A432.5432", Contract.MISERE) == Cards.read("AK.A.A.")


# The exchange


def exchange(kind: TurnKind, hand: str, **known: object) -> Choice:
    """Asks me as the forehand, up against the dealer on my right."""
    return chosen(asked(kind, hand, dealer=RIGHT, partner=RIGHT, legal_suits=SUITS, **known))


def test_the_suit_is_claimed_in_which_the_ace_is_lacking() -> None:
    assert exchange(TurnKind.CLAIM, "AKQ2.AKJ2.AKJ2.5432") is Suit.CLUBS
    assert exchange(TurnKind.CLAIM, "AKQ2.5432.AKJ2.AKJ2") is Suit.HEARTS


def test_a_suit_in_which_the_other_has_shown_a_low_card_is_not_claimed_again() -> None:
    """His highest heart was the six: the ace of hearts is elsewhere."""
    before = Exchange(up=ME, down=RIGHT, suit=Suit.HEARTS, gave=Card("2C"), got=Card("6H"))
    assert exchange(TurnKind.CLAIM, "AKQ2.5432.5432.AKQ2") is Suit.HEARTS
    assert exchange(TurnKind.CLAIM, "AKQ2.6543.5432.AKQ2", exchanges=(before,)) is Suit.DIAMONDS


def test_a_suit_in_which_a_claim_lapsed_is_not_claimed_again() -> None:
    before = Exchange(up=ME, down=RIGHT, suit=Suit.HEARTS)
    assert exchange(TurnKind.CLAIM, "AKQ2.5432.5432.AKQ2", exchanges=(before,)) is Suit.DIAMONDS


def test_the_lowest_useless_card_is_given_back() -> None:
    assert exchange(TurnKind.GIVE_BACK, "AKQ43.KQ2.A543.A6543", claimed=Card("AS")) == Card("3S")
    assert exchange(TurnKind.GIVE_BACK, "AKQ43.KQ2.A543.A6542", claimed=Card("AS")) == Card("2C")


def test_a_guard_is_not_given_back() -> None:
    """The two of hearts guards the king; the three of clubs guards nothing."""
    assert exchange(TurnKind.GIVE_BACK, "AKQJT98.K2.AKQJ.A543") == Card("3C")


def test_in_a_swap_a_low_card_is_given_where_the_ace_is_lacking() -> None:
    assert exchange(TurnKind.GIVE, "AKQ2.AKJ3.AKJ2.5432") == Card("2C")


def test_in_a_swap_a_suit_that_came_back_is_not_tried_again() -> None:
    before = Exchange(up=ME, down=RIGHT, gave=Card("2C"), got=Card("2C"))
    assert exchange(TurnKind.GIVE, "AKQ2.A432.A432.5432", exchanges=(before,)) != Card("2C")


def test_the_dealer_takes_what_makes_trumps() -> None:
    """As dealer next, a long suit without the ace is better fed than a short one."""
    hand = "KQJ9876.A32.K2.AKQ2"
    assert chosen(asked(TurnKind.CLAIM, hand, dealer=ME, partner=RIGHT, legal_suits=SUITS)) is Suit.SPADES


# Play


def at_play(hand: str, *tricks: str, contract: Contract = Contract.SPADES, dealer: int = ME) -> View:
    """Asks me, seat 0, for a card after these tricks and to the one on the table: ``"1: 7H AH"`` was led by seat 1."""
    cards = Cards.read(hand)
    leaders = bytes(int(trick[0]) for trick in tricks)
    played = [Card(name) for trick in tricks for name in trick[2:].split()]
    on_table = played[len(played) - len(played) % 3 :]
    follow = cards.suit(on_table[0].suit) if on_table else cards
    if not on_table:
        leaders += bytes([ME])
    return asked(
        TurnKind.PLAY,
        hand,
        contract=contract,
        dealer=dealer,
        leaders=leaders,
        played=bytes(played),
        legal_cards=follow or cards,
    )


def played(hand: str, *tricks: str, contract: Contract = Contract.SPADES, dealer: int = ME) -> Choice:
    return chosen(at_play(hand, *tricks, contract=contract, dealer=dealer))


class TestTheLastToPlay:
    def test_wins_as_cheaply_as_possible(self) -> None:
        assert played("432.AQJ.432.432", "1: 7H TH") == Card("JH")

    def test_throws_the_lowest_card_on_a_lost_trick_and_saves_the_high_one(self) -> None:
        assert played("432.KQ5.432.432", "1: 7H AH") == Card("5H")
        assert played("432.KQ5.432.432", "1: 7H 9S") == Card("5H")

    def test_trumps_with_the_lowest_trump_and_overtrumps_with_the_lowest_that_does(self) -> None:
        assert played("AJ2..432.432", "1: 7H AH") == Card("2S")
        assert played("AJ2..432.432", "1: 7H 9S") == Card("JS")

    def test_throws_a_loser_of_the_shortest_suit_where_no_trump_helps(self) -> None:
        assert played("J2..K5432.3", "1: 7H QS") == Card("3C")


class TestTheSecondToPlay:
    def test_wins_with_the_highest_card_left(self) -> None:
        assert played("432.A5.432.432", "2: 7H") == Card("AH")
        assert played("432.K5.432.432", "1: AH 2H 3H", "2: 7H") == Card("KH")

    def test_puts_the_king_up_when_the_ace_is_likely_elsewhere(self) -> None:
        """The third hand holds but a third of the unseen cards."""
        assert played("432.K54.432.432", "2: 7H") == Card("KH")

    def test_tries_a_card_that_has_no_later_chance(self) -> None:
        """A jack with one card beside it falls under ace, king and queen; now the third hand may lack all three."""
        assert played("432.J5.432.432", "2: 7H") == Card("JH")

    def test_does_not_spend_a_card_on_a_trick_that_is_lost(self) -> None:
        assert played("432.K5.432.432", "2: AH") == Card("5H")


class TestTheLeader:
    def test_leads_low_from_a_suit_that_is_not_needed_while_trumps_are_out(self) -> None:
        """The forehand's tip: neither the ace nor away from the king, but the lowest of a suit without prospects."""
        assert played("J32.AK54.K876.97543", dealer=RIGHT) == Card("3C")

    def test_cashes_its_high_cards_once_the_trumps_are_gone(self) -> None:
        gone = ("0: AS KS QS", "0: JS TS 9S", "0: 8S 7S 6S", "0: 5S 4S 3S", "0: 2S 2D 3D")
        assert played(".AK5..97543", *gone) in {Card("AH"), Card("KH")}

    def test_draws_trumps_from_the_top_when_it_holds_most_of_them(self) -> None:
        assert played("AKQJ987.A54.K87.432") in {Card("AS"), Card("KS"), Card("QS"), Card("JS")}

    def test_leaves_trumps_alone_when_the_others_hold_most_of_them(self) -> None:
        assert played("A32.K54.K876.QJ9754") != Card("AS")

    def test_does_not_cash_a_card_that_will_be_trumped(self) -> None:
        """Both others have shown that they hold no heart, and trumps are out."""
        shown = ("0: AH 2H 3H", "0: QH 4D 5D")
        assert played("65.K9.876.5432", *shown) != Card("KH")

    def test_counts_and_cashes_what_has_become_the_highest_card(self) -> None:
        gone = ("0: AS KS QS", "0: JS TS 9S", "0: 8S 7S 6S", "0: 5S 4S 3S", "0: 2S 2D 3D", "1: AH KH 2H")
        assert played(".Q5.76.954", *gone, "0: 9H JH 3H", "0: 4H 6H 7H") == Card("QH")


def test_of_touching_cards_the_lower_is_played() -> None:
    assert played("432.AKQ.432.432", "1: 7H TH") == Card("QH")


class TestWithoutTrumps:
    def test_the_highest_card_of_the_suit_led_wins_and_nothing_else(self) -> None:
        assert played("AKQ..432.432", "1: 7H TH", contract=Contract.NO_TRUMP) in {Card("2D"), Card("2C")}


class TestInMisere:
    def test_a_trick_is_ducked_with_the_highest_card_that_loses_it(self) -> None:
        assert played("432.AQ92.432.432", "1: 7H TH", contract=Contract.MISERE) == Card("9H")

    def test_a_trick_that_can_not_be_lost_takes_the_highest_card(self) -> None:
        assert played("432.AQJ.432.432", "1: 7H TH", contract=Contract.MISERE) == Card("AH")

    def test_who_is_void_throws_the_highest_card_away(self) -> None:
        assert played("432..A32.K32", "1: 7H TH", contract=Contract.MISERE) == Card("AD")

    def test_a_low_card_is_led(self) -> None:
        assert played("AK2.AK7.AK5.AKQ", contract=Contract.MISERE) == Card("2S")


# What it can tell of cards it does not see

sight = sys.modules["sample_bots.tips.sight"]


@given(st.integers(0, 13), st.integers(1, 40), st.integers(0, 17))
def test_the_chance_to_hold_none_is_the_share_of_deals_without_them(cards: int, places: int, hand: int) -> None:
    hand, cards = min(hand, places), min(cards, places)
    without = comb(places - cards, hand) / comb(places, hand)
    assert sight.holds_none(cards, places, hand) == pytest.approx(without)


def test_who_did_not_follow_suit_is_known_to_be_void() -> None:
    mine = sight.Sight(at_play("432.A54.432.43", "0: KH 2H 3C"))
    assert mine.chance(LEFT, int(Cards.read(".Q.."))) > 0
    assert mine.chance(RIGHT, int(Cards.read(".QJT9876.."))) == 0


def test_what_one_can_not_hold_is_the_more_likely_with_the_other() -> None:
    queen = int(Cards.read(".Q.."))
    nothing_shown, void_shown = (sight.Sight(at_play("432.A54.432.43", f"0: KH 2H {third}")) for third in ("3H", "3C"))
    assert void_shown.chance(LEFT, queen) > nothing_shown.chance(LEFT, queen)


def test_the_highest_card_is_safe_from_trumps_only_with_who_may_follow_suit() -> None:
    ace = Card("AH")
    follows, void = (sight.Sight(at_play("432.A54.432.43", f"2: KH 2H {third}", "2: 7H")) for third in ("3H", "3C"))
    assert 0.9 < follows.wins(ace) < 1
    assert void.wins(ace) < 0.2


def test_a_trump_may_be_beaten_by_a_higher_one_of_who_is_void() -> None:
    five = Card("5S")
    follows, void = (sight.Sight(at_play("543..432.432", f"2: KH 2D {third}", "2: 7H")) for third in ("3H", "3C"))
    assert 0.9 < follows.wins(five) < 1
    assert void.wins(five) < 0.2


def test_who_handed_a_six_over_has_no_higher_card_of_its_suit_until_he_takes_the_kitty() -> None:
    handed = (Exchange(up=ME, down=RIGHT, suit=Suit.HEARTS, gave=Card("2C"), got=Card("6H")),)
    ace, five = int(Cards.read(".A..")), int(Cards.read(".5.."))
    view = asked(TurnKind.CLAIM, "AKQ2.K632.5432.AKQ2", exchanges=handed, dealer=RIGHT, legal_suits=SUITS)
    assert sight.Sight(view).chance(RIGHT, ace) == 0
    assert sight.Sight(view).chance(RIGHT, five) > 0
    assert sight.Sight(replace(view, kind=TurnKind.PLAY, contract=Contract.CLUBS)).chance(RIGHT, ace) > 0


# What it is worth


@pytest.mark.parametrize("rules", SETS.values(), ids=SETS.keys())
def test_it_is_placed_first_against_two_random_in_most_matches(rules: Rules) -> None:
    assert tally("tips", "random", rules, matches=30).share >= 0.9


@pytest.mark.long
@pytest.mark.parametrize("rules", SETS.values(), ids=SETS.keys())
def test_it_is_placed_first_against_two_random_in_95_of_100_matches(rules: Rules) -> None:
    assert tally("tips", "random", rules, matches=300).share >= 0.95


@pytest.mark.parametrize("variant", ["no-trump", "misere", "double-payment", "rotating-targets"])
def test_it_is_ahead_in_every_variant(variant: str) -> None:
    rules = rules_for("announcer", [variant])
    assert tally("tips", "random", rules, matches=15).share >= 0.9
