"""A bot's build step: its command, run in its own folder, in the sandbox that it will play in."""

from __future__ import annotations

import asyncio
import contextlib
import os
import stat
from pathlib import Path

from referee.run import Program, Run
from referee.scratch import Scratch

__all__ = ["BuildFailure", "run_build"]

MEMORY_MB = 2048
FOLDER_MB = 256
FOLDER_FILES = 50_000
FOLDER_DEPTH = 64
MB = 2**20


class BuildFailure(Exception):
    """A build step failed: one sentence, and the last that it wrote.

    :ivar output: text from the build, hostile, at most 64 KiB.
    """

    def __init__(self, why: str, output: str) -> None:
        super().__init__(why)
        self.output = output


class Build(Run):
    """The run of a build step: it may start processes and change its folder."""

    writable = True

    def _excess_of(self, members: list[int]) -> str | None:
        return too_much_in(self.program.folder) or super()._excess_of(members)


def run_build(folder: Path, command: tuple[str, ...], timeout_s: float, sandbox: str) -> str:
    """Runs a build step. Without network: what it needs travels in the folder, or is installed with the arena.

    :param sandbox: ``bubblewrap`` or ``none``, as ``usable_sandbox`` says.
    :returns: the last 64 KiB of what it wrote.
    :raises BuildFailure: it failed, took too long or too much, or left what can't be part of a bot.
    :raises SandboxError: it could not be walled off, which is not the bot's doing.
    """
    return asyncio.run(build(folder, command, timeout_s, sandbox))


async def build(folder: Path, command: tuple[str, ...], timeout_s: float, sandbox: str) -> str:
    with Scratch() as home:
        program = Program("the build step", folder, command, processes=True, memory_mb=MEMORY_MB)
        run = Build(program, sandbox, home / "build")
        try:
            if run.user is not None:
                give(folder, run.user)
            await run.enter()
            end = await run.ended(timeout_s)
        finally:
            await run.stop()
    output = run.output_tail().decode(errors="replace")
    if end != "exit code 0":
        raise BuildFailure(f"the build step failed: {end or f'it took more than {timeout_s:g} s'}", output)
    if wrong := too_much_in(folder) or strange_in(folder):
        raise BuildFailure(f"the build step failed: {wrong}", output)
    if run.user is not None:
        give(folder, os.getuid())
    return output


def give(folder: Path, user: int) -> None:
    """Makes a folder and all in it a user's, links themselves and not where they lead."""
    os.chown(folder, user, user, follow_symlinks=False)
    for path in folder.rglob("*"):
        os.chown(path, user, user, follow_symlinks=False)


def too_much_in(folder: Path) -> str | None:
    """What a build step's folder has too much of, looked at while it may be changing."""
    size = files = 0
    left = [(folder, 0)]
    while left:
        place, depth = left.pop()
        try:
            paths = list(place.iterdir())
        except FileNotFoundError:
            continue
        except OSError as error:
            return f"it left a folder that can't be read ({error.strerror})"
        for path in paths:
            with contextlib.suppress(OSError):
                status = path.lstat()
                files, size = files + 1, size + status.st_size
                if stat.S_ISDIR(status.st_mode):
                    left.append((path, depth + 1))
        if size > FOLDER_MB * MB or files > FOLDER_FILES or depth > FOLDER_DEPTH:
            return f"it wrote more than {FOLDER_MB} MB, {FOLDER_FILES:,} files or folders {FOLDER_DEPTH} deep"
    return None


def strange_in(folder: Path) -> str | None:
    """What a bot can't consist of: pipes, sockets, files that may not be read."""
    for path in folder.rglob("*"):
        mode = path.lstat().st_mode
        if not (stat.S_ISDIR(mode) or stat.S_ISLNK(mode) or (stat.S_ISREG(mode) and mode & stat.S_IRUSR)):
            return f"it left {path.name!r:.60}, which is no file that can be read"
    return None
