"""One trick: which cards may be played to it, and who wins it (R6)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from protocol.cards import CARDS, Card, Suit

__all__ = ["SUIT_MASKS", "followers", "trick_powers", "winning_place"]

SUIT_MASKS = tuple(0x1FFF << 13 * suit for suit in range(4))


def followers(hand: int, led: Suit) -> int:
    """The cards (bits) of a hand that may be played when this suit was led: those of it, or any if void (R6.2)."""
    return hand & SUIT_MASKS[led] or hand


def winning_place(cards: Sequence[Card], trump: Suit | None) -> int:
    """Which of the cards, in the order of play, wins: the highest trump, or the highest of the suit led (R6.3)."""
    power = trick_powers(trump, cards[0].suit)
    return max(range(len(cards)), key=lambda place: power[cards[place]])


@cache
def trick_powers(trump: Suit | None, led: Suit) -> tuple[int, ...]:
    """What each of the 52 cards is worth in a trick: the highest wins, 0 never does (R6.3)."""
    worth = {led: 1, trump: 14}
    return tuple(worth[card.suit] + card.rank if card.suit in worth else 0 for card in CARDS)
