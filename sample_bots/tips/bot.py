"""Plays by the tips of an experienced table. Each choice is a pure function of the view.

- Trump in the longest suit with the most high cards; losers of short side suits put aside, to be void and trump there.
- Up: claim where the down player probably has the ace, and give the least useful card back; in a swap, give a low card
  of a suit in which the ace is lacking.
- At play, spend no high card on a trick that is lost, win as cheaply as possible, lead low from a suit without
  prospects, and draw trumps when holding most of them.
"""

from __future__ import annotations

import hands
import playing

from protocol.bot import Bot, serve
from protocol.cards import Card, Cards, Suit
from protocol.view import Contract, View


class Tips(Bot):
    name = "tips"

    def give(self, view: View) -> Card:
        return hands.give(view)

    def claim(self, view: View) -> Suit:
        return hands.claim(view)

    def give_back(self, view: View) -> Card:
        return hands.give_back(view)

    def declare(self, view: View) -> Contract:
        return hands.declare(view)

    def discard(self, view: View) -> Cards:
        return hands.discard(view)

    def play(self, view: View) -> Card:
        return playing.play(view)


if __name__ == "__main__":
    serve(Tips)
