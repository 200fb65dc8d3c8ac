"""The home folder and its one SQLite file ``arena.sqlite``, from which everything that is shown is derived.

Errors::

    StoreError          the file can't be used: damaged, foreign, read-only …
      Damaged           something in it makes no sense
      OutOfSpace        the disk is full; nothing is lost, the work can be resumed
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

from arena.figures import COLUMNS
from referee.scratch import clear

__all__ = ["Damaged", "OutOfSpace", "Store", "StoreError"]

FILE = "arena.sqlite"
INCOMING = ".incoming-"  # folders of submissions under way, beside the bots
APPLICATION = 0x33353861  # "358a" in ASCII: a foreign file is told from ours
SCHEMA = 1
WAIT_S = 10.0  # for another process's transaction, which takes milliseconds

# A bot's name belongs to an author and has one current version; old versions are kept for the leagues that they play.
# A league's entrants keep their numbers, and matches refer to them by number; ``published`` is how many there were when
# its seed became known. A match's figures stand apart from its
# record, so that reading them never touches a record's pages.
TABLES = f"""
CREATE TABLE versions (digest TEXT PRIMARY KEY, stored TEXT NOT NULL, manifest TEXT NOT NULL, submitted TEXT NOT NULL);
CREATE TABLE bots (name TEXT PRIMARY KEY, author TEXT NOT NULL, version TEXT NOT NULL REFERENCES versions,
    withdrawn INTEGER NOT NULL DEFAULT 0, disqualified TEXT);
CREATE TABLE leagues (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, options TEXT NOT NULL, seed BLOB NOT NULL,
    begun TEXT NOT NULL, ended TEXT, published INTEGER);
CREATE TABLE entrants (league INTEGER NOT NULL REFERENCES leagues ON DELETE CASCADE, number INTEGER NOT NULL,
    name TEXT NOT NULL, version TEXT NOT NULL REFERENCES versions,
    PRIMARY KEY (league, number), UNIQUE (league, name)) WITHOUT ROWID;
CREATE TABLE boards (league INTEGER NOT NULL REFERENCES leagues ON DELETE CASCADE, number INTEGER NOT NULL,
    a INTEGER NOT NULL, b INTEGER NOT NULL, c INTEGER NOT NULL, PRIMARY KEY (league, number)) WITHOUT ROWID;
CREATE TABLE matches (id INTEGER PRIMARY KEY, league INTEGER NOT NULL REFERENCES leagues ON DELETE CASCADE,
    board INTEGER NOT NULL, seating INTEGER NOT NULL, busy INTEGER NOT NULL,
    {", ".join(f"{column} NOT NULL" for column in COLUMNS)},
    UNIQUE (league, board, seating));
CREATE TABLE records (match INTEGER PRIMARY KEY REFERENCES matches ON DELETE CASCADE, record BLOB NOT NULL);
CREATE TABLE faults (match INTEGER NOT NULL REFERENCES matches ON DELETE CASCADE, number INTEGER NOT NULL,
    seat INTEGER NOT NULL, kind TEXT NOT NULL, note BLOB NOT NULL, PRIMARY KEY (match, number)) WITHOUT ROWID;
CREATE TABLE set_aside (league INTEGER NOT NULL REFERENCES leagues ON DELETE CASCADE, board INTEGER NOT NULL,
    seating INTEGER NOT NULL, why TEXT NOT NULL, PRIMARY KEY (league, board, seating)) WITHOUT ROWID;
"""


class StoreError(Exception):
    """Why the home folder or its file can't be used, and what to do, in one sentence."""


class Damaged(StoreError):
    """Something in the file makes no sense."""

    def __init__(self, what: str) -> None:
        super().__init__(f"{what} in arena.sqlite is damaged: move the file away, or put a copy of it back")


class OutOfSpace(StoreError):
    """The disk is full. What was recorded before is safe."""


