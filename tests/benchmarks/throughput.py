"""Decisions a second over gRPC, beside bare streams with messages of the same size: how near the floor we are."""

from __future__ import annotations

from arena.cli_bench import measure_and_show
from arena.terminal import console


def main() -> None:
    measure_and_show(console())
