"""``report.json``: the standings and what they rest on, for programs. ``report.schema.json`` is its form.

The numbers are those of the console. Names and texts are as submitted: whoever shows them must escape them.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from arena.history import Stage, history
from arena.journal import Journal, Member
from arena.options import Options, commitment
from arena.reports.console import FAULTS
from arena.schedule import Schedule
from arena.standings import MatchFigures, Mean, Row, Standings
from referee.record import FORMAT as RECORD_FORMAT
from referee.rules import rules_as_json

__all__ = ["FORMAT", "notes", "remote_note", "report", "write_report", "written"]

FORMAT = "three-five-eight/report/1"
NO_SANDBOX = (
    "Bots ran without isolation: they could read and write what the arena can, use the network, and disturb each other."
)
FAULTS_OF_A_KIND = 3  # of each bot; how many there were stands in the standings


def report(journal: Journal, standings: Standings, figures: MatchFigures) -> dict[str, Any]:
    """The report as a JSON document; keys always in this order.

    :param figures: of the matches that the standings are of.
    """
    options = Options.from_json(journal.options)
    faults = journal.faults_of()
    members = {member.name: member for member in journal.members}
    stages = dict(zip(members, history(figures, len(members)), strict=True))
    plan = journal.plan()
    return {
        "format": FORMAT,
        "arena": metadata.version("three-five-eight-arena"),
        "records": RECORD_FORMAT,
        "league": {
            "name": journal.name,
            "begun": journal.begun,
            "ended": journal.ended,
            "design": options.design,
            "boards_of_each_triple": options.boards,
            "seatings": options.seatings,
            "boards": len(plan.boards),
            "matches": {
                "planned": journal.planned(),
                "played": standings.matches,
                "set_aside": [
                    {"match": f"{journal.name}/{board}/{seating}", "why": why}
                    for board, seating, why in journal.aside()
                ],
            },
            "commitment": commitment(journal.seed),
            "seed": journal.seed.hex() if journal.ended else None,
            "rules": rules_as_json(options.rules),
            "limits": journal.options["limits"],
        },
        "notes": notes(journal, standings, plan),
        "standings": [entry(row, members[row.entry.name], faults, stages[row.entry.name]) for row in standings.rows],
        "crosstable": {
            "bots": [row.entry.name for row in standings.rows],
            "ahead": [list(line) for line in standings.ahead],
            "better": [list(line) for line in standings.better],
        },
        "faults": list(examples(journal)),
    }


def entry(row: Row, member: Member, faults: Counter[tuple[str, str]], stages: Sequence[Stage]) -> dict[str, Any]:
    firsts, seconds, thirds = row.places
    return {
        "rank": row.rank,
        "ranks": None if row.ranks is None else list(row.ranks),
        "bot": row.entry.name,
        "version": row.entry.version,
        "author": member.manifest.author,
        "team": member.manifest.team,
        "language": member.manifest.language,
        "description": member.manifest.description,
        "remote": member.manifest.address is not None,
        "disqualified": row.entry.disqualified,
        "group": row.group,
        "mu": interval(row.rating),
        "sigma": row.sigma,
        "mu_minus_3_sigma": row.careful,
        "matches": row.matches,
        "firsts": firsts,
        "seconds": seconds,
        "thirds": thirds,
        "points_a_round": interval(row.points),
        "points_by_position": dict(
            zip(("dealer", "forehand", "third_hand"), map(interval, row.points_by_position), strict=True)
        ),
        "faults": {kind: faults[row.entry.name, kind] for kind in FAULTS},
        "think_s": row.think_s,
        "history": [{"matches": stage.matches, **interval(stage.rating)} for stage in stages],
    }


def interval(mean: Mean) -> dict[str, float | None]:
    return {"mean": mean.value, "low": mean.low, "high": mean.high}


def examples(journal: Journal) -> Iterator[dict[str, Any]]:
    """The first faults of each kind of each bot, with their reasons."""
    for board, seating, number in journal.first_faults(FAULTS_OF_A_KIND):
        record, evidence = journal.record(board, seating)
        fault, beside = record["faults"][number], evidence[number]
        yield {
            "match": record["match"],
            "bot": record["seats"][fault["seat"]]["bot"],
            **{name: fault[name] for name in ("kind", "round", "decision", "turn", "after_s", "detail")},
            "why": str(beside["why"]),
            "substitute": fault["substitute"],
            "struck_out": fault["struck_out"],
        }


def notes(journal: Journal, standings: Standings, plan: Schedule) -> list[str]:
    """What a reader of the standings has to know, a sentence each."""
    limits = journal.options["limits"]
    isolated = "Bots ran in bubblewrap, without network." if limits["sandbox"] == "bubblewrap" else NO_SANDBOX
    frozen = "" if limits["freeze"] else "Bots were not stopped off turn: they could think on each other's time."
    late = ", ".join(member.name for member in journal.late)
    known = f"Entered when the seed was known, so that the deals could be: {late}." if late else ""
    sentences = [isolated, frozen, remote_note(journal), known, standings.divided, plan.imbalance]
    return [sentence for sentence in sentences if sentence]


def remote_note(journal: Journal) -> str:
    """What there is to know of the entrants that their authors run; nothing if there are none."""
    remote = ", ".join(member.name for member in journal.members if member.manifest.address)
    if not remote:
        return ""
    seatings = journal.options["seatings"]
    again = f", and meeting each board in {seatings} seatings, whose cards they could remember" if seatings > 1 else ""
    return f"Run by their authors, neither isolated nor stopped off turn{again}: {remote}."


def write_report(journal: Journal, document: dict[str, Any]) -> Path:
    """Writes ``report.json`` where the league's reports are."""
    return written(journal.reports / "report.json", json.dumps(document, indent=2, ensure_ascii=False) + "\n")


def written(path: Path, text: str) -> Path:
    """Writes a file in one step: whoever reads it sees the old one or the new one."""
    path.parent.mkdir(exist_ok=True)
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=path.parent, delete=False) as file:
        file.write(text)
    os.chmod(file.name, 0o644)
    Path(file.name).replace(path)
    return path
