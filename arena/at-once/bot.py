"""A bot that answers at once: what is left of a decision's time is the arena's."""

from collections.abc import Iterable

from protocol.bot import Bot, serve
from protocol.cards import Card
from protocol.view import View


class AtOnce(Bot):
    def play(self, view: View) -> Card:
        return view.legal_cards[0]

    def give(self, view: View) -> Card:
        return view.legal_cards[0]

    def give_back(self, view: View) -> Card:
        return view.legal_cards[0]

    def discard(self, view: View) -> Iterable[Card]:
        return list(view.legal_cards)[: view.count]


serve(AtOnce)
