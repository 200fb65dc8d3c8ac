"""The bots of a home: submitted, listed, withdrawn, disqualified.

Their files lie read-only under ``bots/<digest>/``; the store says whose they are.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from arena.connection import connection
from arena.manifest import MANIFEST, Manifest, ManifestError, read_manifest
from arena.store import INCOMING, Damaged, Store
from arena.submission import SubmissionError, digest, make_read_only, take_in
from referee.bot_process import Program
from referee.dial import Seated
from referee.record import read_json
from referee.scratch import Scratch

__all__ = [
    "Entrant",
    "EntrantError",
    "Receipt",
    "disqualify",
    "entrant",
    "entrants",
    "folder_of",
    "received",
    "seat_of",
    "submit",
    "withdraw",
]

Build = Callable[[Path, tuple[str, ...]], None]
Check = Callable[[Path, Manifest], None]


class EntrantError(ValueError):
    """Why a bot can't be entered, found or changed, in one sentence."""


@dataclass(frozen=True)
class Entrant:
    """A bot in its current version."""

    manifest: Manifest
    version: str
    """``sha256:…`` of what was submitted."""
    submitted: str
    """When, in UTC."""
    withdrawn: bool = False
    disqualified: str | None = None
    """Why it was disqualified, None if it was not."""

    @property
    def name(self) -> str:
        return self.manifest.name


@dataclass(frozen=True)
class Receipt:
    """What a submission came to."""

    entrant: Entrant
    outcome: str
    """``new``, ``new version``, ``unchanged`` or ``back`` (it had been withdrawn)."""


def submit(store: Store, source: Path, replace_other: bool, build: Build, check: Check | None = None) -> Receipt:
    """Takes a folder or an archive in as a bot, or as the new version of one.

    :param replace_other: also if the name is another author's, or was disqualified.
    :param build: runs a build step in a folder; it raises ``EntrantError`` if that fails.
    :param check: raises ``EntrantError`` if the bot, as it will be stored, is not fit to play.
    :raises EntrantError: it is refused; then nothing has changed.
    """
    bots = store.home / "bots"
    bots.mkdir(exist_ok=True)
    with Scratch(bots, INCOMING) as incoming:
        folder = incoming / "bot"
        folder.mkdir()
        manifest, version = received(source, folder)
        before = entrant(store, manifest.name) if _known(store, manifest.name) else None
        _refuse_anothers(manifest, before, replace_other)
        known = intact(store, version)
        if manifest.build and not known:
            build(folder, manifest.build)
        if check and not (before and before.version == version):
            check(folder_of(store, version) if known else folder, manifest)
        if not known:
            _put_away(store, folder, version, manifest)
        _enter(store, manifest, version)
        return Receipt(entrant(store, manifest.name), _outcome(before, version))


def received(source: Path, folder: Path) -> tuple[Manifest, str]:
    """Takes a folder or an archive into an empty folder; gives its manifest and its version.

    :raises EntrantError: it is refused.
    """
    try:
        take_in(source, folder)
        manifest = read_manifest((folder / MANIFEST).read_bytes())
        connection(manifest, folder)
    except (SubmissionError, ManifestError) as refusal:
        raise EntrantError(str(refusal)) from None
    return manifest, digest(folder)


def seat_of(manifest: Manifest, version: str, folder: Path) -> Seated:
    """A bot as a sitting needs it: started in its folder, or dialled where its author runs it."""
    name = manifest.name
    if manifest.address:
        known = connection(manifest, folder)
        return Seated(name, version, None, manifest.address, manifest.tls, known.token, known.ca)
    return Seated(name, version, Program(name, folder, manifest.command, manifest.processes))


def _refuse_anothers(manifest: Manifest, before: Entrant | None, replace_other: bool) -> None:
    if before is None or replace_other:
        return
    if before.manifest.author != manifest.author:
        raise EntrantError(
            f"there is a bot {manifest.name} by {before.manifest.author} already: choose another name, or replace it "
            "with --replace"
        )
    if before.disqualified is not None:
        raise EntrantError(f"{manifest.name} was disqualified ({before.disqualified}): --replace admits it again")


