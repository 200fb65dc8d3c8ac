"""The command line ``arena`` for those who write bots: matches played at once, and matches looked at."""

from __future__ import annotations

import json
import secrets
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from arena.candidate import candidate
from arena.check import Report, check
from arena.check_points import POINTS
from arena.cli_league import SECONDS, read_fields, read_seed
from arena.cli_results import match_name
from arena.cli_results import show as show_fault
from arena.entrants import EntrantError, entrant, folder_of, intact, seat_of
from arena.journal import Journal, LeagueError
from arena.kibitzer import Kibitzer
from arena.logs import faults_of, question_lines, written
from arena.manifest import MANIFEST
from arena.new_bot import LANGUAGES, write_bot
from arena.options import Wish, check_limits
from arena.replay_turn import replay_turn
from arena.reports.checklist import checklist
from arena.reports.console import printable
from arena.reports.show import SUITS, closing, match_view
from arena.store import FILE
from arena.terminal import Interrupted, Refused, console, home, home_option, open_store, there, writes
from protocol.cards import Cards
from protocol.view import Choice, Rules
from referee.deal import board_seed
from referee.dial import Seated
from referee.errors import RecordError
from referee.player import Limits
from referee.record import Record, read_record, verify
from referee.rules import SETS, VARIANTS
from referee.sandbox import describe, usable_sandbox
from referee.sitting import Board, Sitting, play_sitting
from referee.table import Played

__all__ = ["COMMANDS"]

RECORD_BYTES = 16 * 1024 * 1024
SEED_BYTES = 16
A_DAY_S = 86_400.0
NO_CLOCK = {"move_time_s": A_DAY_S, "bank_s": 0.0, "start_s": A_DAY_S, "freeze": False}


# A new bot


@click.command("new")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--lang", "language", required=True, type=click.Choice(LANGUAGES), help="The language to write it in.")
def new_command(folder: Path, language: str) -> None:
    """Write the folder of a new bot, which plays already. The bot is called like the folder."""
    name = write_bot(folder, language)
    out = console()
    out.print(f"{name} is in {folder.absolute()}. Next, there:", soft_wrap=True)
    if language == "node":
        out.print("  npm install")
    for line in ("arena play . . . --watch", "arena check .", "arena submit ."):
        out.print(f"  {line}")


@click.command("check")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path), callback=there)
@click.option("--json", "as_json", is_flag=True, help="The points as JSON.")
@click.option(
    "--sandbox", type=click.Choice(["auto", "require", "none"]), default="auto", help="Whether the bot is isolated."
)
def check_command(folder: Path, as_json: bool, sandbox: str) -> None:
    """Run a bot as a league would, go through what a league asks of it, and say how to mend what is wrong."""
    out = console()
    with out.status(f"Going through {len(POINTS)} points …"):
        report = check(folder, Limits(sandbox=usable_sandbox(sandbox)))
    if as_json:
        print(json.dumps(report.as_json(), indent=2))
    else:
        show_report(report, out)
    if not report.passed:
        raise Refused(f"{printable(report.bot)} fails at {len(report.findings.failures)} of {len(POINTS)} points")


def show_report(report: Report, out: Console) -> None:
    isolated = "in its sandbox" if report.sandbox == "bubblewrap" else describe(report.sandbox)
    out.print(f"{printable(report.bot)} {report.version[7:19]}, {isolated}", soft_wrap=True)
    out.print(checklist(report.findings.all(), writes(out.encoding, "✓✗")))
    if report.passed:
        out.print(f"{printable(report.bot)} is fit for a league", soft_wrap=True)


# Looking at a match


@click.command("show")
@click.argument("match", metavar="MATCH|FILE")
@click.option("--round", "number", type=click.IntRange(min=1), help="One round, counted from 1.")
@home_option
def show_command(match: str, number: int | None) -> None:
    """Show a match (LEAGUE/BOARD/SEATING, or a file with a record) as people read card play."""
    record, _ = found_record(match)
    rounds = len(record["rounds"])
    if number is not None and number > rounds:
        raise LeagueError(f"{match} has {rounds} rounds: there is no round {number}")
    out = console()
    out.print(match_view(record, None if number is None else number - 1, writes(out.encoding, SUITS)))
    if untrue := untrue_in(record):
        raise Refused(untrue)


