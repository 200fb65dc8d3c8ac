"""The named rule sets, the variants laid over them, and which combinations can be played (R9, R10)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, replace
from typing import Any, get_args, get_type_hints

from protocol.cards import Card, Cards, NotationError
from protocol.view import Contract, Rules
from referee.errors import RulesError
from referee.placing import ROUND_LIMIT

__all__ = ["SETS", "VARIANTS", "check_rules", "rules_as_json", "rules_for", "rules_from_json"]

TWELVE_TRICKS = Rules(
    set="twelve-tricks",
    kitty="pick-up-first",
    exchange="claim",
    points_to_win=None,
    tricks_to_win=12,
    max_rounds=10,
    ties="deciding-round",
)

# R9: a variant is a change of fields. Contracts are added to those allowed; other fields are replaced.
VARIANTS: dict[str, dict[str, Any]] = {
    "nine-five-two": {"targets": (9, 5, 2)},  # R9.1
    "six-three-eight": {  # R9.2
        "targets": (6, 3, 8),
        "removed": Cards.of([Card("2C")]),
        "kitty": "none",
        "points_to_win": 10,
        "points_to_lose": 10,
        "tricks_to_win": None,
        "max_rounds": None,
        "ties": "last-round",
    },
    "rotating-targets": {"rotate_targets": True},  # R9.3
    "no-trump": {"contracts": (Contract.NO_TRUMP,)},  # R9.4
    "misere": {"contracts": (Contract.MISERE,)},  # R9.5
    "double-payment": {"cards_per_point": 2},  # R9.6
}

# R10
SETS: dict[str, Rules] = {
    rules.set: rules
    for rules in (
        Rules(set="announcer", first_lead="dealer", downs="clockwise", points_to_win=None, max_rounds=9),
        Rules(set="ten-points"),
        TWELVE_TRICKS,
        replace(TWELVE_TRICKS, set="nine-five-two", **VARIANTS["nine-five-two"]),
        replace(TWELVE_TRICKS, set="six-three-eight", **VARIANTS["six-three-eight"]),
    )
}

NAMES = tuple(field.name for field in fields(Rules))
WORDS = {name: get_args(hint) for name, hint in get_type_hints(Rules).items() if name in NAMES}


def rules_for(set_name: str, variants: Iterable[str] = (), overrides: Mapping[str, object] | None = None) -> Rules:
    """A named set with variants laid over it and then single fields overridden.

    :param overrides: fields by name, as text (``{"targets": "8,5,3", "points_to_win": "none"}``) or as in JSON.
    :raises RulesError: an unknown name, a value that can't be read, or rules that can't be played.
    """
    if set_name not in SETS:
        raise RulesError(f"there is no rule set {set_name!r:.40}: choose one of {', '.join(SETS)}")
    changes: dict[str, Any] = {}
    for name in dict.fromkeys(variants):
        lay_over(changes, name, SETS[set_name])
    for name, value in (overrides or {}).items():
        if name not in NAMES or name == "set":
            raise RulesError(f"there is no rule field {name!r:.40}: choose one of {', '.join(NAMES[1:])}")
        changes[name] = read_field(name, value)
    rules = replace(SETS[set_name], **changes)
    check_rules(rules)
    return rules


def lay_over(changes: dict[str, Any], variant: str, base: Rules) -> None:
    """Adds a variant's fields to the changes, which may not disagree with another variant's."""
    if variant not in VARIANTS:
        raise RulesError(f"there is no variant {variant!r:.40}: choose one of {', '.join(VARIANTS)}")
    for name, value in VARIANTS[variant].items():
        if name == "contracts":
            so_far = changes.get(name, base.contracts)
            changes[name] = so_far + tuple(contract for contract in value if contract not in so_far)
        elif changes.get(name, value) != value:
            raise RulesError(
                f"the variants disagree about {name}: {variant} can't be combined with another that sets it"
            )
        else:
            changes[name] = value


# Which rules can be played


def check_rules(rules: Rules) -> None:
    """Says whether a match can be played by these rules.

    :raises RulesError: one sentence with the fields that disagree and why.
    """
    for check in (check_cards, check_targets, check_contracts, check_exchange, check_ends):
        check(rules)


def check_cards(rules: Rules) -> None:
    cards = len(rules.deck)
    if (cards - rules.kitty_size) % 3:
        kitty = f"kitty={rules.kitty} keeps {rules.kitty_size} of them" if rules.kitty_size else "there is no kitty"
        raise RulesError(f"removed leaves {cards} cards and {kitty}: the rest can't be dealt evenly to three players")
    if rules.tricks < 4:
        raise RulesError(f"removed leaves hands of {rules.tricks} cards: at least 4 are needed")


def check_targets(rules: Rules) -> None:
    if sum(rules.targets) != rules.tricks:  # R3.1
        raise RulesError(
            f"targets {','.join(map(str, rules.targets))} sum to {sum(rules.targets)}, but a round has {rules.tricks} "
            "tricks (cards in the deck less the kitty, by three): they must be equal"
        )


def check_contracts(rules: Rules) -> None:
    if not rules.contracts:
        raise RulesError("contracts is empty: the dealer needs at least one to announce")
    if len(set(rules.contracts)) < len(rules.contracts):
        raise RulesError("contracts names one twice: name each once")


def check_exchange(rules: Rules) -> None:
    if rules.exchange == "none" and rules.cards_per_point != 1:
        raise RulesError(
            f"cards_per_point is {rules.cards_per_point}, but exchange=none exchanges no cards: leave it at 1"
        )


def check_ends(rules: Rules) -> None:
    """An end that can never come is refused: it would only mislead (R8)."""
    if rules.tricks_to_win is not None:
        if 2 * rules.tricks_to_win <= rules.tricks:  # R8.3
            raise RulesError(
                f"tricks_to_win={rules.tricks_to_win} is not more than half of the {rules.tricks} tricks: "
                "two players could reach it in one round"
            )
        if rules.tricks_to_win > rules.tricks:
            raise RulesError(f"tricks_to_win={rules.tricks_to_win} can never come: a round has {rules.tricks} tricks")
        if rules.contracts == (Contract.MISERE,):  # R9.5
            raise RulesError("tricks_to_win can never come: contracts allows misère alone, where it does not apply")
    rounds = rules.max_rounds or ROUND_LIMIT
    up, down = farthest_scores(rules)
    for name, points, farthest in (
        ("points_to_win", rules.points_to_win, up),
        ("points_to_lose", rules.points_to_lose, down),
    ):
        if points is not None and points > farthest * rounds:
            raise RulesError(
                f"{name}={points} can never come: a round moves a total by at most {farthest}, and a match has at most "
                f"{rounds} rounds"
            )


def farthest_scores(rules: Rules) -> tuple[int, int]:
    """The most points that one round can bring up and down (R7.1, R9.5)."""
    low, high, tricks = min(rules.targets), max(rules.targets), rules.tricks
    misere = Contract.MISERE in rules.contracts
    trumps = rules.contracts != (Contract.MISERE,)
    up = max((tricks - low) * trumps, high * misere)
    down = max(high * trumps, (tricks - low) * misere)
    return up, down


# Fields as text and JSON


def rules_as_json(rules: Rules) -> dict[str, Any]:
    """The rules as they stand in a record: every field, in order."""
    return {name: plain(getattr(rules, name)) for name in NAMES}


def plain(value: Any) -> Any:
    if isinstance(value, Cards):
        return [str(card) for card in value]
    if isinstance(value, tuple):
        return [str(part) if isinstance(part, Contract) else part for part in value]
    return value


def rules_from_json(document: Mapping[str, Any]) -> Rules:
    """The rules of a record.

    :raises RulesError: a field is missing or unknown, can't be read, or the rules can't be played.
    """
    if set(document) != set(NAMES):
        odd = min(set(document) ^ set(NAMES))
        raise RulesError(f"rules: {odd!r:.40} is {'missing' if odd in NAMES else 'not a rule field'}")
    rules = Rules(**{name: read_field(name, value) for name, value in document.items()})
    check_rules(rules)
    return rules


def read_field(name: str, value: object) -> Any:
    """One field from text or JSON."""
    try:
        return READERS.get(name, read_word)(name, value)
    except NotationError as unreadable:
        raise RulesError(f"{name}: {unreadable}") from None


def read_word(name: str, value: object) -> str:
    if name == "set":
        if not isinstance(value, str) or value not in SETS:
            raise RulesError(f"set: there is no rule set {value!r:.40}: choose one of {', '.join(SETS)}")
    elif value not in WORDS[name]:
        raise RulesError(f"{name} can't be {value!r:.40}: choose one of {', '.join(WORDS[name])}")
    return str(value)


def read_parts(value: object) -> list[object]:
    if isinstance(value, str):
        return [] if value.strip() in ("", "none") else [part.strip() for part in value.split(",")]
    return list(value) if isinstance(value, (list, tuple)) else [value]


def read_targets(name: str, value: object) -> tuple[int, int, int]:
    parts = read_parts(value)
    if len(parts) != 3:
        raise RulesError(f"{name} needs three numbers (dealer, forehand, third hand), as in 8,5,3")
    dealer, forehand, third = (read_whole(name, part, 0, 52) for part in parts)
    return dealer, forehand, third


def read_removed(name: str, value: object) -> Cards:
    cards = [Card(str(part)) for part in read_parts(value)]
    if len(set(cards)) < len(cards):
        raise RulesError(f"{name} names a card twice: name each once")
    return Cards.of(cards)


def read_contracts(name: str, value: object) -> tuple[Contract, ...]:
    known = {contract.value: contract for contract in Contract}
    parts = [str(part) for part in read_parts(value)]
    for part in parts:
        if part not in known:
            raise RulesError(f"{name}: {part!r:.40} is not a contract: choose from {', '.join(known)}")
    return tuple(known[part] for part in parts)


def read_switch(name: str, value: object) -> bool:
    if isinstance(value, str) and value in ("true", "false"):
        return value == "true"
    if isinstance(value, bool):
        return value
    raise RulesError(f"{name} can't be {value!r:.40}: write true or false")


def read_whole(name: str, value: object, low: int, high: int) -> int:
    text = str(value)
    if isinstance(value, bool) or not (
        text.isascii() and text.isdigit() and len(text) <= 4 and low <= int(text) <= high
    ):
        raise RulesError(f"{name} can't be {value!r:.40}: write a whole number from {low} to {high}")
    return int(text)


def read_limit(name: str, value: object) -> int | None:
    return None if value is None or value == "none" else read_whole(name, value, 1, 999)


READERS: dict[str, Callable[[str, object], Any]] = {
    "targets": read_targets,
    "removed": read_removed,
    "contracts": read_contracts,
    "rotate_targets": read_switch,
    "cards_per_point": lambda name, value: read_whole(name, value, 1, 9),
    "points_to_win": read_limit,
    "points_to_lose": read_limit,
    "tricks_to_win": read_limit,
    "max_rounds": read_limit,
}
