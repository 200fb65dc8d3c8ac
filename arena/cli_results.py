"""The command line ``arena``: what a league came to, its records, and what went wrong in them."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from arena.compare import compare
from arena.figures import figures
from arena.journal import Journal, LeagueError
from arena.live import LiveStandings
from arena.logs import Fault, faults_of
from arena.reports.console import counted, printable, standings_view
from arena.reports.html import REPLAYS, write_page
from arena.reports.json import notes, report, write_report
from arena.standings import Standings
from arena.terminal import Refused, console, home_option, open_store, same_home
from referee.errors import RecordError
from referee.record import Record, read_record, verify

__all__ = ["COMMANDS"]

LINE_BYTES = 16 * 1024 * 1024
SHOWN = 20
CSV = (
    *("rank", "bot", "mu", "mu_low", "mu_high", "sigma", "mu_minus_3_sigma", "matches", "firsts", "seconds", "thirds"),
    *("points_a_round", "points_low", "points_high", "faults", "think_s"),
)


@click.command("rankings")
@click.argument("league")
@click.option("--json", "as_json", is_flag=True, help="As report.json.")
@click.option("--csv", "as_csv", is_flag=True, help="The standings as CSV.")
@home_option
def rankings_command(league: str, as_json: bool, as_csv: bool) -> None:
    """Show a league's standings, also while it runs."""
    if as_json and as_csv:
        raise click.UsageError("choose one of --json and --csv")
    with open_store() as store:
        journal = Journal(store, league)
        live = LiveStandings(journal)
        standings = live.now()
        if as_json:
            print(json.dumps(report(journal, standings, live.figures), indent=2))
        elif as_csv:
            write_csv(report(journal, standings, live.figures))
        else:
            out = console()
            size = f"{counted(standings.matches, 'match', 'matches')} on {counted(standings.boards, 'board')}"
            out.print(f"League {league}: {size}", end="")
            out.print("" if journal.ended else ", not over yet")
            show_standings(journal, standings, out)


def show_standings(journal: Journal, standings: Standings, out: Console) -> None:
    """The standings, and what a reader has to know of them."""
    out.print(standings_view(standings, journal.faults_of(), out.width))
    out.print()
    for note in notes(journal, standings, journal.plan()):
        out.print(note, soft_wrap=True)


def write_csv(document: dict[str, Any]) -> None:
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(CSV)
    for row in document["standings"]:
        mu, points = row["mu"], row["points_a_round"]
        cells = [row["rank"], row["bot"], mu["mean"], mu["low"], mu["high"], row["sigma"], row["mu_minus_3_sigma"]]
        cells += [row["matches"], row["firsts"], row["seconds"], row["thirds"]]
        cells += [points["mean"], points["low"], points["high"], sum(row["faults"].values()), row["think_s"]]
        out.writerow(cells)


@click.command("report")
@click.argument("league")
@click.option(
    "--replays",
    type=click.IntRange(0, 10_000),
    default=REPLAYS,
    help=f"Matches to replay on the page. Default: {REPLAYS}.",
)
@home_option
def report_command(league: str, replays: int) -> None:
    """Write report.json and report.html into the league's folder."""
    with open_store() as store:
        write_reports(Journal(store, league), console(), replays)


def write_reports(journal: Journal, out: Console, replays: int = REPLAYS) -> None:
    """Writes the reports of a league as it is now, and says where.

    :param replays: how many matches can be replayed on the page.
    """
    live = LiveStandings(journal)
    document = report(journal, live.now(), live.figures)
    for path in (write_report(journal, document), write_page(journal, document, live.figures, replays)):
        out.print(f"Report: {path}", soft_wrap=True)


@click.command("compare")
@click.argument("a")
@click.argument("b")
@click.argument("leagues", nargs=-1, required=True, metavar="LEAGUE...")
@home_option
def compare_command(a: str, b: str, leagues: tuple[str, ...]) -> None:
    """Say how likely bot A is better than bot B, by all matches of these leagues."""
    with open_store() as store:
        found = compare([Journal(store, league) for league in dict.fromkeys(leagues)], a, b)
    console().print(found.sentence, soft_wrap=True)


@click.command("export")
@click.argument("league")
@home_option
def export_command(league: str) -> None:
    """Write a league's records to stdout, one JSON document a line, in the schedule's order."""
    with open_store() as store:
        for record in Journal(store, league).records():
            print(json.dumps(record, separators=(",", ":")))


