"""What all commands share: the home folder, the console, and errors as one sentence with an exit code."""

from __future__ import annotations

import errno
import os
import re
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, TypeVar, cast

import click
from rich.console import Console

from arena.reports.console import printable
from arena.store import FILE, OutOfSpace, Store, StoreError
from referee.errors import RecordError
from referee.sandbox import SandboxError

__all__ = [
    "Interrupted",
    "Refused",
    "console",
    "home",
    "home_option",
    "open_store",
    "run_command",
    "same_home",
    "say",
    "there",
    "writes",
]

DONE, REFUSED, WRONG, INTERRUPTED = 0, 1, 2, 3
DEFAULT_HOME = "results"
BLANKS = re.compile(r" +$", re.MULTILINE)
NO_SPACE = (errno.ENOSPC, errno.EDQUOT)

Command = TypeVar("Command", bound=Callable[..., Any])


class Refused(Exception):
    """A check, a verification or a submission was refused: exit code 1. Lines, each of which is one sentence."""


class Interrupted(Exception):
    """Stopped before the end; the sentence says how to go on: exit code 3."""


class Trimmed:
    """A stream that is no terminal, without the blanks that tables have at the ends of lines."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        return self._stream.write(BLANKS.sub("", text))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def console() -> Console:
    """For output; without colours where it is not a terminal."""
    stream = sys.stdout if sys.stdout.isatty() else cast(IO[str], Trimmed(sys.stdout))
    return Console(file=stream, highlight=False, markup=False, emoji=False)


def writes(encoding: str, text: str) -> bool:
    """Whether a text can be written in an encoding."""
    try:
        text.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def say(sentence: str) -> None:
    """A line on stderr."""
    print(printable(sentence, 2000), file=sys.stderr)


def run_command(command: click.Command, arguments: list[str] | None = None) -> int:
    """Runs a command line; gives the exit code. What a user did wrong is one sentence on stderr, never a traceback."""
    words = sys.argv[1:] if arguments is None else arguments
    try:
        result = command.main(words or ["--help"], prog_name="arena", standalone_mode=False)
        sys.stdout.flush()
        return result if isinstance(result, int) else DONE
    except Refused as refusal:
        for line in str(refusal).splitlines():
            say(line)
        return REFUSED
    except (Interrupted, OutOfSpace) as end:
        say(str(end))
        return INTERRUPTED
    except (click.Abort, KeyboardInterrupt):
        say("interrupted")
        return INTERRUPTED
    except click.ClickException as wrong:
        say(sentence(wrong.format_message()))
        return WRONG
    except (StoreError, SandboxError, RecordError, ValueError) as wrong:
        if not type(wrong).__module__.startswith(("arena", "referee")):
            raise
        say(str(wrong))
        return WRONG
    except BrokenPipeError:  # whoever read our output has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except OSError as wrong:
        say(f"{wrong.filename or 'the disk'}: {wrong.strerror}" if wrong.strerror else str(wrong))
        return INTERRUPTED if wrong.errno in NO_SPACE else WRONG


def sentence(message: str) -> str:
    return " ".join(message.split())


def there(context: click.Context, parameter: click.Parameter, value: Any) -> Any:
    """Refuses a folder or an archive, or one of several, that is not there."""
    for path in value if isinstance(value, tuple) else (value,):
        if not path.exists():
            raise click.UsageError(f"There is no folder or archive {str(path)!r:.200}")
    return value


def home_option(command: Command) -> Command:
    """``--home DIR``, before or after the command's name."""
    return click.option(
        "--home",
        type=click.Path(file_okay=False, path_type=Path),
        expose_value=False,
        callback=_set_home,
        help="Where leagues and bots are kept (ARENA_HOME; default: results).",
    )(command)


def _set_home(context: click.Context, parameter: click.Parameter, value: Path | None) -> None:
    if value is not None:
        context.find_root().obj = value


def home() -> Path:
    """The home folder, by its full path."""
    chosen = click.get_current_context().find_root().obj
    return Path(chosen or os.environ.get("ARENA_HOME") or DEFAULT_HOME).absolute()


def same_home() -> str:
    """How the next command line names the home folder: nothing where it is found by itself."""
    chosen = click.get_current_context().find_root().obj
    return f" --home {shlex.quote(str(chosen))}" if chosen else ""


def open_store(*, new: bool = False, changes: bool = False) -> Store:
    """The store in the home folder.

    :param new: whether it may be made if there is none, to be changed.
    :param changes: whether it is to be changed.
    :raises StoreError: there is none, or it can't be used.
    """
    if not new and not (home() / FILE).exists():
        raise StoreError(f"there is nothing in {home()} yet: submit a bot first, or choose another folder with --home")
    store = Store(home())
    if (new or changes) and not store.writable:
        store.close()
        raise StoreError(f"{home()} can't be written: choose another folder with --home")
    return store
