"""Who plays whom, on which boards, in which seatings. Pure: the same entrants and seed give the same schedule.

A league is a set of triples of entrants, each with boards of its own, numbered through the league. ``all`` takes
every triple; ``balanced`` takes a triple system, so that every pair of entrants meets equally often in far fewer
matches. Entrants of one team are never seated together. What was scheduled is never changed: a later entrant's boards
are numbered after the others.
"""

from __future__ import annotations

import hashlib
import hmac
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, permutations
from math import ceil
from random import Random
from typing import Literal

from arena.triple_systems import climb, construct, fold

__all__ = [
    "SEATINGS",
    "Design",
    "Names",
    "PlannedSitting",
    "Schedule",
    "ScheduleError",
    "default_boards",
    "extended",
    "schedule",
    "sittings",
    "triples_of",
]

Names = tuple[str, str, str]
Design = Literal["balanced", "all"]

SEATINGS = tuple(permutations(range(3)))
"""Seating number → who of the three sorted names sits on seats 0, 1, 2."""
ROTATIONS = ((0, 3, 4), (1, 2, 5))
"""The two halves of the seatings: in each, everybody sits on every seat once."""

MATCHES_WANTED, BOARDS_WANTED = 150, 50
"""Matches of each entrant and boards of the league that make a ranking worth reading."""


class ScheduleError(ValueError):
    """No league can be made of this; the message says what to change."""


@dataclass(frozen=True)
class Schedule:
    """The boards of a league and the entrants they are for."""

    teams: Mapping[str, str | None]
    """The team of each entrant, None if it has none."""
    boards: tuple[tuple[int, Names], ...]
    """Number and triple (names sorted) of each board, in the order of play."""

    @cached_property
    def meetings(self) -> dict[tuple[str, str], int]:
        """On how many boards each pair of entrants that may meet does (names sorted)."""
        counts = Counter(pair for _, triple in self.boards for pair in combinations(triple, 2))
        return {pair: counts[pair] for pair in combinations(sorted(self.teams), 2) if _may_meet(self.teams, *pair)}

    @property
    def imbalance(self) -> str | None:
        """One sentence that says which pairs meet more or less often than most, None if all meet equally often."""
        counts = Counter(self.meetings.values())
        if len(counts) < 2:
            return None
        usual = max(counts, key=lambda boards: (counts[boards], -boards))
        exceptions = [
            f"{_listed([' and '.join(pair) for pair, boards in self.meetings.items() if boards == other])} on {other}"
            for other in sorted(counts)
            if other != usual
        ]
        return f"Not every pair meets equally often: most meet on {_boards(usual)}, but {'; '.join(exceptions)}."


@dataclass(frozen=True, order=True)
class PlannedSitting:
    """Three entrants in one seating, and the boards that they play one after the other."""

    boards: tuple[int, ...]
    seating: int
    triple: Names

    @property
    def seats(self) -> Names:
        """Who sits on seats 0, 1, 2."""
        first, second, third = SEATINGS[self.seating]
        return self.triple[first], self.triple[second], self.triple[third]


def schedule(
    teams: Mapping[str, str | None],
    seed: bytes,
    design: Design = "balanced",
    boards: int | None = None,
    seatings: int = 6,
) -> Schedule:
    """The schedule of a new league.

    :param teams: the team of each entrant, None if it has none.
    :param seed: the league's seed: it decides which of the many triple systems is played, and in which order.
    :param boards: boards of each triple; None for as many as ``default_boards`` advises.
    :param seatings: 6, 3 or 1 seatings of each board; counts for the default number of boards only.
    :raises ScheduleError: fewer than three entrants, or fewer than three that may meet.
    """
    rng = _dice(seed, "schedule")
    triples = _spread(triples_of(teams, design, rng), rng)
    each = boards if boards is not None else default_boards(len(triples), len(teams), seatings)
    return Schedule(dict(teams), tuple(enumerate(triples * each)))


