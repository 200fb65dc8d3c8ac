"""``bot.toml``: who a bot is, and how it is started or reached.

>>> read_manifest('name = "tips"\\nauthor = "Ada"\\ncommand = "python3 bot.py"').command
('python3', 'bot.py')
"""

from __future__ import annotations

import re
import shlex
import tomllib
from dataclasses import dataclass

__all__ = ["MANIFEST", "Manifest", "ManifestError", "check_name", "read_manifest"]

MANIFEST = "bot.toml"
MAX_MANIFEST_BYTES = 64 * 1024
MAX_COMMAND_WORDS = 64
# Longest text of each field, in characters.
LONGEST = {
    "name": 32,
    "author": 64,
    "team": 64,
    "language": 32,
    "description": 500,
    "command": 1000,
    "build": 1000,
    "address": 261,
    "token_file": 64,
    "ca_file": 64,
}
REMOTE_ONLY = ("tls", "token_file", "ca_file")
FLAGS = ("tls", "processes")
NAME = re.compile(r"[a-z0-9_][a-z0-9_-]{0,31}")
HOST = r"(?:\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252}[A-Za-z0-9])?)"
ADDRESS = re.compile(HOST + r":(\d{1,5})")
FILE = re.compile(r"[A-Za-z0-9_.-]*[A-Za-z0-9_-]")


class ManifestError(ValueError):
    """What is wrong with a ``bot.toml`` or a name, and what to write instead, in one sentence."""


@dataclass(frozen=True)
class Manifest:
    """A checked ``bot.toml``. Exactly one of ``command`` (a local bot) and ``address`` (a remote one) is there."""

    name: str
    author: str
    command: tuple[str, ...] = ()
    """The words that start the bot in its own folder."""
    address: str | None = None
    """``host:port`` of a bot that its author runs."""
    tls: bool = False
    token_file: str | None = None
    """The file in the folder with the token that a remote bot checks. What is in it is read when it is needed."""
    ca_file: str | None = None
    """The file in the folder with the certificates (PEM) of whom to trust; None: the public authorities."""
    team: str | None = None
    """Entrants of one team are never seated together; None: no team."""
    language: str = ""
    description: str = ""
    build: tuple[str, ...] = ()
    """The words of the build step, run once in the sandbox before the bot is stored; empty: none."""
    processes: bool = False
    """The bot starts processes of its own."""


def check_name(name: str, what: str = "bot") -> str:
    """The name itself, if a bot or a league may be called so.

    :raises ManifestError: it may not.
    """
    if NAME.fullmatch(name):
        return name
    raise ManifestError(
        f"{name!r:.50} can't be the name of a {what}: write 1 to 32 of a-z, 0-9, '-' and '_', not beginning with '-'"
    )


def read_manifest(content: str | bytes) -> Manifest:
    """Reads and checks the content of a ``bot.toml``.

    :raises ManifestError: unreadable, or a field is missing, unknown or wrong.
    """
    fields = _parse(content)
    for field in fields:
        if field not in LONGEST and field not in FLAGS:
            known = ", ".join(sorted([*LONGEST, *FLAGS]))
            raise ManifestError(f"{MANIFEST}: {field!r:.50} is not a field of it; the fields are {known}")
    texts = {field: _text(field, fields[field]) for field in LONGEST if field in fields}
    flags = {field: _flag(field, fields[field]) for field in FLAGS if field in fields}
    for field in ("name", "author"):
        if field not in texts:
            raise ManifestError(f'{MANIFEST}: {field} is missing: write {field} = "…"')
    _check_local_or_remote(texts, flags)
    return Manifest(
        name=check_name(texts["name"]),
        author=texts["author"],
        command=_words("command", texts.get("command")),
        address=_address(texts.get("address")),
        tls=flags.get("tls", False),
        token_file=_file("token_file", texts.get("token_file")),
        ca_file=_file("ca_file", texts.get("ca_file")),
        team=texts.get("team"),
        language=texts.get("language", ""),
        description=texts.get("description", ""),
        build=_words("build", texts.get("build")),
        processes=flags.get("processes", False),
    )


def _parse(content: str | bytes) -> dict[str, object]:
    if len(content) > MAX_MANIFEST_BYTES:
        raise ManifestError(f"{MANIFEST} is larger than {MAX_MANIFEST_BYTES // 1024} KiB")
    try:
        text = content.decode("utf-8-sig") if isinstance(content, bytes) else content
        return tomllib.loads(text)
    except UnicodeDecodeError:
        raise ManifestError(f"{MANIFEST} is not UTF-8 text: save it as UTF-8") from None
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        raise ManifestError(f"{MANIFEST} is not valid TOML: {ascii(str(error))[1:-1]:.200}") from None


def _text(field: str, value: object) -> str:
    if not isinstance(value, str):
        raise ManifestError(f'{MANIFEST}: {field} must be text in quotes, as in {field} = "…"')
    text = value.strip()
    if not text:
        raise ManifestError(f"{MANIFEST}: {field} is empty: fill it in or leave the line out")
    if len(text) > LONGEST[field]:
        raise ManifestError(f"{MANIFEST}: {field} has {len(text)} characters; at most {LONGEST[field]} are allowed")
    for character in text:
        if not character.isprintable():  # control and bidirectional marks, line breaks, unassigned …
            raise ManifestError(
                f"{MANIFEST}: {field} contains the invisible character U+{ord(character):04X}: write it on one line, "
                "in letters that can be seen"
            )
    return text


def _flag(field: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise ManifestError(f"{MANIFEST}: {field} must be true or false, without quotes")
    return value


def _check_local_or_remote(texts: dict[str, str], flags: dict[str, bool]) -> None:
    if "command" not in texts and "address" not in texts:
        raise ManifestError(
            f'{MANIFEST}: command is missing: write what starts the bot, as in command = "python3 bot.py" '
            '(or address = "host:port" for a bot that you run yourself)'
        )
    remote = "address" in texts
    for field in ("command", "build", "processes") if remote else REMOTE_ONLY:
        if field in texts or field in flags:
            have, other = ("address", "a local bot") if remote else ("command", "a remote bot")
            raise ManifestError(f"{MANIFEST}: {field} belongs to {other}, and this one has {have}: leave {field} out")
    if "ca_file" in texts and not flags.get("tls"):
        raise ManifestError(f"{MANIFEST}: ca_file says whom to trust with TLS: write tls = true, or leave ca_file out")


def _words(field: str, text: str | None) -> tuple[str, ...]:
    if text is None:
        return ()
    try:
        words = tuple(shlex.split(text))
    except ValueError:
        raise ManifestError(f"{MANIFEST}: {field} has a quote or a backslash that nothing closes") from None
    if not words or not words[0]:
        raise ManifestError(f'{MANIFEST}: {field} names no program: write for example {field} = "python3 bot.py"')
    if len(words) > MAX_COMMAND_WORDS:
        raise ManifestError(f"{MANIFEST}: {field} has more than {MAX_COMMAND_WORDS} words: put them into a script")
    return words


def _address(text: str | None) -> str | None:
    if text is None:
        return None
    match = ADDRESS.fullmatch(text)
    if not match or not 1 <= int(match[1]) <= 65535:
        raise ManifestError(f'{MANIFEST}: address must be "host:port" with a port from 1 to 65535')
    return text


def _file(field: str, text: str | None) -> str | None:
    if text is not None and not FILE.fullmatch(text):
        raise ManifestError(f"{MANIFEST}: {field} must be the name of a file in the folder: a-z, 0-9, '.', '_' and '-'")
    return text
