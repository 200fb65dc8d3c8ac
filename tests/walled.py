"""Programs tried in the sandbox: what they said, how they ended, and that nothing of them was left."""

from __future__ import annotations

import asyncio
import functools
import os
import tempfile
import textwrap
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from referee.run import Program, Run

BOTS = Path(__file__).parent / "bots"
BOTH = ("bubblewrap", "none")


@dataclass(frozen=True)
class Outcome:
    """How a program ended (None: it was still running when its time was up) and what it wrote."""

    end: str | None
    said: str

    @property
    def words(self) -> list[str]:
        return self.said.split()


def tried(
    *command: str,
    sandbox: str = "bubblewrap",
    processes: bool = False,
    memory_mb: int = 512,
    folder: Path = BOTS,
    within_s: float = 30,
) -> Outcome:
    """What becomes of a program in the sandbox, or without one."""
    before = open_files()
    home = Path(tempfile.mkdtemp(prefix="walled-"))
    program = Program("a program", folder, command, processes, memory_mb)
    outcome = asyncio.run(_tried(program, sandbox, home, within_s))
    assert not home.exists()
    assert open_files() == before
    return outcome


async def _tried(program: Program, sandbox: str, home: Path, within_s: float) -> Outcome:
    run = Run(program, sandbox, home)
    try:
        await run.enter()
        members = run.members()
        end = await run.ended(within_s)
    finally:
        await run.stop()
    assert not any(map(alive, members))
    return Outcome(end, run.output_tail().decode(errors="replace"))


def python(code: str, **how: Any) -> Outcome:
    """What becomes of a few lines of Python in the sandbox."""
    return tried("python", "-c", textwrap.dedent(code), **how)


def alive(pid: int) -> bool:
    """Whether there is such a process, a zombie not counted."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def open_files() -> int:
    """How many descriptors this process holds."""
    return len(os.listdir("/proc/self/fd"))


def wait_until(true: Callable[[], object], within_s: float = 20) -> None:
    """Waits for something to become true; an assertion fails if it does not."""
    end = time.monotonic() + within_s
    while not true():
        assert time.monotonic() < end
        time.sleep(0.01)


async def until(true: Callable[[], object]) -> None:
    """Awaits that something becomes true; an assertion fails if it does not within 20 s."""
    for _ in range(4000):
        if true():
            return
        await asyncio.sleep(0.005)
    raise AssertionError("it did not become true")


def in_a_loop(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """A test that awaits, run in an event loop of its own."""

    @functools.wraps(test)
    def run(*arguments: Any, **named: Any) -> None:
        asyncio.run(test(*arguments, **named))

    return run
