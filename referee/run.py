"""One run of a program in the sandbox: let in, watched, ended. Whatever it does, nothing of it is left afterwards."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import socket
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from referee.process_tree import Threads, descendants, ending, kill_tree, marked, resident_bytes, send, stop_tree
from referee.sandbox import (
    BOT_FOLDER,
    SCRATCH,
    SOCKET,
    SandboxError,
    bubblewrap,
    entry,
    environment,
    filter_file,
    fresh_user,
    wall,
)

__all__ = ["Program", "Run"]

TAIL_BYTES = 64 * 1024
SOCKET_PATH_BYTES = 107  # unix(7)
WATCH_S = 0.05
STRAY_ROUNDS = 100
PROCESSES = 32
SCRATCH_FILES = 20_000
MB = 2**20


@dataclass(frozen=True)
class Program:
    """What there is to start."""

    name: str
    folder: Path
    """The bot's own folder, where it is started."""
    command: tuple[str, ...]
    processes: bool = False
    """Whether it may start processes (threads it always may)."""
    memory_mb: int = 512


class Output:
    """What a program writes to stdout and stderr: taken from a pipe as it comes, the last 64 KiB kept."""

    def __init__(self) -> None:
        self._read_end, write_end = os.pipe2(os.O_CLOEXEC)
        self.write_end: BinaryIO = os.fdopen(write_end, "wb")
        os.set_blocking(self._read_end, False)
        self._tail = b""
        asyncio.get_running_loop().add_reader(self._read_end, self._take)

    def _take(self) -> None:
        """Takes what the pipe holds and no more, so that a flood can't keep the referee."""
        try:
            data = os.read(self._read_end, TAIL_BYTES)
        except BlockingIOError:
            return
        if data:
            self._tail = (self._tail + data)[-TAIL_BYTES:]
        else:
            self.close()

    def tail(self) -> bytes:
        if self._read_end >= 0:
            self._take()
        return self._tail

    def close(self) -> None:
        if self._read_end >= 0:
            asyncio.get_running_loop().remove_reader(self._read_end)
            os.close(self._read_end)
            self._read_end = -1


