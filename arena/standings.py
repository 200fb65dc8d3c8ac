"""The standings of a league, from the figures of its matches. The order in which matches finished never matters.

All sums are of whole numbers (points, rounds, microseconds), and what is not is added up in the order of the boards:
the same matches give the same standings to the last bit.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isnan
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from arena.figures import COLUMNS
from arena.rating import Ratings, fit

__all__ = ["Entry", "MatchFigures", "Mean", "Row", "Standings", "standings"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

POSITIONS = ("dealer_points", "forehand_points", "third_points")
SINGLE = ("board", "seating", "first_dealer", "rounds")
BY_SEAT = ("bot", "place", *POSITIONS, "decisions", "think_s", "faults")
SURE = 0.975
"""How likely one bot must be better than another for their ranks to be told apart."""


@dataclass(frozen=True)
class Entry:
    """An entrant as the standings name it."""

    name: str
    version: str
    author: str
    disqualified: str | None = None
    """Why, None if it is not."""


@dataclass(frozen=True, eq=False)
class MatchFigures:
    """The figures of m matches, a row each. Bots are numbers: indices into the league's entries."""

    board: Ints
    """(m,) board number."""
    seating: Ints
    """(m,) 0 to 5."""
    first_dealer: Ints
    """(m,) seat."""
    rounds: Ints
    """(m,) rounds played."""
    bot: Ints
    """(m, 3) who sat on each seat."""
    place: Ints
    """(m, 3) 1, 2 or 3, by seat."""
    points: Ints
    """(m, 3, 3) points by seat, as dealer, forehand and third hand."""
    decisions: Ints
    """(m, 3) decisions asked of each seat."""
    think_us: Ints
    """(m, 3) microseconds that each seat thought."""
    faults: Ints
    """(m, 3) by seat."""

    @classmethod
    def of(cls, rows: Iterable[Sequence[float]]) -> MatchFigures:
        """From rows of board number, seating, and the values of ``arena.figures.COLUMNS``, in any order."""
        given = ("board", "seating", *COLUMNS)
        wanted = [*SINGLE, *(f"{name}{seat}" for name in BY_SEAT for seat in range(3))]
        table: NDArray[Any] = np.fromiter(
            map(itemgetter(*map(given.index, wanted)), rows), np.dtype((np.float64, len(wanted)))
        )

        def single(name: str) -> Ints:
            return np.asarray(table[:, wanted.index(name)], np.int64)

        def by_seat(name: str, units: float = 1) -> Ints:
            seats = [table[:, wanted.index(f"{name}{seat}")] for seat in range(3)]
            return np.rint(np.stack(seats, axis=1) * units).astype(np.int64)

        return cls(
            board=single("board"),
            seating=single("seating"),
            first_dealer=single("first_dealer"),
            rounds=single("rounds"),
            bot=by_seat("bot"),
            place=by_seat("place"),
            points=np.stack([by_seat(name) for name in POSITIONS], axis=2),
            decisions=by_seat("decisions"),
            think_us=by_seat("think_s", 1e6),
            faults=by_seat("faults"),
        )

    @property
    def placings(self) -> Ints:
        """(m, 3) who was first, second and third."""
        return np.take_along_axis(self.bot, np.argsort(self.place, axis=1), axis=1)

    def rounds_at(self, seat: int, position: int) -> Ints:
        """(m,) in how many rounds a seat was dealer (0), forehand (1) or third hand (2): the deal passes (R2.2)."""
        first = (seat - position - self.first_dealer) % 3
        return (self.rounds - first + 2) // 3


