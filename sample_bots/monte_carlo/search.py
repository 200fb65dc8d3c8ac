"""The search: every choice is played out in the same deals, until one is clearly best or the time is up."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from time import perf_counter
from typing import TypeVar

import numpy as np
from looks import best_looking
from numpy.typing import NDArray
from prospects import prospects
from reading import log_likelihoods
from rest import Rest, suit_lane
from unseen import ASIDE, Deals, Unseen

from protocol.cards import Card, Cards, Suit
from protocol.view import Contract, View
from referee.exchange import exchanges_due
from referee.lanes import Lanes, lanes_of
from referee.playout import Playout, play_out
from referee.policies import duck

__all__ = ["Search"]

Reals = NDArray[np.float64]
Option = TypeVar("Option")
Evaluate = Callable[[list[Option], Deals], Reals]
"""What each option comes to in each deal, of shape (options, deals)."""

SHARE, AT_MOST_S = 0.5, 2.0
"""How much of the time for a decision it uses, and seconds at most."""
READING = 0.25
"""The share of that in which it looks for deals that go with how the others played."""
FIRST_LOOK, LOOK = 128, 512
DEALS = 4000
"""Deals that are weighed at most."""
FIRST_PLAYOUTS, FEWEST, MOST = 300, 150, 2000
"""Playouts at once: a first lot to see how long they take, then what fits into the time."""
ENOUGH = 20_000
"""Deals after which it doesn't matter any more."""
CLEARLY, AT_LEAST = 3.0, 60
"""Standard errors by which an option must be behind to be dropped, and deals before any is."""


