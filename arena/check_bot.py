"""A bot gone through from its start to its end, as ``arena check`` does: started, asked, disturbed, ended.

What a bot does is noted where it happens and judged afterwards, so that one fault spoils no other point.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from grpc import aio

from arena.check_needs import need_of
from arena.check_points import Findings
from arena.check_positions import GRID, RARE, Scene, by_dice, dice_choice, scenes
from arena.check_talk import Conversation, Reply, Subject
from protocol.view import Choice, Clock
from protocol.wire import PROTOCOL, round_over_message
from referee.bot_process import StartFailure
from referee.dial import Seated, without_token
from referee.errors import IllegalChoice
from referee.match import Match
from referee.player import Limits
from referee.rules import SETS

__all__ = ["Inspection"]

HURRY = Clock(0.1, 0.0)  # what a view says in the positions; the limit is the league's
THINK_S = 12.0  # for all positions together, once each point has been touched
LONGEST_S = 120.0  # for all positions, whatever has been touched
DEATHS = 3  # after which a bot is asked no more
AGAIN = 24  # positions asked twice


@dataclass(frozen=True)
class Asked:
    """A question, and what came of it."""

    scene: Scene
    match: Match
    """As it was then."""
    reply: Reply
    wrong: str = ""
    """Why the answer can't be read, or is against the rules."""


