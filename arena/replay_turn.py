"""One question of a recorded match, asked again of a bot on its author's machine: ``arena replay-turn``."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from grpc import aio

from arena.check_talk import Conversation, Reply, Subject
from arena.journal import LeagueError
from arena.logs import at
from protocol.view import Choice, Clock, View
from referee.bot_process import StartFailure
from referee.dial import Seated
from referee.errors import IllegalChoice
from referee.match import Match
from referee.player import Limits
from referee.record import Record, recorded_choices
from referee.scratch import Scratch

__all__ = ["Replayed", "replay_turn"]


@dataclass(frozen=True)
class Replayed:
    """A question and what a bot answered.

    :ivar then: what was chosen in the match, by the bot that sat there or by the stand-in.
    :ivar reply: what came of the question; hostile text in it.
    :ivar wrong: why the answer is none, or against the rules; empty if it is legal.
    :ivar output: the last that the bot wrote: hostile text.
    """

    view: View
    then: Choice
    reply: Reply
    wrong: str
    output: str


def replay_turn(record: Record, decision: int, seated: Seated, limits: Limits) -> Replayed:
    """Asks a bot what a seat was asked at a decision of a recorded match: the same view but for the bank's state.

    :raises LeagueError: nobody was asked then.
    :raises RecordError: the record can't be replayed up to there.
    """
    choices = [choice for written in record["rounds"] for _, choice in recorded_choices(written)]
    if not 0 <= decision < len(choices):
        raise LeagueError(f"{record['match']} has the decisions 0 to {len(choices) - 1}: there is no {decision}")
    match = at(record, decision)
    if len(match.legal()) == 1:
        raise LeagueError(f"nobody was asked at decision {decision}: {match.legal()[0]} was the only legal choice")
    with Scratch() as home:
        return asyncio.run(asked(Subject(seated, limits, home), match, choices[decision]))


async def asked(subject: Subject, match: Match, then: Choice) -> Replayed:
    view = match.view(match.seat, Clock(subject.limits.move_time_s, subject.limits.bank_s))
    try:
        reply = await reply_of(subject, view)
    finally:
        await subject.stop()
    output = subject.tail.decode("utf-8", "replace")
    return Replayed(view, then, reply, reply.why or refusal(match, reply.choice), output)


async def reply_of(subject: Subject, view: View) -> Reply:
    try:
        await subject.start()
        await subject.describe()
    except StartFailure as failure:
        return Reply(0.0, trouble="start", why=str(failure))
    except aio.AioRpcError as error:
        return Reply(0.0, trouble="start", why=f"{error.code().name}: {error.details()}")
    conversation = Conversation(subject, view.rules, view.seat)
    await conversation.open()
    reply = await conversation.ask(view)
    conversation.cancel()
    return reply


def refusal(match: Match, choice: Choice | None) -> str:
    """What the rules say against a choice."""
    assert choice is not None
    try:
        match.choose(choice)
    except IllegalChoice as illegal:
        return str(illegal)
    return ""
