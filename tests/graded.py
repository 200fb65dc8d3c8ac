"""Players of graded strength and many matches of theirs, in this process: what is said of ratings is tried out on them.

A player has a skill, the share of its turns that it plays by a card player's habits; the others it leaves to dice. It
sees its own hand and the table only. Its dice depend on board, round and position, as those of any bot do.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import combinations, permutations
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

__all__ = ["LADDER", "Player", "Pool", "play", "pool", "rungs"]

Ints = NDArray[np.int64]


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


LADDER = tuple(
    Player(skill, leads_high=habit not in (1, 3), spends_high=habit < 2)
    for skill, habit in [
        *((step / 10, 0) for step in range(0, 10)),
        *((step / 10, 2) for step in (5, 7, 9)),
        *((step / 10, 1) for step in (6, 8)),
        (0.95, 3),
        (1.0, 0),
        (1.0, 1),
        (1.0, 2),
        (1.0, 3),
    ]
)
"""Twenty players, from one that plays at random to some that never do."""


def rungs(count: int) -> Ints:
    """Numbers of some of the ladder's players, from all along it."""
    return np.round(np.linspace(0, len(LADDER) - 1, count)).astype(np.int64)


def play(rules: Rules, seed: bytes, players: Sequence[Player]) -> Match:
    """One match to its end, players by seat."""
    match = Match(rules, seed)
    while not match.over:
        rnd = match.round
        dice = [Random(bot_seed(seed, rnd.number, (seat - rnd.dealer) % 3)) for seat in range(3)]
        while not rnd.over:
            legal, seat = rnd.legal(), rnd.seat
            match.choose(legal[0] if len(legal) == 1 else players[seat].choose(rnd, legal, dice[seat]))
    return match


@dataclass(frozen=True, eq=False)
class Pool:
    """Boards that every triple of some players has played in six seatings: to draw leagues from."""

    triples: Ints
    """(t, 3)."""
    placings: Ints
    """(t, boards, 6, 3): who was first, second, third in each seating of each board."""


def pool(rules: Rules, players: Sequence[Player], boards: int, workers: int) -> Pool:
    """Plays ``boards`` boards of each triple of the players."""
    triples = list(combinations(range(len(players)), 3))
    jobs = [(rules, [players[player] for player in triple], boards, t) for t, triple in enumerate(triples)]
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as executor:
        places = np.array(list(executor.map(_triple, *zip(*jobs, strict=True), chunksize=8)))
    return Pool(np.array(triples), np.array(triples)[np.arange(len(triples))[:, None, None, None], places])


def _triple(rules: Rules, players: Sequence[Player], boards: int, number: int) -> list[list[list[int]]]:
    """Which of the three players was first, second, third: by board and seating."""
    found: list[list[list[int]]] = []
    for board in range(boards):
        seed = board_seed(b"pool", number * boards + board)
        found.append([])
        for seats in permutations(range(3)):
            placing = play(rules, seed, [players[player] for player in seats]).placing
            assert placing
            found[-1].append([seats[placing.index(place)] for place in (1, 2, 3)])
    return found
