"""Positions of the play for the batched playout, each beside the round it stands for."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import numpy as np

from protocol.cards import SUIT_BITS
from protocol.view import Contract, TurnKind
from referee.lanes import Lanes, cards_of
from referee.match import Match
from referee.playout import Playout, Policy
from referee.round import Round
from referee.rules import SETS, rules_for
from tests.table_words import random_choice

RULES = (*SETS.values(), rules_for("twelve-tricks", ["no-trump"]))


def in_play(rng: Random, played: int) -> Round:
    """A round after so many random plays, by any of the rule sets with 16 tricks."""
    rules = rng.choice([rules for rules in RULES if rules.tricks == 16])
    rnd = Match(rules, rng.randbytes(8)).round
    while rnd.kind is not TurnKind.PLAY or len(rnd.played) < played:
        rnd.choose(random_choice(rng, rnd))
    return rnd


def rounds_in_play(rng: Random, n: int, played: int) -> list[Round]:
    return [in_play(rng, played) for _ in range(n)]


def trump_of(rnd: Round) -> int:
    trump = rnd.contract.trump if isinstance(rnd.contract, Contract) else None
    return -1 if trump is None else int(trump)


def lacking(rnd: Round) -> list[int]:
    """The cards of the suits that each seat has shown it does not hold."""
    suits = [0, 0, 0]
    for trick in rnd.tricks:
        for place, card in enumerate(trick.cards):
            if card.suit != trick.cards[0].suit:
                suits[(trick.leader + place) % 3] |= SUIT_BITS << 13 * trick.cards[0].suit
    return suits


def playout_of(rounds: Sequence[Round]) -> Playout:
    """The playout that goes on from these rounds."""
    on_table = len(rounds[0].played) % 3
    return Playout(
        [rnd.hands for rnd in rounds],
        trump=[trump_of(rnd) for rnd in rounds],
        leader=[rnd.leaders[-1] for rnd in rounds],
        table=[list(rnd.played[len(rnd.played) - on_table :]) for rnd in rounds],
        aside=[rnd.discard for rnd in rounds],
        lacking=[lacking(rnd) for rnd in rounds],
        taken=[rnd.taken for rnd in rounds],
        last_taken=[rnd.last_taken for rnd in rounds],
        tricks=len(rounds[0].played) // 3,
    )


class Witness:
    """Plays by another policy and notes who played what: ``plays`` has the seats and the card numbers, of shape (n)."""

    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        self.plays: list[tuple[list[int], list[int]]] = []

    def __call__(self, playout: Playout) -> Lanes:
        chosen = self.policy(playout)
        cards = [bits.bit_length() - 1 for bits in cards_of(chosen, playout.suit).tolist()]
        assert np.all(np.bitwise_count(chosen) == 1)
        self.plays.append((playout.seat.tolist(), cards))
        return chosen
