"""How a card looks to a player who goes by the tips: what it probably wins now less what it would win later.

It is the judgement of the sample bot ``tips``, for thousands of deals at once. ``reading`` asks it what the others'
choices tell, and the search plays deals out by it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from referee.lanes import NONE, ONE, Lanes, lowest, lowest_of_all, suits_of, up_to_highest
from referee.playout import Playout

__all__ = ["Look", "best_looking"]

Reals = NDArray[np.float32]
Numbers = NDArray[np.uint16]


def best_looking(playout: Playout) -> Lanes:
    """A policy: everybody plays the card that looks best to him."""
    look = Look(playout)
    options = look.options()
    best = look.merit(options).argmax(0)
    chosen: Lanes = np.take_along_axis(options, best[None], 0)[0]
    return chosen


def chances() -> Reals:
    """By hand, and by cards and places in one: the chance that a hand, so many of the places, has none of the cards."""
    hand, cards, places = np.ogrid[:32, :16, :64]
    chance = np.ones((32, 16, 64), np.float32)
    for i in range(15):
        left = np.maximum(places - hand - i, 0) / np.maximum(places - i, 1)
        chance *= np.where(cards > i, left, 1.0)
    return chance.reshape(32, -1)


HOLDS_NONE = chances()

# What a card that is kept wins later, as the bot ``tips`` counts it.
HIGH_TRUMP, LOW_TRUMP_A_CARD, LOW_TRUMP_AT_MOST = (1.0, 0.87, 0.7), 0.1, 0.75
MASTER, MASTER_A_CARD, MASTER_AT_MOST, MASTER_WITHOUT_TRUMPS = 0.35, 0.07, 0.85, 0.65
SECOND, BARE_SECOND, THIRD, BARE_THIRD = 0.6, 0.1, 0.3, 0.07
A_RANK = 0.004


def promise_of_trump(over: int, own: int, rank: int) -> float:
    """Of a trump with so many higher ones unseen and so many in hand."""
    low = min(LOW_TRUMP_A_CARD * own - 0.05, LOW_TRUMP_AT_MOST)
    return (HIGH_TRUMP[over] if over < 3 else low) + A_RANK * rank


def promise_of_side_suit(over: int, guards: int, rank: int, out: int, trumps_out: int) -> float:
    """Of a card of a side suit: ``guards`` are lower ones beside it, ``out`` the unseen cards of the suit."""
    if over == 0:
        return min(MASTER + MASTER_A_CARD * out, MASTER_AT_MOST) if trumps_out else MASTER_WITHOUT_TRUMPS
    if over == 1:
        return SECOND if guards >= 1 else BARE_SECOND
    if over == 2:
        return THIRD if guards >= 2 else BARE_THIRD
    return A_RANK * rank


OF_TRUMP = np.array([promise_of_trump(f & 3, f >> 2 & 31, f >> 7) for f in range(1 << 11)], np.float32)
OF_SIDE_SUIT = np.array(
    [promise_of_side_suit(f & 3, f >> 2 & 3, f >> 4 & 15, f >> 8 & 15, f >> 12) for f in range(1 << 13)], np.float32
)
DRAWING, UNNEEDED, LENGTH = np.float32(0.3), np.float32(0.2), np.float32(0.03)
NOTHING = np.float32(0.0)
NO_CARD = np.float32(-9.0)
TWO, THREE, FOUR, SIX, SEVEN, EIGHT, TWELVE = (np.uint16(n) for n in (2, 3, 4, 6, 7, 8, 12))
EACH_SUIT = np.array([[0x7FFF << 16 * suit] for suit in range(4)], np.uint64)


def number(cards: Lanes) -> Numbers:
    return np.bitwise_count(cards).astype(np.uint16)


class Look:
    """How cards look to the one on turn in each of the deals of a playout, if he goes by the tips."""

    def __init__(self, playout: Playout) -> None:
        self.table = playout
        self.hand = playout.hand
        self.unseen = playout.out & ~self.hand
        self.places = int(np.bitwise_count(self.unseen[0]))
        cards, place = int(np.bitwise_count(self.hand[0])), playout.place
        self.size = {other: cards - (other < place) for other in range(3) if other != place}
        self.may = {other: self.unseen & ~playout.shown[other] for other in self.size}

    def options(self) -> Lanes:
        """The cards that come into question, of shape (k, n), 0 where there is none: all others look worse."""
        legal, place = self.table.legal, self.table.place
        follows = place > 0 and not self.table.void.any()
        low = lowest(legal)[None] if follows else lowest(legal) & EACH_SUIT
        if place == 0:
            return np.concatenate([low, self.master(legal) & EACH_SUIT])
        winner = lowest_of_all(legal & self.table.able & NONE - (self.table.best << ONE))[None]
        if place == 2:
            return np.concatenate([low, winner])
        return np.concatenate([low, winner, (self.master(legal) & self.table.led)[None]])

    def master(self, legal: Lanes) -> Lanes:
        """The lowest card of each suit that is as good as the highest of it in hand."""
        return lowest(legal & ~up_to_highest(self.unseen & up_to_highest(legal)))

    def merit(self, cards: Lanes) -> Reals:
        """Tricks that playing a card gains, of the shape (k, n) of the cards."""
        suit = suits_of(cards)
        higher = suit & ~(cards | cards - ONE)
        merit: Reals = self.wins(cards, suit, higher) - self.promise(cards, suit, higher) + self.besides(suit, higher)
        return np.where(cards == 0, NO_CARD, merit)

    def wins(self, cards: Lanes, suit: Lanes, higher: Lanes) -> Reals:
        """The chance that a card wins the trick, if everybody beats it who can."""
        table = self.table
        chance: Reals = np.ones(cards.shape, np.float32)
        led = table.led if table.place else suit
        for other in range(table.place + 1, 3):
            beats = 1 - self.none(other, higher)
            follows_not = self.none(other, led)
            ruffs = np.where(
                (table.trump != 0) & (led != table.trump), follows_not * (1 - self.none(other, table.trump)), 0
            )
            chance = chance * (1 - np.where(suit == led, np.minimum(beats + ruffs, 1), beats * follows_not))
        return chance if table.place == 0 else np.where((cards & table.able) > table.best, chance, NOTHING)

    def none(self, other: int, cards: Lanes) -> Reals:
        """The chance that another has none of these cards."""
        (third,) = (place for place in self.size if place != other)
        by_size = HOLDS_NONE[self.size[other]]
        fewer = ((cards & self.may[third]) == 0).astype(np.uint16) * np.uint16(self.size[third])
        chance: Reals = by_size.take(number(cards & self.may[other]) << SIX | np.uint16(self.places) - fewer)
        return chance

    def promise(self, cards: Lanes, suit: Lanes, higher: Lanes) -> Reals:
        """The tricks that a card will probably win if it is kept."""
        lower = suit & (cards - ONE)
        over, rank = np.minimum(number(higher & self.unseen), THREE), number(lower)
        trump = over | number(self.hand & suit) << TWO | rank << SEVEN
        side = over | np.minimum(number(lower & self.hand), THREE) << TWO | rank << FOUR
        side |= number(self.unseen & suit) << EIGHT
        side |= ((self.unseen & self.table.trump) != 0).astype(np.uint16) << TWELVE
        promise: Reals = np.where(suit == self.table.trump, OF_TRUMP.take(trump), OF_SIDE_SUIT.take(side))
        return promise

    def besides(self, suit: Lanes, higher: Lanes) -> Reals:
        """What a card gains or costs beyond the trick: leads draw trumps, discards shorten a suit."""
        table, own = self.table, number(self.hand & suit)
        if table.place:
            spared = (suit == table.trump) | (self.hand & table.trump == 0)
            return np.where(spared, NOTHING, -LENGTH * own.astype(np.float32))
        out = self.unseen & suit
        over = higher & out
        draws = np.where((over == 0) & (own > number(out)) & (out != 0), DRAWING, NOTHING)
        over_mine = number(out & ~up_to_highest(self.hand))
        unneeded = np.where((over != 0) & (over_mine > 1), UNNEEDED, NOTHING)
        return np.where(suit == table.trump, draws, unneeded)
