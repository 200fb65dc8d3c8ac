"""Players of graded strength and many matches of theirs, in this process: what is said of ratings is tried out on them.

A player has a skill, the share of its turns that it plays by a card player's habits; the others it leaves to dice. It
sees its own hand and the table only. Its dice depend on board, round and position, as those of any bot do.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement, permutations
from multiprocessing import get_context
from random import Random
from typing import cast

import numpy as np
from numpy.typing import NDArray

from protocol.cards import CARDS, Card, Cards, Suit
from protocol.view import Choice, Contract, Rules, TurnKind
from referee.deal import board_seed, bot_seed
from referee.match import Match
from referee.round import Round
from referee.trick import trick_powers

__all__ = ["LADDER", "Player", "Pool", "play", "pool"]

Ints = NDArray[np.int64]
Pool = dict[tuple[int, int, int], Ints]
"""Of each choice of three kinds of players, in rising order: (boards, 6, 3), which of the three was first, second and
third in each seating of each board."""


DISCARD = TurnKind.DISCARD
SUIT, RANK = [card.suit for card in CARDS], [card.rank for card in CARDS]
TRUMP = {None: None} | {contract: contract.trump for contract in Contract}
WORTH = {contract: [13 * (card.suit is trump) + card.rank for card in CARDS] for contract, trump in TRUMP.items()}
"""What a card is worth to who keeps it: trumps most."""


@dataclass(frozen=True)
class Player:
    """What a player is like."""

    skill: float
    leads_high: bool = True
    """It leads its highest card; else its lowest of its longest suit."""
    spends_high: bool = True
    """As second hand it wins with its highest card; else with its lowest that wins."""
    salt: int = 0
    """Sets its dice apart from those of its like."""

    def choose(self, rnd: Round, legal: Sequence[Choice], dice: Random) -> Choice:
        """A choice for the seat on turn, of several legal ones."""
        kind = rnd.kind
        if dice.random() >= self.skill:
            return Cards.of(dice.sample(cast(Sequence[Card], legal), 4)) if kind is DISCARD else dice.choice(legal)
        hand = Cards(rnd.hands[rnd.seat])
        if kind is TurnKind.CLAIM:
            return min(Suit, key=lambda suit: hand.highest(suit) or -1)
        if kind is TurnKind.DECLARE:
            return Contract.of(max(Suit, key=hand.count))
        cards = cast(Sequence[Card], legal)
        worth = WORTH[rnd.contract].__getitem__
        if kind is DISCARD:
            return Cards.of(sorted(cards, key=worth)[:4])
        if kind is not TurnKind.PLAY:
            return min(cards, key=worth)
        table = rnd.played[len(rnd.played) - len(rnd.played) % 3 :]
        if not table:
            if self.leads_high:
                return max(cards, key=RANK.__getitem__)
            return min(cards, key=lambda card: (-hand.count(card.suit), card.rank))
        power = trick_powers(TRUMP[rnd.contract], SUIT[table[0]])
        best = max(power[card] for card in table)
        winning = [card for card in cards if power[card] > best]
        if not winning:
            return min(cards, key=worth)
        spend = max if self.spends_high and len(table) == 1 else min
        return spend(winning, key=power.__getitem__)


LADDER = (
    Player(0.0),
    Player(0.3),
    Player(0.5),
    Player(0.65, spends_high=False),
    Player(0.8),
    Player(0.85, leads_high=False),
    Player(0.9, leads_high=False, spends_high=False),
    Player(0.95),
)
"""From one that plays at random to one that seldom does."""


def play(rules: Rules, seed: bytes, players: Sequence[Player]) -> Match:
    """One match to its end, players by seat."""
    match = Match(rules, seed)
    while not match.over:
        rnd = match.round
        dice = [Random(bot_seed(seed, rnd.number, (seat - rnd.dealer) % 3) + players[seat].salt) for seat in range(3)]
        while not rnd.over:
            legal, seat = rnd.legal(), rnd.seat
            match.choose(legal[0] if len(legal) == 1 else players[seat].choose(rnd, legal, dice[seat]))
    return match


def pool(rules: Rules, kinds: Sequence[Player], boards: int, workers: int) -> Pool:
    """Plays boards in six seatings with three players of each choice of kinds, a kind twice or three times too."""
    choices = list(combinations_with_replacement(range(len(kinds)), 3))
    players = [[replace(kinds[kind], salt=salt) for salt, kind in enumerate(choice)] for choice in choices]
    jobs = [rules] * len(choices), players, [boards] * len(choices), range(len(choices))
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as executor:
        return dict(zip(choices, executor.map(_boards, *jobs), strict=True))


def _boards(rules: Rules, players: Sequence[Player], boards: int, number: int) -> Ints:
    found = np.zeros((boards, 6, 3), np.int64)
    for board in range(boards):
        seed = board_seed(b"pool", number * boards + board)
        for seating, seats in enumerate(permutations(range(3))):
            placing = play(rules, seed, [players[player] for player in seats]).placing
            assert placing
            found[board, seating] = [seats[placing.index(place)] for place in (1, 2, 3)]
    return found
