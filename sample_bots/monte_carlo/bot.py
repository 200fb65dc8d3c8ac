"""A determinised search: deals the unseen cards many times, as they go with all it saw, and plays each choice out."""

from __future__ import annotations

from search import Search

from protocol.bot import Bot, serve
from protocol.cards import Card, Cards, Suit
from protocol.view import Contract, View


class MonteCarlo(Bot):
    name = "monte_carlo"

    def __init__(self, search: Search | None = None) -> None:
        self.search = search or Search()

    def give(self, view: View) -> Card:
        return self.search.give(view)

    def claim(self, view: View) -> Suit:
        return self.search.claim(view)

    def give_back(self, view: View) -> Card:
        return self.search.give_back(view)

    def declare(self, view: View) -> Contract:
        return self.search.declare(view)

    def discard(self, view: View) -> Cards:
        return self.search.discard(view)

    def play(self, view: View) -> Card:
        return self.search.play(view)


if __name__ == "__main__":
    serve(MonteCarlo)
