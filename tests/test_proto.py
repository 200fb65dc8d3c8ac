"""The committed code is what the protocol's definition generates, and the definition explains itself."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet

from protocol import three_five_eight_pb2 as messages
from protocol import three_five_eight_pb2_grpc as services

ROOT = Path(__file__).parent.parent
PROTO = "protocol/three_five_eight.proto"


def protoc(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "grpc_tools.protoc", "-I.", *arguments, PROTO], cwd=ROOT, check=True)


@pytest.fixture(scope="module")
def definition(tmp_path_factory: pytest.TempPathFactory) -> FileDescriptorProto:
    out = tmp_path_factory.mktemp("proto") / "set"
    protoc(f"--descriptor_set_out={out}", "--include_source_info")
    return FileDescriptorSet.FromString(out.read_bytes()).file[0]


def test_the_committed_messages_are_those_of_the_definition(definition: FileDescriptorProto) -> None:
    committed = FileDescriptorProto.FromString(messages.DESCRIPTOR.serialized_pb)
    generated = FileDescriptorProto()
    generated.CopyFrom(definition)
    generated.ClearField("source_code_info")
    for message in generated.message_type:
        for field in message.field:
            field.ClearField("json_name")  # derived, and not kept in generated code
    assert committed == generated, "run `make proto` and commit what it writes"


class Dialled:
    """A channel that notes which methods a stub asks it for, and how their messages are read and written."""

    def __init__(self) -> None:
        self.methods: dict[str, tuple[str, Any, Any]] = {}

    def __getattr__(self, arity: str) -> Callable[..., None]:
        def note(path: str, request_serializer: Any, response_deserializer: Any, **_: Any) -> None:
            self.methods[path] = arity, request_serializer, response_deserializer

        return note


def test_the_committed_service_is_that_of_the_definition(definition: FileDescriptorProto) -> None:
    dialled = Dialled()
    services.BotStub(dialled)  # type: ignore[no-untyped-call]
    (service,) = definition.service
    assert dialled.methods == {
        f"/{definition.package}.{service.name}/{method.name}": (
            "stream_stream" if method.client_streaming and method.server_streaming else "unary_unary",
            getattr(messages, method.input_type.rpartition(".")[2]).SerializeToString,
            getattr(messages, method.output_type.rpartition(".")[2]).FromString,
        )
        for method in service.method
    }


def documented(definition: FileDescriptorProto) -> set[tuple[int, ...]]:
    """The places of the definition (paths as in descriptor.proto) that carry a comment."""
    places = definition.source_code_info.location
    return {tuple(place.path) for place in places if place.leading_comments or place.trailing_comments}


def test_every_message_field_and_method_is_explained(definition: FileDescriptorProto) -> None:
    explained = documented(definition)
    lacking = []
    for m, message in enumerate(definition.message_type):
        lacking += [message.name] if (4, m) not in explained else []
        lacking += [f"{message.name}.{f.name}" for i, f in enumerate(message.field) if (4, m, 2, i) not in explained]
    for e, enum in enumerate(definition.enum_type):
        lacking += [enum.name] if (5, e) not in explained else []
    for s, service in enumerate(definition.service):
        lacking += [method.name for i, method in enumerate(service.method) if (6, s, 2, i) not in explained]
    assert not lacking


def test_every_enum_begins_with_a_zero_that_means_missing(definition: FileDescriptorProto) -> None:
    for enum in definition.enum_type:
        assert enum.value[0].number == 0
        assert enum.value[0].name.endswith("_MISSING")
