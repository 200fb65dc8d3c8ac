"""Takes in what a stranger submits: a folder, a .zip or a .tar.gz, copied out under bounds, and its digest.

Whatever the form, a submission is a set of regular files with relative names. Empty folders, ``__pycache__`` and the
like don't count, so that a folder and the archive of it have the same digest.
"""

from __future__ import annotations

import errno
import gzip
import hashlib
import io
import lzma
import os
import stat
import struct
import tarfile
import unicodedata
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, BinaryIO, NamedTuple

from arena.manifest import MANIFEST
from arena.store import FILE

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

__all__ = ["SubmissionError", "digest", "make_read_only", "refuse_our_names", "take_in"]

MAX_BYTES = 50 * 1024 * 1024
MAX_ENTRIES = 10_000
MAX_DEPTH = 32
MAX_PATH = 400
CHUNK = 64 * 1024
LEFT_OUT = {"__pycache__", ".git", ".mypy_cache", ".pytest_cache", ".ruff_cache", "__MACOSX", ".DS_Store"}
# Top-level packages of the arena: a submission with one of its own would shadow ours.
OURS = {"protocol", "referee", "arena"}
CODE = {".py", ".pyc", ".pyi", ".so"}
# What the readers of archives raise when the bytes make no sense (an ``OSError`` then has no number, or EINVAL).
DAMAGED: tuple[type[Exception], ...] = (
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    ValueError,
    LookupError,
    OverflowError,
    OSError,
)


class SubmissionError(ValueError):
    """Why a submission is refused, in one sentence."""


class Entry(NamedTuple):
    """One entry of a submission: a file's content can be read until the next entry is asked for."""

    name: str
    executable: bool
    content: IO[bytes] | None
    """None for a folder."""


def take_in(source: Path, into: Path) -> None:
    """Copies a submission's files into the empty folder ``into``; a single enclosing folder is taken off.

    :raises SubmissionError: it is not one, or breaks a bound.
    """
    intake = Intake(into)
    try:
        for entry in _entries(source):
            intake.add(entry)
    except SubmissionError:
        raise
    except RuntimeError:
        raise SubmissionError(
            f"{_shown(source.name)} is encrypted or packed in an unusual way: pack it again"
        ) from None
    except DAMAGED as error:
        if isinstance(error, OSError) and error.errno not in (None, errno.EINVAL):
            raise
        raise SubmissionError(f"{_shown(source.name)} is damaged: {_shown(error)}") from None
    _take_off_enclosing_folder(source, into)
    refuse_our_names(into)


def digest(folder: Path) -> str:
    """``sha256:…`` over the folder's files, sorted by name.

    For each file: its relative name in UTF-8, a zero byte, ``x`` if it is executable else ``-``, its length in decimal
    digits, a zero byte, its content. (A build step can leave links: ``l`` and where they lead. Nothing follows them.)
    """
    sha = hashlib.sha256()
    files = {os.path.relpath(path, folder): path for path in walk(folder)}
    for name, path in sorted(files.items()):
        state = path.lstat()
        kind = "l" if stat.S_ISLNK(state.st_mode) else "x" if state.st_mode & stat.S_IXUSR else "-"
        sha.update(os.fsencode(f"{name}\0{kind}{state.st_size}\0"))
        if kind == "l":
            sha.update(os.fsencode(path.readlink()))
        elif stat.S_ISREG(state.st_mode):
            with path.open("rb") as content:
                while chunk := content.read(CHUNK):
                    sha.update(chunk)
    return f"sha256:{sha.hexdigest()}"


def walk(folder: Path) -> Iterator[Path]:
    """All that is in a folder but for folders, links never followed."""
    for place, folders, names in os.walk(folder):
        yield from (Path(place, name) for name in names)
        yield from (path for name in folders if (path := Path(place, name)).is_symlink())


