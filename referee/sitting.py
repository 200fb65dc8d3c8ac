"""A sitting: three entrants in one seating play boards with fresh processes. A bot meets a board once (R2.4)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

import uvloop

from protocol.view import Rules
from referee.match import Match
from referee.player import BotPlayer, Limits, Seated
from referee.scratch import Scratch
from referee.table import Played, Table

__all__ = ["Board", "Sitting", "play_sitting"]


@dataclass(frozen=True)
class Board:
    """The seeded deals of one match."""

    number: int
    seed: bytes
    deals: tuple[str, ...] = ()
    """Deals of the first rounds that come from a file (``referee.deal.read_deal``)."""


@dataclass(frozen=True)
class Sitting:
    """What there is to play: who sits where, by which rules, which boards in which order."""

    league: str
    seating: int
    seats: tuple[Seated, Seated, Seated]
    rules: Rules
    limits: Limits
    boards: tuple[Board, ...]


def play_sitting(
    sitting: Sitting,
    report: Callable[[Played], None] | None = None,
    watch: Callable[[Table], None] | None = None,
) -> list[Played]:
    """Plays a sitting from start to end in an event loop of its own; nothing of its bots is left afterwards.

    :param report: called with each match as soon as it is over.
    :param watch: called with the table before the first choice of each match and after every choice.
    """
    return uvloop.run(played(sitting, report, watch))


async def played(
    sitting: Sitting, report: Callable[[Played], None] | None, watch: Callable[[Table], None] | None
) -> list[Played]:
    results: list[Played] = []
    with Scratch() as home:
        players = [BotPlayer(seated, sitting.limits, home / str(seat)) for seat, seated in enumerate(sitting.seats)]
        try:
            for player in players:
                player.home.mkdir(mode=0o700)
            for board in sitting.boards:
                table = table_for(sitting, board, players, watch)
                results.append(await table.play())
                if report:
                    report(results[-1])
        finally:
            await asyncio.gather(*(player.stop() for player in players))
    return results


def table_for(sitting: Sitting, board: Board, players: list[BotPlayer], watch: Callable[[Table], None] | None) -> Table:
    return Table(
        match=Match(sitting.rules, board.seed, board.deals),
        limits=sitting.limits,
        players=players,
        name=f"{sitting.league}/{board.number}/{sitting.seating}",
        number=board.number,
        seats=[{"bot": seated.name, "version": seated.version} for seated in sitting.seats],
        watch=watch,
    )
