"""Converged TrueSkill and its intervals: right, the same in any order, and sensible whatever was played."""

from __future__ import annotations

import json
from itertools import combinations, permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trueskill
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import norm

from arena.converged import BETA, MU, SIGMA, posterior
from arena.intervals import PLACINGS, _derivatives
from arena.rating import Ratings, fit
from arena.standings import SURE

LEAGUE = json.loads((Path(__file__).parent / "data" / "converged_league.json").read_text())
Ints = NDArray[np.int64]


def matches(*boards: str) -> tuple[Ints, Ints]:
    """Placings and board numbers; a board is written as its matches' placings, "012 021 102"."""
    played = [(number, [int(p) for p in placing]) for number, b in enumerate(boards) for placing in b.split()]
    return np.array([placing for _, placing in played]).reshape(-1, 3), np.array([number for number, _ in played], int)


def league(rng: np.random.Generator, players: int, boards: int, spread: float = 3.0) -> tuple[Ints, Ints]:
    """A league by the model: boards of random triples, in six seatings."""
    skills = np.linspace(-spread, spread, players)
    triples = np.argsort(rng.random((boards, players)), axis=1)[:, :3].repeat(6, axis=0)
    performances = skills[triples] + rng.normal(0, BETA, triples.shape)
    return np.take_along_axis(triples, np.argsort(-performances, axis=1), axis=1), np.arange(boards).repeat(6)


def same(one: Ratings, other: Ratings) -> bool:
    return one.groups == other.groups and all(
        np.array_equal(getattr(one, name), getattr(other, name)) for name in ("mu", "sigma", "covariance", "boards")
    )


# Right


def test_a_small_league_has_the_expected_ratings() -> None:
    placings, boards = matches(*(" ".join(board) for board in LEAGUE["boards"]))
    ratings = fit(placings, boards, LEAGUE["bots"])
    assert ratings.mu == pytest.approx(LEAGUE["mu"], abs=1e-4)
    assert ratings.sigma == pytest.approx(LEAGUE["sigma"], abs=1e-4)
    distinct, counts = np.unique(placings, axis=0, return_counts=True)
    skills = posterior(distinct, counts, LEAGUE["bots"])
    assert np.sqrt(np.diag(skills.covariance)) == pytest.approx(LEAGUE["posterior_sigma"], abs=1e-4)


@pytest.mark.parametrize("placing", list(permutations(range(3))))
def test_one_match_is_rated_as_the_trueskill_package_rates_it(placing: tuple[int, int, int]) -> None:
    environment = trueskill.TrueSkill(draw_probability=0, tau=0)
    rated = [rating for (rating,) in environment.rate([(environment.create_rating(),) for _ in range(3)])]
    skills = posterior(np.array([placing]), np.array([1]), 3)
    assert skills.mean[list(placing)] == pytest.approx([rating.mu for rating in rated], abs=1e-4)
    deviations = np.sqrt(np.diag(skills.covariance))[list(placing)]
    assert deviations == pytest.approx([rating.sigma for rating in rated], abs=1e-4)
    assert fit(np.array([placing]), np.array([0]), 3).mu == pytest.approx(skills.mean, abs=1e-12)


def test_the_posterior_of_two_matches_is_the_true_one() -> None:
    """The exact mean, by integrating over the players' performances in both matches."""
    rng = np.random.default_rng(1)
    skills = rng.normal(MU, SIGMA, (4_000_000, 3))
    for _ in range(2):
        performances = skills + rng.normal(0, BETA, skills.shape)
        skills = skills[(performances[:, 0] > performances[:, 1]) & (performances[:, 1] > performances[:, 2])]
    found = posterior(np.array([[0, 1, 2]]), np.array([2]), 3)
    assert found.mean == pytest.approx(skills.mean(axis=0), abs=0.1)
    assert np.sqrt(np.diag(found.covariance)) == pytest.approx(skills.std(axis=0), abs=0.1)


def test_many_matches_find_the_skills_that_they_came_from() -> None:
    ratings = fit(*league(np.random.default_rng(2), 10, 20_000), 10)
    assert ratings.mu - MU == pytest.approx(np.linspace(-3, 3, 10), abs=5 * ratings.sigma.max())
    assert ratings.sigma.max() < 0.06


@pytest.mark.parametrize("skills", [(25, 25, 25), (31, 24, 20), (10, 25, 40), (45, 25, 5)])
def test_slope_and_curvature_are_those_of_the_likelihood(skills: tuple[float, float, float]) -> None:
    def log_likelihood(s: NDArray[np.float64]) -> float:
        first, _, third = (s - s[1]) / BETA
        return float(np.log((norm.pdf(grid) * norm.cdf(first - grid) * norm.cdf(grid - third)).sum()))

    grid = np.linspace(-12, 12, 400)  # of the second's performance; equal steps sum a Gaussian's product exactly
    score, curvature = _derivatives(np.array(skills, float), np.array([[0, 1, 2]]), np.ones((1, 6), bool))
    step = 1e-2
    for code, placing in enumerate(PLACINGS):
        for i, j in [(0, 0), (0, 1), (1, 1), (1, 2)]:

            def at(a: float, b: float, i: int = i, j: int = j, placing: NDArray[Any] = placing) -> float:
                moved = np.array(skills, float)
                moved[i] += a * step
                moved[j] += b * step
                return log_likelihood(moved[placing])

            slope = (at(1, 0) - at(-1, 0)) / (2 * step)
            bend = (at(1, 1) - at(1, -1) - at(-1, 1) + at(-1, -1)) / (4 * step**2)
            assert score[0, code, i] == pytest.approx(slope, rel=1e-3, abs=1e-6)
            assert -curvature[0, code, i, j] == pytest.approx(bend, rel=1e-2, abs=1e-4)


