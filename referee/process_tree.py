"""What the kernel says of a process and of all that descend from it (proc(5))."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import time
from collections.abc import Sequence
from pathlib import Path

__all__ = [
    "Threads",
    "cpu_seconds",
    "descendants",
    "ending",
    "kill_tree",
    "marked",
    "resident_bytes",
    "send",
    "stop_tree",
]

PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
CPU_CLOCK = 2  # the process-wide scheduler clock in a clock id made from a pid, clock_getcpuclockid(3)
LIBC = ctypes.CDLL(None)
TGKILL = {"x86_64": 234, "aarch64": 131}.get(os.uname().machine)  # Python can't signal another process's thread
PF_EXITING = 0x4  # linux/sched.h
GONE = ("Z", "X")
STOPPED = ("T", "t", *GONE)
PATIENCE_S = 0.1  # for a tree that is being stopped and still grows


def descendants(root: int) -> list[int]:
    """Process ids of ``root`` and all below it, parents first; those that end meanwhile may be missing."""
    tree = [root]
    for pid in tree:
        for thread in _threads(pid):
            with contextlib.suppress(OSError):
                tree += [int(child) for child in Path(f"/proc/{pid}/task/{thread}/children").read_bytes().split()]
    return tree


def _threads(pid: int) -> list[int]:
    try:
        return [int(thread) for thread in os.listdir(f"/proc/{pid}/task")]
    except OSError:
        return []


def stop_tree(root: int) -> list[int]:
    """Stops (SIGSTOP) everything from ``root`` down. What is stopped can't fork; forks under way are waited for."""
    told: set[int] = set()
    tree: list[int] = []
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        at_rest = bool(tree) and all(_stat(pid)[0] in STOPPED for pid in tree)
        tree = descendants(root)
        new = set(tree) - told
        if at_rest and not new:
            break
        for pid in new:
            _stop(pid, _threads(pid))
        told |= new
        os.sched_yield()
    return tree


def _stop(pid: int, threads: Sequence[int]) -> bool:
    """Stops (SIGSTOP) a process at once; says whether all these threads were there.

    Each thread is told: one that computes is interrupted and stops them all. A signal to the process would go to its
    first thread, and the others compute until that one gets a processor.
    """
    if TGKILL is None:
        send(pid, signal.SIGSTOP)
        return True
    failures = [LIBC.syscall(TGKILL, pid, thread, signal.SIGSTOP) for thread in threads]
    return not any(failures)


class Threads:
    """The threads of one process that is stopped again and again: read anew only when they have changed."""

    def __init__(self, pid: int) -> None:
        """:raises OSError: there is no such process."""
        self._pid = pid
        self._folder = os.open(f"/proc/{pid}/task", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        self._known: list[int] = []

    def stop(self) -> None:
        """Stops (SIGSTOP) them all; a process that has gone is none the worse for it."""
        with contextlib.suppress(OSError):
            # The kernel counts a thread as a link to this folder. As many as before, and all still there: the same.
            as_many = os.fstat(self._folder).st_nlink - 2 == len(self._known)
            if not (as_many and _stop(self._pid, self._known)):
                self._known = [int(thread) for thread in os.listdir(self._folder)]
                _stop(self._pid, self._known)

    def close(self) -> None:
        """Closes what is open; for the last time."""
        os.close(self._folder)


def kill_tree(root: int) -> None:
    """Kills (SIGKILL) everything from ``root`` down, at once."""
    for pid in stop_tree(root):
        send(pid, signal.SIGKILL)


def send(pid: int, number: signal.Signals) -> None:
    """Sends a signal; a process that has gone is none the worse for it."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


def marked(mark: bytes) -> list[int]:
    """The processes that were started with this entry, ``NAME=value``, in their environment."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if mark in path.read_bytes().split(b"\0"):
                found.append(int(path.parent.name))
    return found


def cpu_seconds(pid: int) -> float | None:
    """CPU seconds that a process has used in all its threads, from its own clock; None when it has gone."""
    try:
        return time.clock_gettime(~pid << 3 | CPU_CLOCK)
    except OSError:
        return None


def ending(pid: int) -> bool:
    """Whether a process has ended, or has begun to: it closes its files a moment before it is gone."""
    state, *fields = _stat(pid)
    return state in GONE or bool(int(fields[5]) & PF_EXITING)


def _stat(pid: int) -> list[str]:
    """The fields of /proc/PID/stat from the state on; a process that has gone is dead."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ["X"]


def resident_bytes(pid: int) -> int:
    """Bytes of memory in which a process's pages lie; 0 when it has gone."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_bytes().split()[1]) * PAGE_BYTES
    except (OSError, IndexError):
        return 0
