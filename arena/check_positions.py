"""The positions that ``arena check`` asks a bot about: every kind of turn under every rule set, and the rare ones.

They come from matches that dice play, so each is one that a league could bring; the dice are always the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, zip_longest
from random import Random

from protocol.cards import Cards, Suit, cards_in
from protocol.view import Choice, Contract, Rules, TurnKind
from referee.deal import board_seed
from referee.match import Match
from referee.rules import SETS, rules_for

__all__ = ["GRID", "RARE", "Scene", "dice_choice", "scenes"]

SEED = b"arena check"
MATCHES = 6  # that the positions of a rule set are taken from
EACH = 16  # positions for each kind of turn under each rule set
FREAK = 10  # so many cards of a suit
LATE = 30  # a round that few matches reach
MANY = 6  # exchanges of one player
BOARDS = 400  # among which a rare position is looked for


@dataclass(frozen=True)
class Scene:
    """A question, or a few in a row: to the seat on turn in a match, for so many of its turns in this round."""

    point: str
    match: Match
    """Never played on: take a copy."""
    turns: int = 1


def dice_choice(dice: Random, match: Match) -> Choice:
    """Any legal choice."""
    if match.kind is TurnKind.DISCARD:
        return Cards.of(dice.sample(cards_in(match.round.legal_cards), match.count))
    legal: Sequence[Choice] = match.legal()
    return dice.choice(legal)


def by_dice(rules: Rules, number: int, given: Sequence[str] = ()) -> Iterator[Match]:
    """A match played by dice, as it stands at each turn that would be asked."""
    match = Match(rules, board_seed(SEED, number), given)
    dice = Random(number)
    while not match.over:
        if len(match.legal()) > 1:
            yield match
        match.choose(dice_choice(dice, match))


# Every kind of turn under every rule set


def kinds_of(rules: Rules) -> tuple[TurnKind, ...]:
    exchange = {"swap": (TurnKind.GIVE,), "claim": (TurnKind.CLAIM, TurnKind.GIVE_BACK), "none": ()}[rules.exchange]
    discard = (TurnKind.DISCARD,) if rules.kitty_size else ()
    return (*exchange, TurnKind.DECLARE, *discard, TurnKind.PLAY)


GRID = {
    f"{kind.value.replace('_', '-')} in {name}": (rules, kind)
    for name, rules in SETS.items()
    for kind in kinds_of(rules)
}


def grid(name: str) -> Iterator[list[Scene]]:
    """For each kind of turn in a rule set its positions, from all stages of several matches."""
    found: dict[TurnKind, list[Match]] = {kind: [] for kind in kinds_of(SETS[name])}
    for number in range(MATCHES):
        for match in by_dice(SETS[name], number):
            if match.kind and not is_rare(match):
                found[match.kind].append(match.copy())
    for kind, matches in found.items():
        step = max(1, len(matches) // EACH)
        yield [Scene(f"{kind.value.replace('_', '-')} in {name}", match) for match in matches[::step][:EACH]]


# Rare positions


def is_rare(match: Match) -> bool:
    """Whether a position of a plain rule set is of a kind that is looked at by itself."""
    seventeen_late = match.rules.tricks > 16 and len(match.round.leaders) > 12
    return seventeen_late or lapsed(match) or exchanges_made(match) >= MANY - 1 or freak(match)


def lapsed(match: Match) -> bool:
    """A claim by or of the seat on turn lapsed in this round (R5.2)."""
    claims = [one for one in match.round.exchanges if one.suit is not None and match.seat in (one.up, one.down)]
    return any(claim.gave is None for claim in claims)


def exchanges_made(match: Match) -> int:
    """How many exchanges of this round the seat on turn has made as the player who is up."""
    return sum(exchange.up == match.seat for exchange in match.round.exchanges)


def freak(match: Match) -> bool:
    hand = Cards(match.round.hands[match.seat])
    return any(hand.count(suit) >= FREAK for suit in Suit)


def opens_many_exchanges(match: Match) -> bool:
    scores = match.round.last_scores
    due = scores[match.seat] * match.rules.cards_per_point if scores else 0
    return match.kind in (TurnKind.GIVE, TurnKind.CLAIM) and not exchanges_made(match) and due >= MANY


def leads_first(match: Match) -> bool:
    return match.kind is TurnKind.PLAY and not match.round.played


def plays_at(contract: Contract) -> Callable[[Match], bool]:
    return lambda match: match.kind is TurnKind.PLAY and match.round.contract is contract


def declares(match: Match) -> bool:
    return match.kind is TurnKind.DECLARE


def deciding(match: Match) -> bool:
    """A round beyond the last one, which settles a tie (R8.5)."""
    return match.rules.max_rounds is not None and match.round.number >= match.rules.max_rounds


ANNOUNCER, TWELVE = "announcer", "twelve-tricks"
FREAKS = ("AKQJT98765432.AKQ..", ".JT98765432..T65432", "..AKQJT98765432.KQJ")
FREAK_DEALS = tuple(" ".join([*FREAKS[turn:], *FREAKS[:turn], "...A987"]) for turn in (0, 1, 2)) * 4

# For each point: the rules, which positions, how many turns of each are asked, and deals where the seed's are not odd
# enough.
RARE: dict[str, list[tuple[Rules, Callable[[Match], bool], int, Sequence[str]]]] = {
    "void claims": [(rules_for(TWELVE, (), {"tricks_to_win": "none"}), lapsed, 2, FREAK_DEALS)],
    "six exchanges": [
        (rules_for(ANNOUNCER, ["double-payment"]), opens_many_exchanges, MANY, ()),
        (rules_for(TWELVE, ["double-payment"]), opens_many_exchanges, 2 * MANY, ()),
    ],
    "no-trump": [
        (rules_for("ten-points", ["no-trump"]), declares, 1, ()),
        (rules_for("ten-points", ["no-trump"]), plays_at(Contract.NO_TRUMP), 4, ()),
    ],
    "misere": [
        (rules_for("ten-points", ["misere"]), declares, 1, ()),
        (rules_for(TWELVE, ["misere"]), plays_at(Contract.MISERE), 4, ()),
    ],
    "seventeen tricks": [(rules_for("six-three-eight", (), {"first_lead": "dealer"}), leads_first, 17, ())],
    "rotating targets": [
        (rules_for(ANNOUNCER, ["rotating-targets"]), lambda match: match.round.number > 0, 3, ()),
        (rules_for(TWELVE, ["rotating-targets"]), lambda match: match.round.number > 1, 3, ()),
    ],
    "freak hands": [(rules_for("ten-points", (), {"exchange": "none"}), freak, 3, FREAK_DEALS)],
    "deciding round": [
        (rules_for(ANNOUNCER, (), {"max_rounds": "1", "ties": "deciding-round", "exchange": "none"}), deciding, 3, ())
    ],
    "long matches": [
        (rules_for(ANNOUNCER, (), {"max_rounds": "none"}), lambda match: match.round.number >= LATE, 2, ())
    ],
}


def rare(point: str) -> list[Scene]:
    """A few scenes for each of a point's rules."""
    scenes = []
    for rules, wanted, turns, given in RARE[point]:
        found: list[Match] = []
        for number in range(BOARDS):
            for match in by_dice(rules, number, given):
                if wanted(match):
                    found.append(match.copy())
            if len(found) >= 2:
                break
        scenes += [Scene(point, found[len(found) * part // 4], turns) for part in range(4) if found]
    return scenes


@cache
def scenes() -> tuple[Scene, ...]:
    """All scenes, in such an order that the first ones touch every point."""
    rows = [*chain.from_iterable(map(grid, SETS)), *map(rare, RARE)]
    return tuple(scene for column in zip_longest(*rows) for scene in column if scene is not None)
