"""A bot that computes for 20 ms before each card."""

import time

from protocol.bot import Bot, serve
from protocol.cards import Card
from protocol.view import View

THINK_S = 0.02


class Thinks(Bot):
    def play(self, view: View) -> Card:
        until = time.process_time() + THINK_S
        while time.process_time() < until:
            pass
        return super().play(view)


serve(Thinks)
