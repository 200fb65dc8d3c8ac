"""The search: every choice is tried in the same deals, until one is clearly best or the time is up."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from reading import log_likelihoods
from unseen import Deals, Unseen

from protocol.view import View

__all__ = ["Evaluate", "Reals", "Search"]

Reals = NDArray[np.float64]
Option = TypeVar("Option")
Evaluate = Callable[[list[Option], Deals], Reals]
"""What each option comes to in each deal, of shape (options, deals)."""

SHARE, AT_MOST_S = 0.5, 2.0
"""How much of the time for a decision it uses, and seconds at most."""
READING = 0.25
"""The share of that in which it looks for deals that go with how the others played."""
FIRST_LOOK, LOOK = 128, 512
DEALS = 4000
"""Deals that are weighed at most."""
FIRST_PLAYOUTS, FEWEST, MOST = 300, 150, 2000
"""Playouts at once: a first lot to see how long they take, then what fits into the time."""
ENOUGH = 20_000
"""Deals after which it doesn't matter any more."""
CLEARLY, AT_LEAST = 3.0, 60
"""Standard errors by which an option must be behind to be dropped, and deals before any is."""


class Search:
    """Chooses for a bot.

    :param now: the clock, in seconds; ``move_time_s`` the time for a decision, if not the view's.
    """

    def __init__(self, now: Callable[[], float] = perf_counter, move_time_s: float | None = None) -> None:
        self.now = now
        self.move_time_s = move_time_s

    def best(self, view: View, options: list[Option], evaluate: Evaluate[Option]) -> Option:
        """The option that comes to most on average, as far as the time allows to tell."""
        begun = self.now()
        time_s = min(SHARE * (self.move_time_s or view.clock.move_time_s), AT_MOST_S)
        dice = np.random.default_rng((view.seed << 16) + view.decision)
        deals, chances = self._likely_deals(view, dice, begun + READING * time_s)
        worth = np.zeros((len(options), 0))
        lot = FIRST_PLAYOUTS
        while len(options) > 1 and worth.shape[1] < ENOUGH and lot >= FEWEST:
            lot_begun = self.now()
            some = draw(chances, max(lot // len(options), 1), dice)
            worth = np.concatenate([worth, evaluate(options, deals[some])], 1)
            now = self.now()
            lot = min(MOST, int(lot * (begun + time_s - now) / max(now - lot_begun, 1e-6)))
            stay = in_the_race(worth)
            options, worth = [option for option, stays in zip(options, stay, strict=True) if stays], worth[stay]
        return options[int(worth.mean(1).argmax())] if worth.size else options[0]

    def _likely_deals(self, view: View, dice: np.random.Generator, until: float) -> tuple[Deals, Reals]:
        """Deals of the unseen cards, with my own hand, and how likely each is."""
        unseen = Unseen(view)
        found: list[Deals] = []
        likely: list[Reals] = []
        n = FIRST_LOOK if view.played else DEALS
        while not found or (self.now() < until and sum(len(deals) for deals in found) < DEALS):
            deals = unseen.deals(n, dice)
            deals[:, view.seat] = int(view.hand)
            found.append(deals)
            likely.append(log_likelihoods(view, deals) if view.played else np.zeros(n))
            n = LOOK
        logarithm = np.concatenate(likely)
        chances = np.exp(logarithm - logarithm.max())
        return np.concatenate(found), chances / chances.sum()


def in_the_race(worth: Reals) -> NDArray[np.bool_]:
    """The options that may still be the best; of those that come to the same in every deal, one."""
    means = worth.mean(1)
    best = int(means.argmax())
    if worth.shape[1] < AT_LEAST:
        return np.ones(len(worth), bool)
    behind = worth[best] - worth
    error = behind.std(1) / np.sqrt(worth.shape[1])
    stay: NDArray[np.bool_] = (behind.mean(1) <= CLEARLY * error) & (error > 0)
    stay[best] = True
    return stay


def draw(chances: Reals, n: int, dice: np.random.Generator) -> NDArray[np.int64]:
    """Numbers of deals, each as often as it is likely, by systematic sampling."""
    marks = (dice.random() + np.arange(n)) / n
    return np.minimum(np.searchsorted(np.cumsum(chances), marks), len(chances) - 1)
