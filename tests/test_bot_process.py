"""Bots as real processes: until they listen, while they are stopped, and after their end."""

from __future__ import annotations

import asyncio
import os
import socket
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from referee.bot_process import BotProcess, Program, StartFailure
from referee.sandbox import SandboxError
from tests.walled import BOTH, BOTS, alive, in_a_loop, open_files, until

walls = pytest.mark.parametrize("sandbox", BOTH)
A_MOMENT_S = 0.005  # what holds a bot in its sandbox is told that it was stopped, and may compute that long


@asynccontextmanager
async def listening(
    mode: str, *arguments: str, sandbox: str, processes: bool = False, start_s: float = 10, memory_mb: int = 512
) -> AsyncIterator[BotProcess]:
    """A bot of tests/bots/listen.py, started; afterwards nothing of it is left."""
    before = open_files()
    home = Path(tempfile.mkdtemp(prefix="bot-"))
    program = Program("bot", BOTS, ("python", "listen.py", mode, *arguments), processes, memory_mb)
    process = BotProcess(program, sandbox, home)
    try:
        await process.start(start_s)
        members = process.members()
        yield process
    finally:
        await process.stop()
        assert home.name not in os.listdir(home.parent)
        assert open_files() == before
    assert not any(map(alive, members))


def dial(process: BotProcess) -> bool:
    """Whether somebody answers at the bot's address."""
    with socket.socket(socket.AF_UNIX) as client:
        return client.connect_ex(process.address.removeprefix("unix:")) == 0


def states(process: BotProcess) -> set[str]:
    """The states of all threads of the bot, not of what holds it in its sandbox: R running, S asleep, T stopped."""
    stats = [stat.read_text() for pid in process.members() for stat in Path(f"/proc/{pid}/task").glob("*/stat")]
    return {stat.rpartition(")")[2].split()[0] for stat in stats if "(bwrap)" not in stat}


# The start


@walls
@in_a_loop
async def test_bots_come_behind_the_referee(sandbox: str) -> None:
    """Hundreds of processes of theirs must not keep it from stopping them."""
    async with listening("idle", sandbox=sandbox) as process:
        ours = os.getpriority(os.PRIO_PROCESS, 0)
        members = [pid for pid in process.members() if "bwrap" not in command_line(str(pid))]
        bots = [os.getpriority(os.PRIO_PROCESS, pid) for pid in members]
        assert bots
        assert all(priority == min(ours + 10, 19) for priority in bots)


@walls
@pytest.mark.parametrize("mode", ["idle", "late"])
@in_a_loop
async def test_a_bot_is_ready_when_it_listens(sandbox: str, mode: str) -> None:
    async with listening(mode, sandbox=sandbox) as process:
        assert dial(process)
        assert process.exit is None


@walls
@in_a_loop
async def test_a_bot_that_ends_before_it_listens_did_not_start(sandbox: str) -> None:
    with pytest.raises(StartFailure, match="ended before it listened on ARENA_SOCKET: exit code 3"):
        async with listening("exits", sandbox=sandbox):
            pass


@walls
@pytest.mark.parametrize("mode", ["never", "bound_only", "file", "link"])
@in_a_loop
async def test_a_bot_that_does_not_listen_on_its_socket_did_not_start(sandbox: str, mode: str) -> None:
    with pytest.raises(StartFailure, match=r"did not listen on ARENA_SOCKET within 0\.5 s"):
        async with listening(mode, sandbox=sandbox, start_s=0.5):
            pass


@walls
@in_a_loop
async def test_a_link_put_in_the_sockets_place_leads_nowhere(sandbox: str) -> None:
    """The referee, who may do more than a bot, is not made to speak to whatever a bot likes."""
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as other:
        other.bind(f"{folder}/other.sock")
        other.listen()
        async with listening("replaces", f"{folder}/other.sock", sandbox=sandbox) as process:
            await until(lambda: process.output_tail() == b"replaced\n")
            assert dial(process)
            other.setblocking(False)
            with pytest.raises(BlockingIOError):
                other.accept()


