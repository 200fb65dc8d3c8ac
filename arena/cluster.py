"""The tables of a league on a Dask cluster: sittings go out as futures, matches come back when a sitting is over.

Takes the place of ``arena.workers.Workers``. On the cluster's worker each sitting is played by a process of its own,
as on this machine, so whatever a bot does to it costs one sitting. Bots travel as archives, once to each worker, those
that join later included, and are verified there by their digest. docs/cluster.md says how to set one up.
"""

from __future__ import annotations

import io
import logging
import shutil
import tarfile
import tempfile
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from dataclasses import dataclass, replace
from importlib.metadata import version as installed
from pathlib import Path
from types import TracebackType
from typing import Any

from distributed import Client, KilledWorker, WorkerPlugin, get_worker

from arena.submission import digest
from arena.workers import ClusterGone, Ended, Lost, Workers
from referee.sandbox import SandboxError, usable_sandbox
from referee.sitting import Sitting
from referee.table import Played

__all__ = ["Cluster"]

DISTRIBUTION = "three-five-eight-arena"
CONNECT_S = 15
LOOK_EVERY_S = 1.0
AHEAD = 2  # sittings out for each thread, so that no worker waits for the next


# On the cluster's workers


@dataclass(frozen=True)
class Refusal:
    """Why a worker does not play a sitting: it is not set up for it."""

    worker: str
    why: str


class Bots(WorkerPlugin):
    """Takes the bots to each worker, and removes them from it at the end.

    :param archives: for each version its folder as a tar archive.
    """

    def __init__(self, league: str, archives: dict[str, bytes]) -> None:
        self.name = f"{DISTRIBUTION}-{league}"
        self._archives = archives

    def setup(self, worker: Any) -> None:
        for version, archive in self._archives.items():
            unpack(archive, version, bots_of(worker))

    def teardown(self, worker: Any) -> None:
        shutil.rmtree(bots_of(worker), ignore_errors=True)


def bots_of(worker: Any) -> Path:
    return Path(worker.local_directory, DISTRIBUTION)


def unpack(archive: bytes, version: str, bots: Path) -> None:
    """Unpacks a bot and looks whether it is what its version says.

    :raises ClusterGone: it is not.
    """
    folder = bots / version.replace(":", "-")
    if folder.exists():
        return
    bots.mkdir(exist_ok=True)
    new = Path(tempfile.mkdtemp(dir=bots))
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        tar.extractall(new, filter="fully_trusted")  # what the runner took in, and the digest proves it
    new.chmod(0o755)
    if digest(new) != version:
        shutil.rmtree(new)
        raise ClusterGone(f"a bot arrived damaged: it should be {version}")
    new.rename(folder)


def play_there(sitting: Sitting, version: str) -> tuple[list[Played], Lost | None] | Refusal:
    """Plays a sitting on the worker on which this is called.

    :param version: the version of the arena that the league is run with.
    :return: the matches that were played to their end, and what went wrong with the rest, if anything did.
    """
    worker = get_worker()
    try:
        if installed(DISTRIBUTION) != version:
            raise SandboxError(
                f"it has version {installed(DISTRIBUTION)} of the arena, the league is run with {version}"
            )
        usable_sandbox("require" if sitting.limits.sandbox == "bubblewrap" else "none")
    except SandboxError as unfit:
        return Refusal(worker.address, str(unfit))
    played: list[Played] = []
    with Workers(1) as workers:
        workers.begin(at_home(sitting, bots_of(worker)))
        while True:
            for news in workers.news(LOOK_EVERY_S):
                match news:
                    case Played():
                        played.append(news)
                    case Ended():
                        return played, None
                    case Lost():
                        return played, replace(news, sitting=sitting)


def at_home(sitting: Sitting, bots: Path) -> Sitting:
    """The sitting with the bots where they lie on this worker."""

    def moved(seat: Any) -> Any:
        if seat.program is None:
            return seat
        return replace(seat, program=replace(seat.program, folder=bots / seat.version.replace(":", "-")))

    first, second, third = map(moved, sitting.seats)
    return replace(sitting, seats=(first, second, third))


# Where the league is run


