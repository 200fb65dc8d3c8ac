"""When a match ends, and who is placed where (R8)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from protocol.view import Contract, Rules, Three
from referee.round import Round

__all__ = ["end_reached", "order_by_round", "order_by_total", "placing_after_strikes"]

ROUND_LIMIT = 60  # R8.7
DECIDING_ROUNDS = 9  # R8.5


def end_reached(rules: Rules, last: Round, totals: Three, rounds: int) -> str | None:
    """How the match has ended with this round, None if it goes on. Tricks come before points before rounds (R8.3)."""
    if tricks_winner(rules, last) is not None:
        return "tricks"
    if rules.points_to_win is not None and max(totals) >= rules.points_to_win:  # R8.2
        return "points"
    if rules.points_to_lose is not None and min(totals) <= -rules.points_to_lose:  # R9.2
        return "points"
    if rules.max_rounds is not None:
        return "rounds" if rounds >= rules.max_rounds else None  # R8.1, R8.3
    return "round-limit" if rounds >= ROUND_LIMIT else None


def tricks_winner(rules: Rules, last: Round) -> int | None:
    """The seat that took enough tricks in the last round to win the match (R8.3); none in misère (R9.5)."""
    if rules.tricks_to_win is None or last.contract is Contract.MISERE or max(last.taken) < rules.tricks_to_win:
        return None
    return last.taken.index(max(last.taken))


def order_by_total(totals: Three, last: Round) -> list[int]:
    """The seats from first to last: total, then R8.4 (R8.6)."""
    return sorted(range(3), key=lambda seat: (-totals[seat], *tie_key(seat, last)))


def order_by_round(seats: Iterable[int], last: Round) -> list[int]:
    """Some seats from first to last by one round alone: its score, then R8.4 (R8.5)."""
    return sorted(seats, key=lambda seat: tie_key(seat, last))


def tie_key(seat: int, last: Round) -> tuple[int, int, int]:
    """R8.4: more points in the last round, the later trick in it, clockwise from the forehand; lower goes first."""
    return -last.scores[seat], -last.last_taken[seat], (seat - last.dealer - 1) % 3


def placing_after_strikes(placing: Three, faults: Sequence[Mapping[str, Any]]) -> Three:
    """The places by seat once struck-out bots are placed last, of two the later one ahead.

    :param placing: the places by the cards alone.
    :param faults: the faults of the match as in the record.
    """
    struck = strike_outs(faults)
    order = sorted(range(3), key=lambda seat: (seat in struck, -struck.get(seat, 0), placing[seat]))
    first, second, third = (order.index(seat) + 1 for seat in range(3))
    return first, second, third


def strike_outs(faults: Sequence[Mapping[str, Any]]) -> dict[int, int]:
    """The decision with which each struck-out seat was struck out: the stand-in chooses all that come after it.

    A failed start has no decision: it counts with the seat's fault before it, or as −1, before the first decision.
    """
    last = [-1, -1, -1]
    struck = {}
    for fault in faults:
        seat = fault["seat"]
        if fault["decision"] is not None:
            last[seat] = fault["decision"]
        if fault["struck_out"]:
            struck[seat] = last[seat]
    return struck
