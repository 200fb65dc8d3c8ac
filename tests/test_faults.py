"""Bots with bad habits at a real table: the match goes on, nobody else is hurt, the culprit is named, nothing is left.

Every habit meets every seat and every kind of turn in which it makes sense, three at once (a covering array); the long
tests have each alone in every seat, and every two habits together.
"""

from __future__ import annotations

import asyncio
import gc
import os
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
import uvloop

from protocol.view import Rules, TurnKind, View
from referee.deal import board_seed
from referee.player import BotPlayer, Limits, Seated
from referee.process_tree import descendants
from referee.record import match_record, verify, write
from referee.rules import rules_for
from referee.run import Program
from referee.sitting import Board, Sitting, play_sitting
from referee.table import Played
from tests.bots.starts import AT_START
from tests.faults import HARMLESS, HONEST, KINDS, NEVER_STARTS, SENT, STARTS, Account, Bad
from tests.walled import BOTS, open_files, wait_until

GIVE, CLAIM, GIVE_BACK = TurnKind.GIVE, TurnKind.CLAIM, TurnKind.GIVE_BACK
DECLARE, DISCARD, PLAY = TurnKind.DECLARE, TurnKind.DISCARD, TurnKind.PLAY
LEAGUE_SEED = b"bad habits"
MEMORY_MB = 256
PATIENT = Limits(move_time_s=20.0, bank_s=0.0, start_s=20.0, strikes=9)
HASTY = replace(PATIENT, move_time_s=0.7)
"""For habits that take their time: the others have as long as that to answer on a busy machine."""
EAGER = replace(PATIENT, start_s=3.0)
"""For habits that keep a bot from starting: the others have as long as that to start on a busy machine."""

THREE_ROUNDS = {"max_rounds": "3", "ties": "last-round"}
SWAP = rules_for("ten-points", overrides=THREE_ROUNDS | {"points_to_win": "none"})
CLAIMS = rules_for("twelve-tricks", overrides=THREE_ROUNDS | {"tricks_to_win": "none"})
STAGES = ((SWAP, (GIVE, PLAY)), (CLAIMS, (CLAIM, DECLARE)), (CLAIMS, (GIVE_BACK, DISCARD)))
"""Between them, the rules under which each kind of turn comes up, and two kinds for each."""

# Habits that make sense in some kinds of turn only.
ONLY_IN = {"revoke": (PLAY,), "too_few": (DISCARD,), "too_many": (DISCARD,)}
SLOW = (*(habit for habit in KINDS if KINDS[habit] == "timeout"), "just_in_time")
QUICK = tuple(habit for habit in (*KINDS, *SENT, *HARMLESS) if habit not in (*ONLY_IN, *SLOW))
HEAVY = ("hoards", "fork_bomb")  # what they do may take seconds on a busy machine
ASKS_FOR_PROCESSES = ("fork_bomb", "leaves_a_process_behind")


def seated(seat: int, bot: Bad, decisions: list[int]) -> Seated:
    words = [str(number) for number in decisions]
    script = "starts.py" if bot.habit in AT_START else "bad.py"
    command = ("python", script, bot.habit, *([",".join(words)] if words else []))
    program = Program(bot.habit, BOTS, command, bot.habit in ASKS_FOR_PROCESSES, MEMORY_MB)
    return Seated(f"seat-{seat}", "1", program)


def accounted(rules: Rules, bots: Mapping[int, Bad], strikes: int) -> tuple[int, Account]:
    """The first board on which every bot gives way to its habit as it should, and what must come of it."""
    for number in range(1000):
        result = Account(rules, board_seed(LEAGUE_SEED, number), bots, strikes)
        if result.complete:
            return number, result
    raise AssertionError(f"no board brings out all of {bots}")


def play(rules: Rules, bots: Mapping[int, Bad], limits: Limits = PATIENT) -> Played:
    """Plays a match with these bots, honest ones in the other seats, and holds it against the account."""
    number, expected = accounted(rules, bots, limits.strikes)
    seats = [seated(seat, bots.get(seat, HONEST), expected.decisions[seat]) for seat in range(3)]
    board = Board(number, board_seed(LEAGUE_SEED, number))
    (played,) = play_sitting(Sitting("faults", 0, (seats[0], seats[1], seats[2]), rules, limits, (board,)))
    check(played, expected)
    return played