def default_boards(triples: int, entrants: int, seatings: int) -> int:
    """Boards of each triple, so that an entrant plays about 150 matches and the league has at least 50 boards."""
    matches = 3 * triples * seatings / entrants
    return max(1, round(MATCHES_WANTED / matches), ceil(BOARDS_WANTED / triples))


def triples_of(teams: Mapping[str, str | None], design: Design, rng: Random) -> list[Names]:
    """The triples of a design. (Where teams leave no way for all pairs to meet equally often: every pair meets.)

    :raises ScheduleError: fewer than three entrants, or fewer than three that may meet.
    """
    names = sorted(teams)
    if len(names) < 3:
        raise ScheduleError(f"a league needs at least three entrants, and there are {len(names)}: submit more bots")
    numbers = _team_numbers(teams, names)
    if len(set(numbers)) < 3:
        raise ScheduleError(
            "entrants of one team never meet, and these are of fewer than three teams: submit a bot of another team"
        )
    if design == "all":
        triples = [t for t in combinations(range(len(names)), 3) if len({numbers[x] for x in t}) == 3]
    elif len(set(numbers)) == len(names):
        triples = climb(len(names), fold(len(names)), rng) or construct(len(names))
    else:
        triples = _balanced_teams(numbers, rng) or _every_pair(numbers, rng)
    return [(names[a], names[b], names[c]) for a, b, c in triples]


def _balanced_teams(team: Sequence[int], rng: Random) -> list[tuple[int, int, int]] | None:
    """Triples in which all that are not of one team meet equally often; None where none were found.

    The counts tell which numbers of meetings are possible at all: each entrant meets two others in a triple, and each
    triple has three meetings.
    """
    size = Counter(team)
    pairs = sum(a != b for a, b in combinations(team, 2))
    for meetings in (1, 2, 3, 6):
        if meetings * pairs % 3 == 0 and all(meetings * (len(team) - size[t]) % 2 == 0 for t in size):
            triples = climb(len(team), meetings, rng, team)
            if triples is not None:
                return triples
    return None


def _every_pair(team: Sequence[int], rng: Random) -> list[tuple[int, int, int]]:
    """Triples in which each pair of different teams meets at least once, those chosen who have played least."""
    met: Counter[frozenset[int]] = Counter()
    played = [0] * len(team)
    triples = []
    pairs = [(x, y) for x, y in combinations(range(len(team)), 2) if team[x] != team[y]]
    rng.shuffle(pairs)
    for x, y in pairs:
        if not met[frozenset((x, y))]:
            third = [z for z in range(len(team)) if team[z] not in (team[x], team[y])]
            z = min(third, key=lambda z: (met[frozenset((x, z))] + met[frozenset((y, z))], played[z], z))
            a, b, c = sorted((x, y, z))
            triples.append((a, b, c))
            for pair in combinations((x, y, z), 2):
                met[frozenset(pair)] += 1
            for player in (x, y, z):
                played[player] += 1
    return triples


def extended(old: Schedule, name: str, team: str | None, seed: bytes, design: Design = "balanced") -> Schedule:
    """The schedule with a later entrant: what was scheduled stays, its boards are numbered after.

    The newcomer gets as many meetings with everybody as those had with each other (in ``all``: every triple with the
    newcomer, with as many boards as the others). In a balanced league its two opponents on a board meet once more
    than before: the pairs are spread, and ``imbalance`` says which.

    :raises ScheduleError: the entrant is in already, or would meet nobody.
    """
    if name in old.teams:
        raise ScheduleError(f"{name} is in this league already")
    teams = {**old.teams, name: team}
    rng = _dice(seed, f"schedule/{name}")
    others = [other for other in sorted(old.teams) if _may_meet(teams, name, other)]
    if design == "all":
        pairs = [pair for pair in combinations(others, 2) if _may_meet(teams, *pair)]
        pairs *= min(Counter(triple for _, triple in old.boards).values(), default=1)
    else:
        pairs = _opponents(others, old, rng)
    if not pairs:
        raise ScheduleError(f"{name} would meet nobody: all others are of its team, or of one other team")
    triples = [_sorted3(name, *pair) for pair in pairs]
    start = 1 + max((number for number, _ in old.boards), default=-1)
    return Schedule(teams, old.boards + tuple(enumerate(_spread(triples, rng), start)))


