"""The plain implementation, held against a few deals, exchanges and ends worked out by hand."""

import struct
from collections.abc import Callable
from hashlib import sha256
from itertools import chain, count
from typing import Any

import pytest

from tests import plain
from tests.plain import SETS, PlainMatch

SEED = bytes(range(32))


def cards(hand: str) -> list[str]:
    """The cards of "AKQ.JT9.8.2"."""
    return [rank + suit for suit, ranks in zip("SHDC", hand.split("."), strict=True) for rank in ranks]


def first_legal(turn: plain.Turn) -> Any:
    _, kind, legal = turn
    return legal[:4] if kind == "discard" else legal[0]


def played(match: PlainMatch, choose: Callable[[plain.Turn], Any] = first_legal) -> PlainMatch:
    while (turn := match.turn()) is not None:
        match.choose(choose(turn))
    return match


# Seeds


def shuffled_by_hand(label: bytes, deck: list[str]) -> list[str]:
    blocks = b"".join(sha256(SEED + label + b"/%d" % i).digest() for i in range(20))
    numbers = list(struct.unpack(f">{len(blocks) // 4}I", blocks))
    for k in range(len(deck) - 1, 0, -1):
        while numbers[0] >= 2**32 - 2**32 % (k + 1):
            numbers.pop(0)
        j = numbers.pop(0) % (k + 1)
        deck[k], deck[j] = deck[j], deck[k]
    return deck


@pytest.mark.parametrize(("number", "attempt"), [(0, 0), (3, 0), (12, 2)])
def test_r2_3_four_packets_of_four_from_the_forehand_and_the_kitty_last(number: int, attempt: int) -> None:
    deck = shuffled_by_hand(b"deal/%d/%d" % (number, attempt), cards(".".join(["AKQJT98765432"] * 4)))
    packets = [deck[start : start + 4] for start in range(0, 52, 4)]
    hands, kitty = plain.deal(SEED, number, attempt, SETS["announcer"])
    forehand, third, dealer = (list(chain(*packets[first:12:3])) for first in range(3))
    assert hands == [dealer, forehand, third]
    assert kitty == packets[12]


def test_r9_2_without_the_two_of_clubs_a_seventeenth_card_each_and_no_kitty() -> None:
    deck = shuffled_by_hand(b"deal/5/0", cards("AKQJT98765432.AKQJT98765432.AKQJT98765432.AKQJT9876543"))
    hands, kitty = plain.deal(SEED, 5, 0, SETS["six-three-eight"])
    assert [hand[16] for hand in hands] == [deck[50], deck[48], deck[49]]
    assert [len(hand) for hand in hands] == [17, 17, 17]
    assert kitty == []


def test_the_deal_of_a_seed_that_is_known() -> None:
    hands, kitty = plain.deal(SEED, 0, 0, SETS["ten-points"])
    assert plain.first_dealer(SEED) == int.from_bytes(sha256(SEED + b"dealer/0").digest()[:4], "big") % 3
    assert [plain.written(hand) for hand in hands] == [
        "KJ5.KT9863.Q754.QT4",
        "A97643.AJ4.JT86.A63",
        "QT82.Q75.AK932.K875",
    ]
    assert kitty == ["2H", "JC", "2C", "9C"]


def test_words_beyond_the_last_whole_multiple_are_skipped() -> None:
    assert plain.number_below(3, iter([2**32 - 2, 4])) == 2
    assert plain.number_below(3, iter([2**32 - 1, 4])) == 1


# Exchanges


def exchanged(
    name: str, hands: list[str], score: list[int], choices: str, dealer: int = 0, **fields: Any
) -> tuple[list[str], list[str], list[str]]:
    """What moved ("2>0 3C AC": seat 2 and seat 0, gave and got), the turns, and the hands afterwards."""
    match = PlainMatch(SETS[name] | fields, SEED)
    match.hands = [cards(hand) for hand in hands]
    match.rounds = [{"score": score}]
    story = match._exchanges(dealer)
    seat, kind, _ = next(story)
    turns = [f"{seat} {kind}"]
    answers = iter(choices.split())
    try:
        for _ in count():
            seat, kind, _ = story.send(next(answers))
            turns.append(f"{seat} {kind}")
    except StopIteration as over:
        moved = [f"{each['up']}>{each['down']} {each['gave'] or '-'} {each['got'] or '-'}" for each in over.value]
    assert next(answers, None) is None
    return moved, turns, [plain.written(hand) for hand in match.hands]


def test_r5_1_the_highest_comes_back_and_a_card_that_is_not_beaten_bounces() -> None:
    moved, turns, hands = exchanged("ten-points", ["J3...2", "AT2.4..", "9.5.."], [2, -2, 0], "3S JS")
    assert moved == ["0>1 3S AS", "0>1 JS JS"]
    assert turns == ["0 give", "0 give"]
    assert hands == ["AJ...2", "T32.4..", "9.5.."]


