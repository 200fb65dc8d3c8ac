"""One bot as processes of this machine: started until it listens, stopped and continued, ended."""

from __future__ import annotations

import asyncio
import os
import socket
import stat
import struct
from pathlib import Path

from referee.process_tree import cpu_seconds
from referee.run import Program, Run
from referee.sandbox import SOCKET

__all__ = ["BotProcess", "Program", "StartFailure"]

POLL_S = 0.004
PEER = struct.Struct("3i")  # struct ucred: pid, uid, gid


class StartFailure(Exception):
    """A bot did not start; the text is one sentence that says why."""


class BotProcess(Run):
    """One run of a bot. Its socket is pinned when it first listens: a link put there later leads nowhere."""

    def __init__(self, program: Program, sandbox: str, home: Path) -> None:
        super().__init__(program, sandbox, home)
        self._pinned = -1
        self._cpu_s: dict[int, float] = {}

    async def start(self, timeout_s: float) -> None:
        """Starts the bot and returns when its socket accepts connections.

        :raises StartFailure: it ended, or did not listen in time.
        :raises SandboxError: it could not be walled off, which is not the bot's doing.
        """
        try:
            async with asyncio.timeout(timeout_s):
                await self.enter()
                while not self._listens():
                    if self.exit:
                        raise StartFailure(f"it ended before it listened on ARENA_SOCKET: {self.exit}")
                    await asyncio.sleep(POLL_S)
        except TimeoutError:
            raise StartFailure(f"it did not listen on ARENA_SOCKET within {timeout_s:g} s") from None

    def _listens(self) -> bool:
        """Whether there is a socket, not a link or a file, on which a process of this bot listens."""
        try:
            pinned = os.open(SOCKET, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=self._scratch)
        except OSError:
            return False
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK) as probe:
            if stat.S_ISSOCK(os.fstat(pinned).st_mode) and probe.connect_ex(f"/proc/self/fd/{pinned}") == 0:
                listener, *_ = PEER.unpack(probe.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, PEER.size))
                if listener in self.members():
                    self._pinned = pinned
                    return True
        os.close(pinned)
        return False

    @property
    def address(self) -> str:
        """Where gRPC dials the bot, once it is started."""
        return f"unix:/proc/self/fd/{self._pinned}"

    def cpu_s(self) -> float:
        """CPU seconds that the bot has used so far, also after its end (then as last seen)."""
        for pid in self.members():
            used = cpu_seconds(pid)
            if used is not None:
                self._cpu_s[pid] = used
        return sum(self._cpu_s.values())

    async def stop(self) -> None:
        self.cpu_s()
        await super().stop()
        if self._pinned >= 0:
            os.close(self._pinned)
            self._pinned = -1