@dataclass(frozen=True)
class Mean:
    """A mean with its 95 % interval; None where there is nothing to say."""

    value: float | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Row:
    """What the standings say of one entrant."""

    entry: Entry
    group: int | None
    """Number of the group of those who met, directly or through others; None if it has not played."""
    rank: int | None
    """By μ among those of its group who are not disqualified, from 1; None if it is, or has not played."""
    ranks: tuple[int, int] | None
    """The best and the worst rank that it may really have: those surely better than it are ahead of it, those surely
    worse behind (each with 97.5 %)."""
    rating: Mean
    """μ and its 95 % interval, μ ± 1.96 σ."""
    sigma: float | None
    matches: int
    places: tuple[int, int, int]
    """Matches in which it was first, second and third."""
    points: Mean
    """Points a round. A board is one observation, however many seatings of it were played."""
    points_by_position: tuple[Mean, Mean, Mean]
    """Points a round as dealer, forehand and third hand."""
    faults: int
    think_s: float | None
    """Mean seconds a decision."""

    @property
    def careful(self) -> float | None:
        """μ − 3σ."""
        return None if self.rating.value is None or self.sigma is None else self.rating.value - 3 * self.sigma


@dataclass(frozen=True)
class Standings:
    """The standings: rows by group and rank, then the disqualified, then who has not played."""

    rows: tuple[Row, ...]
    ahead: tuple[tuple[int, ...], ...]
    """In how many matches the row's entrant finished ahead of the column's, both in the order of the rows."""
    better: tuple[tuple[float | None, ...], ...]
    """How likely the row's entrant is better than the column's; None for itself and where they never met, not even
    through others."""
    matches: int
    boards: int

    def share(self, row: int, column: int) -> float | None:
        """In which share of their matches the row's entrant finished ahead of the column's; None if they never met."""
        met = self.ahead[row][column] + self.ahead[column][row]
        return self.ahead[row][column] / met if met else None

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """The names of those who met, directly or through others, by group."""
        numbers = sorted({row.group for row in self.rows if row.group is not None})
        return tuple(tuple(row.entry.name for row in self.rows if row.group == number) for number in numbers)

    @property
    def divided(self) -> str | None:
        """A sentence for a league that falls into groups which never met, None if it does not."""
        if len(self.groups) < 2:
            return None
        groups = "; ".join(", ".join(group) for group in self.groups)
        return f"These groups never met, so they are not ranked against each other: {groups}."


def standings(entries: Sequence[Entry], figures: MatchFigures) -> Standings:
    """The standings of a league.

    :param entries: the league's entrants; figures refer to them by index.
    """
    n = len(entries)
    placings = figures.placings
    ratings = fit(placings, figures.board, n)
    better = ratings.better()
    mu, sigma, interval = ratings.mu.tolist(), ratings.sigma.tolist(), ratings.interval().tolist()
    group_of = {player: number for number, group in enumerate(ratings.groups) for player in group}
    ranks = _ranks(entries, ratings, better)
    places = np.stack([np.bincount(placings[:, place], minlength=n) for place in range(3)], axis=1).tolist()
    points = _points(figures, n)
    faults = _total(figures.bot, figures.faults, n)
    decisions, think_us = _total(figures.bot, figures.decisions, n), _total(figures.bot, figures.think_us, n)
    rows = []
    for player, entry in enumerate(entries):
        played = player in group_of
        rank, best, worst = ranks.get(player, (None, None, None))
        firsts, seconds, thirds = places[player]
        row = Row(
            entry=entry,
            group=group_of.get(player),
            rank=rank,
            ranks=None if best is None or worst is None else (best, worst),
            rating=Mean(mu[player], *interval[player]) if played else Mean(),
            sigma=sigma[player] if played else None,
            matches=firsts + seconds + thirds,
            places=(firsts, seconds, thirds),
            points=points[player][0],
            points_by_position=points[player][1:],
            faults=int(faults[player]),
            think_s=float(think_us[player] / decisions[player] / 1e6) if decisions[player] else None,
        )
        rows.append(row)
    order = sorted(range(n), key=lambda player: _place_in_table(rows[player]))
    chances = better[np.ix_(order, order)].tolist()
    return Standings(
        rows=tuple(rows[player] for player in order),
        ahead=tuple(tuple(line) for line in _ahead(placings, n)[np.ix_(order, order)].tolist()),
        better=tuple(tuple(None if isnan(chance) else chance for chance in line) for line in chances),
        matches=len(placings),
        boards=len(np.unique(figures.board)),
    )


