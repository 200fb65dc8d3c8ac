"""A long league in which a third of the bots misbehave at random: what the runner holds on to as it goes on.

``SOAK_MATCHES`` (2,000 if not set) matches of two rounds in one process that runs the league as ``arena run`` does.
Memory, descriptors and processes are looked at on the way; the last figures should be those of the first quarter.
"""

from __future__ import annotations

import gc
import math
import os
import shutil
import tempfile
from pathlib import Path

from arena.entrants import submit
from arena.league import Progress, begin_league, run_league
from arena.options import Wish
from arena.store import Store
from arena.workers import Workers
from referee.process_tree import descendants, resident_bytes

ROOT = Path(__file__).parents[2]
MATCHES = int(os.environ.get("SOAK_MATCHES", "2000"))
SAMPLES = ("random", "first-legal", "high-card", "random", "first-legal", "high-card")
LOOKS = 8
WILD = '''"""Misbehaves at random, about once a match: by the dice of the view, so that a rerun repeats it."""

import os
import sys
import time

from protocol.bot import Bot, serve


class Wild(Bot):
    def play(self, view):
        dice = self.rng(view).random()
        if dice < 0.006:
            os._exit(3)
        elif dice < 0.012:
            raise RuntimeError("x" * 10_000)
        elif dice < 0.018:
            time.sleep(2)
        elif dice < 0.027:
            return next(iter(view.unseen()))
        elif dice < 0.06:
            sys.stdout.write("flood " * 20_000)
        elif dice < 0.063:
            self.hoard = b"x" * 600_000_000
        return super().play(view)


serve(Wild)
'''


def enter(store: Store, folder: Path, name: str, code: str) -> None:
    place = folder / name
    place.mkdir()
    (place / "bot.py").write_text(code, "utf-8")
    (place / "bot.toml").write_text(
        f'name = "{name}"\nauthor = "arena"\ncommand = "python bot.py"\nlanguage = "python"\n',
        "utf-8",
    )
    submit(store, place, False, lambda folder, command: None)


def main() -> None:
    home = Path(tempfile.mkdtemp(prefix="soak-"))
    looks: list[tuple[int, ...]] = []

    def look(progress: Progress) -> None:
        if progress.done * LOOKS >= progress.total * (len(looks) + 1):
            gc.collect()
            files, tree = len(os.listdir("/proc/self/fd")), len(descendants(os.getpid()))
            workers = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
            largest = max((resident_bytes(int(pid)) for pid in workers), default=0)
            looks.append((progress.done, resident_bytes(os.getpid()) // 2**20, largest // 2**20, files, tree))
            words = "  {:6} matches: runner {} MB, largest worker {} MB, {} descriptors, {} processes"
            print(words.format(*looks[-1]), flush=True)

    try:
        with Store(home / "home") as store:
            for number, sample in enumerate(SAMPLES):
                enter(store, home, f"calm{number}", (ROOT / "sample_bots" / sample / "bot.py").read_text("utf-8"))
            for number in range(3):
                enter(store, home, f"wild{number}", WILD)
            boards = math.ceil(MATCHES / (12 * 6))  # nine bots: twelve triples, six seatings
            wish = Wish(boards=boards, overrides={"max_rounds": "2"}, move_time_s=0.3, bank_s=1.0)
            journal = begin_league(store, "soak", wish, bytes(32))
            run_league(journal, Workers(len(os.sched_getaffinity(0))), look)
            faults = journal.faults_of().total()
            print(f"  {journal.played():,} matches, {faults:,} faults, {len(journal.aside())} set aside")
        print(f"  left in the end: {len(descendants(os.getpid())) - 1} processes")
    finally:
        shutil.rmtree(home, ignore_errors=True)
