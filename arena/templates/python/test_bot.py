"""Tests of my-bot without any process: `python -m unittest` in this folder, with the Python that runs the arena."""

import unittest

from bot import MyBot

from protocol.bot import Bot
from protocol.cards import Suit
from protocol.view import TurnKind
from referee.match import Match
from referee.practice import play_match
from referee.rules import SETS, rules_for


class MyBotTest(unittest.TestCase):
    def test_it_plays_whole_matches_by_every_rule_set(self) -> None:
        for name, rules in SETS.items():
            with self.subTest(name):
                play_match([MyBot(), Bot(), Bot()], rules, seed=1)  # an illegal choice would raise

    def test_it_plays_by_the_variants_too(self) -> None:
        rules = rules_for("twelve-tricks", ["no-trump", "misere", "double-payment", "rotating-targets"])
        play_match([MyBot(), MyBot(), MyBot()], rules, seed=2)

    def test_the_longest_suit_becomes_trump(self) -> None:
        match = Match(SETS["ten-points"], seed=b"any bytes will do")
        view = match.view(match.seat)
        assert view.kind is TurnKind.DECLARE
        trump = MyBot().declare(view).trump
        assert trump is not None
        assert view.hand.count(trump) == max(map(view.hand.count, Suit))

    def test_it_comes_first_more_often_than_the_default_bot(self) -> None:
        firsts = 0
        for seed in range(30):
            bots = [Bot(), Bot(), Bot()]
            bots[seed % 3] = MyBot()
            placing = play_match(bots, seed=seed).placing or ()
            firsts += placing[seed % 3] == 1
        assert firsts > 10  # a third would be chance


if __name__ == "__main__":
    unittest.main()