@dataclass
class Intake:
    """Writes entries into a folder, and refuses those that break a bound."""

    into: Path
    entries: int = 0
    size: int = 0
    folders: dict[str, str] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)

    def add(self, entry: Entry) -> None:
        self.entries += 1
        if self.entries > MAX_ENTRIES:
            raise SubmissionError(f"there are more than {MAX_ENTRIES:,} files and folders in it")
        parts = _parts(entry.name)
        if not parts or LEFT_OUT & set(parts):
            return
        for end in range(1, len(parts)):
            self._folder("/".join(parts[:end]))
        name = "/".join(parts)
        if entry.content is None:
            self._folder(name)
        else:
            self._file(name)
            self._write(self.into.joinpath(*parts), entry.content, entry.executable)

    def _folder(self, name: str) -> None:
        known = self.folders.setdefault(_folded(name), name)
        if known != name or _folded(name) in self.files:
            raise SubmissionError(f"two names in it differ only in case or kind: {_shown(name)}")

    def _file(self, name: str) -> None:
        if _folded(name) in self.files or _folded(name) in self.folders:
            raise SubmissionError(f"{_shown(name)} is in it twice, or two names differ only in case or kind")
        self.files[_folded(name)] = name

    def _write(self, path: Path, content: IO[bytes], executable: bool) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("xb") as file:
            while chunk := content.read(CHUNK):
                self.size += len(chunk)
                if self.size > MAX_BYTES:
                    raise SubmissionError(f"it is larger than {MAX_BYTES // 1024**2} MB unpacked")
                file.write(chunk)
        path.chmod(0o755 if executable else 0o644)


