"""What the others' choices tell about their cards.

A deal in which somebody would have chosen otherwise is unlikely. How likely depends on how good his card looks to a
player who goes by the tips: what it probably wins now less what it would win later, beside the best that he then had.
So a king that third hand did not put on a queen is not in his hand, and who trumped high had nothing lower.
"""

from __future__ import annotations

import numpy as np
from looks import Look
from numpy.typing import NDArray
from rest import trump_worths
from unseen import ASIDE, Deals

from protocol.view import View
from referee.lanes import TRUMPS, Lanes, in_each, lanes_of
from referee.playout import Playout

__all__ = ["log_likelihoods"]

Reals = NDArray[np.float32]

SURE, DOUBT = 0.05, -3.0
"""Tricks by which a choice must look worse to be e times less likely, and the most that one can say: anybody errs."""
DOUBT_OF_CONTRACT = -4.0
KEPT = ((in_each(0x1000), 3.0), (in_each(0x0800), 1.5), (in_each(0x0400), 0.6))
KEPT_TRUMP = 2.5
"""How unlikely it is that the dealer put an ace, a king, a queen or a trump aside."""


def log_likelihoods(view: View, deals: Deals) -> NDArray[np.float64]:
    """How likely the others' choices in this round were, given each deal of the cards that I don't see.

    :param deals: of shape (n, 4), by place, my own hand in it.
    :return: natural logarithms, up to a constant, of shape (n).
    """
    trump = -1 if view.trump is None else int(view.trump)
    hands = deals[:, :3].copy()
    for number, card in enumerate(view.played):
        hands[:, (view.leaders[number // 3] + number) % 3] |= np.uint64(1 << card)
    likely = np.zeros(len(deals))
    if view.dealer != view.seat and view.rules.kitty_size:
        likely += of_dealer(hands[:, view.dealer], deals[:, ASIDE], trump)
    playout = Playout(hands, trump, view.leaders[0], (), deals[:, ASIDE] | np.uint64(int(view.discard)))
    for card in view.played:
        lane = lanes_of(np.full(len(deals), 1 << card, np.uint64), trump)
        if playout.seat[0] != view.seat:
            look = Look(playout)
            merit = look.merit(np.concatenate([lane[None], look.options()]))
            likely += np.maximum((merit[0] - merit.max(0)) / SURE, DOUBT)
        playout.play(lane)
    return likely


def of_dealer(hand: Lanes, aside: Lanes, trump: int) -> NDArray[np.float64]:
    """What trump and discard say: the trump suit is his best, and high cards and trumps are kept."""
    likely = np.zeros(len(hand))
    put = lanes_of(aside, trump)
    if trump >= 0:
        worths = trump_worths(lanes_of(hand | aside, -1))
        likely += np.maximum(worths[trump] - worths.max(0), DOUBT_OF_CONTRACT)
        likely -= KEPT_TRUMP * np.bitwise_count(put & TRUMPS)
        put = put & ~TRUMPS
    for cards, unlikely in KEPT:
        likely -= unlikely * np.bitwise_count(put & cards)
    return likely
