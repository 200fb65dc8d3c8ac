"""The kit for authors: defaults that play, choices that are asked, and a server that outlives what a bot does."""

from __future__ import annotations

import signal
import socket
import time
from collections.abc import Iterable
from pathlib import Path

import grpc
import pytest

from protocol import wire
from protocol.bot import Bot, OtherVersion, answers, choose
from protocol.cards import Card, Cards, Suit
from protocol.three_five_eight_pb2 import DescribeRequest, FromReferee
from protocol.three_five_eight_pb2_grpc import BotStub
from protocol.view import Contract, Rules, Three, TurnKind, View
from referee.match import Match
from referee.rules import SETS
from tests.samples import SOME_VIEW, asked
from tests.streams import Stream, dialled, play_match, started, wait_for

SEED = bytes(32)
# The defaults


def test_the_lowest_card_is_given_given_back_and_played() -> None:
    for kind in (TurnKind.GIVE, TurnKind.GIVE_BACK, TurnKind.PLAY):
        assert choose(Bot(), asked(kind, "AK4.Q9.QT8.J73")) == Card("3C")


def test_of_equal_ranks_clubs_go_first_then_diamonds_hearts_spades() -> None:
    assert choose(Bot(), asked(TurnKind.PLAY, "2.2.2.2")) == Card("2C")
    assert choose(Bot(), asked(TurnKind.PLAY, "2.2.2.")) == Card("2D")
    assert choose(Bot(), asked(TurnKind.PLAY, "2.2..")) == Card("2H")


def test_the_four_lowest_are_discarded() -> None:
    view = asked(TurnKind.DISCARD, "AK2.Q93.QT8.J73")
    assert choose(Bot(), view) == Cards.read("2.3..73")


def test_the_longest_suit_is_trump_of_equal_length_spades_before_hearts() -> None:
    every = tuple(Contract)
    assert choose(Bot(), asked(TurnKind.DECLARE, "A.K2.KQJT.432", legal_contracts=every)) is Contract.DIAMONDS
    assert choose(Bot(), asked(TurnKind.DECLARE, "432.AKQ..", legal_contracts=every)) is Contract.SPADES


def test_where_no_suit_may_be_trump_the_first_contract_is_announced() -> None:
    only = (Contract.MISERE,)
    assert choose(Bot(), asked(TurnKind.DECLARE, "AKQ...", legal_contracts=only)) is Contract.MISERE


def test_the_longest_suit_whose_ace_is_lacking_is_claimed() -> None:
    view = asked(TurnKind.CLAIM, "AKQ4.KQ.J98.2", legal_suits=tuple(Suit))
    assert choose(Bot(), view) is Suit.DIAMONDS


def test_with_four_aces_spades_are_claimed() -> None:
    assert choose(Bot(), asked(TurnKind.CLAIM, "A.AK.A.A", legal_suits=tuple(Suit))) is Suit.SPADES


def played_out(rules: Rules, bot: Bot) -> Match:
    match = Match(rules, SEED)
    while not match.over:
        match.choose(choose(bot, match.view(match.seat)))
    return match


@pytest.mark.parametrize("rules", SETS.values(), ids=SETS.keys())
def test_the_defaults_play_whole_matches_of_every_set(rules: Rules) -> None:
    assert played_out(rules, Bot()).placing


# Asking


@pytest.mark.parametrize(
    ("kind", "answer", "why"),
    [
        (TurnKind.PLAY, None, "play returned None; it must return a Card of view.legal_cards"),
        (TurnKind.PLAY, "AS", "play returned 'AS'; it must return a Card"),
        (TurnKind.PLAY, 7, "play returned 7; it must return a Card"),
        (TurnKind.CLAIM, Card("AS"), "claim returned AS; it must return a Suit"),
        (TurnKind.DECLARE, Suit.HEARTS, "declare returned H; it must return a Contract"),
        (TurnKind.DISCARD, Card("AS"), "discard returned AS; it must return view.count cards"),
        (TurnKind.GIVE, Cards.read("A..."), "give returned A...; it must return a Card"),
    ],
)
def test_an_answer_of_the_wrong_kind_is_told_to_the_author(kind: TurnKind, answer: object, why: str) -> None:
    bot = Bot()
    setattr(bot, kind.value, lambda view: answer)
    with pytest.raises(TypeError, match=why):
        choose(bot, asked(kind, "AK.AK.AK.AK"))


