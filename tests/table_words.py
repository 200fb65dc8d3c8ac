"""The words in which the tests of the rules are written: hands, cards, rounds begun from given hands, random play."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from protocol.cards import Card, Cards
from protocol.view import Choice, Rules, Three
from referee.deal import Deal
from referee.match import Match
from referee.round import Round
from referee.rules import rules_for

ANNOUNCER = rules_for("announcer")
TEN_POINTS = rules_for("ten-points")
TWELVE_TRICKS = rules_for("twelve-tricks")
SIX_THREE_EIGHT = rules_for("six-three-eight")

hand = Cards.read


def cards(text: str) -> tuple[Card, ...]:
    """``cards("7H AH 7S")``"""
    return tuple(Card(notation) for notation in text.split())


def round_of(
    rules: Rules,
    dealer_hand: str,
    forehand: str,
    third: str,
    *,
    dealer: int = 0,
    last_scores: Three | None = None,
    number: int = 0,
) -> Round:
    """A round with these hands; the kitty has the cards that are left."""
    hands = [hand(text) for text in (dealer_hand, forehand, third)]
    kitty = rules.deck - hands[0] - hands[1] - hands[2]
    dealt = Deal((tuple(hands[0]), tuple(hands[1]), tuple(hands[2])), tuple(kitty))
    fault = dealt.fault(rules)
    assert fault is None, fault
    return Round(rules, number, dealer, dealt, last_scores)


def random_choice(rng: Random, match: Match | Round) -> Choice:
    legal = match.legal()
    return Cards.of(rng.sample(legal, match.count)) if match.count > 1 else rng.choice(legal)


def play_at_random(match: Match, seed: int = 0) -> Match:
    rng = Random(seed)
    while not match.over:
        match.choose(random_choice(rng, match))
    return match


def play(rnd: Round, text: str) -> None:
    """Plays these cards, each by the seat on turn."""
    for card in cards(text):
        rnd.choose(card)


def masks(hands: Iterable[str]) -> list[int]:
    return [int(hand(text)) for text in hands]
