"""Records: written, read back, and every untrue word in them found."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.cards import CARDS
from protocol.view import Contract, Rules
from referee.deal import board_seed
from referee.errors import RecordError
from referee.match import Match
from referee.record import Record, match_record, read_record, replay, verify
from referee.rules import SETS, VARIANTS, rules_for
from tests.table_words import play_at_random

LEAGUE = b"league seed"
LIMITS = {
    "move_time_s": 1.0,
    "bank_s": 10.0,
    "margin_s": 0.1,
    "start_s": 10.0,
    "strikes": 3,
    "freeze": True,
    "sandbox": "none",
}
CLOCK = {"decisions": 40, "think_s": 0.5, "cpu_s": 0.4, "slowest_s": 0.1}


def record_of(rules: Rules, number: int = 7, given: tuple[str, ...] = ()) -> Record:
    match = play_at_random(Match(rules, board_seed(LEAGUE, number), given), number)
    return match_record(
        match,
        name=f"test/{number}/2",
        number=number,
        seats=[{"bot": name, "version": "sha256:0"} for name in ("lea", "kim", "max")],
        limits=LIMITS,
        faults=[],
        clock=[CLOCK] * 3,
    )


PLAIN = record_of(SETS["twelve-tricks"])


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("variants", [(), tuple(v for v in VARIANTS if "-" not in v or "t" in v[:1])])
def test_a_record_of_every_set_is_read_back_and_holds(name: str, variants: tuple[str, ...]) -> None:
    for number in range(5):
        record = record_of(rules_for(name, variants), number)
        again = read_record(json.dumps(record))
        assert again == record
        verify(again, LEAGUE)
        assert replay(again).placing == tuple(record["placing"])


def test_a_record_has_the_fields_of_the_format_in_order() -> None:
    assert list(PLAIN) == [
        "format", "match", "rules", "limits", "board", "first_dealer", "seats", "rounds", "end", "placing", "faults",
        "clock",
    ]  # fmt: skip
    assert list(PLAIN["rounds"][0]) == [
        "dealer", "deal", "kitty", "thrown_in", "exchanges", "contract", "discard", "tricks", "taken", "score",
        "totals",
    ]  # fmt: skip


def test_given_deals_are_in_the_record_and_misdeals_with_their_reason() -> None:
    faulty = "AKQJT98765432.AKQ.. .JT98765432.AKQJT9. ..8765432.AKQJT9872 ...6544"
    record = record_of(SETS["ten-points"], given=(faulty,))
    assert record["board"]["given"] == [faulty]
    assert "twice" in record["rounds"][0]["thrown_in"][0]["why"]
    verify(record, LEAGUE)


def test_a_board_without_a_seed_is_verified_by_its_own_deals() -> None:
    record = copy.deepcopy(PLAIN)
    record["board"]["seed"] = None
    verify(record)


# Every single value of a record is changed, one at a time: none may pass.

UNPROVABLE = {"limits", "clock", "version", "bot"}  # what no replay can know; a rule may not have mattered either


def leaves(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    if isinstance(value, dict):
        return [leaf for key, part in value.items() if key not in UNPROVABLE for leaf in leaves(part, (*path, key))]
    if isinstance(value, list):
        return [leaf for n, part in enumerate(value) for leaf in leaves(part, (*path, n))]
    return [path]


def changed(record: Record, path: tuple[Any, ...], change: Callable[[Any], Any]) -> Record:
    other = copy.deepcopy(record)
    place: Any = other
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = change(place[path[-1]])
    return other


def another(value: Any) -> Any:
    """Another value of the same form."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, str) and len(value) == 2 and value in map(str, CARDS):
        return str(CARDS[(list(map(str, CARDS)).index(value) + 17) % 52])
    if value in {c.value for c in Contract}:
        return "S" if value != "S" else "H"
    return {"last-round": "deciding-round", "deciding-round": "last-round"}.get(value, f"{value}x")


LEAVES = [path for path in leaves(PLAIN) if path[0] not in ("format", "rules")]


@pytest.mark.parametrize("path", Random(1).sample(LEAVES, 150), ids=lambda path: "-".join(map(str, path)))
def test_no_single_change_passes(path: tuple[Any, ...]) -> None:
    with pytest.raises(RecordError):
        verify(changed(PLAIN, path, another), LEAGUE)


@pytest.mark.long
def test_no_single_change_anywhere_passes() -> None:
    for path in LEAVES:
        with pytest.raises(RecordError):
            verify(changed(PLAIN, path, another), LEAGUE)


