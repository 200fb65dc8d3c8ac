"""Standings: what a league's matches say of each entrant, the same in any order."""

from __future__ import annotations

from dataclasses import fields, replace
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.figures import COLUMNS, SEAT_COLUMNS
from arena.rating import fit
from arena.standings import Entry, MatchFigures, Mean, Standings, standings

SEATS = range(3)


def entries(names: str) -> list[Entry]:
    return [Entry(name, f"sha256:{name}", "An Author") for name in names]


def row(board: int, seating: int, bots: str, order: str, rounds: int = 3, **by_seat: Any) -> tuple[float, ...]:
    """A match as the journal has it: ``bots`` by seat, ``order`` first to third, by number; seat 0 deals first."""
    values: list[float] = [board, seating, 0, rounds]
    for seat in SEATS:
        own = {"bot": int(bots[seat]), "place": order.index(bots[seat]) + 1}
        values += [own.get(column, by_seat.get(column, (0, 0, 0))[seat]) for column in SEAT_COLUMNS]
    return tuple(values)


def six(board: int, order: str, points: tuple[int, int, int] = (0, 0, 0)) -> list[tuple[float, ...]]:
    """A board in six seatings that all end in the same order, with ``points`` of the first, second and third."""
    return [
        row(board, seating, "".join(bots), order, dealer_points=[points[order.index(bot)] for bot in bots])
        for seating, bots in enumerate(permutations(sorted(order)))
    ]


def league(*boards: str, names: str = "abcde") -> Standings:
    rows = [played for number, order in enumerate(boards) for played in six(number, order)]
    return standings(entries(names), MatchFigures.of(rows))


def random_league(seed: int, bots: int = 6, boards: int = 15) -> MatchFigures:
    rng = np.random.default_rng(seed)
    rows = []
    for board in range(boards):
        triple = sorted(rng.choice(bots, 3, replace=False))
        for seating, seats in enumerate(permutations(triple)):
            order = "".join(map(str, sorted(seats, key=lambda bot: bot + rng.normal(0, 3))))
            columns = {
                "dealer_points": rng.integers(-9, 9, 3),
                "forehand_points": rng.integers(-9, 9, 3),
                "third_points": rng.integers(-9, 9, 3),
                "decisions": rng.integers(0, 60, 3),
                "think_s": rng.random(3),
                "faults": rng.integers(0, 2, 3),
            }
            rows.append(row(board, seating, "".join(map(str, seats)), order, int(rng.integers(1, 12)), **columns))
    return MatchFigures.of(rows)


def names(table: Standings) -> str:
    return "".join(row.entry.name for row in table.rows)


def test_who_wins_stands_first() -> None:
    table = league("120", "120", "210", "120")
    assert names(table)[:3] == "bca"
    assert [row.rank for row in table.rows] == [1, 2, 3, None, None]
    assert table.rows[0].places == (18, 6, 0)
    assert table.rows[0].matches == 24
    assert (table.matches, table.boards) == (24, 4)


def test_the_rating_is_that_of_the_fit() -> None:
    figures = random_league(1)
    ratings = fit(figures.placings, figures.board, 6)
    for line in standings(entries("abcdef"), figures).rows:
        player = "abcdef".index(line.entry.name)
        assert (line.rating.value, line.sigma) == (ratings.mu[player], ratings.sigma[player])
        assert (line.rating.low, line.rating.high) == tuple(ratings.interval()[player])
        assert line.careful == pytest.approx(ratings.mu[player] - 3 * ratings.sigma[player])


def test_it_is_ranked_by_mu_and_equal_ones_by_name() -> None:
    table = league("012", "120", "201", names="zyx")
    assert names(table) == "xyz"
    assert [row.rank for row in table.rows] == [1, 2, 3]
    assert [row.ranks for row in table.rows] == [(1, 3)] * 3


def test_ranks_that_surely_differ_are_told_apart() -> None:
    table = league(*["012"] * 30)
    assert [row.ranks for row in table.rows[:3]] == [(1, 1), (2, 2), (3, 3)]
    doubtful = league(*["012", "102"] * 30)
    assert [row.ranks for row in doubtful.rows[:3]] == [(1, 2), (1, 2), (3, 3)]


def test_who_finished_ahead_of_whom_is_counted_in_the_order_of_the_rows() -> None:
    table = league("120", "120", "210", "120", names="abc")
    assert names(table) == "bca"
    assert table.ahead == ((0, 18, 24), (6, 0, 24), (0, 0, 0))
    assert table.share(0, 1) == 0.75
    assert table.share(2, 0) == 0
    assert table.share(0, 0) is None
    assert table.better[0][1] == pytest.approx(1 - (table.better[1][0] or 0))
    assert table.better[0][0] is None


def test_who_has_not_played_comes_last_and_is_unrated() -> None:
    table = league("120")
    assert names(table) == "bcade"
    unrated = table.rows[3]
    assert (unrated.group, unrated.rank, unrated.ranks, unrated.sigma, unrated.careful) == (None,) * 5
    assert (unrated.rating, unrated.points, unrated.think_s, unrated.matches) == (Mean(), Mean(), None, 0)
    assert table.share(0, 3) is None
    assert table.better[0][3] is None


