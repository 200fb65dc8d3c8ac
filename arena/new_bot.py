"""A folder for a new bot that plays already: copied from ``templates/<language>``, with its name written in."""

from __future__ import annotations

import getpass
import json
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

import protocol
from arena.manifest import check_name

__all__ = ["LANGUAGES", "NewBotError", "write_bot"]

LANGUAGES = ("python", "node")
NAME, AUTHOR = "my-bot", '"AUTHOR"'
PROTO = "three_five_eight.proto"


class NewBotError(ValueError):
    """Why there can be no new bot, in one sentence."""


def write_bot(folder: Path, language: str) -> str:
    """Writes the folder of a bot that is called like it; gives the name.

    :raises NewBotError: there is something in the folder, or it is a file.
    :raises ManifestError: its name can't be a bot's.
    """
    name = check_name(folder.absolute().name)
    if folder.exists() and not folder.is_dir():
        raise NewBotError(f"{folder} is a file: choose another name")
    if folder.exists() and any(folder.iterdir()):
        raise NewBotError(f"{folder} is not empty: choose another name, or clear it first")
    folder.mkdir(parents=True, exist_ok=True)
    for template in templates(language):
        text = template.read_text("utf-8").replace(NAME, name).replace(AUTHOR, json.dumps(author()))
        (folder / template.name).write_text(text, "utf-8")
    if language == "node":
        (folder / PROTO).write_bytes(resources.files(protocol).joinpath(PROTO).read_bytes())
    return name


def templates(language: str) -> list[Traversable]:
    """The files of a language's template."""
    return [file for file in resources.files("arena").joinpath("templates", language).iterdir() if file.is_file()]


def author() -> str:
    """Who is at work, as far as the system knows."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "nobody"
