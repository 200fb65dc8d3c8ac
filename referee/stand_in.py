"""Who chooses for a bot that did not: plainly, the same for everybody, and so that a record can be checked for it."""

from __future__ import annotations

from protocol.cards import Card, Cards, Suit
from protocol.view import Choice, Contract, TurnKind, View

__all__ = ["stand_in"]

# Of equal ranks the cheapest suit goes first.
CHEAPEST_FIRST = {Suit.CLUBS: 0, Suit.DIAMONDS: 1, Suit.HEARTS: 2, Suit.SPADES: 3}


def stand_in(view: View) -> Choice:
    """The stand-in's choice for the seat on turn.

    The lowest card, of equal ranks C D H S (give, give_back, play; the four lowest to discard); the longest suit as
    trump, of equals S H D C, or the first contract allowed where no suit is; it claims the longest suit whose ace it
    lacks, else spades.
    """
    if view.kind is TurnKind.CLAIM:
        lacking = [suit for suit in Suit if Card("A" + suit.letter) not in view.hand]
        return longest(view.hand, lacking) if lacking else Suit.SPADES
    if view.kind is TurnKind.DECLARE:
        suits = [contract.trump for contract in view.legal_contracts if contract.trump is not None]
        return Contract.of(longest(view.hand, sorted(suits))) if suits else view.legal_contracts[0]
    lowest = sorted(view.legal_cards, key=lambda card: (card.rank, CHEAPEST_FIRST[card.suit]))
    if view.kind is TurnKind.DISCARD:
        return Cards.of(lowest[: view.count])
    return lowest[0]


def longest(hand: Cards, suits: list[Suit]) -> Suit:
    """The suit of which the hand holds most; of equals the first."""
    return max(suits, key=hand.count)