def _parts(name: str) -> list[str]:
    """The components of an entry's name, ``.`` left out; the name must be relative, printable and not too long."""
    if name.startswith("/") or "\\" in name:
        raise SubmissionError(f"{_shown(name)} is not a relative path with '/' between folders")
    parts = [part for part in name.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise SubmissionError(f"{_shown(name)} climbs out of the folder with '..'")
    if len(parts) > MAX_DEPTH:
        raise SubmissionError(f"{_shown(name)} lies more than {MAX_DEPTH} folders deep")
    try:
        too_long = len(name.encode()) > MAX_PATH or any(len(part.encode()) > 255 for part in parts)
    except UnicodeEncodeError:
        raise SubmissionError(f"the name {_shown(name)} is not UTF-8") from None
    if too_long:
        raise SubmissionError(f"the name {_shown(name)} is longer than {MAX_PATH} bytes")
    if not name.isprintable():
        raise SubmissionError(f"the name {_shown(name)} contains an invisible character")
    return parts


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def _shown(what: object) -> str:
    return repr(ascii(str(what))[1:-1][:100])


def _entries(source: Path) -> Iterator[Entry]:
    if not source.exists():
        raise SubmissionError(f"{_shown(source)} does not exist")
    if source.is_dir():
        return _folder_entries(source)
    if source.is_file() and source.suffix.lower() == ".zip":
        return _zip_entries(source)
    if source.is_file() and source.name.lower().endswith((".tar.gz", ".tgz")):
        return _tar_entries(source)
    raise SubmissionError(f"{_shown(source.name)} is neither a folder nor a .zip or .tar.gz file")


def _folder_entries(folder: Path, prefix: str = "") -> Iterator[Entry]:
    for item in sorted(os.scandir(folder), key=lambda item: item.name):
        name = prefix + item.name
        if item.name in LEFT_OUT or Path(item.path, FILE).is_file():  # or a home, where the arena is called from here
            continue
        if item.is_symlink():
            raise SubmissionError(f"{_shown(name)} is a link: put the file itself there")
        if item.is_dir(follow_symlinks=False):
            yield Entry(name, False, None)
            yield from _folder_entries(Path(item.path), name + "/")
        elif item.is_file(follow_symlinks=False):
            with os.fdopen(os.open(item.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as content:
                yield Entry(name, bool(os.fstat(content.fileno()).st_mode & stat.S_IXUSR), content)
        else:
            raise SubmissionError(f"{_shown(name)} is neither a file nor a folder")


def _zip_entries(source: Path) -> Iterator[Entry]:
    with source.open("rb") as file:
        _refuse_large_directory(file)
        with zipfile.ZipFile(file) as archive:
            for info in archive.infolist():
                mode = info.external_attr >> 16
                kind = stat.S_IFMT(mode)
                if info.orig_filename.endswith("/"):
                    yield Entry(info.orig_filename, False, None)
                elif kind in (0, stat.S_IFREG):
                    with archive.open(info) as content:
                        yield Entry(info.orig_filename, bool(mode & stat.S_IXUSR), content)
                else:
                    raise SubmissionError(f"{_shown(info.filename)} is a link or a device: put the file itself there")


def _refuse_large_directory(file: BinaryIO) -> None:
    """Refuses a .zip whose list of files alone would fill the memory; ``zipfile`` reads it whole."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - 65_557))
    end = file.read()
    at = end.rfind(b"PK\x05\x06")
    directory_bytes = int.from_bytes(end[at + 12 : at + 16], "little")
    if at >= 0 and directory_bytes > MAX_ENTRIES * (MAX_PATH + 100):
        raise SubmissionError(f"there are more than {MAX_ENTRIES:,} files and folders in it")


def _tar_entries(source: Path) -> Iterator[Entry]:
    with (
        gzip.open(source) as unzipped,
        io.BufferedReader(Bounded(unzipped), CHUNK) as bounded,
        tarfile.open(fileobj=bounded, mode="r|") as archive,
    ):
        for member in archive:
            if member.isdir():
                yield Entry(member.name, False, None)
            elif member.isreg() and not member.issparse():
                content = archive.extractfile(member)
                yield Entry(member.name, bool(member.mode & stat.S_IXUSR), content)
            else:
                raise SubmissionError(f"{_shown(member.name)} is a link or a device: put the file itself there")


class Bounded(io.RawIOBase):
    """What ``tarfile`` reads an archive from: it ends the reading when far more comes than may be unpacked.

    (A header can ask ``tarfile`` to read gigabytes as a file's name.)
    """

    def __init__(self, source: gzip.GzipFile) -> None:
        self.source = source
        self.left = MAX_BYTES + MAX_ENTRIES * 1024

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        size = self.source.readinto(buffer)
        self.left -= size
        if self.left <= 0:
            raise SubmissionError(f"it is larger than {MAX_BYTES // 1024**2} MB unpacked")
        return size


def _take_off_enclosing_folder(source: Path, into: Path) -> None:
    if (into / MANIFEST).is_file():
        return
    top = list(into.iterdir())
    if len(top) != 1 or not (top[0] / MANIFEST).is_file():
        raise SubmissionError(f"there is no {MANIFEST} in {_shown(source.name)}: write one that names bot and command")
    enclosing = top[0].rename(into.with_name(into.name + ".enclosing"))
    into.rmdir()
    enclosing.rename(into)


def refuse_our_names(folder: Path) -> None:
    """Looks whether anything would hide the arena's own packages from the bot.

    :raises SubmissionError: something would.
    """
    for item in folder.iterdir():
        stem = item.name.split(".")[0].lower()
        if stem in OURS and (item.is_dir() or item.is_symlink() or item.suffix.lower() in CODE):
            raise SubmissionError(f"{_shown(item.name)} would hide the arena's own {stem}: give it another name")


def make_read_only(folder: Path) -> None:
    """Takes the right to write from a folder and all in it. A link stays as it is, and so does what it leads to."""
    for place, _, names in os.walk(folder):
        Path(place).chmod(0o555)
        for path in (Path(place, name) for name in names):
            if not path.is_symlink():
                path.chmod(path.stat().st_mode & 0o555)
