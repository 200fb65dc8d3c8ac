"""A table: three players play a match. Ask, enforce, substitute, record.

Faults never stop a match and never hurt the other two: where no legal choice comes in time, the stand-in chooses, and
a player with too many faults is struck out and placed last.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from protocol.view import Choice, Clock
from referee.errors import IllegalChoice
from referee.match import Match
from referee.placing import placing_after_strikes
from referee.player import DETAILS, Limits, Player, PlayerFault
from referee.record import Record, match_record, write
from referee.round import Round
from referee.stand_in import stand_in

__all__ = ["Played", "Table"]


@dataclass(frozen=True)
class Played:
    """A match that was played: its record, and what is kept beside it.

    :ivar faults: for each fault of the record, in order, what varies: ``why``, ``answer`` and ``output`` (the last
        that the bot wrote, None of a remote one). Hostile text, bounded.
    :ivar busy: how often a question was extended because this machine, not a bot, was late.
    """

    record: Record
    faults: tuple[dict[str, Any], ...] = ()
    busy: int = 0


@dataclass
class Place:
    """A seat at the table: who sits there, and how its match has gone so far."""

    player: Player
    bank_s: float
    decisions: int = 0
    think_s: float = 0.0
    slowest_s: float = 0.0
    cpu_before_s: float = 0.0
    strikes: int = 0
    struck_out: bool = False

    def clock(self) -> dict[str, Any]:
        """The seat's clock as in the record."""
        return {
            "decisions": self.decisions,
            "think_s": round(self.think_s, 6),
            "cpu_s": round(max(self.player.cpu_s() - self.cpu_before_s, 0.0), 6),
            "slowest_s": round(self.slowest_s, 6),
        }


@dataclass
class Table:
    """One match at one table.

    :param name: ``<league>/<board>/<seating>``; ``number`` the board's number; ``seats`` as in the record.
    :param watch: called with the table before the first choice and after each.
    """

    match: Match
    limits: Limits
    players: Sequence[Player]
    name: str
    number: int
    seats: Sequence[dict[str, str]]
    watch: Callable[[Table], None] | None = None
    faults: list[dict[str, Any]] = field(default_factory=list)
    evidence: list[dict[str, Any]] = field(default_factory=list)
    places: list[Place] = field(init=False)

    async def play(self) -> Played:
        """Plays the match to its end, whatever the players do."""
        self.places = [Place(player, self.limits.bank_s, cpu_before_s=player.cpu_s()) for player in self.players]
        busy_before = sum(player.busy for player in self.players)
        await self._begin()
        self._show()
        match = self.match
        while not match.over:
            rnd = match.round
            await self._turn()
            self._show()
            if rnd.over:
                await self._tell_round(rnd)
        placing = placing_after_strikes(match.placing or (1, 2, 3), self.faults)
        await asyncio.gather(
            *(p.player.match_over(placing, match.totals, match.end or "") for p in self.places if not p.struck_out)
        )
        return Played(self._record(), tuple(self.evidence), sum(player.busy for player in self.players) - busy_before)

    def _show(self) -> None:
        if self.watch:
            self.watch(self)

    async def _begin(self) -> None:
        """Gets all three ready at once; who does not start is struck out."""
        ready = await asyncio.gather(
            *(player.begin(self.match.rules, seat) for seat, player in enumerate(self.players)), return_exceptions=True
        )
        for seat, failure in enumerate(ready):
            if isinstance(failure, PlayerFault):
                self._note(seat, failure, None, None)
            elif failure is not None:
                raise failure

    async def _turn(self) -> None:
        """One turn: the only choice, the player's, or the stand-in's."""
        match = self.match
        only = match.only_choice()
        if only is not None:
            match.choose(only)
            return
        seat = match.seat
        place = self.places[seat]
        view = match.view(seat, Clock(self.limits.move_time_s, place.bank_s))
        if place.struck_out:
            match.choose(stand_in(view))
            return
        try:
            answer, took_s = await place.player.ask(view, self.limits.move_time_s + place.bank_s + self.limits.margin_s)
        except PlayerFault as fault:
            self._charge(place, fault.after_s)
            self._substitute(seat, fault, None)
            return
        self._charge(place, took_s)
        try:
            match.choose(answer)
        except IllegalChoice as illegal:
            self._substitute(seat, PlayerFault("illegal", str(illegal), took_s), answer)

    def _charge(self, place: Place, took_s: float | None) -> None:
        """What a decision costs: its time, and from the bank what went beyond the move time."""
        if took_s is None:
            return
        place.decisions += 1
        place.think_s += took_s
        place.slowest_s = max(place.slowest_s, took_s)
        place.bank_s = max(place.bank_s - max(took_s - self.limits.move_time_s, 0.0), 0.0)

    def _substitute(self, seat: int, fault: PlayerFault, answer: Choice | None) -> None:
        choice = stand_in(self.match.view(seat))
        self._note(seat, fault, answer, choice)
        self.match.choose(choice)

    def _note(self, seat: int, fault: PlayerFault, answer: Choice | None, substitute: Choice | None) -> None:
        """Enters a fault in the record, and what varies beside it."""
        place = self.places[seat]
        place.strikes += 1
        place.struck_out = fault.kind == "start" or place.strikes >= self.limits.strikes
        started = fault.kind != "start"
        self.faults.append(
            {
                "round": self.match.round.number if started else None,
                "decision": self.match.decision if started else None,
                "seat": seat,
                "turn": self.match.kind.value if started and self.match.kind else None,
                "kind": fault.kind,
                "after_s": None if fault.after_s is None else round(fault.after_s, 6),
                "detail": DETAILS[fault.kind],
                "substitute": write(substitute) if started else None,
                "struck_out": place.struck_out,
            }
        )
        self.evidence.append(
            {
                "seat": seat,
                "decision": self.match.decision,
                "why": fault.why,
                "answer": write(answer),
                "output": place.player.output_tail(),
            }
        )

    async def _tell_round(self, rnd: Round) -> None:
        for seat, place in enumerate(self.places):
            if not place.struck_out:
                await place.player.round_over(self.match.view_of(rnd, seat), rnd.scores)

    def _record(self) -> Record:
        return match_record(
            self.match,
            name=self.name,
            number=self.number,
            seats=self.seats,
            limits=asdict(self.limits),
            faults=self.faults,
            clock=[place.clock() for place in self.places],
        )
