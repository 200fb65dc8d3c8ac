"""The command line ``arena``: bots. (Others: ``arena.cli_*``.)"""

from __future__ import annotations

import io
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

import click
from rich.table import Table
from rich.text import Text

from arena import cli_authors, cli_bench, cli_league, cli_results
from arena.candidate import build
from arena.check import check_entrant
from arena.entrants import Entrant, EntrantError, disqualify, entrants, submit, withdraw
from arena.journal import Journal
from arena.live import LiveStandings
from arena.reports.console import WIDE, printable
from arena.store import Store
from arena.terminal import Refused, console, home, home_option, open_store, run_command, there

__all__ = ["arena", "main"]


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="three-five-eight-arena", prog_name="arena")
@home_option
def arena() -> None:
    """Submit, seat, referee and rank bots for 3-5-8 (Sergeant Major), the three-player trick game."""


@arena.command("submit")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path), callback=there, metavar="PATH...")
@click.option("--replace", "replace_other", is_flag=True, help="Replace another author's bot, or a disqualified one.")
@click.option("--no-check", is_flag=True, help="Take them in without going through arena check.")
@home_option
def submit_command(paths: tuple[Path, ...], replace_other: bool, no_check: bool) -> None:
    """Take in bots: folders, .zip or .tar.gz files with a bot.toml. A new version plays in later leagues."""
    out = console()
    out.print(f"Home: {home()}", soft_wrap=True)
    refused = []
    with open_store(new=True) as store:
        for path in paths:
            try:
                with out.status(f"{printable(str(path))} …"):
                    receipt = submit(store, path, replace_other, build, None if no_check else check_entrant)
            except EntrantError as refusal:
                refused.append(f"{path}: {refusal}")
            else:
                out.print(f"{receipt.entrant.name} {short(receipt.entrant.version)}: {receipt.outcome}")
    if refused:
        raise Refused("\n".join(printable(line, 1000) for line in refused))


@arena.command("bots")
@home_option
def bots_command() -> None:
    """List the bots with their versions, last leagues and ratings."""
    out = console()
    out.print(f"Home: {home()}", soft_wrap=True)
    with open_store() as store:
        known = list(entrants(store))
        out.print(bots_table(known, Ratings(store), out.width))
    if lines := [*filter(None, map(why_out, known))]:
        out.print()
    for line in lines:
        out.print(printable(line, 1000), soft_wrap=True)


def bots_table(known: Sequence[Entrant], ratings: Ratings, width: int) -> Table:
    """Names, which are typed again, are never cut; version, team and language are shown where there is room."""
    table = Table(box=None, pad_edge=False)
    wide = width >= WIDE
    for column in ("bot", *(["version"] if wide else [])):
        table.add_column(column, no_wrap=True)
    for column in ("author", *(["team", "language"] if wide else [])):
        table.add_column(column, overflow="ellipsis")
    table.add_column("last league", no_wrap=True)
    table.add_column("rating", no_wrap=True, justify="right")
    for bot in known:
        manifest = bot.manifest
        about = [short(bot.version), manifest.author, manifest.team or "", manifest.language]
        league = ratings.last_league(bot.name)
        row = [bot.name, *(about if wide else [manifest.author]), league or ""]
        table.add_row(*(Text(printable(cell)) for cell in (*row, ratings.of(bot.name, league) if league else "")))
    return table


def why_out(bot: Entrant) -> str:
    """Why a bot enters no more leagues; empty if it does."""
    if bot.disqualified is not None:
        return f"{bot.name} is disqualified: {bot.disqualified}"
    return f"{bot.name} is withdrawn" if bot.withdrawn else ""


class Ratings:
    """The rating of each bot in the last league that it played in; each league is rated once."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.known: dict[str, dict[str, str]] = {}

    def last_league(self, bot: str) -> str | None:
        query = "SELECT leagues.name FROM entrants JOIN leagues ON league = id WHERE entrants.name = ?"
        row = self.store.row(f"{query} ORDER BY id DESC", bot)
        return row[0] if row else None

    def of(self, bot: str, league: str) -> str:
        if league not in self.known:
            rows = LiveStandings(Journal(self.store, league)).now().rows
            rated = {row.entry.name: row.rating.value for row in rows}
            self.known[league] = {name: "" if value is None else f"{value:.1f}" for name, value in rated.items()}
        return self.known[league][bot]


@arena.command("withdraw")
@click.argument("bot")
@home_option
def withdraw_command(bot: str) -> None:
    """Keep a bot out of later leagues, until it is submitted again."""
    with open_store(changes=True) as store:
        withdraw(store, bot)
    console().print(f"{bot} is withdrawn; submitting it again enters it again")


@arena.command("disqualify")
@click.argument("bot")
@click.option("--why", required=True, help="The reason, which the standings show.")
@home_option
def disqualify_command(bot: str, why: str) -> None:
    """Keep a bot out of later leagues and set its row apart in all; its matches stay."""
    with open_store(changes=True) as store:
        disqualify(store, bot, why)
    console().print(f"{bot} is disqualified; arena submit --replace admits it again")


def short(version: str) -> str:
    """A version as people write it."""
    return version.removeprefix("sha256:")[:12]


for command in (*cli_authors.COMMANDS, *cli_league.COMMANDS, *cli_results.COMMANDS, *cli_bench.COMMANDS):
    arena.add_command(command)


def main() -> int:
    """The entry point of the ``arena`` command."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:  # nohup
            signal.signal(number, signal.default_int_handler)  # ends as after Ctrl-C, and leaves nothing behind
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # what a terminal can't write is no reason to fail
    return run_command(arena)
