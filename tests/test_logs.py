"""A bot's faults for its author: what it was asked, answered and wrote, and how to repeat it."""

from __future__ import annotations

import copy
from typing import Any

from arena.logs import at, faults_of, question_lines
from protocol.view import TurnKind
from referee.match import Match
from referee.record import Record, recorded_choices, write
from referee.rules import rules_for
from tests.test_show import record_of

CLAIMS = record_of(rules_for("twelve-tricks"))
SWAPS = record_of(rules_for("ten-points"))


def first(record: Record, kind: TurnKind, where: Any = lambda match: True) -> Match:
    """The match as it was before the first turn of a kind."""
    total = sum(len(list(recorded_choices(rnd))) for rnd in record["rounds"])
    return next(
        match
        for match in (at(record, decision) for decision in range(total))
        if match.kind is kind and where(match) and len(match.legal()) > 1
    )


def asked(match: Match) -> str:
    return "\n".join(question_lines(match.view(match.seat)))


def test_the_match_before_a_decision() -> None:
    match = at(SWAPS, 60)
    assert match.decision == 60
    again = at(SWAPS, 61)
    match.choose([choice for rnd in SWAPS["rounds"] for _, choice in recorded_choices(rnd)][60])
    assert match.view(0) == again.view(0)


def test_a_turn_to_play_shows_hand_tricks_table_and_legal_cards() -> None:
    match = first(SWAPS, TurnKind.PLAY, lambda match: len(match.round.played) == 7)
    view = match.view(match.seat)
    text = asked(match)
    assert f"asked which card to play; its hand: {view.hand}" in text
    assert f"legal: {' '.join(map(str, view.legal))}" in text
    assert f"on the table: {view.trick[0]}" in text
    assert text.count("; ") >= 1
    for trick in view.tricks[:2]:
        assert f"{trick.leader}: {' '.join(map(str, trick.cards))}" in text


def test_turns_of_the_exchange_show_partner_and_what_was_seen() -> None:
    swap = asked(first(SWAPS, TurnKind.GIVE, lambda match: len(match.round.exchanges) == 1))
    assert "scores of the last round: " in swap
    assert "it exchanges with seat " in swap
    assert "exchanges: seat " in swap
    assert ", gave " in swap
    claim = asked(first(CLAIMS, TurnKind.CLAIM))
    assert "asked which suit to claim" in claim
    assert "legal: S H D C" in claim
    back = first(CLAIMS, TurnKind.GIVE_BACK)
    assert f", who handed over {back.round.claimed}" in asked(back)


def test_a_dealers_turns_show_kitty_and_discard() -> None:
    declare = asked(first(CLAIMS, TurnKind.DECLARE))
    assert "contract: not announced yet" in declare
    assert "the kitty had 9H TH 3D 9D; put aside: nothing yet" in declare
    assert "legal: S H D C" in declare
    discard = asked(first(CLAIMS, TurnKind.DISCARD))
    assert ", 4 of them" in discard


def test_cards_that_were_not_seen_are_not_shown() -> None:
    def by_others(match: Match) -> bool:
        return any(match.seat not in (e.up, e.down) for e in match.round.exchanges)

    match = first(CLAIMS, TurnKind.PLAY, by_others)
    (hidden,) = [e for e in match.round.exchanges if match.seat not in (e.up, e.down)][:1]
    assert f"seat {hidden.up} with seat {hidden.down}, claimed {hidden.suit}" in asked(match)
    assert f"claimed {hidden.suit}, gave" not in asked(match)


def fault(decision: int | None, **more: Any) -> dict[str, Any]:
    known = {"round": 0, "decision": decision, "seat": 0, "turn": "play", "kind": "timeout", "after_s": 11.1}
    return known | {"detail": "no answer", "substitute": "3C", "struck_out": False} | more


def test_a_fault_has_view_answer_times_output_and_the_command_to_repeat_it() -> None:
    record = copy.deepcopy(SWAPS)
    match = first(record, TurnKind.PLAY)
    seat = match.seat
    name = record["seats"][seat]["bot"]
    record["faults"] = [fault(match.decision, seat=seat), fault(None, seat=seat, kind="start", struck_out=True)]
    evidence = [
        {"seat": seat, "decision": match.decision, "why": "no answer within 11.10 s", "answer": "AS", "output": "a\nb"},
        {"seat": seat, "decision": None, "why": "exit code 3", "answer": None, "output": ""},
    ]
    late, start = ("\n".join(fault.lines("demo/7/2 --home x")) for fault in faults_of(record, evidence, name))
    assert f"{name} on seat {seat}: fault timeout in round 1 at decision {match.decision}" in late
    assert "no answer after 11.100 s: no answer within 11.10 s" in late
    assert asked(match) in late
    assert "  answer: AS\n  the stand-in chose: 3C\n" in late
    assert "  its match: 40 decisions in 0.500 s (CPU 0.400 s), the slowest 0.100 s\n" in late
    assert "  | a\n  | b\n" in late
    assert late.endswith(f"  to repeat it: arena replay-turn demo/7/2 --home x {match.decision} DIR")
    assert "struck out of the match" in start
    assert start.endswith("to repeat it: arena check DIR")
    assert not list(faults_of(record, evidence, record["seats"][seat - 1]["bot"]))
    assert "replay-turn" not in "\n".join(next(faults_of(record, evidence, name)).lines(None))


def test_the_stand_ins_choice_is_written_as_in_the_record() -> None:
    record = copy.deepcopy(SWAPS)
    discard = first(record, TurnKind.DISCARD)
    put_aside = write(
        next(choice for kind, choice in recorded_choices(record["rounds"][0]) if kind is TurnKind.DISCARD)
    )
    record["faults"] = [fault(discard.decision, seat=discard.seat, turn="discard", substitute=put_aside)]
    evidence = [{"seat": discard.seat, "decision": discard.decision, "why": "", "answer": None, "output": ""}]
    (one,) = faults_of(record, evidence, record["seats"][discard.seat]["bot"])
    text = "\n".join(one.lines(None))
    assert f"the stand-in chose: {' '.join(put_aside)}" in text
    assert "answer: none that can be read" in text
    assert "it wrote nothing to stdout or stderr" in text