def check(played: Played, expected: Account) -> None:
    record = played.record
    verify(record)
    told = [
        tuple(fault[key] for key in ("decision", "seat", "kind", "substitute", "struck_out"))
        for fault in record["faults"]
    ]
    assert told == [
        (decision, seat, kind, None if choice is None else write(choice), out)
        for decision, seat, kind, choice, out in expected.faults
    ], [fault["why"] for fault in played.faults]
    assert record["rounds"] == rounds_of(expected)
    assert tuple(record["placing"]) == expected.placing
    for fault in played.faults:
        assert len(fault["why"]) < 1000
        assert len(fault["output"]) <= 64 * 1024


def rounds_of(expected: Account) -> Any:
    record = match_record(expected.match, name="", number=0, seats=[], limits={}, faults=[], clock=[])
    return record["rounds"]


def settled_files() -> int:
    """How many descriptors are open; gRPC lets go of its own a moment after its last object has gone."""
    gc.collect()
    return open_files()


@pytest.fixture(autouse=True)
def _nothing_is_left() -> Iterator[None]:
    uvloop.new_event_loop().close()  # a process's first keeps a pipe for signals
    files, mounts, before = settled_files(), Path("/proc/self/mountinfo").read_text(), tempfile.tempdir
    with tempfile.TemporaryDirectory(prefix="faults-") as folder:
        tempfile.tempdir = folder
        yield
        tempfile.tempdir = before
        assert os.listdir(folder) == []
    assert descendants(os.getpid()) == [os.getpid()]
    wait_until(lambda: settled_files() <= files)
    assert Path("/proc/self/mountinfo").read_text() == mounts


# The covering array


def triples(habits: tuple[str, ...]) -> list[tuple[str, str, str]]:
    """The habits by threes; the last three overlap with those before where their number asks for it."""
    starts = [min(start, len(habits) - 3) for start in range(0, len(habits), 3)]
    return [(habits[start], habits[start + 1], habits[start + 2]) for start in starts]


@pytest.mark.parametrize("stage", range(3))
@pytest.mark.parametrize("habits", triples(QUICK), ids="+".join)
def test_three_bad_bots_at_once(habits: tuple[str, str, str], stage: int) -> None:
    """Over the three stages each habit sits in each seat and has each kind of turn."""
    rules, kinds = STAGES[stage]
    play(rules, {(place + stage) % 3: Bad(habit, kinds) for place, habit in enumerate(habits)})


@pytest.mark.parametrize("stage", range(3))
@pytest.mark.parametrize("habits", triples(SLOW), ids="+".join)
def test_three_slow_bots_at_once(habits: tuple[str, str, str], stage: int) -> None:
    """In one of the stage's two kinds of turn each, since they take their time."""
    rules, kinds = STAGES[stage]
    bots = {(place + stage) % 3: Bad(habit, (kinds[place % 2],)) for place, habit in enumerate(habits)}
    play(rules, bots, HASTY)


@pytest.mark.parametrize("turn", range(3))
@pytest.mark.parametrize(("habit", "kind"), [(habit, kind) for habit, kinds in ONLY_IN.items() for kind in kinds])
def test_a_choice_that_is_illegal_in_one_kind_of_turn(habit: str, kind: TurnKind, turn: int) -> None:
    play(SWAP, {turn: Bad(habit, (kind,))})


@pytest.mark.parametrize("habits", triples(NEVER_STARTS), ids="+".join)
def test_bots_that_do_not_start(habits: tuple[str, str, str]) -> None:
    """They are struck out at once, and the stand-in plays for them."""
    play(SWAP, dict(enumerate(map(Bad, habits))), EAGER)


@pytest.mark.parametrize("habits", triples(STARTS), ids="+".join)
def test_bots_that_do_at_their_start_what_they_should_not(habits: tuple[str, str, str]) -> None:
    """It is to no avail: they play as honest ones do, and nothing of theirs is left."""
    play(SWAP, dict(enumerate(map(Bad, habits))))
    wait_until(lambda: not any(b"3600.358" in command_line(pid) for pid in os.listdir("/proc")), within_s=60)


