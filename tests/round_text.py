"""Whole rounds as a card player writes them down, and the replay that holds the referee to every line.

Ann, Ben and Cas are seats 0, 1 and 2, clockwise. What a line says happens at that point or is true there:

    # what the round shows
    rules     ten-points double-payment max_rounds=4    a set, variants, single fields
    deck      AKQ.AKQ.AKQ.AKQ                           the cards that are dealt, if not all
    before    3 rounds; last Ann +1 Ben -1 Cas 0; totals Ann 4 Ben -3 Cas -1    (for a match in progress)

    dealer    Cas
    Ann       AKQ.JT9.8.2                               the deal: spades, hearts, diamonds, clubs
    kitty     2.3.4.5
    swap      Ann gives Ben 3S and gets AS
    claim     Ann asks Ben for S, gets AS, gives back 3S
    claim     Ann asks Ben for H, gets nothing
    holds     Ann AKQ.JT9.8.2
    contract  Cas S
    targets   Ann 5 Ben 3 Cas 8
    refused   Cas 2C 3C 4C 5C (R4.1)                    a choice against the rules, and the rule
    discard   Cas 2C 3C 4C 5D
    1.        Ann KS 3S *AS                             the leader, the cards in order, * on the winner's
    taken     Ann 8 Ben 5 Cas 3
    score     Ann +3 Ben +2 Cas -5
    totals    Ann +7 Ben -1 Cas -6
    end       points: Ann Ben Cas                       how it ended, and the players from first to last
"""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import cast

from protocol.cards import DECK, Card, Cards, Suit
from protocol.view import Choice, Contract, Exchange, Trick, TurnKind
from referee.errors import IllegalChoice
from referee.match import Match
from referee.round import Round
from referee.rules import rules_for

__all__ = ["replay"]

NAMES = ["Ann", "Ben", "Cas"]
Line = tuple[str, list[str]]


def replay(text: str) -> Match:
    """Plays a text through the referee.

    :raises AssertionError: the referee sees a line differently; the line is named.
    """
    lines = list(read(text))
    match = opened(lines)
    for number, (word, rest) in enumerate(lines):
        try:
            happens(match, word, rest)
            if word == "totals":
                ends_here = lines[number + 1 : number + 2] and lines[number + 1][0] == "end"
                assert match.over == bool(ends_here), f"the match is {'' if match.over else 'not '}over"
        except (AssertionError, ValueError) as wrong:
            raise AssertionError(f"{word} {' '.join(rest)}: {wrong}") from wrong
    assert lines[-1][0] in ("totals", "end"), "the text stops in the middle of a round"
    return match


def read(text: str) -> Iterator[Line]:
    """The lines that say something, as their first word and the others."""
    for line in text.splitlines():
        word, *rest = [part.rstrip(",;:") for part in line.split()] or [""]
        if word and not word.startswith("#"):
            yield word, rest


def opened(lines: list[Line]) -> Match:
    """The match at the first deal of the text, its deals given."""
    (set_name, *changes) = next(rest for word, rest in lines if word == "rules")
    fields = dict(change.split("=") for change in changes if "=" in change)
    for deck in (rest[0] for word, rest in lines if word == "deck"):
        fields["removed"] = ",".join(str(card) for card in DECK - Cards.read(deck))
    rules = rules_for(set_name, [change for change in changes if "=" not in change], fields)
    number, last, totals = before(lines)
    dealer = seat_of(next(rest for word, rest in lines if word == "dealer")[0])
    match = Match(rules, b"", dealer=(dealer - number) % 3)
    past = cast(Round, SimpleNamespace(scores=last))
    match.given = ("",) * number + tuple(deals(lines))
    match.rounds, match.thrown_in, match.totals = (past,) * number, ((),) * number, totals
    match.round = match._next_round(past if number else None)
    return match


def before(lines: list[Line]) -> tuple[int, tuple[int, int, int], tuple[int, int, int]]:
    """How many rounds were played before the text, the scores of the last of them, and the totals after it."""
    for word, rest in lines:
        if word == "before":
            return int(rest[0]), by_seat(rest[3:9]), by_seat(rest[10:])
    return 0, (0, 0, 0), (0, 0, 0)


def deals(lines: list[Line]) -> Iterator[str]:
    """The deals of the text as the referee reads them, hands by seat and the kitty."""
    hands = [(word, rest) for word, rest in lines if word in (*NAMES, "kitty")]
    starts = [number for number, (word, _) in enumerate(hands) if word == "Ann"]
    for start, end in zip(starts, [*starts[1:], len(hands)], strict=True):
        yield " ".join(rest[0] for _, rest in hands[start:end])


def seat_of(name: str) -> int:
    return NAMES.index(name)


