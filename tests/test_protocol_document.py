"""docs/protocol.md says what the code does."""

from __future__ import annotations

import re

from protocol import three_five_eight_pb2 as messages
from protocol import wire
from protocol.cards import CARDS
from tests.worked_exchange import BEGIN, DOCUMENT, END, example

TEXT = DOCUMENT.read_text()


def test_the_worked_exchange_is_what_a_bot_and_a_referee_really_say() -> None:
    assert TEXT.partition(BEGIN)[2].partition(END)[0] == example(), "run `python -m tests.worked_exchange`"


def test_the_cards_codes_are_those_of_the_code() -> None:
    codes = dict(re.findall(r"\b([2A][SHDC]) (\d+)", TEXT.partition("So 2S")[2].partition("\n-")[0]))
    assert len(codes) == 7
    assert all(
        wire.CARD_OF[int(code)] == next(card for card in CARDS if str(card) == name) for name, code in codes.items()
    )


def test_the_table_of_kinds_is_that_of_the_code() -> None:
    rows = re.findall(r"^\| `([A-Z_]+)` \|.*\| `(legal_\w+)` \| `(\w+)` \|$", TEXT, flags=re.MULTILINE)
    assert [kind for kind, _, _ in rows] == messages.Kind.keys()[1:]
    fields = {kind.value.upper(): field for kind, (field, _) in wire.ANSWERS.items()} | {"DISCARD": "cards"}
    assert {kind: field for kind, _, field in rows} == fields
    assert {legal for _, legal, _ in rows} <= set(messages.View.DESCRIPTOR.fields_by_name)


def test_every_field_and_message_that_the_document_names_is_there() -> None:
    named = set(re.findall(r"`([a-z]+_[a-z_]+)`", TEXT))
    known = {
        field for message in messages.DESCRIPTOR.message_types_by_name.values() for field in message.fields_by_name
    }
    assert named <= known


def test_the_version_is_that_of_the_code() -> None:
    assert f"This is version {wire.PROTOCOL}." in TEXT
