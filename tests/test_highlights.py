"""Which matches are worth a look."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from arena.figures import COLUMNS
from arena.highlights import highlights, leads, swings
from arena.standings import MatchFigures

Match = tuple[int, int, tuple[int, int, int], int]


def figures_of(matches: list[Match]) -> MatchFigures:
    """From board, seating, totals by seat and number of faults."""
    rows = []
    for board, seating, totals, faults in matches:
        values = dict.fromkeys(COLUMNS, 0)
        order = sorted(range(3), key=lambda seat: -totals[seat])
        for seat in range(3):
            values |= {f"bot{seat}": seat, f"place{seat}": order.index(seat) + 1, f"dealer_points{seat}": totals[seat]}
        values |= {"faults0": faults, "rounds": 1}
        rows.append((board, seating, *(values[name] for name in COLUMNS)))
    return MatchFigures.of(rows)


def test_the_closest_are_those_with_the_smallest_lead_then_the_smallest_gap_behind() -> None:
    matches: list[Match] = [(0, 0, (5, 0, -5), 0), (1, 0, (4, 4, -8), 0), (2, 0, (1, 1, -2), 0), (3, 0, (9, 0, -9), 0)]
    assert leads(figures_of(matches)).tolist() == [[5, 5], [0, 12], [0, 3], [9, 9]]
    chosen = highlights(figures_of(matches), [], 3)
    assert [(match.board, match.kind) for match in chosen] == [(2, "closest"), (1, "closest"), (0, "closest")]


def test_a_swing_is_measured_against_the_same_cards_in_the_boards_other_seatings() -> None:
    matches: list[Match] = [
        (0, 0, (30, -15, -15), 0),
        (0, 3, (30, -15, -15), 0),  # good cards for seat 0, whoever holds them: no swing
        (1, 0, (9, 0, -9), 0),
        (1, 3, (-9, 0, 9), 0),
    ]
    assert swings(figures_of(matches)).tolist() == [0, 0, 9, 9]
    chosen = highlights(figures_of(matches), [], 2)
    assert [(match.board, match.seating, match.kind) for match in chosen] == [(1, 0, "closest"), (1, 3, "swings")]


def test_without_other_seatings_nothing_swings() -> None:
    matches: list[Match] = [(board, 0, (board, 0, -board), 0) for board in range(9)]
    assert {match.kind for match in highlights(figures_of(matches), [], 9)} == {"closest"}


def test_half_of_them_have_faults_the_named_ones_first_then_those_with_most() -> None:
    matches: list[Match] = [(board, 0, (board, 0, -board), board % 4) for board in range(40)]
    chosen = highlights(figures_of(matches), [(1, 0), (99, 0)], 8)
    assert [match.board for match in chosen if match.kind == "faults"][:3] == [1, 3, 7]
    assert sum(match.kind == "faults" for match in chosen) >= 4
    kinds = [match.kind for match in chosen]
    assert kinds == sorted(kinds, key=["faults", "closest", "swings"].index)


@pytest.mark.parametrize("at_most", [0, 1, 7, 1000])
def test_never_more_than_asked_for_and_none_twice_in_any_order_of_matches(at_most: int) -> None:
    dice = Random(at_most)
    matches: list[Match] = [
        (board, seating, (dice.randrange(-9, 9), dice.randrange(-9, 9), 0), dice.randrange(3) // 2)
        for board in range(20)
        for seating in range(6)
    ]
    chosen = highlights(figures_of(matches), [], at_most)
    assert len(chosen) == len({(match.board, match.seating) for match in chosen}) == min(at_most, 120)
    dice.shuffle(matches)
    assert highlights(figures_of(matches), [], at_most) == chosen


def test_a_league_without_matches_has_none() -> None:
    assert highlights(MatchFigures.of([]), [], 60) == []
    assert swings(MatchFigures.of([])).shape == (0,)
    assert isinstance(leads(MatchFigures.of([])), np.ndarray)
