"""The standings of a league as they are now; brought up to date without reading old matches again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from itertools import islice

import numpy as np

from arena.journal import Journal
from arena.standings import Entry, MatchFigures, Standings, standings

__all__ = ["LiveStandings", "joined"]

PART = 50_000  # matches that are rows for a moment, before they are columns


class LiveStandings:
    """Keeps the figures that were read, and reads only those of the matches entered since."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._seen = 0
        self._figures = MatchFigures.of([])

    def now(self) -> Standings:
        """The standings with all matches that are in the journal by now."""
        newest = self._journal.newest()
        if newest > self._seen:
            rows = self._journal.results(self._seen, newest)
            new = [MatchFigures.of(part) for part in iter(lambda: list(islice(rows, PART)), [])]
            self._figures = joined([self._figures, *new])
            self._seen = newest
        return standings(self._entries(), self._figures)

    @property
    def figures(self) -> MatchFigures:
        """The figures of the matches that ``now`` knew of when it was last called."""
        return self._figures

    def _entries(self) -> list[Entry]:
        store = self._journal.store
        out = dict(store.rows("SELECT name, disqualified FROM bots WHERE disqualified IS NOT NULL"))
        return [
            Entry(member.name, member.version, member.manifest.author, out.get(member.name))
            for member in self._journal.members
        ]


def joined(parts: Sequence[MatchFigures]) -> MatchFigures:
    """The matches of all parts."""
    names = [column.name for column in fields(MatchFigures)]
    return MatchFigures(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in names})
