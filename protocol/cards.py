"""Suits, ranks, cards and sets of cards, and how they are written (R2.1).

A card is an integer from 0 (2S) to 51 (AC): ``13 * suit + rank``, suits in the order spades, hearts, diamonds,
clubs, ranks from the two (0) to the ace (12). A set of cards is an integer too, with bit *n* set for card *n*, so a
hand fits in 52 bits. Both are subclasses of ``int``: the rules compute with them as fast as Python computes, and
everybody else reads them as cards.

>>> Card("TD").suit, Card("TD").rank
(D, T)
>>> hand = Cards.read("AKQ.JT9.8.2")
>>> len(hand), Card("AS") in hand, hand.highest(Suit.HEARTS)
(8, True, JH)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import IntEnum
from typing import Any, SupportsIndex

__all__ = ["CARDS", "DECK", "Card", "Cards", "NotationError", "Rank", "Suit"]

SUIT_LETTERS = "SHDC"
RANK_LETTERS = "23456789TJQKA"
SUIT_BITS = (1 << 13) - 1
BITS = tuple(1 << n for n in range(52))


class NotationError(ValueError):
    """A text that can't be read as a card, a suit or a hand. (Unreadable is not illegal: see ``referee.errors``.)"""


class Suit(IntEnum):
    """The four suits in the order in which hands are written; ``Suit.read("S")`` reads one."""

    SPADES = 0
    HEARTS = 1
    DIAMONDS = 2
    CLUBS = 3

    @property
    def letter(self) -> str:
        return SUIT_LETTERS[self]

    @classmethod
    def read(cls, letter: str) -> Suit:
        """:raises NotationError: not one of S, H, D, C."""
        if len(letter) == 1 and letter in SUIT_LETTERS:
            return cls(SUIT_LETTERS.index(letter))
        raise NotationError(f"{letter!r:.40} is not a suit: write S, H, D or C")

    def __repr__(self) -> str:
        return SUIT_LETTERS[self]

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return format(SUIT_LETTERS[self], spec)


class Rank(IntEnum):
    """The thirteen ranks from low to high; ``Rank.read("T")`` reads one."""

    TWO = 0
    THREE = 1
    FOUR = 2
    FIVE = 3
    SIX = 4
    SEVEN = 5
    EIGHT = 6
    NINE = 7
    TEN = 8
    JACK = 9
    QUEEN = 10
    KING = 11
    ACE = 12

    @property
    def letter(self) -> str:
        return RANK_LETTERS[self]

    @classmethod
    def read(cls, letter: str) -> Rank:
        """:raises NotationError: not one of 23456789TJQKA."""
        if len(letter) == 1 and letter in RANK_LETTERS:
            return cls(RANK_LETTERS.index(letter))
        raise NotationError(f"{letter!r:.40} is not a rank: write one of {RANK_LETTERS}")

    def __repr__(self) -> str:
        return RANK_LETTERS[self]

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return format(RANK_LETTERS[self], spec)


class Card(int):
    """One card. ``Card("AS")`` reads its notation, which is also its ``repr``; ``CARDS[n]`` is card number *n*."""

    __slots__ = ()

    def __new__(cls, notation: str) -> Card:
        try:
            return _BY_NOTATION[notation]
        except (KeyError, TypeError):
            raise NotationError(f"{notation!r:.40} is not a card: write rank then suit, as in AS, TD, 9H, 2C") from None

    @property
    def suit(self) -> Suit:
        return _SUIT_OF[self]

    @property
    def rank(self) -> Rank:
        return _RANK_OF[self]

    def __repr__(self) -> str:
        return _NOTATION[self]

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return format(_NOTATION[self], spec)

    def __reduce__(self) -> tuple[type[Card], tuple[str]]:
        return Card, (_NOTATION[self],)


