"""The exchange of cards between rounds: who deals with whom, in which order, and what comes back (R5)."""

from __future__ import annotations

from protocol.cards import CARDS, SUIT_BITS, Card, Suit
from protocol.view import Rules, Three

__all__ = ["claimed_card", "exchanges_due", "returned_card"]


def exchanges_due(rules: Rules, scores: Three, targets: Three, dealer: int) -> tuple[tuple[int, int], ...]:
    """All exchanges of a round as (up, down) in their order, one entry each.

    :param scores: the scores of the last round by seat (R5.3: as many exchanges as points, times R9.6).
    :param targets: the targets by seat in the round now starting (R5.5, R5.6).
    :param dealer: the dealer of the round now starting.
    """
    debts = {seat: -score * rules.cards_per_point for seat, score in enumerate(scores) if score < 0}
    due: list[tuple[int, int]] = []
    for up in order_of_ups(rules, scores, targets, dealer):
        owed = scores[up] * rules.cards_per_point
        for down in order_of_downs(rules, up, debts, targets, dealer):
            served = min(owed, debts[down])
            owed -= served
            debts[down] -= served
            due += [(up, down)] * served
    return tuple(due)


def order_of_ups(rules: Rules, scores: Three, targets: Three, dealer: int) -> list[int]:
    """R5.5: swap, the higher target first; claim, the more points up; equal: clockwise from the dealer's left."""
    weight = scores if rules.exchange == "claim" else targets
    ups = [seat for seat in range(3) if scores[seat] > 0]
    return sorted(ups, key=lambda seat: (-weight[seat], (seat - dealer - 1) % 3))


def order_of_downs(rules: Rules, up: int, debts: dict[int, int], targets: Three, dealer: int) -> list[int]:
    """R5.6: clockwise from the up player, or the higher target first; equal: clockwise from the dealer's left."""
    if rules.downs == "clockwise":
        return sorted(debts, key=lambda seat: (seat - up) % 3)
    return sorted(debts, key=lambda seat: (-targets[seat], (seat - dealer - 1) % 3))


def returned_card(hand: int, given: Card) -> Card:
    """R5.1: the down player's highest card of the suit if it is higher than the given one, else the very card."""
    highest = claimed_card(hand, given.suit)
    return highest if highest is not None and highest > given else given


def claimed_card(hand: int, suit: Suit) -> Card | None:
    """R5.2: the down player's highest card of the suit; None if he is void, and the claim lapses."""
    holding = hand >> 13 * suit & SUIT_BITS
    return CARDS[13 * suit + holding.bit_length() - 1] if holding else None
