"""How gRPC is told to poll (``protocol/__init__.py``)."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

UNSET = {name: value for name, value in os.environ.items() if name != "GRPC_EXPERIMENTS"}
OPEN_A_CHANNEL = (
    "import os, protocol, grpc; grpc.insecure_channel('unix:nowhere').close(); print(os.environ['GRPC_EXPERIMENTS'])"
)


def said(code: str, environment: dict[str, str]) -> tuple[str, str]:
    """What a Python of its own writes to stdout and to stderr."""
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    return done.stdout.strip(), done.stderr


def test_grpc_knows_what_it_is_told() -> None:
    out, errors = said(OPEN_A_CHANNEL, UNSET)
    assert out == "-event_engine_client,-event_engine_listener"
    assert not errors
    _, errors = said(OPEN_A_CHANNEL, UNSET | {"GRPC_EXPERIMENTS": "nonsense"})
    assert "nonsense" in errors, "else it would say so"


def test_what_is_set_already_stays() -> None:
    assert said(OPEN_A_CHANNEL, UNSET | {"GRPC_EXPERIMENTS": ""}) == ("", "")


@pytest.mark.parametrize("module", ["protocol.bot", "referee.sitting", "arena.worker", "arena.cli", "arena.cluster"])
def test_it_is_told_before_it_is_imported(module: str) -> None:
    out, _ = said(f"import {module}, sys; names = list(sys.modules); print(*names)", UNSET)
    names = out.split()
    if "grpc" in names:
        assert names.index("protocol") < names.index("grpc")
    assert "protocol" in names
