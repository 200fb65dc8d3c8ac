"""Is A better than B?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.compare import Comparison, compare
from arena.entrants import EntrantError
from arena.journal import Journal
from arena.league import begin_league, to_play
from arena.live import LiveStandings
from arena.options import Wish
from arena.store import Store
from referee.table import Played
from tests.home import RandomHall, store_with


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return store_with(tmp_path, "ada", "bob", "cyd", "dan", "eve")


def league(
    store: Store, name: str, seed: int, bots: tuple[str, ...], first: str | None = None, **asked: Any
) -> Journal:
    """A league played at random, but that ``first`` is always placed first."""
    journal = begin_league(store, name, Wish(bots=bots, sandbox="none", **asked), bytes([seed] * 32))
    for sitting in to_play(journal):
        for board in sitting.boards:
            record = RandomHall().play(sitting, board).record
            seats = [seat["bot"] for seat in record["seats"]]
            if first in seats:
                order = [first, *(name for name in seats if name != first)]
                record["placing"] = [order.index(name) + 1 for name in seats]
            journal.add(Played(record))
    return journal


def test_one_who_always_wins_is_better_and_that_is_settled(store: Store) -> None:
    journal = league(store, "one", 1, ("ada", "bob", "cyd"), first="bob", boards=6)
    found = compare([journal], "bob", "ada")
    assert (found.ahead, found.met, found.boards, found.settled, found.more_boards) == (36, 36, 6, True, 0)
    assert found.sentence == (
        "bob is better than ada with 99.2 %: they met on 6 boards, and bob finished ahead in 36 of 36 matches; that is "
        "settled."
    )
    assert compare([journal], "ada", "bob").sentence == found.sentence


@pytest.mark.parametrize(
    ("boards", "sentence"),
    [
        (1, "75.0 %: they met on 1 board, and bob finished ahead in 6 of 6 matches; about 8 more boards with both, in"),
        (2, "87.5 %: they met on 2 boards, and bob finished ahead in 12 of 12 matches; about 4 more boards with both,"),
        (4, "96.9 %: they met on 4 boards, and bob finished ahead in 24 of 24 matches; about 1 more board with both,"),
    ],
)
def test_before_five_boards_nothing_is_settled_whoever_wins_them(store: Store, boards: int, sentence: str) -> None:
    journal = league(store, "one", 1, ("ada", "bob", "cyd"), first="bob", boards=boards)
    found = compare([journal], "bob", "ada")
    assert found.sentence.startswith(f"bob is better than ada with {sentence}")
    assert found.sentence.endswith("in leagues like these, would settle it.")
    assert not found.settled
    assert found.more_boards is not None
    more = league(store, "two", 2, ("ada", "bob", "cyd"), first="bob", boards=found.more_boards)
    assert compare([journal, more], "bob", "ada").settled


def test_the_chance_is_that_of_the_standings(store: Store) -> None:
    journal = league(store, "one", 1, ("ada", "bob", "cyd"), boards=2)
    found = LiveStandings(journal).now()
    names = [row.entry.name for row in found.rows]
    together = compare([journal], "ada", "cyd")
    assert together.chance == found.better[names.index("ada")][names.index("cyd")]
    assert together.ahead == found.ahead[names.index("ada")][names.index("cyd")]


def test_leagues_are_taken_together(store: Store) -> None:
    one = league(store, "one", 1, ("ada", "bob", "cyd"), first="ada", boards=2)
    two = league(store, "two", 2, ("bob", "cyd", "dan"), boards=3)
    assert compare([one, two], "bob", "cyd").boards == 5
    assert compare([one, two], "bob", "cyd").met == 30
    through_others = compare([one, two], "ada", "dan")
    assert (through_others.met, through_others.boards) == (0, 0)
    assert through_others.chance is not None
    assert "they met through others only, on 2 boards or more of each; " in through_others.sentence
    assert "; about 4 more boards of each, in leagues like these, would" in through_others.sentence


def test_who_never_met_can_not_be_compared(store: Store, tmp_path: Path) -> None:
    one = league(store, "one", 1, ("ada", "bob", "cyd"), boards=1)
    with pytest.raises(EntrantError, match="'dan' played in none of these leagues"):
        compare([one], "ada", "dan")
    with pytest.raises(EntrantError, match="ada can't be compared with itself"):
        compare([one], "ada", "ada")


UNSURE = Comparison("ada", "bob", chance=0.8413447, ahead=60, met=120, boards=20, played=30)


def test_more_boards_are_as_many_as_certainty_takes() -> None:
    # One standard deviation now, 1.96 wanted: 1.96² as many boards.
    assert UNSURE.more_boards == 77 - 20
    assert UNSURE.sentence.endswith("about 57 more boards with both, in leagues like these, would settle it.")
    assert replace(UNSURE, boards=0).more_boards == 116 - 30
    assert replace(UNSURE, chance=0.5).more_boards is None
    assert "so near to each other they can't be told apart" in replace(UNSURE, chance=0.5).sentence


def test_the_better_one_is_named_first() -> None:
    worse = replace(UNSURE, chance=1 - UNSURE.chance if UNSURE.chance else None, ahead=50)
    assert worse.sentence.startswith(
        "bob is better than ada with 84.1 %: they met on 20 boards, and bob finished ahead in 70"
    )


def test_nothing_is_said_where_nothing_is_known() -> None:
    unknown = replace(UNSURE, chance=None)
    assert unknown.sentence == "ada and bob never met, not even through others: nothing can be said."
    assert (unknown.settled, unknown.more_boards) == (False, None)
