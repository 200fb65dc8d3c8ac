"""What ``arena check`` found, as a list that fits 80 columns: a line a point, and how to mend what is not right."""

from __future__ import annotations

from itertools import groupby

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from arena.check_points import Finding, State
from arena.reports.console import printable

__all__ = ["checklist"]

WIDTH = 80
NAME, INDENT = 29, 6
LONGEST = 600
SIGNS = {State.PASSED: "✓", State.FAILED: "✗", State.NOTE: "!", State.SKIPPED: "-"}
LETTERS = {State.PASSED: "ok", State.FAILED: "NO", State.NOTE: "!", State.SKIPPED: "-"}
STYLES = {State.PASSED: "green", State.FAILED: "bold red", State.NOTE: "yellow", State.SKIPPED: "dim"}


def checklist(findings: list[Finding], symbols: bool) -> RenderableType:
    """The points by group.

    :param symbols: ✓ and ✗, else letters.
    """
    marks = SIGNS if symbols else LETTERS
    parts: list[RenderableType] = []
    for group, members in groupby(findings, key=lambda finding: finding.point.group):
        parts.append(Text(group, style="bold"))
        for finding in members:
            parts.append(point_line(finding, marks))
            if finding.state in (State.FAILED, State.NOTE):
                parts.append(columns((INDENT, WIDTH - INDENT), "", Text(f"mend: {finding.point.mend}", style="italic")))
    return Group(*parts)


def point_line(finding: Finding, marks: dict[State, str]) -> Table:
    style = STYLES[finding.state]
    mark = max(map(len, marks.values())) + 1
    found = Text(printable(finding.found, LONGEST), style=style if finding.state is State.SKIPPED else "")
    widths = (2, mark, NAME, WIDTH - NAME - mark - 2)
    return columns(widths, "", Text(marks[finding.state], style=style), Text(finding.point.name), found)


def columns(widths: tuple[int, ...], *cells: str | Text) -> Table:
    """Cells side by side, each as wide as said."""
    table = Table.grid()
    for width in widths:
        table.add_column(width=width, overflow="fold")
    table.add_row(*cells)
    return table
