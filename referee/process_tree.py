"""What the kernel says of a process and of all that descend from it (proc(5))."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import time
from pathlib import Path

__all__ = ["cpu_seconds", "descendants", "ending", "kill_tree", "marked", "resident_bytes", "send", "stop", "stop_tree"]

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


def _threads(pid: int) -> list[str]:
    try:
        return os.listdir(f"/proc/{pid}/task")
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
            stop(pid)
        told |= new
        os.sched_yield()
    return tree


def stop(pid: int) -> None:
    """Stops (SIGSTOP) a process at once.

    Each thread is told: one that computes is interrupted and stops them all. A signal to the process would go to its
    first thread, and the others compute until that one gets a processor.
    """
    if TGKILL is None:
        send(pid, signal.SIGSTOP)
        return
    for thread in _threads(pid):
        LIBC.syscall(TGKILL, pid, int(thread), signal.SIGSTOP)


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
