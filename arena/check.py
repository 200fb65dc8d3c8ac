"""``arena check``: whether a bot is fit for a league, point by point, and how to mend what is not.

The bot is run exactly as a league would run it: by the same launcher, in the same sandbox, under the same limits.
"""

from __future__ import annotations

import asyncio
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.candidate import build
from arena.check_bot import DEATHS, Inspection
from arena.check_habits import ending, habits, matches, resources, restart
from arena.check_points import Findings
from arena.connection import connection
from arena.entrants import EntrantError, seat_of
from arena.manifest import MANIFEST, Manifest, ManifestError, read_manifest
from arena.submission import SubmissionError, digest, make_read_only, take_in
from referee.player import Limits
from referee.sandbox import SCRATCH, environment, usable_sandbox
from referee.scratch import Scratch

__all__ = ["Report", "check", "check_entrant"]

FORMAT = "three-five-eight/check/1"
SOURCES = {".py", ".js", ".mjs", ".cjs", ".jar", ".rb", ".lua", ".sh", ".pl", ".php", ".wasm"}


@dataclass(frozen=True)
class Report:
    """What ``arena check`` found of one bot.

    :ivar bot: its name, or its folder's if the manifest can't be read.
    """

    bot: str
    version: str
    sandbox: str
    findings: Findings

    @property
    def passed(self) -> bool:
        return not self.findings.failures

    def as_json(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "bot": self.bot,
            "version": self.version,
            "sandbox": self.sandbox,
            "passed": self.passed,
            "points": self.findings.as_json(),
        }


def check(source: Path, limits: Limits) -> Report:
    """Takes a folder or an archive in as a submission would, and goes through all points."""
    findings = Findings(why_not="the folder is not in order")
    with Scratch() as place:
        folder = place / "bot"
        folder.mkdir()
        name, version = source.absolute().name, ""
        try:
            take_in(source, folder)
            version = digest(folder)
            size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
            findings.passed("files", f"{size / 2**20:.1f} MB of 50 MB")
            manifest = read_manifest((folder / MANIFEST).read_bytes())
            connection(manifest, folder)
            findings.passed("manifest")
            name = manifest.name
            if manifest.build:
                build(folder, manifest.build)
            findings.passed("build", "" if manifest.build else "there is none")
            inspected(folder, manifest, version, limits, findings)
        except (SubmissionError, ManifestError, EntrantError) as refusal:
            point = {SubmissionError: "files", ManifestError: "manifest"}.get(type(refusal), "build")
            findings.failed(point, str(refusal))
        return Report(name, version, limits.sandbox, findings)


def check_entrant(folder: Path, manifest: Manifest) -> None:
    """Goes through a bot that is being submitted.

    :raises EntrantError: it is not fit to play; the sentence names the points.
    """
    findings = Findings()
    for name in ("files", "manifest", "build"):
        findings.passed(name)
    limits = Limits(sandbox=usable_sandbox("auto"))
    failures = inspected(folder, manifest, digest(folder), limits, findings).failures
    if failures:
        points = "; ".join(f"{failure.point.name}: {failure.found}" for failure in failures[:3])
        more = f" and {len(failures) - 3} points more" if len(failures) > 3 else ""
        raise EntrantError(
            f"{manifest.name} fails arena check ({points}{more}): mend it, or submit it anyway with --no-check"
        )


def inspected(folder: Path, manifest: Manifest, version: str, limits: Limits, findings: Findings) -> Findings:
    """The points that need the manifest, and then those that need the bot."""
    lacking = [name for name in ("language", "description") if not getattr(manifest, name)]
    if lacking:
        findings.noted("about", f"without {' and '.join(lacking)}")
    findings.passed("about")
    wrong = wrong_command(folder, manifest.command)
    findings.judge("command", wrong, "its author runs it" if manifest.address else "")
    if wrong:
        return findings
    make_read_only(folder)
    with Scratch() as home:
        asyncio.run(go_through(Inspection(seat_of(manifest, version, folder), limits, home, findings)))
    return findings


def wrong_command(folder: Path, command: tuple[str, ...]) -> str | None:
    """What is missing of what a command names, as far as that can be seen without running it."""
    if not command:
        return None
    program, *words = command
    path = environment(SCRATCH, 0)["PATH"]
    if not (shutil.which(program, path=path) or shutil.which(str(folder / program))):
        return f"there is no program {program!r:.60}, neither in the folder nor where bots find programs ({path})"
    for word in words:
        file = Path(word)
        if file.suffix in SOURCES and not file.is_absolute() and not (folder / file).is_file():
            return f"{word!r:.60} is not in the folder"
    return None


async def go_through(bot: Inspection) -> None:
    """Everything, in an order in which a point that fails spoils few others."""
    try:
        if not (await bot.start() and await bot.manners()):
            return
        await bot.positions()
        await bot.judge_answers()
        bot.findings.why_not = "the bot could not be asked any more"
        if bot.deaths >= DEATHS or not await bot.revived():
            return
        await bot.same_again()
        await habits(bot)
        resources(bot)
        await restart(bot)
        await ending(bot)
        await bot.subject.stop()
        bot.judge_starts()
        bot.findings.why_not = "mend the other points first"
        if not bot.findings.failures:
            await matches(bot)
    finally:
        await bot.subject.stop()