def test_discards_may_come_as_any_collection_of_cards() -> None:
    class Tidy(Bot):
        def discard(self, view: View) -> Iterable[Card]:
            return (Card(name) for name in ("2S", "3S", "4S", "5S"))

    assert choose(Tidy(), asked(TurnKind.DISCARD, "65432.AKQ..")) == Cards.read("5432...")


def test_a_view_that_asks_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="asks for nothing"):
        choose(Bot(), SOME_VIEW)


def test_the_same_decision_has_the_same_dice_and_another_has_others() -> None:
    def roll(seed: int, decision: int) -> float:
        return Bot().rng(asked(TurnKind.PLAY, "A...", seed=seed, decision=decision)).random()

    assert roll(5, 7) == roll(5, 7)
    assert len({roll(5, 7), roll(5, 8), roll(6, 7)}) == 3


# A match as a stream of messages


class Diarist(Bot):
    """Writes down what it is told; ``diaries`` has one page a match."""

    diaries: list[list[str]] = []  # noqa: RUF012 (shared by all matches on purpose)

    def __init__(self) -> None:
        self.page: list[str] = []
        self.diaries.append(self.page)

    def match_started(self, rules: Rules, seat: int) -> None:
        self.page.append(f"{rules.set} in seat {seat}")

    def play(self, view: View) -> Card:
        self.page.append(f"play to trick {len(view.leaders)}")
        return super().play(view)

    def round_over(self, view: View, scores: Three) -> None:
        self.page.append(f"round {view.round} scored {scores}")

    def match_over(self, placing: Three, totals: Three, end: str) -> None:
        self.page.append(f"placed {placing} with {totals} by {end}")


def a_turn(sequence: int) -> FromReferee:
    return wire.turn_message(asked(TurnKind.PLAY, "AK.32..", leaders=bytes([0])), sequence)


def test_a_match_is_told_from_start_to_end() -> None:
    Diarist.diaries.clear()
    messages = [
        wire.match_started_message(Rules(set="announcer"), seat=2),
        a_turn(1),
        wire.round_over_message(SOME_VIEW, (1, -2, 1)),
        a_turn(2),
        wire.match_over_message((1, 3, 2), (5, -6, 1), "rounds"),
    ]
    said = list(answers(Diarist, iter(messages)))
    assert said == [wire.choice_message(Card("2H"), 1), wire.choice_message(Card("2H"), 2)]
    assert Diarist.diaries == [
        [
            "announcer in seat 2",
            "play to trick 1",
            "round 0 scored (1, -2, 1)",
            "play to trick 1",
            "placed (1, 3, 2) with (5, -6, 1) by rounds",
        ]
    ]


def test_a_class_plays_every_match_with_a_new_instance_and_an_instance_plays_them_all() -> None:
    Diarist.diaries.clear()
    start = wire.match_started_message(Rules(), seat=0)
    for _ in range(2):
        list(answers(Diarist, iter([start])))
    assert len(Diarist.diaries) == 2
    one = Diarist()
    for _ in range(2):
        list(answers(one, iter([start])))
    assert len(one.page) == 2


def test_another_version_of_the_protocol_is_refused() -> None:
    start = wire.match_started_message(Rules(), seat=0)
    start.match_started.protocol = 2
    with pytest.raises(OtherVersion, match="this bot speaks version 1 of the protocol, the referee 2"):
        list(answers(Bot, iter([start])))


def test_a_match_that_does_not_begin_with_its_start_is_refused() -> None:
    with pytest.raises(OtherVersion):
        list(answers(Bot, iter([a_turn(1)])))


def test_a_bot_is_called_as_its_class_unless_it_has_a_name() -> None:
    class Nameless(Bot):
        pass

    class Named(Bot):
        name = "tuppence"

    assert (Nameless.name, Named.name) == ("Nameless", "tuppence")


# Real processes

THREE_LINES = """
from protocol.bot import Bot, serve
class MyBot(Bot): ...
serve(MyBot)
"""
RAISES_ON_CLUBS = """
from protocol.bot import Bot, serve
class Brittle(Bot):
    def play(self, view):
        if view.hand.count(3):
            raise LookupError("no clubs please " + 5000 * "!")
        return super().play(view)
serve(Brittle)
"""
SLOW_TO_PLAY = """
import time
from protocol.bot import Bot, serve
class Slow(Bot):
    def play(self, view):
        time.sleep(0.3)
        return super().play(view)
serve(Slow)
"""


def written(code: str, folder: Path) -> Path:
    (folder / "bot.py").write_text(code)
    return folder


START = wire.match_started_message(Rules(), seat=0)


