"""The 95 % interval of a rating holds the truth in 95 % of leagues: real matches of players of graded strength."""

from __future__ import annotations

from functools import cache

import pytest

from referee.rules import SETS
from tests.graded import LADDER, pool
from tests.simulated import Field, coverage


@cache
def eight_entrants() -> Field:
    return Field(pool(SETS["ten-points"], LADDER[1::2], boards=60, workers=2), [0, 0, 1, 1, 2, 2, 3, 3])


@pytest.mark.long
def test_intervals_hold_the_truth_in_95_of_100_leagues() -> None:
    found = coverage(eight_entrants(), leagues=400, seed=1)
    assert found.single == pytest.approx(0.95, abs=0.02)
    assert found.pairs == pytest.approx(0.95, abs=0.02)
    assert found.wrong < 0.01


@pytest.mark.long
@pytest.mark.parametrize("stretch", [0.8, 1.25])
def test_a_wrong_sigma_would_be_noticed(stretch: float) -> None:
    found = coverage(eight_entrants(), leagues=400, seed=1, stretch=stretch)
    assert abs(found.single - 0.95) > 0.02
    assert abs(found.pairs - 0.95) > 0.02
