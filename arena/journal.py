"""The journal of a league: what was fixed at its start, its boards, and its matches, each of them exactly once."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from arena.entrants import manifest_from_json
from arena.figures import COLUMNS, figures
from arena.manifest import Manifest
from arena.schedule import Schedule
from arena.store import Damaged, Store
from referee.record import Record, read_json
from referee.table import Played

__all__ = ["Journal", "LeagueError", "Member", "begin", "delete", "leagues", "mean_think_s"]

WHOLE_OUTPUTS, SHORT_OUTPUT = 50, 1000  # faults of a bot in a run, and characters of the output of later ones


class LeagueError(ValueError):
    """Why a league can't be begun, found or continued, in one sentence."""


@dataclass(frozen=True)
class Member:
    """A bot as it plays in a league: the version that it was entered with."""

    name: str
    version: str
    manifest: Manifest


def begin(
    store: Store, name: str, options: dict[str, Any], seed: bytes, members: Sequence[tuple[str, str]], plan: Schedule
) -> Journal:
    """Enters a new league with all its boards.

    :param members: name and version of each entrant.
    :raises LeagueError: there is one of that name.
    """
    with store.transaction():
        if store.row("SELECT 1 FROM leagues WHERE name = ?", name):
            raise LeagueError(f"there is a league {name} already")
        store.change(
            "INSERT INTO leagues (name, options, seed, begun) VALUES (?, ?, ?, ?)",
            *(name, json.dumps(options), seed, _now()),
        )
        journal = Journal(store, name)
        journal._enter(members, plan.boards)
    return Journal(store, name)


