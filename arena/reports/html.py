"""``report.html``: the figures of report.json and replays of some matches, as one page that needs nothing else.

What comes from bots and authors is hostile: templates escape it, invisible characters are made visible, and the
page's Content-Security-Policy lets nothing run or load but the page's own script and style, named by their digests.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from jinja2.utils import htmlsafe_json_dumps
from markupsafe import Markup

from arena.highlights import highlights
from arena.journal import Journal
from arena.reports.console import FAULTS, printable
from arena.reports.json import written
from arena.reports.plots import Scale, band, line, scale_of
from arena.standings import SURE, MatchFigures
from referee.record import Record

__all__ = ["REPLAYS", "page", "replay", "write_page"]

REPLAYS = 60
"""Matches that a page can replay, unless told otherwise."""

PAGE = Path(__file__).with_name("page")
STYLES = ("page.css", "figures.css", "table.css", "viewer.css", "print.css")
SCRIPTS = ("steps.js", "cards.js", "words.js", "viewer.js")
OF_A_RECORD = ("match", "rules", "seats", "end", "placing", "faults", "rounds")
KINDS = {"all": "All matches", "faults": "With faults", "closest": "Closest", "swings": "Biggest swings"}
SUITS = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}
TEXT = "\N{VARIATION SELECTOR-15}"  # without it some phones draw suits as coloured pictures
PLOT, PANEL_WIDTH, PANEL_HEIGHT = 220, 200, 100
Rows = Sequence[Mapping[str, Any]]


def write_page(journal: Journal, document: Mapping[str, Any], figures: MatchFigures, at_most: int = REPLAYS) -> Path:
    """Writes ``report.html`` where the league's reports are.

    :param document: the content of report.json.
    :param figures: of the matches that it is about.
    :param at_most: how many matches can be replayed on the page.
    """
    return written(journal.reports / "report.html", page(document, replays(journal, document, figures, at_most)))


def replays(journal: Journal, document: Mapping[str, Any], figures: MatchFigures, at_most: int) -> list[dict[str, Any]]:
    """The matches most worth a look; all of them if there are no more."""
    first = [match_number(fault["match"]) for fault in document["faults"]]
    chosen = highlights(figures, first, at_most)
    everything = len(chosen) == len(figures.board)
    if everything:
        chosen.sort(key=lambda match: (match.board, match.seating))
    return [
        replay(*journal.record(match.board, match.seating), "all" if everything else match.kind) for match in chosen
    ]


def match_number(match: str) -> tuple[int, int]:
    """Board and seating of ``demo/7/3``."""
    _, board, seating = match.split("/")
    return int(board), int(seating)


def replay(record: Record, evidence: Iterable[Mapping[str, Any]], kind: str) -> dict[str, Any]:
    """What the page needs of a match.

    :param evidence: what is kept of each fault of the record, in the record's order.
    :param kind: what it was chosen for: all, faults, closest or swings.
    """
    whys = [printable(str(beside["why"]), 500) for beside in evidence]
    faults = [{**fault, "why": why} for fault, why in zip(record["faults"], whys, strict=True)]
    return {"kind": kind, **{name: record[name] for name in OF_A_RECORD}, "faults": faults}


def page(document: Mapping[str, Any], shown: Sequence[Mapping[str, Any]]) -> str:
    """The page.

    :param document: the content of report.json.
    :param shown: the matches that can be replayed (``replay``).
    """
    rows = document["standings"]
    rated = [row for row in rows if row["mu"]["mean"] is not None]
    style, script = (joined(names) for names in (STYLES, SCRIPTS))
    return (
        templates()
        .get_template("page.html")
        .render(
            report=document,
            league=document["league"],
            parts=parts(rows),
            headline=headline(rows),
            rated=rated,
            ratings=scale_of((row["mu"][end] for row in rated for end in ("low", "high")), PLOT),
            points=scale_of([0.0, *point_ends(rated)], 120),
            panels=panels(rated),
            kinds=[kind for kind in FAULTS if any(row["faults"][kind] for row in rows)],
            replays=shown,
            replayed={replay["match"] for replay in shown},
            choices=[(title, [replay for replay in shown if replay["kind"] == kind]) for kind, title in KINDS.items()],
            style=Markup(style),
            script=Markup(script),
            style_digest=digest(style),
            script_digest=digest(script),
        )
    )


@cache
def templates() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(PAGE), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters.update(figure=figure, told=told, card=card, json=htmlsafe_json_dumps)
    environment.globals.update(sure=SURE, PANEL_WIDTH=PANEL_WIDTH, PANEL_HEIGHT=PANEL_HEIGHT)
    return environment


@cache
def joined(names: tuple[str, ...]) -> str:
    """The page's own files as one text."""
    return "\n".join((PAGE / name).read_text("utf-8") for name in names)


