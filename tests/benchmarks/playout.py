"""Decisions a second of batched playouts, beside OpenSpiel's hearts from Python, which plays one deal at a time.

CPU time of one core; a decision is a card played, the forced ones included on both sides. Hands come from the league's
deals, dealt before the time is taken; OpenSpiel's chance nodes (its deal) are taken out of its time too.
"""

from __future__ import annotations

import importlib
from random import Random
from time import process_time
from typing import Any

import numpy as np

from protocol.cards import Cards
from referee.deal import board_seed, deal
from referee.playout import Playout, Policy, play_out
from referee.policies import AnyCard, tips
from referee.rules import SETS

TURNS = 3
SECONDS = 2.0
SIZES = (1_000, 4_000, 16_000)


def dealt(n: int) -> list[list[int]]:
    """Hands of so many deals, by seat."""
    rules = SETS["ten-points"]
    deals = (deal(rules, board_seed(b"playout", number), 0) for number in range(n))
    return [[int(Cards.of(hand)) for hand in one.hands] for one in deals]


def batched(hands: list[list[int]], policy: Policy) -> float:
    """Decisions a CPU second."""
    trumps = np.arange(len(hands)) % 4
    begun, decisions = process_time(), 0
    while process_time() - begun < SECONDS:
        played = play_out(Playout(hands, trump=trumps, leader=0), policy)
        assert int(played.taken.sum()) == 16 * len(hands)
        decisions += 48 * len(hands)
    return decisions / (process_time() - begun)


def one_at_a_time(game: Any) -> float:
    """Decisions a CPU second in OpenSpiel."""
    dice = Random(1).random
    spent, decisions = 0.0, 0
    while spent < SECONDS:
        state = game.new_initial_state()
        while state.is_chance_node():
            legal = state.legal_actions()
            state.apply_action(legal[int(dice() * len(legal))])
        begun = process_time()
        while not state.is_terminal():
            legal = state.legal_actions()
            state.apply_action(legal[int(dice() * len(legal))])
            decisions += 1
        spent += process_time() - begun
    return decisions / spent


def main() -> None:
    hands = dealt(max(SIZES))
    policies: dict[str, Policy] = {"random": AnyCard(np.random.default_rng(1)), "tips": tips}
    best: dict[str, float] = {}
    try:
        game = importlib.import_module("pyspiel").load_game("hearts")
    except ImportError:
        print("OpenSpiel can't be imported here: its line is left out (pip install open-spiel)")
        game = None
    for _ in range(TURNS):
        if game:
            best["OpenSpiel hearts"] = max(best.get("OpenSpiel hearts", 0.0), one_at_a_time(game))
        for size in SIZES:
            for name, policy in policies.items():
                label = f"{name}, {size:,} deals at once"
                best[label] = max(best.get(label, 0.0), batched(hands[:size], policy))
    base = best.get("OpenSpiel hearts")
    for label, rate in best.items():
        print(f"  {label:30} {rate:12,.0f} decisions/s" + (f"  {rate / base:5.1f}" if base else ""))
