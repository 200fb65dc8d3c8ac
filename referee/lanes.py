"""Sets of cards in lanes, for computing with thousands of them at once: numpy arrays of 64 bits, 16 a suit.

The lowest bit of a lane is the two, and bit 12 the ace; the three above stay free, so that a sum or a difference in one
suit does not touch the next. The trump suit trades places with the clubs, the highest lane: which card wins is a matter
of the size of a number, and one operation counts, compares or looks for the lowest card in all four suits.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "Lanes",
    "cards_of",
    "counts",
    "highest",
    "in_each",
    "lanes_of",
    "lowest",
    "lowest_of_all",
    "ranks",
    "suits_of",
    "trade_places",
    "up_to_highest",
]

Lanes = NDArray[np.uint64]


def in_each(lane: int) -> np.uint64:
    """The same 16 bits in all four lanes."""
    return np.uint64(lane * 0x0001_0001_0001_0001)


NONE, ONE = np.uint64(0), np.uint64(1)
TWO_OF, SUIT, ABOVE = in_each(1), in_each(0x7FFF), in_each(0x8000)
RANKS = np.uint64(0x1FFF)
TRUMPS = np.uint64(0x7FFF << 48)
ODD_ONES, PAIRS, FOURS, COUNT = in_each(0x5555), in_each(0x3333), in_each(0x0F0F), in_each(0x1F)
SMEARS = tuple((np.uint64(n), in_each(0xFFFF >> n)) for n in (1, 2, 4, 8))


def lanes_of(cards: ArrayLike, trump: ArrayLike) -> Lanes:
    """Sets of cards (52 bits, as ``int(Cards)``) as lanes, whatever their shape.

    :param trump: the trump suit, 0 to 3, or −1 for none; one for all, or of a shape that goes with that of the cards.
    """
    bits = np.asarray(cards, np.uint64)
    spread = np.zeros_like(bits)
    for suit in range(4):
        spread |= ((bits >> np.uint64(13 * suit)) & RANKS) << np.uint64(16 * suit)
    return trade_places(spread, trump)


def cards_of(lanes: Lanes, trump: ArrayLike) -> Lanes:
    """The way back: sets of cards as 52 bits."""
    spread = trade_places(lanes, trump)
    bits: Lanes = np.zeros_like(spread)
    for suit in range(4):
        bits |= ((spread >> np.uint64(16 * suit)) & RANKS) << np.uint64(13 * suit)
    return bits


def trade_places(lanes: Lanes, trump: ArrayLike) -> Lanes:
    """The trump suit's lane and the highest one change places; without trumps all stays."""
    place: Lanes = np.where(np.asarray(trump) < 0, 3, trump).astype(np.uint64) * np.uint64(16)
    change: Lanes = ((lanes >> place) ^ (lanes >> np.uint64(48))) & RANKS
    traded: Lanes = lanes ^ (change << place) ^ (change << np.uint64(48))
    return traded


def lowest(lanes: Lanes) -> Lanes:
    """The lowest card of each suit."""
    return lanes & ((lanes ^ SUIT) + TWO_OF)


def lowest_of_all(lanes: Lanes) -> Lanes:
    """The lowest bit, for lanes of which one suit at most is not empty."""
    return lanes & (NONE - lanes)


def up_to_highest(lanes: Lanes) -> Lanes:
    """In each suit the places of the highest card and of all below it."""
    for steps, there in SMEARS:
        lanes = lanes | ((lanes >> steps) & there)
    return lanes


def highest(lanes: Lanes) -> Lanes:
    """The highest card of each suit."""
    return lanes & ~(up_to_highest(lanes) >> ONE)


def counts(lanes: Lanes) -> Lanes:
    """How many cards there are of each suit, as a number in its lane."""
    lanes = lanes - ((lanes >> ONE) & ODD_ONES)
    lanes = (lanes & PAIRS) + ((lanes >> np.uint64(2)) & PAIRS)
    lanes = (lanes + (lanes >> np.uint64(4))) & FOURS
    return (lanes + (lanes >> np.uint64(8))) & COUNT


def suits_of(lanes: Lanes) -> Lanes:
    """The whole lanes of the suits that are not empty."""
    held = (lanes + SUIT) & ABOVE
    return held - (held >> np.uint64(15))


def ranks(cards: Lanes) -> Lanes:
    """Of one card a suit its rank, from 0 for the two; 15 without a card."""
    return counts((cards | ABOVE) - TWO_OF & SUIT)
