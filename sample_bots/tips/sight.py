"""What a seat can tell about the cards it does not see: who may still hold them, and how likely it is."""

from __future__ import annotations

from functools import cache

from protocol.cards import Card
from protocol.view import View

SUIT = tuple(8191 << 13 * suit for suit in range(4))
"""The cards of each suit, in bits."""


def above(card: int) -> int:
    """The higher cards of the same suit."""
    return SUIT[card // 13] & -(2 << card)


def below(card: int) -> int:
    """The lower cards of the same suit."""
    return SUIT[card // 13] & (1 << card) - 1


def beats(card: int, best: int, trump: int) -> bool:
    """Whether a card that is played after ``best`` beats it (R6.3); ``trump`` is -1 without one."""
    return card > best if card // 13 == best // 13 else card // 13 == trump


@cache
def holds_none(cards: int, places: int, hand: int) -> float:
    """The chance that a hand, so many of the places where these cards may lie, has none of them."""
    chance = 1.0
    for i in range(cards):
        if places - hand <= i:
            return 0.0
        chance *= (places - hand - i) / (places - i)
    return chance


class Sight:
    """A round as a seat sees it. Sets of cards are in bits.

    :ivar unseen: the cards in the two other hands, in the kitty or among the discards.
    :ivar others: the two other seats, clockwise.
    :ivar may: by seat, the unseen cards that it may still hold.
    :ivar after: the seats that still play to this trick.
    :ivar led: the suit led to this trick, -1 if none is yet; ``best`` the card that wins it so far, -1 if none.
    """

    __slots__ = ("_chances", "_sizes", "after", "best", "hand", "led", "may", "others", "trump", "unseen")

    def __init__(self, view: View) -> None:
        self.hand = int(view.hand)
        self.trump = -1 if view.trump is None else int(view.trump)
        self.unseen = int(view.unseen())
        self.others = ((view.seat + 1) % 3, (view.seat + 2) % 3)
        self.may = {seat: self.unseen & ~lacks(view, seat) for seat in self.others}
        trick = view.trick
        self.after = self.others[: 2 - len(trick)]
        self.led = trick[0] // 13 if trick else -1
        self.best = -1
        for card in trick:
            if self.best < 0 or beats(card, self.best, self.trump):
                self.best = int(card)
        cards = len(view.hand)
        self._sizes = {seat: cards if seat in self.after else cards - 1 for seat in self.others}
        self._chances: dict[tuple[int, int], float] = {}

    def chance(self, seat: int, cards: int) -> float:
        """The chance that a seat holds at least one of these cards."""
        known = self._chances.get((seat, cards))
        if known is None:
            known = self._chances[seat, cards] = self._chance(seat, cards & self.may[seat])
        return known

    def _chance(self, seat: int, cards: int) -> float:
        if not cards:
            return 0.0
        places = self.unseen.bit_count()
        other = self.others[0] if seat == self.others[1] else self.others[1]
        if not cards & self.may[other]:
            places -= self._sizes[other]
        return 1.0 - holds_none(cards.bit_count(), places, self._sizes[seat])

    def wins(self, card: Card) -> float:
        """The chance that a card wins the trick on the table, if everybody beats it who can."""
        if self.best >= 0 and not beats(card, self.best, self.trump):
            return 0.0
        suit = card // 13
        led = suit if self.led < 0 else self.led
        chance = 1.0
        for seat in self.after:
            chance *= 1.0 - self._is_beaten(seat, card, suit, led)
        return chance

    def _is_beaten(self, seat: int, card: int, suit: int, led: int) -> float:
        higher = self.chance(seat, above(card))
        if suit == led:
            ruffs = self.ruffs(seat, led) if self.trump >= 0 and led != self.trump else 0.0
            return min(higher + ruffs, 1.0)
        return higher * (1.0 - self.chance(seat, SUIT[led]))

    def ruffs(self, seat: int, suit: int) -> float:
        """The chance that a seat is void in a suit and has a trump."""
        return (1.0 - self.chance(seat, SUIT[suit])) * self.chance(seat, SUIT[self.trump])


def lacks(view: View, seat: int) -> int:
    """The cards that a seat has shown it does not hold: by not following suit (R6.2), and in the exchange (R5)."""
    missing = 0
    played = view.played
    for i, leader in enumerate(view.leaders):
        place = 3 * i + (seat - leader) % 3
        if place < len(played) and played[place] // 13 != played[3 * i] // 13:
            missing |= SUIT[played[3 * i] // 13]
    if seat == view.dealer and view.contract and view.rules.kitty_size:
        return missing  # the kitty may have brought what he lacked
    for exchange in view.exchanges:
        if exchange.up == view.seat and exchange.down == seat:
            if exchange.got is not None:
                missing |= above(exchange.got)
            elif exchange.suit is not None:
                missing |= SUIT[exchange.suit]
    return missing