def _opponents(others: list[str], old: Schedule, rng: Random) -> list[tuple[str, str]]:
    """Pairs for a newcomer: each of the others as often as two of them met, the pairs those that have met least."""
    meetings = Counter(old.meetings)
    wanted = Counter(dict.fromkeys(others, min(meetings.values(), default=1)))
    order = rng.sample(others, len(others))
    pairs = []
    while any(left > 0 for left in wanted.values()):
        x = max(order, key=lambda name: wanted[name])
        choice = [name for name in order if name != x and _may_meet(old.teams, x, name)]
        if not choice:
            break
        y = min(choice, key=lambda name: (wanted[name] <= 0, meetings[min(x, name), max(x, name)], -wanted[name]))
        pair = min(x, y), max(x, y)
        pairs.append(pair)
        meetings[pair] += 1
        wanted.subtract(pair)
    return pairs


def sittings(plan: Schedule, seatings: int = 6, boards_at_most: int = 20) -> list[PlannedSitting]:
    """The sittings in which a schedule is played, in the order of play: all seatings of the same boards in a row.

    With three seatings a board has everybody on every seat once, with one seating the boards of a triple take turns;
    both begin at another seating from triple to triple.

    :param seatings: in how many seatings each board is played: 6, 3 or 1.
    :param boards_at_most: boards of one sitting. Longer sittings save starts, shorter ones are shared out better.
    """
    by_triple: dict[Names, list[int]] = defaultdict(list)
    for number, triple in plan.boards:
        by_triple[triple].append(number)
    planned = []
    for index, (triple, numbers) in enumerate(by_triple.items()):
        by_seating: dict[int, list[int]] = defaultdict(list)
        for turn, number in enumerate(numbers, start=index):
            for seating in _seatings_of(turn, seatings):
                by_seating[seating].append(number)
        planned += [
            PlannedSitting(tuple(own[i : i + boards_at_most]), seating, triple)
            for seating, own in by_seating.items()
            for i in range(0, len(own), boards_at_most)
        ]
    return sorted(planned)


def _seatings_of(turn: int, seatings: int) -> Iterable[int]:
    if seatings == 6:
        return range(6)
    return ROTATIONS[turn % 2] if seatings == 3 else (turn % 6,)


def _spread(triples: list[Names], rng: Random) -> list[Names]:
    """The triples in an order in which everybody plays about equally often all the time: shuffled, then in rounds in
    which nobody sits twice (each triple in the first round that has room for it)."""
    busy: dict[str, int] = defaultdict(int)  # name → bits of the rounds in which it plays
    rounds = []
    for triple in rng.sample(triples, len(triples)):
        taken = busy[triple[0]] | busy[triple[1]] | busy[triple[2]]
        free = ~taken & (taken + 1)
        for name in triple:
            busy[name] |= free
        rounds.append((free, triple))
    return [triple for _, triple in sorted(rounds, key=lambda item: item[0])]


def _dice(seed: bytes, label: str) -> Random:
    """Dice for the schedule from the league's seed, which can't be guessed from what they showed."""
    return Random(hmac.digest(seed, label.encode(), hashlib.sha256))


def _may_meet(teams: Mapping[str, str | None], one: str, other: str) -> bool:
    return one != other and (teams[one] is None or teams[one] != teams[other])


def _team_numbers(teams: Mapping[str, str | None], names: list[str]) -> list[int]:
    """A number for each team; an entrant without a team has one of its own."""
    first: dict[str, int] = {}
    return [
        index if (team := teams[name]) is None else first.setdefault(team, index) for index, name in enumerate(names)
    ]


def _sorted3(*names: str) -> Names:
    first, second, third = sorted(names)
    return first, second, third


def _boards(count: int) -> str:
    return f"{count} board" if count == 1 else f"{count} boards"


def _listed(items: list[str], at_most: int = 6) -> str:
    more = len(items) - at_most
    return ", ".join(items[:at_most]) + (f" and {more} more" if more > 0 else "")
