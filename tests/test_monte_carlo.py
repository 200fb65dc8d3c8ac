"""``monte_carlo``: what it knows of cards it does not see, how it reads the others, and what comes of it."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from random import Random
from time import thread_time
from typing import Any

import numpy as np
import pytest

from protocol.bot import Bot, choose
from protocol.cards import Card, Cards, Suit
from protocol.view import Contract, Exchange, Rules, TurnKind, View
from referee.deal import board_seed
from referee.exchange import claimed_card, returned_card
from referee.lanes import cards_of, lanes_of
from referee.match import Match
from referee.playout import Playout
from referee.practice import play_match
from referee.round import Round
from referee.rules import SETS, VARIANTS, rules_for
from tests.samples import asked, bot_of
from tests.table_words import masks

CHAMPION, TIPS = bot_of("monte_carlo"), bot_of("tips")()
MODULES = ("looks", "unseen", "reading", "rest", "prospects", "search")
looks, unseen, reading, rest, prospects, search = (sys.modules[f"sample_bots.monte_carlo.{name}"] for name in MODULES)
playing, sight = (sys.modules[f"sample_bots.tips.{name}"] for name in ("playing", "sight"))
ASIDE = unseen.ASIDE
EVERYTHING = rules_for("twelve-tricks", ["no-trump", "misere", "double-payment", "rotating-targets"])
ALL_RULES = [*SETS.values(), *(rules_for("ten-points", [variant]) for variant in VARIANTS), EVERYTHING]
ALL_NAMES = [*SETS, *VARIANTS, "everything"]


def turns(rules: Rules, board: int, dice: Random, any_card: float = 0.0) -> Iterator[Match]:
    """A match of three ``tips``, at each of its turns with a choice; so often anybody plays any card."""
    match = Match(rules, board_seed(b"monte carlo", board))
    while not match.over:
        legal = match.legal()
        if len(legal) == 1:
            match.choose(legal[0])
            continue
        yield match
        choice = choose(TIPS, match.view(match.seat))
        if match.kind is TurnKind.PLAY and dice.random() < any_card:
            choice = dice.choice(legal)
        match.choose(choice)


def truth(match: Match, me: int) -> list[int]:
    """The cards that a seat does not see, by place."""
    rnd = match.round
    there = [*rnd.hands, rnd.discard if match.kind is TurnKind.PLAY else rnd.kitty]
    there[me] = 0
    if rnd.dealer == me and match.kind in (TurnKind.DISCARD, TurnKind.PLAY, TurnKind.DECLARE):
        there[ASIDE] &= ~int(match.view(me).hand | match.view(me).discard)
    return there


# The cards it does not see


@pytest.mark.parametrize("rules", ALL_RULES, ids=ALL_NAMES)
def test_the_true_deal_is_one_of_those_it_takes_for_possible(rules: Rules) -> None:
    dice = Random(5)
    for board in range(4):
        for match in turns(rules, board, dice, any_card=0.3):
            known = unseen.Unseen(match.view(match.seat))
            there = truth(match, match.seat)
            assert sum(there) == known.cards
            assert known.room == [cards.bit_count() for cards in there], match.kind
            for place in range(4):
                assert there[place] & ~known.may[place] == 0, (match.kind, place)


@pytest.mark.parametrize("rules", ALL_RULES, ids=ALL_NAMES)
def test_each_deal_lays_every_unseen_card_in_one_place_where_it_may_be(rules: Rules) -> None:
    dice = Random(6)
    for match in turns(rules, 7, dice, any_card=0.3):
        if dice.random() < 0.2:
            known = unseen.Unseen(match.view(match.seat))
            dealt = known.deals(20, np.random.default_rng(1))
            assert (dealt.sum(1) == known.cards).all()
            for place in range(4):
                assert (np.bitwise_count(dealt[:, place]) == known.room[place]).all()
                assert (dealt[:, place] & ~np.uint64(known.may[place]) == 0).all()


def test_each_deal_that_fits_is_as_likely_as_any_other() -> None:
    """Left holds two, right one, one lies aside; left has shown that he has no hearts."""
    view = at_play("2...", "0: AH AS KH", "1: 3C 4C 5C", dealer=2)
    known = unseen.Unseen(view)
    known.cards = int(Cards.read("AK.QJ.."))
    known.may = [0, int(Cards.read("AK...")), known.cards, known.cards]
    known.room = [0, 1, 2, 1]
    n = 12_000
    dealt = Counter(map(tuple, known.deals(n, np.random.default_rng(2)).tolist()))
    assert len(dealt) == 2 * 3  # which spade is left's; which of the other three lies aside
    for times in dealt.values():
        assert abs(times - n / 6) < 5 * (n * 5 / 36) ** 0.5


def at_play(hand: str, *tricks: str, dealer: int) -> View:
    leaders, played = [], []
    for trick in tricks:
        leader, cards = trick.split(": ")
        leaders.append(int(leader))
        played += [int(Card(card)) for card in cards.split()]
    return asked(
        TurnKind.PLAY, hand, contract=Contract.CLUBS, dealer=dealer, leaders=bytes(leaders), played=bytes(played)
    )


def test_who_gave_his_king_has_no_ace_and_holds_what_he_got_for_it() -> None:
    exchange = Exchange(up=0, down=1, suit=Suit.HEARTS, gave=Card("2C"), got=Card("KH"))
    view = asked(TurnKind.CLAIM, "AKQ2.K632.5432.AKQ3", exchanges=(exchange,), legal_suits=tuple(Suit))
    known = unseen.Unseen(view)
    ace, two = 1 << Card("AH"), 1 << Card("2C")
    assert known.may[1] & ace == 0
    assert known.may[2] & ace
    assert known.may[1] & two
    assert not (known.may[2] | known.may[ASIDE]) & two


# What it reads from the others' play


@pytest.mark.parametrize("rules", [SETS["announcer"], SETS["six-three-eight"], rules_for("announcer", ["no-trump"])])
def test_a_card_looks_to_it_as_it_looks_to_tips(rules: Rules) -> None:
    as_good = []
    for view, rnd in without_secrets(rules):
        trump = -1 if view.trump is None else int(view.trump)
        lacking = [sum(8191 << 13 * suit for suit in view.voids(seat)) for seat in range(3)]
        playout = Playout([rnd.hands], trump, view.leaders[-1], [int(c) for c in view.trick], rnd.discard, lacking)
        look = looks.Look(playout)
        legal = list(view.legal_cards)
        merit = look.merit(lanes_of([[1 << card] for card in legal], trump))[:, 0]
        mine = sight.Sight(view)
        for card, worth in zip(legal, merit, strict=True):
            besides = playing.leading(mine, card) if mine.led < 0 else -playing.shortening(mine, card)
            assert worth == pytest.approx(mine.wins(card) - playing.promise(mine, card) + besides, abs=1e-5)
        as_good.append(look.merit(look.options()).max() >= merit.max() - 0.02)
    assert len(as_good) > 200
    assert np.mean(as_good) > 0.95  # of the cards that come into question, one is nearly always as good as the best


def without_secrets(rules: Rules) -> Iterator[tuple[View, Round]]:
    """Turns at play at which a seat knows no more than all can see: no exchange, no discard of its own."""
    for board in range(12):
        for match in turns(rules, board, Random(board), any_card=0.2):
            if match.rounds:
                break
            if match.kind is TurnKind.PLAY and match.seat != match.round.dealer:
                yield match.view(match.seat), match.round


def likelihoods(view: View, *held_by: dict[int, str]) -> list[float]:
    by_place = [[int(Cards.read(deal.get(place, "..."))) for place in range(4)] for deal in held_by]
    return list(map(float, reading.log_likelihoods(view, np.array(by_place, np.uint64))))


def test_third_hand_who_did_not_put_the_king_on_probably_has_no_king() -> None:
    view = at_play(".2..", "0: QH 3H 4H", dealer=0)
    view = replace(view, contract=Contract.SPADES, leaders=bytes([0, 0]), seat=0)
    with_king, without = likelihoods(view, {0: ".2..", 1: ".5..", 2: ".K.."}, {0: ".2..", 1: ".5..", 2: "..5."})
    assert without - with_king > 2


def test_who_trumped_with_the_nine_probably_has_no_lower_trump() -> None:
    view = at_play(".2..", "0: QH 3H 9S", dealer=0)
    view = replace(view, contract=Contract.SPADES, leaders=bytes([0, 2]), seat=0)
    with_four, with_ten = likelihoods(view, {0: ".2..", 1: "..5.", 2: "4..."}, {0: ".2..", 1: "..5.", 2: "T..."})
    assert with_ten > with_four


def test_the_dealer_hardly_put_an_ace_or_a_trump_aside() -> None:
    view = replace(at_play(".2..", "0: QH 3H 4H", dealer=1), contract=Contract.SPADES, leaders=bytes([0, 0]), seat=0)
    low, ace, trump = likelihoods(
        view,
        {0: ".2..", 1: "K...", 2: "..6.", ASIDE: "..2."},
        {0: ".2..", 1: "K...", 2: "..6.", ASIDE: "..A."},
        {0: ".2..", 1: "K...", 2: "..6.", ASIDE: "2..."},
    )
    assert low > ace
    assert low > trump


def test_the_true_deal_is_more_likely_than_most_others_once_cards_were_played() -> None:
    better: list[float] = []
    for board in range(6):
        for match in turns(SETS["announcer"], board, Random(1)):
            view = match.view(match.seat)
            if match.kind is TurnKind.PLAY and 12 <= len(view.played) <= 36:
                deals = unseen.Unseen(view).deals(60, np.random.default_rng(3))
                deals[0] = truth(match, match.seat)
                deals[:, match.seat] = int(view.hand)
                likely = reading.log_likelihoods(view, deals)
                better.append(float((likely[0] > likely[1:]).mean()))
            if len(match.rounds) > 1:
                break
    assert len(better) > 100
    assert np.mean(better) > 0.75  # a half would be no reading at all


# The rest of a round


def round_to_come(rules: Rules, seed: int) -> tuple[Any, list[int], int]:
    rnd = Match(rules, board_seed(b"rest", seed), dealer=0).round
    hands = [cards & ~rnd.kitty for cards in rnd.hands]
    return rest.Rest(rules, 0, np.array([hands], np.uint64), np.array([rnd.kitty], np.uint64)), hands, rnd.kitty


def held(some: Any) -> list[int]:
    return [int(cards_of(hand, -1)[0]) for hand in some.hands]


@pytest.mark.parametrize("seed", range(20))
def test_r5_1_a_swap_is_the_rules_swap(seed: int) -> None:
    some, hands, _ = round_to_come(SETS["announcer"], seed)
    card = Random(seed).choice(list(Cards(hands[1])))
    some.swap(1, 2, lanes_of([1 << card], -1))
    moved = 1 << card ^ 1 << returned_card(hands[2], card)
    assert held(some) == [hands[0], hands[1] ^ moved, hands[2] ^ moved]


@pytest.mark.parametrize("seed", range(20))
def test_r5_2_a_claim_moves_the_highest_card_and_one_comes_back(seed: int) -> None:
    some, hands, _ = round_to_come(SETS["twelve-tricks"], seed)
    suit = Suit(seed % 4)
    some.claim(1, 2, np.array([rest.suit_lane(suit)]))
    claimed, now = claimed_card(hands[2], suit), held(some)
    assert [cards.bit_count() for cards in now] == [16, 16, 16]
    assert now[0] == hands[0]
    assert claimed is not None
    assert now[1] | now[2] == hands[1] | hands[2]
    assert (now[2] & ~hands[2]).bit_count() <= 1


def test_r5_2_a_claim_of_a_suit_that_he_lacks_moves_nothing() -> None:
    hands = [int(Cards.read(hand)) for hand in ("AKQJT98765432.AKQ..", ".JT98765432.AKQJT9.", "..8765432.AKQJT9876")]
    kitty = int(Cards.read("...5432"))
    some = rest.Rest(SETS["twelve-tricks"], 0, np.array([hands], np.uint64), np.array([kitty], np.uint64))
    some.claim(0, 2, np.array([rest.suit_lane(Suit.HEARTS)]))
    assert held(some) == hands


@pytest.mark.parametrize("rules", SETS.values(), ids=SETS.keys())
def test_r4_the_dealer_puts_aside_what_he_may_and_takes_the_kitty(rules: Rules) -> None:
    for seed in range(10):
        some, hands, kitty = round_to_come(rules, seed)
        trump = some.best_trump()
        aside = some.put_aside(trump)
        put = int(cards_of(aside, -1)[0])
        assert put.bit_count() == rules.kitty_size
        assert put & ~(hands[0] | (kitty if rules.kitty == "pick-up-first" else 0)) == 0
        playout = some.playout(trump, aside)
        assert held(some)[0] == (hands[0] | kitty) & ~put
        assert playout.seat[0] == (0 if rules.first_lead == "dealer" else 1)
        assert playout.left == 3 * rules.tricks


def test_in_misere_the_highest_cards_are_put_aside() -> None:
    hands = [int(Cards.read("A432.K5432.Q432.J43")), *masks(("...", "..."))]
    some = rest.Rest(SETS["announcer"], 0, np.array([hands], np.uint64), np.array([0], np.uint64))
    assert Cards(int(cards_of(some.put_aside(-1, misere=True), -1)[0])) == Cards.read("A.K.Q.J")


# What an outcome is worth


@pytest.mark.parametrize("rules", SETS.values(), ids=SETS.keys())
def test_r8_at_the_end_of_a_match_a_place_is_worth_what_it_is(rules: Rules) -> None:
    for board in range(12):
        match = play_match([bot_of("random")() for _ in range(3)], rules, seed=board)
        if match.end == "deciding-round":
            continue
        last = match.rounds[-1]
        assert match.placing
        for seat in range(3):
            view, misere = match.view_of(last, seat), last.contract is Contract.MISERE
            taken, last_taken = np.array([last.taken], np.uint8), np.array([last.last_taken], np.int8)
            worth = prospects.prospects(view, misere, taken, last_taken)
            assert worth[0] == (prospects.FIRST, prospects.SECOND, 0.0)[match.placing[seat] - 1], (board, seat)


@pytest.mark.parametrize("rules", SETS.values(), ids=SETS.keys())
def test_more_tricks_are_never_worth_less(rules: Rules) -> None:
    view = replace(asked(TurnKind.PLAY, "A..."), rules=rules, totals=(2, -1, -1), contract=Contract.SPADES, round=2)
    mine = np.arange(rules.tricks + 1)
    others = rules.tricks - mine
    taken = np.stack([mine, others // 2, others - others // 2], 1).astype(np.uint8)
    worth = prospects.prospects(view, False, taken, np.full(taken.shape, -1, np.int8))
    assert (np.diff(worth) >= -1e-9).all()
    assert worth[-1] > worth[0]
    assert ((worth >= 0) & (worth <= 1)).all()


# The choice


def quick(move_time_s: float = 0.01) -> Bot:
    bot: Bot = CHAMPION(search.Search(thread_time, move_time_s))
    return bot


def test_it_takes_the_last_two_tricks_where_the_other_card_would_lose_both() -> None:
    """Third hand with king and three of hearts: nobody else has a heart or a trump left."""
    suits = ("AKQJT9876543...", ".AQJT87642..", "..AKQJT987654.", "...AKQJT9876543")
    gone = [int(card) for suit in suits for card in reversed(tuple(Cards.read(suit) - Cards.read("..54.")))]
    view = at_play(".K3..", dealer=0)
    view = replace(
        view,
        contract=Contract.SPADES,
        discard=Cards.read("2..32.2"),
        leaders=bytes([*(14 * [0]), 1]),
        played=bytes([*gone, Card("5H"), Card("9H")]),
    )
    assert view.unseen() == Cards.read("..54.")
    assert choose(quick(), view) == Card("KH")


@pytest.mark.parametrize("rules", ALL_RULES, ids=ALL_NAMES)
def test_it_plays_whole_matches_by_the_rules(rules: Rules) -> None:
    match = play_match([quick(0.002), TIPS, bot_of("random")()], rules, seed=4)
    assert match.over


@pytest.mark.parametrize("kind", TurnKind)
def test_it_stops_when_its_share_of_the_time_is_up(kind: TurnKind) -> None:
    """A clock that goes on by a millisecond each time somebody looks at it."""
    rules = SETS["twelve-tricks" if kind in (TurnKind.CLAIM, TurnKind.GIVE_BACK) else "announcer"]
    looks = count()
    bot = CHAMPION(search.Search(lambda: next(looks) / 1000, 0.02))
    view = next(view for view in asks(rules) if view.kind is kind and len(view.legal) > 3)
    choose(bot, view)
    assert next(looks) < 20


def asks(rules: Rules) -> Iterator[View]:
    for board in range(50):
        for match in turns(rules, board, Random(1)):
            yield match.view(match.seat)


def test_it_does_not_shorten_its_time_to_a_look_where_there_is_much() -> None:
    looks = count()
    bot = CHAMPION(search.Search(lambda: next(looks) / 1000, 0.2))
    view = next(view for view in asks(SETS["announcer"]) if view.kind is TurnKind.PLAY and len(view.legal) > 10)
    choose(bot, view)
    assert next(looks) > 5


# What it is worth


def share_of_firsts(name: str, boards: int, move_time_s: float) -> float:
    firsts = 0
    for board in range(boards):
        for seat in range(3):
            bots = [TIPS, TIPS, TIPS]
            bots[seat] = quick(move_time_s)
            match = play_match(bots, SETS[name], seed=board)
            firsts += match.placing is not None and match.placing[seat] == 1
    return firsts / (3 * boards)


@pytest.mark.long
@pytest.mark.parametrize("name", ["announcer", "ten-points", "twelve-tricks"])
def test_it_is_ahead_of_two_tips(name: str) -> None:
    """A third would be luck; of 60 matches, less than 45 % would be three standard errors below what it does."""
    assert share_of_firsts(name, 20, 0.05) >= 0.45
