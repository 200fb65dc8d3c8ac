"""``arena replay-turn``: a question of a recorded match asked again of a bot in a folder."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena.cli import arena as command
from arena.logs import at
from arena.terminal import run_command
from protocol.view import TurnKind
from referee.rules import SETS
from tests.home import SAMPLES, bot_folder
from tests.test_logs import first
from tests.test_show import record_of

Run = Callable[..., tuple[int, str, str]]
RECORD = record_of(SETS["ten-points"])
TURN = first(RECORD, TurnKind.PLAY, lambda match: len(match.round.played) == 7).decision
BOT = (
    "from protocol.bot import Bot, serve\nfrom protocol.cards import Card\nclass It(Bot):\n    def play(self, view):\n"
)


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Asks again at a decision of the record, in this process: exit code, stdout, stderr."""
    (tmp_path / "match.json").write_text(json.dumps(RECORD))

    def run(decision: int, folder: Path, *more: Any) -> tuple[int, str, str]:
        code = run_command(command, ["replay-turn", str(tmp_path / "match.json"), str(decision), str(folder), *more])
        out, err = capsys.readouterr()
        return code, out, err

    return run


def test_the_question_is_shown_and_the_answer_to_it(run: Run) -> None:
    code, out, err = run(TURN, SAMPLES / "high-card")
    assert (code, err) == (0, "")
    match = at(RECORD, TURN)
    view = match.view(match.seat)
    best = max(view.legal_cards, key=lambda card: (card.rank, -card.suit))
    name = RECORD["seats"][view.seat]["bot"]
    assert out.startswith(f"test/7/2, round 1, decision {TURN}: {name} on seat {view.seat}\n")
    assert f"its hand: {view.hand}" in out
    assert f"chosen in the match: {RECORD['rounds'][0]['tricks'][2]['cards'][1]}\n" in out
    assert f"high-card answers {best} after " in out
    assert "  | INFO high-card listens" in out
    assert out.endswith("That is legal.\n")


def test_the_view_is_the_same_but_for_the_bank(run: Run, tmp_path: Path) -> None:
    says = "        print(view.decision, view.seed, view.clock.move_time_s)\n"
    code = f"{BOT}{says}        return super().play(view)\nserve(It)"
    _, out, _ = run(TURN, bot_folder(tmp_path, "it", code))
    match = at(RECORD, TURN)
    assert f"  | {TURN} {match.view(match.seat).seed} {RECORD['limits']['move_time_s']}\n" in out


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        ("        return Card('AS')\nserve(It)", "it: illegal: AS"),
        ("        raise ValueError('\\x1b[31mx')\nserve(It)", "it: error: INTERNAL: ValueError: \\x1b[31mx"),
        ("        import os; os._exit(4)\nserve(It)", "it: crash: exit code 4"),
        ("        pass\nraise SystemExit(5)", "it: start: it ended before it listened on ARENA_SOCKET: exit code 5"),
    ],
)
def test_an_answer_that_is_none_is_exit_code_1(run: Run, tmp_path: Path, code: str, sentence: str) -> None:
    exit_code, out, err = run(TURN, bot_folder(tmp_path, "it", BOT + code))
    assert exit_code == 1
    assert err.startswith(sentence)
    assert err.count("\n") == 1
    assert "its hand" in out
    assert "\x1b" not in out + err


def test_a_record_that_does_not_hold_is_told_beside_the_answer(run: Run, tmp_path: Path) -> None:
    (tmp_path / "match.json").write_text(json.dumps({**RECORD, "placing": RECORD["placing"][::-1]}))
    code, out, err = run(TURN, SAMPLES / "high-card")
    assert code == 1
    assert "high-card answers" in out
    assert err.startswith("this record does not hold: placing, seat 1: ")
    assert err.count("\n") == 1


def test_what_was_never_asked_can_not_be_asked_again(run: Run) -> None:
    only = first_only_choice()
    assert run(only, SAMPLES / "random")[::2] == (
        2,
        f"nobody was asked at decision {only}: {at(RECORD, only).legal()[0]} was the only legal choice\n",
    )
    code, _, err = run(99_999, SAMPLES / "random")
    assert (code, "there is no 99999" in err) == (2, True)


def first_only_choice() -> int:
    return next(decision for decision in range(60) if len(at(RECORD, decision).legal()) == 1)
