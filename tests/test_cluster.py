"""A league on a Dask cluster of real scheduler and worker processes on this machine: as local, whatever dies."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arena import cluster
from arena.cluster import Cluster, Refusal, packed, unpack
from arena.entrants import submit
from arena.journal import Journal
from arena.league import Progress, begin_league, run_league
from arena.options import Wish
from arena.store import Store
from arena.submission import digest
from arena.workers import ClusterGone
from tests.cluster_jobs import Murderous
from tests.home import ARENA, SAMPLES, CommandLine, arena, bot_folder, no_build, store_with, timeless

ROOT = Path(__file__).parents[1]
SEED = bytes(range(32)).hex()
ENVIRONMENT = {
    **os.environ,
    "PYTHONPATH": str(ROOT),
    "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "1",
    "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "3s",
}


class Dask:
    """A scheduler and workers on the loopback."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{self.port}"
        self.processes: list[subprocess.Popen[bytes]] = []

    def _start(self, *words: str) -> subprocess.Popen[bytes]:
        with (self.folder / f"{words[0]}.log").open("ab") as log:
            process = subprocess.Popen(
                [
                    sys.executable,
                    "-W",
                    "ignore",
                    "-m",
                    "distributed.cli.dask_" + words[0],
                    *words[1:],
                    "--no-dashboard",
                ],
                env=ENVIRONMENT,
                stdout=subprocess.DEVNULL,
                stderr=log,
                start_new_session=True,
            )
        self.processes.append(process)
        return process

    def scheduler(self) -> subprocess.Popen[bytes]:
        process = self._start("scheduler", "--host", "127.0.0.1", "--port", str(self.port))
        until = time.monotonic() + 20
        while time.monotonic() < until:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return process
            time.sleep(0.05)
        raise AssertionError("the scheduler did not start")

    def worker(self) -> subprocess.Popen[bytes]:
        place = self.folder / f"worker{len(self.processes)}"
        return self._start(
            "worker", self.address, "--host", "127.0.0.1", "--nthreads", "1", "--no-nanny", "--death-timeout", "20",
            "--local-directory", str(place),
        )  # fmt: skip

    def stop(self) -> None:
        for process in self.processes:
            process.terminate()
        for process in self.processes:
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


@pytest.fixture
def dask(tmp_path: Path) -> Iterator[Dask]:
    running = Dask(tmp_path)
    yield running
    running.stop()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    with Store(tmp_path / "home") as store:
        for name in ("random", "first-legal", "high-card"):
            submit(store, SAMPLES / name, False, no_build)
    return tmp_path / "home"


