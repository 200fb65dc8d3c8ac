"""When a match ends and who is placed where (R8)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from protocol.cards import Card, Cards
from protocol.view import Contract, Rules, Three, TurnKind
from referee.deal import deal
from referee.match import Match
from referee.placing import end_reached, order_by_total, placing_after_strikes
from referee.round import Round
from referee.rules import rules_for
from tests.table_words import ANNOUNCER, SIX_THREE_EIGHT, TEN_POINTS, TWELVE_TRICKS, cards, play_at_random


def scored(
    rules: Rules,
    taken: Three,
    last_taken: Three = (15, 14, 13),
    *,
    dealer: int = 0,
    contract: Contract = Contract.SPADES,
) -> Round:
    """A round as it stands after play: who took how many tricks, and the number of each one's last."""
    rnd = Round(rules, 0, dealer, deal(rules, b"any", 0), None)
    rnd.contract, rnd.taken, rnd.kind = contract, list(taken), None
    took_the_last = last_taken.index(rules.tricks - 1)
    winners = [last_taken.index(n) if n in last_taken else took_the_last for n in range(rules.tricks)]
    rnd.leaders, rnd._best_seat = bytes([dealer, *winners[:-1]]), took_the_last
    return rnd


def test_r8_1_announcer_ends_after_nine_rounds() -> None:
    last = scored(ANNOUNCER, (8, 5, 3))
    assert end_reached(ANNOUNCER, last, (30, -20, -10), 8) is None
    assert end_reached(ANNOUNCER, last, (30, -20, -10), 9) == "rounds"


def test_r8_2_ten_points_ends_when_somebody_has_ten() -> None:
    last = scored(TEN_POINTS, (8, 5, 3))
    assert end_reached(TEN_POINTS, last, (9, -4, -5), 20) is None
    assert end_reached(TEN_POINTS, last, (10, -4, -6), 3) == "points"


def test_r8_2_of_two_with_ten_the_higher_total_wins_whatever_the_last_round_brought() -> None:
    last = scored(TEN_POINTS, (7, 4, 5))  # seat 2 was up two
    assert order_by_total((12, -22, 10), last) == [0, 2, 1]


def test_r8_3_twelve_tricks_win_whatever_the_totals() -> None:
    match = Match(TWELVE_TRICKS, b"any")
    match.totals = (-9, 9, 0)
    match.round = scored(TWELVE_TRICKS, (2, 2, 12))
    match._close_round(match.round)
    assert (match.end, match.placing) == ("tricks", (3, 2, 1))


def test_r8_3_otherwise_the_highest_total_wins_after_ten_rounds() -> None:
    last = scored(TWELVE_TRICKS, (11, 3, 2))
    assert end_reached(TWELVE_TRICKS, last, (40, -20, -20), 9) is None
    assert end_reached(TWELVE_TRICKS, last, (40, -20, -20), 10) == "rounds"


def test_r8_3_tricks_come_before_points_before_rounds() -> None:
    cumulative = replace(TWELVE_TRICKS, points_to_win=10)
    assert end_reached(cumulative, scored(cumulative, (12, 2, 2)), (12, -6, -6), 10) == "tricks"
    assert end_reached(cumulative, scored(cumulative, (11, 3, 2)), (12, -6, -6), 10) == "points"
    assert end_reached(cumulative, scored(cumulative, (11, 3, 2)), (9, -6, -3), 10) == "rounds"


@pytest.mark.parametrize(
    ("totals", "taken", "last_taken", "order"),
    [
        ((5, 5, -10), (8, 6, 2), (15, 14, 3), [1, 0, 2]),  # more points in the last round: seat 1 was up one
        ((0, 0, 0), (8, 5, 3), (14, 15, 3), [1, 0, 2]),  # 0-0-0 and a level round: the later trick
        ((4, 4, -8), (8, 5, 3), (12, 9, 15), [0, 1, 2]),
        ((0, 0, 0), (16, 0, 0), (15, -1, -1), [0, 2, 1]),  # seat 2 was down three, seat 1 five
    ],
)
def test_r8_4_equal_totals(totals: Three, taken: Three, last_taken: Three, order: list[int]) -> None:
    assert order_by_total(totals, scored(ANNOUNCER, taken, last_taken)) == order


