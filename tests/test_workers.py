"""Worker processes play real sittings; whatever ends them, nothing of them or their bots is left."""

from __future__ import annotations

import os
import pickle
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from arena.entrants import submit
from arena.league import begin_league, to_play
from arena.options import Wish
from arena.store import Store
from arena.workers import Ended, Lost, Workers
from referee.sitting import Sitting
from referee.table import Played
from tests.home import SAMPLES, no_build

NEWS_S = 30.0


@pytest.fixture
def sittings(tmp_path: Path) -> list[Sitting]:
    with Store(tmp_path / "home") as store:
        for name in ("random", "first-legal", "high-card"):
            submit(store, SAMPLES / name, False, no_build)
        return to_play(begin_league(store, "demo", Wish(boards=2, seed=bytes(32), sandbox="none"), b""))


@pytest.fixture(autouse=True)
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A short folder for sockets, which must be empty at the end, and no process may remain that has it as its own."""
    folder = Path(f"/tmp/t{os.getpid()}")
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    monkeypatch.setenv("TMPDIR", str(folder))
    yield folder
    try:
        assert until(lambda: not processes_with(str(folder))), processes_with(str(folder))
        assert until(lambda: not list(folder.iterdir())), list(folder.iterdir())
    finally:
        shutil.rmtree(folder)


def processes_with(text: str) -> list[str]:
    """The command lines of the processes that have a text in their environment, this one left out."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if int(process.name) != os.getpid() and text.encode() in (process / "environ").read_bytes():
                found.append((process / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        except OSError:
            continue
    return found


def until(condition: Callable[[], bool], timeout_s: float = 5.0) -> bool:
    end = time.monotonic() + timeout_s
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def news(workers: Workers) -> Iterator[Played | Ended | Lost]:
    while workers.busy:
        found = workers.news(NEWS_S)
        assert found, "the workers are silent"
        yield from found


def test_matches_arrive_one_by_one_and_then_the_end(sittings: list[Sitting]) -> None:
    with Workers(1) as workers:
        workers.begin(sittings[0])
        assert not workers.free
        told = list(news(workers))
        assert workers.free
    assert [type(one) for one in told] == [Played, Played, Ended]
    assert [one.record["match"] for one in told if isinstance(one, Played)] == ["demo/0/0", "demo/1/0"]
    assert not any(one.record["faults"] for one in told if isinstance(one, Played))


def test_a_worker_that_dies_loses_its_own_sitting_only(sittings: list[Sitting]) -> None:
    with Workers(2) as workers:
        for sitting in sittings[:2]:
            workers.begin(sitting)
        first = next(news(workers))
        assert isinstance(first, Played)
        victim = next(worker for worker in workers._workers if worker.sitting == sittings[1])
        victim.process.kill()
        told = list(news(workers))
        lost = [one for one in told if isinstance(one, Lost)]
        assert [(one.sitting, one.why) for one in lost] == [
            (sittings[1], "its worker process ended with signal SIGKILL")
        ]
        assert [one.sitting for one in told if isinstance(one, Ended)] == [sittings[0]]
        workers.begin(sittings[1])
        assert isinstance(list(news(workers))[-1], Ended)


def test_what_a_worker_can_not_play_is_told_and_it_goes_on(sittings: list[Sitting]) -> None:
    with Workers(1) as workers:
        workers.begin("no sitting")  # type: ignore[arg-type]
        (lost,) = news(workers)
        assert isinstance(lost, Lost)
        assert "AttributeError" in lost.why
        assert not lost.no_space
        workers.begin(sittings[0])
        assert isinstance(list(news(workers))[-1], Ended)


def test_leaving_ends_everything_at_once(sittings: list[Sitting]) -> None:
    with Workers(2) as workers:
        for sitting in sittings[:2]:
            workers.begin(sitting)
        next(news(workers))
    assert not workers._workers[0].scratch.path.exists()


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM], ids=lambda end: end.name)
def test_workers_and_bots_end_with_their_runner(sittings: list[Sitting], tmp_path: Path, end: signal.Signals) -> None:
    (tmp_path / "sittings").write_bytes(pickle.dumps(sittings))
    script = (
        "import pickle, sys; from arena.workers import Workers\n"
        "workers = Workers(2)\n"
        "for sitting in pickle.load(open(sys.argv[1], 'rb'))[:2]: workers.begin(sitting)\n"
        "workers.news(30); print('playing'); sys.stdout.flush()\n"
        "while True: workers.news(30)"
    )
    command = [sys.executable, "-c", script, str(tmp_path / "sittings")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as runner:
        assert runner.stdout
        assert runner.stdout.readline() == "playing\n"
        runner.send_signal(end)
