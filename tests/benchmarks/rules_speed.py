"""Decisions a second of random play by the rules in one process, beside OpenSpiel's hearts and skat from Python.

All engines are asked the same way: legal choices, one of them at random, apply it. Time is CPU time, deals included;
chance nodes are not counted as decisions.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from random import Random
from time import process_time
from typing import Any

from protocol.cards import Cards
from protocol.view import TurnKind
from referee.deal import board_seed
from referee.match import Match
from referee.rules import SETS

TURNS = 3
SECONDS = 2.0


def of_match(seed: int, each: Callable[[Match], object]) -> int:
    """Plays a match at random; ``each`` is done at every decision."""
    dice = Random(seed).random
    match = Match(SETS["ten-points"], board_seed(b"speed", seed))
    while not match.over:
        legal = match.legal()
        each(match)
        if match.kind is TurnKind.DISCARD:
            match.choose(Cards.of(legal[:4]))  # type: ignore[arg-type]
        else:
            match.choose(legal[int(dice() * len(legal))])
    return match.decision


def of_open_spiel(game: Any, seed: int) -> int:
    """Plays an OpenSpiel game at random; only players' decisions count."""
    dice = Random(seed).random
    state = game.new_initial_state()
    decisions = 0
    while not state.is_terminal():
        decisions += not state.is_chance_node()
        legal = state.legal_actions()
        state.apply_action(legal[int(dice() * len(legal))])
    return decisions


def rate(play: Callable[[int], int]) -> float:
    """Decisions a CPU second."""
    begun, decisions, number = process_time(), 0, 0
    while process_time() - begun < SECONDS:
        decisions += play(number)
        number += 1
    return decisions / (process_time() - begun)


def contenders() -> dict[str, Callable[[int], int]]:
    found: dict[str, Callable[[int], int]] = {
        "Match, legal choices": lambda n: of_match(n, lambda match: None),
        "Match, with a view each": lambda n: of_match(n, lambda match: match.view(match.seat)),
        "Match, with a copy each": lambda n: of_match(n, lambda match: match.copy()),
    }
    try:
        spiel = importlib.import_module("pyspiel")
    except ImportError:
        print("OpenSpiel can't be imported here: its lines are left out (pip install open-spiel)")
        return found
    for name in ("hearts", "skat"):
        game = spiel.load_game(name)
        found[f"OpenSpiel {name}"] = lambda n, game=game: of_open_spiel(game, n)  # type: ignore[misc]
    return found


def main() -> None:
    best: dict[str, float] = {}
    for _ in range(TURNS):  # in turns, so that a busy machine is as bad for one as for the other
        for name, play in contenders().items():
            best[name] = max(best.get(name, 0.0), rate(play))
    base = best.get("OpenSpiel hearts", best["Match, legal choices"])
    for name, decisions in best.items():
        print(f"  {name:24} {decisions:9,.0f} decisions/s  {decisions / base:.2f}")
