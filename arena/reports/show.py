"""A match as people read card play: the hands, exchanges, contract and tricks of each round, scores, and faults.

Pure: a record in, something that rich prints out, at most 80 columns wide. In a record from a file any text may be
hostile, so nothing invisible and no markup gets through.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from arena.reports.console import printable
from protocol.cards import SUIT_LETTERS
from protocol.view import Contract, Rules
from referee.record import Record, recorded_choices
from referee.rules import rules_from_json

__all__ = [
    "SUITS",
    "RoundSheet",
    "before_play",
    "closing",
    "fault_line",
    "match_view",
    "scores_view",
    "seat_name",
    "start_line",
    "tricks_view",
]

WIDTH = 80
SUITS = "♠♥♦♣"
RED = "red"  # hearts and diamonds
FAULT = "bold magenta"
LABEL, CELL = 12, 4  # a line of tricks: a label, then 17 cards with their marks
COLUMN = (WIDTH - LABEL) // 3 - 1  # of a seat
POSITIONS = ("dealer", "forehand", "third hand")
PLACES = {1: "1st", 2: "2nd", 3: "3rd"}
ENDS = {
    "points": "a total reached the points at which a match ends",
    "tricks": "one player took the tricks that win a match",
    "rounds": "all rounds were played",
    "deciding-round": "a deciding round settled the tie",
    "round-limit": "no other end had come after the most rounds that a match may have",
}


def match_view(record: Record, number: int | None = None, symbols: bool = True) -> RenderableType:
    """A match, or one round of it.

    :param record: of the record's form (``referee.record.read_record``); whether it holds is not looked at.
    :param number: the round, from 0; None for all.
    :param symbols: suits as ♠♥♦♣, else as letters, and then all is ASCII.
    :raises RulesError: the record's rules can't be played.
    """
    names = [seat["bot"] for seat in record["seats"]]
    parts = [heading(record)]
    for sheet in sheets(record["rounds"], record["faults"], names, rules_from_json(record["rules"]), symbols):
        if number in (None, sheet.number):
            parts += ["", round_view(sheet)]
    return Group(*parts, "", closing(record, names)) if number is None else Group(*parts)


def heading(record: Record) -> RenderableType:
    """Which match it is, and who sat where."""
    _, board, seating = record["match"].split("/")
    table = Table(box=None, pad_edge=False)
    for name, justify in (
        ("seat", "right"),
        ("bot", "left"),
        ("version", "left"),
        ("place", "left"),
        ("total", "right"),
    ):
        table.add_column(name, justify=justify, no_wrap=True)  # type: ignore[arg-type]
    out = {fault["seat"] for fault in record["faults"] if fault["struck_out"]}
    for seat, who in enumerate(record["seats"]):
        version = printable(who["version"].removeprefix("sha256:"), 12).replace("…", "")
        place = PLACES[record["placing"][seat]] + (", struck out" if seat in out else "")
        table.add_row(str(seat), who["bot"], Text(version), place, signed(record["rounds"][-1]["totals"][seat]))
    return Group(Text(f"{record['match']}: {record['rules']['set']}, board {board} in seating {seating}"), table)


def closing(record: Record, names: Sequence[str]) -> Text:
    """How the match ended."""
    rounds = len(record["rounds"])
    order = sorted(range(3), key=lambda seat: record["placing"][seat])
    placed = ", ".join(f"{seat_name(names, seat)} {PLACES[record['placing'][seat]]}" for seat in order)
    return Text(f"The end after {rounds} round{'s' if rounds > 1 else ''}: {ENDS[record['end']]}.\n{placed}")


# A round


@dataclass(frozen=True)
class RoundSheet:
    """A round as recorded, be it still in play, with what of the match is needed to read it."""

    written: dict[str, Any]
    """As in the record."""
    number: int
    """From 0."""
    names: Sequence[str]
    rules: Rules
    faults: dict[int, dict[str, Any]]
    """The faults of this round by the turn of the round, from 0."""
    not_started: Sequence[dict[str, Any]] = ()
    """The faults of bots that did not start, or not again."""
    symbols: bool = True

    @property
    def turns_before_play(self) -> int:
        """Turns of this round before the first card was played."""
        exchanges = self.written["exchanges"]
        given_back = sum(None not in (exchange["suit"], exchange["gave"]) for exchange in exchanges)
        return len(exchanges) + given_back + (self.written["contract"] is not None) + bool(self.written["discard"])

    def name(self, seat: int) -> str:
        return seat_name(self.names, seat)

    def card(self, notation: str) -> Text:
        """``Q♥``, red where there is colour."""
        return Text.assemble(notation[0], self.suit(notation[1]), style=RED if notation[1] in "HD" else "")

    def suit(self, letter: str) -> Text:
        symbol = SUITS[SUIT_LETTERS.index(letter)] if self.symbols else letter
        return Text(symbol, style=RED if letter in "HD" else "")

    def cards(self, notations: Sequence[str]) -> Text:
        return Text(" ").join(self.card(notation) for notation in notations)

    def contract(self, word: str) -> Text:
        return self.suit(word) if word in SUIT_LETTERS else Text("no-trump" if word == "NT" else "misere")

    def choice(self, value: Any) -> Text:
        """A card, four cards, a suit or a contract as it stands in a record; a file's may be anything."""
        words = [printable(str(part), 6) for part in (value if isinstance(value, list) else [value])]
        if all(len(word) == 2 and word[1] in SUIT_LETTERS for word in words):
            return self.cards(words)
        return self.contract(words[0]) if words[0] in ("S", "H", "D", "C", "NT", "MISERE") else Text(words[0])

    def mark(self, turn: int) -> Text:
        """What stands beside a choice that the stand-in made after a fault."""
        return Text("!", style=FAULT) if turn in self.faults else Text("")


