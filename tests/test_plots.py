"""Where values lie in a drawing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.reports.plots import Scale, band, line, scale_of

numbers = st.floats(-1e6, 1e6)


def test_a_value_lies_in_proportion() -> None:
    scale = Scale(10, 30, 200)
    assert [scale.at(value) for value in (10, 15, 30)] == [0, 50, 200]
    assert scale.marks == [10, 15, 20, 25, 30]


@given(st.lists(st.none() | numbers, max_size=8))
def test_all_values_lie_on_the_scale(values: list[float | None]) -> None:
    scale = scale_of(values, 100)
    assert all(0 <= scale.at(value) <= 100 for value in values if value is not None)


@given(numbers, st.floats(1e-3, 1e5))
def test_marks_are_round_on_the_scale_and_few(low: float, width: float) -> None:
    scale = Scale(low, low + width, 100)
    assert 2 <= len(scale.marks) <= 9
    assert all(-0.1 <= scale.at(mark) <= 100.1 for mark in scale.marks)


def test_a_single_value_stands_in_the_middle() -> None:
    assert scale_of([25.0], 100).at(25.0) == 50
    assert scale_of([], 100).at(0.0) == 50


def test_paths() -> None:
    assert line([(0, 1), (2.5, 3)]) == "M0 1L2.5 3"
    assert band([(0, 1), (2, 1)], [(0, 5), (2, 4)]) == "M0 1L2 1L2 4L0 5Z"


@pytest.mark.parametrize("value", [-3.0, 0.0, 1e-9])
def test_a_scale_always_has_a_length(value: float) -> None:
    scale = scale_of([value, value], 10)
    assert scale.low < value < scale.high
