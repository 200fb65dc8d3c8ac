"""Somebody who looks on while a match is played, and says what happens: ``arena play --watch``."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Any

from rich.console import Console, Group
from rich.text import Text

from arena.on_screen import OnScreen
from arena.reports.console import printable
from arena.reports.show import RoundSheet, before_play, fault_line, scores_view, seat_name, start_line, tricks_view
from referee.record import recorded_round
from referee.round import Round
from referee.table import Table

__all__ = ["Kibitzer"]

CARD_S, TRICK_S = 0.12, 0.4  # on a terminal, so that the eye can follow
LINE_LENGTH = 500


class Kibitzer(OnScreen):
    """Shows a match choice by choice. Use it as a context, and call it with the table.

    :param out: on a terminal the tricks grow card by card; elsewhere they are shown when a round is over.
    :param rounds: whether the rounds are shown.
    :param output: whether what the bots write is shown as it comes.
    """

    def __init__(self, out: Console, symbols: bool, *, rounds: bool, output: bool) -> None:
        super().__init__(out, shown=rounds)
        self._symbols = symbols
        self._rounds = rounds
        self._output = output
        self._table: Table | None = None
        self._round = 0
        self._first = 0  # decision of the round
        self._parts = 0
        self._faults = 0
        self._read = ["", "", ""]

    def __call__(self, table: Table) -> None:
        self._table = table
        if self._output:
            self._show_output(table)
        if self._rounds:
            self._show_faults(table)
            self._show_round(table)

    # Rounds

    def _show_round(self, table: Table) -> None:
        match = table.match
        if len(match.rounds) > self._round:
            self._close_round(table, match.rounds[self._round])
        if match.over:
            return
        sheet = self._sheet(table, match.round)
        self._show_parts(sheet)
        if self._screen and match.round.played:
            self._screen.update(Group(*tricks_view(sheet)), refresh=True)
        if self._screen and match.decision > self._first:
            time.sleep(CARD_S if len(match.round.played) % 3 else TRICK_S)

    def _close_round(self, table: Table, rnd: Round) -> None:
        sheet = self._sheet(table, rnd)
        self._show_parts(sheet)
        if self._screen:
            self._screen.update(Text(), refresh=True)
        self._out.print(*tricks_view(sheet), *scores_view(sheet), "", sep="\n")
        self._round, self._first, self._parts = self._round + 1, table.match.decision, 0

    def _show_parts(self, sheet: RoundSheet) -> None:
        """Prints what has been added to what happens before the first trick."""
        parts = list(before_play(sheet))
        for part in parts[self._parts :]:
            self._out.print(part)
        self._parts = len(parts)

    def _sheet(self, table: Table, rnd: Round) -> RoundSheet:
        match = table.match
        totals = match.totals
        written = recorded_round(rnd, match.thrown_in[rnd.number], totals)
        faults = {fault["decision"] - self._first: fault for fault in table.faults if fault["round"] == rnd.number}
        return RoundSheet(written, rnd.number, names_at(table), match.rules, faults, symbols=self._symbols)

    def _show_faults(self, table: Table) -> None:
        sheet = self._sheet(table, table.match.round)
        for fault in table.faults[self._faults :]:
            text = start_line(sheet, fault) if fault["kind"] == "start" else fault_line(sheet, fault)
            self._out.print(Text.assemble("! ", text))
        self._faults = len(table.faults)

    # What the bots write

    def _show_output(self, table: Table) -> None:
        """Prints the whole lines that are new."""
        for seat, player in enumerate(table.players):
            tail = player.output_tail() or ""
            new = added(self._read[seat], tail)
            lines, newline, _ = new.rpartition("\n")
            self._read[seat] = tail[: len(tail) - len(new)] + lines + newline
            for line in lines.splitlines() if newline else ():
                text = f"{seat_name(names_at(table), seat)} | {printable(line, LINE_LENGTH)}"
                self._out.print(Text(text, style="dim"), soft_wrap=True)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        super().__exit__(kind, error, at)
        if self._table and self._output:
            self._show_output(self._table)


def names_at(table: Table) -> list[Any]:
    return [seat["bot"] for seat in table.seats]


def added(before: str, now: str) -> str:
    """What has come to a text of which only the end is kept."""
    if now.startswith(before):
        return now[len(before) :]
    end = before[-200:]
    at = now.rfind(end)
    return now[at + len(end) :] if end and at >= 0 else now
