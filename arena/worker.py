"""A worker process: plays one sitting after the other for a league's runner, and never outlives it.

Started by ``arena.workers`` as ``python -m arena.worker DESCRIPTOR RUNNER [CORE]``, with a TMPDIR of its own. Over
the descriptor, a socket, come sittings; back go the matches as they finish, and after each sitting None, or a
``Failed``.
"""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
import signal
import sys
from multiprocessing.connection import Connection

from arena.workers import Failed
from referee.sitting import play_sitting

STOP_WITHIN_S = 3
PR_SET_PDEATHSIG = 1  # prctl(2)


def main(descriptor: int, runner: int, core: int | None) -> None:
    line = Connection(descriptor)
    try:
        die_with(runner)
        if core is not None:
            os.sched_setaffinity(0, {core})
        while True:
            sitting = line.recv()
            try:
                play_sitting(sitting, line.send)
                line.send(None)
            except Exception as failure:  # noqa: BLE001  # whatever it is, the runner hears of it
                no_space = isinstance(failure, OSError) and failure.errno in (errno.ENOSPC, errno.EDQUOT)
                line.send(Failed(f"{type(failure).__name__}: {failure}", no_space))
    except (EOFError, ConnectionError, KeyboardInterrupt):
        shutil.rmtree(os.environ["TMPDIR"], ignore_errors=True)  # the runner has gone, or wants us to


def die_with(runner: int) -> None:
    """Has this process stopped when the runner asks for it (SIGTERM), and also when the runner dies."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, stop)
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != runner:
        raise EOFError("the runner died before we asked")


def stop(signal_number: int, frame: object) -> None:
    """Ends as after Ctrl-C, so that the bots are stopped and their folders removed; by force if that takes long."""
    signal.alarm(STOP_WITHIN_S)
    signal.raise_signal(signal.SIGINT)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else None)
