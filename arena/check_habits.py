"""What a bot does when a league disturbs it, what it uses, how it ends, and how it fares in whole matches."""

from __future__ import annotations

import asyncio
import os
import signal
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from arena.check_bot import HURRY, Inspection
from arena.check_needs import network_use
from arena.check_positions import SEED, Scene, dice_choice
from arena.check_talk import Conversation, Reply
from protocol.three_five_eight_pb2 import FromReferee
from protocol.view import Choice, Rules, Three, View
from referee.bot_process import StartFailure
from referee.deal import board_seed
from referee.match import Match
from referee.player import BotPlayer, Player
from referee.process_tree import send
from referee.rules import SETS, rules_for
from referee.table import Table

__all__ = ["ending", "habits", "matches", "resources", "restart"]

# Fields 1000 (a number) and 1001 (three letters), which no version of the protocol has.
UNKNOWN = b"\xc0\x3e\x01\xca\x3e\x03abc"
STOPPED_S = 0.5
END_WITHIN_S = 5.0
MATCHES_S = 12.0
MB = 2**20
SCRATCH_MB = 64


# Disturbed


async def habits(bot: Inspection) -> None:
    """Fields from the future, a stream that breaks, a pause."""
    for name, disturb in DISTURBANCES.items():
        if not await bot.revived():
            return
        scene = middle(bot)
        if name == "stopped" and bot.subject.process is None:
            bot.findings.skipped(name, "the referee does not stop a bot that its author runs")
            continue
        reply = await disturb(bot, scene)
        bot.findings.judge(name, f"{reply.trouble}: {reply.why}" if reply.trouble else None)


def middle(bot: Inspection) -> Scene:
    """A position in the middle of a match, at which a card is played."""
    return next(scene for scene in bot.scenes if scene.point == "play in ten-points")


async def opened(bot: Inspection, match: Match) -> Conversation:
    conversation = Conversation(bot.subject, match.rules, match.seat)
    await conversation.open()
    return conversation


async def ask_with_unknown(bot: Inspection, scene: Scene) -> Reply:
    match = scene.match
    conversation = await opened(bot, match)
    await conversation.send(FromReferee.FromString(UNKNOWN))
    reply = await conversation.ask(match.view(match.seat, HURRY), UNKNOWN)
    await bot.part(conversation)
    return reply


async def break_stream(bot: Inspection, scene: Scene) -> Reply:
    match = scene.match
    for _ in range(2):
        conversation = await opened(bot, match)
        reply = await conversation.ask(match.view(match.seat, HURRY))
        conversation.cancel()
    return reply


async def stop_between(bot: Inspection, scene: Scene) -> Reply:
    match = scene.match
    process = bot.subject.process
    assert process
    conversation = await opened(bot, match)
    await conversation.ask(match.view(match.seat, HURRY))
    process.freeze()
    await asyncio.sleep(STOPPED_S)
    process.thaw()
    reply = await conversation.ask(match.view(match.seat, HURRY))
    await bot.part(conversation)
    return reply


DISTURBANCES = {"unknown fields": ask_with_unknown, "stopped": stop_between, "new stream": break_stream}


async def restart(bot: Inspection) -> None:
    """The process is killed in a match, started again, and asked on."""
    scene = middle(bot)
    if bot.subject.process is None:
        bot.findings.skipped("restart", "the referee does not start a bot that its author runs")
        return
    await bot.subject.stop()
    try:
        await bot.subject.start()
    except StartFailure as failure:
        bot.findings.failed("restart", str(failure))
        return
    conversation = await opened(bot, scene.match)
    reply = await conversation.ask(scene.match.view(scene.match.seat, HURRY))
    conversation.cancel()
    bot.findings.judge("restart", f"{reply.trouble}: {reply.why}" if reply.trouble else None)


# What it uses, and how it ends


def resources(bot: Inspection) -> None:
    """What a process that has answered a few hundred questions has taken."""
    process, findings = bot.subject.process, bot.findings
    if process is None:
        for name in ("memory", "scratch", "output", "no network", "no disk", "no processes"):
            findings.skipped(name, "its author runs it")
        return
    if not process.members():
        return
    limit_mb = process.program.memory_mb
    peak_mb = sum(map(peak_bytes, process.members())) / MB
    words = f"{peak_mb:.0f} MB at its peak, of {limit_mb} MB"
    (findings.noted if peak_mb > 0.8 * limit_mb else findings.passed)("memory", words)
    written = len(process.output_tail())
    (findings.noted if written >= 64 * 1024 else findings.passed)("output", f"{written / 1024:.1f} KiB")
    if bot.limits.sandbox == "none":
        for name in ("scratch", "no network", "no disk", "no processes"):
            findings.skipped(name, "not known without the sandbox")
        return
    used_mb = scratch_bytes(process.members()[-1]) / MB
    findings.judge(
        "scratch",
        f"{used_mb:.0f} MB of {SCRATCH_MB} MB are in use" if used_mb > 0.9 * SCRATCH_MB else None,
        f"{used_mb:.1f} MB of {SCRATCH_MB} MB in use",
    )
    if sent := network_use(process):
        findings.noted("no network", f"it tried to send something, {sent} times, and lives without an answer")
    findings.passed("no network")
    findings.passed("no disk")
    findings.passed("no processes", "it asks for them" if process.program.processes else "")