class Inspection:
    """One bot, and what has been found of it.

    :param home: a private folder, for scratch.
    :param findings: what is known already.
    """

    def __init__(self, seated: Seated, limits: Limits, home: Path, findings: Findings) -> None:
        self.seated = seated
        self.limits = limits
        self.home = home
        self.subject = Subject(seated, limits, home)
        self.findings = findings
        self.scenes = scenes()
        self.asked: list[Asked] = []
        self.closes = True  # whether it ends its streams
        self.talks = False  # whether it answers news
        self.unasked = 0
        self.deaths = 0

    # Start

    async def start(self) -> bool:
        """Whether it starts, says who it is, and speaks our version."""
        findings, subject = self.findings, self.subject
        try:
            await subject.start()
        except StartFailure as failure:
            need = await need_of(subject, None)
            if need:
                findings.failed(*need)
            else:
                findings.failed("start", f"{failure}{subject.last_words()}")
            findings.why_not = "the bot did not start"
            return False
        findings.passed("start", "its author runs it" if subject.process is None else "")
        try:
            description = await subject.describe()
        except aio.AioRpcError as error:
            findings.failed("handshake", without_token(f"{error.code().name}: {error.details()}", self.seated)[:200])
            findings.why_not = "the bot does not say who it is"
            return False
        findings.passed("handshake", f"{description.name} {description.version}, {description.language}")
        version = description.protocol
        findings.judge("version", None if version == PROTOCOL else f"it speaks version {version}", str(version))
        if version != PROTOCOL:
            findings.why_not = "the bot speaks another version of the protocol"
            return False
        if description.name == self.seated.name:
            findings.passed("name")
        else:
            findings.noted("name", f"Describe says {description.name!r:.50}, bot.toml {self.seated.name}")
        return True

    def judge_starts(self) -> None:
        """How long the starts took."""
        if self.seated.program is None:
            self.findings.skipped("start time", "its author runs it")
            return
        slowest_s, limit_s = max(self.subject.starts_s), self.limits.start_s
        words = f"{slowest_s:.2f} s, of {limit_s:g} s"
        (self.findings.noted if slowest_s > limit_s / 2 else self.findings.passed)("start time", words)

    # Questions

    async def manners(self) -> bool:
        """One match from its beginning, with pauses; whether what it says can be understood."""
        match = next(by_dice(SETS["ten-points"], 0)).copy()
        scene = Scene("declare in ten-points", match)
        conversation = Conversation(self.subject, match.rules, match.seat)
        await conversation.open()
        unasked = await conversation.unasked_now()
        self.findings.judge("unasked", f"{unasked} messages before the first turn" if unasked else None)
        self.findings.why_not = "its answers can't be told from what it says unasked"
        await self._ask(conversation, scene, match)
        if unasked or self.asked[-1].reply.trouble:
            conversation.cancel()
            return not unasked
        self.unasked += await conversation.unasked_now()
        await conversation.send(round_over_message(match.view(match.seat), (0, 0, 0)))
        news = await conversation.unasked_now()
        self.closes = await conversation.close()
        self.talks = news + conversation.late > 0
        self.findings.judge("news", "it sends messages after round_over or match_over" if self.talks else None)
        self.findings.judge("end", None if self.closes else "its side of the stream stayed open")
        return True

    async def positions(self) -> None:
        """All scenes, as far as the bot lives and the time goes."""
        first_pass = len(GRID) + len(RARE)
        for number, scene in enumerate(self.scenes):
            if self._thought_s() > (THINK_S if number >= first_pass else LONGEST_S) or not await self.revived():
                break
            await self.play_scene(scene)

    def _thought_s(self) -> float:
        """How long the bot has thought about all questions so far."""
        return sum(asked.reply.took_s for asked in self.asked)

    async def revived(self) -> bool:
        """Starts a bot that has died, but not for ever."""
        if self.subject.process and self.subject.process.exit:
            await self.subject.stop()
            self.deaths += 1
            if self.deaths >= DEATHS:
                return False
            try:
                await self.subject.start()
            except StartFailure:
                self.deaths = DEATHS
        return self.deaths < DEATHS

    async def play_scene(self, scene: Scene) -> None:
        """The turns of a scene on a stream of its own; the others' choices are by dice."""
        match, dice = scene.match.copy(), Random(0)
        seat, number = match.seat, match.round.number
        conversation = Conversation(self.subject, match.rules, seat)
        await conversation.open()
        left = scene.turns
        while left and not match.over and match.round.number == number:
            if len(match.legal()) == 1 or match.seat != seat:
                match.choose(dice_choice(dice, match))
                continue
            left -= 1
            choice = await self._ask(conversation, scene, match)
            if self.asked[-1].reply.trouble not in ("", "unreadable"):
                conversation.cancel()
                return
            match.choose(dice_choice(dice, match) if choice is None else choice)
        await self.part(conversation)

    async def part(self, conversation: Conversation) -> None:
        """Ends a stream politely, unless the bot is known to leave its side open."""
        if self.closes:
            self.closes = await conversation.close()
        else:
            conversation.cancel()
        self.unasked += conversation.unasked + (0 if self.talks else conversation.late)

    async def _ask(self, conversation: Conversation, scene: Scene, match: Match) -> Choice | None:
        """A legal answer, or None; what came of the question is noted."""
        reply = await conversation.ask(match.view(match.seat, HURRY))
        if reply.trouble == "timeout":
            self.deaths = DEATHS
        wrong = reply.why if reply.trouble == "unreadable" else ""
        if reply.choice is not None:
            try:
                match.copy().choose(reply.choice)
            except IllegalChoice as illegal:
                wrong = str(illegal)
        self.asked.append(Asked(scene, match.copy(), reply, wrong))
        return None if wrong else reply.choice

    async def same_again(self) -> None:
        """The same questions once more."""
        once = [asked for asked in self.asked if asked.scene.turns == 1 and asked.reply.choice is not None][:AGAIN]
        before = len(self.asked)
        until_s = self._thought_s() + THINK_S
        for asked in once:
            if self.deaths < DEATHS and self._thought_s() < until_s:
                await self.play_scene(asked.scene)
        again = self.asked[before:]
        del self.asked[before:]
        spoilt = [two for two in again if two.reply.trouble]
        other = sum(one.reply.choice != two.reply.choice for one, two in zip(once, again, strict=False))
        if spoilt:
            self.findings.failed("same again", described(spoilt))
        elif other:
            self.findings.noted("same again", f"{other} of {len(again)} questions answered otherwise the second time")
        elif once:
            self.findings.passed("same again", f"{len(again)} questions asked twice")

    # Judgement

    async def judge_answers(self) -> None:
        """What the answers so far say of each point."""
        for point in (*GRID, *RARE):
            judge_point(self.findings, point, [asked for asked in self.asked if asked.scene.point == point])
        findings = self.findings
        echoed = [asked.reply.echoed for asked in self.asked if asked.reply.echoed is not None]
        if echoed:
            wrong = echoed.count(False)
            findings.judge("sequence", f"{wrong} of {len(echoed)} answers bear another number" if wrong else None)
            findings.judge("once", f"{self.unasked} messages more than turns" if self.unasked else None)
        findings.judge("in time", first_why(self.asked, "timeout"))
        await self._judge_endings()

    async def _judge_endings(self) -> None:
        """Streams and processes that ended: for want of something, or by the bot's own fault."""
        findings = self.findings
        for trouble in ("crash", "error", "closed"):
            spoilt = [asked for asked in self.asked if asked.reply.trouble == trouble]
            if not spoilt:
                continue
            excess = next((asked.reply.why for asked in spoilt if "it used more than" in asked.reply.why), None)
            if excess:
                findings.failed("memory", excess)
            elif need := await need_of(self.subject, spoilt[0].match):
                findings.failed(*need)
            else:
                point = "stays up" if trouble == "crash" else "errors"
                findings.failed(point, f"{described(spoilt)}{self.subject.last_words()}")
        findings.passed("errors")
        findings.passed("stays up")


def judge_point(findings: Findings, point: str, asked: Sequence[Asked]) -> None:
    """Legal answers in the positions of one point."""
    answered = [one for one in asked if one.reply.choice is not None or one.wrong]
    wrong = [one.wrong for one in answered if one.wrong]
    if wrong:
        findings.failed(point, f"{len(wrong)} of {len(answered)} answers wrong: {wrong[0]}")
    elif answered:
        findings.passed(point, f"{len(answered)} answers")
    else:
        findings.skipped(point, "no answer came" if asked else "not asked")


def first_why(asked: Sequence[Asked], trouble: str) -> str | None:
    spoilt = [one for one in asked if one.reply.trouble == trouble]
    return described(spoilt) if spoilt else None


def described(spoilt: Sequence[Asked]) -> str:
    """How often, where first, and why."""
    first = spoilt[0]
    times = f"{len(spoilt)} times, first " if len(spoilt) > 1 else ""
    kind = first.match.kind.value.replace("_", " ") if first.match.kind else ""
    return f"{times}asked to {kind} ({first.scene.point}): {first.reply.why}"