class Cluster:
    """A cluster's workers, as many sittings at once as they have threads. Use it as a context.

    :param address: the scheduler's, as ``tcp://scheduler:8786``.
    :param league: the league's name.
    :param bots: version and folder of each entrant that is a program.
    :raises ClusterGone: no scheduler answers there, or its workers can't take the bots.
    """

    job = staticmethod(play_there)

    def __init__(self, address: str, league: str, bots: Mapping[str, Path]) -> None:
        self._address = address
        self._bots = Bots(league, {version: packed(folder) for version, folder in bots.items()})
        self._out: dict[Future[Any], Sitting] = {}
        self._refused: dict[str, str] = {}
        self._threads = 0
        self._look_at = 0.0

    def __enter__(self) -> Cluster:
        logging.disable()  # Dask's loggers tell of lost connections with tracebacks; we with a sentence
        try:
            self._connect()
        except ClusterGone:
            logging.disable(logging.NOTSET)
            raise
        return self

    def _connect(self) -> None:
        try:
            self._client = Client(self._address, timeout=CONNECT_S, set_as_default=False)
        except (OSError, ValueError, TimeoutError) as failed:
            raise ClusterGone(f"no Dask scheduler answers at {self._address} ({failed!s:.200})") from None
        try:
            self._client.register_plugin(self._bots)
        except Exception as failed:  # noqa: BLE001  # what it is depends on the worker
            self._client.close()
            raise ClusterGone(f"the cluster's workers can't take the bots: {failed!s:.300}") from None

    @property
    def busy(self) -> bool:
        """Whether a sitting is out."""
        return bool(self._out)

    @property
    def free(self) -> bool:
        """Whether a sitting can be handed out now."""
        return len(self._out) < AHEAD * self._capacity()

    def _capacity(self) -> int:
        """The threads of the workers that play, looked at now and then: workers come and go."""
        if time.monotonic() >= self._look_at:
            threads = self._asked(self._client.nthreads)
            self._threads = sum(count for worker, count in threads.items() if worker not in self._refused)
            self._look_at = time.monotonic() + LOOK_EVERY_S
            if threads and not self._threads:
                worker, why = next(iter(self._refused.items()))
                raise ClusterGone(f"no worker of the cluster can play: {worker}: {why}")
        return self._threads

    def _asked(self, question: Any) -> Any:
        try:
            if self._client.status != "running":
                raise OSError("the connection is lost")
            return question()
        except (OSError, TimeoutError, CancelledError) as lost:
            raise ClusterGone(f"the scheduler at {self._address} is gone ({lost!s:.200})") from None

    def begin(self, sitting: Sitting) -> None:
        """Hands a sitting out to whichever worker is free first."""
        fit = [worker for worker in self._asked(self._client.nthreads) if worker not in self._refused]
        executor = self._client.get_executor(pure=False, **({"workers": fit} if self._refused else {}))
        self._out[executor.submit(self.job, sitting, installed(DISTRIBUTION))] = sitting

    def news(self, timeout_s: float) -> list[Played | Ended | Lost]:
        """What came back, as soon as something does; nothing after the timeout.

        :raises ClusterGone: the scheduler is gone, or no worker is fit to play.
        """
        if not self._out:
            time.sleep(timeout_s)
            return []
        done, _ = wait(self._out, timeout_s, FIRST_COMPLETED)
        if not done:
            self._asked(lambda: None)
        return [news for future in done for news in self._read(future, self._out.pop(future))]

    def _read(self, future: Future[Any], sitting: Sitting) -> Iterator[Played | Ended | Lost]:
        try:
            result = future.result()
        except KilledWorker:
            yield Lost(sitting, "it killed one worker of the cluster after the other", final=True)
            return
        except (CancelledError, OSError, TimeoutError) as gone:
            raise ClusterGone(f"the scheduler at {self._address} is gone ({gone!s:.200})") from None
        except Exception as failed:  # noqa: BLE001  # the cluster's own, or a worker without the arena
            yield Lost(sitting, f"a worker of the cluster could not play it: {type(failed).__name__}: {failed!s:.300}")
            return
        if isinstance(result, Refusal):
            self._refused[result.worker] = result.why
            self._look_at = 0.0
            self._capacity()
            self.begin(sitting)
            return
        played, lost = result
        yield from played
        yield lost or Ended(sitting)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for future in self._out:
            future.cancel()
        if self._client.status == "running" and not isinstance(error, ClusterGone):
            self._client.unregister_worker_plugin(self._bots.name)
        self._client.close()
        logging.disable(logging.NOTSET)


def packed(folder: Path) -> bytes:
    """A folder as a tar archive."""
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as tar:
        tar.add(folder, arcname=".")
    return archive.getvalue()