def _place_in_table(row: Row) -> tuple[bool, bool, int, int, float, str]:
    disqualified = row.entry.disqualified is not None
    mu = row.rating.value or 0.0
    return row.group is None, disqualified, row.group or 0, row.rank or 0, -mu, row.entry.name


def _ranks(entries: Sequence[Entry], ratings: Ratings, better: Floats) -> dict[int, tuple[int, int, int]]:
    """Rank, best and worst rank of each who is rated and not disqualified. Equal μ: by name."""
    ranks = {}
    for group in ratings.groups:
        ranked = [player for player in group if entries[player].disqualified is None]
        ranked.sort(key=lambda player: (-round(float(ratings.mu[player]), 6), entries[player].name))
        chances = better[np.ix_(ranked, ranked)]
        ahead, behind = (chances > SURE).sum(axis=0), (chances > SURE).sum(axis=1)
        for index, player in enumerate(ranked):
            ranks[player] = index + 1, int(ahead[index]) + 1, len(ranked) - int(behind[index])
    return ranks


def _points(figures: MatchFigures, n: int) -> list[tuple[Mean, Mean, Mean, Mean]]:
    """Points a round of each bot: overall, and as dealer, forehand, third hand."""
    order = np.argsort(figures.bot, axis=1)
    slot = np.argsort(order, axis=1)  # of each seat's bot among the three of the board
    numbers, board = np.unique(figures.board, return_inverse=True)
    cell = board[:, None] * 3 + slot
    cells = 3 * len(numbers)
    bot = np.zeros(cells, np.int64)
    bot[cell] = figures.bot
    points, rounds = np.zeros((3, cells)), np.zeros((3, cells))
    for position in range(3):
        for seat in range(3):
            points[position] += np.bincount(cell[:, seat], figures.points[:, seat, position], cells)
            rounds[position] += np.bincount(cell[:, seat], figures.rounds_at(seat, position), cells)
    overall = _board_means(bot, points.sum(axis=0), rounds.sum(axis=0), n)
    dealer, forehand, third = (_board_means(bot, points[position], rounds[position], n) for position in range(3))
    return list(zip(overall, dealer, forehand, third, strict=True))


def _board_means(bot: Ints, points: Floats, rounds: Floats, n: int) -> list[Mean]:
    """Points a round of each bot, with the interval that its boards give: those of one board vary together.

    The mean is a ratio of sums; its variance is B/(B − 1) · Σ(points − mean · rounds)² / (Σ rounds)² over the B boards
    (Cochran, Sampling Techniques, 1977, 6.4), the interval Student's with B − 1 degrees of freedom.
    """
    played = rounds > 0
    bot, points, rounds = bot[played], points[played], rounds[played]
    boards, total = np.bincount(bot, minlength=n), _total(bot, rounds, n)
    mean = _total(bot, points, n) / np.maximum(total, 1)
    squares = _total(bot, (points - mean[bot] * rounds) ** 2, n)
    free = np.maximum(boards - 1, 1)
    reach = stdtrit(free, 0.975) * np.sqrt(boards / free * squares) / np.maximum(total, 1)
    return [
        Mean() if b == 0 else Mean(m) if b == 1 else Mean(m, m - r, m + r)
        for b, m, r in zip(boards.tolist(), mean.tolist(), reach.tolist(), strict=True)
    ]


def _ahead(placings: Ints, n: int) -> Ints:
    """(n, n) in how many matches the row's bot finished ahead of the column's."""
    total = np.zeros(n * n, np.int64)
    for front, back in ((0, 1), (0, 2), (1, 2)):
        total += np.bincount(placings[:, front] * n + placings[:, back], minlength=n * n)
    return total.reshape(n, n)


def _total(bot: Ints, values: NDArray[np.number], n: int) -> Floats:
    """(n,) the sum of the values of each bot."""
    return np.asarray(np.bincount(bot.ravel(), values.ravel(), n), np.float64)