_NOTATION = tuple(rank + suit for suit in SUIT_LETTERS for rank in RANK_LETTERS)
_SUIT_OF = tuple(Suit(n // 13) for n in range(52))
_RANK_OF = tuple(Rank(n % 13) for n in range(52))
CARDS: tuple[Card, ...] = tuple(int.__new__(Card, n) for n in range(52))
_BY_NOTATION = dict(zip(_NOTATION, CARDS, strict=True))
# For each suit, the cards of each of its 8,192 possible holdings, low to high, and the same by mask: as far as they
# were met so far, since a bot that starts should not wait for all of them.
HOLDINGS: tuple[list[Any], ...] = tuple([None] * (1 << 13) for _ in Suit)
SPADES, HEARTS, DIAMONDS, CLUBS = HOLDINGS
OF_ONE_SUIT: dict[int, tuple[Card, ...]] = {}


def cards_in(mask: int) -> tuple[Card, ...]:
    """The cards of a 52-bit mask, by suit in the order S H D C, low to high within each."""
    try:
        return OF_ONE_SUIT.get(mask) or (
            SPADES[mask & 8191] + HEARTS[mask >> 13 & 8191] + DIAMONDS[mask >> 26 & 8191] + CLUBS[mask >> 39]
        )
    except TypeError:  # None was met
        _write_down(mask)
        return cards_in(mask)


def _write_down(mask: int) -> None:
    for suit, holdings in enumerate(HOLDINGS):
        bits = mask >> 13 * suit & SUIT_BITS
        holdings[bits] = OF_ONE_SUIT[bits << 13 * suit] = tuple(
            CARDS[13 * suit + rank] for rank in range(13) if bits >> rank & 1
        )


class Cards(int):
    """A set of cards, one bit each: ``len``, ``in``, iteration (S H D C, low to high), ``| & - ^`` and ``==``.

    Its ``repr`` is the bridge notation, ``AKQ.JT9.8.2``, and ``Cards.read`` reads that back.
    """

    __slots__ = ()

    @classmethod
    def of(cls, cards: Iterable[Card]) -> Cards:
        """The set of these cards; one that comes twice counts once."""
        mask = 0
        for card in cards:
            mask |= 1 << card
        return cls(mask)

    @classmethod
    def read(cls, text: str) -> Cards:
        """Reads ``AKQ.JT9.8.2`` (suits S.H.D.C, an empty one left empty).

        :raises NotationError: not four suits, an unknown rank, or a card twice.
        """
        suits = text.split(".")
        if len(suits) != 4:
            raise NotationError(f"{text!r:.80} is not a hand: write four suits S.H.D.C with points between them")
        mask = 0
        for suit, ranks in enumerate(suits):
            for letter in ranks:
                bit = 1 << 13 * suit + Rank.read(letter)
                if mask & bit:
                    raise NotationError(f"{text!r:.80} holds the {letter}{SUIT_LETTERS[suit]} twice")
                mask |= bit
        return cls(mask)

    def suit(self, suit: Suit) -> Cards:
        """The cards of one suit."""
        return Cards(int(self) & SUIT_BITS << 13 * suit)

    def count(self, suit: Suit) -> int:
        """How many cards of one suit."""
        return (int(self) >> 13 * suit & SUIT_BITS).bit_count()

    def highest(self, suit: Suit) -> Card | None:
        """The highest card of a suit, None if void."""
        holding = int(self) >> 13 * suit & SUIT_BITS
        return CARDS[13 * suit + holding.bit_length() - 1] if holding else None

    def lowest(self, suit: Suit) -> Card | None:
        """The lowest card of a suit, None if void."""
        holding = int(self) >> 13 * suit & SUIT_BITS
        return CARDS[13 * suit + (holding & -holding).bit_length() - 1] if holding else None

    def __iter__(self) -> Iterator[Card]:
        return iter(cards_in(int(self)))

    def __len__(self) -> int:
        return int(self).bit_count()

    def __contains__(self, card: object) -> bool:
        return isinstance(card, Card) and bool(int(self) >> card & 1)

    def __or__(self, other: int) -> Cards:
        return Cards(int(self) | int(other))

    def __and__(self, other: int) -> Cards:
        return Cards(int(self) & int(other))

    def __xor__(self, other: int) -> Cards:
        return Cards(int(self) ^ int(other))

    def __sub__(self, other: int) -> Cards:
        return Cards(int(self) & ~int(other))

    def __repr__(self) -> str:
        return ".".join(
            "".join(RANK_LETTERS[rank] for rank in range(12, -1, -1) if int(self) >> 13 * suit + rank & 1)
            for suit in range(4)
        )

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return format(repr(self), spec)

    def __getitem__(self, index: SupportsIndex) -> Card:
        mask = int(self)
        return CARDS[(mask & -mask).bit_length() - 1] if index == 0 and mask else cards_in(mask)[index]


DECK = Cards((1 << 52) - 1)
