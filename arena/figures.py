"""The figures of a match: what standings need of a record, flat, one column each.

Columns that end in 0, 1 or 2 are by seat; points are by position (R3), because each position has a target of its own.
"""

from __future__ import annotations

from typing import Any

__all__ = ["COLUMNS", "SEAT_COLUMNS", "figures"]

SEAT_COLUMNS = (
    "bot",  # the entrant's number in the league
    "place",  # 1, 2 or 3
    "dealer_points",  # sum of its scores in rounds in which it dealt
    "forehand_points",
    "third_points",
    "decisions",
    "think_s",
    "cpu_s",
    "slowest_s",
    "faults",
    "struck_out",  # 0 or 1
)
COLUMNS = ("first_dealer", "rounds", *(f"{column}{seat}" for seat in range(3) for column in SEAT_COLUMNS))


def figures(record: dict[str, Any], numbers: dict[str, int]) -> tuple[float, ...]:
    """The values of ``COLUMNS`` for a record; ``numbers`` gives each entrant's number by its name."""
    values: list[float] = [record["first_dealer"], len(record["rounds"])]
    for seat in range(3):
        clock = record["clock"][seat]
        faults = [fault for fault in record["faults"] if fault["seat"] == seat]
        values += [numbers[record["seats"][seat]["bot"]], record["placing"][seat], *_points_by_position(record, seat)]
        values += [clock["decisions"], clock["think_s"], clock["cpu_s"], clock["slowest_s"]]
        values += [len(faults), any(fault["struck_out"] for fault in faults)]
    return tuple(values)


def _points_by_position(record: dict[str, Any], seat: int) -> list[int]:
    points = [0, 0, 0]
    for round_ in record["rounds"]:
        points[(seat - round_["dealer"]) % 3] += round_["score"][seat]
    return points
