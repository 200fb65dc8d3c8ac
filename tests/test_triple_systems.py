"""Every pair meets equally often, for every number of entrants, by climbing and by construction."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from random import Random

import pytest

from arena import triple_systems
from arena.triple_systems import climb, construct, fold

Triples = list[tuple[int, int, int]]
SIZES = range(3, 201)


def meetings(triples: Triples) -> Counter[tuple[int, int]]:
    assert all(a < b < c for a, b, c in triples)
    return Counter(pair for triple in triples for pair in combinations(triple, 2))


def every_pair(n: int, times: int) -> dict[tuple[int, int], int]:
    return dict.fromkeys(combinations(range(n), 2), times)


@pytest.mark.parametrize("n", SIZES)
def test_a_construction_lets_every_pair_meet_equally_often(n: int) -> None:
    assert meetings(construct(n)) == every_pair(n, fold(n))


@pytest.mark.parametrize("n", [*range(3, 61), 97, 98, 99, 100, 101, 102, 150, 200])
def test_a_climb_lets_every_pair_meet_equally_often(n: int) -> None:
    triples = climb(n, fold(n), Random(n))
    assert triples is not None
    assert meetings(triples) == every_pair(n, fold(n))


@pytest.mark.parametrize("n", SIZES)
def test_no_smaller_number_of_meetings_is_possible(n: int) -> None:
    def possible(times: int) -> bool:  # two meetings of a player, and three in all, in each triple
        return times * (n - 1) % 2 == 0 and times * n * (n - 1) % 6 == 0

    assert possible(fold(n))
    assert not any(map(possible, range(1, fold(n))))


def test_the_dice_decide_which_triple_system_it_is() -> None:
    assert climb(13, 1, Random(1)) == climb(13, 1, Random(1))
    assert climb(13, 1, Random(1)) != climb(13, 1, Random(2))


def test_a_climb_that_can_reach_no_top_is_given_up() -> None:
    assert climb(5, 1, Random(0)) is None  # four meetings of each player, but ten in all


def test_a_climb_is_given_up_after_its_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(triple_systems, "STEPS_PER_TRIPLE", 0)
    assert climb(49, 1, Random(0)) is None


def test_points_of_one_team_never_meet_and_all_others_equally_often() -> None:
    team = [0, 0, 0, 1, 2, 3, 4, 5, 6]
    triples = climb(9, 1, Random(3), team)
    assert triples is not None
    apart = {(0, 1), (0, 2), (1, 2)}
    assert meetings(triples) == {pair: 1 for pair in combinations(range(9), 2) if pair not in apart}


def test_three_teams_that_cannot_meet_evenly_reach_no_top() -> None:
    assert climb(5, 6, Random(0), [0, 0, 0, 1, 2]) is None