def test_r5_1_a_void_down_player_returns_the_card() -> None:
    moved, _, hands = exchanged("ten-points", ["J3...2", "AT2.4..", "9.5.."], [1, -1, 0], "2C")
    assert moved == ["0>1 2C 2C"]
    assert hands[0] == "J3...2"


def test_r5_2_a_claim_that_lapses_is_spent() -> None:
    moved, turns, hands = exchanged("twelve-tricks", ["A2...", "Q9.4..", ".5..2"], [2, -2, 0], "D S QS")
    assert moved == ["0>1 - -", "0>1 QS QS"]
    assert turns == ["0 claim", "0 claim", "0 give_back"]
    assert hands[0] == "A2..."


def test_r5_5_in_a_swap_the_higher_target_goes_first_in_a_claim_the_more_points() -> None:
    hands = ["32...", "A4...", "5..."]
    swapped, _, _ = exchanged("ten-points", hands, [1, -3, 2], "2S 5S 5S")
    assert swapped == ["0>1 2S AS", "2>1 5S 5S", "2>1 5S 5S"]
    claimed, _, _ = exchanged("twelve-tricks", hands, [1, -3, 2], "S 5S S 5S S 2S")
    assert claimed == ["2>1 5S AS", "2>1 5S 5S", "0>1 2S 5S"]


def test_r5_6_one_up_two_downs() -> None:
    hands = ["A...", "K...", "432..."]
    clockwise = exchanged("announcer", hands, [-1, -2, 3], "2S 3S 4S", dealer=1)[0]
    assert [each[:3] for each in clockwise] == ["2>0", "2>1", "2>1"]
    by_target = exchanged("ten-points", hands, [-1, -2, 3], "2S 3S 4S", dealer=1)[0]
    assert [each[:3] for each in by_target] == ["2>1", "2>1", "2>0"]


def test_r9_6_two_exchanges_a_point() -> None:
    moved, _, _ = exchanged("ten-points", ["32...", "AK...", "5..."], [1, -1, 0], "2S 3S", cards_per_point=2)
    assert moved == ["0>1 2S AS", "0>1 3S KS"]


# Contract, tricks and score


def test_r4_1_a_kitty_card_can_not_be_discarded_unless_it_is_picked_up_first() -> None:
    for name, size in (("ten-points", 16), ("twelve-tricks", 20)):
        match = PlainMatch(SETS[name], SEED)
        match.choose("S")
        seat, kind, legal = match.turn() or (0, "", [])
        assert (seat, kind, len(legal)) == (match.first_dealer, "discard", size)
        with pytest.raises(ValueError, match="not legal"):
            match.choose(legal[:3])
        match.choose(legal[:4])
        assert [len(hand) for hand in match.hands] == [16, 16, 16]


@pytest.mark.parametrize(
    ("trick", "trump", "winner"), [("7H AH 7S", "S", 2), ("7H AH 7S", None, 1), ("7H AC 7S", "D", 0)]
)
def test_r6_3_trumps_first_then_the_suit_led(trick: str, trump: str | None, winner: int) -> None:
    assert plain.trick_winner(trick.split(), 0, trump) == winner
    assert plain.trick_winner(trick.split(), 2, trump) == (winner + 2) % 3


def test_r6_2_follow_suit_if_you_can() -> None:
    assert plain.playable(cards("AK.2..3"), "S") == ["AS", "KS"]
    assert plain.playable(cards("AK.2..3"), "D") == ["2H", "3C", "AS", "KS"]


def test_r9_3_rotating_targets_give_each_seat_each_target() -> None:
    match = PlainMatch(SETS["announcer"] | {"rotate_targets": True}, SEED)
    by_round = [match._targets(number, dealer=(1 + number) % 3) for number in range(4)]
    assert by_round == [[3, 8, 5], [8, 5, 3], [5, 3, 8], [3, 8, 5]]
    assert match._targets(1, dealer=2, misere=True) == [3, 5, 8]


@pytest.mark.parametrize("name", SETS)
def test_scores_sum_to_zero_and_each_card_is_played_once(name: str) -> None:
    match = played(PlainMatch(SETS[name] | {"contracts": ["MISERE"]}, SEED))
    for each in match.rounds:
        table = [card for trick in each["tricks"] for card in trick["cards"]]
        assert len(set(table)) == len(table) == sum(each["taken"]) * 3
        assert sum(each["score"]) == sum(each["totals"]) == 0


# Ends


def ended(name: str, totals: list[int], rounds: list[dict[str, Any]], **fields: Any) -> tuple[str | None, Any]:
    match = PlainMatch(SETS[name] | fields, SEED)
    match.totals = totals
    match.rounds = rounds
    match._check_end()
    return match.end, match.placing


def scored(score: list[int], taken: list[int], winners: list[int], dealer: int = 0) -> dict[str, Any]:
    tricks = [{"winner": seat} for seat in winners]
    return {"dealer": dealer, "contract": "S", "score": score, "taken": taken, "tricks": tricks}


