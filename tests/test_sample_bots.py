"""The sample bots: each a folder in exactly the form that a stranger submits, playing as its description says."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

from arena.manifest import read_manifest
from protocol.bot import choose
from protocol.cards import Card, Cards, Suit
from protocol.three_five_eight_pb2 import DescribeRequest
from protocol.view import Clock, Contract, Rules, TurnKind
from referee.match import Match
from referee.practice import play_match
from referee.rules import SETS, rules_for
from tests import streams
from tests.samples import FOLDER, asked, bot_of

SAMPLES = sorted(manifest.parent.name for manifest in FOLDER.glob("*/bot.toml"))
PYTHON = [name for name in SAMPLES if read_manifest((FOLDER / name / "bot.toml").read_bytes()).language == "python"]
BY_THE_CLOCK = {"monte_carlo"}
"""What they choose depends on how far they get: tests/test_monte_carlo.py has their matches."""
REPEATABLE = sorted(set(PYTHON) - BY_THE_CLOCK)
EVERYTHING = rules_for("twelve-tricks", ["no-trump", "misere", "double-payment", "rotating-targets"])
RULES = {**SETS, "all variants": EVERYTHING}


def whole(match: Match) -> list[tuple[object, ...]]:
    """All that happened in a match."""
    return [(rnd.exchanges, rnd.contract, rnd.discard, rnd.played, rnd.scores) for rnd in match.rounds]


@pytest.mark.parametrize("name", SAMPLES)
def test_a_folder_is_what_a_stranger_submits(name: str) -> None:
    manifest = read_manifest((FOLDER / name / "bot.toml").read_bytes())
    assert manifest.name == name
    assert manifest.command
    assert manifest.author
    assert manifest.language
    assert manifest.description


@pytest.mark.parametrize("name", PYTHON)
def test_a_bot_needs_the_kit_and_the_rules_alone(name: str) -> None:
    own = {path.stem for path in (FOLDER / name).glob("*.py")}
    allowed = own | {"protocol", "referee", "numpy"} | set(sys.stdlib_module_names)
    imported = set()
    for path in (FOLDER / name).glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                imported |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                imported.add((node.module or "").partition(".")[0])
    assert imported <= allowed


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES.keys())
@pytest.mark.parametrize("name", REPEATABLE)
def test_a_bot_plays_whole_matches_by_the_rules_and_the_same_again(name: str, rules: Rules) -> None:
    first, second = (play_match([bot_of(name)() for _ in range(3)], rules, seed=3) for _ in range(2))
    assert whole(first) == whole(second)


@pytest.mark.parametrize("name", REPEATABLE)
def test_a_bot_is_served_as_its_manifest_says(name: str, tmp_path: Path) -> None:
    """The choices over gRPC are those made without any process: a rerun repeats a match."""
    assert read_manifest((FOLDER / name / "bot.toml").read_bytes()).command == ("python", "bot.py")
    rules, seed = SETS["twelve-tricks"], bytes(range(32))
    with streams.started(FOLDER / name, tmp_path), streams.dialled(tmp_path) as stub:
        assert stub.Describe(DescribeRequest()).name == name
        served = streams.play_match(stub, rules, seed)
    match, bot = Match(rules, seed), bot_of(name)()
    while not match.over:
        match.choose(choose(bot, match.view(match.seat)))
    assert whole(match) == whole(served)


@pytest.mark.parametrize("name", sorted(BY_THE_CLOCK))
def test_a_bot_that_goes_by_the_clock_plays_a_match_over_grpc(name: str, tmp_path: Path) -> None:
    with streams.started(FOLDER / name, tmp_path), streams.dialled(tmp_path) as stub:
        assert stub.Describe(DescribeRequest()).name == name
        rules = rules_for("announcer", overrides={"max_rounds": "1"})
        assert streams.play_match(stub, rules, bytes(range(32)), Clock(0.01, 10.0)).over


# random


def test_random_repeats_a_decision_and_varies_from_one_to_the_next() -> None:
    bot = bot_of("random")()

    def played(seed: int, decision: int) -> object:
        return choose(bot, asked(TurnKind.PLAY, "AKQJT9.8765.432.AKQ", seed=seed, decision=decision))

    assert [played(1, n) for n in range(20)] == [played(1, n) for n in range(20)]
    assert len({played(1, n) for n in range(50)}) > 10
    assert len({played(n, 1) for n in range(50)}) > 10


def test_random_can_choose_everything() -> None:
    bot = bot_of("random")()
    four = asked(TurnKind.DISCARD, "AK.32..")
    assert choose(bot, four) == four.hand
    claims = {choose(bot, asked(TurnKind.CLAIM, "AK.32..", decision=n, legal_suits=tuple(Suit))) for n in range(60)}
    assert claims == set(Suit)
    every = tuple(Contract)
    assert {choose(bot, asked(TurnKind.DECLARE, "AK...", decision=n, legal_contracts=every)) for n in range(80)} == set(
        every
    )


# first-legal


def test_first_legal_takes_the_first_in_the_order_of_the_protocol() -> None:
    bot = bot_of("first-legal")()
    for kind in (TurnKind.GIVE, TurnKind.GIVE_BACK, TurnKind.PLAY):
        assert choose(bot, asked(kind, "AQ3.2..2")) == Card("3S")
    assert choose(bot, asked(TurnKind.DISCARD, "AQ3.K2..2")) == Cards.read("AQ3.2..")
    assert choose(bot, asked(TurnKind.CLAIM, "AQ3.2..2", legal_suits=tuple(Suit))) is Suit.SPADES
    assert choose(bot, asked(TurnKind.DECLARE, "2.AKQ..", legal_contracts=tuple(Contract))) is Contract.SPADES


# high-card


def test_high_card_plays_the_highest_card_of_equals_in_the_order_of_suits() -> None:
    bot = bot_of("high-card")()
    assert choose(bot, asked(TurnKind.PLAY, "J2.Q5.K43.9")) == Card("KD")
    assert choose(bot, asked(TurnKind.PLAY, "2.Q5.Q43.Q")) == Card("QH")


def test_high_card_plays_the_highest_card_that_is_legal() -> None:
    view = asked(TurnKind.PLAY, "J2.Q5.K43.9", legal_cards=Cards.read("J2..."))
    assert choose(bot_of("high-card")(), view) == Card("JS")


def test_high_card_makes_its_longest_suit_trump_and_keeps_its_high_cards() -> None:
    bot = bot_of("high-card")()
    assert choose(bot, asked(TurnKind.DECLARE, "AKQ.5432.K43.9", legal_contracts=tuple(Contract))) is Contract.HEARTS
    assert choose(bot, asked(TurnKind.DISCARD, "AKQ.5432.K43.9")) == Cards.read(".32.3.") | Cards.of([Card("4D")])
    assert choose(bot, asked(TurnKind.GIVE, "AKQ.5432.K43.9")) == Card("2H")
