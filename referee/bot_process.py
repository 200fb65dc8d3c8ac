"""One bot as processes of this machine: start, watch, stop and continue, end. Submitted code is hostile.

Whatever the bot does, its output never blocks it nor fills anything, and after ``stop`` nothing of it is left.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from referee.process_tree import cpu_seconds, descendants, kill_tree, send, stop_tree

__all__ = ["BotProcess", "Program", "StartFailure"]

TAIL_BYTES = 64 * 1024
POLL_S = 0.004
SOCKET_PATH_BYTES = 107  # unix(7)


class StartFailure(Exception):
    """A bot did not start; the text is one sentence that says why."""


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


class BotProcess:
    """One run of a program.

    :param sandbox: ``bubblewrap`` or ``none``, as ``usable_sandbox`` says.
    :param home: a private folder for this run, made if it is not there, removed by ``stop``.
    """

    def __init__(self, program: Program, sandbox: str, home: Path) -> None:
        self.program = program
        self._home = home
        self._socket = home / "bot.sock"
        if len(os.fsencode(self._socket)) > SOCKET_PATH_BYTES:
            raise ValueError(f"{self._socket} is too long for a socket: set TMPDIR to a short path such as /tmp")
        self._popen: subprocess.Popen[bytes] | None = None
        self._pidfd = self._output = self._pinned = -1
        self._tail = b""
        self._cpu_s: dict[int, float] = {}
        self._ended = asyncio.Event()

    async def start(self, timeout_s: float) -> None:
        """Starts the bot and returns when its socket accepts connections.

        :raises StartFailure: it could not be started, ended, or did not listen in time.
        """
        self._home.mkdir(mode=0o700, exist_ok=True)
        scratch = self._home / "scratch"
        scratch.mkdir()
        self._launch(scratch)
        assert self._popen
        self._pidfd = os.pidfd_open(self._popen.pid)
        loop = asyncio.get_running_loop()
        loop.add_reader(self._output, self._drain)
        loop.add_reader(self._pidfd, self._note_end)
        try:
            async with asyncio.timeout(timeout_s):
                while not self._accepts():
                    if self._ended.is_set():
                        raise StartFailure(f"it ended before it listened on ARENA_SOCKET: {self.exit}")
                    await asyncio.sleep(POLL_S)
        except TimeoutError:
            raise StartFailure(f"it did not listen on ARENA_SOCKET within {timeout_s:g} s") from None

    def _launch(self, scratch: Path) -> None:
        self._output, write_end = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        os.set_blocking(write_end, True)
        try:
            self._popen = subprocess.Popen(
                self.program.command,
                cwd=self.program.folder,
                env={
                    "ARENA_SOCKET": str(self._socket),
                    "PATH": f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin",
                    "HOME": str(scratch),
                    "TMPDIR": str(scratch),
                    "LANG": "C.UTF-8",
                },
                stdin=subprocess.DEVNULL,
                stdout=write_end,
                stderr=write_end,
                start_new_session=True,
            )
        except OSError as error:
            raise StartFailure(f"{self.program.command[0]!r:.80} can't be started: {error.strerror}") from None
        finally:
            os.close(write_end)

    def _accepts(self) -> bool:
        """Whether the bot listens. The socket is pinned, so that a link put there later leads nowhere."""
        try:
            pinned = os.open(self._socket, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError:
            return False
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK) as probe:
            if stat.S_ISSOCK(os.fstat(pinned).st_mode) and probe.connect_ex(f"/proc/self/fd/{pinned}") == 0:
                self._pinned = pinned
                return True
        os.close(pinned)
        return False

    @property
    def address(self) -> str:
        """Where gRPC dials the bot, once it is started."""
        return f"unix:/proc/self/fd/{self._pinned}"

    def freeze(self) -> None:
        """Stops everything of this bot, so that it can't compute."""
        if self._popen and not self._ended.is_set():
            stop_tree(self._popen.pid)

    def thaw(self) -> None:
        """Lets everything of this bot go on."""
        if self._popen and not self._ended.is_set():
            for pid in descendants(self._popen.pid):
                send(pid, signal.SIGCONT)

    def cpu_s(self) -> float:
        """CPU seconds that the bot has used so far, also after its end (then as last seen)."""
        if self._popen and not self._ended.is_set():
            for pid in descendants(self._popen.pid):
                used = cpu_seconds(pid)
                if used is not None:
                    self._cpu_s[pid] = used
        return sum(self._cpu_s.values())

    @property
    def exit(self) -> str | None:
        """How the bot ended, as ``exit code 3`` or ``signal SIGSEGV``; None while it runs."""
        code = self._popen.poll() if self._popen else None
        if code is None:
            return None
        return f"exit code {code}" if code >= 0 else f"signal {signal.Signals(-code).name}"

    async def ended(self, within_s: float) -> str | None:
        """How the bot ended, if it does within so many seconds; else None."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(within_s):
                await self._ended.wait()
        return self.exit

    def output_tail(self) -> bytes:
        """The last 64 KiB of what the bot wrote to stdout and stderr."""
        self._drain()
        return self._tail

    def _drain(self) -> None:
        """Takes what the pipe holds, at most its capacity, so that a flood can't keep the referee."""
        if self._output < 0:
            return
        try:
            data = os.read(self._output, TAIL_BYTES)
        except BlockingIOError:
            return
        if data:
            self._tail = (self._tail + data)[-TAIL_BYTES:]
        else:
            self._close("_output")

    def _note_end(self) -> None:
        asyncio.get_running_loop().remove_reader(self._pidfd)
        self._ended.set()

    def _close(self, name: str) -> None:
        descriptor = getattr(self, name)
        if descriptor >= 0:
            asyncio.get_running_loop().remove_reader(descriptor)
            os.close(descriptor)
            setattr(self, name, -1)

    async def stop(self) -> None:
        """Kills everything of the bot at once, waits for its end, removes its socket and scratch. Can be repeated."""
        if self._popen:
            self.cpu_s()
            if not self._ended.is_set():
                kill_tree(self._popen.pid)
            await self._ended.wait()
            self._popen.wait()
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._popen.pid, signal.SIGKILL)
        self.output_tail()
        for name in ("_output", "_pidfd", "_pinned"):
            self._close(name)
        shutil.rmtree(self._home, ignore_errors=True)