def test_r8_2_ten_points_end_it_and_the_later_trick_parts_equals() -> None:
    last = scored([2, 2, -4], [10, 4, 2], [2, 1, 0, 1])
    assert ended("ten-points", [9, 9, -18], [last]) == (None, None)
    assert ended("ten-points", [10, 10, -20], [last]) == ("points", [2, 1, 3])
    assert ended("ten-points", [10, 11, -21], [last]) == ("points", [2, 1, 3])


def test_r8_3_twelve_tricks_win_whatever_the_totals() -> None:
    last = scored([-6, -3, 9], [2, 2, 12], [0, 1, 2])
    assert ended("twelve-tricks", [8, -1, -7], [last]) == ("tricks", [2, 3, 1])
    assert ended("twelve-tricks", [8, -1, -7], [last | {"contract": "MISERE"}]) == (None, None)


def test_r8_4_nought_nought_nought_is_parted_by_the_later_trick() -> None:
    last = scored([0, 0, 0], [8, 5, 3], [0, 1, 0, 2, 1])
    assert ended("announcer", [0, 0, 0], [last] * 9) == ("rounds", [3, 1, 2])


def test_r8_7_sixty_rounds_are_enough() -> None:
    last = scored([0, 0, 0], [8, 5, 3], [2, 0, 1])
    assert ended("ten-points", [3, -6, 3], [last] * 59) == (None, None)
    assert ended("ten-points", [3, -6, 3], [last] * 60) == ("round-limit", [1, 3, 2])


def test_r9_2_minus_ten_ends_it_and_the_highest_total_wins() -> None:
    last = scored([1, -2, 1], [7, 1, 9], [1, 2, 0])
    assert ended("six-three-eight", [7, -10, 3], [last]) == ("points", [1, 3, 2])


def decided(score_by_round: list[list[int]], tied: list[int], totals: list[int]) -> tuple[int, list[int] | None]:
    """How many deciding rounds were played, and the placing."""
    match = PlainMatch(SETS["twelve-tricks"], SEED)
    match.totals = totals
    match.rounds = [scored([0, 0, 0], [8, 5, 3], [0, 1, 2])]
    to_come = iter(score_by_round)

    def play_round() -> plain.Play:
        match.rounds.append(scored(next(to_come), [8, 5, 3], [0, 1, 2]))
        yield 0, "play", []

    match._round = play_round  # type: ignore[method-assign]
    for _ in match._deciding_rounds(tied):
        pass
    return len(match.rounds) - 1, match.placing


def test_r8_5_a_deciding_round_that_ties_is_followed_by_another() -> None:
    assert decided([[1, 1, -2], [-1, 2, -1]], [0, 1], [3, 3, -6]) == (2, [2, 1, 3])


def test_r8_5_the_third_cannot_win_the_deciding_round() -> None:
    assert decided([[-2, -3, 5]], [0, 1], [3, 3, -6]) == (1, [1, 2, 3])


def test_r8_5_who_drops_out_later_stands_higher_and_together_by_their_score() -> None:
    assert decided([[2, 2, -4], [1, -5, 4]], [0, 1, 2], [0, 0, 0]) == (2, [1, 2, 3])
    assert decided([[3, -2, -1]], [0, 1, 2], [0, 0, 0]) == (1, [1, 3, 2])


def test_r8_5_after_nine_the_later_trick_decides() -> None:
    assert decided([[1, 1, -2]] * 9, [0, 1], [3, 3, -6]) == (9, [2, 1, 3])


# Small endings


def test_an_ending_of_two_tricks_counted_by_hand() -> None:
    hands = [cards("A.2.."), cards("K.K.."), cards("3...4")]
    # AS KS 3S, 2H KH 4C; 2H KH 3S, 4C AS KS; 2H KH 4C, KS 3S AS: only the ruff with 3S costs seat 1 its trick.
    assert plain.count_endings(hands, leader=0, trump="S") == ({(1, 1, 0): 2, (1, 0, 1): 1}, 3)
    assert plain.count_endings(hands, leader=0, trump=None) == ({(1, 1, 0): 3}, 3)


def test_with_a_suit_each_and_no_trump_the_leader_takes_all_in_every_order() -> None:
    hands = [cards("AKQJ..."), cards(".AKQJ.."), cards("...AKQJ")]
    assert plain.count_endings(hands, leader=1, trump=None) == ({(0, 4, 0): 24**3}, 24**3)


def test_whole_matches_end_and_are_placed() -> None:
    for name, rules in SETS.items():
        match = played(PlainMatch(rules, SEED))
        assert match.end in ("points", "tricks", "rounds", "deciding-round"), name
        assert sorted(match.placing or []) == [1, 2, 3]
        assert match.hands == [[], [], []]
        with pytest.raises(ValueError, match="over"):
            match.choose("AS")
