"""A league is begun, and run until all its matches are in the journal, however often it is interrupted."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace

from arena.entrants import Entrant, EntrantError, entrant, entrants, folder_of, intact, seat_of
from arena.journal import Journal, LeagueError, Member, begin
from arena.manifest import check_name
from arena.options import Options, Wish, check_limits
from arena.schedule import default_boards, extended, schedule, sittings
from arena.store import OutOfSpace, Store
from arena.workers import Ended, Lost, Tables
from protocol.view import Rules
from referee.deal import board_seed
from referee.player import Limits, Seated
from referee.sandbox import usable_sandbox
from referee.sitting import Board, Sitting
from referee.table import Played

__all__ = ["Progress", "add_entrant", "begin_league", "choose", "run_league", "to_play"]

TRIES = 3  # of a sitting that kills its worker
NEWS_EVERY_S = 0.25


# Beginning


def begin_league(store: Store, name: str, wish: Wish, random_seed: bytes) -> Journal:
    """Fixes a new league's entrants, options and boards.

    :param random_seed: the league's seed if none was asked for.
    :raises ValueError: what was asked for can't be played; one sentence says why.
    """
    if check_name(name, "league") == "bots":
        raise LeagueError("a league can't be called bots: the submitted bots lie in a folder of that name")
    rules = wish.chosen_rules() or Rules()
    check_limits(wish)
    chosen = choose(store, wish.bots)
    seed = wish.seed or random_seed
    design = wish.design or "balanced"
    seatings = wish.seatings or (1 if any(bot.manifest.address for bot in chosen) else 6)
    teams = {bot.name: bot.manifest.team for bot in chosen}
    triples = len(schedule(teams, seed, design, boards=1).boards)
    boards = wish.boards or default_boards(triples, len(teams), seatings)
    plan = schedule(teams, seed, design, boards)
    deals = wish.deals or ()
    if len(deals) > len(plan.boards):
        raise LeagueError(f"there are deals for {len(deals)} boards, and the league has {len(plan.boards)}")
    options = Options(
        rules=rules,
        limits=Limits(**wish.chosen_limits(), sandbox=usable_sandbox(wish.sandbox or "auto")),
        design=design,
        boards=boards,
        seatings=seatings,
        deals=deals,
    )
    return begin(store, name, options.as_json(), seed, [(bot.name, bot.version) for bot in chosen], plan)


def choose(store: Store, names: Iterable[str] | None) -> list[Entrant]:
    """The bots of these names in their current versions, all that may play if none are named.

    :raises EntrantError: a name twice or unknown, or a bot that may not or can't play.
    """
    if names is None:
        bots = [bot for bot in entrants(store) if not bot.withdrawn and bot.disqualified is None]
    else:
        named = list(names)
        for name, times in Counter(named).items():
            if times > 1:
                raise EntrantError(f"{name} is named {times} times: a bot enters a league once")
        bots = [admitted(entrant(store, name)) for name in named]
    for bot in bots:
        if not intact(store, bot.version):
            raise EntrantError(f"the stored files of {bot.name} are missing or changed: submit it again")
    return bots


def admitted(bot: Entrant) -> Entrant:
    if bot.disqualified is not None:
        raise EntrantError(f"{bot.name} was disqualified: {bot.disqualified}")
    if bot.withdrawn:
        raise EntrantError(f"{bot.name} was withdrawn: submit it again to enter it")
    return bot


def add_entrant(journal: Journal, name: str) -> Journal:
    """The league with one more bot, whose boards are numbered after the others.

    :raises ValueError: the bot can't play, or is in already, or the league is being run.
    """
    (bot,) = choose(journal.store, [name])
    options = Options.from_json(journal.options)
    with journal.running():
        plan = extended(journal.plan(), bot.name, bot.manifest.team, journal.seed, options.design)
        return journal.join(bot.name, bot.version, plan)


# What is still to play


def to_play(journal: Journal) -> list[Sitting]:
    """The sittings with the boards that are not in the journal yet, in the order of play."""
    options = Options.from_json(journal.options)
    seats = {member.name: seated(journal, member) for member in journal.members}
    done = journal.done()
    plan = journal.plan()
    boards = {number: board(journal.seed, number, options.deals) for number, _ in plan.boards}
    missing = []
    for planned in sittings(plan, options.seatings):
        numbers = [number for number in planned.boards if (number, planned.seating) not in done]
        if numbers:
            first, second, third = (seats[name] for name in planned.seats)
            missing.append(
                Sitting(
                    league=journal.name,
                    seating=planned.seating,
                    seats=(first, second, third),
                    rules=options.rules,
                    limits=options.limits,
                    boards=tuple(boards[number] for number in numbers),
                )
            )
    return missing


def seated(journal: Journal, member: Member) -> Seated:
    return seat_of(member.manifest, member.version, folder_of(journal.store, member.version))


def board(seed: bytes, number: int, deals: tuple[tuple[str, ...], ...]) -> Board:
    return Board(number, board_seed(seed, number), deals[number] if number < len(deals) else ())


# Running


@dataclass(frozen=True)
class Progress:
    """How far a league is."""

    done: int
    total: int
    played: int
    """Matches of this run."""
    elapsed_s: float

    @property
    def rate(self) -> float:
        """Matches a second in this run."""
        return self.played / self.elapsed_s if self.elapsed_s > 0 else 0.0

    @property
    def left_s(self) -> float | None:
        """Seconds left at this rate, None while it is not known."""
        return (self.total - self.done) / self.rate if self.rate else None


def run_league(
    journal: Journal, tables: AbstractContextManager[Tables], show: Callable[[Progress], None], *, here: bool = True
) -> None:
    """Plays what is missing, each match entered as it finishes. Ctrl-C ends it at once; what is entered stays.

    :param tables: where to play: ``Workers`` or a ``Cluster``.
    :param here: whether they are on this machine, whose sandbox is then looked at first.
    :param show: called several times a second.
    :raises LeagueError: another process runs this league, or an entrant's files are missing.
    :raises OutOfSpace: no space is left.
    """
    with journal.running():
        check_files(journal)
        if here:
            usable_sandbox("require" if journal.options["limits"]["sandbox"] == "bubblewrap" else "none")
        journal.clear_aside()
        waiting = deque(to_play(journal))
        total = journal.played() + sum(len(sitting.boards) for sitting in waiting)
        with tables as workers:
            play(journal, waiting, workers, total, show)
        if journal.played() == journal.planned():
            journal.end()


def check_files(journal: Journal) -> None:
    for member in journal.members:
        if not intact(journal.store, member.version):
            raise LeagueError(f"the stored files of {member.name} are missing or changed: submit that version again")


def play(
    journal: Journal, waiting: deque[Sitting], workers: Tables, total: int, show: Callable[[Progress], None]
) -> None:
    begun = time.monotonic()
    before = journal.played()
    played = 0
    deaths: Counter[tuple[int, int]] = Counter()
    while waiting or workers.busy:
        while waiting and workers.free:
            workers.begin(waiting.popleft())
        for news in workers.news(NEWS_EVERY_S):
            match news:
                case Played():
                    played += journal.add(news)
                case Lost(sitting, why, no_space, final):
                    if no_space:
                        raise OutOfSpace(f"no space is left for the bots' scratch folders ({why}): make room")
                    deaths[sitting.boards[-1].number, sitting.seating] += 1
                    rest = remaining(journal, sitting)
                    if rest.boards and not final and deaths[sitting.boards[-1].number, sitting.seating] < TRIES:
                        waiting.append(rest)
                    else:
                        journal.set_aside([board.number for board in rest.boards], sitting.seating, why)
                case Ended():
                    pass
        show(Progress(before + played, total, played, time.monotonic() - begun))


def remaining(journal: Journal, sitting: Sitting) -> Sitting:
    """What of a sitting is not in the journal."""
    boards = tuple(board for board in sitting.boards if not journal.has(board.number, sitting.seating))
    return replace(sitting, boards=boards)
