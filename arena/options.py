"""What a league is played under: asked for at its start, fixed there, and held against what is asked for later."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from arena.journal import LeagueError
from protocol.view import Rules
from referee.deal import read_deal
from referee.errors import DealError
from referee.player import Limits
from referee.rules import rules_as_json, rules_for, rules_from_json

__all__ = ["Options", "Wish", "commitment", "differences", "read_deals"]

SEED_BYTES = (8, 64)
LONGEST_S = 86_400.0


@dataclass(frozen=True)
class Wish:
    """What was asked for; None (or nothing) where nothing was."""

    bots: tuple[str, ...] | None = None
    rules: str | None = None
    variants: tuple[str, ...] = ()
    overrides: Mapping[str, object] = field(default_factory=dict)
    boards: int | None = None
    seatings: int | None = None
    design: Literal["balanced", "all"] | None = None
    seed: bytes | None = None
    deals: tuple[tuple[str, ...], ...] | None = None
    move_time_s: float | None = None
    bank_s: float | None = None
    strikes: int | None = None
    freeze: bool | None = None
    sandbox: Literal["auto", "require", "none"] | None = None

    def chosen_rules(self) -> Rules | None:
        """The rules asked for, None if nothing was said about them.

        :raises RulesError: they can't be played.
        """
        if self.rules is None and not self.variants and not self.overrides:
            return None
        return rules_for(self.rules or Rules.set, self.variants, self.overrides)

    def chosen_limits(self) -> dict[str, Any]:
        """The limits asked for, by their names in ``Limits``, but for the sandbox."""
        names = ("move_time_s", "bank_s", "strikes", "freeze")
        return {name: getattr(self, name) for name in names if getattr(self, name) is not None}


@dataclass(frozen=True)
class Options:
    """What a league was begun with; it never changes."""

    rules: Rules
    limits: Limits
    design: Literal["balanced", "all"]
    boards: int
    """Boards of each triple."""
    seatings: int
    """Seatings of each board: 6, 3 or 1."""
    deals: tuple[tuple[str, ...], ...] = ()
    """Given deals of the boards 0, 1, …: of each the first rounds (``referee.deal.read_deal``)."""

    def as_json(self) -> dict[str, Any]:
        """The options as the store keeps them."""
        return {
            **{name: getattr(self, name) for name in ("design", "boards", "seatings", "deals")},
            "rules": rules_as_json(self.rules),
            "limits": dataclasses.asdict(self.limits),
        }

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Options:
        return cls(
            rules=rules_from_json(document["rules"]),
            limits=Limits(**document["limits"]),
            design=document["design"],
            boards=document["boards"],
            seatings=document["seatings"],
            deals=tuple(tuple(deals) for deals in document["deals"]),
        )


def check_limits(wish: Wish) -> None:
    """Refuses limits that no match could be played under.

    :raises LeagueError: which one, and what it may be.
    """
    for name, low in (("move_time_s", 0.001), ("bank_s", 0.0)):
        value = getattr(wish, name)
        if value is not None and not low <= value <= LONGEST_S:  # also refuses what is not a number
            raise LeagueError(f"{_option(name)} can't be {value:g}: give seconds from {low:g} to {LONGEST_S:g}")
    if wish.seed is not None and not SEED_BYTES[0] <= len(wish.seed) <= SEED_BYTES[1]:
        low, high = (2 * size for size in SEED_BYTES)
        raise LeagueError(f"--seed must have {low} to {high} hex digits, and this one has {2 * len(wish.seed)}")


def differences(options: Options, seed: bytes, names: Sequence[str], wish: Wish) -> Iterator[str]:
    """What is asked for now and was fixed otherwise: ``--boards 5 (not 3)``."""
    rules = wish.chosen_rules()
    if rules is not None and rules != options.rules:
        was, now = rules_as_json(options.rules), rules_as_json(rules)
        changed = ", ".join(f"{name}={was[name]} (not {now[name]})" for name in was if was[name] != now[name])
        yield f"the rules {changed}"
    for name, value in wish.chosen_limits().items():
        if value != (fixed := getattr(options.limits, name)):
            yield f"{_option(name)} {_shown(fixed)} (not {_shown(value)})"
    if wish.sandbox not in (None, "auto") and (wish.sandbox == "none") != (options.limits.sandbox == "none"):
        yield f"--sandbox {options.limits.sandbox} (not {wish.sandbox})"
    for name in ("design", "boards", "seatings"):
        value, fixed = getattr(wish, name), getattr(options, name)
        if value is not None and value != fixed:
            yield f"--{name} {fixed} (not {value})"
    if wish.deals is not None and wish.deals != options.deals:
        yield "other given deals (--deals)"
    if wish.seed is not None and wish.seed != seed:
        yield "another --seed"
    if wish.bots is not None and set(wish.bots) != set(names):
        yield f"--bots {','.join(names)}"


def commitment(seed: bytes) -> str:
    """SHA-256 of a league's seed in hex: shown from the start, so that the seed can't be changed afterwards."""
    return hashlib.sha256(seed).hexdigest()


def read_deals(text: str) -> tuple[tuple[str, ...], ...]:
    """Reads a file of deals: a deal a line, a blank line between boards, remarks after ``#``.

    :raises LeagueError: a line is no deal.
    """
    boards: list[list[str]] = [[]]
    for number, line in enumerate(text.splitlines(), start=1):
        deal = line.partition("#")[0].strip()
        if deal:
            try:
                read_deal(deal, dealer=0)
            except DealError as wrong:
                raise LeagueError(f"line {number} of the deals: {wrong}") from None
            boards[-1].append(deal)
        elif not line.strip() and boards[-1]:
            boards.append([])
    return tuple(tuple(board) for board in boards if board)


def _option(name: str) -> str:
    return "--" + name.removesuffix("_s").replace("_", "-")


def _shown(value: object) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else f"{value:g}" if value else "0"
