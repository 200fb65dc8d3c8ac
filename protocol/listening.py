"""Where a bot listens, and whom it answers: the arena's socket, or a port for leagues that are run elsewhere."""

from __future__ import annotations

import hmac
from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import grpc

__all__ = ["Listening", "listening"]


@dataclass(frozen=True)
class Listening:
    """What ``listening`` reads from the command line."""

    address: str
    """As gRPC writes addresses."""
    token: str | None = field(default=None, repr=False)
    """What a caller must show; None: everybody is answered."""
    certificate: bytes | None = field(default=None, repr=False)
    """With ``key``, both PEM: what TLS shows to callers; None: no TLS."""
    key: bytes | None = field(default=None, repr=False)

    def open(self, server: grpc.Server) -> None:
        """Has a server listen here.

        :raises SystemExit: it can't; one sentence says why.
        """
        try:
            if self.certificate and self.key:
                credentials = grpc.ssl_server_credentials([(self.key, self.certificate)])
                server.add_secure_port(self.address, credentials)
            else:
                server.add_insecure_port(self.address)
        except RuntimeError:
            tls = ", or certificate and key are no pair in PEM" if self.certificate else ""
            raise SystemExit(
                f"Can't listen on {self.address}: it is in use, or no address of this machine{tls}."
            ) from None

    def admits(self, context: grpc.ServicerContext) -> bool:
        """Whether a call comes with the token, if one is asked for."""
        if self.token is None:
            return True
        shown = dict(context.invocation_metadata()).get("authorization", "")
        return hmac.compare_digest(str(shown).encode(), f"Bearer {self.token}".encode())


def listening(arguments: Sequence[str], environment: Mapping[str, str]) -> Listening:
    """Where to listen: at ``--address HOST:PORT``, else at the socket in ``ARENA_SOCKET``.

    With an address: ``--token-file FILE`` has the token that callers must show; ``--certificate FILE`` and
    ``--key FILE`` are for TLS. Other arguments are the bot's own business.

    :raises SystemExit: there is nowhere to listen, or a file can't be used; one sentence says why.
    """
    parser = ArgumentParser(add_help=False, allow_abbrev=False)
    for option in ("--address", "--token-file", "--certificate", "--key"):
        parser.add_argument(option)
    asked, _ = parser.parse_known_args(arguments)
    if not asked.address:
        if socket := environment.get("ARENA_SOCKET"):
            return Listening(f"unix:{socket}")
        raise SystemExit(
            "There is no referee here: a bot is started by the arena, as in `arena play FOLDER random random`. "
            "To listen for a referee elsewhere, start it with --address HOST:PORT."
        )
    if bool(asked.certificate) != bool(asked.key):
        raise SystemExit("--certificate and --key belong together: give both for TLS, or none.")
    token = None
    if asked.token_file:
        token = content(asked.token_file).decode("ascii", "replace").strip()
        if not token:
            raise SystemExit(f"There is no token in {asked.token_file}: write one, or leave --token-file out.")
    if not asked.certificate:
        return Listening(asked.address, token)
    return Listening(asked.address, token, content(asked.certificate), content(asked.key))


def content(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise SystemExit(f"Can't read {path}: {error.strerror}.") from None
