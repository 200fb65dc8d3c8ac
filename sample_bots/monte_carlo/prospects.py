"""What the end of a round is worth to a seat: its place if the match ends there, else its chances of each place."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from protocol.view import Contract, Rules, View

__all__ = ["prospects"]

Reals = NDArray[np.float64]

FIRST, SECOND = 1.0, 0.1
"""What places are worth; the third nothing."""


@dataclass(frozen=True)
class Course:
    """How matches of one kind run, fitted to some hundred of ``tips`` against each other.

    :ivar carried_on: points of later rounds that a point of this one brings by the exchange.
    :ivar a_round: how far a round spreads the players' points, as the scale of a logistic distribution.
    """

    carried_on: float
    a_round: float


BY_ROUNDS, BY_TRICKS, BY_POINTS = Course(0.8, 2.9), Course(1.55, 4.4), Course(1.75, 7.5)
NEARER = 2.2
"""Points by which the leader comes nearer to the end with each round."""


def prospects(view: View, misere: bool, taken: NDArray[np.uint8], last_taken: NDArray[np.int8]) -> Reals:
    """What this round's tricks are worth to the seat of a view, from 0 (third) to 1 (first).

    :param taken: tricks of shape (n, 3), by seat; ``last_taken`` the number of the last that each took, −1 for none.
    """
    scores = scores_of(view, misere, taken)
    totals = np.array(view.totals) + scores
    sweeps = sweepers(view, misere, taken)
    over = ended(view, totals, sweeps)
    after = np.array([-((seat - view.dealer - 1) % 3) for seat in range(3)])
    order = totals * 10_000.0 + scores * 100.0 + last_taken + after * 0.01 + sweeps * 1e9  # R8.4, R8.6
    ahead = (order > order[:, view.seat, None]).sum(1)
    place: Reals = np.array([FIRST, SECOND, 0.0])[ahead]
    if over.all():
        return place
    return np.where(over, place, chances(view, totals, scores))


def scores_of(view: View, misere: bool, taken: NDArray[np.uint8]) -> NDArray[np.int64]:
    """R7.1, R9.5."""
    by_position = view.rules.targets_by_position(view.round, Contract.MISERE if misere else None)
    targets = np.array(by_position, np.int64)[(np.arange(3) - view.dealer) % 3]
    over: NDArray[np.int64] = taken.astype(np.int64) - targets
    return -over if misere else over


def sweepers(view: View, misere: bool, taken: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Who won the match by tricks (R8.3)."""
    enough = view.rules.tricks_to_win
    return np.zeros(taken.shape, bool) if enough is None or misere else taken >= enough


def ended(view: View, totals: NDArray[np.int64], sweeps: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether the match ends with this round (R8)."""
    rules = view.rules
    over: NDArray[np.bool_] = np.asarray(sweeps.any(1))
    if rules.points_to_win is not None:
        over = over | (totals.max(1) >= rules.points_to_win)
    if rules.points_to_lose is not None:
        over = over | (totals.min(1) <= -rules.points_to_lose)
    if rules.max_rounds is not None and view.round + 1 >= rules.max_rounds:
        over = np.ones_like(over)
    return over


def chances(view: View, totals: NDArray[np.int64], scores: NDArray[np.int64]) -> Reals:
    """The prospects of a match that goes on: places are drawn like those of runners of this strength (Luce 1959)."""
    me, course = view.seat, course_of(view.rules)
    ahead = totals + course.carried_on * scores
    spread = course.a_round * np.sqrt(rounds_left(view, totals))
    strength = np.exp((ahead - ahead.max(1, keepdims=True)) / spread[:, None])
    strength /= strength.sum(1, keepdims=True)
    first = strength[:, me]
    second = sum(
        strength[:, other] * first / np.maximum(1 - strength[:, other], 1e-9) for other in range(3) if other != me
    )
    worth: Reals = FIRST * first + SECOND * second
    return worth


def course_of(rules: Rules) -> Course:
    if rules.points_to_win is not None:
        return BY_POINTS
    return BY_ROUNDS if rules.tricks_to_win is None else BY_TRICKS


def rounds_left(view: View, totals: NDArray[np.int64]) -> Reals:
    """How many rounds the match will probably still have."""
    rules = view.rules
    left = np.full(len(totals), 60.0 if rules.max_rounds is None else rules.max_rounds - view.round - 1.0)
    if rules.points_to_win is not None:
        left = np.minimum(left, np.clip((rules.points_to_win - totals.max(1)) / NEARER, 0.7, 6.0))
    at_least: Reals = np.maximum(left, 0.7)
    return at_least
