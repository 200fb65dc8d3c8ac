"""The first legal choice in the order of the protocol: spades, hearts, diamonds, clubs, each from low to high."""

from __future__ import annotations

from collections.abc import Iterable

from protocol.bot import Bot, serve
from protocol.cards import Card, Suit
from protocol.view import Contract, View


class FirstLegal(Bot):
    name = "first-legal"

    def give(self, view: View) -> Card:
        return view.legal_cards[0]

    def claim(self, view: View) -> Suit:
        return view.legal_suits[0]

    def give_back(self, view: View) -> Card:
        return view.legal_cards[0]

    def declare(self, view: View) -> Contract:
        return view.legal_contracts[0]

    def discard(self, view: View) -> Iterable[Card]:
        return list(view.legal_cards)[: view.count]

    def play(self, view: View) -> Card:
        return view.legal_cards[0]


if __name__ == "__main__":
    serve(FirstLegal)
