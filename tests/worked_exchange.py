"""The worked exchange of docs/protocol.md, from a real run: ``python -m tests.worked_exchange`` writes it there.

A short match (two rounds) with ``high-card`` as a process in one seat and ``first-legal`` in the two others.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from protocol import wire
from protocol.bot import choose
from protocol.cards import CARDS, Cards
from protocol.three_five_eight_pb2 import PLAY, DescribeRequest, FromBot, FromReferee
from protocol.view import Clock
from referee.match import Match
from referee.rules import rules_for
from tests import streams
from tests.samples import FOLDER, bot_of

DOCUMENT = Path(__file__).parent.parent / "docs" / "protocol.md"
BEGIN, END = "<!-- worked exchange: begin -->\n", "<!-- worked exchange: end -->\n"
SETS_OF_CARDS = ("removed", "hand", "legal_cards", "discard", "kitty", "cards")

Said = tuple[str, Message]
"""Who says it (``referee`` or ``bot``), and the message."""


def exchanged(seat: int, seed: bytes) -> list[Said]:
    """All messages of the bot in this seat, in order."""
    rules = rules_for("announcer", overrides={"max_rounds": "2"})
    match, others = Match(rules, seed), bot_of("first-legal")()
    said: list[Said] = []
    with (
        tempfile.TemporaryDirectory() as home,
        streams.started(FOLDER / "high-card", Path(home)),
        streams.dialled(Path(home)) as stub,
    ):
        said += [("referee", DescribeRequest()), ("bot", stub.Describe(DescribeRequest()))]
        start = wire.match_started_message(rules, seat)
        said.append(("referee", start))
        stream = streams.Stream(stub, start)
        sequence = 0
        while not match.over:
            rnd, legal, kind = match.round, match.legal(), match.kind
            assert kind
            if len(legal) == 1:
                match.choose(legal[0])
            elif match.seat != seat:
                match.choose(choose(others, match.view(match.seat)))
            else:
                sequence += 1
                question = wire.turn_message(match.view(seat, Clock(1.0, 10.0)), sequence)
                answer = stream.ask(question)
                said += [("referee", question), ("bot", answer)]
                match.choose(wire.choice_of(answer, kind))
            if rnd.over:
                news = wire.round_over_message(match.view_of(rnd, seat), rnd.scores)
                said.append(("referee", news))
                stream.questions.put(news)
        assert match.placing
        assert match.end
        news = wire.match_over_message(match.placing, match.totals, match.end)
        said.append(("referee", news))
        stream.questions.put(news)
        assert stream.close() == []
    return said


# How it is shown


def told(message: Message, indent: str = "") -> Iterator[str]:
    """The lines of a message, much as in protobuf's text format, with what its codes stand for."""
    for field, value in message.ListFields():
        if field.message_type:
            yield f"{indent}{field.name} {{"
            yield from told(value, indent + "  ")
            yield f"{indent}}}"
        else:
            meaning = meant(field.name, value)
            yield f"{indent}{field.name}: {written(field, value)}" + (f"  # {meaning}" if meaning else "")


def written(field: FieldDescriptor, value: Any) -> str:
    if field.enum_type:
        names = field.enum_type.values_by_number
        several = not isinstance(value, int)
        return f"[{', '.join(names[one].name for one in value)}]" if several else str(names[value].name)
    if isinstance(value, str):
        return f'"{value}"'
    return str(value) if isinstance(value, int | float) else str(list(value))


def meant(name: str, value: Any) -> str:
    """What a field's codes stand for; empty where the number is plain."""
    if name in SETS_OF_CARDS and isinstance(value, int):
        return str(Cards(value))
    if name in ("card", "claimed"):
        return card(value)
    if name == "played":
        return " ".join(map(card, value))
    if name == "exchanges":
        five = zip(*(value[i::5] for i in range(5)), strict=True)
        return "; ".join(f"seat {up} gave seat {down} {card(gave)}, got {card(got)}" for up, down, _, gave, got in five)
    return ""


def card(code: int) -> str:
    return str(CARDS[code - 1])


def shown(said: Sequence[Said]) -> Iterator[str]:
    """The exchange as the document shows it: in full, but for the turns to play after the second of each round."""
    plays = 0
    for who, message in said:
        if isinstance(message, FromReferee):
            if message.HasField("round_over"):
                yield from ("", f"# … {plays - 2} more turns to play, each with its answer")
                plays = 0
            plays += message.turn.view.kind == PLAY
        if plays <= 2:
            yield from ("", f"# {who}: {message.DESCRIPTOR.name}, {message.ByteSize()} bytes")
            yield from told(message)
        if isinstance(message, FromBot) and plays <= 2:
            yield f"# in bytes: {message.SerializeToString().hex(' ')}"


def example() -> str:
    """The part of the document between its marks."""
    return "```\n" + "\n".join(shown(exchanged(seat=1, seed=bytes([3]) * 32))).strip() + "\n```\n"


if __name__ == "__main__":
    before, rest = DOCUMENT.read_text().split(BEGIN)
    _, after = rest.split(END)
    DOCUMENT.write_text(before + BEGIN + example() + END + after)
