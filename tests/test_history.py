"""Rating against matches played."""

from __future__ import annotations

from random import Random

from arena.figures import COLUMNS
from arena.history import boards_of_stages, history
from arena.standings import Entry, MatchFigures, standings

Match = tuple[int, int, tuple[int, int, int]]


def figures_of(matches: list[Match]) -> MatchFigures:
    """From board, seating, and who was first, second and third."""
    rows = []
    for board, seating, placing in matches:
        values = dict.fromkeys(COLUMNS, 0) | {"rounds": 1}
        for seat, bot in enumerate(sorted(placing)):
            values |= {f"bot{seat}": bot, f"place{seat}": placing.index(bot) + 1}
        rows.append((board, seating, *(values[name] for name in COLUMNS)))
    return MatchFigures.of(rows)


def league(boards: int, bots: int = 4) -> list[Match]:
    dice = Random(358)
    matches = []
    for board in range(boards):
        trio = sorted(dice.sample(range(bots), 3)) if board >= bots else sorted((board + i) % bots for i in range(3))
        for seating in range(6):
            first, second, third = sorted(trio, key=lambda bot: bot + dice.gauss(0, 2))
            matches.append((board, seating, (first, second, third)))
    return matches


def test_it_ends_with_the_standings_and_matches_rise() -> None:
    figures = figures_of(league(60))
    table = standings([Entry(f"bot{number}", "v", "Ada") for number in range(4)], figures)
    ratings = {row.entry.name: (row.matches, row.rating) for row in table.rows}
    for number, stages in enumerate(history(figures, 4)):
        assert (stages[-1].matches, stages[-1].rating) == ratings[f"bot{number}"]
        counts = [stage.matches for stage in stages]
        assert counts == sorted(set(counts))
        assert len(counts) > 8
        widths = [(stage.rating.high or 0) - (stage.rating.low or 0) for stage in stages]
        assert widths[-1] < widths[0] / 2


def test_a_stage_is_what_the_standings_were_with_those_boards_alone() -> None:
    matches = league(50)
    for first in boards_of_stages(50, 4)[2:]:
        early = figures_of([match for match in matches if match[0] < first])
        expected = {stages[-1].matches: stages[-1] for stages in history(early, 4)[:1]}
        assert set(expected.values()) <= set(history(figures_of(matches), 4)[0])


def test_the_order_of_the_matches_does_not_matter() -> None:
    matches = league(30)
    expected = history(figures_of(matches), 4)
    Random(1).shuffle(matches)
    assert history(figures_of(matches), 4) == expected


def test_what_can_not_be_compared_yet_is_left_out() -> None:
    """Two groups that meet on the last board only: from the second on, their ratings are about different means."""
    matches = [(board, 0, (0, 1, 2) if board % 2 else (3, 4, 5)) for board in range(29)]
    stages = history(figures_of([*matches, (29, 0, (0, 3, 5))]), 6)
    assert [[stage.matches for stage in bot] for bot in stages] == [[15], [14], [14], [1, 16], [1, 15], [1, 16]]
    apart = history(figures_of(matches), 7)
    assert len(apart[0]) > 5
    assert apart[6] == []


def test_nothing_played_has_no_history() -> None:
    assert history(MatchFigures.of([]), 3) == [[], [], []]


def test_there_are_fewer_stages_the_more_work_a_fit_is() -> None:
    assert len(boards_of_stages(1000, 9)) == 12
    assert len(boards_of_stages(1000, 120)) == 6
    assert len(boards_of_stages(1000, 200)) == 4
    assert boards_of_stages(1, 3) == [1]
    assert boards_of_stages(1000, 9)[-1] == 1000
