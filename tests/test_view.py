"""What a seat sees: everything it may know, and nothing else."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.cards import Card, Cards, Suit
from protocol.view import Contract, TurnKind
from referee.match import Match
from referee.rules import SETS, VARIANTS, rules_for
from tests.table_words import random_choice, round_of


def in_progress(name: str, variants: list[str], seed: int, turns: int) -> Match:
    """A match some turns in."""
    match = Match(rules_for(name, variants), seed.to_bytes(32))
    rng = Random(seed)
    for _ in range(turns):
        if match.over:
            break
        match.choose(random_choice(rng, match))
    return match


places = st.tuples(
    st.sampled_from(sorted(SETS)),
    st.lists(st.sampled_from([v for v in VARIANTS if v not in ("nine-five-two", "six-three-eight")]), unique=True),
    st.integers(0, 10_000),
    st.integers(0, 400),
)


@given(places, st.integers(0, 2), st.randoms(use_true_random=False))
def test_no_view_depends_on_a_card_that_the_seat_can_not_see(
    place: tuple[str, list[str], int, int], seat: int, rng: Random
) -> None:
    match = in_progress(*place)
    rnd = match.round
    seen = match.view(seat)
    others = [s for s in range(3) if s != seat]
    hidden = [Cards(rnd.hands[s]) for s in others]
    picked_up = rnd.kitty & (rnd.hands[rnd.dealer] | rnd.discard) or rnd.played
    kitty = Cards(0 if picked_up else rnd.kitty)
    pool = [card for part in (*hidden, kitty) for card in part]
    rng.shuffle(pool)
    for s, part in zip(others, hidden, strict=True):
        rnd.hands[s] = int(Cards.of(pool.pop() for _ in part))
    if kitty:
        rnd.kitty = int(Cards.of(pool))
    if seat != rnd.dealer:
        rnd.discard ^= rnd.discard
    if seat not in (rnd.seat, rnd.partner):
        rnd.claimed = None
    assert match.view(seat) == seen


@given(places)
def test_a_view_says_what_the_engine_says(place: tuple[str, list[str], int, int]) -> None:
    match = in_progress(*place)
    if match.over:
        return
    view = match.view(match.seat)
    assert (view.kind, view.legal, view.count) == (match.kind, match.legal(), match.count)
    assert view.decision == match.decision
    assert view.targets == match.round.targets
    assert view.tricks == match.round.tricks
    for other in {0, 1, 2} - {match.seat}:
        idle = match.view(other)
        assert (idle.kind, idle.legal, idle.partner, idle.claimed) == (None, (), None, None)


@given(places)
def test_everything_a_bot_may_know_adds_up(place: tuple[str, list[str], int, int]) -> None:
    match = in_progress(*place)
    for seat in range(3):
        view = match.view(seat)
        assert view.unseen() | view.hand | view.gone() | view.discard == view.rules.deck
        assert len(view.gone()) == len(view.played)
        assert view.tricks_to_go == view.targets[seat] - view.taken[seat]


def test_the_dealer_sees_the_kitty_once_he_has_taken_it_and_nobody_else_ever() -> None:
    first = Match(SETS["ten-points"], b"1")
    dealer = first.round.dealer
    assert first.view(dealer).kitty == 0
    first.choose(Contract.SPADES)
    assert first.view(dealer).kitty == 0  # R4.1: put aside first
    first.choose(Cards.of(first.legal()[:4]))  # type: ignore[arg-type]
    assert first.view(dealer).kitty == first.round.kitty != 0
    assert first.view(dealer).discard == first.round.discard != 0
    for other in {0, 1, 2} - {dealer}:
        assert (first.view(other).kitty, first.view(other).discard) == (0, 0)
    later = Match(SETS["twelve-tricks"], b"1")
    assert later.view(later.round.dealer).kitty == later.round.kitty  # R4.2: picked up first


def test_r4_4_the_kitty_is_not_seen_during_the_exchange_before_it() -> None:
    match = Match(SETS["twelve-tricks"], b"1")
    rng = Random(1)
    asked = 0
    while not match.over:
        if match.kind is TurnKind.CLAIM and match.seat == match.round.dealer:
            asked += 1
            assert match.view(match.seat).kitty == 0
        match.choose(random_choice(rng, match))
    assert asked > 3


def test_the_trick_on_the_table_and_the_voids_it_shows() -> None:
    match = Match(SETS["ten-points"], b"x")
    rnd = round_of(SETS["ten-points"], "AKQJT98..AKQJ.AKQJT", "765.AKQJT98.T98.987", "432.765432.765.6543")
    match.round = rnd
    match.choose(Contract.SPADES)
    match.choose(Cards.of(Card(text) for text in ("TC", "JC", "QC", "KC")))
    for notation in ("8H", "2H"):
        match.choose(Card(notation))
    view = match.view(0)
    assert (view.trick, view.kind, view.trump) == ((Card("8H"), Card("2H")), TurnKind.PLAY, Suit.SPADES)
    assert view.voids(0) == ()
    match.choose(Card("8S"))
    assert match.view(1).voids(0) == (Suit.HEARTS,)
    assert match.view(1).tricks[0].winner == 0
    assert (match.view(0).position, match.view(1).position, match.view(2).position) == (0, 1, 2)


@pytest.mark.parametrize("name", SETS)
def test_the_view_after_a_round_has_its_last_card_and_the_totals_before_it(name: str) -> None:
    match = Match(SETS[name], b"after")
    rng = Random(1)
    totals = match.totals
    while not match.over:
        rnd = match.round
        match.choose(random_choice(rng, match))
        if rnd.over:
            view = match.view_of(rnd, 1)
            assert (view.kind, view.totals, len(view.played)) == (None, totals, 3 * rnd.rules.tricks)
            assert sum(view.taken) == rnd.rules.tricks
            totals = match.totals