class Store:
    """The open file. Several processes may have it open; one's transaction lasts milliseconds.

    :ivar writable: whether this user may write it: if not, all that is in it can be read all the same.
    :raises StoreError: it can't be opened, or is not an arena's.
    """

    def __init__(self, home: Path) -> None:
        self.home = home.absolute()
        self.path = self.home / FILE
        try:
            self.home.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"{self.home} can't be made ({error.strerror}): choose another with --home") from None
        known = (path for path in (self.home, self.path) if path.exists())
        self.writable = all(os.access(path, os.W_OK, effective_ids=True) for path in known)
        with self._told():
            self._connection = sqlite3.connect(self._address(), WAIT_S, isolation_level=None, uri=True)
            try:
                self._prepare()
            except BaseException:
                self._connection.close()
                raise
        clear(self.home / "bots", INCOMING)

    def _address(self) -> str:
        """The file as SQLite is to open it. Without a log beside it nobody writes it, and it takes no lock to read it:
        none could be made in a folder that can't be written."""
        log = self.path.with_name(f"{FILE}-wal")
        how = "rwc" if self.writable else "ro" if log.exists() else "ro&immutable=1"
        return f"{self.path.as_uri()}?mode={how}"

    def _prepare(self) -> None:
        one = self._connection.execute
        application, schema = (one(f"PRAGMA {key}").fetchone()[0] for key in ("application_id", "user_version"))
        empty = one("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0
        if not empty and application != APPLICATION:
            raise StoreError(f"{self.path} belongs to another program: choose another folder with --home")
        if not empty and schema != SCHEMA:
            raise StoreError(
                f"{self.path} has format {schema} and this arena reads format {SCHEMA}: use the version that wrote it"
            )
        if not self.writable:
            return
        one("PRAGMA journal_mode = WAL")
        one("PRAGMA synchronous = NORMAL")  # after a power cut the last matches may be missing, never half there
        one("PRAGMA foreign_keys = ON")
        if empty:
            marks = f"PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {SCHEMA};"
            self._connection.executescript(f"BEGIN IMMEDIATE; {TABLES} {marks} COMMIT;")

    def rows(self, query: str, *values: Any) -> Iterator[tuple[Any, ...]]:
        """What a query finds, read as it is iterated over."""
        with self._told():
            yield from self._connection.execute(query, values)

    def row(self, query: str, *values: Any) -> tuple[Any, ...] | None:
        """The first row that a query finds."""
        with self._told():
            found: tuple[Any, ...] | None = self._connection.execute(query, values).fetchone()
            return found

    def change(self, statement: str, *values: Any) -> int:
        """Executes a statement; gives the number of rows that it changed."""
        with self._told():
            return self._connection.execute(statement, values).rowcount

    def add(self, table: str, rows: Iterable[tuple[Any, ...]]) -> None:
        """Adds rows, all columns given in order."""
        for row in rows:
            self.change(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", *row)

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """All of the changes in its body are made, or none."""
        self.change("BEGIN IMMEDIATE")
        try:
            yield
            self.change("COMMIT")
        except BaseException:
            with contextlib.suppress(sqlite3.Error):
                self._connection.execute("ROLLBACK")
            raise

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        """Turns SQLite's errors into a sentence."""
        try:
            yield
        except sqlite3.Error as error:
            raise self._sentence(error) from None

    def _sentence(self, error: sqlite3.Error) -> StoreError:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code == sqlite3.SQLITE_FULL:
            return OutOfSpace(f"no space is left for {self.path}: make room; what was recorded is safe")
        if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
            return StoreError(f"{self.path} can't be written ({error}): choose another folder with --home")
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            return StoreError(f"{self.path} is held by another process: try again when that has ended")
        if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            return StoreError(f"{self.path} is damaged ({error}): move it away, or put a copy of it back")
        return StoreError(f"{self.path} can't be used: {error}")

    def close(self) -> None:
        self._connection.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
