"""The command line ``arena``: leagues are run, listed and deleted."""

from __future__ import annotations

import os
import re
import secrets
import shlex
import signal
import tomllib
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from arena.cli_results import show_standings, write_reports
from arena.entrants import Entrant, folder_of
from arena.journal import Journal, LeagueError, Member, delete, leagues, mean_think_s
from arena.league import add_entrant, begin_league, choose, run_league
from arena.live import LiveStandings
from arena.options import Options, Wish, commitment, differences, read_deals
from arena.progress import Watch, duration
from arena.reports.console import WIDE, counted
from arena.reports.json import remote_note
from arena.store import OutOfSpace, Store
from arena.terminal import Interrupted, console, home, home_option, open_store, same_home
from arena.workers import ClusterGone, Tables, Workers
from referee.rules import SETS, VARIANTS

__all__ = ["COMMANDS"]

CONFIG_BYTES = 1024 * 1024
DEALS_BYTES = 64 * 1024 * 1024
SEED_BYTES = 32
# A match takes its bots' thinking and about as much again for everything else; an estimate until the first ones are in.
QUICK_THINK_S, OWN_TIME_S = 0.2, 0.2


def read_config(context: click.Context, parameter: click.Parameter, path: Path | None) -> None:
    """Takes the options that the command line does not give from a TOML file with the same names as keys."""
    if path is None:
        return
    text = text_of(path, CONFIG_BYTES)
    try:
        document = tomllib.loads(text)
    except (ValueError, RecursionError) as wrong:
        raise click.BadParameter(f"{path} is not valid TOML: {wrong}") from None
    options = [option for option in context.command.params if isinstance(option, click.Option)]
    known = {option.name: option for option in options if option.name not in ("config", "home")}
    names = {spelling.lstrip("-"): name for name, option in known.items() for spelling in option.opts}
    values: dict[str, Any] = {}
    for key, value in document.items():
        name = names.get(key.replace("_", "-"))
        if name is None:
            keys = ", ".join(sorted(names))
            raise click.BadParameter(f"{path}: {key!r:.50} is not a key of it; the keys are {keys}")
        values[name] = as_on_the_command_line(key, value, known[name].multiple)
    context.default_map = values


def as_on_the_command_line(key: str, value: Any, multiple: bool) -> Any:
    if isinstance(value, dict) and key == "set":
        return [f"{name}={as_on_the_command_line(name, part, False)}" for name, part in value.items()]
    if isinstance(value, list):
        return value if multiple else ",".join(str(part) for part in value)
    if isinstance(value, bool):
        return value if key == "freeze" else str(value).lower()
    return [str(value)] if multiple else str(value)


def read_seed(context: click.Context, parameter: click.Parameter, text: str | None) -> bytes | None:
    try:
        return None if text is None else bytes.fromhex(text)
    except ValueError:
        raise click.BadParameter("write it in hex digits, an even number of them") from None


def read_fields(context: click.Context, parameter: click.Parameter, texts: tuple[str, ...]) -> dict[str, str]:
    fields = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or name in fields:
            raise click.BadParameter(f"write each field once, as in targets=8,5,3, and not {text!r:.60}")
        fields[name.strip()] = value.strip()
    return fields


def read_names(context: click.Context, parameter: click.Parameter, text: str | None) -> tuple[str, ...] | None:
    return None if text is None else tuple(name.strip() for name in text.split(",") if name.strip())


def read_deals_file(context: click.Context, parameter: click.Parameter, path: Path | None) -> Any:
    if path is None:
        return None
    return read_deals(text_of(path, DEALS_BYTES))


def text_of(path: Path, most_bytes: int) -> str:
    """What is in a file or a pipe.

    :raises click.BadParameter: it is too large (it may have no end), or no text.
    """
    with path.open("rb") as file:
        content = file.read(most_bytes + 1)
    if len(content) > most_bytes:
        raise click.BadParameter(f"{path} is larger than {most_bytes // 1024**2} MB")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        raise click.BadParameter(f"{path} is not UTF-8 text") from None


def read_cluster(context: click.Context, parameter: click.Parameter, text: str | None) -> str | None:
    address = SCHEDULER.fullmatch(text or "")
    if text is not None and not (address and 1 <= int(address[1]) <= 65535):
        raise click.BadParameter("write the scheduler's address as tcp://host:8786")
    return text


FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
SECONDS = click.FloatRange(min=0)
SCHEDULER = re.compile(r"(?:(?:tcp|tls)://)?[^/\s]+:([0-9]{1,5})")


