"""A bot's faults in a match, so that its author can see and repeat them: what it was asked, answered and wrote."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from protocol.view import Exchange, TurnKind, View
from referee.match import Match
from referee.record import Record, opened, recorded_choices

__all__ = ["Fault", "at", "faults_of", "question_lines", "written"]

ASKED = {
    TurnKind.GIVE: "which card to give",
    TurnKind.CLAIM: "which suit to claim",
    TurnKind.GIVE_BACK: "which card to give back",
    TurnKind.DECLARE: "which contract to announce",
    TurnKind.DISCARD: "which four cards to put aside",
    TurnKind.PLAY: "which card to play",
}


@dataclass(frozen=True)
class Fault:
    """One fault as recorded, what is kept beside the record, and what the bot saw when it was asked."""

    match: str
    bot: str
    recorded: dict[str, Any]
    """As in the record."""
    evidence: dict[str, Any]
    """``why``, ``answer`` and ``output``: hostile text."""
    view: View | None
    """None for a bot that did not start."""
    clock: dict[str, Any]
    """The seat's clock in this match, as in the record."""

    def lines(self, again: str | None) -> Iterator[str]:
        """The fault for a reader, a line each.

        :param again: how the match is named on a command line that repeats the question; None: it can't be.
        """
        fault = self.recorded
        where = "" if self.view is None else f" in round {fault['round'] + 1} at decision {fault['decision']}"
        yield f"{self.match}, {self.bot} on seat {fault['seat']}: fault {fault['kind']}{where}"
        after = "" if fault["after_s"] is None else f" after {fault['after_s']:.3f} s"
        yield f"  {fault['detail']}{after}: {self.evidence.get('why')}"
        if self.view:
            yield from question_lines(self.view)
            answer = self.evidence.get("answer")
            yield f"  answer: {'none that can be read' if answer is None else written(answer)}"
            yield f"  the stand-in chose: {written(fault['substitute'])}"
        if fault["struck_out"]:
            yield "  with this fault it was struck out of the match"
        clock = self.clock
        yield (
            f"  its match: {clock['decisions']} decisions in {clock['think_s']:.3f} s (CPU {clock['cpu_s']:.3f} s), "
            f"the slowest {clock['slowest_s']:.3f} s"
        )
        output = self.evidence.get("output")
        if output:
            yield "  the last that it wrote to stdout and stderr:"
            yield from (f"  | {line}" for line in str(output).splitlines())
        else:
            yield "  what it writes is with its author" if output is None else "  it wrote nothing to stdout or stderr"
        if self.view is None:
            yield "  to repeat it: arena check DIR"
        elif again:
            yield f"  to repeat it: arena replay-turn {again} {fault['decision']} DIR"


def question_lines(view: View) -> Iterator[str]:
    """What a seat is asked and all that it sees, for a reader, a line each."""
    assert view.kind
    yield f"  asked {ASKED[view.kind]}; its hand: {view.hand}"
    yield (
        f"  dealer: seat {view.dealer}; contract: {view.contract or 'not announced yet'}; totals: "
        f"{written(view.totals)}; targets: {written(view.targets)}; tricks taken: {written(view.taken)}"
    )
    if view.last_scores:
        yield f"  scores of the last round: {written(view.last_scores)}"
    if view.exchanges:
        yield f"  exchanges: {'; '.join(map(exchange_seen, view.exchanges))}"
    if view.partner is not None:
        handed = f", who handed over {view.claimed}" if view.claimed is not None else ""
        yield f"  it exchanges with seat {view.partner}{handed}"
    if view.kitty:
        put_aside = written(tuple(view.discard)) or "nothing yet"
        yield f"  the kitty had {written(tuple(view.kitty))}; put aside: {put_aside}"
    if view.kind is TurnKind.PLAY:
        played = [f"{trick.leader}: {written(trick.cards)}" for trick in view.tricks if trick.winner is not None]
        yield f"  tricks so far, each with its leader: {'; '.join(played) or 'none'}"
        yield f"  on the table: {written(view.trick) or 'nothing, it leads'}"
    yield f"  legal: {written(view.legal)}" + (f", {view.count} of them" if view.count > 1 else "")


def exchange_seen(exchange: Exchange) -> str:
    """``seat 2 with seat 0, gave 3C, got AC``; the cards only where they were seen (R5.7)."""
    between = f"seat {exchange.up} with seat {exchange.down}"
    claim = f", claimed {exchange.suit}" if exchange.suit is not None else ""
    cards = f", gave {exchange.gave}, got {exchange.got}" if exchange.gave is not None else ""
    return f"{between}{claim}{cards}"


def written(value: Any) -> str:
    """Cards, numbers or one of them, with spaces between."""
    return " ".join(str(part) for part in value) if isinstance(value, (list, tuple)) else str(value)


def faults_of(record: Record, evidence: Sequence[dict[str, Any]], bot: str) -> Iterator[Fault]:
    """The faults of one bot in a recorded match, in order.

    :param evidence: what is kept of each fault of the record, in the record's order.
    """
    for fault, beside in zip(record["faults"], evidence, strict=True):
        if record["seats"][fault["seat"]]["bot"] == bot:
            view = None if fault["decision"] is None else seen(record, fault["decision"])
            yield Fault(record["match"], bot, fault, beside, view, record["clock"][fault["seat"]])


def seen(record: Record, decision: int) -> View:
    """What the seat on turn saw at a decision of a recorded match."""
    match = at(record, decision)
    return match.view(match.seat)


def at(record: Record, decision: int) -> Match:
    """The match as it was before a decision, counted from 0."""
    match = opened(record)
    choices = (choice for written in record["rounds"] for _, choice in recorded_choices(written))
    while match.decision < decision:
        match.choose(next(choices))
    return match