def untrue_in(record: Record) -> str:
    """A sentence about a record that does not hold, empty if it does."""
    try:
        verify(record)
    except RecordError as wrong:
        return f"this record does not hold: {wrong}"
    return ""


def found_record(match: str) -> tuple[Record, list[dict[str, Any]]]:
    """The record of a match in the journal, with the notes to its faults, or the one in a file.

    :raises LeagueError: there is none.
    :raises RecordError: what is in the file is no record.
    """
    path = Path(match)
    if path.is_file():
        return record_in(path), []
    league, board, seating = match_name(match)
    with open_store() as store:
        return Journal(store, league).record(board, seating)


def record_in(path: Path) -> Record:
    with path.open("rb") as file:
        content = file.read(RECORD_BYTES + 1)
    if len(content) > RECORD_BYTES:
        raise LeagueError(f"{path} is larger than {RECORD_BYTES // 1024**2} MB: a file with one record is needed")
    try:
        return read_record(content)
    except RecordError:
        lines = content.split(b"\n")
        if len(lines) > 2 and lines[0].startswith(b"{") and lines[1].startswith(b"{"):
            raise LeagueError(f"{path} holds several records: put the line of one into a file of its own") from None
        raise


# Playing one at once


@click.command("play")
@click.argument("bots", nargs=3, metavar="BOT BOT BOT")
@click.option("--watch", is_flag=True, help="Show the match as it happens.")
@click.option("--no-clock", is_flag=True, help="No time limits, nobody is stopped off turn; shows what bots write.")
@click.option("--rules", type=click.Choice(list(SETS)), help="The rule set. Default: ten-points.")
@click.option(
    "--set", "overrides", multiple=True, callback=read_fields, help="One rule field: field=value. Repeatable."
)
@click.option("--variant", "variants", multiple=True, type=click.Choice(list(VARIANTS)), help="Repeatable.")
@click.option("--seed", callback=read_seed, metavar="HEX", help="The seed: the same seed, the same deals.")
@click.option("--move-time", "move_time_s", type=SECONDS, help="Seconds for a decision. Default: 1.")
@click.option("--bank", "bank_s", type=SECONDS, help="Seconds a match for decisions that take longer. Default: 10.")
@click.option(
    "--sandbox", type=click.Choice(["auto", "require", "none"]), help="Whether bots are isolated. Default: auto."
)
@click.option("--record", "path", type=click.Path(dir_okay=False, path_type=Path), help="Write the record into a file.")
@home_option
def play_command(bots: tuple[str, ...], watch: bool, no_clock: bool, path: Path | None, **asked: Any) -> None:
    """Play one match at once and show it. A BOT is a folder or an archive, else the name of a submitted bot."""
    wish = Wish(**asked)
    check_limits(wish)
    if no_clock and (wish.move_time_s is not None or wish.bank_s is not None):
        raise click.UsageError("--no-clock leaves no --move-time and no --bank: choose one of them")
    seed = wish.seed or secrets.token_bytes(SEED_BYTES)
    limits = Limits(**wish.chosen_limits(), sandbox=usable_sandbox(wish.sandbox or "auto"))
    out = console()
    with ExitStack() as stack:
        sitting = sitting_of(seats(bots, stack), wish.chosen_rules() or Rules(), seed, limits, no_clock)
        out.print(f"Seed: {seed.hex()}", soft_wrap=True)
        if limits.sandbox == "none":
            out.print(f"Bots are {describe(limits.sandbox)}", soft_wrap=True)
        onlooker = Kibitzer(out, writes(out.encoding, SUITS), rounds=watch, output=no_clock)
        try:
            with onlooker:
                (played,) = play_sitting(sitting, watch=onlooker)
        except KeyboardInterrupt:
            raise Interrupted("the match was interrupted; nothing of it is recorded") from None
    if path:
        path.write_text(json.dumps(played.record) + "\n", "utf-8")
    show_played(played, out, str(path) if path else None, rounds=not watch)


