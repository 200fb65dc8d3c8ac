"""Who plays in a batched playout: anybody by dice, the main tips of the table, and those who want no trick.

A policy looks at ``referee.playout.Playout`` and returns one legal card for each deal. None of them looks into another
hand: what they go by is their own cards, those not yet played, and the suits that others have shown they lack.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from referee.lanes import (
    ABOVE,
    NONE,
    ONE,
    TWO_OF,
    Lanes,
    counts,
    highest,
    in_each,
    lowest,
    lowest_of_all,
    ranks,
    suits_of,
    up_to_highest,
)
from referee.playout import Playout

__all__ = ["AnyCard", "best_suit", "duck", "highest_losers", "lowest_losers", "suit_at", "table_of", "tips"]

Table = NDArray[np.int64]
LANE = [np.uint64(16 * suit) for suit in range(4)]
BITS = [np.uint64(n) for n in range(16)]


def nth_cards() -> Table:
    """Of each of the 8,192 holdings in a suit, the cards from low to high: a row of 16, as bits."""
    rows, left = np.zeros((8192, 16), np.int64), np.arange(8192)
    for n in range(13):
        rows[:, n] = left & -left
        left &= left - 1
    return rows.ravel()


NTH_CARD = nth_cards()


class AnyCard:
    """Any legal card, each as likely."""

    def __init__(self, dice: np.random.Generator) -> None:
        self.dice = dice

    def __call__(self, playout: Playout) -> Lanes:
        so_far = counts(playout.legal) * TWO_OF  # in each lane, the cards in it and in the lower ones
        total = so_far >> LANE[3]
        n = (self.dice.random(len(total), np.float32) * total.astype(np.float32)).astype(np.uint64)
        lane: Lanes = np.bitwise_count(((n * TWO_OF | ABOVE) - so_far) & ABOVE).astype(np.uint64) << BITS[4]
        n -= so_far << LANE[1] >> lane & np.uint64(0xFFFF)
        holding = playout.legal >> lane & np.uint64(0x1FFF)
        card: Lanes = NTH_CARD.take(((holding << BITS[4]) | n).view(np.int64)).view(np.uint64)
        return card << lane


# Among the suits, the one of most worth by a table

UNLIKELY = -8.0
SUIT_0 = np.uint64(0x7FFF)


def best_suit(features: Lanes, worth: Table) -> Lanes:
    """The lane in which the features have the highest worth, as the number of bits to shift by."""
    best = worth.take((features & np.uint64(0xFFFF)).view(np.int64))
    for suit in (1, 2, 3):
        best = np.maximum(best, worth.take((features >> LANE[suit] & np.uint64(0xFFFF)).view(np.int64)) + suit)
    return (best & 3).view(np.uint64) << BITS[4]


def suit_at(lane: Lanes) -> Lanes:
    return SUIT_0 << lane


def table_of(worth: list[float]) -> Table:
    """Worths in tricks as numbers that leave two bits for the lane."""
    return (np.array(worth) * 1024).round().astype(np.int64) * 4


def worth_of_lead(unseen: int, own: int, highest: bool, void: bool, trumps_out: bool, is_trump: bool) -> float:
    """What leading a suit gains, in tricks: a fit to playouts.

    :param unseen: cards of the suit that may be in other hands; ``own``: those in mine.
    :param highest: mine is the highest of all; ``void``: somebody has shown that he has none; ``trumps_out``: somebody
        may have trumps.
    """
    if not own:
        return UNLIKELY
    if is_trump:  # drawn from the top; not once nobody else has any
        return -0.3 if not unseen else 0.27 if highest else -0.25 + 0.05 * own
    if not highest:  # a low card of a suit in which much is to come
        return 0.1 * unseen + 0.05 * own
    if trumps_out:  # cashed before somebody can trump it
        return 0.24 - 0.15 * unseen - 0.08 * void - 0.07 * (not unseen)
    return 0.98 + 0.1 * own


def worth_of_discard(rank: int, own: int, is_trump: bool) -> float:
    """What throwing the lowest card of a suit away gains, from its rank (the two is 0) and how many I have."""
    if not own:
        return 2 * UNLIKELY
    if is_trump:
        return UNLIKELY - 0.1 * rank
    return -0.1 * rank - 0.06 * own - 0.32 * (own == 1) - 0.06 * (own == 2)


def bits_of(features: int, *positions: int) -> list[bool]:
    return [bool(features >> position & 1) for position in positions]


LEADS = table_of([worth_of_lead(f & 15, f >> 4 & 15, *bits_of(f, 8, 9, 10, 11)) for f in range(1 << 12)])
DISCARDS = table_of([worth_of_discard(f & 15, f >> 4 & 15, *bits_of(f, 8)) for f in range(1 << 9)])
TRUMP_AT_8, TRUMP_AT_11 = np.uint64(1 << 48 + 8), np.uint64(1 << 48 + 11)


# The tips


def tips(playout: Playout) -> Lanes:
    """Lead what wins before it can be trumped, draw trumps from the top, else lead low from where much is to come; win
    as cheaply as possible, second hand for sure; trump what can't be followed; throw away low cards of short suits."""
    return lead(playout) if playout.place == 0 else follow(playout)


