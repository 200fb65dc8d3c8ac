"""Jobs that a test sends to a cluster's workers in place of a sitting."""

from __future__ import annotations

import os
import signal
from typing import NoReturn

from arena.cluster import Cluster
from referee.sitting import Sitting


def kill_the_worker(sitting: Sitting, version: str) -> NoReturn:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("unreachable")


class Murderous(Cluster):
    """A cluster whose sittings kill the workers that play them."""

    job = staticmethod(kill_the_worker)
