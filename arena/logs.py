"""A bot's faults in a match, so that its author can see and repeat them: what it was asked, answered and wrote."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from protocol.view import TurnKind, View
from referee.match import Match
from referee.record import Record, opened, recorded_choices

__all__ = ["Fault", "faults_of"]

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

    def lines(self) -> Iterator[str]:
        """The fault for a reader, a line each."""
        fault = self.recorded
        where = "" if self.view is None else f" in round {fault['round'] + 1} at decision {fault['decision']}"
        yield f"{self.match}, {self.bot} on seat {fault['seat']}: fault {fault['kind']}{where}"
        after = "" if fault["after_s"] is None else f" after {fault['after_s']:.3f} s"
        yield f"  {fault['detail']}{after}: {self.evidence.get('why')}"
        if self.view:
            yield from self._question(self.view)
            answer = self.evidence.get("answer")
            yield f"  answer: {'none that can be read' if answer is None else written(answer)}"
            yield f"  the stand-in chose: {written(fault['substitute'])}"
        if fault["struck_out"]:
            yield "  with this fault it was struck out of the match"
        output = str(self.evidence.get("output") or "").splitlines()
        yield (
            "  it wrote nothing to stdout or stderr" if not output else "  the last that it wrote to stdout and stderr:"
        )
        yield from (f"  | {line}" for line in output)

    def _question(self, view: View) -> Iterator[str]:
        assert view.kind
        yield f"  asked {ASKED[view.kind]}; its hand: {view.hand}"
        yield (
            f"  dealer: seat {view.dealer}; contract: {view.contract or 'not announced yet'}; totals: "
            f"{written(view.totals)}; targets: {written(view.targets)}; tricks taken: {written(view.taken)}"
        )
        if view.kind is TurnKind.PLAY:
            yield f"  on the table: {written(view.trick) or 'nothing, it leads'}"
        yield f"  legal: {written(view.legal)}" + (f", {view.count} of them" if view.count > 1 else "")


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
            yield Fault(record["match"], bot, fault, beside, view)


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
