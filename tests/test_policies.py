"""The policies of the batched playout, held against the same ideas said plainly, one deal at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random

import numpy as np
import pytest

from protocol.cards import CARDS, Card, Cards, Suit
from referee.lanes import cards_of
from referee.playout import Playout, Policy, play_out
from referee.policies import AnyCard, duck, tips, worth_of_discard, worth_of_lead
from referee.round import Round
from tests.playouts import Witness, lacking, playout_of, rounds_in_play, trump_of
from tests.table_words import masks

SUITS = (Suit.SPADES, Suit.HEARTS, Suit.DIAMONDS, Suit.CLUBS)


class Plainly:
    """A seat's situation in a round, in lists of cards."""

    def __init__(self, rnd: Round) -> None:
        self.trump = trump_of(rnd)
        self.legal = list(rnd.legal())
        self.hand = list(Cards(rnd.hands[rnd.seat]))
        gone = Cards.of(CARDS[n] for n in rnd.played)
        self.unseen = [card for card in rnd.rules.deck - gone if card not in self.hand]
        on_table = len(rnd.played) % 3
        self.table = [CARDS[n] for n in rnd.played[len(rnd.played) - on_table :]]
        self.shown = [Cards(suits) for seat, suits in enumerate(lacking(rnd)) if seat != rnd.seat]
        self.best: Card | None = None
        for card in self.table:
            if self.best is None or self.beats(card, self.best):
                self.best = card

    def beats(self, card: Card, best: Card) -> bool:
        return card > best if card.suit == best.suit else card.suit == self.trump

    def of(self, suit: Suit) -> list[Card]:
        return [card for card in self.hand if card.suit == suit]

    def out(self, suit: int) -> list[Card]:
        return [card for card in self.unseen if card.suit == suit]

    def best_suit(self, worth: Callable[[Suit], float]) -> Suit:
        """Of equals, the one in the highest lane: trumps, then clubs and diamonds."""

        def lane(suit: Suit) -> int:
            return 3 if suit == self.trump else self.trump if suit is Suit.CLUBS and self.trump >= 0 else suit

        held = [suit for suit in Suit if self.of(suit)]
        return max(held, key=lambda suit: (round(worth(suit) * 1024), lane(suit)))


def plain_tips(rnd: Round) -> Card:
    at = Plainly(rnd)
    if not at.table:
        return plain_lead(at)
    assert at.best is not None
    follows = at.legal[0].suit == at.table[0].suit
    winners = [card for card in at.legal if at.beats(card, at.best)]
    if winners:
        sure = [card for card in winners if card > max(at.out(card.suit), default=-1)]
        if len(at.table) == 1 and follows and sure:
            return min(sure)
        return min(winners)
    if follows:
        return min(at.legal)
    suit = at.best_suit(lambda suit: worth_of_discard(at.of(suit)[0].rank, len(at.of(suit)), suit == at.trump))
    return min(at.of(suit))


def plain_lead(at: Plainly) -> Card:
    def worth(suit: Suit) -> float:
        mine, unseen = at.of(suit), at.out(suit)
        return worth_of_lead(
            len(unseen),
            len(mine),
            highest=max(mine, default=-1) >= max(unseen, default=-1),
            void=any(suits.suit(suit) for suits in at.shown),
            trumps_out=bool(at.out(at.trump)),
            is_trump=suit == at.trump,
        )

    suit = at.best_suit(worth)
    winners = [card for card in at.of(suit) if card > max(at.out(suit), default=-1)]
    return min(winners or at.of(suit))


def plain_duck(rnd: Round) -> Card:
    at = Plainly(rnd)
    if not at.table:
        return min(at.of(at.best_suit(lambda suit: -min(at.of(suit)).rank)))
    assert at.best is not None
    if at.legal[0].suit != at.table[0].suit:
        return max(at.of(at.best_suit(lambda suit: max(at.of(suit)).rank)))
    losers = [card for card in at.legal if not at.beats(card, at.best)]
    if losers:
        return max(losers)
    return min(at.legal) if len(at.table) == 1 else max(at.legal)