class Journal:
    """One league in the store.

    :raises LeagueError: there is none of that name.
    """

    def __init__(self, store: Store, name: str) -> None:
        row = store.row("SELECT id, options, seed, begun, ended, published FROM leagues WHERE name = ?", name)
        if row is None:
            raise LeagueError(f"there is no league {name!r:.50}: arena leagues lists them")
        self.store = store
        self.name = name
        self.id: int = row[0]
        self.options = _options(row[1])
        self.seed: bytes = row[2]
        self.begun: str = row[3]
        self.ended: str | None = row[4]
        self.members = tuple(self._members())
        self._noted: Counter[str] = Counter()
        self.numbers = {member.name: number for number, member in enumerate(self.members)}
        self.late = self.members[row[5] :] if row[5] is not None else ()
        """Those who entered when the league had ended once and its seed was known."""

    def _members(self) -> Iterator[Member]:
        query = "SELECT name, version, manifest FROM entrants JOIN versions ON version = digest WHERE league = ?"
        for name, version, manifest in self.store.rows(f"{query} ORDER BY number", self.id):
            yield Member(name, version, manifest_from_json(manifest))

    # Boards

    def plan(self) -> Schedule:
        """The schedule as it was fixed."""
        names = [member.name for member in self.members]
        rows = self.store.rows("SELECT number, a, b, c FROM boards WHERE league = ? ORDER BY number", self.id)
        boards = tuple((number, (names[a], names[b], names[c])) for number, a, b, c in rows)
        return Schedule({member.name: member.manifest.team for member in self.members}, boards)

    def join(self, name: str, version: str, plan: Schedule) -> Journal:
        """The league with a later entrant and the boards that the schedule has for it."""
        have = self.store.row("SELECT count(*) FROM boards WHERE league = ?", self.id)
        assert have
        with self.store.transaction():
            self._enter([(name, version)], plan.boards[have[0] :])
            self.store.change("UPDATE leagues SET ended = NULL WHERE id = ?", self.id)
        return Journal(self.store, self.name)

    def _enter(self, members: Sequence[tuple[str, str]], boards: Iterable[tuple[int, tuple[str, str, str]]]) -> None:
        start = len(self.members)
        self.store.add("entrants", ((self.id, start + i, name, version) for i, (name, version) in enumerate(members)))
        numbers = self.numbers | {name: start + i for i, (name, _) in enumerate(members)}
        self.store.add("boards", ((self.id, number, *(numbers[name] for name in triple)) for number, triple in boards))

    # Matches

    def add(self, played: Played) -> bool:
        """Enters a finished match in one transaction. False if it was there already: then nothing changes."""
        record = played.record
        board, seating = (int(part) for part in record["match"].split("/")[1:])
        with self.store.transaction():
            if self.has(board, seating):
                return False
            values = figures(record, self.numbers)
            self.store.add("matches", [(None, self.id, board, seating, played.busy, *values)])
            number = self._number(board, seating)
            self.store.add("records", [(number, _packed(record))])
            for i, (fault, note) in enumerate(zip(record["faults"], played.faults, strict=True)):
                kept = self._kept(record["seats"][fault["seat"]]["bot"], note)
                self.store.add("faults", [(number, i, fault["seat"], fault["kind"], _packed(kept))])
        return True

    def _kept(self, bot: str, note: dict[str, Any]) -> dict[str, Any]:
        """What is kept of a fault: a bot's output whole for its first ones, so that nobody fills the disk."""
        self._noted[bot] += 1
        if self._noted[bot] <= WHOLE_OUTPUTS:
            return note
        return {**note, "output": str(note.get("output", ""))[-SHORT_OUTPUT:]}

    def has(self, board: int, seating: int) -> bool:
        """Whether a match is recorded."""
        return self._number(board, seating) is not None

    def _number(self, board: int, seating: int) -> int | None:
        query = "SELECT id FROM matches WHERE league = ? AND board = ? AND seating = ?"
        row = self.store.row(query, self.id, board, seating)
        return row[0] if row else None

    def done(self) -> set[tuple[int, int]]:
        """Board and seating of each match that is recorded."""
        return set(self.store.rows("SELECT board, seating FROM matches WHERE league = ?", self.id))

    def records(self) -> Iterator[Record]:
        """The records in the schedule's order, read as they are iterated over."""
        query = "SELECT record FROM matches JOIN records ON match = id WHERE league = ? ORDER BY board, seating"
        for (packed,) in self.store.rows(query, self.id):
            yield _unpacked(packed)

    def records_with_figures(self) -> Iterator[tuple[Record, tuple[float, ...]]]:
        """As ``records``, each with its figures (``arena.figures.COLUMNS``)."""
        query = f"SELECT record, {', '.join(COLUMNS)} FROM matches JOIN records ON match = id WHERE league = ?"
        for packed, *values in self.store.rows(f"{query} ORDER BY board, seating", self.id):
            yield _unpacked(packed), tuple(values)

    def record(self, board: int, seating: int) -> tuple[Record, list[dict[str, Any]]]:
        """The record of a match, and the notes to its faults.

        :raises LeagueError: it is not recorded.
        """
        number = self._number(board, seating)
        if number is None:
            raise LeagueError(f"{self.name}/{board}/{seating} was not played (yet)")
        row = self.store.row("SELECT record FROM records WHERE match = ?", number)
        assert row
        notes = self.store.rows("SELECT note FROM faults WHERE match = ? ORDER BY number", number)
        return _unpacked(row[0]), [_unpacked(note) for (note,) in notes]

    def played(self) -> int:
        """How many matches are recorded."""
        row = self.store.row("SELECT count(*) FROM matches WHERE league = ?", self.id)
        return row[0] if row else 0

    def planned(self) -> int:
        """How many matches there are to play in all."""
        row = self.store.row("SELECT count(*) FROM boards WHERE league = ?", self.id)
        return row[0] * self.options["seatings"] if row else 0

    def newest(self) -> int:
        """A number that rises with each match entered; 0 at first."""
        row = self.store.row("SELECT max(id) FROM matches WHERE league = ?", self.id)
        return row[0] or 0 if row else 0

    def results(self, after: int, up_to: int) -> Iterator[tuple[Any, ...]]:
        """Board, seating and figures (``arena.figures.COLUMNS``) of the matches entered between two ``newest``."""
        query = f"SELECT board, seating, {', '.join(COLUMNS)} FROM matches WHERE league = ? AND id > ? AND id <= ?"
        return self.store.rows(query, self.id, after, up_to)

    def faults_of(self) -> Counter[tuple[str, str]]:
        """How many faults of each kind each entrant has: by name and kind."""
        query = (
            "SELECT CASE seat WHEN 0 THEN bot0 WHEN 1 THEN bot1 ELSE bot2 END AS bot, kind, count(*) "
            "FROM faults JOIN matches ON match = matches.id WHERE league = ? GROUP BY bot, kind"
        )
        return Counter({(self.members[bot].name, kind): n for bot, kind, n in self.store.rows(query, self.id)})

    def first_faults(self, of_each: int) -> Iterator[tuple[int, int, int]]:
        """Board, seating and number in the match of the first faults of each kind that each entrant has, from as many
        matches as possible; by board."""
        bot = "CASE seat WHEN 0 THEN bot0 WHEN 1 THEN bot1 ELSE bot2 END"
        nth = f"row_number() OVER (PARTITION BY kind, {bot} ORDER BY number, board, seating)"
        faults = f"SELECT board, seating, number, {nth} AS nth FROM faults JOIN matches ON match = id WHERE league = ?"
        query = f"SELECT board, seating, number FROM ({faults}) WHERE nth <= ? ORDER BY board, seating, number"
        return self.store.rows(query, self.id, of_each)

    # Running

    def set_aside(self, boards: Iterable[int], seating: int, why: str) -> None:
        """Notes that matches could not be played, and why."""
        with self.store.transaction():
            for board in boards:
                self.store.change("INSERT OR REPLACE INTO set_aside VALUES (?, ?, ?, ?)", self.id, board, seating, why)

    def aside(self) -> list[tuple[int, int, str]]:
        """Board, seating and reason of the matches that could not be played in the last run."""
        query = "SELECT board, seating, why FROM set_aside WHERE league = ?"
        return list(self.store.rows(query, self.id))

    def clear_aside(self) -> None:
        """Gives the matches that could not be played another chance."""
        self.store.change("DELETE FROM set_aside WHERE league = ?", self.id)

    def end(self) -> None:
        """Notes that all is played. From now on the seed may be shown."""
        self.ended = _now()
        self.store.change(
            "UPDATE leagues SET ended = ?, published = coalesce(published, ?) WHERE id = ?",
            *(self.ended, len(self.members), self.id),
        )

    @property
    def folder(self) -> Path:
        """The league's own in the home."""
        return self.store.home / self.name

    @property
    def reports(self) -> Path:
        """Where its reports are written: in its folder, or in one of its name here if the home can only be read."""
        return self.folder if self.store.writable else Path(self.name).absolute()

    @property
    def runner(self) -> str | None:
        """The number of the process that runs this league, None if none does."""
        path = self.folder / "runner.lock"
        if not path.exists():
            return None
        with path.open() as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return lock.read(20).strip()
        return None

    @contextmanager
    def running(self) -> Iterator[None]:
        """Keeps other runners away from this league while its body runs.

        :raises LeagueError: another process runs it.
        """
        self.folder.mkdir(exist_ok=True)
        with (self.folder / "runner.lock").open("a+") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                lock.seek(0)
                who = lock.read(20).strip() or "unknown"
                raise LeagueError(
                    f"league {self.name} is being run by process {who}: wait for it, or stop it"
                ) from None
            lock.truncate(0)
            lock.write(f"{os.getpid()}\n")
            lock.flush()
            yield
            lock.truncate(0)


