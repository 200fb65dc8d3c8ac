"""The referee's match against the plain one, move by move, over random matches of every set and variant."""

import random
from collections import Counter
from typing import Any

import pytest

from protocol.cards import Card, Cards, Suit
from protocol.view import Choice, Contract
from referee.errors import IllegalChoice, RulesError
from referee.match import Match
from referee.record import recorded_rounds
from referee.rules import rules_as_json, rules_for, rules_from_json
from tests import plain
from tests.plain import SETS, PlainMatch

SUITS = ["S", "H", "D", "C"]
DECK = [rank + suit for suit in SUITS for rank in "AKQJT98765432"]
CONTRACTS = [*SUITS, "NT", "MISERE"]
TO_TEN = {"points_to_win": 10, "points_to_lose": 10, "tricks_to_win": None, "max_rounds": None, "ties": "last-round"}
ENDS = ["points", "tricks", "rounds", "deciding-round", "round-limit"]
VARIANTS: dict[str, dict[str, Any]] = {  # R9
    "nine-five-two": {"targets": [9, 5, 2], "removed": [], "kitty": "pick-up-first"},
    "six-three-eight": {"targets": [6, 3, 8], "removed": ["2C"], "kitty": "none"} | TO_TEN,
    "rotating-targets": {"rotate_targets": True},
    "no-trump": {"contracts": [*SUITS, "NT"]},
    "misere": {"contracts": [*SUITS, "MISERE"]},
    "double-payment": {"cards_per_point": 2},
}


# Rules


def random_rules(dice: random.Random, number: int) -> dict[str, Any]:
    """Every set in turn, under variants and single fields as the dice fall, until they make rules that can be played;
    at times with a short deck, where ties, deciding rounds and the limit of sixty rounds come often."""
    while True:
        rules = dict(list(SETS.values())[number % len(SETS)])
        for name in dice.sample(list(VARIANTS), dice.choice([0, 1, 2])):
            rules |= VARIANTS[name]
        if dice.random() < 0.4:
            rules |= short_deck(dice)
        for _ in range(dice.choice([0, 1, 2, 4])):
            rules |= random_field(dice, rules)
        try:
            rules_from_json(rules)
        except RulesError:
            continue
        return rules


def short_deck(dice: random.Random) -> dict[str, Any]:
    """From four to nine cards each, with targets that sum to them."""
    tricks = dice.randint(4, 9)
    kitty = dice.choice(["none", "discard-first", "pick-up-first"])
    removed = dice.sample(DECK, 52 - 3 * tricks - (0 if kitty == "none" else 4))
    first, second = sorted(dice.randint(0, tricks) for _ in range(2))
    return {
        "targets": [first, second - first, tricks - second],
        "removed": removed,
        "kitty": kitty,
        "tricks_to_win": None,
    } | dice.choice([{}, {"points_to_win": None, "max_rounds": 1, "ties": "deciding-round"}])


def tight_rules(dice: random.Random) -> dict[str, Any]:
    """Four tricks for one round or for sixty, where equal totals are common."""
    return SETS["ten-points"] | {
        "targets": dice.choice([[2, 1, 1], [1, 1, 2], [0, 2, 2]]),
        "removed": dice.sample(DECK, 40),
        "kitty": "none",
        "points_to_win": None,
        "max_rounds": dice.choice([1, 1, None]),
        "ties": "deciding-round",
    }