def command_line(pid: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


EVERY_KIND = (GIVE, DECLARE, DISCARD, PLAY)


@pytest.mark.parametrize(
    "habits", [("garbled",), ("raises", "exits"), ("not_in_hand", "closes", "blank")], ids="+".join
)
def test_the_third_fault_strikes_a_bot_out(habits: tuple[str, ...]) -> None:
    """The stand-in plays on for it, and it is placed last; of several, the one that lasted longer ahead."""
    bots = {seat: Bad(habit, EVERY_KIND) for seat, habit in enumerate(habits)}
    played = play(SWAP, bots, replace(PATIENT, strikes=3))
    assert [fault["struck_out"] for fault in played.record["faults"]].count(True) == len(habits)


@pytest.mark.parametrize("first", ["never_listens", "exits_at_once"])
def test_a_bot_that_does_not_start_beside_one_that_is_struck_out(first: str) -> None:
    played = play(SWAP, {0: Bad(first), 2: Bad("empty", EVERY_KIND)}, replace(EAGER, strikes=3))
    assert played.record["placing"] == [3, 1, 2]


def test_a_bot_does_not_remember_a_board_from_another_seating() -> None:
    """A new sitting has new processes and new scratch, even for the same bots."""
    for _ in range(2):
        play(SWAP, {0: Bad("remembers"), 1: Bad("remembers"), 2: Bad("remembers")})


def test_an_enormous_message_is_not_held_in_the_referees_memory() -> None:
    code = """
        import resource
        from tests.test_faults import Bad, PLAY, SWAP, play
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        play(SWAP, {seat: Bad("enormous", (PLAY,)) for seat in range(3)})
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        cwd=BOTS.parent.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(done.stdout) < 50 * 1024  # KiB


def test_a_busy_machine_is_not_blamed_on_a_bot(monkeypatch: pytest.MonkeyPatch) -> None:
    """The referee itself comes late, by more than the margin, when the bot has long answered."""
    bots = {1: Bad("just_in_time", (GIVE, PLAY))}
    _, expected = accounted(SWAP, bots, HASTY.strikes)
    send = BotPlayer._send

    async def send_and_fall_asleep(player: BotPlayer, view: View) -> None:
        await send(player, view)
        if view.decision in expected.decisions[1]:
            asyncio.get_running_loop().call_soon(time.sleep, 2.0)

    monkeypatch.setattr(BotPlayer, "_send", send_and_fall_asleep)
    played = play(SWAP, bots, HASTY)
    assert played.record["faults"] == []
    assert played.busy == 2


def test_decisions_are_timed_finer_than_a_millisecond() -> None:
    """The event loop's own clock is not: most decisions of a quick bot would take none, or one."""
    clock = play(SWAP, {}).record["clock"]
    assert any(round(seat["slowest_s"] * 1e6) % 1000 for seat in clock)


# The whole

ALONE = [(habit, seat) for habit in (*KINDS, *SENT, *HARMLESS) for seat in range(3)]


def every_two_together(habits: Sequence[str]) -> list[tuple[str, str, str]]:
    """Triples of habits in which every two come together, found greedily."""
    left = {frozenset(pair) for pair in combinations(habits, 2)}
    rows = []
    while left:
        first, second = sorted(next(iter(sorted(map(sorted, left)))))
        third = max(habits, key=lambda habit: len({frozenset((habit, first)), frozenset((habit, second))} & left))
        rows.append((first, second, third))
        left -= {frozenset(pair) for pair in combinations(rows[-1], 2)}
    return rows


@pytest.mark.long
@pytest.mark.exhaustive
@pytest.mark.parametrize(("habit", "seat"), ALONE)
def test_each_habit_alone_in_each_seat_and_kind_of_turn(habit: str, seat: int) -> None:
    for rules, kinds in ((SWAP, EVERY_KIND), (CLAIMS, (CLAIM, GIVE_BACK, DECLARE, DISCARD, PLAY))):
        on = ONLY_IN.get(habit, kinds)
        play(rules, {seat: Bad(habit, on)}, limits_for([habit]))


@pytest.mark.long
@pytest.mark.exhaustive
@pytest.mark.parametrize("seat", range(3))
@pytest.mark.parametrize("habit", NEVER_STARTS)
def test_each_bot_that_does_not_start_alone_in_each_seat(habit: str, seat: int) -> None:
    play(CLAIMS, {seat: Bad(habit)}, EAGER)


@pytest.mark.long
@pytest.mark.exhaustive
@pytest.mark.parametrize("habits", every_two_together([*QUICK, *SLOW]), ids="+".join)
def test_every_two_habits_together(habits: tuple[str, str, str]) -> None:
    """Where they sit, and in which kinds of turn, goes round."""
    turn = sum(map(len, habits))
    rules, kinds = STAGES[turn % 3]
    bots = {(place + turn // 3) % 3: Bad(habit, kinds) for place, habit in enumerate(habits)}
    play(rules, bots, limits_for(habits))


def limits_for(habits: Iterable[str]) -> Limits:
    """As little time as leaves each habit's fault the one that it is."""
    if not set(habits) & set(SLOW):
        return PATIENT
    return replace(HASTY, move_time_s=5.0) if set(habits) & set(HEAVY) else HASTY
