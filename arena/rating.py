"""The ratings of a league: converged TrueSkill with honest intervals. The order of the matches never matters.

μ is the mean of TrueSkill's posterior over all matches at once (``arena.converged``), σ says how far off it may be
from the mean of its group (``arena.intervals``). Players who have not met, directly or through others, are in
different groups: nothing can be said across.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.special import ndtr

from arena.converged import MU, SIGMA, posterior
from arena.intervals import PLACINGS, skill_covariance

__all__ = ["Ratings", "fit"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

CODE = np.zeros(9, np.int64)
CODE[PLACINGS[:, 0] * 3 + PLACINGS[:, 1]] = np.arange(6)
Z95 = 1.959963984540054


@dataclass(frozen=True)
class Ratings:
    """Ratings of n players."""

    mu: Floats
    """(n,): 25 on average in each group, and 25 for who has not played."""
    sigma: Floats
    """(n,): standard error of μ about its group's mean, and 25/3 for who has not played; 95 % interval μ ± 1.96 σ."""
    covariance: Floats
    """(n, n): of the μ about their group's mean; zero across groups."""
    groups: tuple[tuple[int, ...], ...]
    """The players who have met, directly or through others, the largest group first; nobody who has not played."""
    boards: Ints
    """(n,): how many boards each has played."""

    def better(self) -> Floats:
        """(n, n): the chance that the row's player is better than the column's; NaN across groups and for oneself.

        b boards, of whichever of the two played fewer, never make surer than 1 − 2^−(b+1): that is the chance if all
        of them speak for one, and any share of boards going his way was as likely as any other (Laplace's rule).
        """
        chance = np.full(self.covariance.shape, np.nan)
        for group in self.groups:
            own = np.ix_(group, group)
            mu, spread, variance = self.mu[list(group)], self.covariance[own], self.sigma[list(group)] ** 2
            deviation = np.sqrt(np.maximum(variance[:, None] + variance - 2 * spread, 1e-12))
            doubt = 0.5 ** (np.minimum(self.boards[list(group), None], self.boards[list(group)]) + 1)
            chance[own] = np.clip(ndtr((mu[:, None] - mu) / deviation), doubt, 1 - doubt)
        np.fill_diagonal(chance, np.nan)
        return chance

    def interval(self) -> Floats:
        """(n, 2): the 95 % interval of each μ."""
        return np.stack((self.mu - Z95 * self.sigma, self.mu + Z95 * self.sigma), axis=1)


def fit(placings: NDArray[np.integer], boards: NDArray[np.integer], n: int) -> Ratings:
    """Rate ``n`` players.

    :param placings: (m, 3), who was first, second and third in each match, as indices below ``n``.
    :param boards: (m,), the number of the board that each match was played on; a board belongs to one triple.
    :raises ValueError: a board was played by more than one triple.
    """
    mu, sigma, covariance = np.full(n, MU), np.full(n, SIGMA), np.zeros((n, n))
    triples, triple_of, counts = _by_board(placings, boards, n)
    groups = _groups(triples, n)
    for group in groups:
        position = np.full(n, -1)
        position[list(group)] = np.arange(len(group))
        here = np.flatnonzero(position[triples[:, 0]] >= 0)
        chosen = np.isin(triple_of, here)
        mean, spread = _fit_group(position[triples[here]], np.searchsorted(here, triple_of[chosen]), counts[chosen])
        mu[list(group)], sigma[list(group)] = mean, np.sqrt(np.diag(spread))
        covariance[np.ix_(group, group)] = spread
    return Ratings(mu, sigma, covariance, groups, np.bincount(triples[triple_of].ravel(), minlength=n))


def _fit_group(triples: Ints, triple_of: Ints, counts: Ints) -> tuple[Floats, Floats]:
    """Mean and covariance of players 0 … who have all met, directly or through others."""
    n = int(triples.max()) + 1
    total = np.stack([np.bincount(triple_of, counts[:, code], len(triples)) for code in range(6)], axis=1)
    triple, code = np.nonzero(total)
    skills = posterior(triples[triple[:, None], PLACINGS[code]], total[triple, code], n)
    return skills.mean, skill_covariance(skills.mean, triples, triple_of, counts)


def _by_board(placings: NDArray[np.integer], boards: NDArray[np.integer], n: int) -> tuple[Ints, Ints, Ints]:
    """The triples (t, 3) that played, the triple of each board (b,), and its counts of placings (b, 6).

    From here on only counts matter, in the order of triples and board numbers: the matches' order is forgotten.
    """
    placings = np.asarray(placings, np.int64).reshape(-1, 3)
    order = np.argsort(placings, axis=1)
    members = np.take_along_axis(placings, order, axis=1)
    rank = np.argsort(order, axis=1)
    code = CODE[rank[:, 0] * 3 + rank[:, 1]]
    numbers, board = np.unique(boards, return_inverse=True)
    keys = (members[:, 0] * n + members[:, 1]) * n + members[:, 2]
    key_of = np.zeros(len(numbers), np.int64)
    key_of[board] = keys
    if np.any(key_of[board] != keys):
        shared = numbers[board[np.argmax(key_of[board] != keys)]]
        raise ValueError(f"board {shared} was played by more than one triple: give each triple boards of its own")
    triple_keys, triple_of = np.unique(key_of, return_inverse=True)
    triples = np.stack((triple_keys // n**2, triple_keys // n % n, triple_keys % n), axis=1)
    counts = np.bincount(board * 6 + code, minlength=6 * len(numbers)).reshape(-1, 6)
    return triples, triple_of, counts


def _groups(triples: Ints, n: int) -> tuple[tuple[int, ...], ...]:
    met = coo_array((np.ones(2 * len(triples)), (triples[:, [0, 0]].ravel(), triples[:, [1, 2]].ravel())), (n, n))
    _, label = connected_components(met, directed=False)
    played = np.unique(triples)
    groups = [tuple(int(player) for player in played[label[played] == name]) for name in np.unique(label[played])]
    return tuple(sorted(groups, key=lambda group: (-len(group), group)))