@pytest.mark.parametrize(("policy", "plainly"), [(tips, plain_tips), (duck, plain_duck)], ids=["tips", "duck"])
@pytest.mark.parametrize("played", [0, 10, 23])
def test_a_policy_plays_what_the_same_ideas_say_plainly(
    policy: Policy, plainly: Callable[[Round], Card], played: int
) -> None:
    rounds = rounds_in_play(Random(played), 80, played)
    if policy is duck:  # it is for rounds without trumps
        rounds = [rnd for rnd in rounds if trump_of(rnd) < 0] or rounds_without_trumps(played)
    witness = Witness(policy)
    end = play_out(playout_of(rounds), witness)
    for _, plays in witness.plays:
        for rnd, card in zip(rounds, plays, strict=True):
            assert CARDS[card] == plainly(rnd)
            rnd.choose(CARDS[card])
    assert np.array_equal(end.taken, [rnd.taken for rnd in rounds])


def rounds_without_trumps(played: int) -> list[Round]:
    many = rounds_in_play(Random(played), 200, played)
    return [rnd for rnd in many if trump_of(rnd) < 0]


@pytest.mark.parametrize("policy", [tips, duck])
def test_a_policy_does_not_look_into_other_hands(policy: Policy) -> None:
    rng = Random(5)
    for played in range(47):
        rounds = rounds_in_play(rng, 3, played)
        before = policy(playout_of(rounds))
        for rnd in rounds:
            others = [seat for seat in range(3) if seat != rnd.seat]
            pool = [card for seat in others for card in Cards(rnd.hands[seat])]
            rng.shuffle(pool)
            hands = list(rnd.hands)
            for seat in others:
                size = len(Cards(rnd.hands[seat]))
                hands[seat], pool = int(Cards.of(pool[:size])), pool[size:]
            rnd.hands = type(rnd.hands)(hands)
        assert (policy(playout_of(rounds)) == before).all()


def test_any_card_is_each_as_likely() -> None:
    n = 40_000
    hand = masks(["AK2.J9.7.5432", "QJ3.T8.6.AKQJ", "T94.76.A.T987"])
    chosen = AnyCard(np.random.default_rng(3))(Playout([hand] * n, Suit.HEARTS, 0))
    drawn = Counter(cards_of(chosen, Suit.HEARTS).tolist())
    assert set(drawn) == {1 << card for card in Cards.read("AK2.J9.7.5432")}
    assert all(abs(times - n / 10) < 5 * (n * 0.1 * 0.9) ** 0.5 for times in drawn.values())


def choice(policy: Policy, hands: tuple[str, str, str], *table: str, trump: int = Suit.SPADES) -> Card:
    """What a policy plays; seat 0 led, and the hand of the one on turn matters."""
    playout = Playout([masks(hands)], trump, 0, table=[Card(text) for text in table])
    (bits,) = cards_of(policy(playout), trump).tolist()
    return CARDS[bits.bit_length() - 1]


def test_tips_the_last_wins_as_cheaply_as_possible_or_throws_the_lowest() -> None:
    assert choice(tips, ("2...", "3...", "4.AQT3.."), "9H", "JH") == Card("QH")
    assert choice(tips, ("2...", "3...", "4.T73.."), "9H", "JH") == Card("3H")
    assert choice(tips, ("2...", "3...", "QT4..2."), "9H", "JS") == Card("QS")


def test_tips_second_hand_plays_the_lowest_card_that_is_sure_to_win() -> None:
    assert choice(tips, ("2.7..", "3.AKT..", "4.Q98.."), "5H") == Card("KH")
    assert choice(tips, ("2.7..", "3.QT2..", "4.KJ8.."), "5H") == Card("TH")


def test_tips_an_ace_is_cashed_before_the_suit_runs_out() -> None:
    assert choice(tips, ("2.A..", "3.K..", "4.Q..")) == Card("AH")


def test_tips_the_holder_of_the_last_trumps_does_not_lead_them() -> None:
    assert choice(tips, ("A32...3", ".K..2A", "..AK.4")) == Card("3C")


def test_duck_keeps_under_the_trick_and_gets_rid_of_high_cards() -> None:
    assert choice(duck, ("2...", "3...", "4.AT83.."), "9H", "2H", trump=-1) == Card("8H")
    assert choice(duck, ("2...", "3...", "4.AQT.."), "9H", "2H", trump=-1) == Card("AH")
    assert choice(duck, ("2...", "3...", "4..A.K"), "9H", "2H", trump=-1) == Card("AD")
    assert choice(duck, ("4.2..K", "3...", "A...")) == Card("2H")