def peak_bytes(pid: int) -> int:
    """The most memory that a process ever had in use (VmHWM in proc(5)); 0 when it has gone."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((1024 * int(line.split()[1]) for line in lines if line.startswith("VmHWM:")), 0)


def scratch_bytes(pid: int) -> int:
    """Bytes in use in the scratch folder of a walled-off process."""
    try:
        state = os.statvfs(f"/proc/{pid}/root/tmp")
    except OSError:
        return 0
    return (state.f_blocks - state.f_bfree) * state.f_frsize


async def ending(bot: Inspection) -> None:
    """SIGTERM, and what is left afterwards."""
    process, findings = bot.subject.process, bot.findings
    if process is None:
        findings.skipped("ends", "its author runs it")
        findings.skipped("nothing left", "its author runs it")
        return
    await bot.subject.hang_up()
    members = process.members()
    holder = bot.limits.sandbox == "bubblewrap"  # the first process is the one that holds the bot in its sandbox
    for pid in members[holder : holder + 1]:
        send(pid, signal.SIGTERM)
    end = await process.ended(END_WITHIN_S)
    fine = end in ("exit code 0", "signal SIGTERM")
    wrong = None if fine else end or f"it still runs {END_WITHIN_S:g} s after SIGTERM"
    findings.judge("ends", wrong, end or "")
    await bot.subject.stop()
    left = set(living_in(process.program.folder, bot.home)) | {pid for pid in members if running(pid)}
    findings.judge("nothing left", f"{len(left)} processes are still there" if left else None)


def running(pid: int) -> bool:
    """Whether there is such a process, and not only its name until somebody asks how it ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def living_in(*folders: Path) -> list[int]:
    """The processes whose current folder is one of these, or in one."""
    found = []
    for link in Path("/proc").glob("[0-9]*/cwd"):
        try:
            place = link.readlink()
        except OSError:
            continue
        if any(place.is_relative_to(folder) for folder in folders):
            found.append(int(link.parent.name))
    return found


# Whole matches


@dataclass
class House:
    """A player of the house, in this process: any legal choice, by dice."""

    dice: Random
    match: Match
    busy: int = 0

    async def begin(self, rules: Rules, seat: int) -> None:
        pass

    async def ask(self, view: View, limit_s: float) -> tuple[Choice, float]:
        return dice_choice(self.dice, self.match), 0.0

    async def round_over(self, view: View, scores: Three) -> None:
        pass

    async def match_over(self, placing: Three, totals: Three, end: str) -> None:
        pass

    def cpu_s(self) -> float:
        return 0.0

    def output_tail(self) -> str:
        return ""


async def matches(bot: Inspection) -> None:
    """Matches of two rounds one after the other on one process, as at a league's table, against the house."""
    home = bot.home / "matches"
    home.mkdir(mode=0o700)
    player = BotPlayer(bot.seated, bot.limits, home)
    clocks: list[dict[str, Any]] = []
    faults: list[str] = []
    try:
        for number, name in enumerate(SETS):
            table = table_of(bot, player, number, name)
            played = await table.play()
            seat = number % 3
            clocks.append(played.record["clock"][seat])
            for fault, beside in zip(played.record["faults"], played.faults, strict=True):
                faults.append(f"{fault['kind']} in a match of {name}: {beside['why']}")
            if number and sum(clock["think_s"] for clock in clocks) > MATCHES_S:
                break
    finally:
        await player.stop()
    decisions = sum(clock["decisions"] for clock in clocks)
    found = f"{len(clocks)} on one process, {decisions} decisions, no fault"
    bot.findings.judge("matches", f"{len(faults)} faults, first: {faults[0]}" if faults else None, found)
    judge_pace(bot, max(clock["slowest_s"] for clock in clocks))


def table_of(bot: Inspection, player: BotPlayer, number: int, name: str) -> Table:
    """The bot in one seat or another, a rule set, two rounds."""
    match = Match(rules_for(name, (), {"max_rounds": "2"}), board_seed(SEED, number))
    seat = number % 3
    players: list[Player] = [House(Random(place), match) for place in range(3)]
    players[seat] = player
    names = ["house-a", "house-b", "house-c"]
    names[seat] = bot.seated.name
    return Table(
        match, bot.limits, players, f"check/{number}/0", number, [{"bot": one, "version": ""} for one in names]
    )


def judge_pace(bot: Inspection, slowest_in_match_s: float) -> None:
    """Times of all answers, against the move time."""
    times = sorted(asked.reply.took_s for asked in bot.asked)
    limit_s = bot.limits.move_time_s
    middle_s, late_s = times[len(times) // 2], times[len(times) * 99 // 100]
    slowest_s = max(times[-1], slowest_in_match_s)
    words = f"median {ms(middle_s)}, 99 % within {ms(late_s)}, slowest {ms(slowest_s)}, of {ms(limit_s)}"
    (bot.findings.noted if slowest_s > limit_s else bot.findings.passed)("pace", words)


def ms(seconds: float) -> str:
    return f"{1000 * seconds:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"
