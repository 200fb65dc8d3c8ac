"""The points that ``arena check`` goes through, what was found at each, and how it is told."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from arena.check_positions import GRID, RARE

__all__ = ["POINTS", "Finding", "Findings", "Point", "State"]


class State(Enum):
    """How a point stands."""

    PASSED = "passed"
    FAILED = "failed"
    NOTE = "note"
    """Worth knowing, and no reason to refuse the bot."""
    SKIPPED = "not tried"


@dataclass(frozen=True)
class Point:
    """One thing that is looked at."""

    name: str
    group: str
    mend: str
    """What to do where it fails, in one line."""


@dataclass(frozen=True)
class Finding:
    """What was found at a point; ``found`` may be hostile text."""

    point: Point
    state: State
    found: str = ""


FOLDER = {
    "files": "take links and special files out, keep it below 50 MB, call nothing protocol, referee or arena",
    "manifest": "mend bot.toml; `arena new` writes one that is right",
    "about": "add language and description to bot.toml, for the standings and the report",
    "command": "write in bot.toml what starts the bot in its folder, as in python bot.py; its files must travel along",
    "build": "make the build step pass without a network: what it needs travels in the folder",
}
START = {
    "start": "listen on the Unix socket in ARENA_SOCKET; what the bot wrote last says why it did not",
    "start time": "load less before listening: a slower machine may need twice as long",
    "handshake": "serve threefiveeight.v1.Bot and answer Describe",
    "version": "speak version 1 of the protocol: answer protocol = 1 in Describe",
    "name": "let Describe answer the name of bot.toml, so that nobody wonders",
}
NEEDS = {
    "no network": "do without: everything a bot needs travels in its folder",
    "no disk": "write nothing in the bot's folder; what must be written goes to TMPDIR",
    "no processes": "use threads, or write processes = true in bot.toml",
}
TURN = "answer in the field of what is asked (card, suit, contract, cards), and with what the view says is legal"
CONVERSATION = {
    "sequence": "copy the turn's sequence number into the answer",
    "once": "send one message for each turn, and no more",
    "unasked": "send nothing before the first turn",
    "news": "don't answer round_over and match_over",
    "end": "close your side of the stream when the referee has closed its own",
    "unknown fields": "ignore fields and events that you don't know: later referees may send some",
    "new stream": "when a stream breaks, let go of it: the match goes on with match_started on a new one",
    "stopped": "bear being stopped while others choose: no alarms, no time-outs by the wall clock",
}
STEADY = {
    "errors": "the traceback is in what the bot wrote: `arena play DIR DIR DIR --no-clock` shows it",
    "stays up": "catch what can go wrong in a choice; a new process costs its start",
    "restart": "choose from the view alone: a bot that died goes on in the middle of a match",
    "matches": "`arena play DIR DIR DIR --record FILE` shows the match, its faults, and how to repeat them",
    "same again": "draw dice from view.seed and view.decision, so that a match can be repeated",
}
TIME = {
    "in time": "look at view.clock and answer within it",
    "pace": "answer within the move time: what goes beyond it is taken from the match's bank",
}
RESOURCES = {
    "memory": "use less: 512 MB is all that a bot and its processes have together",
    "scratch": "clean up behind you: TMPDIR holds 64 MB",
    "output": "write less: the last 64 KiB are kept",
}
END = {
    "ends": "end on SIGTERM with exit code 0, within five seconds",
    "nothing left": "let no process survive you",
}

GROUPS: dict[str, dict[str, str]] = {
    "The folder": FOLDER,
    "Start": START,
    "What it needs": NEEDS,
    "Every turn under every rule set": dict.fromkeys(GRID, TURN),
    "Rare positions": dict.fromkeys(RARE, TURN),
    "Conversation": CONVERSATION,
    "Steadiness": STEADY,
    "Time": TIME,
    "Resources": RESOURCES,
    "End": END,
}
POINTS = {name: Point(name, group, mend) for group, points in GROUPS.items() for name, mend in points.items()}


@dataclass
class Findings:
    """What has been found so far. The first word on a point stands."""

    found: dict[str, Finding] = field(default_factory=dict)
    why_not: str = ""
    """Why what is not found was not tried."""

    def passed(self, name: str, found: str = "") -> None:
        self._note(name, State.PASSED, found)

    def failed(self, name: str, found: str) -> None:
        self._note(name, State.FAILED, found)

    def noted(self, name: str, found: str) -> None:
        self._note(name, State.NOTE, found)

    def skipped(self, name: str, why: str) -> None:
        self._note(name, State.SKIPPED, why)

    def judge(self, name: str, wrong: str | None, found: str = "") -> None:
        """Passed, unless something is wrong."""
        if wrong:
            self.failed(name, wrong)
        else:
            self.passed(name, found)

    def _note(self, name: str, state: State, found: str) -> None:
        self.found.setdefault(name, Finding(POINTS[name], state, found))

    def all(self) -> list[Finding]:
        """A finding for every point, in the order of the list."""
        rest = Finding(POINTS["files"], State.SKIPPED, self.why_not)
        return [self.found.get(name, Finding(point, rest.state, rest.found)) for name, point in POINTS.items()]

    @property
    def failures(self) -> list[Finding]:
        return [finding for finding in self.all() if finding.state is State.FAILED]

    def as_json(self) -> list[dict[str, Any]]:
        return [
            {
                "point": finding.point.name,
                "group": finding.point.group,
                "state": finding.state.value,
                "found": finding.found,
                "mend": finding.point.mend,
            }
            for finding in self.all()
        ]
