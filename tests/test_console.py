"""Tables for the terminal: they fit, they say what the standings say, and they show nothing raw."""

from __future__ import annotations

import io
import re
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console, RenderableType

from arena.figures import COLUMNS
from arena.reports.console import FAULTS, one_line, printable, standings_table, standings_view
from arena.standings import Entry, MatchFigures, Standings, standings


def table_of(count: int, matches_of_a_board: int = 6, name: str = "bot-{}", out: int | None = None) -> Standings:
    """Standings of bots of which each beats those after it on two boards in three."""
    dice = np.random.default_rng(3)
    rows = []
    for board in range(3 * count):
        bots = sorted(dice.choice(count, 3, replace=False).tolist())
        for match in range(matches_of_a_board):
            order = [0, 1, 2] if match % 3 else [2, 0, 1]
            seats = [dict.fromkeys(("think_s", "cpu_s", "slowest_s"), 1.25) for _ in range(3)]
            for seat, bot in enumerate(bots):
                seats[seat] |= {
                    "bot": bot,
                    "place": order[seat] + 1,
                    "decisions": 100,
                    "faults": bot == 1,
                    "struck_out": 0,
                }
                seats[seat] |= {"dealer_points": 2 - 2 * seat, "forehand_points": 1 - seat, "third_points": 0}
            values = {"first_dealer": board % 3, "rounds": 9}
            values |= {f"{key}{seat}": value for seat in range(3) for key, value in seats[seat].items()}
            rows.append((board, match % 6, *(values[column] for column in COLUMNS)))
    why = ["it spied" if number == out else None for number in range(count)]
    entries = [Entry(name.format(number), "sha256:0", "Ada", why[number]) for number in range(count)]
    return standings(entries, MatchFigures.of(rows))


def printed(what: RenderableType, width: int) -> list[str]:
    out = io.StringIO()
    Console(file=out, width=width, highlight=False, markup=False).print(what)
    return out.getvalue().splitlines()


@pytest.mark.parametrize("width", [80, 140])
@pytest.mark.parametrize("count", [3, 13, 40])
def test_all_tables_fit_and_no_number_is_cut(width: int, count: int) -> None:
    found = table_of(count, 60, name="a-name-of-thirty-two-characters-{:02}"[:40])
    faults = Counter({(row.entry.name, kind): 1000 for row in found.rows for kind in FAULTS if row.faults})
    lines = printed(standings_view(found, faults, width), width)
    assert max(map(len, lines)) <= width
    assert not any("…" in re.sub(r"a-name-of-\S*…", "", line) for line in lines)
    head = next(line for line in lines if "played" in line)
    for word in ("#", "bot", "rating", "μ−3σ", "1st", "2nd", "3rd", "points", "faults", "think"):
        assert word in head


def test_a_row_says_what_the_standings_say() -> None:
    found = table_of(3)
    first = found.rows[0]
    (line,) = [line for line in printed(standings_table(found, 80), 80) if first.entry.name in line]
    assert line.split()[:2] == ["1", first.entry.name]
    assert f"{first.rating.value:.1f} ±" in line
    assert f"{100 * first.places[0] / first.matches:.0f}%" in line
    assert "12.5 ms" in line


def test_a_disqualified_bot_is_out_and_last() -> None:
    lines = printed(standings_table(table_of(5, out=0), 80), 80)
    assert lines[-1].split()[:2] == ["out", "bot-0"]


def test_bars_show_the_intervals_on_one_scale() -> None:
    lines = printed(standings_table(table_of(5), 140), 140)[2:]
    middles = [line.index("●") for line in lines]
    assert middles == sorted(middles, reverse=True)
    assert len(set(middles)) > 1


def test_nobody_has_played() -> None:
    nothing = standings([Entry(name, "sha256:0", "Ada") for name in ("ada", "bob", "cyd")], MatchFigures.of([]))
    lines = printed(standings_view(nothing, Counter(), 80), 80)
    assert any(line.split()[:3] == ["–", "ada", "–"] for line in lines)
    assert one_line(nothing) == ""


def test_one_line_for_a_log() -> None:
    line = one_line(table_of(8))
    assert line.startswith("bot-")
    assert line.endswith("and 3 more")


@given(st.text(max_size=300))
def test_printable_text_has_nothing_invisible(text: str) -> None:
    shown = printable(text)
    assert shown.isprintable()
    assert len(shown) <= 10 * 201
    if text.isprintable() and len(text) <= 200:
        assert shown == text


def test_markup_and_bidirectional_marks_are_shown_as_text() -> None:
    assert printable("[bold]\x1b[31m\u202egnp\n") == "[bold]\\x1b[31m\\u202egnp\\n"
    assert printable("x" * 300) == "x" * 200 + "…"
