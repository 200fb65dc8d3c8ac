"""How many times fewer matches the same certainty takes when a board is played in all six seatings.

Three players of near strength play as many matches twice: each match on cards of its own, and six matches a board. The
variances that the standings then give, of points a round and of the difference of two μ, are compared.
"""

from __future__ import annotations

from itertools import permutations

import numpy as np

from arena.rating import fit
from arena.standings import Entry, MatchFigures, standings
from protocol.view import Rules
from referee.deal import board_seed
from referee.match import Match
from referee.rules import SETS
from tests.graded import Player, play

SEATINGS = tuple(permutations(range(3)))
BOARDS = 300
TRIOS = {
    "bots with dice": (Player(0.8), Player(0.85), Player(0.9)),
    "bots without": (Player(1.0), Player(1.0, spends_high=False), Player(1.0, leads_high=False, spends_high=False)),
}


def main() -> None:
    print(f"{6 * BOARDS} matches each way; how many times fewer are needed with six seatings a board (about ± 8 %)")
    for name, rules in SETS.items():
        for kind, players in TRIOS.items():
            alone = figures(rules, players, [(number, number % 6) for number in range(6 * BOARDS)])
            shared = figures(rules, players, [(board, seating) for board in range(BOARDS) for seating in range(6)])
            points = np.mean(point_variances(alone)) / np.mean(point_variances(shared))
            placings = np.mean(rating_variances(alone)) / np.mean(rating_variances(shared))
            print(f"{name:15} {kind:14}  on points {points:.1f} ×, on placings {placings:.1f} ×", flush=True)


def point_variances(played: MatchFigures) -> list[float]:
    """In what the points a round of each player vary, by the standings' intervals."""
    rows = standings([Entry(name, "", "") for name in "abc"], played).rows
    return [(row.points.high - row.points.low) ** 2 for row in rows if row.points.high and row.points.low]


def rating_variances(played: MatchFigures) -> list[float]:
    """The variance of each difference of two μ."""
    covariance = fit(played.placings, played.board, 3).covariance
    return [covariance[a, a] + covariance[b, b] - 2 * covariance[a, b] for a, b in ((0, 1), (0, 2), (1, 2))]


def figures(rules: Rules, players: tuple[Player, ...], matches: list[tuple[int, int]]) -> MatchFigures:
    """Plays matches, each given as its board and seating."""
    played = [
        play(rules, board_seed(b"fewer", board), [players[player] for player in SEATINGS[seating]])
        for board, seating in matches
    ]
    board, seating = np.array(matches).T
    nothing = np.zeros((len(matches), 3), np.int64)
    return MatchFigures(
        board=board,
        seating=seating,
        first_dealer=np.array([match.first_dealer for match in played]),
        rounds=np.array([len(match.rounds) for match in played]),
        bot=np.array([SEATINGS[number] for number in seating]),
        place=np.array([match.placing for match in played]),
        points=np.array([points_by_position(match) for match in played]),
        decisions=nothing,
        think_us=nothing,
        faults=nothing,
    )


def points_by_position(match: Match) -> list[list[int]]:
    points = [[0, 0, 0] for _ in range(3)]
    for rnd in match.rounds:
        for seat, score in enumerate(rnd.scores):
            points[seat][(seat - rnd.dealer) % 3] += score
    return points