def seat_name(names: Sequence[str], seat: int) -> str:
    """The bot's name, with its seat where the same bot sits twice."""
    return names[seat] if names.count(names[seat]) == 1 else f"{names[seat]} (seat {seat})"


def sheets(
    rounds: Sequence[dict[str, Any]],
    faults: Sequence[dict[str, Any]],
    names: Sequence[str],
    rules: Rules,
    symbols: bool = True,
) -> Iterator[RoundSheet]:
    """A match's rounds with the faults at their turns."""
    first = 0
    by_decision = {fault["decision"]: fault for fault in faults if fault["decision"] is not None}
    starts = failed_starts(faults)
    for number, written in enumerate(rounds):
        turns = len(list(recorded_choices(written)))
        here = {turn: by_decision[first + turn] for turn in range(turns) if first + turn in by_decision}
        yield RoundSheet(written, number, names, rules, here, starts.get(number, []), symbols)
        first += turns


def failed_starts(faults: Sequence[dict[str, Any]]) -> dict[int, list[dict[str, Any]]]:
    """The failed starts by round. They have no round of their own: one in the middle of a match follows a fault."""
    last = [0, 0, 0]
    starts: dict[int, list[dict[str, Any]]] = {}
    for fault in faults:
        if fault["round"] is not None:
            last[fault["seat"]] = fault["round"]
        if fault["decision"] is None:
            starts.setdefault(last[fault["seat"]], []).append(fault)
    return starts


def round_view(sheet: RoundSheet) -> RenderableType:
    """A round from its deal to its scores."""
    starts = [line("!", start_line(sheet, fault), FAULT) for fault in sheet.not_started]
    faults = [line("!", fault_line(sheet, fault), FAULT) for fault in sheet.faults.values()]
    return Group(*starts, *before_play(sheet), *tricks_view(sheet), *faults, *scores_view(sheet))


def before_play(sheet: RoundSheet) -> Iterator[RenderableType]:
    """What happens before the first trick; as the round goes on, more is added at the end."""
    written = sheet.written
    turn = count()
    yield Text(f"Round {sheet.number + 1}, dealt by {sheet.name(written['dealer'])}", style="bold")
    yield hands_table(sheet)
    for deal in written["thrown_in"]:
        yield line("Thrown in", Text(printable(deal["why"])))
    if written["kitty"]:
        yield line("Kitty", sheet.cards(written["kitty"]))
    for number, exchange in enumerate(written["exchanges"]):
        yield line("" if number else "Exchanges", exchange_line(sheet, exchange, turn))
    if written["contract"] is not None:
        yield line("Contract", sheet.contract(written["contract"]) + sheet.mark(next(turn)))
    if written["discard"]:
        yield line("Put aside", sheet.cards(written["discard"]) + sheet.mark(next(turn)))


def line(label: str, text: Text, style: str = "") -> RenderableType:
    """A label and what stands beside it, over several lines where it is long."""
    by = 2 if label == "!" else LABEL
    grid = Table.grid()
    grid.add_column(width=by)
    grid.add_column(max_width=WIDTH - by, overflow="fold")
    grid.add_row(label, text, style=style)
    return grid


def seat_columns(sheet: RoundSheet) -> Table:
    """An empty table with a column for each seat."""
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), show_header=False)
    table.add_column(width=LABEL - 1)
    for _ in range(3):
        table.add_column(width=COLUMN, no_wrap=True)
    return table


def hands_table(sheet: RoundSheet) -> RenderableType:
    """The hands as dealt, with each seat's position and target."""
    dealer, hands = sheet.written["dealer"], sheet.written["deal"]
    targets = sheet.rules.targets_by_position(sheet.number)
    table = seat_columns(sheet)
    table.add_row("", *(seat_label(sheet, seat, COLUMN) for seat in range(3)))
    positions = [(seat - dealer) % 3 for seat in range(3)]
    table.add_row("", *(f"{POSITIONS[position]}, {targets[position]}" for position in positions))
    for number, letter in enumerate(SUIT_LETTERS):
        holdings = [Text(hand.split(".")[number] or "-", style=RED if letter in "HD" else "") for hand in hands]
        table.add_row(Text.assemble(" " * 10, sheet.suit(letter)), *holdings)
    return table