def random_field(dice: random.Random, rules: dict[str, Any]) -> dict[str, Any]:
    tricks = sum(rules["targets"])
    third = tricks // 3
    values: dict[str, list[Any]] = {
        "targets": [dice.sample(rules["targets"], 3), [tricks - 2 * third, third, third]],
        "kitty": ["none"] if rules["kitty"] == "none" else ["discard-first", "pick-up-first"],
        "first_lead": ["dealer", "forehand"],
        "exchange": ["swap", "claim", "none"],
        "cards_per_point": [1, 2, 3],
        "downs": ["clockwise", "target"],
        "contracts": [CONTRACTS, ["MISERE"], ["NT", "H"]],
        "rotate_targets": [False, True],
        "points_to_win": [None, 3, 6, 20],
        "points_to_lose": [None, 4, 10],
        "tricks_to_win": [None, tricks // 2 + 1, tricks // 2 + 2],
        "max_rounds": [None, 1, 2, 4],
        "ties": ["last-round", "deciding-round"],
    }
    field = dice.choice(list(values))
    return {field: dice.choice(values[field])}


# Choices


def random_choice(turn: plain.Turn, dice: random.Random) -> Any:
    _, kind, legal = turn
    return dice.sample(legal, 4) if kind == "discard" else dice.choice(legal)


def helpful_choice(turn: plain.Turn, dice: random.Random, favourite: int, trump: str) -> Any:
    """The favourite plays high and the others low, so that it wins the trick."""
    seat, kind, legal = turn
    if kind != "play":
        return random_choice(turn, dice)
    best_last = sorted(legal, key=lambda card: (card[1] == trump, plain.height(card)))
    return best_last[-1 if seat == favourite else 0]


def chosen(manner: str, turn: plain.Turn, match: Match, dice: random.Random) -> Any:
    """At random, or all helping one player to all the tricks, or each to its target (which makes 0-0-0 and ties)."""
    if manner == "random":
        return random_choice(turn, dice)
    lacking = [target - taken for target, taken in zip(match.round.targets, match.round.taken, strict=True)]
    favourite = 2 if manner == "one" else lacking.index(max(lacking))
    return helpful_choice(turn, dice, favourite, str(match.round.contract))


def as_choice(kind: str, choice: Any) -> Choice:
    if kind == "claim":
        return Suit.read(choice)
    if kind == "declare":
        return Contract(choice)
    if kind == "discard":
        return Cards.of(Card(card) for card in choice)
    return Card(choice)


# Comparison


def asked(match: Match) -> plain.Turn | None:
    """The turn as the plain match tells it."""
    if match.over:
        return None
    assert match.kind is not None
    assert match.count == (4 if match.kind.value == "discard" else 1)
    return match.seat, match.kind.value, sorted(str(choice) for choice in match.legal())


def compare(fields: dict[str, Any], seed: bytes, dice: random.Random) -> PlainMatch:
    """Plays one match twice; each turn, each hand, each round and the end must be the same."""
    match, twin = Match(rules_from_json(fields), seed), PlainMatch(fields, seed)
    manner = dice.choice(["random", "random", "one", "targets"])
    while (turn := twin.turn()) is not None:
        assert asked(match) == turn
        assert [Cards(hand) for hand in match.round.hands] == [Cards.of(map(Card, hand)) for hand in twin.hands]
        assert list(match.totals) == twin.totals
        choice = chosen(manner, turn, match, dice)
        if dice.random() < 0.01:
            match = match.copy()
        match.choose(as_choice(turn[1], choice))
        twin.choose(choice)
    assert asked(match) is None
    assert list(recorded_rounds(match)) == twin.rounds
    assert list(match.totals) == twin.totals
    assert (match.end, list(match.placing or ())) == (twin.end, twin.placing)
    return twin


# Many matches


def compare_matches(first: int, last: int) -> Counter[str]:
    """Compares the matches of these numbers, and counts in how many of them came up what."""
    seen: Counter[str] = Counter()
    for number in range(first, last):
        dice = random.Random(number)
        fields = random_rules(dice, number)
        twin = compare(fields, dice.randbytes(32), dice)
        seen.update(f"{name} {value}" for name, value in fields.items())
        seen.update(exchange_words(twin))
        seen.update([f"end {twin.end}", f"{twin.deciding} deciding rounds"])
    return seen


def exchange_words(twin: PlainMatch) -> set[str]:
    """How the exchanges of a match went."""
    words = set()
    for each in (exchange for played in twin.rounds for exchange in played["exchanges"]):
        kind = "swap" if each["suit"] is None else "claim"
        outcome = "lapses" if each["got"] is None else "is returned" if each["got"] == each["gave"] else "moves two"
        words.add(f"{kind} {outcome}")
    return words


@pytest.mark.parametrize("name", SETS)
def test_r10_the_named_sets_are_alike(name: str) -> None:
    assert rules_as_json(rules_for(name)) == SETS[name]


def test_500_matches_of_all_sets_and_variants() -> None:
    seen = compare_matches(0, 500)
    ends = [*(f"end {end}" for end in ENDS), "2 deciding rounds"]
    exchanges = ["swap moves two", "swap is returned", "claim moves two", "claim is returned", "claim lapses"]
    fields = [f"{name} {value}" for fields in VARIANTS.values() for name, value in fields.items()]
    assert [what for what in ends + exchanges + fields if not seen[what]] == []


def test_200_matches_with_many_ties() -> None:
    seen: Counter[str] = Counter()
    for number in range(200):
        dice = random.Random(f"tight {number}")
        twin = compare(tight_rules(dice), dice.randbytes(32), dice)
        seen.update([f"end {twin.end}", f"{twin.deciding} deciding rounds", *tie_words(twin)])
    ties = ["sixty rounds and equal first", "equal, and neither took a trick"]
    assert [what for what in [*ties, "2 deciding rounds", "3 deciding rounds"] if not seen[what]] == []


def tie_words(twin: PlainMatch) -> set[str]:
    """The rare ties at the end of a match."""
    words = set()
    last = twin.rounds[-1]
    without = [seat for seat in range(3) if last["taken"][seat] == 0]
    if twin.end == "round-limit" and twin.totals.count(max(twin.totals)) > 1:
        words.add("sixty rounds and equal first")
    if len(without) == 2 and len({(twin.totals[seat], last["score"][seat]) for seat in without}) == 1:
        words.add("equal, and neither took a trick")
    return words


@pytest.mark.long
@pytest.mark.exhaustive
@pytest.mark.parametrize("block", range(20))
def test_10_000_matches_of_all_sets_and_variants(block: int) -> None:
    seen = compare_matches(500 * (block + 1), 500 * (block + 2))
    assert [end for end in ENDS if not seen[f"end {end}"]] == []


@pytest.mark.parametrize("name", SETS)
def test_both_refuse_the_same_choices(name: str) -> None:
    rules, seed, dice = SETS[name], name.encode("ascii"), random.Random(name)
    match, twin = Match(rules_from_json(rules), seed), PlainMatch(rules, seed)
    while (turn := twin.turn()) is not None and len(twin.rounds) < 3:
        _, kind, legal = turn
        everything = {"claim": SUITS, "declare": CONTRACTS, "discard": []}.get(kind, DECK)
        for choice in sorted(set(everything) - set(legal)):
            refused(match, twin, kind, choice)
        if kind == "discard":
            for cards in [legal[:3], legal[:5], [*legal[:3], next(card for card in DECK if card not in legal)]]:
                refused(match, twin, kind, cards)
        assert asked(match) == turn
        choice = random_choice(turn, dice)
        match.choose(as_choice(kind, choice))
        twin.choose(choice)


def refused(match: Match, twin: PlainMatch, kind: str, choice: Any) -> None:
    with pytest.raises(ValueError, match="not legal"):
        twin.choose(choice)
    with pytest.raises(IllegalChoice):
        match.choose(as_choice(kind, choice))


# Small endings


def last_tricks(fields: dict[str, Any], tricks: int, dice: random.Random) -> Match:
    """A match played at random until so many tricks of the first round are to come."""
    match = Match(rules_from_json(fields), dice.randbytes(32))
    while [hand.bit_count() for hand in match.round.hands] != [tricks] * 3:
        turn = asked(match)
        assert turn is not None
        match.choose(as_choice(turn[1], random_choice(turn, dice)))
    return match


def endings(match: Match) -> Counter[tuple[int, ...]]:
    """Every way in which the first round can go on, by the tricks taken from here."""
    before = match.round.taken
    found: Counter[tuple[int, ...]] = Counter()

    def play_on(match: Match) -> None:
        if match.rounds:
            found[tuple(now - then for now, then in zip(match.rounds[0].taken, before, strict=True))] += 1
            return
        for card in match.legal():
            after = match.copy()
            after.choose(card)
            play_on(after)

    play_on(match)
    return found


def compare_endings(tricks: int, contract: str, number: int) -> None:
    dice = random.Random(f"{contract} {tricks} {number}")
    one_round = {"contracts": [contract], "max_rounds": 1, "ties": "last-round", "tricks_to_win": None}
    no_points = {"points_to_win": None, "points_to_lose": None}
    fields = list(SETS.values())[number % len(SETS)] | one_round | no_points
    match = last_tricks(fields, tricks, dice)
    hands = [[str(card) for card in Cards(hand)] for hand in match.round.hands]
    trump = contract if contract in SUITS else None
    counted, lines = plain.count_endings(hands, match.seat, trump)
    assert endings(match) == counted
    assert lines == counted.total()


@pytest.mark.parametrize("contract", CONTRACTS)
@pytest.mark.parametrize("tricks", [1, 2, 3, 4])
def test_every_line_of_the_last_tricks_counts_alike(tricks: int, contract: str) -> None:
    for number in range(5 if tricks < 4 else 2):
        compare_endings(tricks, contract, number)


@pytest.mark.long
@pytest.mark.exhaustive
@pytest.mark.parametrize("contract", CONTRACTS)
def test_every_line_of_the_last_five_tricks_counts_alike(contract: str) -> None:
    compare_endings(5, contract, number=0)
