"""Thousands of deals played out at once: each play of a card is a fixed number of numpy operations over all of them.

For bots that search. It is the play alone (R6), from the first lead or any later turn. What comes out is what
``referee.round`` says, card by card; the tests hold it to that.

>>> hands = [[int(Cards.read(hand)) for hand in ("A3..2.", "K..3.A", "2..A.3")]]
>>> play_out(Playout(hands, trump=Suit.SPADES, leader=0), tips).taken.tolist()
[[1, 1, 1]]
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from referee.lanes import NONE, ONE, TRUMPS, Lanes, lanes_of, suits_of

__all__ = ["Playout", "Policy", "play_out"]

Whole = NDArray[np.uint8]


class Playout:
    """Deals in play, all at the same turn: as many cards in the hands, as many on the table.

    :param hands: cards held, 52 bits each, of shape (n, 3), by seat.
    :param trump: the trump suit, 0 to 3, −1 for none; one for all or n.
    :param leader: the seat that leads to the trick, or led to it if cards are on the table; one for all or n.
    :param aside: the dealer's discard, one for all or n: no longer in play, but nobody can tell.
    :param table: the numbers of the cards on the table in their order, of shape (n, k) or (k).
    :param lacking: suits a seat has shown it does not hold, as the bits of all their cards, of shape (n, 3) or (3).
    :param taken: tricks taken so far, of shape (n, 3) or (3), by seat; ``last_taken`` the number of the last, or −1.
    :param tricks: how many tricks were complete before.

    :ivar place: whose turn it is in the trick: 0 leads, 1 is second, 2 third. ``seat`` has the seats, of shape (n).
    :ivar hands: three arrays of lanes, of shape (n), by place; ``hand`` is that of the one on turn.
    :ivar legal: the cards (lanes) that may be played; ``void`` says who can't follow suit, once a card was led.
    :ivar out: cards (lanes) not yet played, the discard included.
    :ivar shown: three arrays of lanes by place: the suits that each has shown it does not hold.
    :ivar led: the lane of the suit led; ``able`` the lanes that can win the trick; ``best`` the card that wins so far.
    """

    def __init__(
        self,
        hands: ArrayLike,
        trump: ArrayLike,
        leader: ArrayLike,
        table: ArrayLike = (),
        aside: ArrayLike = 0,
        lacking: ArrayLike = 0,
        taken: ArrayLike = 0,
        last_taken: ArrayLike = -1,
        tricks: int = 0,
    ) -> None:
        n = len(np.asarray(hands))
        self.leader = np.broadcast_to(np.asarray(leader, np.uint8), n)
        played = np.broadcast_to(np.asarray(table, np.int64), (n, np.shape(table)[-1]))
        held = with_played(np.asarray(hands, np.uint64), played, self.leader)
        self.suit = np.broadcast_to(np.asarray(trump), n)
        self.trump = np.where(self.suit < 0, NONE, TRUMPS)
        self.tricks = tricks
        self._taken = np.broadcast_to(np.asarray(taken, np.uint8), (n, 3)).T.copy()
        self._last_taken = np.broadcast_to(np.asarray(last_taken, np.int8), (n, 3)).T.copy()
        places = (self.leader[:, None] + np.arange(3)) % 3
        shown = np.broadcast_to(np.asarray(lacking, np.uint64), (n, 3))
        self.hands = self._by_place(held, places)
        self.shown = [suits_of(lanes) for lanes in self._by_place(shown, places)]
        self.out = self.hands[0] | self.hands[1] | self.hands[2] | lanes_of(aside, self.suit)
        self.left = int(np.bitwise_count(held[0]).sum()) if n else 0
        self.place = 0
        self.void = np.zeros(n, bool)
        self.led = self.able = self.best = np.zeros(n, np.uint64)
        self._second = self.void
        self._ask()
        for cards in played.T:
            self.play(lanes_of(ONE << cards.astype(np.uint64), self.suit))

    def _by_place(self, cards: Lanes, places: NDArray[np.int64]) -> list[Lanes]:
        by_place = np.take_along_axis(cards, places, axis=1)
        return [lanes_of(by_place[:, place], self.suit) for place in range(3)]

    @property
    def seat(self) -> Whole:
        """The seat on turn, of shape (n)."""
        return around(self.leader + np.uint8(self.place))

    @property
    def hand(self) -> Lanes:
        return self.hands[self.place]

    @property
    def taken(self) -> Whole:
        """Tricks taken, of shape (n, 3), by seat."""
        return self._taken.T

    @property
    def last_taken(self) -> NDArray[np.int8]:
        """The number of the last trick that each seat took, −1 for none, of shape (n, 3)."""
        return self._last_taken.T

    def play(self, card: Lanes) -> None:
        """Each deal's seat on turn plays this card: one bit of its ``legal``."""
        place = self.place
        self.hands[place] = self.hands[place] ^ card
        self.out = self.out ^ card
        self.left -= 1
        if place == 0:
            self.led = suits_of(card)
            self.able = self.led | self.trump
            self.best = card
        else:
            card = card & self.able  # R6.3: a card of a third suit is worth nothing
            better = card > self.best
            self.best = np.maximum(self.best, card)
            if place == 1:
                self._second = better
            else:
                self._take_trick(self._second, better)
        self.place = (place + 1) % 3
        self._ask()

    def _ask(self) -> None:
        hand = self.hands[self.place]
        if self.place == 0:
            self.legal = hand
            return
        follow = hand & self.led
        self.void = follow == 0
        self.legal = np.where(self.void, hand, follow)  # R6.2
        self.shown[self.place] = self.shown[self.place] | np.where(self.void, self.led, NONE)

    def _take_trick(self, second: NDArray[np.bool_], third: NDArray[np.bool_]) -> None:
        """The winner leads next (R6.3): whoever came third, came second, or led."""
        winner = np.where(third, np.uint8(2), second.view(np.uint8))
        self.leader = around(self.leader + winner)
        for places in (self.hands, self.shown):
            a, b, c = places
            places[0] = np.where(third, c, np.where(second, b, a))
            places[1] = np.where(third, a, np.where(second, c, b))
            places[2] = np.where(third, b, np.where(second, a, c))
        for seat in range(3):
            took = self.leader == seat
            self._taken[seat] += took
            self._last_taken[seat][took] = self.tricks
        self.tricks += 1


def with_played(hands: Lanes, played: NDArray[np.int64], leader: Whole) -> Lanes:
    """The hands as they were before the trick began."""
    hands = hands.copy()
    for place, cards in enumerate(played.T):
        hands[np.arange(len(hands)), around(leader + np.uint8(place))] |= ONE << cards.astype(np.uint64)
    return hands


def around(seats: Whole) -> Whole:
    """Seats counted on past the third start again."""
    return seats - np.uint8(3) * (seats > 2)


Policy = Callable[[Playout], Lanes]
"""Chooses for the seat on turn: one bit of ``legal`` for each deal."""


def play_out(playout: Playout, policy: Policy) -> Playout:
    """Plays until the hands are empty; the playout itself, for its ``taken`` and ``last_taken``."""
    while playout.left:
        playout.play(policy(playout))
    return playout
