"""An honest bot that works on each decision, always the same amount: how long that takes tells how much it got.

Usage: thinker.py.
"""

from __future__ import annotations

import hashlib

from bad import Honest

from protocol.bot import serve
from protocol.cards import Card
from protocol.view import View

ROUNDS = 6_000


class Thinker(Honest):
    def play(self, view: View) -> Card:
        hashlib.pbkdf2_hmac("sha256", b"ace", b"king", ROUNDS)
        return super().play(view)


if __name__ == "__main__":
    serve(Thinker)