class Search:
    """Chooses for a bot, in all six kinds of turns.

    :param now: the clock, in seconds; ``move_time_s`` the time for a decision, if not the view's.
    """

    def __init__(self, now: Callable[[], float] = perf_counter, move_time_s: float | None = None) -> None:
        self.now = now
        self.move_time_s = move_time_s

    # The kinds of turns

    def play(self, view: View) -> Card:
        lacking = np.array([sum(8191 << 13 * suit for suit in view.voids(seat)) for seat in range(3)], np.uint64)
        tricks = view.tricks
        last = [max((i for i, trick in enumerate(tricks) if trick.winner == seat), default=-1) for seat in range(3)]

        def evaluate(options: list[Card], deals: Deals) -> Reals:
            k = len(options)
            hands = np.tile(deals, (k, 1))
            aside = hands[:, ASIDE] | np.uint64(int(view.discard))
            trump = trump_of(view.contract)
            playout = Playout(
                hands[:, :3],
                trump,
                view.leaders[-1],
                list(map(int, view.trick)),
                aside,
                lacking,
                view.taken,
                last,
                len(view.played) // 3,
            )
            playout.play(lanes_of(each(options, len(deals)), trump))
            return self._to_the_end(view, playout, view.contract, k)

        return self._best(view, list(view.legal_cards), evaluate)

    def give(self, view: View) -> Card:
        (up, down), *later = due(view)

        def evaluate(options: list[Card], deals: Deals) -> Reals:
            rest = rest_of(view, deals, len(options))
            rest.swap(up, down, lanes_of(each(options, len(deals)), -1))
            rest.exchange(tuple(later))
            return self._announced(view, rest, len(options))

        return self._best(view, list(view.legal_cards), evaluate)

    def claim(self, view: View) -> Suit:
        (up, down), *later = due(view)

        def evaluate(options: list[Suit], deals: Deals) -> Reals:
            rest = rest_of(view, deals, len(options))
            rest.claim(up, down, np.repeat(np.array([suit_lane(suit) for suit in options]), len(deals)))
            rest.exchange(tuple(later))
            return self._announced(view, rest, len(options))

        return self._best(view, list(view.legal_suits), evaluate)

    def give_back(self, view: View) -> Card:
        (up, down), *later = due(view)

        def evaluate(options: list[Card], deals: Deals) -> Reals:
            rest = rest_of(view, deals, len(options))
            rest.pass_on(up, down, lanes_of(each(options, len(deals)), -1))
            rest.exchange(tuple(later))
            return self._announced(view, rest, len(options))

        return self._best(view, list(view.legal_cards), evaluate)

    def declare(self, view: View) -> Contract:
        def evaluate(options: list[Contract], deals: Deals) -> Reals:
            return np.concatenate([self._played(view, rest_of(view, deals, 1), option, None, 1) for option in options])

        return self._best(view, list(view.legal_contracts), evaluate)

    def discard(self, view: View) -> Cards:
        def evaluate(options: list[Cards], deals: Deals) -> Reals:
            rest = rest_of(view, deals, len(options))
            aside = lanes_of(np.repeat(np.array(list(map(int, options)), np.uint64), len(deals)), -1)
            return self._played(view, rest, view.contract, aside, len(options))

        return self._best(view, plans(view), evaluate)

    # Playing out

    def _announced(self, view: View, rest: Rest, options: int) -> Reals:
        """The dealer names a suit and discards by the tips."""
        trump = rest.best_trump()
        return self._to_the_end(view, rest.playout(trump, rest.put_aside(trump)), None, options)

    def _played(self, view: View, rest: Rest, contract: Contract | None, aside: Lanes | None, options: int) -> Reals:
        trump = trump_of(contract)
        put = rest.put_aside(trump, contract is Contract.MISERE) if aside is None else aside
        return self._to_the_end(view, rest.playout(trump, put), contract, options)

    def _to_the_end(self, view: View, playout: Playout, contract: Contract | None, options: int) -> Reals:
        misere = contract is Contract.MISERE
        play_out(playout, duck if misere else best_looking)
        return prospects(view, misere, playout.taken, playout.last_taken).reshape(options, -1)

    # Choosing

    def _best(self, view: View, options: list[Option], evaluate: Evaluate[Option]) -> Option:
        begun = self.now()
        time_s = min(SHARE * (self.move_time_s or view.clock.move_time_s), AT_MOST_S)
        dice = np.random.default_rng((view.seed << 16) + view.decision)
        deals, chances = self._likely_deals(view, dice, begun + READING * time_s)
        worth = np.zeros((len(options), 0))
        lot = FIRST_PLAYOUTS
        while len(options) > 1 and worth.shape[1] < ENOUGH and lot >= FEWEST:
            lot_begun = self.now()
            some = draw(chances, max(lot // len(options), 1), dice)
            worth = np.concatenate([worth, evaluate(options, deals[some])], 1)
            now = self.now()
            lot = min(MOST, int(lot * (begun + time_s - now) / max(now - lot_begun, 1e-6)))
            stay = in_the_race(worth)
            options, worth = [option for option, stays in zip(options, stay, strict=True) if stays], worth[stay]
        return options[int(worth.mean(1).argmax())] if worth.size else options[0]

    def _likely_deals(self, view: View, dice: np.random.Generator, until: float) -> tuple[Deals, Reals]:
        """Deals of the unseen cards, with my own hand, and how likely each is."""
        unseen = Unseen(view)
        found: list[Deals] = []
        likely: list[Reals] = []
        n = FIRST_LOOK if view.played else DEALS
        while not found or (self.now() < until and sum(len(deals) for deals in found) < DEALS):
            deals = unseen.deals(n, dice)
            deals[:, view.seat] = int(view.hand)
            found.append(deals)
            likely.append(log_likelihoods(view, deals) if view.played else np.zeros(n))
            n = LOOK
        logarithm = np.concatenate(likely)
        chances = np.exp(logarithm - logarithm.max())
        return np.concatenate(found), chances / chances.sum()


def in_the_race(worth: Reals) -> NDArray[np.bool_]:
    """The options that may still be the best; of those that come to the same in every deal, one."""
    means = worth.mean(1)
    best = int(means.argmax())
    if worth.shape[1] < AT_LEAST:
        return np.ones(len(worth), bool)
    behind = worth[best] - worth
    error = behind.std(1) / np.sqrt(worth.shape[1])
    stay: NDArray[np.bool_] = (behind.mean(1) <= CLEARLY * error) & (error > 0)
    stay[best] = True
    return stay


def draw(chances: Reals, n: int, dice: np.random.Generator) -> NDArray[np.int64]:
    """Numbers of deals, each as often as it is likely, by systematic sampling."""
    marks = (dice.random() + np.arange(n)) / n
    return np.minimum(np.searchsorted(np.cumsum(chances), marks), len(chances) - 1)


def trump_of(contract: Contract | None) -> int:
    return -1 if contract is None or contract.trump is None else int(contract.trump)


def each(options: list[Card], deals: int) -> Lanes:
    return np.repeat(np.array([1 << option for option in options], np.uint64), deals)


def rest_of(view: View, deals: Deals, options: int) -> Rest:
    """The deals once for each option. My own kitty is in my hand already (R4.2)."""
    hands = np.tile(deals, (options, 1))
    return Rest(view.rules, view.dealer, hands[:, :3], hands[:, ASIDE])


def due(view: View) -> tuple[tuple[int, int], ...]:
    """The exchanges still to come, as (up, down), the one in question first."""
    assert view.last_scores is not None
    return exchanges_due(view.rules, view.last_scores, view.targets, view.dealer)[len(view.exchanges) :]


def plans(view: View) -> list[Cards]:
    """All ways to put the lowest cards of one or more suits aside; in misère, the highest."""
    cards = list(view.legal_cards)
    misere = view.contract is Contract.MISERE
    suits = [sorted((card for card in cards if card.suit is suit), reverse=misere) for suit in Suit]
    return [
        Cards.of(card for count, suit in zip(counts, suits, strict=True) for card in suit[:count])
        for counts in product(range(view.count + 1), repeat=4)
        if sum(counts) == view.count and all(count <= len(suit) for count, suit in zip(counts, suits, strict=True))
    ]