def digest(text: str) -> str:
    """How a Content-Security-Policy names a script or a style."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


# Filters


def figure(value: float | None, form: str = "{}") -> Markup | str:
    """A number as it is read, with its exact value beside it; a dash where there is nothing to say."""
    if value is None:
        return "–"
    return Markup('<data value="{}">{}</data>').format(value, form.format(value).replace("-", "−"))


def told(text: object, at_most: int = 500) -> Markup:
    """A text of somebody else: on one line, invisible characters made visible, and kept to its own place."""
    return Markup('<bdi class="told">{}</bdi>').format(printable(str(text), at_most))


def card(written: str) -> Markup:
    """``QH`` or a suit as a card player sees it; any other choice as it is written."""
    suit = SUITS.get(written[-1:]) if len(written) <= 2 else None
    if suit is None:
        return Markup("{}").format(written)
    colour = "red" if suit in "♥♦" else "black"
    return Markup('<span class="pips {}">{}{}{}</span>').format(colour, written[:-1].replace("T", "10"), suit, TEXT)


# What the page says


def parts(rows: Rows) -> list[tuple[str, str, Rows]]:
    """The standings in the parts that are set apart: heading, explanation and rows."""
    ranked = [row for row in rows if row["rank"] is not None]
    groups = sorted({row["group"] for row in ranked})
    found: list[tuple[str, str, Rows]] = [
        (
            f"Group {number + 1}" if len(groups) > 1 else "",
            "never met the other groups, so it is not ranked against them" if len(groups) > 1 else "",
            [row for row in ranked if row["group"] == number],
        )
        for number in groups
    ]
    out = [row for row in rows if row["disqualified"] is not None and row["group"] is not None]
    idle = [row for row in rows if row["group"] is None]
    found += [("Disqualified", "their matches stand, they have no rank", out)] if out else []
    return found + ([("Unrated", "no match played yet", idle)] if idle else [])


def headline(rows: Rows) -> str:
    """Who leads, and how sure that is; nothing where no one is ahead of all."""
    ranked = [row for row in rows if row["rank"] is not None]
    if len(ranked) < 2 or len({row["group"] for row in ranked}) > 1:
        return ""
    first, *others = ranked
    near = [row["bot"] for row in others if row["ranks"][0] == 1]
    if first["ranks"] == [1, 1]:
        return f"{first['bot']} is first, and surely better than every other bot."
    if not near:
        return f"{first['bot']} leads."
    names = ", ".join(near[:3]) + (f" and {len(near) - 3} more" if len(near) > 3 else "")
    return f"{first['bot']} leads, but {names} may be as good: more boards would tell."


def point_ends(rows: Rows) -> list[float]:
    means = [mean for row in rows for mean in (row["points_a_round"], *row["points_by_position"].values())]
    return [mean[end] for mean in means for end in ("mean", "low", "high") if mean[end] is not None]


def panels(rows: Rows) -> dict[str, Any]:
    """A small plot for each bot, rating against matches played, all on one scale: early intervals are cut off."""
    ends = [row["mu"][end] for row in rows for end in ("low", "high")]
    means = [stage["mean"] for row in rows for stage in row["history"]]
    y = scale_of(ends + means, PANEL_HEIGHT)
    x = Scale(0, max((stage["matches"] for row in rows for stage in row["history"]), default=1), PANEL_WIDTH)
    return {"x": x, "y": y, "bots": [panel(row, x, y) for row in rows if row["history"]]}


def panel(row: Mapping[str, Any], x: Scale, y: Scale) -> dict[str, Any]:
    def points(end: str) -> list[tuple[float, float]]:
        return [(x.at(stage["matches"]), y.length - y.at(stage[end])) for stage in row["history"]]

    return {"row": row, "band": band(points("high"), points("low")), "line": line(points("mean"))}
