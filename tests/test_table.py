"""The table: ask, enforce, substitute, record. Players here are scripted; real processes are in test_faults.py."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from protocol.bot import Bot, choose
from protocol.cards import Card, Cards, Suit
from protocol.view import Choice, Rules, Three, TurnKind, View
from referee.match import Match
from referee.player import Limits, PlayerFault
from referee.record import verify
from referee.rules import SETS
from referee.stand_in import stand_in
from referee.table import Played, Table

LIMITS = Limits(sandbox="none")
Answer = Callable[[View], Choice]


def low_card(view: View) -> Choice:
    return choose(Bot(), view)


@dataclass
class Scripted:
    """A player whose answers are given by a function, each after so many seconds on the table's clock."""

    answer: Answer = low_card
    takes_s: float = 0.0
    starts: bool = True
    asked: list[View] = field(default_factory=list)
    limits_s: list[float] = field(default_factory=list)
    rounds: list[tuple[View, Three]] = field(default_factory=list)
    over: Three | None = None
    busy: int = 0

    async def begin(self, rules: Rules, seat: int) -> None:
        if not self.starts:
            raise PlayerFault("start", "it sleeps late")

    async def ask(self, view: View, limit_s: float) -> tuple[Choice, float]:
        self.asked.append(view)
        self.limits_s.append(limit_s)
        return self.answer(view), self.takes_s

    async def round_over(self, view: View, scores: Three) -> None:
        self.rounds.append((view, scores))

    async def match_over(self, placing: Three, totals: Three, end: str) -> None:
        self.over = placing

    def cpu_s(self) -> float:
        return self.takes_s * len(self.asked)

    def output_tail(self) -> str:
        return "the last words"


def play(*players: Scripted, rules: str = "ten-points", limits: Limits = LIMITS) -> Played:
    table = Table(
        match=Match(SETS[rules], b"table"),
        limits=limits,
        players=players,
        name="test/1/0",
        number=1,
        seats=[{"bot": name, "version": "1"} for name in "abc"],
    )
    played = asyncio.run(table.play())
    verify(played.record)
    return played


def failing(kind: str, times: int, when: TurnKind = TurnKind.PLAY) -> Answer:
    left = [times]

    def answer(view: View) -> Choice:
        if view.kind is when and left[0]:
            left[0] -= 1
            raise PlayerFault(kind, "as scripted", 0.25)
        return low_card(view)

    return answer


@pytest.mark.parametrize("rules", SETS)
def test_three_players_play_a_match_that_holds(rules: str) -> None:
    players = Scripted(), Scripted(), Scripted()
    record = play(*players, rules=rules).record
    assert record["faults"] == []
    assert [player.over for player in players] == [tuple(record["placing"])] * 3
    assert [seat["decisions"] for seat in record["clock"]] == [len(player.asked) for player in players]
    assert [scores for _, scores in players[1].rounds] == [tuple(rnd["score"]) for rnd in record["rounds"]]


def test_a_turn_with_one_legal_choice_is_taken_without_asking() -> None:
    players = Scripted(), Scripted(), Scripted()
    play(*players)
    asked = [view for player in players for view in player.asked]
    assert all(len(view.legal) > 1 for view in asked)
    assert max(view.decision for view in asked) > len(asked)


@pytest.mark.parametrize("kind", ["timeout", "malformed", "crash", "disconnect", "error"])
def test_a_fault_is_recorded_and_the_stand_in_chooses(kind: str) -> None:
    played = play(Scripted(), Scripted(failing(kind, 1)), Scripted())
    (fault,) = played.record["faults"]
    assert (fault["kind"], fault["seat"], fault["turn"], fault["after_s"]) == (kind, 1, "play", 0.25)
    assert fault["struck_out"] is False
    assert Card(fault["substitute"])
    assert played.faults == (
        {"seat": 1, "decision": fault["decision"], "why": "as scripted", "answer": None, "output": "the last words"},
    )