@pytest.fixture
def run(home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    return CommandLine(home, capsys, monkeypatch)


def league_of_one_match(tmp_path: Path) -> Journal:
    store = store_with(tmp_path, "ada", "bob", "cyd")
    return begin_league(store, "demo", Wish(boards=1, seatings=1, sandbox="none"), b"s" * 32)


class Running:
    """``arena run`` on the cluster, in the background."""

    def __init__(self, home: Path, dask: Dask, boards: int) -> None:
        self.home = home
        self._said = dask.folder / "stderr"
        words = ["--boards", str(boards), "--seed", SEED, "--cluster", dask.address, "--home", str(home)]
        with self._said.open("wb") as said:
            self._process = subprocess.Popen([ARENA, "run", "far", *words], stdout=subprocess.DEVNULL, stderr=said)

    def end(self) -> tuple[int, str]:
        """Waits for exit code and stderr."""
        return self._process.wait(90), self._said.read_text("utf-8")

    def wait_for(self, matches: int) -> None:
        while played(self.home, "far") < matches:
            assert self._process.poll() is None, self._said.read_text("utf-8")
            time.sleep(0.2)


def records(home: Path, league: str) -> list[dict[str, Any]]:
    lines = arena(home, "export", league).stdout.splitlines()
    found = [timeless(json.loads(line)) for line in lines]
    for record in found:
        record["match"] = record["match"].split("/", 1)[1]
    return found


def played(home: Path, league: str) -> int:
    return len(arena(home, "export", league).stdout.splitlines())


def test_a_league_on_a_cluster_has_the_records_of_a_local_one(home: Path, dask: Dask) -> None:
    dask.scheduler()
    dask.worker()
    dask.worker()
    assert Running(home, dask, 2).end() == (0, "")
    assert arena(home, "run", "near", "--boards", "2", "--seed", SEED).returncode == 0
    assert records(home, "far") == records(home, "near")
    assert arena(home, "verify", "far").stdout == "12 matches verified\n"


def test_workers_come_and_go_and_nothing_is_lost_or_played_twice(home: Path, dask: Dask) -> None:
    dask.scheduler()
    first = dask.worker()
    league = Running(home, dask, 3)
    league.wait_for(3)
    first.kill()
    dask.worker()
    assert league.end()[0] == 0
    assert len({record["match"] for record in records(home, "far")}) == 18


def test_a_scheduler_that_dies_interrupts_the_league_which_can_be_resumed(home: Path, dask: Dask) -> None:
    scheduler = dask.scheduler()
    dask.worker()
    league = Running(home, dask, 3)
    league.wait_for(3)
    scheduler.kill()
    scheduler.wait()
    code, said = league.end()
    assert code == 3, said
    assert f"the scheduler at {dask.address} is gone" in said
    assert "go on with: arena run far" in said
    assert "Traceback" not in said
    assert played(home, "far") >= 3
    assert arena(home, "run", "far").returncode == 0  # here, this time
    assert len({record["match"] for record in records(home, "far")}) == played(home, "far") == 18


def test_a_sitting_that_kills_its_workers_is_set_aside_with_the_reason(tmp_path: Path, dask: Dask) -> None:
    dask.scheduler()
    for _ in range(3):
        dask.worker()
    journal = league_of_one_match(tmp_path)
    shown: list[Progress] = []
    run_league(journal, Murderous(dask.address, journal.name, {}), shown.append, here=False)
    ((board, seating, why),) = journal.aside()
    assert (board, seating) == (0, 0)
    assert "killed one worker of the cluster after the other" in why
    assert journal.ended is None


def test_no_scheduler_is_a_sentence(home: Path, dask: Dask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "CONNECT_S", 1)
    with (
        pytest.raises(ClusterGone, match=r"no Dask scheduler answers at tcp://127\.0"),
        Cluster(dask.address, "x", {}),
    ):
        pass


def test_a_worker_with_another_version_refuses_and_nobody_else_means_the_end(
    tmp_path: Path, dask: Dask, monkeypatch: pytest.MonkeyPatch
) -> None:
    dask.scheduler()
    dask.worker()
    journal = league_of_one_match(tmp_path)
    monkeypatch.setattr(cluster, "installed", lambda name: "9.9")
    sentence = (
        r"no worker of the cluster can play: tcp://.*: it has version 0.1.0 of the arena, the league is run with 9.9"
    )
    with pytest.raises(ClusterGone, match=sentence):
        run_league(journal, Cluster(dask.address, journal.name, {}), lambda progress: None, here=False)


def test_a_bot_is_verified_where_it_arrives(tmp_path: Path) -> None:
    folder = bot_folder(tmp_path, "traveller")
    archive, version = packed(folder), digest(folder)
    unpack(archive, version, tmp_path / "bots")
    (arrived,) = (tmp_path / "bots").iterdir()
    assert digest(arrived) == version
    unpack(archive, version, tmp_path / "bots")  # once is enough
    with pytest.raises(ClusterGone, match="arrived damaged"):
        unpack(archive, "sha256:" + "0" * 64, tmp_path / "bots")
    assert [path.name for path in (tmp_path / "bots").iterdir()] == [arrived.name]


def test_a_refusal_is_told_with_the_worker() -> None:
    assert Refusal("tcp://a:1", "why").worker == "tcp://a:1"


def test_a_league_is_begun_and_entered_only_when_the_cluster_is_reached(
    run: CommandLine, home: Path, dask: Dask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "CONNECT_S", 1)
    where = ("--cluster", dask.address)
    code, _, err = run("run", "far", "--boards", "1", *where)
    assert (code, err.count("\n")) == (2, 1)
    assert err.startswith(f"no Dask scheduler answers at {dask.address}")
    assert err.endswith("; the league was not begun\n")
    assert run("leagues")[1].count("\n") == 2  # its home, and the head of an empty table

    assert run("run", "far", "--boards", "1", "--seatings", "1", "--bots", "random,first-legal,high-card")[0] == 0
    with Store(home) as store:
        submit(store, bot_folder(home.parent, "ada"), False, no_build)
    code, out, err = run("run", "far", "--add", "ada", *where)
    assert code == 3
    assert f"go on with: arena run far --cluster {dask.address}" in err
    assert "ada has entered" not in out
    assert "1 of 1" in run("leagues")[1]
