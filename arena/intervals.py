"""How sure skills are: the covariance of the fitted skills, from how much the boards disagree.

TrueSkill's own σ takes every match for an independent one. The matches of a board are not: they share the cards. So
the boards are the observations here, and the covariance comes from leaving out one board at a time (a jackknife, in
the form CR3 of Bell and McCaffrey 2002, which needs no second fit). With few boards it is blended with the curvature
of the likelihood (Laplace), scaled to the same size. ``docs/rating.md`` has the formulas and the evidence.
"""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from arena.converged import BETA, DIFFERENCES, MU, SIGMA, by_player, gathered, summed

__all__ = ["PLACINGS", "skill_covariance"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

PLACINGS = np.array(list(permutations(range(3))))
"""(6, 3): placing code → which of a triple's three players was first, second, third."""

PRIOR = 1 / SIGMA**2
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(32)
WEIGHTS = WEIGHTS / math.sqrt(2 * math.pi)

NEAR = 1e-5
"""A step of this size more would change no σ that anybody sees."""

BLEND = 3.0
"""Boards for each player at which jackknife and scaled curvature weigh the same."""
UNSEEN = 3.0
"""The rule of three: what never came about on b boards may still do so on 3/b of them. So however well few boards
agree, the curvature is not scaled below 3/b."""


def skill_covariance(skills: Floats, triples: Ints, triple_of: Ints, counts: Ints) -> Floats:
    """Covariance (n, n) of the skills of players who have all met, directly or through others, about their mean.

    :param skills: (n,), a first guess of the most likely skills.
    :param triples: (t, 3), the players of each triple.
    :param triple_of: (b,), the triple that played each board.
    :param counts: (b, 6), how often each placing (``PLACINGS``) came about on each board.
    """
    n, boards = len(skills), len(counts)
    score, curvature = _most_likely(skills, triples, _by_triple(triple_of, counts, len(triples)))
    score_b = np.einsum("bc,bci->bi", counts, score[triple_of])
    curvature_b = np.einsum("bc,bcij->bij", counts, curvature[triple_of])
    players = triples[triple_of]
    information = gathered(players, curvature_b, n)
    spread = np.linalg.inv(information + np.eye(n) * PRIOR)
    near = spread[players[:, :, None], players[:, None, :]]
    without = np.linalg.solve(np.eye(3) - curvature_b @ near, score_b[:, :, None])[:, :, 0]
    meat = gathered(players, without[:, :, None] * without[:, None, :], n) * (boards - 1) / boards
    jackknife = spread @ (meat + np.eye(n) * PRIOR) @ spread
    scale = float(np.trace(np.linalg.solve(information + 1 / n, meat))) / (n - 1)  # 1/n: all skills up says nothing
    scale = max(scale, min(1.0, UNSEEN / boards))
    weight = boards / (boards + BLEND * n)
    return _centred(weight * jackknife + (1 - weight) * scale * spread)


def _by_triple(triple_of: Ints, counts: Ints, triples: int) -> Floats:
    return np.stack([np.bincount(triple_of, counts[:, code], triples) for code in range(6)], axis=1)


def _most_likely(skills: Floats, triples: Ints, counts: Floats) -> tuple[Floats, Floats]:
    """Slopes and curvatures (``_derivatives``) at the skills with the greatest posterior density.

    These are found by Newton's method: the density is log-concave, and near its top each step squares the error.
    """
    triple, code = np.nonzero(counts)
    players, often = triples[triple], counts[triple, code]
    for _ in range(100):
        score, curvature = _derivatives(skills, triples, counts > 0)
        slope = summed(players, often[:, None] * score[triple, code], len(skills)) - (skills - MU) * PRIOR
        bend = gathered(players, often[:, None, None] * curvature[triple, code], len(skills))
        step = np.linalg.solve(bend + np.eye(len(skills)) * PRIOR, slope)
        if np.abs(step).max() < NEAR:
            break
        skills = skills + step / max(1.0, float(np.abs(step).max()) / BETA)
    return score, curvature


def _derivatives(skills: Floats, triples: Ints, seen: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """Slope (t, 6, 3) and negative curvature (t, 6, 3, 3) of the log-likelihood of each placing of each triple, by
    the skills of the triple's players; zero where the placing was not ``seen`` (t, 6).

    With x = (s₁ − s₂)/β, y = (s₂ − s₃)/β and t the second's performance, the likelihood is E[Φ(x − t)Φ(y + t)]; its
    derivatives by x and y are closed.
    """
    triple, code = np.nonzero(seen)
    first, second, third = skills[np.take_along_axis(triples[triple], PLACINGS[code], axis=1)].T / BETA
    x, y = first - second, second - third
    f = np.zeros_like(x)
    for t, weight in zip(NODES, WEIGHTS, strict=True):
        f += weight * ndtr(x - t) * ndtr(y + t)
    f_x, f_y = _density(x) * ndtr((y + x / 2) / math.sqrt(1.5)), _density(y) * ndtr((x + y / 2) / math.sqrt(1.5))
    f_xy = np.exp(-(x * x + x * y + y * y) / 3) / (2 * math.pi * math.sqrt(3))
    g_x, g_y = f_x / f, f_y / f
    h_xx = g_x * (g_x + x / 2) - f_xy / f / 2
    h_yy = g_y * (g_y + y / 2) - f_xy / f / 2
    h_xy = g_x * g_y - f_xy / f
    order = np.argsort(PLACINGS, axis=1)[code]  # from first, second, third back to the triple's own order
    score, curvature = np.zeros((*seen.shape, 3)), np.zeros((*seen.shape, 3, 3))
    score[seen] = np.take_along_axis(np.stack((g_x, g_y), axis=1) @ DIFFERENCES / BETA, order, axis=1)
    bend = by_player(np.stack((h_xx, h_xy, h_yy))) / BETA**2
    row = np.arange(len(bend))[:, None, None]
    curvature[seen] = bend[row, order[:, :, None], order[:, None, :]]
    return score, curvature


def _density(x: Floats) -> Floats:
    """The density at x of the difference of two performances, in units of β."""
    density: Floats = np.exp(-(x**2) / 4) / math.sqrt(4 * math.pi)
    return density


def _centred(matrix: Floats) -> Floats:
    """The covariance of the deviations from the mean."""
    rows = matrix - matrix.mean(axis=0)
    both: Floats = rows - rows.mean(axis=1, keepdims=True)
    return both