@in_a_loop
async def test_a_socket_on_which_another_process_listens_is_not_the_bots() -> None:
    """Without a sandbox a bot could give out another's socket as its own, by a hard link."""
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as other:
        other.bind(f"{folder}/other.sock")
        other.listen()
        code = f"import os, time; os.link('{folder}/other.sock', os.environ['ARENA_SOCKET']); time.sleep(60)"
        process = BotProcess(Program("bot", BOTS, ("python", "-c", code)), "none", Path(folder) / "home")
        try:
            with pytest.raises(StartFailure, match="did not listen"):
                await process.start(0.5)
        finally:
            await process.stop()


def test_without_a_sandbox_the_path_of_a_socket_must_be_short() -> None:
    with pytest.raises(SandboxError, match="too long a path for a socket: set TMPDIR"):
        BotProcess(Program("bot", BOTS, ("true",)), "none", Path("/tmp") / ("x" * 100))


@walls
@pytest.mark.parametrize("after_s", [0.0, 0.002, 0.005, 0.01, 0.02, 0.04])
@in_a_loop
async def test_a_start_that_is_called_off_leaves_nothing(sandbox: str, after_s: float) -> None:
    mark = f"called-off-{os.getpid()}-{after_s}"
    try:
        async with asyncio.timeout(after_s), listening("never", mark, sandbox=sandbox):
            pass
    except TimeoutError:
        pass
    assert not [pid for pid in os.listdir("/proc") if pid.isdigit() and mark in command_line(pid)]


def command_line(pid: str) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""


# Stopped and continued


@pytest.mark.parametrize(
    ("sandbox", "mode", "processes"),
    [
        ("bubblewrap", "computes", False),
        ("bubblewrap", "computes_in_children", True),
        ("none", "computes", False),
        ("none", "computes_in_children", True),
    ],
)
@in_a_loop
async def test_all_of_a_bot_is_stopped_and_continued(sandbox: str, mode: str, processes: bool) -> None:
    async with listening(mode, sandbox=sandbox, processes=processes) as process:
        assert "R" in states(process)
        process.freeze()
        await until(lambda: states(process) == {"T"})  # a thread stops when it is next scheduled
        used = process.cpu_s()
        await asyncio.sleep(0.1)
        assert process.cpu_s() < used + A_MOMENT_S
        process.thaw()
        await until(lambda: process.cpu_s() > used + 0.05)
        assert "T" not in states(process)


@walls
@in_a_loop
async def test_threads_that_began_since_the_last_time_are_stopped_too(sandbox: str) -> None:
    async with listening("computes_by_turns", sandbox=sandbox) as process:
        for _ in range(5):
            used = process.cpu_s()
            await until(lambda used=used: process.cpu_s() > used + 0.02)
            process.freeze()
            await until(lambda: states(process) == {"T"})
            used = process.cpu_s()
            await asyncio.sleep(0.05)
            assert process.cpu_s() < used + A_MOMENT_S
            process.thaw()


@walls
@in_a_loop
async def test_a_bot_that_is_stopped_can_be_ended(sandbox: str) -> None:
    async with listening("computes", sandbox=sandbox) as process:
        process.freeze()


@walls
@in_a_loop
async def test_cpu_time_is_known_after_the_end(sandbox: str) -> None:
    async with listening("computes", sandbox=sandbox) as process:
        await asyncio.sleep(0.1)
        used = process.cpu_s()
        assert used > 0.05
    assert process.cpu_s() >= used


# The end


@walls
@in_a_loop
async def test_a_bot_that_takes_too_much_memory_while_it_plays_is_ended(sandbox: str) -> None:
    async with listening("hoards", sandbox=sandbox, memory_mb=64) as process:
        assert await process.ended(10) == "it used more than 64 MB of memory"
        assert process.exit == "it used more than 64 MB of memory"


@walls
@in_a_loop
async def test_what_has_ended_can_be_stopped_again_and_asked_in_vain(sandbox: str) -> None:
    async with listening("idle", sandbox=sandbox) as process:
        await process.stop()
        await process.stop()
        process.freeze()
        process.thaw()
        assert process.members() == []
        assert process.exit == "signal SIGKILL"


@walls
@in_a_loop
async def test_what_never_started_can_be_stopped(sandbox: str) -> None:
    process = BotProcess(Program("bot", BOTS, ("true",)), sandbox, Path("/tmp/arena-never"))
    await process.stop()
    assert process.exit is None
    assert process.cpu_s() == 0
    assert process.output_tail() == b""
