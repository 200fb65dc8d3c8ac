"""TrueSkill solved to its fixed point: the posterior of all skills given all placings at once.

The model is TrueSkill's (Herbrich, Minka and Graepel 2007): skills s ~ N(25, (25/3)²); in a match each player performs
as p ~ N(s, β²) and the placing is the order of the performances. Where TrueSkill takes one match after the other, and
so depends on their order, expectation propagation (Minka 2001) is iterated here over all of them until nothing moves.
``docs/rating.md`` has the formulas.

Matches with the same placing of the same three have the same site, so that a million matches cost no more than the
distinct placings among them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr

__all__ = ["BETA", "DIFFERENCES", "MU", "SIGMA", "Posterior", "by_player", "gathered", "posterior", "summed"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MU, SIGMA, BETA = 25.0, 25 / 3, 25 / 6

DAMPING = 0.7
"""Share of each step that is taken: undamped, a bot that wins everything settles on a false two-cycle."""
TOLERANCE = 1e-9
ITERATIONS = 2000

DIFFERENCES = np.array([[1.0, -1.0, 0.0], [0.0, 1.0, -1.0]])
"""From the skills of first, second and third to s₁ − s₂ and s₂ − s₃."""
_TOP, _BOTTOM = DIFFERENCES
PRODUCTS = np.stack(
    (np.outer(_TOP, _TOP), np.outer(_TOP, _BOTTOM) + np.outer(_BOTTOM, _TOP), np.outer(_BOTTOM, _BOTTOM))
)
NOISE = BETA**2 * np.array([[2.0], [-1.0], [2.0]])
"""Covariance of the noise of two performance differences p₁ − p₂ and p₂ − p₃, as the rows xx, xy, yy."""


@dataclass(frozen=True)
class Posterior:
    """Mean (n,) and covariance (n, n) of the skills."""

    mean: Floats
    covariance: Floats
    converged: bool


def posterior(placings: Ints, counts: Ints, n: int) -> Posterior:
    """The skills of ``n`` players after matches of three.

    :param placings: (k, 3), the distinct placings: who was first, second, third.
    :param counts: (k,) whole numbers, how often each came about.
    """
    first, second, third = placings.T
    precision, shift = np.zeros((3, len(counts))), np.zeros((2, len(counts)))  # the sites, on the skill differences
    cuts = np.zeros((2, len(counts))), np.zeros((2, len(counts)))  # the truncations, on the performance differences
    mean, covariance = np.full(n, MU), np.eye(n) * SIGMA**2
    converged = False
    for _ in range(ITERATIONS):
        inside = _inverse(_difference_covariance(covariance, first, second, third))
        differences = np.stack((mean[first] - mean[second], mean[second] - mean[third]))
        cavity = _inverse(inside - precision)
        cavity_mean = _times(cavity, _times(inside, differences) - shift)
        cuts = _truncate(cavity_mean, cavity + NOISE, cuts)
        new_precision, new_shift = _message(*cuts)
        precision = precision + DAMPING * (new_precision - precision)
        shift = shift + DAMPING * (new_shift - shift)
        before = mean
        mean, covariance = _combined(placings, counts * precision, counts * shift, n)
        if converged := bool(np.abs(mean - before).max() < TOLERANCE):
            break
    return Posterior(mean, covariance, converged)


def _difference_covariance(c: Floats, first: Ints, second: Ints, third: Ints) -> Floats:
    """Covariance of s₁ − s₂ and s₂ − s₃."""
    both = c[second, second]
    return np.stack(
        (
            c[first, first] - 2 * c[first, second] + both,
            c[first, second] - c[first, third] - both + c[second, third],
            both - 2 * c[second, third] + c[third, third],
        )
    )


def _truncate(mean: Floats, covariance: Floats, cuts: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    """Both performance differences are positive: the Gaussian factors (precisions, shifts) that say it best.

    :param mean: (2, k) of the performance differences before; ``covariance`` (3, k) likewise.
    :param cuts: the factors of the iteration before.
    """
    precision, shift = cuts[0].copy(), cuts[1].copy()
    base = _inverse(covariance)
    base_shift = _times(base, mean)
    for this, other in ((0, 1), (1, 0)):
        own, across, far = base[2 * this], base[1], base[2 * other] + precision[other]
        variance = far / (own * far - across**2)
        centre = variance * (base_shift[this] - across / far * (base_shift[other] + shift[other]))
        deviation = np.sqrt(variance)
        z = centre / deviation
        v = np.exp(-0.5 * z**2 - 0.5 * math.log(2 * math.pi) - log_ndtr(z))
        w = np.minimum(v * (v + z), 1 - 1e-9)
        precision[this] = w / (1 - w) / variance
        shift[this] = (w * centre + v * deviation) / (1 - w) / variance
    return precision, shift


def _message(precision: Floats, shift: Floats) -> tuple[Floats, Floats]:
    """What factors on the performance differences say of the skill differences (precision and shift): T − TRT and
    h − TRh, where T is the factors' precision, h their shift, and R the inverse of T plus the noise's precision."""
    one, two = precision
    r = _inverse(_inverse(NOISE) + np.stack((one, np.zeros_like(one), two)))
    about: Floats = np.stack((one - one**2 * r[0], -one * two * r[1], two - two**2 * r[2]))
    towards: Floats = shift - precision * _times(r, shift)
    return about, towards


def _combined(placings: Ints, precision: Floats, shift: Floats, n: int) -> tuple[Floats, Floats]:
    """Mean and covariance of the skills: the prior and all sites multiplied."""
    total = gathered(placings, by_player(precision), n) + np.eye(n) / SIGMA**2
    covariance = np.asarray(np.linalg.inv(total), np.float64)
    return covariance @ (summed(placings, shift.T @ DIFFERENCES, n) + MU / SIGMA**2), covariance


def by_player(m: Floats) -> Floats:
    """Symmetric 2 × 2 matrices of the skill differences, as the rows xx, xy, yy (3, k): by skills, (k, 3, 3)."""
    blocks: Floats = np.tensordot(m.T, PRODUCTS, 1)
    return blocks


def summed(players: Ints, vectors: Floats, n: int) -> Floats:
    """The (n,) vector to which each (3,) vector is added at its three players."""
    return np.asarray(np.bincount(players.ravel(), vectors.ravel(), n), np.float64)


def gathered(players: Ints, blocks: Floats, n: int) -> Floats:
    """The (n, n) matrix to which each (3, 3) block is added at its three players' rows and columns."""
    cells = players[:, :, None] * n + players[:, None, :]
    return np.asarray(np.bincount(cells.ravel(), blocks.ravel(), n * n), np.float64).reshape(n, n)


def _inverse(m: Floats) -> Floats:
    """Inverses of symmetric 2 × 2 matrices, given and returned as the rows xx, xy, yy."""
    xx, xy, yy = m
    inverse: Floats = np.stack((yy, -xy, xx)) / (xx * yy - xy * xy)
    return inverse


def _times(m: Floats, vector: Floats) -> Floats:
    """Symmetric 2 × 2 matrices times vectors (2, k)."""
    return np.stack((m[0] * vector[0] + m[1] * vector[1], m[1] * vector[0] + m[2] * vector[1]))
