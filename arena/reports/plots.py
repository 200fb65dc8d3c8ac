"""The geometry of the page's plots: values to positions, round numbers to mark, bands and lines as SVG paths."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

__all__ = ["Scale", "band", "line", "scale_of"]


@dataclass(frozen=True)
class Scale:
    """Values from ``low`` to ``high`` on so many units of a drawing."""

    low: float
    high: float
    length: float

    def at(self, value: float) -> float:
        """Where a value lies, from 0 to the length, to a tenth of a unit."""
        return round((value - self.low) / (self.high - self.low) * self.length, 1)

    @property
    def step(self) -> float:
        """Distance of the marks: 1, 2 or 5 times a power of ten, so that there are at most eight."""
        rough = (self.high - self.low) / 7
        power: float = 10.0 ** math.floor(math.log10(rough))
        return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough)

    @property
    def marks(self) -> list[float]:
        """The round values on the scale."""
        first, last = math.ceil(self.low / self.step - 1e-9), math.floor(self.high / self.step + 1e-9)
        return [round(number * self.step, 10) for number in range(first, last + 1)]


def scale_of(values: Iterable[float | None], length: float, reach: float = 0.5) -> Scale:
    """A scale on which all values lie, with some room around them.

    :param reach: the least that is shown on each side of a single value.
    """
    known = [value for value in values if value is not None] or [0.0]
    room = max(0.04 * (max(known) - min(known)), reach if max(known) == min(known) else 0.0)
    return Scale(min(known) - room, max(known) + room, length)


def line(points: Sequence[tuple[float, float]]) -> str:
    """The path through these points."""
    return "M" + "L".join(f"{x:g} {y:g}" for x, y in points)


def band(upper: Sequence[tuple[float, float]], lower: Sequence[tuple[float, float]]) -> str:
    """The path around what lies between two lines."""
    return line([*upper, *reversed(lower)]) + "Z"