def by_seat(words: list[str]) -> tuple[int, int, int]:
    """The figures of "Ann +2 Ben -2 Cas 0"."""
    assert words[::2] == NAMES, "figures are written Ann …, Ben …, Cas …"
    ann, ben, cas = (int(figure) for figure in words[1::2])
    return ann, ben, cas


# What happens


def happens(match: Match, word: str, rest: list[str]) -> None:
    """Plays what a line says, or holds it against the match."""
    if word in ("rules", "deck", "before"):
        return
    if word == "dealer":
        same(match.round.dealer, seat_of(rest[0]))
        same(match.thrown_in[-1], ())
    elif word in NAMES:
        dealt = match.round.deal.hands[(seat_of(word) - match.round.dealer) % 3]
        same(Cards.of(dealt), Cards.read(rest[0]))
    elif word == "kitty":
        same(Cards.of(match.round.deal.kitty), Cards.read(rest[0]))
    elif word == "swap":
        swap(match, *rest)
    elif word == "claim":
        claim(match, *rest)
    elif word == "holds":
        same(Cards(match.round.hands[seat_of(rest[0])]), Cards.read(rest[1]))
    elif word == "targets":
        same(match.round.targets, by_seat(rest))
    elif word in ("contract", "discard"):
        chooses(match, rest[0], TurnKind.DECLARE if word == "contract" else TurnKind.DISCARD, rest[1:])
    elif word == "refused":
        refused(match, rest[0], rest[1:-1], rest[-1].strip("()"))
    elif word.removesuffix(".").isdigit():
        trick(match, int(word.removesuffix(".")), rest[0], rest[1:])
    else:
        summed_up(match, word, rest)


def swap(match: Match, up: str, gives: str, down: str, gave: str, *and_gets: str) -> None:
    """ "Ann gives Ben 3S and gets AS"."""
    done = Exchange(seat_of(up), seat_of(down), None, Card(gave), Card(and_gets[-1]))
    exchanging = match.round
    same(exchanging.partner, done.down)
    chooses(match, up, TurnKind.GIVE, [gave])
    same(exchanging.exchanges[-1], done)


def claim(match: Match, up: str, asks: str, down: str, for_: str, suit: str, gets: str, got: str, *back: str) -> None:
    """ "Ann asks Ben for S gets AS gives back 3S", "Ann asks Ben for H gets nothing"."""
    exchanging = match.round
    same(exchanging.partner, seat_of(down))
    chooses(match, up, TurnKind.CLAIM, [suit])
    done = Exchange(seat_of(up), seat_of(down), Suit.read(suit))
    if got != "nothing":
        same(exchanging.claimed, Card(got))
        chooses(match, up, TurnKind.GIVE_BACK, [back[-1]])
        done = Exchange(done.up, done.down, done.suit, Card(back[-1]), Card(got))
    same(exchanging.exchanges[-1], done)


def trick(match: Match, number: int, leader: str, cards: list[str]) -> None:
    played = match.round
    for place, card in enumerate(cards):
        chooses(match, NAMES[(seat_of(leader) + place) % 3], TurnKind.PLAY, [card.removeprefix("*")])
    (winner,) = (place for place, card in enumerate(cards) if card.startswith("*"))
    laid = tuple(Card(card.removeprefix("*")) for card in cards)
    same(played.tricks[number - 1], Trick(seat_of(leader), laid, (seat_of(leader) + winner) % 3))


def summed_up(match: Match, word: str, rest: list[str]) -> None:
    """taken, score, totals and end, after the last trick."""
    assert match.over or not match.round.played, "the round is not over"
    last = match.rounds[-1]
    if word == "taken":
        same(tuple(last.taken), by_seat(rest))
    elif word == "score":
        same(last.scores, by_seat(rest))
    elif word == "totals":
        same(match.totals, by_seat(rest))
    elif word == "end":
        same(match.end, rest[0])
        same(match.placing, tuple(rest[1:].index(name) + 1 for name in NAMES))
    else:
        raise ValueError(f"{word} is no word of a round")


# Choices


def chooses(match: Match, name: str, kind: TurnKind, words: list[str]) -> None:
    same(match.kind, kind)
    same(match.seat, seat_of(name))
    match.choose(choice_of(kind, words))


def refused(match: Match, name: str, words: list[str], rule: str) -> None:
    assert match.kind is not None
    same(match.seat, seat_of(name))
    try:
        match.choose(choice_of(match.kind, words))
    except IllegalChoice as illegal:
        same(illegal.rule, rule)
    else:
        raise AssertionError("was allowed")


def choice_of(kind: TurnKind, words: list[str]) -> Choice:
    if kind is TurnKind.CLAIM:
        return Suit.read(words[0])
    if kind is TurnKind.DECLARE:
        return Contract(words[0])
    if kind is TurnKind.DISCARD:
        return Cards.of(Card(word) for word in words)
    return Card(words[0])


def same(referee: object, text: object) -> None:
    assert referee == text, f"the referee has {referee}"
