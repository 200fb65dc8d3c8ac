"""The worker processes of a league on this machine. One that dies takes only its own sitting with it.

(The pool of ``concurrent.futures`` breaks as a whole when a worker dies and doesn't say who was at fault; here each
worker has a line of its own, on which matches arrive as they finish.)
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, Pipe, wait
from types import TracebackType
from typing import Protocol

from referee.scratch import Scratch
from referee.sitting import Sitting
from referee.table import Played

__all__ = ["ClusterGone", "Ended", "Lost", "Tables", "Workers"]

STOP_WITHIN_S = 1.5


@dataclass(frozen=True)
class Ended:
    """A sitting was played to its end."""

    sitting: Sitting


@dataclass(frozen=True)
class Lost:
    """A sitting was not played to its end, for a reason that is no bot's: its worker died, or could not go on."""

    sitting: Sitting
    why: str
    no_space: bool = False
    final: bool = False
    """Whether it was tried often enough already."""


class ClusterGone(Exception):
    """A cluster can't be reached or can't play; one sentence. What is in the journal stays."""


@dataclass(frozen=True)
class Failed:
    """What a worker tells when it could not play a sitting to its end."""

    why: str
    no_space: bool


class Tables(Protocol):
    """Where sittings are played: worker processes of this machine, or those of a cluster."""

    @property
    def busy(self) -> bool:
        """Whether a sitting is being played."""

    @property
    def free(self) -> bool:
        """Whether a sitting can be begun at once."""

    def begin(self, sitting: Sitting) -> None:
        """Hands out a sitting."""

    def news(self, timeout_s: float) -> list[Played | Ended | Lost]:
        """What was played meanwhile, as soon as there is something; nothing after the timeout."""


@dataclass
class Worker:
    """One process, its line, and the sitting that it plays."""

    core: int | None
    sitting: Sitting | None = None
    scratch: Scratch = field(default_factory=Scratch)
    line: Connection = field(init=False)
    process: subprocess.Popen[bytes] = field(init=False)

    def __post_init__(self) -> None:
        self.line, theirs = Pipe()
        arguments = [str(theirs.fileno()), str(os.getpid()), *([] if self.core is None else [str(self.core)])]
        with (self.scratch.path / "errors").open("wb") as errors, theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-P", "-m", "arena.worker", *arguments],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=errors,
                stderr=errors,
                env={**os.environ, "TMPDIR": str(self.scratch.path)},
                process_group=0,  # Ctrl-C is for the runner, which then stops the workers
            )

    def death(self) -> str:
        """Waits for the end of a process that has closed its line; says how it died and its last words."""
        code = self.process.wait()
        how = f"exit code {code}" if code >= 0 else f"signal {signal.Signals(-code).name}"
        words: list[str] = []
        with contextlib.suppress(FileNotFoundError), (self.scratch.path / "errors").open("rb") as errors:
            errors.seek(max(0, errors.seek(0, os.SEEK_END) - 2000))
            words = errors.read().decode("utf-8", "replace").strip().splitlines()
        return f"its worker process ended with {how}" + (f": {words[-1]}" if words else "")

    def clear(self) -> None:
        """Removes what a process that has ended left behind."""
        self.line.close()
        self.scratch.close()


class Workers:
    """Up to ``jobs`` processes, each of which plays one sitting at a time. Use it as a context."""

    def __init__(self, jobs: int) -> None:
        cores = sorted(os.sched_getaffinity(0))
        # A league that has the whole machine gives each table a core of its own.
        self._cores: list[int | None] = [cores[i % len(cores)] if jobs >= len(cores) else None for i in range(jobs)]
        self._workers: list[Worker] = []

    @property
    def busy(self) -> bool:
        """Whether a sitting is being played."""
        return any(worker.sitting for worker in self._workers)

    @property
    def free(self) -> bool:
        """Whether a sitting can be begun at once."""
        return bool(self._cores) or any(worker.sitting is None for worker in self._workers)

    def begin(self, sitting: Sitting) -> None:
        """Hands a sitting to a worker that is free."""
        worker = next((worker for worker in self._workers if worker.sitting is None), None)
        if worker is None:
            worker = Worker(self._cores.pop(0))
            self._workers.append(worker)
        worker.sitting = sitting
        with contextlib.suppress(ConnectionError):  # it died while it waited: that is noticed when its line is read
            worker.line.send(sitting)

    def news(self, timeout_s: float) -> list[Played | Ended | Lost]:
        """What the workers tell, as soon as one does; nothing after the timeout."""
        lines = {worker.line: worker for worker in self._workers if worker.sitting}
        return [self._read(lines[line]) for line in wait(list(lines), timeout_s) if isinstance(line, Connection)]

    def _read(self, worker: Worker) -> Played | Ended | Lost:
        sitting = worker.sitting
        assert sitting
        try:
            news = worker.line.recv()
        except (EOFError, ConnectionError):
            self._workers.remove(worker)
            self._cores.insert(0, worker.core)
            lost = Lost(sitting, worker.death())
            worker.clear()
            return lost
        if isinstance(news, Played):
            return news
        worker.sitting = None
        return Lost(sitting, news.why, news.no_space) if isinstance(news, Failed) else Ended(sitting)

    def __enter__(self) -> Workers:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Ends all processes and what they started: asks, and then does not wait long."""
        try:
            for worker in self._workers:
                worker.process.terminate()
            until = time.monotonic() + STOP_WITHIN_S
            for worker in self._workers:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    worker.process.wait(max(0.0, until - time.monotonic()))
        finally:
            for worker in self._workers:
                worker.process.kill()
                worker.process.wait()
                worker.clear()
