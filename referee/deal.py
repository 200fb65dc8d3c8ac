"""Who deals first and what is dealt, from the board's seed alone (R2).

The words: block *i* of a label is SHA-256(board seed ‖ ``label/i`` in ASCII), read as eight big-endian 4-byte words;
a number below *n* is the next word modulo *n*, words of ⌊2³²/n⌋·n or more skipped. Anybody can check a deal in any
language, and nobody can guess one from the deals seen.
"""

from __future__ import annotations

import hashlib
import hmac
import itertools
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from protocol.cards import CARDS, RANK_LETTERS, SUIT_LETTERS, Card, Cards
from protocol.view import Rules
from referee.errors import DealError

__all__ = ["Deal", "board_seed", "bot_seed", "deal", "first_dealer", "read_deal"]

# R2.1: the deck before the shuffle, suits S H D C, each from the ace down to the two.
NEW_DECK = tuple(CARDS[13 * suit + rank] for suit in range(4) for rank in range(12, -1, -1))
WORDS = struct.Struct(">8I")
FAIR_BELOW = (0, *((1 << 32) // n * n for n in range(1, 53)))


@dataclass(frozen=True, slots=True)
class Deal:
    """Three hands by position (dealer, forehand, third hand) and the kitty, as dealt, be it faulty (R2.5)."""

    hands: tuple[tuple[Card, ...], tuple[Card, ...], tuple[Card, ...]]
    kitty: tuple[Card, ...]

    def fault(self, rules: Rules) -> str | None:
        """Why the deal must be thrown in, None if it is sound (R2.5)."""
        for who, hand in zip(("the dealer", "the forehand", "the third hand"), self.hands, strict=True):
            if len(hand) != rules.tricks:
                return f"{who} was dealt {len(hand)} cards, not {rules.tricks}"
        if len(self.kitty) != rules.kitty_size:
            return f"the kitty has {len(self.kitty)} cards, not {rules.kitty_size}"
        dealt = [card for part in (*self.hands, self.kitty) for card in part]
        if Cards.of(dealt) == rules.deck:  # as many cards as the deck has, so each of them once
            return None
        dealt.sort()
        twice = [card for card, other in itertools.pairwise(dealt) if card == other]
        if twice:
            return f"the {twice[0]} was dealt twice"
        stray = next(card for card in dealt if card not in rules.deck)
        return f"the {stray} was dealt, which is not in the deck"


def board_seed(league_seed: bytes, number: int) -> bytes:
    """The 32-byte seed of a board: HMAC-SHA256 of its number in ASCII under the league's seed."""
    return hmac.digest(league_seed, str(number).encode("ascii"), "sha256")


def bot_seed(seed: bytes, round_number: int, position: int) -> int:
    """The 52 bits that a bot rolls its dice from: the head of HMAC(board seed, ``bot/<round>/<position>``)."""
    return int.from_bytes(hmac.digest(seed, f"bot/{round_number}/{position}".encode("ascii"), "sha256")[:8]) >> 12


def words_of(seed: bytes, label: str) -> Iterator[int]:
    """The endless 32-bit words of a label."""
    blocks = (hashlib.sha256(seed + f"{label}/{i}".encode("ascii")).digest() for i in itertools.count())
    return itertools.chain.from_iterable(map(WORDS.unpack, blocks))


def drawn(words: Iterator[int], sizes: Iterable[int]) -> list[int]:
    """For each size *n* a number from 0 to n − 1, each equally likely: by rejection."""
    numbers = []
    for n in sizes:
        word = next(words)
        while word >= FAIR_BELOW[n]:
            word = next(words)
        numbers.append(word % n)
    return numbers


def first_dealer(seed: bytes) -> int:
    """The seat that deals the first round (R2.2)."""
    return drawn(words_of(seed, "dealer"), [3])[0]


def deal(rules: Rules, seed: bytes, round_number: int, attempt: int = 0) -> Deal:
    """The deal of a round (R2.4); attempts after the first follow a misdeal (R2.5)."""
    deck = [card for card in NEW_DECK if card not in rules.removed] if rules.removed else list(NEW_DECK)
    last = len(deck)
    for other in drawn(words_of(seed, f"deal/{round_number}/{attempt}"), range(last, 1, -1)):
        last -= 1
        deck[last], deck[other] = deck[other], deck[last]
    return hand_out(deck, rules.tricks)


def hand_out(deck: list[Card], hand_size: int) -> Deal:
    """Packets of four clockwise from the forehand, then single cards; what is left is the kitty (R2.3)."""
    hands: tuple[list[Card], ...] = ([], [], [])
    top = 0
    while len(hands[0]) < hand_size:
        packet = 4 if hand_size - len(hands[0]) >= 4 else 1
        for position in (1, 2, 0):
            hands[position].extend(deck[top : top + packet])
            top += packet
    dealer, forehand, third = (tuple(hand) for hand in hands)
    return Deal((dealer, forehand, third), tuple(deck[top:]))


def read_deal(text: str, dealer: int) -> Deal:
    """Reads a given deal: the hands of seats 0, 1, 2 as in bridge (``AKQ.JT9.8.2``), then the kitty if there is one.

    A card twice, or a hand too long, can be read: such a deal is thrown in, not refused (R2.5).

    :raises DealError: the text is no deal, with the part that can't be read.
    """
    parts = text.split()
    if len(parts) not in (3, 4):
        raise DealError(f"a deal is three hands and a kitty with spaces between them, not {len(parts)} parts")
    seats = [read_hand(part) for part in parts]
    dealer_hand, forehand, third = (seats[(dealer + position) % 3] for position in range(3))
    return Deal((dealer_hand, forehand, third), seats[3] if len(parts) == 4 else ())


def read_hand(text: str) -> tuple[Card, ...]:
    """The cards of a bridge-style hand in the order written, a card twice included."""
    suits = text.split(".")
    if len(suits) != 4:
        raise DealError(f"{text!r:.80} is not a hand: write its suits as S.H.D.C, with three points")
    for letter in "".join(suits):
        if letter not in RANK_LETTERS:
            raise DealError(f"{letter!r} in the hand {text!r:.80} is not a rank: write one of {RANK_LETTERS}")
    return tuple(Card(rank + suit) for suit, ranks in zip(SUIT_LETTERS, suits, strict=True) for rank in ranks)


def write_deal(given: Deal, dealer: int) -> str:
    """The text that ``read_deal`` reads, a card twice and all."""
    by_seat = [given.hands[(seat - dealer) % 3] for seat in range(3)]
    return " ".join(write_hand(part) for part in (*by_seat, *([given.kitty] if given.kitty else [])))


def write_hand(cards: tuple[Card, ...]) -> str:
    if len(set(cards)) == len(cards):
        return repr(Cards.of(cards))
    return ".".join("".join(c.rank.letter for c in sorted(cards, reverse=True) if c.suit == suit) for suit in range(4))