@click.command("run")
@click.argument("league")
@click.option("--bots", callback=read_names, help="Names with commas between them. Default: all that were submitted.")
@click.option("--rules", type=click.Choice(list(SETS)), help="The rule set. Default: ten-points.")
@click.option(
    "--set", "overrides", multiple=True, callback=read_fields, help="One rule field: field=value. Repeatable."
)
@click.option("--variant", "variants", multiple=True, type=click.Choice(list(VARIANTS)), help="Repeatable.")
@click.option(
    "--boards", type=click.IntRange(1, 100_000), help="Boards of each triple. Default: about 150 matches a bot."
)
@click.option("--seatings", type=click.Choice(["6", "3", "1"]), help="Seatings of each board. Default: 6.")
@click.option("--design", type=click.Choice(["balanced", "all"]), help="Default: balanced.")
@click.option("--seed", callback=read_seed, metavar="HEX", help="The league's seed. Default: random.")
@click.option(
    "--deals", type=FILE, callback=read_deals_file, help="Deals to play: one a line, a blank line between boards."
)
@click.option("--jobs", type=click.IntRange(1, 1024), help="Matches at a time. Default: the cores of this machine.")
@click.option("--move-time", "move_time_s", type=SECONDS, help="Seconds for a decision. Default: 1.")
@click.option("--bank", "bank_s", type=SECONDS, help="Seconds a match for decisions that take longer. Default: 10.")
@click.option(
    "--strikes", type=click.IntRange(1, 1000), help="Faults until a bot is struck out of a match. Default: 3."
)
@click.option("--freeze/--no-freeze", default=None, help="Whether bots are stopped off turn. Default: they are.")
@click.option(
    "--sandbox", type=click.Choice(["auto", "require", "none"]), help="Whether bots are isolated. Default: auto."
)
@click.option(
    "--cluster",
    callback=read_cluster,
    metavar="ADDRESS",
    help="Play on the Dask cluster of this scheduler, as tcp://host:8786.",
)
@click.option("--add", "added", multiple=True, metavar="BOT", help="Enter another bot into this league. Repeatable.")
@click.option(
    "--config", type=FILE, is_eager=True, expose_value=False, callback=read_config, help="These options as TOML."
)
@home_option
def run_command(
    league: str, jobs: int | None, cluster: str | None, added: tuple[str, ...], seatings: str | None, **asked: Any
) -> None:
    """Run a league, or carry on with one that was interrupted."""
    wish = Wish(seatings=int(seatings) if seatings else None, **asked)
    out = console()
    out.print(f"Home: {home()}", soft_wrap=True)
    with open_store(new=True) as store:
        bots = choose(store, added)
        journal = found(store, league, wish, added)
        joining = [bot for bot in bots if journal and bot.name not in journal.numbers]  # the same command goes on
        if journal is None or journal.ended is None or joining:
            journal = played(store, league, journal, wish, joining, jobs, cluster, out)
        show_standings(journal, LiveStandings(journal).now(), out)
        write_reports(journal, out)
        if aside := journal.aside():
            many = counted(len(aside), "match", "matches")
            raise Interrupted(f"{many} could not be played ({aside[0][2]}); {go_on(league, cluster)}")


def found(store: Store, league: str, wish: Wish, added: tuple[str, ...]) -> Journal | None:
    """The league as it was begun, None if it was not.

    :raises LeagueError: it was begun with other options.
    """
    try:
        journal = Journal(store, league)
    except LeagueError:
        if added:
            raise LeagueError(f"--add is for a league that was begun, and {league} was not: use --bots") from None
        return None
    names = [member.name for member in journal.members]
    other = list(differences(Options.from_json(journal.options), journal.seed, names, wish))
    if other:
        raise LeagueError(f"league {league} was begun with {'; '.join(other)}: leave that out, or name another league")
    return journal


def played(
    store: Store,
    league: str,
    journal: Journal | None,
    wish: Wish,
    joining: Sequence[Entrant],
    jobs: int | None,
    cluster: str | None,
    out: Console,
) -> Journal:
    """Begins the league if there is none yet, enters who joins it, and plays; on a cluster if that can be reached."""
    try:
        with on_cluster(cluster, store, league, journal, wish, joining) if cluster else nullcontext() as tables:
            journal = journal or begin_league(store, league, wish, secrets.token_bytes(SEED_BYTES))
            for bot in joining:
                journal = entered(journal, bot.name, out)
            jobs = jobs or len(os.sched_getaffinity(0))
            announce(journal, None if cluster else jobs, out)
            play(journal, nullcontext(tables) if tables else Workers(jobs), cluster, out)
    except ClusterGone as gone:
        if journal is None:
            raise LeagueError(f"{gone}; the league was not begun") from None
        raise Interrupted(f"{gone}; {go_on(league, cluster)}") from None
    return journal