def delete(journal: Journal) -> None:
    """Removes a league with its matches and reports. While any of its files are there, so is the league: a removal that
    was interrupted is done again, and no reports are left to a later league of the name.

    :raises LeagueError: it is being run.
    """
    with journal.running(), journal.store.transaction():
        journal.store.change("DELETE FROM leagues WHERE id = ?", journal.id)
        shutil.rmtree(journal.folder)


def mean_think_s(store: Store) -> float | None:
    """Seconds that the bots of a match thought together, in the last matches of all leagues; None without any."""
    recent = "SELECT think_s0 + think_s1 + think_s2 AS s FROM matches ORDER BY id DESC LIMIT 1000"
    row = store.row(f"SELECT avg(s) FROM ({recent})")
    return row[0] if row else None


def leagues(store: Store) -> Iterator[Journal]:
    """All leagues in the order in which they were begun."""
    for (name,) in list(store.rows("SELECT name FROM leagues ORDER BY id")):
        yield Journal(store, name)


def _options(text: str) -> dict[str, Any]:
    try:
        options: dict[str, Any] = read_json(text)
    except (ValueError, RecursionError):
        raise Damaged("a league's options") from None
    return options


def _packed(document: Any) -> bytes:
    return zlib.compress(json.dumps(document, separators=(",", ":")).encode())


def _unpacked(packed: bytes) -> Any:
    try:
        return read_json(zlib.decompress(packed))
    except (zlib.error, ValueError, RecursionError):
        raise Damaged("a record") from None


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
