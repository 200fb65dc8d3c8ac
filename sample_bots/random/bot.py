"""Any legal choice, by dice. The dice come from the view, so the same match is played the same way again."""

from __future__ import annotations

from collections.abc import Iterable

from protocol.bot import Bot, serve
from protocol.cards import Card, Suit
from protocol.view import Contract, View


class Random(Bot):
    name = "random"

    def give(self, view: View) -> Card:
        return self.rng(view).choice(view.legal_cards)

    def claim(self, view: View) -> Suit:
        return self.rng(view).choice(view.legal_suits)

    def give_back(self, view: View) -> Card:
        return self.rng(view).choice(view.legal_cards)

    def declare(self, view: View) -> Contract:
        return self.rng(view).choice(view.legal_contracts)

    def discard(self, view: View) -> Iterable[Card]:
        return self.rng(view).sample(list(view.legal_cards), view.count)

    def play(self, view: View) -> Card:
        return self.rng(view).choice(view.legal_cards)


if __name__ == "__main__":
    serve(Random)
