"""What the rules refuse.

    ValueError
    ├── RulesError      rules that can't be played, with the fields that disagree
    ├── IllegalChoice   a choice against the rules: which rule, what was chosen, what would be legal
    ├── DealError       a given deal that can't be read (one that can be, but is faulty, is thrown in: R2.5)
    └── RecordError     a record that is not a true account of a match, and the first thing wrong with it

Unreadable is not illegal: a text that is no card is a ``protocol.cards.NotationError``.
"""

from __future__ import annotations

__all__ = ["DealError", "IllegalChoice", "RecordError", "RulesError"]


class RulesError(ValueError):
    """Rules that can't be played; the message says which fields disagree and why."""


class IllegalChoice(ValueError):
    """A choice against the rules.

    :ivar rule: the number of the rule, as in ``R6.2``.
    :ivar why: one sentence that says what was chosen, what is wrong with it and what would be legal.
    """

    def __init__(self, rule: str, why: str) -> None:
        super().__init__(f"{why} ({rule})")
        self.rule = rule
        self.why = why


class DealError(ValueError):
    """A given deal that can't be read."""


class RecordError(ValueError):
    """A record that does not hold: the message says the first thing wrong, as a card player would."""
