"""The standings for the terminal: tables that fit into 80 columns and use more where there are more.

Whatever comes from a bot or an author is shown as plain text: no markup, and nothing invisible reaches the terminal.
"""

from __future__ import annotations

from collections import Counter

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from arena.standings import Mean, Row, Standings

__all__ = [
    "WIDE",
    "counted",
    "crosstable",
    "faults_table",
    "one_line",
    "positions_table",
    "printable",
    "standings_table",
    "standings_view",
]

WIDE = 110
BAR = 25
FAULTS = ("timeout", "illegal", "malformed", "crash", "disconnect", "start", "error")


def printable(text: str, at_most: int = 200) -> str:
    """The text on one line, invisible characters as ``\\x1b`` or ``\\u202e``, cut where it is too long."""
    shown = "".join(
        character if character.isprintable() else ascii(character)[1:-1] for character in text[: at_most + 1]
    )
    return shown if len(text) <= at_most else shown[:at_most] + "…"


def counted(number: int, one: str, several: str = "") -> str:
    """``1 board``, ``2 boards``, ``1,000 matches``."""
    return f"{number:,} {one if number == 1 else several or one + 's'}"


def standings_view(standings: Standings, faults: Counter[tuple[str, str]], width: int) -> RenderableType:
    """Everything at once: standings, crosstable, points by position, faults."""
    parts: list[RenderableType] = [standings_table(standings, width)]
    parts += ["", "Finished ahead, of 100 matches together", crosstable(standings, width)]
    parts += ["", "Points a round, with the 95 % interval that the boards give", positions_table(standings)]
    if faults:
        parts += ["", "Faults", faults_table(standings, faults)]
    out = [entry for entry in (row.entry for row in standings.rows) if entry.disqualified is not None]
    if out:
        parts += ["", *(Text(f"{entry.name} is disqualified: {printable(str(entry.disqualified))}") for entry in out)]
    return Group(*parts)


def standings_table(standings: Standings, width: int) -> Table:
    """Ranks, ratings and results; where there are ``WIDE`` columns also intervals and the range of each rank.

    ``think`` is the mean time of a decision, ``points`` the mean of a round.
    """
    wide = width >= WIDE
    table = _table(bot_width=32 if wide else 20)
    for name in ("rating", *(["95 % interval", "rank surely"] if wide else []), "μ−3σ", "played", "1st", "2nd", "3rd"):
        table.add_column(name, justify="left" if name == "95 % interval" else "right", no_wrap=True)
    for name in ("points", "faults", "think"):
        table.add_column(name, justify="right", no_wrap=True)
    scale = _scale(standings)
    for row in standings.rows:
        cells: list[RenderableType] = [_rating(row)]
        if wide:
            cells += [_bar(row.rating, *scale), "–".join(str(rank) for rank in dict.fromkeys(row.ranks or ()))]
        cells += [_number(row.careful, "{:.1f}"), str(row.matches), *(_percent(n, row.matches) for n in row.places)]
        cells += [_mean(row.points) if wide else _number(row.points.value, "{:+.2f}"), str(row.faults)]
        _add(table, row, *cells, _time(row.think_s))
    return table


def _table(bot_width: int) -> Table:
    """An empty table for rows that begin with rank and bot."""
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 0))
    table.add_column("#", justify="right", no_wrap=True)
    table.add_column("bot", max_width=bot_width, overflow="ellipsis")
    return table


def _add(table: Table, row: Row, *cells: RenderableType) -> None:
    table.add_row(_rank(row), Text(row.entry.name), *cells, style="dim" if row.rank is None else None)


def _rank(row: Row) -> str:
    return str(row.rank) if row.rank else "out" if row.entry.disqualified is not None else "–"


def _rating(row: Row) -> str:
    if row.rating.value is None or row.rating.high is None:
        return "–"
    return f"{row.rating.value:.1f} ± {row.rating.high - row.rating.value:.1f}"


def _mean(mean: Mean) -> str:
    if mean.value is None:
        return "–"
    return f"{mean.value:+.2f}" if mean.high is None else f"{mean.value:+.2f} ± {mean.high - mean.value:.2f}"


def _number(value: float | None, form: str) -> str:
    return "–" if value is None else form.format(value)


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f}%" if whole else "–"


def _time(seconds: float | None) -> str:
    if seconds is None:
        return "–"
    return f"{1000 * seconds:.1f} ms" if seconds < 0.1 else f"{seconds:.2f} s"


def _scale(standings: Standings) -> tuple[float, float]:
    ends = [end for row in standings.rows for end in (row.rating.low, row.rating.high) if end is not None]
    return (min(ends), max(ends)) if ends else (0.0, 0.0)


def _bar(rating: Mean, low: float, high: float) -> Text:
    """The interval of a rating on the scale of all: ``─────●─────``."""
    if rating.value is None or rating.low is None or rating.high is None or high <= low:
        return Text()
    first, middle, last = (round((x - low) / (high - low) * (BAR - 1)) for x in (rating.low, rating.value, rating.high))
    line = " " * first + "─" * (last - first + 1)
    return Text(line[:middle] + "●" + line[middle + 1 :])


def crosstable(standings: Standings, width: int) -> Table:
    """In how many of a hundred matches the row's bot finished ahead of the column's; as many columns as fit."""
    table = _table(bot_width=14)
    columns = min(len(standings.rows), (width - 20) // 4)
    for row in standings.rows[:columns]:
        table.add_column(_rank(row), justify="right", no_wrap=True, min_width=3)
    for number, row in enumerate(standings.rows):
        shares = (standings.share(number, column) for column in range(columns))
        _add(table, row, *("·" if share is None else f"{100 * share:.0f}" for share in shares))
    return table


def positions_table(standings: Standings) -> Table:
    """Points a round by position at the table."""
    table = _table(bot_width=20)
    for name in ("all", "dealer", "forehand", "third hand"):
        table.add_column(name, justify="right", no_wrap=True, min_width=13)
    for row in standings.rows:
        _add(table, row, *(_mean(mean) for mean in (row.points, *row.points_by_position)))
    return table


def faults_table(standings: Standings, faults: Counter[tuple[str, str]]) -> Table:
    """How often each bot failed, by kind of fault."""
    table = _table(bot_width=20)
    kinds = [kind for kind in FAULTS if any(faults[row.entry.name, kind] for row in standings.rows)]
    for kind in kinds:
        table.add_column(kind, justify="right", no_wrap=True)
    for row in standings.rows:
        if row.faults:
            _add(table, row, *(str(faults[row.entry.name, kind] or "") for kind in kinds))
    return table


def one_line(standings: Standings) -> str:
    """The standings for a log: ``tips 31.2, high-card 25.0 …``."""
    rated = [row for row in standings.rows if row.rating.value is not None]
    more = f" and {len(rated) - 5} more" if len(rated) > 5 else ""
    return ", ".join(f"{row.entry.name} {row.rating.value:.1f}" for row in rated[:5]) + more
