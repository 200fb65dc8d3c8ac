"""A bot that listens as its mode says, and serves nobody: what the referee sees of a bot before it speaks gRPC.

Usage: listen.py MODE; modes are the names of the functions below.
"""

import os
import socket
import sys
import threading
import time

PATH = os.environ["ARENA_SOCKET"]


def listen(path: str = PATH) -> socket.socket:
    server = socket.socket(socket.AF_UNIX)
    server.bind(path)
    server.listen()
    return server


def idle() -> None:
    with listen():
        time.sleep(60)


def late() -> None:
    time.sleep(0.3)
    idle()


def never() -> None:
    time.sleep(60)


def bound_only() -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(PATH)
        time.sleep(60)


def exits() -> None:
    sys.exit(3)


def file() -> None:
    with open(PATH, "w"):
        time.sleep(60)


def link() -> None:
    """Listens elsewhere, and puts a link in the socket's place."""
    with listen(PATH + "2"):
        os.symlink(PATH + "2", PATH)
        time.sleep(60)


def replaces() -> None:
    """Listens, then puts a link to the socket in its first argument in its own socket's place."""
    with listen():
        time.sleep(0.3)
        os.unlink(PATH)
        os.symlink(sys.argv[2], PATH)
        print("replaced")
        time.sleep(60)


def computes() -> None:
    for _ in range(2):
        threading.Thread(target=spin, daemon=True).start()
    idle()


def computes_by_turns() -> None:
    """One thread at a time computes, and each is another."""
    threading.Thread(target=relay, daemon=True).start()
    idle()


def relay() -> None:
    end = time.monotonic() + 0.01
    while time.monotonic() < end:
        pass
    threading.Thread(target=relay, daemon=True).start()


def computes_in_children() -> None:
    for _ in range(2):
        if os.fork() == 0:
            if os.fork() == 0:
                spin()
            spin()
    idle()


def spin() -> None:
    while True:
        pass


def hoards() -> None:
    with listen():
        time.sleep(0.2)
        hoard = []
        while True:
            hoard.append(bytearray(2**23))
            time.sleep(0.01)


globals()[sys.argv[1]]()