def lead(playout: Playout) -> Lanes:
    mine = playout.hand
    unseen = playout.out & ~mine
    highest = (mine | ABOVE) - unseen & ABOVE
    void = (playout.shown[1] | playout.shown[2]) & TWO_OF
    trumps_out = ((unseen & playout.trump) != 0) * in_each(1 << 10)
    features = counts(unseen) | counts(mine) << BITS[4] | highest >> BITS[7] | void << BITS[9] | trumps_out
    lane = best_suit(features | playout.trump & TRUMP_AT_11, LEADS)
    return cheapest_best(mine >> lane & SUIT_0, unseen >> lane & SUIT_0) << lane


def cheapest_best(mine: Lanes, unseen: Lanes) -> Lanes:
    """Of one suit, the lowest card that beats all unseen ones, else the lowest."""
    winners = mine & ~up_to_highest(unseen)
    return lowest_of_all(np.where(winners != 0, winners, mine))


def follow(playout: Playout) -> Lanes:
    mine = playout.hand
    winners = playout.legal & playout.able & NONE - (playout.best << ONE)
    winner = lowest_of_all(winners)
    if playout.place == 1:  # the third may beat it: rather the lowest that can't be beaten in its suit
        unseen = playout.out & ~mine & suits_of(winners)
        sure = lowest_of_all(winners & ~up_to_highest(unseen))
        winner = np.where((sure != 0) & ~playout.void, sure, winner)
    loser = np.where(playout.void, lowest_losers(mine, playout.trump), lowest_of_all(playout.legal))
    return np.where(winners != 0, winner, loser)


def lowest_losers(hand: Lanes, trump: Lanes) -> Lanes:
    """The lowest card of the suit that can best do without it, of hands in lanes that are not empty.

    :param trump: the highest lane for each hand that has trumps, else 0.
    """
    low = lowest(hand)
    features = ranks(low) | counts(hand) << BITS[4]
    return low & suit_at(best_suit(features | trump & TRUMP_AT_8, DISCARDS))


# Misère

LOW_LEADS = table_of([-0.1 * (features & 15) if features >> 4 else 2 * UNLIKELY for features in range(1 << 8)])
HIGH_CARDS = table_of([0.1 * (features & 15) if features >> 4 else 2 * UNLIKELY for features in range(1 << 8)])


def duck(playout: Playout) -> Lanes:
    """Who wants no trick (R9.5): the highest card that loses, else the lowest; the highest of all when void or sure
    to win."""
    legal = playout.legal
    if playout.place == 0:
        low = lowest(legal)
        return low & suit_at(best_suit(ranks(low) | counts(legal) << BITS[4], LOW_LEADS))
    high = highest(legal)
    thrown = highest_losers(legal)
    losers = highest(legal & playout.best - ONE)
    winner = lowest_of_all(legal) if playout.place == 1 else high
    return np.where(playout.void, thrown, np.where(losers != 0, losers, winner))


def highest_losers(hand: Lanes) -> Lanes:
    """The highest card of all, of hands in lanes that are not empty: who wants no trick is glad to be rid of it."""
    high = highest(hand)
    return high & suit_at(best_suit(ranks(high) | counts(hand) << BITS[4], HIGH_CARDS))
