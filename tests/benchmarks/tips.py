"""How often ``tips`` is placed first against two ``random``, in 300 matches of each set; a third would be luck."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from time import process_time

from protocol.view import Rules
from referee.practice import play_match
from referee.rules import SETS
from tests.samples import bot_of

MATCHES = 300


@dataclass
class Tally:
    """How a bot fared: matches and firsts, and by position its rounds and points."""

    matches: int
    firsts: int = 0
    rounds: tuple[int, ...] = (0, 0, 0)
    points: tuple[int, ...] = (0, 0, 0)

    @property
    def share(self) -> float:
        return self.firsts / self.matches


def tally(name: str, other: str, rules: Rules, matches: int) -> Tally:
    """Plays boards 0, 1, 2 … in this process, a bot against two of another, in each seat by turns."""
    result = Tally(matches)
    rounds, points = [0, 0, 0], [0, 0, 0]
    for board in range(matches):
        seat = board % 3
        bots = [bot_of(name if place == seat else other)() for place in range(3)]
        match = play_match(bots, rules, seed=board)
        result.firsts += match.placing is not None and match.placing[seat] == 1
        for rnd in match.rounds:
            position = (seat - rnd.dealer) % 3
            rounds[position] += 1
            points[position] += rnd.scores[seat]
    result.rounds, result.points = tuple(rounds), tuple(points)
    return result


def interval(share: float, n: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share of n (Wilson, JASA 22, 1927)."""
    z = 1.96
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z * sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return middle - half, middle + half


def main() -> None:
    for other in ("random", "high-card"):
        for name, rules in SETS.items():
            begun = process_time()
            result = tally("tips", other, rules, MATCHES)
            low, high = interval(result.share, MATCHES)
            dealer, forehand, third = (p / n for p, n in zip(result.points, result.rounds, strict=True))
            print(
                f"tips against two {other:9}  {name:15}  first in {result.share:.1%} ({low:.1%} to {high:.1%}) "
                f"of {MATCHES} matches; points a round as dealer {dealer:+.1f}, forehand {forehand:+.1f}, "
                f"third hand {third:+.1f}  [{process_time() - begun:.0f} s]",
                flush=True,
            )