def test_sigma_is_what_leaving_out_a_board_at_a_time_gives() -> None:
    """The jackknife by the book: fit again and again, each time without one board."""
    placings, boards = league(np.random.default_rng(3), 4, 200)
    count = boards.max() + 1
    ratings = fit(placings, boards, 4)
    without = np.array([fit(placings[boards != b], boards[boards != b], 4).mu for b in range(count)])
    variance = (count - 1) / count * ((without - without.mean(axis=0)) ** 2).sum(axis=0)
    assert ratings.sigma == pytest.approx(np.sqrt(variance), rel=0.03)


def test_the_matches_of_a_board_count_as_one_observation() -> None:
    """The same match six times over says no more than once, as its boards show."""
    once = fit(*league(np.random.default_rng(4), 6, 600), 6)
    placings, boards = league(np.random.default_rng(4), 6, 600)
    first = boards * 6  # the first match of its board, six times
    assert fit(placings[first], boards, 6).sigma.mean() > 2 * once.sigma.mean()
    assert fit(placings[first], boards, 6).sigma == pytest.approx(fit(placings[::6], boards[::6], 6).sigma, rel=0.1)


# The same in any order


@given(st.randoms(use_true_random=False), st.integers(0, 2**32))
def test_the_order_of_the_matches_never_matters(shuffle: Any, seed: int) -> None:
    rng = np.random.default_rng(seed)
    placings, boards = league(rng, 7, 20)
    order = list(range(len(boards)))
    shuffle.shuffle(order)
    assert same(fit(placings, boards, 7), fit(placings[order], boards[order], 7))


def test_board_numbers_need_not_be_without_gaps() -> None:
    placings, boards = league(np.random.default_rng(5), 7, 20)
    assert same(fit(placings, boards, 7), fit(placings, 3 * boards + 10, 7))


def test_players_are_rated_alike_whatever_their_numbers() -> None:
    placings, boards = league(np.random.default_rng(6), 7, 20)
    numbers = np.array([3, 1, 6, 0, 5, 2, 4])
    assert fit(numbers[placings], boards, 7).mu[numbers] == pytest.approx(fit(placings, boards, 7).mu, abs=1e-9)
    assert fit(numbers[placings], boards, 7).sigma[numbers] == pytest.approx(fit(placings, boards, 7).sigma, abs=1e-9)


# Sensible whatever was played


def test_who_has_not_played_is_unrated() -> None:
    ratings = fit(*matches(), 4)
    assert ratings.groups == ()
    assert list(ratings.mu) == [MU] * 4
    assert list(ratings.sigma) == [SIGMA] * 4
    assert np.isnan(ratings.better()).all()


def test_one_match_says_little() -> None:
    ratings = fit(*matches("210"), 4)
    assert ratings.groups == ((0, 1, 2),)
    assert ratings.mu[2] > ratings.mu[1] > ratings.mu[0]
    assert 0.7 < ratings.better()[2, 1] <= ratings.better()[2, 0] <= 0.75
    assert ratings.mu[3] == MU


@pytest.mark.parametrize("rounds", [1, 2, 10, 1000])
def test_who_always_wins_or_loses_gets_a_finite_rating(rounds: int) -> None:
    boards = [f"0{a}{b} 0{b}{a} 0{a}{b} 0{b}{a} 0{a}{b} 0{b}{a}" for a, b in combinations("1234", 2)] * rounds
    placings, numbers = matches(*boards)
    winner, loser = fit(placings, numbers, 5), fit(placings[:, ::-1], numbers, 5)
    assert winner.mu == pytest.approx(2 * MU - loser.mu, abs=1e-6)
    assert winner.sigma == pytest.approx(loser.sigma, abs=1e-6)
    assert 35 < winner.mu[0] < 60
    assert winner.mu[1:] == pytest.approx([winner.mu[1]] * 4, abs=1e-6)
    assert winner.better()[0, 1:] == pytest.approx([1 - 0.5 ** (3 * rounds + 1)] * 4, abs=1e-3)
    assert winner.sigma[0] == max(winner.sigma) < SIGMA


