"""A bot with a bad habit at its start, and honest afterwards if it comes to that.

Usage: starts.py HABIT. Habits are the names in AT_START below; those that never end keep the bot from serving at all.
"""

from __future__ import annotations

import hashlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

SOCKET = os.environ.get("ARENA_SOCKET", "")


def exit_at_once() -> None:
    sys.exit(3)


def sleep_for_ever() -> None:
    time.sleep(600)


def put_a_file() -> None:
    Path(SOCKET).touch()
    sleep_for_ever()


def put_a_link() -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(SOCKET + "2")
        server.listen()
        os.symlink(SOCKET + "2", SOCKET)
        sleep_for_ever()


def answer_with(text: bytes) -> Callable[[], None]:
    """Accepts whoever comes and says this to each."""

    def start() -> None:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(SOCKET)
            server.listen()
            kept = []
            while True:
                kept.append(server.accept()[0])
                if text:
                    kept[-1].sendall(text)

    return start


def ignore_signals() -> None:
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD}:
        signal.signal(number, signal.SIG_IGN)


def leave_a_process_behind() -> None:
    subprocess.run(["sh", "-c", "setsid sleep 3600.358 &"], check=True)


def compute_always() -> None:
    """Keeps every core busy, without hindering its own decisions."""
    for _ in range(os.cpu_count() or 1):
        threading.Thread(target=hash_for_ever, daemon=True).start()


def hash_for_ever() -> None:
    while True:
        hashlib.pbkdf2_hmac("sha256", b"ace", b"king", 10_000)  # lets other threads go on meanwhile


def remember() -> None:
    """Ends at once if its scratch holds what it wrote there before."""
    note = Path(os.environ["TMPDIR"]) / "board-7"
    if note.exists():
        sys.exit(9)
    note.write_text("AKQJ.T98.765.432")


AT_START: dict[str, Callable[[], None]] = {
    "never_listens": sleep_for_ever,
    "exits_at_once": exit_at_once,
    "file_for_a_socket": put_a_file,
    "link_for_a_socket": put_a_link,
    "accepts_and_is_silent": answer_with(b""),
    "speaks_http_1": answer_with(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"),
    "speaks_nonsense": answer_with(bytes(range(256)) * 400),
    "starts_late": lambda: time.sleep(0.3),
    "ignores_signals": ignore_signals,
    "leaves_a_process_behind": leave_a_process_behind,
    "computes_always": compute_always,
    "remembers": remember,
}

if __name__ == "__main__":
    AT_START[sys.argv[1]]()
    import bad

    bad.serve(bad.Game("honest", set()))
