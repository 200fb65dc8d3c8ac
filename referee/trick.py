"""One trick: which cards may be played to it, and who wins it (R6)."""

from __future__ import annotations

from collections.abc import Sequence

from protocol.cards import Card, Suit

__all__ = ["SUIT_MASKS", "followers", "winning_place"]

SUIT_MASKS = tuple(0x1FFF << 13 * suit for suit in range(4))


def followers(hand: int, led: Suit) -> int:
    """The cards (bits) of a hand that may be played when this suit was led: those of it, or any if void (R6.2)."""
    return hand & SUIT_MASKS[led] or hand


def winning_place(cards: Sequence[Card], trump: Suit | None) -> int:
    """Which of the cards, in the order of play, wins: the highest trump, or the highest of the suit led (R6.3)."""
    best = 0
    for place, card in enumerate(cards):
        if beats(card, cards[best], trump):
            best = place
    return best


def beats(card: Card, best: Card, trump: Suit | None) -> bool:
    """Whether a card takes the trick from the best one before it (R6.3)."""
    if card.suit is best.suit:
        return card > best
    return card.suit is trump