def sitting_of(
    seated: tuple[Seated, Seated, Seated], rules: Rules, seed: bytes, limits: Limits, no_clock: bool
) -> Sitting:
    """Board 0 of the seed, in the seating in which the names sit."""
    names = tuple(seat.name for seat in seated)
    seating = list(permutations(sorted(names))).index(names)
    limits = replace(limits, **NO_CLOCK) if no_clock else limits  # type: ignore[arg-type]
    return Sitting("play", seating, seated, rules, limits, (Board(0, board_seed(seed, 0)),))


def seats(bots: Sequence[str], stack: ExitStack) -> tuple[Seated, Seated, Seated]:
    """The bots at the table; one that is named twice sits there twice."""
    found = {bot: seat_for(bot, stack) for bot in dict.fromkeys(bots)}
    first, second, third = (found[bot] for bot in bots)
    return first, second, third


def seat_for(bot: str, stack: ExitStack) -> Seated:
    path = Path(bot)
    if (path / MANIFEST).is_file() or path.is_file() or "/" in bot:
        return stack.enter_context(candidate(path)).seated
    if not (home() / FILE).exists():
        raise EntrantError(f"{bot!r:.50} is no folder with a {MANIFEST}, and nothing was submitted to {home()} yet")
    with open_store() as store:
        known = entrant(store, bot)
        if not intact(store, known.version):
            raise EntrantError(f"the stored files of {bot} are missing or changed: submit it again")
        return seat_of(known.manifest, known.version, folder_of(store, known.version))


def show_played(played: Played, out: Console, again: str | None, *, rounds: bool) -> None:
    """The match, and what there is to know of its faults."""
    record = played.record
    symbols = writes(out.encoding, SUITS)
    if rounds:
        out.print(match_view(record, symbols=symbols))
    else:
        out.print(closing(record, [seat["bot"] for seat in record["seats"]]))
    for bot in dict.fromkeys(seat["bot"] for seat in record["seats"]):
        for fault in faults_of(record, played.faults, bot):
            out.print()
            show_fault(fault, out, again)


# One question again


@click.command("replay-turn")
@click.argument("match", metavar="MATCH|FILE")
@click.argument("decision", type=click.IntRange(min=0))
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path), callback=there)
@click.option(
    "--sandbox", type=click.Choice(["auto", "require", "none"]), default="auto", help="Whether the bot is isolated."
)
@home_option
def replay_turn_command(match: str, decision: int, folder: Path, sandbox: str) -> None:
    """Ask the bot in DIR what a seat was asked at a DECISION of a recorded match, as arena logs numbers them."""
    record, _ = found_record(match)
    limits = Limits(**{**record["limits"], "sandbox": usable_sandbox(sandbox)})
    with candidate(folder) as bot:
        replayed = replay_turn(record, decision, bot.seated, limits)
        name = bot.manifest.name
    out = console()
    view, reply = replayed.view, replayed.reply
    who = record["seats"][view.seat]["bot"]
    lines = [f"{record['match']}, round {view.round + 1}, decision {decision}: {who} on seat {view.seat}"]
    fault = next((fault["kind"] for fault in record["faults"] if fault["decision"] == decision), None)
    by = f" (the stand-in, after a fault: {fault})" if fault else ""
    lines += [*question_lines(view), f"  chosen in the match: {shown_choice(replayed.then)}{by}"]
    if reply.choice is not None:
        lines.append(f"{name} answers {shown_choice(reply.choice)} after {1000 * reply.took_s:.1f} ms")
    for line in (*lines, *(f"  | {line}" for line in replayed.output.splitlines())):
        out.print(printable(line, 4000), soft_wrap=True)
    if not replayed.wrong:
        out.print("That is legal.")
    answer = replayed.wrong and f"{name}: {reply.trouble or 'illegal'}: {replayed.wrong}"
    if refused := [*filter(None, (answer, untrue_in(record)))]:
        raise Refused("\n".join(refused))


def shown_choice(choice: Choice) -> str:
    return written(tuple(choice)) if isinstance(choice, Cards) else str(choice)


COMMANDS = (new_command, check_command, play_command, show_command, replay_turn_command)
