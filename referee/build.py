"""A bot's build step: its command, run in its own folder, in the sandbox that it will play in."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

from referee.run import Program, Run
from referee.scratch import Scratch

__all__ = ["BuildFailure", "run_build"]

MEMORY_MB = 2048
FOLDER_MB = 256
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
        if folder_bytes(self.program.folder) > FOLDER_MB * MB:
            return f"it wrote more than {FOLDER_MB} MB"
        return super()._excess_of(members)


def run_build(folder: Path, command: tuple[str, ...], timeout_s: float, sandbox: str) -> str:
    """Runs a build step. Without network: what it needs travels in the folder, or is installed with the arena.

    :param sandbox: ``bubblewrap`` or ``none``, as ``usable_sandbox`` says.
    :returns: the last 64 KiB of what it wrote.
    :raises BuildFailure: it failed, took too long or too much.
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
            if run.user is not None:
                give(folder, os.getuid())
    output = run.output_tail().decode(errors="replace")
    if end != "exit code 0":
        raise BuildFailure(f"the build step failed: {end or f'it took more than {timeout_s:g} s'}", output)
    return output


def give(folder: Path, user: int) -> None:
    """Makes a folder and all in it a user's, links themselves and not where they lead."""
    os.chown(folder, user, user, follow_symlinks=False)
    for path in folder.rglob("*"):
        os.chown(path, user, user, follow_symlinks=False)


def folder_bytes(folder: Path) -> int:
    """Bytes in a folder, as far as it can be read while it changes."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(place, name)).st_size
            except OSError:
                continue
    return total
