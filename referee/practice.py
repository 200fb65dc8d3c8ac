"""A match of bots in this very process: no sandbox, no clock, no forgiveness. For authors' tests and for research.

>>> from protocol.bot import Bot
>>> match = play_match([Bot(), Bot(), Bot()], seed=7)
>>> sorted(match.placing)
[1, 2, 3]
"""

from __future__ import annotations

from collections.abc import Sequence

from protocol.bot import Bot, choose
from protocol.view import Rules
from referee.deal import board_seed
from referee.match import Match
from referee.rules import check_rules

__all__ = ["play_match"]


def play_match(bots: Sequence[Bot], rules: Rules | None = None, seed: int = 0) -> Match:
    """Plays one match to its end.

    :param bots: three, by seat; give three instances, one each, if they remember things.
    :param rules: ``referee.rules.rules_for`` makes them; the default set if not given.
    :param seed: which board: the same seed, the same deals and dice.
    :return: the match: ``placing``, ``totals`` and ``rounds`` say how it went.
    :raises IllegalChoice: a bot chose against the rules. What a bot raises itself comes through as it is.
    :raises RulesError: the rules can't be played.
    """
    if len(bots) != 3:
        raise ValueError(f"three bots play a match, not {len(bots)}")
    rules = rules or Rules()
    check_rules(rules)
    match = Match(rules, board_seed(b"practice", seed))
    for seat, bot in enumerate(bots):
        bot.match_started(rules, seat)
    while not match.over:
        rnd = match.round
        only = match.only_choice()
        match.choose(choose(bots[match.seat], match.view(match.seat)) if only is None else only)
        if rnd.over:
            for seat, bot in enumerate(bots):
                bot.round_over(match.view_of(rnd, seat), rnd.scores)
    assert match.placing
    assert match.end
    for bot in bots:
        bot.match_over(match.placing, match.totals, match.end)
    return match