class End:
    """The end of a process, to be awaited."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.come = asyncio.Event()
        self._pidfd = os.pidfd_open(pid)
        asyncio.get_running_loop().add_reader(self._pidfd, self._note)

    def _note(self) -> None:
        asyncio.get_running_loop().remove_reader(self._pidfd)
        os.close(self._pidfd)
        self.come.set()


class Run:
    """One run of a program.

    :param sandbox: ``bubblewrap`` or ``none``, as ``usable_sandbox`` says.
    :param home: a private folder for scratch and socket where there is no sandbox; made, and removed by ``stop``.
    """

    writable = False
    """Whether the program may change its folder."""

    def __init__(self, program: Program, sandbox: str, home: Path) -> None:
        self.program = program
        self._walled = sandbox == "bubblewrap"
        self.user = fresh_user() if self._walled else None
        self._home = home
        if not self._walled and len(os.fsencode(home / SOCKET)) > SOCKET_PATH_BYTES:
            raise SandboxError(f"{home} is too long a path for a socket: set TMPDIR to a short one such as /tmp")
        self._output: Output | None = None
        self._popen: subprocess.Popen[bytes] | None = None
        self._ends: list[End] = []
        self._inside: list[int] = []
        self._threads: list[Threads] = []
        self._can_fork = program.processes or not self._walled
        self._scratch = -1
        self._excess: str | None = None
        self._watch: asyncio.Task[None] | None = None

    async def enter(self) -> None:
        """Starts the program; when this returns, it runs.

        :raises SandboxError: it could not be walled off, which is not the program's doing.
        """
        loop = asyncio.get_running_loop()
        door, inner = socket.socketpair()
        with door:
            door.setblocking(False)
            self._output = Output()
            with inner, self._output.write_end as output:
                self._popen = self._launch(inner.fileno(), output)
            self._ends = [End(self._popen.pid)]
            if not await loop.sock_recv(door, 1):
                await self._ends[0].come.wait()
                said = self.output_tail().decode(errors="replace").strip()
                raise SandboxError(f"{self.program.name} could not be let into its sandbox: {said or self.exit}")
            self._look_inside(self._popen.pid)
            self._watch = loop.create_task(self._keep_watch())
            with contextlib.suppress(BrokenPipeError):  # it has just been killed; that is noticed like any other end
                await loop.sock_sendall(door, b"g")

    def _launch(self, door: int, output: BinaryIO) -> subprocess.Popen[bytes]:
        """Starts what becomes the program, or holds it; it waits at the door."""
        program = self.program
        folder = BOT_FOLDER if self._walled else program.folder
        command = entry(door, self.user, folder, program.memory_mb, program.command)
        if not self._walled:
            self._home.mkdir(mode=0o700, exist_ok=True)
            return self._start(command, (door,), output)
        with filter_file(processes=program.processes) as rules:
            walls = wall(bubblewrap(), program.folder, rules.fileno(), writable=self.writable)
            return self._start([*walls, *command], (door, rules.fileno()), output)

    def _start(self, command: list[str], files: tuple[int, ...], output: BinaryIO) -> subprocess.Popen[bytes]:
        try:
            return subprocess.Popen(
                command,
                env=environment(SCRATCH if self._walled else self._home, self.program.memory_mb),
                pass_fds=files,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        except OSError as error:
            raise SandboxError(f"{self.program.name} can't be started: {error.strerror}") from None

    def _look_inside(self, pid: int) -> None:
        """Finds the processes in the sandbox, of which the first reaps the others, and the scratch folder."""
        scratch, tree = self._home, descendants(pid)
        try:
            if self._walled:
                _, *tree = tree
                self._ends.append(End(tree[0]))
                scratch = Path(f"/proc/{tree[0]}/root{SCRATCH}")
            for member in self._its_own(tree):
                self._threads.append(Threads(member))
            self._scratch = os.open(scratch, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        except (OSError, IndexError):
            raise SandboxError(f"{self.program.name} was killed on the way into its sandbox") from None
        self._inside = tree

    @property
    def exit(self) -> str | None:
        """How the program ended: ``exit code 3``, ``signal SIGSEGV``, or what it took too much of. None: it runs."""
        code = self._popen.poll() if self._popen else None
        if code is None:
            return None
        if self._excess:
            return self._excess
        number = -code if code < 0 else code - 128  # bubblewrap tells a signal as shells do
        if number in signal.valid_signals():
            return f"signal {signal.Signals(number).name}"
        return f"exit code {code}"

    async def ended(self, within_s: float) -> str | None:
        """How the program ended, if it has begun to, or does within so many seconds; else None."""
        if self._excess or ending(self._inside[-1]):
            await self._ends[0].come.wait()
            return self.exit
        try:
            async with asyncio.timeout(within_s):
                await self._ends[0].come.wait()
        except TimeoutError:
            return None
        return self.exit

    def output_tail(self) -> bytes:
        """The last 64 KiB of what the program wrote to stdout and stderr."""
        return self._output.tail() if self._output else b""

    def members(self) -> list[int]:
        """The process ids of the program, with the process that holds it in its sandbox; none once it has ended."""
        if not self._inside or self.exit:
            return []
        return descendants(self._inside[0]) if self._can_fork else self._inside

    def _its_own(self, members: list[int]) -> list[int]:
        """Without the process that holds it in its sandbox, where that is another user's, whom it can't touch."""
        return members if self.user is None else members[1:]

    def freeze(self) -> None:
        """Stops all of the program, so that it can't compute."""
        if not self._can_fork:
            for threads in self._threads:
                threads.stop()
        elif members := self.members():
            stop_tree(members[0])

    def thaw(self) -> None:
        """Lets all of the program go on."""
        members = self.members()
        for pid in members if self._can_fork else self._its_own(members):
            send(pid, signal.SIGCONT)

    async def _keep_watch(self) -> None:
        """Ends a program that takes what no limit of the kernel's counts."""
        while not (self.exit or self._excess):
            await asyncio.sleep(WATCH_S)
            self._excess = self._excess_of(self.members())
        self._kill()

    def _excess_of(self, members: list[int]) -> str | None:
        if len(members) > PROCESSES:
            return f"it had more than {PROCESSES} processes"
        if sum(map(resident_bytes, members)) > self.program.memory_mb * MB:
            return f"it used more than {self.program.memory_mb} MB of memory"
        scratch = os.fstatvfs(self._scratch)
        if self._walled and scratch.f_files - scratch.f_ffree > SCRATCH_FILES:
            return f"it had more than {SCRATCH_FILES} files in {SCRATCH}"
        return None

    def _kill(self) -> None:
        """Kills all of the program at once: with the process that reaps in it, a sandbox ends as a whole.

        A sandbox that is still being set up ends by itself, since nobody opens the door: killed now, it might leave a
        process behind that waits for its maker.
        """
        if self.exit or not self._popen:
            return
        if not self._walled:
            kill_tree(self._popen.pid)
        elif self._inside:
            send(self._inside[0], signal.SIGKILL)

    async def stop(self) -> None:
        """Kills everything of the program at once, waits for its end, removes its traces. Can be repeated."""
        if self._watch:
            self._watch.cancel()
        self._kill()
        for end in self._ends:
            await end.come.wait()
        if self._popen:
            self._popen.wait()
        if not self._walled:
            await self._end_strays()
        if self._output:
            self._output.tail()
            self._output.close()
        for threads in self._threads:
            threads.close()
        self._threads.clear()
        if self._scratch >= 0:
            os.close(self._scratch)
            self._scratch = -1
        shutil.rmtree(self._home, ignore_errors=True)

    async def _end_strays(self) -> None:
        """Without a sandbox: kills what left the program's family, as far as its environment still tells."""
        mark = os.fsencode(f"ARENA_SOCKET={self._home / SOCKET}")
        for _ in range(STRAY_ROUNDS):
            strays = marked(mark)
            if not strays:
                break
            for pid in strays:
                send(pid, signal.SIGKILL)
            await asyncio.sleep(0)
