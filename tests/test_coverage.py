"""The 95 % interval of a rating holds the truth in 95 % of leagues: real matches of players of graded strength."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from referee.rules import SETS
from tests.graded import LADDER, Pool, pool, rungs
from tests.simulated import coverage

EIGHT = np.arange(8)


@cache
def played() -> Pool:
    return pool(SETS["ten-points"], [LADDER[rung] for rung in rungs(8)], boards=20, workers=2)


@pytest.mark.long
def test_intervals_hold_the_truth_in_95_of_100_leagues() -> None:
    found = coverage(played(), EIGHT, leagues=400, seed=1)
    assert found.single == pytest.approx(0.95, abs=0.02)
    assert found.pairs == pytest.approx(0.95, abs=0.02)
    assert found.wrong < 0.01


@pytest.mark.long
@pytest.mark.parametrize("stretch", [0.8, 1.25])
def test_a_wrong_sigma_would_be_noticed(stretch: float) -> None:
    found = coverage(played(), EIGHT, leagues=400, seed=1, stretch=stretch)
    assert abs(found.single - 0.95) > 0.02
    assert abs(found.pairs - 0.95) > 0.02