@pytest.mark.parametrize(("dealer", "order"), [(0, [2, 1, 0]), (1, [2, 0, 1])])
def test_r8_4_if_neither_took_a_trick_clockwise_from_the_forehand(dealer: int, order: list[int]) -> None:
    """Seat 2 takes all sixteen; the targets ask just that, so that all three stand at zero."""
    targets = {0: (0, 0, 16), 1: (0, 16, 0)}[dealer]
    rules = replace(ANNOUNCER, targets=targets)
    assert order_by_total((0, 0, 0), scored(rules, (0, 0, 16), (-1, -1, 15), dealer=dealer)) == order


# R8.5: small rounds of four tricks, no-trump, nobody exchanges; the forehand leads.
SMALL = rules_for(
    "twelve-tricks",
    overrides={
        "removed": [
            str(c)
            for c in Cards.read("AKQJT98765432.AKQJT98765432.AKQJT98765432.AKQJT98765432")
            - Cards.read("AKQJ.AKQJT9.KQ.")
        ],
        "targets": "2,1,1",
        "kitty": "none",
        "exchange": "none",
        "contracts": "NT",
        "tricks_to_win": "none",
        "max_rounds": "3",
    },
)
# Played as written, every one takes his target: forehand, third hand, dealer of each trick as they follow.
LEVEL_HANDS = ("AS AH JH QD", "KS JS KH QH", "QS KD TH 9H")
LEVEL_PLAY = "KS QS AS  QD JS KD  TH JH KH  QH 9H AH"
# The forehand holds the spades and takes all four.
SWEEP_HANDS = ("AH KH QH JH", "AS KS QS JS", "TH 9H KD QD")
SWEEP_PLAY = "AS TH JH  KS 9H QH  QS QD KH  JS KD AH"
# Forehand and third hand take two tricks each, one up both; the dealer is two down.
DUEL_HANDS = ("QH JH KD QD", "AS KS TH 9H", "AH KH QS JS")
DUEL_PLAY = "AS QS KD  KS JS QD  TH AH QH  KH JH 9H"
ROUNDS = {"L": (LEVEL_HANDS, LEVEL_PLAY), "S": (SWEEP_HANDS, SWEEP_PLAY), "D": (DUEL_HANDS, DUEL_PLAY)}


def match_of(rounds: str, totals_before_the_end: Three = (0, 0, 0)) -> Match:
    """A match of level (L), sweep (S) and duel (D) rounds.

    :param totals_before_the_end: the totals of dealer, forehand and third hand of the fourth round, as they stand
        before the third, which is the last that the rules ask for.
    """
    dealer = Match(SMALL, b"seed").first_dealer
    given = []
    for number, letter in enumerate(rounds):
        hands = ROUNDS[letter][0]
        by_seat = [hands[(seat - dealer - number) % 3] for seat in range(3)]
        given.append(" ".join(repr(Cards.of(cards(text))) for text in by_seat))
    match = Match(SMALL, b"seed", given)
    for number, letter in enumerate(rounds):
        if number == 2:
            first, second, third = (
                total + totals_before_the_end[(seat - dealer) % 3] for seat, total in enumerate(match.totals)
            )
            match.totals = first, second, third
        for notation in ROUNDS[letter][1].split():
            if match.kind is TurnKind.DECLARE:
                match.choose(Contract.NO_TRUMP)
            match.choose(Card(notation))
    return match


def test_r8_5_equal_totals_at_the_end_call_for_a_deciding_round() -> None:
    tied = match_of("LLL")
    assert (tied.totals, tied.over, len(tied.rounds)) == ((0, 0, 0), False, 3)
    decided = match_of("LLLS")
    forehand = (decided.first_dealer + 4) % 3
    assert decided.end == "deciding-round"
    assert decided.totals[forehand] == 3  # its scores count to the totals
    assert decided.placing is not None
    assert decided.placing[forehand] == 1
    assert decided.placing[(forehand + 1) % 3] == 2  # third hand was down one, the dealer down two


def test_r8_5_a_deciding_round_that_itself_ties_is_followed_by_another() -> None:
    assert match_of("LLLLL").over is False
    decided = match_of("LLLLLS")
    assert (decided.end, len(decided.rounds)) == ("deciding-round", 6)


