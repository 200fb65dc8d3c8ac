"""What lies in a remote bot's folder for its connection: the token that its server checks, and whom to trust.

They are read where they lie, each time the bot is seated. So the token is in one place: not in the store, not in a
record, a report or a log, and the stored folder is open to nobody but the arena's own user.
"""

from __future__ import annotations

import os
import re
import ssl
from dataclasses import dataclass, field
from pathlib import Path

from arena.manifest import MANIFEST, Manifest, ManifestError

__all__ = ["Connection", "connection"]

MAX_BYTES = 64 * 1024
# As in RFC 6750; long enough that nobody finds it out by trying what the published digest would be.
TOKEN = re.compile(r"[A-Za-z0-9._~+/-]{16,200}=*")


@dataclass(frozen=True)
class Connection:
    """The content of the files that a manifest names."""

    token: str | None = field(default=None, repr=False)
    ca: bytes | None = field(default=None, repr=False)
    """Certificates, PEM."""


def connection(manifest: Manifest, folder: Path) -> Connection:
    """Reads what a manifest names; nothing for a bot of this machine.

    :raises ManifestError: a file is not there, or not what it should be.
    """
    token = _content(folder, "token_file", manifest.token_file)
    ca = _content(folder, "ca_file", manifest.ca_file)
    return Connection(_token(token) if token is not None else None, _certificates(ca) if ca is not None else None)


def _content(folder: Path, key: str, name: str | None) -> bytes | None:
    if name is None:
        return None
    try:
        with os.fdopen(os.open(folder / name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError:
        raise ManifestError(f"{MANIFEST}: {key} names {name}, and there is no such file in the folder") from None
    if len(content) > MAX_BYTES:
        raise ManifestError(f"{MANIFEST}: {key} names {name}, which is larger than {MAX_BYTES // 1024} KiB")
    return content


def _token(content: bytes) -> str:
    token = content.decode("ascii", "replace").strip()
    if not TOKEN.fullmatch(token):
        raise ManifestError(
            "the token must be one word of 16 to 200 letters, digits and ._~+/- on a line of its own; "
            "`openssl rand -hex 16` makes one"
        )
    return token


def _certificates(content: bytes) -> bytes:
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cadata=content.decode("ascii"))
    except (ssl.SSLError, ValueError):
        raise ManifestError("the file that ca_file names holds no certificates: it must be PEM") from None
    return content