def _put_away(store: Store, folder: Path, version: str, manifest: Manifest) -> None:
    """Moves a bot's files to their place in one step."""
    stored = digest(folder)
    make_read_only(folder)
    place = folder_of(store, version)
    if place.exists():  # left by an interrupted submission, or damaged
        place.chmod(0o755)
        place.rename(folder.parent / "old")
    folder.chmod(0o700)  # a folder that can't be written can't be moved
    folder.rename(place)
    place.chmod(0o500 if manifest.address else 0o555)  # a token may lie in it
    store.change(
        "INSERT INTO versions VALUES (?, ?, ?, ?) ON CONFLICT (digest) DO UPDATE SET stored = excluded.stored",
        *(version, stored, json.dumps(asdict(manifest)), _now()),
    )


def _enter(store: Store, manifest: Manifest, version: str) -> None:
    store.change(
        "INSERT INTO bots (name, author, version) VALUES (?, ?, ?) ON CONFLICT (name) DO UPDATE "
        "SET author = excluded.author, version = excluded.version, withdrawn = 0, disqualified = NULL",
        *(manifest.name, manifest.author, version),
    )


def _outcome(before: Entrant | None, version: str) -> str:
    if before is None:
        return "new"
    if before.version != version:
        return "new version"
    return "back" if before.withdrawn or before.disqualified else "unchanged"


def folder_of(store: Store, version: str) -> Path:
    """Where a version's files lie."""
    return store.home / "bots" / version.removeprefix("sha256:")


def intact(store: Store, version: str) -> bool:
    """Whether a version's files are as they were stored."""
    row = store.row("SELECT stored FROM versions WHERE digest = ?", version)
    folder = folder_of(store, version)
    return row is not None and folder.is_dir() and digest(folder) == row[0]


SELECTED = "manifest, digest, submitted, withdrawn, disqualified FROM bots JOIN versions ON version = digest"


def entrants(store: Store) -> Iterator[Entrant]:
    """All bots by name, the withdrawn and disqualified ones too."""
    for row in store.rows(f"SELECT {SELECTED} ORDER BY name"):
        yield _entrant(*row)


def entrant(store: Store, name: str) -> Entrant:
    """A bot by its name.

    :raises EntrantError: there is none.
    """
    row = store.row(f"SELECT {SELECTED} WHERE name = ?", name)
    if row is None:
        raise EntrantError(f"there is no bot {name!r:.50}: arena bots lists those that were submitted")
    return _entrant(*row)


def _known(store: Store, name: str) -> bool:
    return store.row("SELECT 1 FROM bots WHERE name = ?", name) is not None


def _entrant(manifest: str, version: str, submitted: str, withdrawn: int, disqualified: str | None) -> Entrant:
    return Entrant(manifest_from_json(manifest), version, submitted, bool(withdrawn), disqualified)


def manifest_from_json(text: str) -> Manifest:
    """A manifest as the store keeps it."""
    try:
        kept: dict[str, Any] = read_json(text)
        return Manifest(**{**kept, **{name: tuple(kept[name]) for name in ("command", "build")}})
    except (ValueError, RecursionError, TypeError, KeyError):
        raise Damaged("a bot's manifest") from None


def withdraw(store: Store, name: str) -> None:
    """Keeps a bot out of later leagues, until it is submitted again."""
    store.change("UPDATE bots SET withdrawn = 1 WHERE name = ?", entrant(store, name).name)


def disqualify(store: Store, name: str, why: str) -> None:
    """Keeps a bot out of later leagues and sets its row apart in all; its matches stay.

    :raises EntrantError: there is no such bot, or no reason is given.
    """
    bot = entrant(store, name).name
    if not why.strip():
        raise EntrantError(f"why is {bot} disqualified? The standings show the reason: give one")
    store.change("UPDATE bots SET disqualified = ? WHERE name = ?", why, bot)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