def test_r8_5_after_nine_deciding_rounds_the_later_trick_decides() -> None:
    match = match_of("LLL" + "L" * 9)
    assert (match.end, len(match.rounds)) == ("deciding-round", 12)
    last = match.rounds[-1]
    assert match.placing is not None
    by_last_trick = sorted(range(3), key=lambda seat: -last.last_taken[seat])
    assert [match.placing[seat] for seat in by_last_trick] == [1, 2, 3]


def test_r8_5_only_the_tied_can_win_the_deciding_round() -> None:
    """Two stand at 5 when the rounds are over; the third, at −10, sweeps the deciding round."""
    match = match_of("LLLS", totals_before_the_end=(5, -10, 5))
    dealer = (match.first_dealer + 3) % 3
    forehand, third = (dealer + 1) % 3, (dealer + 2) % 3
    assert [match.totals[seat] for seat in (dealer, forehand, third)] == [3, -7, 4]
    assert match.placing is not None
    assert [match.placing[seat] for seat in (third, dealer, forehand)] == [1, 2, 3]


def test_r8_5_those_who_drop_out_together_stand_by_their_score_in_that_round() -> None:
    swept = match_of("LLLS")
    assert swept.placing == tuple({1: 1, 2: 2, 0: 3}[(seat - swept.first_dealer) % 3] for seat in range(3))


def test_r8_5_who_drops_out_later_stands_higher() -> None:
    """All three tie; the first deciding round leaves two, of whom the second is swept by one."""
    match = match_of("LLLDS")
    first_out, second_out, winner = match.first_dealer, (match.first_dealer + 1) % 3, (match.first_dealer + 2) % 3
    assert match.placing is not None
    assert [match.placing[seat] for seat in (winner, second_out, first_out)] == [1, 2, 3]
    assert match.rounds[-1].scores[second_out] < match.rounds[-1].scores[first_out]


def test_r8_6_all_three_are_placed_one_two_three() -> None:
    for number in range(30):
        assert sorted(play_at_random(Match(TWELVE_TRICKS, bytes([number])), number).placing or ()) == [1, 2, 3]


def test_r8_7_after_sixty_rounds_the_highest_total_wins_and_the_record_says_so() -> None:
    endless = replace(TEN_POINTS, points_to_win=None)
    match = play_at_random(Match(endless, b"x"))
    assert (match.end, len(match.rounds)) == ("round-limit", 60)
    assert match.placing is not None
    assert match.totals[match.placing.index(1)] == max(match.totals)
    limited = replace(endless, max_rounds=61)
    assert end_reached(limited, scored(limited, (8, 5, 3)), (0, 0, 0), 60) is None


def test_r9_2_six_three_eight_ends_at_plus_or_minus_ten_and_the_highest_total_wins() -> None:
    last = scored(SIX_THREE_EIGHT, (6, 3, 8), (16, 14, 13), contract=Contract.SPADES)
    assert end_reached(SIX_THREE_EIGHT, last, (9, 0, -9), 9) is None
    assert end_reached(SIX_THREE_EIGHT, last, (6, 4, -10), 9) == "points"
    assert order_by_total((6, 4, -10), last) == [0, 1, 2]


def test_r9_5_twelve_tricks_do_not_win_a_misere() -> None:
    rules = replace(TWELVE_TRICKS, contracts=(*TWELVE_TRICKS.contracts, Contract.MISERE))
    assert end_reached(rules, scored(rules, (12, 2, 2), contract=Contract.MISERE), (0, 0, 0), 3) is None


def struck(seat: int, decision: int | None) -> dict[str, object]:
    return {"seat": seat, "decision": decision, "struck_out": True}


def test_a_struck_out_bot_is_placed_last_of_two_the_later_one_ahead() -> None:
    assert placing_after_strikes((1, 2, 3), []) == (1, 2, 3)
    assert placing_after_strikes((1, 2, 3), [struck(0, 17)]) == (3, 1, 2)
    assert placing_after_strikes((1, 2, 3), [struck(1, 5), struck(0, 17)]) == (2, 3, 1)
    assert placing_after_strikes((1, 2, 3), [struck(0, 5), struck(1, 17)]) == (3, 2, 1)
    assert placing_after_strikes((3, 2, 1), [struck(0, None), struck(1, None)]) == (3, 2, 1)