def exchange_line(sheet: RoundSheet, exchange: dict[str, Any], turn: Iterator[int]) -> Text:
    """``tips gives 3♣ to random and gets A♣``, or what a claim brought (R5.1, R5.2)."""
    up, down = sheet.name(exchange["up"]), sheet.name(exchange["down"])
    gave, got = exchange["gave"], exchange["got"]
    first = sheet.mark(next(turn))
    if exchange["suit"] is None:
        back = " and gets it back" if got == gave else Text.assemble(" and gets ", sheet.choice(got))
        return Text.assemble(f"{up} gives ", sheet.choice(gave), first, f" to {down}", back)
    claim = Text.assemble(f"{up} claims ", sheet.suit(exchange["suit"]), first, f" of {down}")
    if gave is None:
        return Text.assemble(claim, ", who has none")
    back = sheet.choice(gave)
    return Text.assemble(claim, ": gets ", sheet.choice(got), ", gives ", back, sheet.mark(next(turn)), " back")


def tricks_view(sheet: RoundSheet) -> list[RenderableType]:
    """The tricks in columns, the seats in rows. The winner's card has a star, and he leads to the next trick."""
    tricks = sheet.written["tricks"]
    if not tricks:
        return []
    rows = [seat_label(sheet, seat, LABEL - 1) + Text(" ") for seat in range(3)]
    turn = count(sheet.turns_before_play)
    for trick in tricks:
        cells = [Text(""), Text(""), Text("")]
        for place, notation in enumerate(trick["cards"]):
            seat = (trick["leader"] + place) % 3
            won = seat == trick["winner"]
            cells[seat] = Text.assemble(sheet.card(notation), "*" if won else "", sheet.mark(next(turn)))
            cells[seat].stylize("bold" if won else "")
        for row, cell in zip(rows, cells, strict=True):
            cell.pad_right(CELL - len(cell))
            row.append(cell)
    for row in rows:
        row.rstrip()
        row.no_wrap = True
    leader = sheet.name(tricks[0]["leader"])
    numbers = "".join(f"{number:<{CELL}}" for number in range(1, len(tricks) + 1)).rstrip()
    head = Text(f"{leader} leads; * won the trick and leads to the next")
    return ["", head, Text(" " * LABEL + numbers, no_wrap=True), *rows]


def seat_label(sheet: RoundSheet, seat: int, width: int) -> Text:
    """Seat and name, so wide and no wider."""
    label = f"{seat} {sheet.names[seat]}"
    if len(label) > width:
        label = label[: width - 1] + ("…" if sheet.symbols else "~")
    return Text(label.ljust(width))


def scores_view(sheet: RoundSheet) -> list[RenderableType]:
    """Tricks against targets, the scores, the totals (R7.1; in misère the targets are ceilings: R9.5)."""
    written = sheet.written
    if len(written["tricks"]) < sheet.rules.tricks or written["tricks"][-1]["winner"] is None:
        return []
    misere = written["contract"] == Contract.MISERE.value
    targets = sheet.rules.targets_by_position(sheet.number, Contract(written["contract"]))
    table = seat_columns(sheet)
    aims = (targets[(seat - written["dealer"]) % 3] for seat in range(3))
    word = "of at most" if misere else "of"
    table.add_row("Tricks", *(f"{taken} {word} {aim}" for taken, aim in zip(written["taken"], aims, strict=True)))
    table.add_row("Score", *map(signed, written["score"]))
    table.add_row("Total", *map(signed, written["totals"]))
    return ["", table]


def signed(points: int) -> str:
    return f"{points:+d}" if points else "0"


def start_line(sheet: RoundSheet, fault: dict[str, Any]) -> Text:
    """A bot that did not start, or not again."""
    return Text(f"{sheet.name(fault['seat'])}: start, {told(fault)}")


def fault_line(sheet: RoundSheet, fault: dict[str, Any]) -> Text:
    """What went wrong at a marked turn, and what the stand-in chose."""
    asked = f"asked to {(fault['turn'] or '').replace('_', ' ')} at decision {fault['decision']}"
    text = f"{sheet.name(fault['seat'])}, {asked}: {fault['kind']}, {told(fault)}; the stand-in chose "
    return Text(text) + sheet.choice(fault["substitute"])


def told(fault: dict[str, Any]) -> str:
    after = "" if fault["after_s"] is None else f" after {fault['after_s']:.3f} s"
    out = "; with this it was struck out" if fault["struck_out"] else ""
    return f"{printable(fault['detail'])}{after}{out}"
