"""Named sets, variants, single fields, and which combinations can be played (R9, R10)."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from itertools import combinations, product
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.cards import Card, Cards
from protocol.view import Contract, Rules, TurnKind
from referee.errors import RulesError
from referee.match import Match
from referee.rules import SETS, VARIANTS, check_rules, rules_as_json, rules_for, rules_from_json
from tests.table_words import play_at_random, random_choice

# R10, row by row: kitty, first lead, exchange, downs, points, lose, tricks, rounds, ties
TABLE = {
    "announcer": ("discard-first", "dealer", "swap", "clockwise", None, None, None, 9, "last-round"),
    "ten-points": ("discard-first", "forehand", "swap", "target", 10, None, None, None, "last-round"),
    "twelve-tricks": ("pick-up-first", "forehand", "claim", "target", None, None, 12, 10, "deciding-round"),
    "nine-five-two": ("pick-up-first", "forehand", "claim", "target", None, None, 12, 10, "deciding-round"),
    "six-three-eight": ("none", "forehand", "claim", "target", 10, 10, None, None, "last-round"),
}


@pytest.mark.parametrize("name", TABLE)
def test_r10_the_five_sets_are_as_in_the_table(name: str) -> None:
    r = SETS[name]
    row = (r.kitty, r.first_lead, r.exchange, r.downs, r.points_to_win, r.points_to_lose, r.tricks_to_win)
    assert (*row, r.max_rounds, r.ties) == TABLE[name]
    assert r.set == name
    assert [str(contract) for contract in r.contracts] == ["S", "H", "D", "C"]
    check_rules(r)


def test_r10_ten_points_is_the_default() -> None:
    assert Rules() == SETS["ten-points"]


def test_r9_1_nine_five_two() -> None:
    assert SETS["nine-five-two"].targets == (9, 5, 2)
    assert rules_for("twelve-tricks", ["nine-five-two"]) == replace(SETS["nine-five-two"], set="twelve-tricks")


def test_r9_2_six_three_eight() -> None:
    r = SETS["six-three-eight"]
    assert (r.targets, r.removed, r.tricks, r.kitty_size) == ((6, 3, 8), Cards.of([Card("2C")]), 17, 0)
    assert rules_for("twelve-tricks", ["six-three-eight"]) == replace(r, set="twelve-tricks")


def test_r9_3_targets_rotate_so_that_each_seat_has_each_target_once_in_three_rounds() -> None:
    r = rules_for("ten-points", ["rotating-targets"])
    assert [r.targets_by_position(n) for n in range(4)] == [(8, 5, 3), (3, 8, 5), (5, 3, 8), (8, 5, 3)]
    for seat in range(3):
        assert sorted(r.targets_by_position(n)[(seat - n) % 3] for n in range(3)) == [3, 5, 8]


def test_r9_3_with_misere_the_tuple_is_reversed_first_and_then_rotated() -> None:
    r = rules_for("ten-points", ["rotating-targets", "misere"])
    assert r.targets_by_position(1, Contract.MISERE) == (8, 3, 5)
    assert r.targets_by_position(1, Contract.SPADES) == (3, 8, 5)


def test_r9_4_r9_5_the_contracts_are_added() -> None:
    r = rules_for("announcer", ["no-trump", "misere"])
    assert [str(c) for c in r.contracts] == ["S", "H", "D", "C", "NT", "MISERE"]


def test_r9_6_double_payment() -> None:
    assert rules_for("ten-points", ["double-payment"]).cards_per_point == 2


def test_r9_variants_combine_or_disagree_with_a_sentence() -> None:
    everything = rules_for("announcer", [v for v in VARIANTS if v != "nine-five-two"])
    assert (everything.targets, everything.rotate_targets, everything.cards_per_point) == ((6, 3, 8), True, 2)
    with pytest.raises(RulesError, match="disagree about targets: six-three-eight"):
        rules_for("announcer", ["nine-five-two", "six-three-eight"])


@pytest.mark.parametrize(
    ("overrides", "why"),
    [
        ({"targets": "8,5,4"}, "targets 8,5,4 sum to 17, but a round has 16 tricks"),
        ({"removed": "2C"}, "removed leaves 51 cards and kitty=discard-first keeps 4"),
        ({"kitty": "none"}, "removed leaves 52 cards and there is no kitty"),
        ({"tricks_to_win": "8"}, "not more than half of the 16 tricks"),
        ({"tricks_to_win": "17"}, "can never come: a round has 16 tricks"),
        ({"tricks_to_win": "12", "contracts": "MISERE"}, "misère alone, where it does not apply"),
        ({"points_to_win": "500", "max_rounds": "9"}, "points_to_win=500 can never come"),
        ({"points_to_lose": "999"}, "points_to_lose=999 can never come"),
        ({"exchange": "none", "cards_per_point": "2"}, "exchange=none exchanges no cards"),
        ({"contracts": ""}, "contracts is empty"),
        ({"contracts": "S,S"}, "names one twice"),
        ({"contracts": "S,X"}, "'X' is not a contract"),
        ({"removed": "2C,2C"}, "removed names a card twice"),
        ({"removed": "1C"}, "'1C' is not a card"),
        ({"kitty": "x"}, "kitty can't be 'x': choose one of discard-first"),
        ({"rotate_targets": "yes"}, "write true or false"),
        ({"max_rounds": "0"}, "whole number from 1 to 999"),
        ({"max_rounds": "-1"}, "whole number from 1 to 999"),
        ({"points_to_win": "1e9"}, "whole number from 1 to 999"),
        ({"points_to_win": True}, "whole number from 1 to 999"),
        ({"targets": "8,8"}, "three numbers"),
        ({"targets": "٨,5,3"}, "whole number"),
        ({"frobnicate": "1"}, "there is no rule field 'frobnicate'"),
        ({"set": "announcer"}, "there is no rule field 'set'"),
    ],
)
def test_rules_that_can_not_be_played_are_refused_with_the_fields_that_disagree(
    overrides: dict[str, object], why: str
) -> None:
    with pytest.raises(RulesError) as refused:
        rules_for("ten-points", overrides=overrides)
    assert why in str(refused.value)
    assert "\n" not in str(refused.value)


def test_unknown_sets_and_variants_are_refused_with_those_there_are() -> None:
    with pytest.raises(RulesError, match="choose one of announcer, ten-points"):
        rules_for("whist")
    with pytest.raises(RulesError, match="choose one of nine-five-two"):
        rules_for("ten-points", ["whist"])


@pytest.mark.parametrize("name", SETS)
def test_rules_are_read_back_from_json_as_written(name: str) -> None:
    rules = rules_for(name, ["misere", "no-trump", "double-payment", "rotating-targets"])
    assert rules_from_json(json.loads(json.dumps(rules_as_json(rules)))) == rules


def test_a_rules_document_must_have_every_field_and_no_other() -> None:
    document = rules_as_json(SETS["announcer"])
    with pytest.raises(RulesError, match="'ties' is missing"):
        rules_from_json({k: v for k, v in document.items() if k != "ties"})
    with pytest.raises(RulesError, match="'zeal' is not a rule field"):
        rules_from_json({**document, "zeal": 1})


FIELD_VALUES: dict[str, list[Any]] = {
    "targets": [(8, 5, 3), (9, 5, 2), (6, 3, 8), (0, 0, 16), (6, 5, 5)],
    "removed": [Cards(0), Cards.of([Card("2C")]), Cards.read("32.32.32.32"), Cards.read("5432.5432.5432.5432")],
    "kitty": ["discard-first", "pick-up-first", "none"],
    "first_lead": ["dealer", "forehand"],
    "exchange": ["swap", "claim", "none"],
    "cards_per_point": [1, 2, 9],
    "downs": ["clockwise", "target"],
    "contracts": [
        (Contract.SPADES,),
        (Contract.NO_TRUMP,),
        (Contract.MISERE,),
        tuple(Contract),
    ],
    "rotate_targets": [False, True],
    "points_to_win": [None, 1, 10, 600],
    "points_to_lose": [None, 10],
    "tricks_to_win": [None, 9, 12, 17],
    "max_rounds": [None, 1, 2, 70],
    "ties": ["last-round", "deciding-round"],
}
PAIRS = [
    {one: a, other: b}
    for one, other in combinations(FIELD_VALUES, 2)
    for a, b in product(FIELD_VALUES[one], FIELD_VALUES[other])
]


def plays_to_an_end_with_all_invariants(rules: Rules, seed: int) -> None:
    match = Match(rules, seed.to_bytes(32))
    rng = Random(seed)
    while not match.over:
        rnd = match.round
        assert match.legal(), "there is always a legal choice"
        seen = Cards.of(c for n in rnd.played for c in Cards(1 << n))
        held = [Cards(mask) for mask in rnd.hands]
        set_aside = 0 if rnd.kind is TurnKind.PLAY and rules.kitty_size else rnd.kitty & ~rnd.hands[rnd.dealer]
        parts = [*held, seen, Cards(rnd.discard), Cards(set_aside)]
        assert sum(map(len, parts)) == len(rules.deck), "cards are conserved"
        match.choose(random_choice(rng, match))
        if rnd.over:
            assert sum(rnd.taken) == rules.tricks
            assert sum(rnd.scores) == 0
    assert sum(match.totals) == 0
    assert sorted(match.placing or ()) == [1, 2, 3]
    assert match.end in {"points", "tricks", "rounds", "deciding-round", "round-limit"}
    assert len(match.rounds) <= max(rules.max_rounds or 0, 60) + 9


def played_or_refused(changes: dict[str, Any], seed: int) -> bool:
    rules = replace(SETS["ten-points"], **changes)
    try:
        check_rules(rules)
    except RulesError as refused:
        assert len(str(refused)) > 20
        assert any(name in str(refused) for name in FIELD_VALUES), "the sentence names a field"
        return False
    plays_to_an_end_with_all_invariants(rules, seed)
    return True


def test_every_pair_of_field_values_is_refused_or_plays_to_an_end() -> None:
    played = sum(played_or_refused(changes, n) for n, changes in enumerate(PAIRS))
    assert played > len(PAIRS) / 3
    assert played < len(PAIRS)


@given(
    st.fixed_dictionaries({}, optional={k: st.sampled_from(v) for k, v in FIELD_VALUES.items()}), st.integers(0, 999)
)
def test_any_combination_of_fields_is_refused_or_plays_to_an_end(changes: dict[str, Any], seed: int) -> None:
    played_or_refused(changes, seed)


@given(st.sets(st.sampled_from(sorted(VARIANTS))), st.sampled_from(sorted(SETS)), st.integers(0, 999))
def test_any_variants_on_any_set_are_refused_or_play_to_an_end(variants: set[str], name: str, seed: int) -> None:
    try:
        rules = rules_for(name, sorted(variants))
    except RulesError as refused:
        assert {"nine-five-two", "six-three-eight"} & {*variants, name}, refused
        return
    play_at_random(Match(rules, seed.to_bytes(32)), seed)


def test_every_field_of_rules_is_tried() -> None:
    assert {field.name for field in fields(Rules)} - {"set"} == set(FIELD_VALUES)
