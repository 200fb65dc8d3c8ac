"""The rest of a round before the play, for many deals at once: exchanges to come, contract and discard.

Everybody goes by the tips: gives low cards of suits in which high ones are out, names the suit in which his trumps are
worth most, and puts low cards of short suits aside.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from protocol.view import Rules
from referee.lanes import (
    NONE,
    TRUMPS,
    Lanes,
    cards_of,
    counts,
    highest,
    lanes_of,
    lowest,
    ranks,
    suits_of,
    trade_places,
)
from referee.playout import Playout
from referee.policies import best_suit, highest_losers, lowest_losers, suit_at, table_of

__all__ = ["Rest", "suit_lane", "trump_worths"]

UNLIKELY = -16.0
HONOURS, TRUMP_HONOURS = (1.0, 0.9, 0.65, 0.4), (0.95, 0.95, 0.85, 0.5, 0.2)
TRUMP, LONG_TRUMP, LONG = 1.2, 0.8, 7
SHORT = (0.65, 0.3)
"""What a hand is worth in tricks, as the bot ``tips`` counts it: a void and a singleton beside trumps, and so on."""


def worth_as_trumps(holding: int) -> float:
    """Tricks that the cards of a suit (13 bits) are worth as trumps, over what they are worth as a side suit."""
    length = holding.bit_count()
    trumps = sum(worth for i, worth in enumerate(TRUMP_HONOURS) if holding >> 12 - i & 1)
    trumps += TRUMP * min(length, LONG) + LONG_TRUMP * max(length - LONG, 0)
    side = sum(worth for i, worth in enumerate(HONOURS) if length > i and holding >> 12 - i & 1)
    return trumps - side - (SHORT[length] if length < len(SHORT) else 0.0)


def gain_in(top: int, own: int) -> float:
    """What the highest card of a suit that may be out, 0 for the two, adds to a hand with so many of the suit."""
    return max(0, top - 7) * 0.2 + 0.05 * min(own, 6) if top < 15 else -1.0


AS_TRUMPS = table_of([worth_as_trumps(holding) for holding in range(8192)])
CLAIMS = table_of([gain_in(f & 15, f >> 4) for f in range(256)])
GIVES = table_of([gain_in(f & 15, f >> 4) if f >> 4 else UNLIKELY for f in range(256)])


def trump_worths(hand: Lanes) -> NDArray[np.float64]:
    """What each suit is worth as trumps, of shape (4, n), of hands in lanes of which none is trumps."""
    holdings = [(hand >> np.uint64(16 * suit) & np.uint64(0xFFFF)).view(np.int64) for suit in range(4)]
    return AS_TRUMPS.take(np.stack(holdings)) / 4096


def suit_lane(suit: int) -> np.uint64:
    return np.uint64(0x7FFF << 16 * suit)


class Rest:
    """Deals of a round that is not yet played.

    :param hands: sets of cards (bits), of shape (n, 3), by seat.
    :param kitty: the cards that the dealer will take up, of shape (n).

    :ivar hands: three arrays of lanes, of shape (n), by seat; no suit is trumps in them.
    """

    def __init__(self, rules: Rules, dealer: int, hands: Lanes, kitty: Lanes) -> None:
        self.rules, self.dealer = rules, dealer
        self.hands = [lanes_of(hands[:, seat], -1) for seat in range(3)]
        self.kitty = lanes_of(kitty, -1)
        self.deck = lanes_of(int(rules.deck), -1)

    # Exchange

    def swap(self, up: int, down: int, card: Lanes) -> None:
        """R5.1: the highest card of the suit comes back, or the very card."""
        back = np.maximum(highest(self.hands[down] & suits_of(card)), card)
        self.hands[up] = self.hands[up] ^ card ^ back
        self.hands[down] = self.hands[down] ^ card ^ back

    def claim(self, up: int, down: int, suit: Lanes) -> None:
        """R5.2: the highest card of the suit for any other; without one the claim lapses."""
        top = highest(self.hands[down] & suit)
        self.pass_on(down, up, top)
        self.pass_on(up, down, np.where(top != 0, lowest_loser(self.hands[up]), NONE))

    def pass_on(self, giver: int, taker: int, card: Lanes) -> None:
        self.hands[giver] = self.hands[giver] ^ card
        self.hands[taker] = self.hands[taker] ^ card

    def exchange(self, due: Sequence[tuple[int, int]]) -> None:
        """The exchanges still to come, as (up, down)."""
        for up, down in due:
            hand = self.hands[up]
            features = ranks(highest(self.deck & ~hand)) | counts(hand) << np.uint64(4)
            if self.rules.exchange == "swap":
                self.swap(up, down, lowest(hand) & suit_at(best_suit(features, GIVES)))
            else:
                self.claim(up, down, suit_at(best_suit(features, CLAIMS)))

    # Contract and kitty

    def best_trump(self) -> NDArray[np.int64]:
        """The suit that the dealer names, as he holds his cards (R4.3)."""
        sees_kitty = self.rules.kitty == "pick-up-first"
        hand = self.hands[self.dealer] | self.kitty if sees_kitty else self.hands[self.dealer]
        trump: NDArray[np.int64] = trump_worths(hand).argmax(0)
        return trump

    def put_aside(self, trump: NDArray[np.int64] | int, misere: bool = False) -> Lanes:
        """The dealer's discard from the cards he may choose from (R4.1, R4.2); in lanes of which none is trumps."""
        hand = self.hands[self.dealer]
        if self.rules.kitty == "pick-up-first":
            hand = hand | self.kitty
        before = hand = trade_places(hand, trump)
        trumps = np.where(np.asarray(trump) < 0, NONE, TRUMPS)
        for _ in range(self.rules.kitty_size):
            hand = hand ^ (highest_losers(hand) if misere else lowest_losers(hand, trumps))
        return trade_places(before ^ hand, trump)

    def playout(self, trump: NDArray[np.int64] | int, aside: Lanes) -> Playout:
        """The play, from the first lead (R6.1), after the dealer took the kitty and put these cards aside."""
        self.hands[self.dealer] = (self.hands[self.dealer] | self.kitty) ^ aside
        leader = self.dealer if self.rules.first_lead == "dealer" else (self.dealer + 1) % 3
        hands = np.stack([cards_of(hand, -1) for hand in self.hands], 1)
        return Playout(hands, trump, leader, (), cards_of(aside, -1))


def lowest_loser(hand: Lanes) -> Lanes:
    """The card that is missed least, before there are trumps."""
    return lowest_losers(hand, np.zeros(len(hand), np.uint64))
