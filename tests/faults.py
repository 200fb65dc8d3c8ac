"""What must come of bots with bad habits: the faults, the substitutes, everybody's decisions and the placing.

A second, plain account of what the table does, without processes or a clock. The real bots are tests/bots/bad.py and
tests/bots/starts.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from protocol.bot import choose
from protocol.view import Choice, Rules, Three, TurnKind, View
from referee.match import Match
from referee.stand_in import stand_in
from tests.bots.bad import ON_TURN, Honest, illegal
from tests.bots.starts import AT_START

# The kind of fault that comes of each habit; what is said of "sent" habits follows from what they send.
KINDS: dict[str, str] = {
    **dict.fromkeys(("exits", "exits_quietly", "segfaults", "aborts", "hoards", "fork_bomb"), "crash"),
    **dict.fromkeys(("sleeps", "spins", "holds_the_interpreter", "stops_itself", "just_too_late"), "timeout"),
    **dict.fromkeys(("empty", "garbled", "huge", "enormous"), "malformed"),
    **dict.fromkeys(("closes", "forges_cancelled", "forges_unavailable"), "disconnect"),
    **dict.fromkeys(("forges_deadline", "forges_exhausted"), "error"),
    **dict.fromkeys(("raises", "raises_a_story", "raises_a_novel"), "error"),
    **dict.fromkeys(("not_in_hand", "revoke", "too_few", "too_many"), "illegal"),
}
# What is sent instead of an answer: for which turn, counted from the one asked, and whether a choice is in it.
SENT: dict[str, tuple[tuple[int, bool], ...]] = {
    "answers_twice": ((0, True), (0, True)),
    "answers_early": ((0, True), (1, False)),
    "answers_another_turn": ((1, True),),
    "blank": ((0, False),),
    "no_such_code": ((0, False),),
}
HARMLESS = tuple(habit for habit in ON_TURN if habit not in KINDS and habit not in SENT)

NEVER_STARTS = (
    *("never_listens", "exits_at_once", "file_for_a_socket", "link_for_a_socket", "accepts_and_is_silent"),
    *("speaks_http_1", "speaks_nonsense"),
    *("speaks_another_version", "describes_itself_at_length", "fails_to_describe_itself"),
)
STARTS = tuple(habit for habit in AT_START if habit not in NEVER_STARTS)


@dataclass(frozen=True)
class Bad:
    """A bot with a habit, to which it gives way on its first asked turn of each of these kinds."""

    habit: str
    on: tuple[TurnKind, ...] = ()

    def kind(self, view: View) -> str | None:
        """The kind of fault that comes of the habit on this turn; None: an answer is sent."""
        kind = KINDS.get(self.habit)
        return None if kind == "illegal" and illegal(self.habit, view) is None else kind


HONEST = Bad("honest")


@dataclass
class Stream:
    """What a bot has sent and the referee has not read, as (number of the turn, whether a choice is in it)."""

    sequence: int = 0
    unread: list[tuple[int, bool]] = field(default_factory=list)


@dataclass
class Account:
    """What comes of a match.

    :ivar decisions: for each seat, the decisions at which the bot gives way to its habit.
    :ivar faults: (decision, seat, kind, substitute, struck out), in order; a failed start has no decision.
    """

    rules: Rules
    seed: bytes
    bots: Mapping[int, Bad]
    strikes: int
    decisions: list[list[int]] = field(default_factory=lambda: [[], [], []])
    faults: list[tuple[int | None, int, str, Choice | None, bool]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.match = Match(self.rules, self.seed)
        self._streams = [Stream(), Stream(), Stream()]
        self._given_way: list[set[TurnKind]] = [set(), set(), set()]
        self._play()

    def _play(self) -> None:
        for seat in sorted(self.bots):
            if self.bots[seat].habit in NEVER_STARTS:
                self._fault(seat, "start", None, None)
        match = self.match
        while not match.over:
            legal = match.legal()
            match.choose(legal[0] if len(legal) == 1 else self._choice(match.view(match.seat)))

    def _choice(self, view: View) -> Choice:
        substitute = stand_in(view)
        if view.seat in self.struck:
            return substitute
        kind = self._ask(view)
        if kind is None:
            return choose(Honest(), view)
        self._fault(view.seat, kind, view.decision, substitute)
        return substitute

    def _ask(self, view: View) -> str | None:
        """The kind of fault with which a turn ends, None for an honest answer."""
        bad, stream = self.bots.get(view.seat, HONEST), self._streams[view.seat]
        stream.sequence += 1
        sent: tuple[tuple[int, bool], ...] = ((0, True),)
        if view.kind in bad.on and view.kind not in self._given_way[view.seat]:
            self._given_way[view.seat].add(view.kind)
            self.decisions[view.seat].append(view.decision)
            kind = bad.kind(view)
            if kind:
                if kind != "illegal":
                    self._streams[view.seat] = Stream()
                return kind
            sent = SENT.get(bad.habit, sent)
        stream.unread += [(stream.sequence + later, choice) for later, choice in sent]
        sequence, choice = stream.unread.pop(0)
        if sequence != stream.sequence:
            self._streams[view.seat] = Stream()
        return None if choice and sequence == stream.sequence else "malformed"

    def _fault(self, seat: int, kind: str, decision: int | None, substitute: Choice | None) -> None:
        strikes = 1 + sum(fault[1] == seat for fault in self.faults)
        self.faults.append((decision, seat, kind, substitute, kind == "start" or strikes >= self.strikes))

    @property
    def struck(self) -> dict[int, int]:
        """The seats that are struck out, and since which decision; −1 for a failed start."""
        return {seat: -1 if decision is None else decision for decision, seat, _, _, out in self.faults if out}

    @property
    def placing(self) -> Three:
        """The places by the cards, but those struck out come last, of two the later one ahead."""
        assert self.match.placing
        places, struck = self.match.placing, self.struck
        order = sorted(range(3), key=lambda seat: (seat in struck, -struck.get(seat, 0), places[seat]))
        return order.index(0) + 1, order.index(1) + 1, order.index(2) + 1

    @property
    def complete(self) -> bool:
        """Whether every bot gave way on each kind of turn that it should, or was struck out on the way."""
        return all(
            seat in self.struck
            or (self._given_way[seat] == set(bad.on) and (bad.habit not in SENT or self._found(seat)))
            for seat, bad in self.bots.items()
        )

    def _found(self, seat: int) -> bool:
        return any(fault[1] == seat for fault in self.faults)
