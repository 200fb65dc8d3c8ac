"""Private folders that go with the process that made them; what a killed one left behind, the next one removes.

A folder is locked (flock(2)) as long as it is in use. The kernel lets go of the lock however the process ends, so that
a folder that can be locked belongs to nobody any more.
"""

from __future__ import annotations

import contextlib
import fcntl
import itertools
import os
import tempfile
from pathlib import Path

__all__ = ["Scratch", "clear", "remove"]

PREFIX = "arena358-"  # in a folder for everybody's temporary files


class Scratch:
    """A new folder, until it is closed; those beside it that were left behind are removed first.

    :param parent: where it is made; None: where temporary files go (``TMPDIR``).
    :param prefix: how its name begins, and the names of those that may have been left behind.
    """

    def __init__(self, parent: Path | None = None, prefix: str = PREFIX) -> None:
        parent = parent or Path(tempfile.gettempdir())
        clear(parent, prefix)
        self.path, self._lock = _locked(parent, prefix)

    def close(self) -> None:
        """Removes the folder and all in it."""
        remove(self.path)
        os.close(self._lock)

    def __enter__(self) -> Path:
        return self.path

    def __exit__(self, *_: object) -> None:
        self.close()


def _locked(parent: Path, prefix: str) -> tuple[Path, int]:
    """A new folder with its lock; one that was taken for left behind before it was locked is made again."""
    while True:
        path = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
        with contextlib.suppress(FileNotFoundError):
            lock = _open(path)
            with contextlib.suppress(OSError):  # where nothing can be locked, nothing is ever cleared
                fcntl.flock(lock, fcntl.LOCK_EX)
            if path.exists():
                return path, lock
            os.close(lock)


def clear(parent: Path, prefix: str = PREFIX) -> None:
    """Removes the folders of this user's that killed processes left behind in ``parent``."""
    for path in parent.glob(f"{prefix}*"):
        with contextlib.suppress(OSError):
            lock = _open(path)
            try:
                if os.fstat(lock).st_uid == os.geteuid():
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    remove(path)
            finally:
                os.close(lock)


def _open(folder: Path) -> int:
    return os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)


def remove(folder: Path) -> None:
    """Removes a folder, also one in which something may not be read or written, however deep it is.

    Folders in it are moved beside it first, so that no path gets too long. Links are not followed.
    """
    left, names = [folder], itertools.count()
    while left:
        place = left.pop()
        with contextlib.suppress(OSError):
            place.chmod(0o700)
            for path in list(place.iterdir()):
                if path.is_symlink() or not path.is_dir():
                    path.unlink()
                    continue
                path.chmod(0o700)
                left.append(path.rename(folder.with_name(f"{folder.name}.{next(names)}")))
            place.rmdir()