def test_three_lines_make_a_bot_that_plays(tmp_path: Path) -> None:
    """Three matches at once on one process, and the choices are those made without any process."""
    with started(written(THREE_LINES, tmp_path), tmp_path), dialled(tmp_path) as stub:
        description = stub.Describe(DescribeRequest())
        assert (description.protocol, description.name, description.language) == (wire.PROTOCOL, "MyBot", "python")
        for rules in (SETS["ten-points"], SETS["twelve-tricks"]):
            assert play_match(stub, rules, SEED).rounds[-1].played == played_out(rules, Bot()).rounds[-1].played


def test_a_method_that_raises_ends_its_match_and_not_the_bot(tmp_path: Path) -> None:
    with started(written(RAISES_ON_CLUBS, tmp_path), tmp_path) as process, dialled(tmp_path) as stub:
        stream = Stream(stub, START)
        assert stream.ask(a_turn(1)).card
        with pytest.raises(grpc.RpcError) as broken:
            stream.ask(wire.turn_message(asked(TurnKind.PLAY, "A...5"), 2))
        assert broken.value.code() is grpc.StatusCode.INTERNAL
        details = broken.value.details() or ""
        assert details.startswith("LookupError: no clubs please !!!")
        assert len(details) < 300
        stream.questions.put(None)

        again = Stream(stub, START)
        assert again.ask(a_turn(1)).card
        assert again.close() == []

        process.terminate()
        _, printed = process.communicate(timeout=10)
        assert "Traceback" in printed
        assert 'raise LookupError("no clubs please' in printed


def test_a_referee_of_another_version_is_told_so(tmp_path: Path) -> None:
    with started(written(THREE_LINES, tmp_path), tmp_path), dialled(tmp_path) as stub:
        foreign = FromReferee.FromString(START.SerializeToString())
        foreign.match_started.protocol = 2
        with pytest.raises(grpc.RpcError) as refused:
            Stream(stub, foreign).ask(a_turn(1))
        assert refused.value.code() is grpc.StatusCode.FAILED_PRECONDITION
        assert refused.value.details() == "this bot speaks version 1 of the protocol, the referee 2"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_bot_that_is_told_to_stop_leaves_nothing_behind(tmp_path: Path, number: signal.Signals) -> None:
    with started(written(THREE_LINES, tmp_path), tmp_path) as process, dialled(tmp_path) as stub:
        stream = Stream(stub, START)
        assert stream.ask(a_turn(1)).card
        process.send_signal(number)
        _, printed = process.communicate(timeout=10)
        assert process.returncode == 0
        assert "Traceback" not in printed
        assert not (tmp_path / "bot.sock").exists()
        stream.questions.put(None)


def test_a_stop_in_the_middle_of_a_choice_is_quiet(tmp_path: Path) -> None:
    with started(written(SLOW_TO_PLAY, tmp_path), tmp_path) as process, dialled(tmp_path) as stub:
        stream = Stream(stub, START)
        stream.questions.put(a_turn(1))
        time.sleep(0.1)
        process.terminate()
        _, printed = process.communicate(timeout=10)
        assert (process.returncode, "Traceback" in printed) == (0, False)
        stream.questions.put(None)


def test_a_referee_that_goes_away_is_no_error_of_the_bot(tmp_path: Path) -> None:
    with started(written(THREE_LINES, tmp_path), tmp_path) as process:
        with dialled(tmp_path) as stub:
            stream = Stream(stub, START)
            assert stream.ask(a_turn(1)).card
            stream.call.cancel()
            stream.questions.put(None)
        with dialled(tmp_path) as stub:
            assert stub.Describe(DescribeRequest()).protocol == wire.PROTOCOL
        process.terminate()
        assert "Traceback" not in process.communicate(timeout=10)[1]


def test_a_bot_listens_on_a_port_for_a_league_elsewhere(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with started(written(THREE_LINES, tmp_path), tmp_path, "--address", f"127.0.0.1:{port}"):
        wait_for(socket.AF_INET, ("127.0.0.1", port))
        with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
            stub = BotStub(channel)
            assert stub.Describe(DescribeRequest()).name == "MyBot"
            assert play_match(stub, SETS["announcer"], SEED).over


def test_an_address_that_is_not_ours_is_refused_in_a_sentence(tmp_path: Path) -> None:
    with started(written(THREE_LINES, tmp_path), tmp_path, "--address", "192.0.2.1:7358") as process:
        _, printed = process.communicate(timeout=10)
        assert process.returncode == 1
        assert "Can't listen on 192.0.2.1:7358" in printed
        assert "Traceback" not in printed
