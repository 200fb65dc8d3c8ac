"""Where the cards that a seat does not see may be, and deals of them that go with all that it has seen for certain."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import comb

import numpy as np
from numpy.typing import NDArray

from protocol.cards import Card, Cards
from protocol.view import Exchange, TurnKind, View

__all__ = ["ASIDE", "Deals", "Unseen"]

Deals = NDArray[np.uint64]
Place = int
ASIDE: Place = 3
"""A place beside the three seats: the kitty until the dealer takes it, then what he put aside."""

SUIT = tuple(8191 << 13 * suit for suit in range(4))


class Unseen:
    """What a seat can tell about the cards that it does not see.

    :ivar cards: those cards, in bits.
    :ivar may: by place (the seats 0 to 2, and ``ASIDE``), the cards of these that may be there.
    :ivar room: by place, how many of them are there.
    """

    def __init__(self, view: View) -> None:
        self.view = view
        self.left, self.right = (view.seat + 1) % 3, (view.seat + 2) % 3
        self.cards = int(view.unseen())
        deck = int(view.rules.deck)
        self.may = [deck, deck, deck, deck if view.rules.kitty_size else 0]
        self.may[view.seat] = 0
        for exchange in view.exchanges:
            if view.seat == exchange.up:
                self._took(exchange)
            elif view.seat == exchange.down:
                self._gave(exchange)
            else:
                self._looked_on(exchange)
        if view.kind is TurnKind.PLAY:
            self._after_the_discard()
        elif view.kitty:
            self.may[ASIDE] = 0
        for seat in (self.left, self.right):
            for suit in view.voids(seat):
                self.may[seat] &= ~SUIT[suit]
        self.may = [cards & self.cards for cards in self.may]
        self.room = self._room()

    # What exchanges show (R5)

    def _took(self, exchange: Exchange) -> None:
        """I was up. He gave me his highest of the suit, so he has no higher one; or he had none (R5.2)."""
        down = exchange.down
        if exchange.got is None or exchange.gave is None:
            assert exchange.suit is not None
            self.may[down] &= ~SUIT[exchange.suit]
            return
        self.may[down] &= ~above(exchange.got)
        self._is_with(down, exchange.gave)  # a card that bounced is in my hand: then this says nothing

    def _gave(self, exchange: Exchange) -> None:
        """I was down. He has the card that I gave, or that bounced; not one that he gave back at once."""
        if exchange.got is not None and (exchange.got != exchange.gave or exchange.suit is None):
            self._is_with(exchange.up, exchange.got)

    def _looked_on(self, exchange: Exchange) -> None:
        """Some card went up, of the suit that was claimed if one was, and some card went down."""
        moved = -1 if exchange.suit is None else SUIT[exchange.suit]
        self.may[exchange.up] |= self.may[exchange.down] & moved
        self.may[exchange.down] |= self.may[exchange.up]

    def _is_with(self, seat: int, card: Card) -> None:
        self.may = [cards & ~(1 << card) for cards in self.may]
        self.may[seat] |= 1 << card

    def _after_the_discard(self) -> None:
        """R4.1: the dealer put cards of his hand aside, then took the kitty; R4.2: the other way round."""
        view, kitty = self.view, self.may[ASIDE]
        held = self.may[view.dealer]
        if view.seat == view.dealer:
            self.may[ASIDE] = 0
        elif view.rules.kitty_size:
            self.may[view.dealer] |= kitty
            self.may[ASIDE] = held if view.rules.kitty == "discard-first" else held | kitty

    def _room(self) -> list[int]:
        view = self.view
        room = [0, 0, 0, 0]
        for seat in (self.left, self.right):
            played = sum((seat - leader) % 3 < len(view.played) - 3 * i for i, leader in enumerate(view.leaders))
            owed = view.kind is TurnKind.GIVE_BACK and seat == view.partner  # he waits for a card
            room[seat] = view.rules.tricks - played - owed
        room[ASIDE] = self.cards.bit_count() - sum(room)
        return room

    # Deals

    def deals(self, n: int, dice: np.random.Generator) -> Deals:
        """Deals of the unseen cards, each that fits as likely as any other.

        :return: sets of cards (bits), of shape (n, 4), by place; my own is empty.
        """
        kinds: dict[tuple[Place, ...], list[int]] = {}
        for card in Cards(self.cards):
            where = tuple(place for place in (self.left, self.right, ASIDE) if self.may[place] >> card & 1)
            kinds.setdefault(where, []).append(card)
        dealt = np.zeros((n, 4), np.uint64)
        for where, sizes in self._sizes(kinds, n, dice):
            deal_out(kinds[where], where, sizes, dealt, dice)
        return dealt

    def _sizes(
        self, kinds: dict[tuple[Place, ...], list[int]], n: int, dice: np.random.Generator
    ) -> Iterator[tuple[tuple[Place, ...], NDArray[np.int64]]]:
        """How many cards of each kind lie in each of its places, by deal; each way as often as deals go that way."""
        room = list(self.room)
        for where, cards in kinds.items():
            if len(where) == 1:
                room[where[0]] -= len(cards)
                yield where, np.full((n, 1), len(cards))
        pairs = [where for where in kinds if len(where) == 2]
        anywhere = (self.left, self.right, ASIDE)
        rest = len(kinds.get(anywhere, ()))
        ways: list[tuple[int, ...]] = []
        weights: list[int] = []
        for firsts in product(*(range(len(kinds[pair]) + 1) for pair in pairs)):
            free, weight = list(room), 1
            for pair, first in zip(pairs, firsts, strict=True):
                free[pair[0]] -= first
                free[pair[1]] -= len(kinds[pair]) - first
                weight *= comb(len(kinds[pair]), first)
            if min(free) >= 0 and sum(free) == rest:
                ways.append((*firsts, free[self.left], free[self.right], free[ASIDE]))
                weights.append(weight * comb(rest, free[self.left]) * comb(rest - free[self.left], free[self.right]))
        chances = np.array(weights, float)
        chosen = np.array(ways)[dice.choice(len(ways), n, p=chances / chances.sum())]
        for i, pair in enumerate(pairs):
            yield pair, np.stack([chosen[:, i], len(kinds[pair]) - chosen[:, i]], 1)
        if rest:
            yield anywhere, chosen[:, -3:]


def deal_out(
    cards: list[int], where: tuple[Place, ...], sizes: NDArray[np.int64], dealt: Deals, dice: np.random.Generator
) -> None:
    """Shuffles cards for each deal and lays them in these places, so many in each."""
    order = dice.random((len(dealt), len(cards)), np.float32).argsort(axis=1)
    shuffled = np.uint64(1) << np.array(cards, np.uint64)[order]
    number = np.arange(len(cards))
    start = np.zeros((len(dealt), 1), np.int64)
    for place, size in zip(where, sizes.T, strict=True):
        end = start + size[:, None]
        dealt[:, place] |= np.where((number >= start) & (number < end), shuffled, np.uint64(0)).sum(1, dtype=np.uint64)
        start = end


def above(card: Card) -> int:
    """The higher cards of the same suit."""
    return SUIT[card.suit] & -(2 << card)