@pytest.mark.parametrize(
    ("path", "value", "sentence"),
    [
        (("rounds", 0, "tricks", 2, "winner"), None, "round 1, tricks 3, winner: the record says"),
        (("rounds", 1, "score", 0), 99, "round 2, score 1: the record says 99, but it is"),
        (("placing", 0), None, "placing, seat 1: the record says"),
        (("rounds", 0, "deal", 0), "AKQJ.AKQJ.AKQJ.AKQJ", "round 1, deal 1: the record says"),
        (("end",), "points", 'end: the record says "points", but it is'),
        (("rounds", 0, "contract"), "NT", "round 1, contract and kitty: NT may not be announced"),
    ],
)
def test_the_first_thing_wrong_is_said_in_a_card_players_words(
    path: tuple[Any, ...], value: Any, sentence: str
) -> None:
    def change(old: Any) -> Any:
        return value if value is not None else old % 3 + 1 if path[0] == "placing" else (old + 1) % 3

    with pytest.raises(RecordError) as wrong:
        verify(changed(PLAIN, path, change), LEAGUE)
    assert sentence in str(wrong.value)


def test_a_revoke_is_found_where_it_happened() -> None:
    record = copy.deepcopy(PLAIN)
    for number, trick in enumerate(record["rounds"][0]["tricks"]):
        led, second = trick["cards"][0], trick["cards"][1]
        later = [c for t in record["rounds"][0]["tricks"][number + 1 :] for c in t["cards"]]
        seat = (trick["leader"] + 1) % 3
        hand = {
            f"{r}{s}"
            for s, suit in zip("SHDC", record["rounds"][0]["deal"][seat].split("."), strict=True)
            for r in suit
        }
        others = [c for c in later if c in hand and c[1] != led[1]]
        if second[1] == led[1] and others:
            swap = others[0]
            for t in record["rounds"][0]["tricks"]:
                t["cards"] = [swap if c == second else second if c == swap else c for c in t["cards"]]
            break
    with pytest.raises(RecordError, match=r"round 1, trick \d+: .* does not follow suit: you hold"):
        verify(record, LEAGUE)


def test_rounds_too_few_and_too_many_are_found() -> None:
    short = copy.deepcopy(PLAIN)
    short["rounds"].pop()
    with pytest.raises(RecordError, match="the match was not over"):
        verify(short)
    long = copy.deepcopy(PLAIN)
    long["rounds"].append(long["rounds"][-1])
    with pytest.raises(RecordError, match="the match was over after"):
        verify(long)


def test_another_leagues_seed_is_found() -> None:
    with pytest.raises(RecordError, match="board 7: its seed is not the league's"):
        verify(PLAIN, b"another")


def test_a_seating_that_is_not_the_one_named_is_found() -> None:
    with pytest.raises(RecordError, match="is not seating 3 of these three"):
        verify({**PLAIN, "match": "test/7/3"}, LEAGUE)


@given(st.binary(max_size=200) | st.text(max_size=200))
def test_any_bytes_are_read_or_refused_with_a_record_error(data: bytes | str) -> None:
    with pytest.raises(RecordError):
        read_record(data)


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 60)
    | st.text(max_size=4)
    | st.sampled_from(["AS", "S", "play", "AKQ.J.T.9"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


@given(st.data())
def test_a_damaged_record_is_refused_and_never_crashes_the_reader(data: st.DataObject) -> None:
    path = data.draw(st.sampled_from(LEAVES))
    cut = path[: data.draw(st.integers(1, len(path)))]
    try:
        verify(read_record(json.dumps(changed(PLAIN, cut, lambda _: data.draw(json_values)))))
    except RecordError as wrong:
        assert "\n" not in str(wrong)


def test_json_too_deep_is_refused() -> None:
    with pytest.raises(RecordError, match="not JSON"):
        read_record("[" * 100_000)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999"])
def test_what_is_no_number_does_not_get_in(number: str) -> None:
    text = json.dumps({**PLAIN, "clock": [{**CLOCK, "think_s": "?"}] * 3}).replace('"?"', number)
    with pytest.raises(RecordError, match=f"this is not JSON: {number} is no number that JSON has, or too large"):
        read_record(text)


def test_what_a_record_lacks_is_named() -> None:
    with pytest.raises(
        RecordError, match=r"match record: record must contain \['board', 'clock', .*'seats'\] properties"
    ):
        read_record("{}")
    with pytest.raises(RecordError, match=r"match record: record.limits must contain \['bank_s', .*\] properties"):
        read_record(json.dumps({**PLAIN, "limits": {}}))


def test_an_exchange_without_suit_and_card_is_refused() -> None:
    record = copy.deepcopy(PLAIN)
    exchange = record["rounds"][1]["exchanges"][0]
    exchange["suit"] = exchange["gave"] = None
    with pytest.raises(RecordError, match="neither a suit that was claimed nor a card that was given"):
        verify(record)