def entered(journal: Journal, bot: str, out: Console) -> Journal:
    journal = add_entrant(journal, bot)
    out.print(f"{bot} has entered; {journal.plan().imbalance or 'every pair meets equally often'}", soft_wrap=True)
    return journal


def play(journal: Journal, tables: AbstractContextManager[Tables], cluster: str | None, out: Console) -> None:
    """Runs the league. Ctrl-C, SIGTERM and a closed terminal end it at once, and say how to go on."""
    again = go_on(journal.name, cluster)
    try:
        with Watch(LiveStandings(journal), out) as watch:
            run_league(journal, tables, watch.show, here=not cluster)
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # everything has ended: all that is left is to say so
        done = counted(journal.played(), "match", "matches")
        raise Interrupted(f"interrupted with {done} recorded; {again}") from None
    except OutOfSpace as full:
        raise OutOfSpace(f"{full}; then {again}") from None


def on_cluster(
    address: str, store: Store, league: str, journal: Journal | None, wish: Wish, joining: Sequence[Entrant]
) -> AbstractContextManager[Tables]:
    """The tables of a Dask cluster, which is reached before anything is entered into the journal.

    :raises LeagueError: Dask is not installed.
    """
    try:
        from arena.cluster import Cluster
    except ImportError:
        raise LeagueError("--cluster needs Dask: pip install 'three-five-eight-arena[cluster]'") from None
    bots: list[Entrant | Member] = [*(journal.members if journal else choose(store, wish.bots)), *joining]
    programs = {bot.version: folder_of(store, bot.version) for bot in bots if not bot.manifest.address}
    return Cluster(address, league, programs)


def announce(journal: Journal, jobs: int | None, out: Console) -> None:
    """What will be played, and about how long it will take; on a cluster nobody knows how many play at a time."""
    options = Options.from_json(journal.options)
    plan = journal.plan()
    total, done = journal.planned(), journal.played()
    think_s = mean_think_s(journal.store)
    guess = "about " + duration((total - done) * ((think_s or QUICK_THINK_S) + OWN_TIME_S) / (jobs or 1))
    guess += f" with {jobs or 1} at a time"
    guess += "" if think_s else ", if its bots are quick"
    boards, seatings = counted(len(plan.boards), "board"), counted(options.seatings, "seating")
    size = f"{len(journal.members)} bots, {boards} in {seatings}"
    part = f" ({done:,} of them played already)" if done else ""
    lines = [
        f"League {journal.name}: {size}, {counted(total, 'match', 'matches')}{part}, {guess}",
        f"Rules: {options.rules.set}",
        f"Seed: {journal.seed.hex()}",
        f"SHA-256 of the seed: {commitment(journal.seed)}",
    ]
    for line in filter(None, [*lines, remote_note(journal), plan.imbalance]):
        out.print(line, soft_wrap=True)


def go_on(league: str, cluster: str | None) -> str:
    where = f" --cluster {shlex.quote(cluster)}" if cluster else ""
    return f"go on with: arena run {league}{where}{same_home()}"


@click.command("leagues")
@home_option
def leagues_command() -> None:
    """List the leagues and how far they are."""
    out = console()
    out.print(f"Home: {home()}", soft_wrap=True)
    wide = out.width >= WIDE
    table = Table(box=None, pad_edge=False)
    for column in ("league", "begun (UTC)", *(["bots", "rules"] if wide else []), "matches", ""):
        table.add_column(column, no_wrap=True, justify="right" if column in ("bots", "matches") else "left")
    with open_store() as store:
        for journal in leagues(store):
            options = Options.from_json(journal.options)
            runner = journal.runner
            state = "over" if journal.ended else f"run by process {runner}" if runner else "can be resumed"
            counts = f"{journal.played():,} of {journal.planned():,}"
            about = [journal.begun[:16].replace("T", " "), str(len(journal.members)), options.rules.set]
            table.add_row(journal.name, *(about if wide else [journal.begun[:10]]), counts, state)
    out.print(table)


@click.command("delete")
@click.argument("league")
@home_option
def delete_command(league: str) -> None:
    """Delete a league with all its matches and reports."""
    with open_store(changes=True) as store:
        delete(Journal(store, league))
    console().print(f"{league} is deleted")


COMMANDS = (run_command, leagues_command, delete_command)
