"""How a bot is reached: one that the referee starts at its socket, a remote one where its author runs it."""

from __future__ import annotations

from dataclasses import dataclass, field

import grpc
from grpc import aio

from referee.run import Program

__all__ = ["MESSAGE_BYTES", "Seated", "credentials", "dial", "too_large", "without_token"]

MESSAGE_BYTES = 64 * 1024
OPTIONS = (
    ("grpc.max_receive_message_length", MESSAGE_BYTES),
    ("grpc.max_metadata_size", MESSAGE_BYTES),
    ("grpc.use_local_subchannel_pool", 1),
    ("grpc.enable_http_proxy", 0),
)


@dataclass(frozen=True)
class Seated:
    """An entrant at a table: a program that the referee starts, or the address of a bot that its author runs."""

    name: str
    version: str
    program: Program | None = None
    address: str | None = None
    """``host:port``."""
    tls: bool = False
    token: str | None = field(default=None, repr=False)
    """What a remote bot's server may want to see. It is told to nobody else."""
    ca: bytes | None = field(default=None, repr=False)
    """With TLS: the certificates (PEM) of whom to trust; None: the public authorities that gRPC knows."""


def dial(seated: Seated, socket: str = "") -> aio.Channel:
    """A channel to a bot; nothing is sent yet.

    :param socket: gRPC's address of the socket, for a bot that the referee has started.
    """
    if seated.address is None:
        return aio.insecure_channel(socket, OPTIONS)
    target = f"dns:///{seated.address}"  # a name to look up, whatever it looks like: "unix:1" is no socket of ours
    if not seated.tls:
        return aio.insecure_channel(target, OPTIONS)
    return aio.secure_channel(target, grpc.ssl_channel_credentials(seated.ca), OPTIONS)


def credentials(seated: Seated) -> aio.Metadata | None:
    """What goes with each call to a bot that wants a token."""
    return aio.Metadata(("authorization", f"Bearer {seated.token}")) if seated.token else None


def without_token(text: str, seated: Seated) -> str:
    """A text from a bot's server, which may repeat the token that it was sent."""
    return text.replace(seated.token, "…") if seated.token else text


def too_large(code: grpc.StatusCode, text: str | None) -> bool:
    """Whether a stream ended because of a message of more than ``MESSAGE_BYTES``: by gRPC's own words.

    The same code comes of an error with a text that is too long. A bot that forges the words trades one fault for
    another.
    """
    return code is grpc.StatusCode.RESOURCE_EXHAUSTED and "Received message larger than max" in (text or "")
