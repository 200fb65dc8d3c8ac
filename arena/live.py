"""The standings of a league as they are now; brought up to date without reading old matches again."""

from __future__ import annotations

from dataclasses import fields

import numpy as np

from arena.journal import Journal
from arena.standings import Entry, MatchFigures, Standings, standings

__all__ = ["LiveStandings"]


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
            new = MatchFigures.of(self._journal.results(self._seen, newest))
            self._figures = _joined(self._figures, new)
            self._seen = newest
        return standings(self._entries(), self._figures)

    def _entries(self) -> list[Entry]:
        store = self._journal.store
        out = dict(store.rows("SELECT name, disqualified FROM bots WHERE disqualified IS NOT NULL"))
        return [
            Entry(member.name, member.version, member.manifest.author, out.get(member.name))
            for member in self._journal.members
        ]


def _joined(old: MatchFigures, new: MatchFigures) -> MatchFigures:
    columns = {column.name: (getattr(old, column.name), getattr(new, column.name)) for column in fields(MatchFigures)}
    return MatchFigures(**{name: np.concatenate(parts) for name, parts in columns.items()})
