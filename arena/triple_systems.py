"""Triple systems: triples of *n* points in which every pair comes together equally often.

A λ-fold triple system exists for every n ≥ 3 with the λ of ``fold`` (Hanani, Annals of Mathematical Statistics 32,
1961), and no smaller one does: each point has λ(n − 1) meetings, two in a triple, and there are λn(n − 1)/2 meetings
in all, three in a triple.

``climb`` finds one at random by Stinson's hill-climbing (Annals of Discrete Mathematics 26, 1985), here for any λ and
for points of which some may never meet. ``construct`` builds one without chance; it is what remains when a climb has
not reached the top in its steps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from random import Random

__all__ = ["climb", "construct", "fold"]

Triple = tuple[int, int, int]

STEPS_PER_TRIPLE = 60
"""A climb takes 2 to 8 steps a triple; one that has taken this many is given up."""


def fold(n: int) -> int:
    """λ: how often each pair meets in the smallest triple system of ``n`` points (n ≥ 3): 1, 2, 3 or 6."""
    return (2, 1, 6, 1, 2, 3)[n % 6]


def climb(n: int, meetings: int, rng: Random, team: Sequence[int] | None = None) -> list[Triple] | None:
    """Triples in which every pair of points comes together ``meetings`` times, and none of one team ever.

    :param team: the team of each point; None if every point is its own.
    :returns: the triples, each in rising order, or None if the climb did not get there in its steps.
    """
    return _Climb(n, meetings, rng, team if team is not None else range(n)).triples()


class _Climb:
    """A set of triples on its way to a triple system.

    A step takes a point x that still has meetings open, with y and z, and adds the triple xyz. If y and z have no
    meeting left between them, it takes the place of a triple wyz. So the number of triples never falls, but where a
    point's open meetings are all with one other (or one team): there a triple of that point is given back.
    """

    def __init__(self, n: int, meetings: int, rng: Random, team: Sequence[int]) -> None:
        self.random = rng.random
        self.team = team
        self.left = [[meetings if team[x] != team[y] else 0 for y in range(n)] for x in range(n)]
        self.partners = [[y for y in range(n) if self.left[x][y]] for x in range(n)]  # open meetings: with whom
        self.place = [[0] * n for _ in range(n)]  # of y in the partners of x
        self.thirds: list[list[list[int]]] = [[[] for _ in range(n)] for _ in range(n)]  # w for each triple wyz
        for x, partners in enumerate(self.partners):
            for index, y in enumerate(partners):
                self.place[x][y] = index
            for y in range(x):
                self.thirds[x][y] = self.thirds[y][x]
        self.open = sum(map(len, self.partners)) * meetings // 2

    def triples(self) -> list[Triple] | None:
        steps = STEPS_PER_TRIPLE * (self.open // 3)
        points = range(len(self.partners))
        while live := [x for x in points if self.partners[x]]:
            for _ in range(len(points)):  # the list of live points is renewed now and then, not at each step
                steps -= 1
                if partners := self.partners[x := live[int(self.random() * len(live))]]:
                    self.step(x, partners)
            if steps < 0:
                return None
        return [(x, y, z) for x, y in combinations(points, 2) for z in self.thirds[x][y] if z > y]

    def step(self, x: int, partners: list[int]) -> None:
        y = partners[int(self.random() * len(partners))]
        z = partners[int(self.random() * len(partners))]
        if self.team[y] == self.team[z]:
            others = [z for z in partners if self.team[z] != self.team[y]]
            if not others:
                self.give_back(x)
                return
            z = others[int(self.random() * len(others))]
        if not self.left[y][z]:
            thirds = [w for w in self.thirds[y][z] if w != x]  # never empty: x and y have a meeting open
            self.remove(thirds[int(self.random() * len(thirds))], y, z)
        self.add(x, y, z)

    def give_back(self, x: int) -> None:
        met = [y for y, thirds in enumerate(self.thirds[x]) if thirds]
        if met:
            y = met[int(self.random() * len(met))]
            self.remove(x, y, self.thirds[x][y][0])

    def add(self, x: int, y: int, z: int) -> None:
        for a, b, c in ((x, y, z), (x, z, y), (y, z, x)):
            self.thirds[a][b].append(c)
            self.left[a][b] -= 1
            self.left[b][a] -= 1
            if not self.left[a][b]:
                self.close(a, b)
                self.close(b, a)

    def close(self, x: int, y: int) -> None:
        place, partners = self.place[x], self.partners[x]
        last = partners.pop()
        if last != y:
            partners[place[y]] = last
            place[last] = place[y]

    def remove(self, x: int, y: int, z: int) -> None:
        for a, b, c in ((x, y, z), (x, z, y), (y, z, x)):
            self.thirds[a][b].remove(c)
            self.left[a][b] += 1
            self.left[b][a] += 1
            if self.left[a][b] == 1:
                for p, q in ((a, b), (b, a)):
                    self.place[p][q] = len(self.partners[p])
                    self.partners[p].append(q)


def construct(n: int) -> list[Triple]:
    """A triple system of ``n`` points (n ≥ 3) with λ = ``fold(n)``, by the constructions of Bose (λ = 1, n ≡ 3
    mod 6), Skolem (1, n ≡ 1) and Lindner and Rodger (Design Theory, 1997, chapters 1 and 2)."""
    triples = _CONSTRUCTIONS[n % 6](n) if n != 6 else _six()
    return [(a, b, c) for a, b, c in map(sorted, triples)]


def _six() -> list[Triple]:
    return [t for i in range(5) for t in ((5, i, (i + 1) % 5), (i, (i + 1) % 5, (i + 3) % 5))]


def _bose(n: int) -> list[Triple]:
    u = n // 3
    columns = [(x, x + u, x + 2 * u) for x in range(u)]
    return columns + _between(u, _halved(u), list(combinations(range(u), 2)))


def _skolem(n: int) -> list[Triple]:
    u = n // 3
    half = u // 2

    def product(x: int, y: int) -> int:
        total = (x + y) % u
        return total // 2 if total % 2 == 0 else (total + u - 1) // 2

    columns = [(x, x + u, x + 2 * u) for x in range(half)]
    beside = [(n - 1, half + x + i * u, x + (i + 1) % 3 * u) for x in range(half) for i in range(3)]
    return columns + beside + _between(u, product, list(combinations(range(u), 2)))


def _twofold(n: int) -> list[Triple]:
    u = n // 3
    columns = [(x, x + u, x + 2 * u) for x in range(u)]
    if n % 3 == 0:
        beside = columns
    else:
        beside = [(n - 1, x + i * u, x + j * u) for x in range(u) for i, j in ((0, 1), (0, 2), (1, 2))]
    return columns + beside + _between(u, _idempotent(u), [(x, y) for x in range(u) for y in range(u) if x != y])


def _threefold(n: int) -> list[Triple]:
    halved = _halved(n)
    return [(x, y, halved(x, y)) for x, y in combinations(range(n), 2)]


def _sixfold(n: int) -> list[Triple]:
    product = _idempotent(n)
    return [(x, y, product(x, y)) for x in range(n) for y in range(n) if x != y]


_CONSTRUCTIONS = (_twofold, _skolem, _sixfold, _bose, _twofold, _threefold)


def _between(u: int, product: Callable[[int, int], int], pairs: list[tuple[int, int]]) -> list[Triple]:
    """Two points of one of the three layers of ``u`` points, and their product in the next layer."""
    return [(x + i * u, y + i * u, product(x, y) + (i + 1) % 3 * u) for i in range(3) for x, y in pairs]


def _halved(u: int) -> Callable[[int, int], int]:
    """(x + y)/2 modulo an odd ``u``: an idempotent and commutative quasigroup."""
    return lambda x, y: (x + y) * (u + 1) // 2 % u


def _idempotent(u: int) -> Callable[[int, int], int]:
    """A quasigroup of ``u`` ≥ 3 points with xx = x. For an even ``u`` the halved sum of u − 1 points is prolonged:
    the products of x and x + 1 give way to the point more, and move to its row and column."""
    if u % 2:
        return _halved(u)
    odd, more = u - 1, u - 1
    halved = _halved(odd)

    def product(x: int, y: int) -> int:
        if x == y:
            return x
        if x == more:
            return halved(y - 1, y)
        if y == more:
            return halved(x, x + 1)
        return more if (x + 1) % odd == y else halved(x, y)

    return product
