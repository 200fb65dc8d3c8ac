"""Who chooses for a bot that did not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from protocol.cards import Card, Cards, Suit
from protocol.view import Contract, Rules, TurnKind, View
from referee.match import Match
from referee.rules import SETS, VARIANTS, rules_for
from referee.stand_in import stand_in
from tests.table_words import cards, hand


def asked(kind: TurnKind, held: str, **fields: object) -> View:
    view = View(Rules(), 0, 0, 0, (0, 0, 0), None, hand(held), kind=kind, legal_cards=hand(held))
    return replace(view, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", [TurnKind.PLAY, TurnKind.GIVE, TurnKind.GIVE_BACK])
def test_the_lowest_rank_first_equal_ranks_clubs_diamonds_hearts_spades(kind: TurnKind) -> None:
    assert stand_in(asked(kind, "32.32.3.3")) == Card("2H")
    assert stand_in(asked(kind, "K2.K2.K2.K2")) == Card("2C")


def test_the_four_lowest_are_discarded() -> None:
    view = asked(TurnKind.DISCARD, "A32.A32.A3.A3", count=4)
    assert stand_in(view) == Cards.of(cards("2H 2S 3C 3D"))


def test_the_longest_suit_is_trump_equal_spades_hearts_diamonds_clubs() -> None:
    contracts = (Contract.CLUBS, Contract.DIAMONDS, Contract.HEARTS, Contract.SPADES)
    assert stand_in(asked(TurnKind.DECLARE, "AK.AKQ.AKQ.A", legal_contracts=contracts)) is Contract.HEARTS


def test_where_no_suit_is_allowed_the_first_contract() -> None:
    contracts = (Contract.MISERE, Contract.NO_TRUMP)
    assert stand_in(asked(TurnKind.DECLARE, "AK.AKQ.AKQ.A", legal_contracts=contracts)) is Contract.MISERE


def test_it_claims_the_longest_suit_whose_ace_it_lacks_else_spades() -> None:
    suits = tuple(Suit)
    assert stand_in(asked(TurnKind.CLAIM, "AKQJ.KQ.KQJ.2", legal_suits=suits)) is Suit.DIAMONDS
    assert stand_in(asked(TurnKind.CLAIM, "A.AK.A.A", legal_suits=suits)) is Suit.SPADES


@pytest.mark.parametrize("name", SETS)
def test_its_choice_is_always_legal_and_it_plays_to_the_end(name: str) -> None:
    rules = rules_for(name, [v for v in VARIANTS if "-" not in v or v == "double-payment"])
    for number in range(10):
        match = Match(rules, bytes([number]))
        while not match.over:
            match.choose(stand_in(match.view(match.seat)))
        assert match.placing
