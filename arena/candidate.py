"""A bot that is not submitted, or not yet: its files as a league would have them, copied aside and built."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from arena.entrants import EntrantError, received, seat_of
from arena.manifest import Manifest
from arena.submission import SubmissionError, make_read_only, refuse_our_names
from referee.build import BuildFailure, run_build
from referee.dial import Seated
from referee.sandbox import usable_sandbox
from referee.scratch import Scratch

__all__ = ["Candidate", "build", "candidate"]

BUILD_S = 300.0


@dataclass(frozen=True)
class Candidate:
    """A bot ready to be seated."""

    folder: Path
    manifest: Manifest
    version: str

    @property
    def seated(self) -> Seated:
        """The bot as a sitting needs it."""
        return seat_of(self.manifest, self.version, self.folder)


@contextmanager
def candidate(source: Path) -> Iterator[Candidate]:
    """Takes a folder or an archive in as a submission would, until the end of the context.

    :raises EntrantError: it would be refused.
    """
    with Scratch() as place:
        folder = place / "bot"
        folder.mkdir()
        manifest, version = received(source, folder)
        if manifest.build:
            build(folder, manifest.build)
        make_read_only(folder)
        yield Candidate(folder, manifest, version)


def build(folder: Path, command: tuple[str, ...]) -> None:
    """Runs a bot's build step in the best sandbox there is.

    :raises EntrantError: it fails.
    """
    try:
        run_build(folder, command, BUILD_S, usable_sandbox("auto"))
        refuse_our_names(folder)
    except SubmissionError as refusal:
        raise EntrantError(f"after the build step {refusal}") from None
    except BuildFailure as failure:
        words = failure.output.strip().splitlines()
        raise EntrantError(f"{failure}{f' ({words[-1]})' if words else ''}") from None