@click.command("verify")
@click.argument("what", metavar="LEAGUE|FILE")
@home_option
def verify_command(what: str) -> None:
    """Play every record again and say what does not hold: of a league, or of a file as arena export writes it."""
    path = Path(what)
    count, wrong = 0, 0
    for name, fault in verified_file(path) if path.is_file() else verified_league(what):
        count += 1
        if fault:
            wrong += 1
            if wrong <= SHOWN:
                print(f"{printable(name)}: {printable(fault, 1000)}", file=sys.stderr)
    if path.is_file() and not count:
        raise Refused(f"{printable(what)} holds no record")
    if wrong:
        raise Refused(f"{wrong:,} of {counted(count, 'match', 'matches')} {'does' if wrong == 1 else 'do'} not hold")
    print(f"{counted(count, 'match', 'matches')} verified")


def verified_file(path: Path) -> Iterator[tuple[str, str | None]]:
    """Name and fault of each record in a file. A match is there once: of two, nobody knows which one counts."""
    line_of: dict[str, int] = {}
    with path.open("rb") as lines:
        for number, line in enumerate(iter(lambda: lines.readline(LINE_BYTES), b""), start=1):
            try:
                record = read_record(line)
                verify(record)
            except RecordError as wrong:
                yield f"line {number}", str(wrong)
                continue
            first = line_of.setdefault(record["match"], number)
            yield f"line {number}", None if first == number else f"{record['match']} stands in line {first} already"


def verified_league(name: str) -> Iterator[tuple[str, str | None]]:
    """Name and fault of each match of a league: the record itself, and what the journal says of it."""
    with open_store() as store:
        journal = Journal(store, name)
        triples = dict(journal.plan().boards)
        versions = {member.name: member.version for member in journal.members}
        for record, columns in journal.records_with_figures():
            try:
                verify(record, journal.seed)
                check_entry(journal, record, columns, triples, versions)
            except RecordError as wrong:
                yield str(record.get("match")), str(wrong)
            else:
                yield record["match"], None


def check_entry(
    journal: Journal,
    record: Record,
    columns: tuple[float, ...],
    triples: dict[int, tuple[str, str, str]],
    versions: dict[str, str],
) -> None:
    """Holds a record against the league that it is of, and the journal's figures against the record."""
    league, board, _ = record["match"].split("/")
    names = tuple(sorted(seat["bot"] for seat in record["seats"]))
    if league != journal.name or names != triples.get(int(board)):
        raise RecordError(f"board {board} of {journal.name} is not for {', '.join(names)}")
    if any(versions[seat["bot"]] != seat["version"] for seat in record["seats"]):
        raise RecordError("a bot played in another version than it was entered with")
    for part in ("rules", "limits"):
        if record[part] != journal.options[part]:
            raise RecordError(f"the {part} are not the league's")
    if figures(record, journal.numbers) != columns:
        raise RecordError("the figures in the journal are not the record's")


@click.command("logs")
@click.argument("match", metavar="MATCH")
@click.argument("bot")
@home_option
def logs_command(match: str, bot: str) -> None:
    """Show a bot's faults in a match (LEAGUE/BOARD/SEATING): what it was asked, what it answered, what it wrote."""
    league, board, seating = match_name(match)
    out = console()
    with open_store() as store:
        record, evidence = Journal(store, league).record(board, seating)
    if bot not in [seat["bot"] for seat in record["seats"]]:
        raise LeagueError(f"{bot!r:.50} did not play in {match}")
    found = list(faults_of(record, evidence, bot))
    if not found:
        out.print(f"{bot} made no fault in {match}")
    for fault in found:
        show(fault, out, f"{match}{same_home()}")


def match_name(text: str) -> tuple[str, int, int]:
    """League, board and seating of ``demo/7/3``."""
    parts = text.split("/")
    if len(parts) == 3 and all(part.isascii() and part.isdigit() and len(part) < 10 for part in parts[1:]):
        return parts[0], int(parts[1]), int(parts[2])
    raise LeagueError(f"{text!r:.60} is no match: write league/board/seating, as in demo/7/3")


def show(fault: Fault, out: Console, again: str | None) -> None:
    for line in fault.lines(again):
        out.print(printable(line, 4000), soft_wrap=True)


COMMANDS = (rankings_command, report_command, compare_command, export_command, verify_command, logs_command)
