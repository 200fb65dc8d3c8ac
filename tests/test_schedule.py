"""Who plays whom on which boards: designs, teams, seatings, later entrants."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import combinations, pairwise, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena import schedule as module
from arena.schedule import (
    SEATINGS,
    Design,
    Names,
    Schedule,
    ScheduleError,
    default_boards,
    extended,
    schedule,
    sittings,
)

SEED = b"board"
Teams = dict[str, str | None]


def entrants(count: int) -> Teams:
    return {f"bot-{number:03}": None for number in range(count)}


def boards_of(plan: Schedule) -> dict[Names, list[int]]:
    by_triple: dict[Names, list[int]] = defaultdict(list)
    for number, triple in plan.boards:
        by_triple[triple].append(number)
    return by_triple


def play(plan: Schedule, seatings: int) -> Counter[str]:
    """Matches of each entrant."""
    return Counter(name for sitting in sittings(plan, seatings) for name in sitting.seats for _ in sitting.boards)


@pytest.mark.parametrize("count", [3, 4, 5, 8, 9, 14, 20])
def test_a_balanced_league_lets_every_pair_meet_equally_often(count: int) -> None:
    plan = schedule(entrants(count), SEED, boards=2)
    assert len(set(plan.meetings.values())) == 1
    assert len(plan.meetings) == count * (count - 1) // 2
    assert plan.imbalance is None


def test_the_design_all_has_every_triple() -> None:
    plan = schedule(entrants(6), SEED, "all", boards=3)
    assert set(boards_of(plan)) == set(combinations(sorted(entrants(6)), 3))
    assert all(len(numbers) == 3 for numbers in boards_of(plan).values())


def test_where_climbing_fails_a_construction_takes_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "climb", lambda *_: None)
    plan = schedule(entrants(14), SEED, boards=1)
    assert set(plan.meetings.values()) == {6}


def test_the_same_seed_gives_the_same_schedule_and_another_seed_another() -> None:
    assert schedule(entrants(9), SEED) == schedule(entrants(9), SEED)
    assert schedule(entrants(9), SEED).boards != schedule(entrants(9), b"other").boards


def test_boards_are_numbered_through_the_league_and_each_is_for_one_triple() -> None:
    plan = schedule(entrants(9), SEED, boards=5)
    assert [number for number, _ in plan.boards] == list(range(60))
    assert all(triple == tuple(sorted(triple)) for _, triple in plan.boards)


def test_every_triple_plays_its_first_board_before_any_plays_its_second() -> None:
    plan = schedule(entrants(9), SEED, boards=3)
    for start in (0, 12, 24):
        assert len({triple for _, triple in plan.boards[start : start + 12]}) == 12


def test_at_any_time_everybody_has_played_about_equally_often() -> None:
    plan = schedule(entrants(20), SEED, boards=1)
    played: Counter[str] = Counter(dict.fromkeys(entrants(20), 0))
    for _, triple in plan.boards[:190]:
        played.update(triple)
    assert max(played.values()) - min(played.values()) <= 6  # of 28.5


@pytest.mark.parametrize("count", range(3, 41))
@pytest.mark.parametrize("seatings", [6, 3, 1])
def test_the_default_boards_give_150_matches_each_and_50_boards(count: int, seatings: int) -> None:
    plan = schedule(entrants(count), SEED, seatings=seatings)
    one = len(schedule(entrants(count), SEED, boards=1).boards)
    matches = max(play(plan, seatings).values())
    assert len(plan.boards) >= 50
    assert min(play(plan, seatings).values()) >= 100
    if len(plan.boards) > one:  # a board less of each triple would be too few
        assert len(plan.boards) - one < 50 or matches * (1 - one / len(plan.boards)) < 150


def test_the_default_boards_of_a_few_leagues() -> None:
    assert default_boards(triples=1, entrants=3, seatings=6) == 50
    assert default_boards(triples=12, entrants=9, seatings=6) == 6
    assert default_boards(triples=380, entrants=20, seatings=6) == 1
    assert default_boards(triples=12, entrants=9, seatings=1) == 38


# Teams


def test_entrants_of_one_team_never_meet_and_all_others_equally_often() -> None:
    teams = entrants(9) | {"bot-001": "owls", "bot-004": "owls", "bot-007": "owls"}
    plan = schedule(teams, SEED, boards=2)
    assert ("bot-001", "bot-004") not in plan.meetings
    assert set(plan.meetings.values()) == {2}
    assert plan.imbalance is None


def test_where_teams_leave_no_even_choice_the_imbalance_is_told() -> None:
    plan = schedule({"ann": "owls", "bea": "owls", "cas": "owls", "dot": None, "eve": None}, SEED, boards=2)
    assert plan.meetings == {
        ("ann", "dot"): 2,
        ("ann", "eve"): 2,
        ("bea", "dot"): 2,
        ("bea", "eve"): 2,
        ("cas", "dot"): 2,
        ("cas", "eve"): 2,
        ("dot", "eve"): 6,
    }
    assert plan.imbalance == "Not every pair meets equally often: most meet on 2 boards, but dot and eve on 6."


team_names = st.sampled_from(["owls", "jays", "rooks", None])


@given(st.lists(team_names, min_size=3, max_size=14), st.sampled_from(["balanced", "all"]))
def test_whatever_the_teams_are_all_others_meet(teams: list[str | None], design: Design) -> None:
    named: Teams = {f"bot-{number}": team for number, team in enumerate(teams)}
    different = len({team for team in teams if team}) + teams.count(None)
    if different < 3:
        with pytest.raises(ScheduleError, match="fewer than three teams"):
            schedule(named, SEED, design)
        return
    plan = schedule(named, SEED, design, boards=1)
    assert all(plan.meetings.values())
    for _, triple in plan.boards:
        seated = [named[name] for name in triple if named[name]]
        assert len(seated) == len(set(seated))
    assert (plan.imbalance is None) == (len(set(plan.meetings.values())) == 1)


@pytest.mark.parametrize("count", [0, 1, 2])
def test_fewer_than_three_entrants_make_no_league(count: int) -> None:
    with pytest.raises(ScheduleError, match=f"at least three entrants, and there are {count}"):
        schedule(entrants(count), SEED)


# Seatings and sittings


def test_seatings_are_the_permutations_of_the_sorted_names_in_lexicographic_order() -> None:
    plan = schedule({"cas": None, "ann": None, "bea": None}, SEED, boards=1)
    seats = [sitting.seats for sitting in sittings(plan)]
    assert seats == list(permutations(["ann", "bea", "cas"]))
    assert [sitting.seating for sitting in sittings(plan)] == [0, 1, 2, 3, 4, 5]


def test_a_sitting_is_all_boards_of_a_triple_in_one_seating() -> None:
    plan = schedule(entrants(7), SEED, boards=4)
    planned = sittings(plan)
    assert len(planned) == 7 * 6
    assert all(list(sitting.boards) == boards_of(plan)[sitting.triple] for sitting in planned)


def test_a_long_sitting_is_cut_and_all_seatings_of_its_boards_follow_each_other() -> None:
    plan = schedule(entrants(3), SEED, boards=50)
    planned = sittings(plan, boards_at_most=20)
    assert [len(sitting.boards) for sitting in planned] == [20] * 12 + [10] * 6
    assert planned[0].boards == tuple(range(20))
    assert [sitting.seating for sitting in planned] == [*range(6)] * 3


@pytest.mark.parametrize("seatings", [6, 3, 1])
def test_every_board_is_played_in_as_many_seatings_as_asked(seatings: int) -> None:
    plan = schedule(entrants(9), SEED, boards=5)
    played = Counter(board for sitting in sittings(plan, seatings) for board in sitting.boards)
    assert played == dict.fromkeys(range(60), seatings)


def test_three_seatings_of_a_board_put_everybody_on_every_seat() -> None:
    by_board = defaultdict(list)
    for sitting in sittings(schedule(entrants(7), SEED, boards=2), seatings=3):
        for board in sitting.boards:
            by_board[board].append(sitting.seats)
    for seats in by_board.values():
        assert all(len(set(seat)) == 3 for seat in zip(*seats, strict=True))


@pytest.mark.parametrize("seatings", [3, 1])
def test_fewer_seatings_take_turns(seatings: int) -> None:
    used = Counter(
        sitting.seating for sitting in sittings(schedule(entrants(9), SEED, boards=6), seatings) for _ in sitting.boards
    )
    assert set(used.values()) == {72 * seatings // 6}
    assert set(used) == set(range(len(SEATINGS)))


# Later entrants


def test_a_later_entrant_meets_everybody_as_often_as_they_met_each_other() -> None:
    old = schedule(entrants(9), SEED, boards=6)
    plan = extended(old, "late", None, SEED)
    assert plan.boards[:72] == old.boards
    assert [number for number, _ in plan.boards] == list(range(72 + 27))
    assert all("late" in triple for _, triple in plan.boards[72:])
    assert [plan.meetings[f"bot-{number:03}", "late"] for number in range(9)] == [6] * 9
    assert set(plan.meetings.values()) <= {6, 7, 8}


def test_pairs_that_now_meet_more_often_are_told() -> None:
    plan = extended(schedule(entrants(4), SEED, boards=1), "late", None, SEED)
    more = [" and ".join(pair) for pair, boards in plan.meetings.items() if boards == 3]
    assert plan.imbalance == f"Not every pair meets equally often: most meet on 2 boards, but {', '.join(more)} on 3."


def test_an_odd_meeting_is_made_up_with_one_more() -> None:
    plan = extended(schedule(entrants(3), SEED, boards=1), "late", None, SEED)
    assert sorted(plan.meetings[f"bot-00{number}", "late"] for number in range(3)) == [1, 1, 2]


def test_several_later_entrants_meet_each_other_too() -> None:
    plan = schedule(entrants(5), SEED, boards=2)
    for name in ("late", "later", "latest"):
        plan = extended(plan, name, None, SEED)
    assert min(plan.meetings.values()) == 6
    assert plan.meetings["late", "latest"] <= 7


def test_in_the_design_all_a_later_entrant_leaves_all_pairs_even() -> None:
    plan = extended(schedule(entrants(5), SEED, "all", boards=2), "late", None, SEED, "all")
    assert set(boards_of(plan)) == set(combinations(sorted([*entrants(5), "late"]), 3))
    assert set(plan.meetings.values()) == {8}


def test_a_later_entrant_never_meets_its_team() -> None:
    teams = entrants(6) | {"bot-000": "owls", "bot-001": "jays", "bot-002": "jays"}
    plan = extended(schedule(teams, SEED, boards=2), "late", "owls", SEED)
    assert not any({"late", "bot-000"} <= set(triple) for _, triple in plan.boards)
    assert not any({"bot-001", "bot-002"} <= set(triple) for _, triple in plan.boards)
    assert all(plan.meetings.values())


def test_sittings_that_were_planned_stay_when_somebody_enters_later() -> None:
    old = schedule(entrants(9), SEED, boards=6)
    for seatings in (6, 3, 1):
        assert sittings(extended(old, "late", None, SEED), seatings)[: len(sittings(old, seatings))] == sittings(
            old, seatings
        )


def test_who_is_in_already_cannot_enter_again() -> None:
    with pytest.raises(ScheduleError, match="bot-000 is in this league already"):
        extended(schedule(entrants(3), SEED), "bot-000", None, SEED)


def test_who_would_meet_nobody_cannot_enter() -> None:
    teams: Teams = {"ann": "owls", "bea": "owls", "cas": "jays", "dot": None}
    with pytest.raises(ScheduleError, match="late would meet nobody"):
        extended(Schedule(teams | {"dot": "owls"}, ()), "late", "owls", SEED)


def test_the_boards_of_a_later_entrant_are_spread() -> None:
    plan = extended(schedule(entrants(9), SEED, boards=2), "late", None, SEED)
    new = [set(triple) - {"late"} for _, triple in plan.boards[24:]]
    assert all(one != other for one, other in pairwise(new))
