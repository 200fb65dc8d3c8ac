"""Always the highest legal card. All else is left to the kit's defaults, which keep high cards and long suits:

trump in the longest suit, the lowest cards given, given back and put aside, a claim in the longest suit that lacks the
ace. It wins tricks early and has only losers left late.
"""

from __future__ import annotations

from protocol.bot import Bot, serve
from protocol.cards import Card
from protocol.view import View


class HighCard(Bot):
    name = "high-card"

    def play(self, view: View) -> Card:
        """Of equal ranks, spades before hearts before diamonds before clubs."""
        return max(view.legal_cards, key=lambda card: (card.rank, -card.suit))


if __name__ == "__main__":
    serve(HighCard)