ILLEGAL: dict[TurnKind, tuple[Answer, str, str]] = {
    TurnKind.PLAY: (lambda v: next(iter(v.unseen())), "ten-points", "is not in your hand"),
    TurnKind.DECLARE: (lambda v: Suit.SPADES, "ten-points", "may not be announced"),
    TurnKind.DISCARD: (lambda v: Cards.of(list(v.legal_cards)[:3]), "ten-points", "choose 4 different cards"),
    TurnKind.GIVE: (lambda v: next(iter(v.unseen())), "ten-points", "is not in your hand"),
    TurnKind.CLAIM: (lambda v: next(iter(v.hand)), "twelve-tricks", "is not a suit to claim"),
    TurnKind.GIVE_BACK: (lambda v: next(iter(v.unseen())), "twelve-tricks", "is not in your hand"),
}


@pytest.mark.parametrize("kind", TurnKind)
def test_an_illegal_choice_of_every_kind_is_enforced(kind: TurnKind) -> None:
    wrong, rules, why = ILLEGAL[kind]
    answer: Answer = lambda view: wrong(view) if view.kind is kind else low_card(view)  # noqa: E731
    high = Scripted(lambda view: max(view.legal_cards) if view.kind is TurnKind.PLAY else low_card(view))
    played = play(Scripted(answer), high, Scripted(answer), rules=rules)
    faults = [fault for fault in played.record["faults"] if fault["turn"] == kind.value]
    assert faults
    assert {fault["kind"] for fault in faults} == {"illegal"}
    assert all(why in evidence["why"] for evidence in played.faults)
    assert all(evidence["answer"] for evidence in played.faults)


def test_the_third_fault_strikes_out_and_the_bot_is_placed_last() -> None:
    bad = Scripted(failing("malformed", 99))
    played = play(bad, Scripted(), Scripted())
    assert [fault["struck_out"] for fault in played.record["faults"]] == [False, False, True]
    assert played.record["placing"][0] == 3
    assert sum(view.kind is TurnKind.PLAY for view in bad.asked) == 3  # never asked again
    assert bad.over is None


def test_strikes_can_be_set() -> None:
    played = play(Scripted(failing("error", 99)), Scripted(), Scripted(), limits=Limits(strikes=1, sandbox="none"))
    assert [fault["struck_out"] for fault in played.record["faults"]] == [True]


def test_who_does_not_start_is_struck_out_before_the_first_decision() -> None:
    played = play(Scripted(), Scripted(), Scripted(starts=False))
    (fault,) = played.record["faults"]
    assert (fault["kind"], fault["decision"], fault["round"], fault["substitute"]) == ("start", None, None, None)
    assert fault["struck_out"] is True
    assert played.record["placing"][2] == 3


def test_a_match_goes_on_when_nobody_starts() -> None:
    played = play(*(Scripted(starts=False) for _ in range(3)))
    assert len(played.record["faults"]) == 3
    assert sorted(played.record["placing"]) == [1, 2, 3]


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_a_fault_changes_nothing_for_the_others_but_the_substituted_choice(seat: int) -> None:
    """The same match, once with a player that fails and once with one that chooses what the stand-in chooses."""
    failed = [Scripted() for _ in range(3)]
    failed[seat] = Scripted(failing("malformed", 99))
    honest = [Scripted() for _ in range(3)]
    honest[seat] = Scripted(stand_in)
    one, other = play(*failed).record, play(*honest).record
    assert one["rounds"] == other["rounds"]
    for place in {0, 1, 2} - {seat}:
        assert failed[place].asked == honest[place].asked


def test_what_goes_beyond_the_move_time_is_drawn_from_the_bank() -> None:
    slow = Scripted(takes_s=1.5)
    record = play(slow, Scripted(), Scripted(), limits=Limits(move_time_s=1, bank_s=2, sandbox="none")).record
    assert [view.clock.bank_s for view in slow.asked[:6]] == [2.0, 1.5, 1.0, 0.5, 0.0, 0.0]
    assert slow.limits_s[0] == pytest.approx(3.1)  # move time, bank and margin
    assert slow.limits_s[5] == pytest.approx(1.1)
    assert record["clock"][0]["slowest_s"] == 1.5
    assert record["clock"][0]["think_s"] == pytest.approx(1.5 * len(slow.asked))


def test_our_own_failure_is_nobodys_fault() -> None:
    def broken(view: View) -> Choice:
        raise OSError("no space left on device")

    with pytest.raises(OSError, match="no space left"):
        play(Scripted(broken), Scripted(), Scripted())
