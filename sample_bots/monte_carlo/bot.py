"""A determinised search: deals the unseen cards many times, as they go with all it saw, and plays each choice out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import TypeVar

import numpy as np
from looks import best_looking
from prospects import prospects
from rest import Rest, suit_lane
from search import Reals, Search
from unseen import ASIDE, Deals

from protocol.bot import Bot, serve
from protocol.cards import Card, Cards, Suit
from protocol.view import Contract, View
from referee.exchange import exchanges_due
from referee.lanes import Lanes, lanes_of
from referee.playout import Playout, play_out
from referee.policies import duck

Choice = TypeVar("Choice", Card, Suit)
Exchanged = Callable[[Rest, int, int, Lanes], None]


class MonteCarlo(Bot):
    """Plays every choice out in the same deals.

    :param search: how long it looks, and by which clock.
    """

    name = "monte_carlo"

    def __init__(self, search: Search | None = None) -> None:
        self.search = search or Search()

    def give(self, view: View) -> Card:
        return self._exchange(view, list(view.legal_cards), Rest.swap)

    def claim(self, view: View) -> Suit:
        return self._exchange(view, list(view.legal_suits), Rest.claim)

    def give_back(self, view: View) -> Card:
        return self._exchange(view, list(view.legal_cards), Rest.pass_on)

    def _exchange(self, view: View, options: list[Choice], exchanged: Exchanged) -> Choice:
        """The choice is carried out; then come the other exchanges, contract, discard and play."""
        assert view.last_scores is not None
        due = exchanges_due(view.rules, view.last_scores, view.targets, view.dealer)[len(view.exchanges) :]
        (up, down), *later = due

        def evaluate(options: list[Choice], deals: Deals) -> Reals:
            rest = rest_of(view, deals, len(options))
            exchanged(rest, up, down, np.repeat(lanes_for(options), len(deals)))
            rest.exchange(later)
            trump = rest.best_trump()
            return worths(view, rest.playout(trump, rest.put_aside(trump)), None, len(options))

        return self.search.best(view, options, evaluate)

    def declare(self, view: View) -> Contract:
        def evaluate(options: list[Contract], deals: Deals) -> Reals:
            return np.concatenate([announced(view, contract, deals) for contract in options])

        return self.search.best(view, list(view.legal_contracts), evaluate)

    def discard(self, view: View) -> Cards:
        def evaluate(options: list[Cards], deals: Deals) -> Reals:
            rest = rest_of(view, deals, len(options))
            aside = np.repeat(lanes_of(np.array(list(map(int, options)), np.uint64), -1), len(deals))
            return worths(view, rest.playout(trump_of(view.contract), aside), view.contract, len(options))

        return self.search.best(view, plans(view), evaluate)

    def play(self, view: View) -> Card:
        lacking = np.array([sum(8191 << 13 * suit for suit in view.voids(seat)) for seat in range(3)], np.uint64)
        tricks, trump = view.tricks, trump_of(view.contract)
        last = [max((i for i, trick in enumerate(tricks) if trick.winner == seat), default=-1) for seat in range(3)]

        def evaluate(options: list[Card], deals: Deals) -> Reals:
            places = np.tile(deals, (len(options), 1))
            playout = Playout(
                places[:, :3],
                trump,
                view.leaders[-1],
                list(map(int, view.trick)),
                places[:, ASIDE] | np.uint64(int(view.discard)),
                lacking,
                view.taken,
                last,
                len(view.played) // 3,
            )
            cards = np.repeat(np.array([1 << card for card in options], np.uint64), len(deals))
            playout.play(lanes_of(cards, trump))
            return worths(view, playout, view.contract, len(options))

        return self.search.best(view, list(view.legal_cards), evaluate)


def announced(view: View, contract: Contract, deals: Deals) -> Reals:
    """What a contract is worth in each deal, of shape (1, deals)."""
    rest, trump = rest_of(view, deals, 1), trump_of(contract)
    aside = rest.put_aside(trump, contract is Contract.MISERE)
    return worths(view, rest.playout(trump, aside), contract, 1)


def worths(view: View, playout: Playout, contract: Contract | None, options: int) -> Reals:
    """What the outcome is worth to me, of shape (options, deals), when everybody plays on by the tips."""
    misere = contract is Contract.MISERE
    play_out(playout, duck if misere else best_looking)
    return prospects(view, misere, playout.taken, playout.last_taken).reshape(options, -1)


def rest_of(view: View, deals: Deals, options: int) -> Rest:
    """The deals once for each option. My own kitty is in my hand already (R4.2)."""
    places = np.tile(deals, (options, 1))
    return Rest(view.rules, view.dealer, places[:, :3], places[:, ASIDE])


def trump_of(contract: Contract | None) -> int:
    return -1 if contract is None or contract.trump is None else int(contract.trump)


def lanes_for(options: Sequence[Card | Suit]) -> Lanes:
    """Cards as they are, suits with all their cards; no suit is trumps."""
    lanes = [suit_lane(one) if isinstance(one, Suit) else lanes_of(1 << one, -1) for one in options]
    return np.array(lanes, np.uint64)


def plans(view: View) -> list[Cards]:
    """All ways to put the lowest cards of one or more suits aside; in misère, the highest."""
    misere = view.contract is Contract.MISERE
    suits = [sorted(view.legal_cards.suit(suit), reverse=misere) for suit in Suit]
    return [
        Cards.of(card for count, suit in zip(counts, suits, strict=True) for card in suit[:count])
        for counts in product(range(view.count + 1), repeat=4)
        if sum(counts) == view.count and all(count <= len(suit) for count, suit in zip(counts, suits, strict=True))
    ]


if __name__ == "__main__":
    serve(MonteCarlo)
