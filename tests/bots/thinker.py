"""An honest bot that works on each card it plays, always the same amount: how long that takes tells how much it got.

Usage: thinker.py HASHES.
"""

from __future__ import annotations

import hashlib
import sys

from bad import Honest

from protocol.bot import serve
from protocol.cards import Card
from protocol.view import View

HASHES = int(sys.argv[1])


class Thinker(Honest):
    def play(self, view: View) -> Card:
        hashlib.pbkdf2_hmac("sha256", b"ace", b"king", HASHES)
        return super().play(view)


if __name__ == "__main__":
    serve(Thinker)
