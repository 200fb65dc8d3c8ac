"""What is drawn again and again in one place of a terminal while it happens."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from rich.console import Console
from rich.live import Live

__all__ = ["OnScreen"]


class OnScreen:
    """Has a place on the terminal while it is used as a context.

    :param shown: whether it wants one; elsewhere than on a terminal it gets none.
    """

    def __init__(self, out: Console, *, shown: bool = True) -> None:
        self._out = out
        live = shown and out.is_terminal
        self._screen = Live(console=out, auto_refresh=False, transient=True) if live else None

    def __enter__(self) -> Self:
        if self._screen:
            self._screen.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._screen:
            self._screen.stop()