@pytest.mark.parametrize("rounds", [1, 2, 10, 1000])
def test_a_league_that_always_ends_in_the_same_order_has_finite_ratings(rounds: int) -> None:
    ratings = fit(*matches(*[f"{a}{b}{c} " * 6 for a, b, c in combinations("012345", 3)] * rounds), 6)
    assert (np.diff(ratings.mu) < -3).all()
    assert ratings.mu[0] == pytest.approx(2 * MU - ratings.mu[5], abs=1e-6)
    assert np.abs(ratings.mu).max() < 150
    assert ((ratings.sigma > 0) & (ratings.sigma < SIGMA)).all()
    assert (np.triu(ratings.better(), 1) >= 0.9)[np.triu_indices(6, 1)].all()


@pytest.mark.parametrize("boards", [1, 2, 3])
def test_few_boards_that_agree_do_not_make_sure(boards: int) -> None:
    ratings = fit(*matches(*["012 021 102 012 120 012"] * boards), 3)
    assert ratings.better()[0, 1] < 0.99
    assert ratings.sigma.min() > 0.5


@pytest.mark.parametrize(("boards", "apart"), [(1, False), (2, False), (4, False), (5, True), (6, True)])
def test_ranks_are_told_apart_from_five_boards_on(boards: int, apart: bool) -> None:
    """Who is ahead on each of four boards is no better with a chance of one in 32."""
    better = fit(*matches(*["012 012 012 012 012 012"] * boards), 3).better()
    assert bool(better[0, 2] > SURE) is apart
    assert better[0, 2] <= 1 - 0.5 ** (boards + 1)
    assert better[2, 0] == pytest.approx(1 - better[0, 2])


def test_the_few_boards_of_one_make_the_other_no_surer() -> None:
    """0 and 1 have met often; 3 beat them on a single board."""
    better = fit(*matches(*["012 012 012"] * 20, "301 301 301"), 4).better()
    assert better[0, 1] > 0.999
    assert (better[3, :3] <= 0.75).all()


def test_groups_that_never_met_are_rated_on_their_own() -> None:
    one, other = "012 120 021 102 012 012", "345 354 453 345 534 345"
    apart = fit(*matches(one, other, one, other), 8)
    assert apart.groups == ((0, 1, 2), (3, 4, 5))
    assert apart.mu[:3] == pytest.approx(fit(*matches(one, one), 3).mu)
    assert apart.sigma[:3] == pytest.approx(fit(*matches(one, one), 3).sigma)
    assert apart.mu[:3].mean() == pytest.approx(MU)
    assert apart.mu[3:6].mean() == pytest.approx(MU)
    assert np.isnan(apart.better()[:3, 3:]).all()
    assert (apart.covariance[:3, 3:] == 0).all()


def test_groups_are_joined_by_a_player_who_met_both_and_the_largest_comes_first() -> None:
    ratings = fit(*matches("012", "567", "526"), 9)
    assert ratings.groups == ((0, 1, 2, 5, 6, 7),)
    assert fit(*matches("012", "567", "546"), 9).groups == ((4, 5, 6, 7), (0, 1, 2))


def test_a_board_of_which_not_all_seatings_are_played_counts_too() -> None:
    placings, boards = league(np.random.default_rng(7), 6, 50)
    played = np.random.default_rng(8).random(len(boards)) < 0.5
    ratings = fit(placings[played], boards[played], 6)
    assert len(np.unique(boards[played], return_counts=True)[1]) > 40
    assert (ratings.sigma > fit(placings, boards, 6).sigma).all()
    assert ratings.mu == pytest.approx(fit(placings, boards, 6).mu, abs=4 * ratings.sigma.max())


def test_a_board_belongs_to_one_triple() -> None:
    placings, boards = matches("012 021", "013 031")
    with pytest.raises(ValueError, match="board 0 was played by more than one triple"):
        fit(placings, np.zeros_like(boards), 4)


# What follows from ratings


def test_the_chance_to_be_better_comes_from_the_difference_and_its_covariance() -> None:
    ratings = fit(*league(np.random.default_rng(9), 5, 60, spread=0.5), 5)
    better = ratings.better()
    difference = np.array([1.0, 0, 0, -1, 0])
    deviation = np.sqrt(difference @ ratings.covariance @ difference)
    assert 0.001 < better[0, 3] < 0.5
    assert better[0, 3] == pytest.approx(norm.cdf((ratings.mu[0] - ratings.mu[3]) / deviation))
    assert better[3, 0] == pytest.approx(1 - better[0, 3])


def test_the_interval_is_196_sigma_each_way() -> None:
    ratings = fit(*league(np.random.default_rng(10), 5, 60), 5)
    assert ratings.interval()[:, 1] - ratings.mu == pytest.approx(1.959964 * ratings.sigma)
    assert ratings.mu - ratings.interval()[:, 0] == pytest.approx(1.959964 * ratings.sigma)


def test_deviations_are_about_the_mean() -> None:
    ratings = fit(*league(np.random.default_rng(11), 8, 60), 8)
    assert ratings.mu.mean() == pytest.approx(MU)
    assert ratings.covariance.sum(axis=0) == pytest.approx(np.zeros(8), abs=1e-12)