def test_a_league_without_matches_has_standings() -> None:
    table = standings(entries("abc"), MatchFigures.of([]))
    assert names(table) == "abc"
    assert (table.matches, table.boards, table.groups, table.divided) == (0, 0, (), None)


def test_a_disqualified_bot_is_set_apart_and_its_matches_stay() -> None:
    figures = random_league(2)
    fair = standings(entries("abcdef"), figures)
    ranked = entries("abcdef")
    first = "abcdef".index(fair.rows[0].entry.name)
    ranked[first] = replace(ranked[first], disqualified="read the others' cards")
    table = standings(ranked, figures)
    assert names(table) == names(fair)[1:] + names(fair)[0]
    assert [row.rank for row in table.rows] == [1, 2, 3, 4, 5, None]
    assert [row.rating for row in table.rows] == [row.rating for row in (*fair.rows[1:], fair.rows[0])]
    assert table.rows[-1].matches == fair.rows[0].matches
    assert table.rows[-1].ranks is None
    assert all(row.ranks and row.ranks[1] <= 5 for row in table.rows[:5])


def test_groups_that_never_met_are_told_and_not_ranked_across() -> None:
    table = league("012", "345", "435", "674", names="abcdefgh")
    assert table.groups == (("g", "h", "d", "e", "f"), ("a", "b", "c"))
    assert [row.rank for row in table.rows] == [1, 2, 3, 4, 5, 1, 2, 3]
    listed = "; ".join(", ".join(group) for group in table.groups)
    assert table.divided == f"These groups never met, so they are not ranked against each other: {listed}."
    assert table.better[0][5] is None
    assert league("012", "234").divided is None


# Points


def test_points_a_round_are_counted_by_position() -> None:
    points = {"dealer_points": (4, 0, -4), "forehand_points": (-1, 0, 1), "third_points": (0, 0, 2)}
    figures = MatchFigures.of([row(0, 0, "012", "012", rounds=4, **points)])
    first = next(row for row in standings(entries("abc"), figures).rows if row.entry.name == "a")
    assert first.points == Mean(3 / 4)
    assert first.points_by_position == (Mean(4 / 2), Mean(-1 / 1), Mean(0 / 1))  # it dealt rounds 0 and 3


@given(st.integers(0, 2), st.integers(1, 60))
def test_r2_2_the_deal_passes_to_the_left(first_dealer: int, rounds: int) -> None:
    figures = MatchFigures.of([(0, 0, first_dealer, rounds, *([1] * (len(COLUMNS) - 2)))])
    for seat in SEATS:
        dealers = [(first_dealer + number) % 3 for number in range(rounds)]
        for position in SEATS:
            expected = sum((seat - dealer) % 3 == position for dealer in dealers)
            assert figures.rounds_at(seat, position)[0] == expected


def test_a_board_is_one_observation_however_many_seatings_are_played() -> None:
    boards = [3, -1, 2, 0, 1]  # points of the first in each match of a board, in three rounds
    rows = [played for board, points in enumerate(boards) for played in six(board, "012", (points, 0, -points))]
    six_seatings = standings(entries("abc"), MatchFigures.of(rows)).rows[0].points
    one_seating = standings(entries("abc"), MatchFigures.of(rows[::6])).rows[0].points
    assert (six_seatings.low, six_seatings.high) == pytest.approx((one_seating.low, one_seating.high))
    deviation = np.std(np.array(boards) / 3, ddof=1) / np.sqrt(5)
    assert six_seatings.value == pytest.approx(1 / 3)
    assert six_seatings.high == pytest.approx(1 / 3 + 2.776445 * deviation)  # Student, four degrees of freedom
    assert six_seatings.low == pytest.approx(1 / 3 - 2.776445 * deviation)


def test_longer_matches_weigh_more_in_the_mean() -> None:
    rows = [
        row(0, 0, "012", "012", rounds=1, dealer_points=(8, 0, 0)),
        row(1, 0, "012", "012", rounds=7, dealer_points=(0, 0, 0)),
    ]
    assert standings(entries("abc"), MatchFigures.of(rows)).rows[0].points.value == 1


# Faults and clock


def test_faults_are_added_up_and_thinking_is_per_decision() -> None:
    rows = [
        row(0, 0, "012", "012", faults=(2, 0, 0), decisions=(10, 20, 0), think_s=(0.5, 0.1, 0.0)),
        row(0, 2, "102", "012", faults=(0, 1, 0), decisions=(10, 30, 0), think_s=(0.1, 1.5, 0.0)),
    ]
    by_name = {row.entry.name: row for row in standings(entries("abc"), MatchFigures.of(rows)).rows}
    assert [by_name[name].faults for name in "abc"] == [3, 0, 0]
    assert by_name["a"].think_s == pytest.approx(2.0 / 40)
    assert by_name["b"].think_s == pytest.approx(0.2 / 30)
    assert by_name["c"].think_s is None


# The same in any order


@given(st.integers(0, 2**32), st.randoms(use_true_random=False))
def test_the_order_in_which_matches_finished_never_matters(seed: int, shuffle: Any) -> None:
    figures = random_league(seed)
    order = list(range(len(figures.board)))
    shuffle.shuffle(order)
    shuffled = MatchFigures(**{field.name: getattr(figures, field.name)[order] for field in fields(figures)})
    assert standings(entries("abcdef"), shuffled) == standings(entries("abcdef"), figures)
