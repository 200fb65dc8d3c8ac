"""Leagues for tests of the reports, played in this process: with faults, rude texts, and bots that never met."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

from arena.entrants import disqualify, submit
from arena.journal import Journal
from arena.league import begin_league, to_play
from arena.options import Wish
from arena.store import Store
from referee.match import Match
from referee.player import DETAILS
from referee.record import match_record, verify, write
from referee.sitting import Board, Sitting
from referee.stand_in import stand_in
from referee.table import Played
from tests.home import bot_folder, no_build
from tests.table_words import random_choice

RUDE = (
    "</script><script>alert(1)</script><!--<script> '><img src=x onerror=alert(2)> &lt; \u202e\x00\x1b[31m {{ 7 * 7 }}"
)
HABITS = {"boom": "crash", "cheat": "illegal"}
EVERY = 23  # decisions of which a bot with a habit fails at one


def with_faults(sitting: Sitting, board: Board) -> Played:
    """A match at random in which ``boom`` and ``cheat`` fail now and then and ``gone`` does not start."""
    names = [seated.name for seated in sitting.seats]
    match = Match(sitting.rules, board.seed, board.deals)
    faults: list[dict[str, Any]] = []
    out = [name == "gone" for name in names]
    faults += [fault(seat, "start") for seat in range(3) if out[seat]]
    dice = Random(f"{board.number}/{sitting.seating}")
    while not match.over:
        seat = match.seat
        failing = HABITS.get(names[seat]) if match.decision % EVERY == 0 and len(match.legal()) > 1 else None
        choice = stand_in(match.view(seat)) if out[seat] or failing else random_choice(dice, match)
        if failing and not out[seat]:
            out[seat] = [one["seat"] for one in faults].count(seat) + 1 == sitting.limits.strikes
            faults.append(fault(seat, failing, match, write(choice), out[seat]))
        match.choose(choice)
    record = match_record(
        match,
        name=f"{sitting.league}/{board.number}/{sitting.seating}",
        number=board.number,
        seats=[{"bot": seated.name, "version": seated.version} for seated in sitting.seats],
        limits=vars(sitting.limits),
        faults=faults,
        clock=[{"decisions": 10, "think_s": 0.5, "cpu_s": 0.4, "slowest_s": 0.1}] * 3,
    )
    verify(record)
    notes = [{"why": f"fault {number}: {RUDE}", "answer": None, "output": RUDE} for number in range(len(faults))]
    return Played(record, tuple(notes))


def fault(
    seat: int, kind: str, match: Match | None = None, substitute: Any = None, struck_out: bool = True
) -> dict[str, Any]:
    return {
        "round": match.round.number if match else None,
        "decision": match.decision if match else None,
        "seat": seat,
        "turn": match.kind.value if match and match.kind else None,
        "kind": kind,
        "after_s": 0.25 if match else None,
        "detail": DETAILS[kind],
        "substitute": substitute,
        "struck_out": struck_out,
    }


def store_of(tmp_path: Path, *names: str) -> Store:
    """A store with bots of these names by an author who writes rude texts."""
    store = Store(tmp_path / "home")
    for name in names:
        rude = RUDE.replace("\x00", "").replace("\x1b", "").replace("\u202e", "")
        folder = bot_folder(tmp_path / "authors", name, author=rude[:64], description=rude, language=rude[:32])
        submit(store, folder, False, no_build)
    return store


def faulty_league(tmp_path: Path, boards: int = 1) -> Journal:
    """A league ``cup`` of ada, boom, cheat and gone, over; gone is disqualified."""
    store = store_of(tmp_path, "ada", "boom", "cheat", "gone")
    wish = Wish(rules="twelve-tricks", variants=("misere",), boards=boards, sandbox="none")
    journal = begin_league(store, "cup", wish, b"s" * 32)
    for sitting in to_play(journal):
        for board in sitting.boards:
            journal.add(with_faults(sitting, board))
    journal.end()
    disqualify(store, "gone", f"never there {RUDE}")
    return Journal(store, "cup")


def divided_league(tmp_path: Path) -> Journal:
    """A league of seven, not over: abe, bea and cal have played among themselves, dot, eli and fay too, gus nobody."""
    groups = ({"abe", "bea", "cal"}, {"dot", "eli", "fay"})
    store = store_of(tmp_path, *sorted(groups[0] | groups[1] | {"gus"}))
    journal = begin_league(store, "split", Wish(design="all", boards=2, sandbox="none"), b"t" * 32)
    for sitting in to_play(journal):
        if {seated.name for seated in sitting.seats} in groups:
            for board in sitting.boards:
                journal.add(with_faults(sitting, board))
    journal.set_aside([0], 3, f"the machine went down {RUDE}")
    return journal


def large_league(tmp_path: Path) -> Journal:
    """A league of 40 with more than 10,000 matches. They are a few matches told of other bots again and again: what is
    said of them is true, what the bots did is not."""
    store = store_of(tmp_path, *(f"bot-{number}" for number in range(40)))
    journal = begin_league(store, "large", Wish(boards=4, sandbox="none"), b"u" * 32)
    dice = Random(358)
    few: list[Played] = []
    for sitting in to_play(journal):
        for board in sitting.boards:
            if len(few) < 40:
                few.append(with_faults(sitting, board))
            told = dice.choice(few)
            seats = [{"bot": seated.name, "version": seated.version} for seated in sitting.seats]
            name = f"{journal.name}/{board.number}/{sitting.seating}"
            fault_now = [fault(dice.randrange(3), "start")] if dice.random() < 0.05 else []
            notes = ({"why": RUDE, "answer": None, "output": ""},) * len(fault_now)
            journal.add(Played({**told.record, "match": name, "seats": seats, "faults": fault_now}, notes))
    journal.end()
    return journal
