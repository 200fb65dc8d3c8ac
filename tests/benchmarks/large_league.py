"""Leagues of 10³ to 10⁶ matches and 200 entrants: CPU time a match of everything that grows, and peak memory.

Synthetic records (of two rounds) go through the real journal. Each size has a process of its own, so that its peak
memory is its own; times are beside those of the smallest size, so that linear cost shows as ratios that stay.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import islice, permutations
from pathlib import Path
from random import Random
from typing import Any

from arena.journal import Journal, begin
from arena.league import to_play
from arena.live import LiveStandings
from arena.options import Options
from arena.schedule import Schedule, schedule
from arena.store import Store
from referee.player import Limits, Seated
from referee.rules import rules_for
from referee.sitting import Board, Sitting
from referee.table import Played
from tests.home import random_record

SIZES = (1_000, 10_000, 100_000, 1_000_000)
ENTRANTS = 200
SEATINGS = 6
NEW = 60  # matches of an update
SEED = bytes(32)
RULES = rules_for("announcer", overrides={"max_rounds": "2"})
STEPS = ("schedule", "record", "standings", "update", "resume", "read")


def main() -> None:
    print(f"{'matches':>9} {'file':>8} {'peak':>8}   CPU µs a match, and beside the smallest league's")
    print(" " * 29 + "".join(f"{step:>19}" for step in STEPS))
    first: dict[str, float] = {}
    for size in SIZES:
        done = subprocess.run(
            [sys.executable, "-m", "tests.benchmarks.large_league", str(size)],
            capture_output=True,
            text=True,
            check=True,
        )
        found = json.loads(done.stdout)
        first = first or found
        cells = "".join(f"{found[step]:>12.1f} {found[step] / first[step]:>5.2f}x" for step in STEPS)
        print(f"{size:>9,} {found['file_mb']:>5.0f} MB {found['peak_mb']:>5.0f} MB{cells}", flush=True)


def measure(size: int) -> dict[str, float]:
    """CPU microseconds a match of each step, the file's size and the peak of this process's memory."""
    names = [f"bot-{number:03}" for number in range(ENTRANTS)]
    with tempfile.TemporaryDirectory() as home, Store(Path(home)) as store:
        plan, schedule_s = timed(lambda: planned(names, size // SEATINGS))
        journal = league(store, names, plan)
        matches = played(plan)
        _, record_s = timed(lambda: record(journal, islice(matches, len(plan.boards) * SEATINGS - NEW)))
        live = LiveStandings(journal)
        _, standings_s = timed(live.now)
        record(journal, matches)
        _, update_s = timed(live.now)
        _, resume_s = timed(lambda: to_play(journal))
        _, read_s = timed(lambda: sum(1 for _ in journal.records()))
        file_mb = store.path.stat().st_size / 1e6
    seconds = zip(STEPS, (schedule_s, record_s, standings_s, update_s, resume_s, read_s), strict=True)
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {**{step: 1e6 * s / size for step, s in seconds}, "file_mb": file_mb, "peak_mb": peak_mb}


def record(journal: Journal, matches: Iterable[Played]) -> None:
    for match in matches:
        journal.add(match)


def timed(step: Callable[[], Any]) -> tuple[Any, float]:
    begun = time.process_time()
    result = step()
    return result, time.process_time() - begun


def planned(names: list[str], boards: int) -> Schedule:
    """A schedule with this many boards: of the balanced one, the first."""
    teams = dict.fromkeys(names)
    triples = len(schedule(teams, SEED, "balanced", 1).boards)
    whole = schedule(teams, SEED, "balanced", -(-boards // triples))
    return Schedule(whole.teams, whole.boards[:boards])


def league(store: Store, names: list[str], plan: Schedule) -> Journal:
    manifest = {"author": "Ada", "command": ["x"], "build": []}
    for name in names:
        store.add("versions", [(version(name), "", json.dumps({"name": name, **manifest}), "")])
    options = Options(RULES, Limits(), "balanced", 1, SEATINGS)
    return begin(store, "large", options.as_json(), SEED, [(name, version(name)) for name in names], plan)


def version(name: str) -> str:
    return f"sha256:{name}"


def played(plan: Schedule) -> Iterator[Played]:
    """The matches of a schedule: some random ones, under the names and numbers of all."""
    seats = tuple(Seated(name, version(name), None, "nowhere:1") for name in sorted(plan.teams)[:3])
    sitting = Sitting("large", 0, (seats[0], seats[1], seats[2]), RULES, Limits(), ())
    templates = [random_record(sitting, Board(number, number.to_bytes(32))) for number in range(50)]
    dice = Random(358)
    for number, triple in plan.boards:
        for seating, names in enumerate(permutations(triple)):
            record = dict(dice.choice(templates))
            record |= {"match": f"large/{number}/{seating}", "placing": dice.sample([1, 2, 3], 3)}
            record["board"] = {**record["board"], "number": number}
            record["seats"] = [{"bot": name, "version": version(name)} for name in names]
            yield Played(record)


if __name__ == "__main__":
    print(json.dumps(measure(int(sys.argv[1]))))
