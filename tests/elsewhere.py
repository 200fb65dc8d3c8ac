"""Bots that their authors run: real servers on the loopback, started again when they end, with and without TLS."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.streams import ROOT, wait_for

OPENSSL = shutil.which("openssl")
needs_openssl = pytest.mark.skipif(not OPENSSL, reason="openssl is not installed, with which the certificate is made")
ENDS_S = 5


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


class Elsewhere:
    """An author's machine: the bot in a folder listens on a port, and is started again whenever it has ended.

    :param late_s: after how many seconds it is started first.
    """

    def __init__(self, folder: Path, *arguments: str, late_s: float = 0.0) -> None:
        self.port = free_port()
        self.late_s = late_s
        self.starts = 0
        self._folder = folder
        self._arguments = arguments
        self._process: subprocess.Popen[bytes] | None = None
        self._closing = threading.Event()
        self._keeper = threading.Thread(target=self._keep)

    @property
    def address(self) -> str:
        return f"localhost:{self.port}"

    def _keep(self) -> None:
        self._closing.wait(self.late_s)
        while not self._closing.is_set():
            self.starts += 1
            self._process = subprocess.Popen(
                [sys.executable, "bot.py", *self._arguments, "--address", f"127.0.0.1:{self.port}"],
                cwd=self._folder,
                env={**os.environ, "PYTHONPATH": str(ROOT)},
                stderr=subprocess.DEVNULL,
            )
            if self._closing.is_set():
                self._process.kill()
            self._process.wait()

    def restart(self) -> None:
        """Ends the bot, and returns when it listens again."""
        assert self._process
        ended, starts = self._process, self.starts
        ended.kill()
        ended.wait()
        while self.starts == starts:
            threading.Event().wait(0.01)
        wait_for(socket.AF_INET, ("127.0.0.1", self.port))

    def __enter__(self) -> Elsewhere:
        self._keeper.start()
        if not self.late_s:
            wait_for(socket.AF_INET, ("127.0.0.1", self.port))
        return self

    def __exit__(self, *exc: object) -> None:
        self._closing.set()
        if self._process:
            self._process.kill()
        self._keeper.join(ENDS_S)
        assert not self._keeper.is_alive()


@contextmanager
def silent_port() -> Iterator[int]:
    """A port on which somebody listens who never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def certificate(folder: Path, name: str = "cert") -> tuple[Path, Path]:
    """A certificate for localhost that vouches for itself, and its key."""
    assert OPENSSL
    pem, key = folder / f"{name}.pem", folder / f"{name}.key"
    names = "subjectAltName=DNS:localhost,IP:127.0.0.1"
    words = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    words += ["-subj", "/CN=localhost", "-addext", names, "-keyout", str(key), "-out", str(pem)]
    subprocess.run([OPENSSL, *words], check=True, capture_output=True, timeout=30)
    return pem, key
