"""A match as text: the hands, exchanges, contract, tricks, scores and faults of a record, within 80 columns."""

from __future__ import annotations

import contextlib
import copy
import io
import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from rich.console import Console

from arena.cli import arena as command
from arena.reports.show import SUITS, match_view
from arena.terminal import run_command, writes
from protocol.view import Rules
from referee.deal import board_seed
from referee.errors import RecordError, RulesError
from referee.match import Match
from referee.record import Record, match_record, read_record, verify
from referee.rules import SETS, rules_for
from tests.table_words import play_at_random

LIMITS = {
    "move_time_s": 1.0,
    "bank_s": 10.0,
    "margin_s": 0.1,
    "start_s": 10.0,
    "strikes": 3,
    "freeze": True,
    "sandbox": "none",
}
CLOCK = {"decisions": 40, "think_s": 0.5, "cpu_s": 0.4, "slowest_s": 0.1}
EVERYTHING = rules_for("twelve-tricks", ["no-trump", "misere", "double-payment", "rotating-targets"])


def record_of(rules: Rules, names: tuple[str, str, str] = ("lea", "kim", "max"), number: int = 7) -> Record:
    match = play_at_random(Match(rules, board_seed(b"league seed", number)), number)
    return match_record(
        match,
        name=f"test/{number}/2",
        number=number,
        seats=[{"bot": name, "version": "sha256:0123456789abcdef"} for name in names],
        limits=LIMITS,
        faults=[],
        clock=[CLOCK] * 3,
    )


def shown(record: Record, number: int | None = None, symbols: bool = True, **console: Any) -> str:
    out = io.StringIO()
    settings = {"width": 80, "highlight": False, "markup": False, "emoji": False} | console
    Console(file=out, **settings).print(match_view(record, number, symbols))
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def fault(decision: int | None, seat: int, kind: str = "timeout", **more: Any) -> dict[str, Any]:
    known = {
        "round": None if decision is None else 0,
        "decision": decision,
        "seat": seat,
        "turn": None if decision is None else "play",
        "kind": kind,
        "after_s": None if decision is None else 11.1,
        "detail": "no answer",
        "substitute": None if decision is None else "3C",
        "struck_out": decision is None,
    }
    return known | more


SWAPS = record_of(SETS["ten-points"])
CLAIMS = record_of(SETS["twelve-tricks"])


def test_a_round_of_swaps_reads_like_this() -> None:
    assert (
        shown(SWAPS, 1)
        == """\
test/7/2: ten-points, board 7 in seating 2
seat  bot  version       place  total
   0  lea  0123456789ab  1st      +14
   1  kim  0123456789ab  2nd       -2
   2  max  0123456789ab  3rd      -12

Round 2, dealt by max
            0 lea                 1 kim                 2 max
            forehand, 5           third hand, 3         dealer, 8
          ♠ T9652                 KQ83                  AJ74
          ♥ AQJ875                T93                   K4
          ♦ J654                  A872                  KQT93
          ♣ 8                     KJT73                 AQ964
Kitty       2♥ 6♥ 2♣ 5♣
Exchanges   kim gives J♣ to max and gets A♣
            kim gives 3♣ to max and gets Q♣
            kim gives 8♦ to lea and gets J♦
Contract    ♥
Put aside   A♠ K♥ 3♣ 4♣

lea leads; * won the trick and leads to the next
            1   2   3   4   5   6   7   8   9   10  11  12  13  14  15  16
0 lea       6♠  8♦  Q♥* 5♠  7♥  8♣  9♠* A♥* T♠* J♥* 2♠* 4♦  5♥* 5♦  8♥* 6♦
1 kim       Q♠* 7♦  3♥  K♠* 9♥* T♣* 8♠  T♥  3♠  K♣  2♦  A♦* A♣  J♦* 7♣  Q♣
2 max       J♠  T♦* 6♥  7♠  4♥  9♣  4♠  2♥  2♣  6♣  J♣  Q♦  5♣  3♦  K♦  9♦*

Tricks      8 of 5                6 of 3                2 of 8
Score       +3                    +3                    -6
Total       +2                    +6                    -8
"""
    )


def test_a_round_of_claims_reads_like_this_in_letters() -> None:
    assert (
        shown(CLAIMS, 1, symbols=False)
        == """\
test/7/2: twelve-tricks, board 7 in seating 2
seat  bot  version       place  total
   0  lea  0123456789ab  1st      +14
   1  kim  0123456789ab  2nd       +1
   2  max  0123456789ab  3rd      -15

Round 2, dealt by max
            0 lea                 1 kim                 2 max
            forehand, 5           third hand, 3         dealer, 8
          S T9652                 KQ83                  AJ74
          H AQJ875                T93                   K4
          D J654                  A872                  KQT93
          C 8                     KJT73                 AQ964
Kitty       2H 6H 2C 5C
Exchanges   kim claims C of max: gets AC, gives 3C back
            kim claims D of lea: gets JD, gives 2D back
Contract    H
Put aside   JS KH 9D 5C

lea leads; * won the trick and leads to the next
            1   2   3   4   5   6   7   8   9   10  11  12  13  14  15  16
0 lea       8C  5D  TS  5S  JH* 6D  8H* QH* 4D  AH* 2D  7H  9S  6S* 2S  5H*
1 kim       JC  7D  KS* QS  7C  8D  KC  TH  JD* 3H  AD* 9H* AC* 3S  8S* TC
2 max       QC* TD* 7S  AS* 2C  KD* 9C  4H  3D  6H  QD  2H  6C  4S  4C  3C

Tricks      6 of 5                6 of 3                4 of 8
Score       +1                    +3                    -4
Total       0                     +5                    -5
"""
    )


def test_a_match_has_all_its_rounds_and_its_end() -> None:
    text = shown(SWAPS)
    assert text.count("dealt by") == len(SWAPS["rounds"]) == 8
    assert "Exchanges" not in text[: text.index("Round 2")]
    assert text.endswith(
        "The end after 8 rounds: a total reached the points at which a match ends.\nlea 1st, kim 2nd, max 3rd\n"
    )


@pytest.mark.parametrize("symbols", [True, False])
@pytest.mark.parametrize("rules", [*SETS.values(), EVERYTHING], ids=[*SETS, "all variants"])
def test_every_set_fits_80_columns_and_shows_every_card_played(rules: Rules, symbols: bool) -> None:
    for number in range(2):
        names = ("a-bot-with-a-name-of-32-characters"[:32], "kim", "a-bot-with-another-long-name")
        names = (min(names), "kim", max(names)) if number else names
        record = record_of(rules, names, number)
        text = shown(record, symbols=symbols)
        assert max(map(len, text.splitlines())) <= 80
        assert symbols or text.isascii()
        for index, rnd in enumerate(record["rounds"]):
            lines = shown(record, index, symbols=False).splitlines()
            matrix = lines[lines.index(next(line for line in lines if line.split()[:3] == ["1", "2", "3"])) + 1 :][:3]
            cards = sorted(word.strip("*") for line in matrix for word in line[12:].split())
            assert cards == sorted(card for trick in rnd["tricks"] for card in trick["cards"])
            assert sum(line.count("*") for line in matrix) == rules.tricks


def test_a_claim_that_lapses_and_one_given_straight_back() -> None:
    assert "lea claims ♣ of kim, who has none\n            lea claims ♣ of kim, who has none" in shown(
        record_of(SETS["twelve-tricks"], number=2), 1
    )
    assert "lea claims ♣ of kim: gets K♣, gives K♣ back" in shown(CLAIMS, 6)


def test_a_card_that_bounces_and_misere_with_ceilings() -> None:
    record = record_of(rules_for("ten-points", ["misere"], {"contracts": "MISERE", "max_rounds": "4"}))
    assert " and gets it back" in shown(record)
    assert "Contract    misere" in shown(record)
    assert "of at most" in shown(record, 0)
    record = record_of(rules_for("ten-points", (), {"contracts": "NT"}))
    assert "Contract    no-trump" in shown(record)


def test_a_deal_thrown_in_is_shown_with_its_reason() -> None:
    record = copy.deepcopy(SWAPS)
    record["rounds"][0]["thrown_in"] = [{"deal": "x", "why": "the AS was dealt twice"}]
    assert "Thrown in   the AS was dealt twice" in shown(record, 0)


def test_faults_stand_where_they_happened() -> None:
    record = copy.deepcopy(SWAPS)
    record["faults"] = [
        fault(1, 1, turn="discard", substitute=["2C", "3C", "4C", "5C"]),
        fault(3, 0, kind="crash"),
        fault(None, 0, kind="start", detail="the bot did not start"),
    ]
    text = shown(record, 0)
    lines = text.splitlines()
    assert lines[1:5] == [
        "seat  bot  version       place            total",
        "   0  lea  0123456789ab  1st, struck out    +14",
        "   1  kim  0123456789ab  2nd                 -2",
        "   2  max  0123456789ab  3rd                -12",
    ]
    assert "! lea: start, the bot did not start; with this it was struck out" in lines
    assert next(line for line in lines if line.startswith("Put aside")).endswith("!")
    first = {row.split()[1]: row[12:16] for row in lines if row[:2] in ("0 ", "1 ", "2 ")}
    assert [seat for seat, cell in first.items() if "!" in cell] == ["lea"]
    words = " ".join(text.split())
    assert "! lea, asked to play at decision 3: crash, no answer after 11.100 s; the stand-in chose 3♣" in words
    assert "the stand-in chose 2♣ 3♣ 4♣ 5♣" in words
    assert "!" not in shown(record, 1)


def test_a_fault_in_a_claim_is_told_from_one_in_giving_back() -> None:
    record = copy.deepcopy(CLAIMS)
    second_round = 1 + 1 + 3 * 16
    for decision, marked in {0: "claims ♣! of max: gets A♣, gives 3♣ back", 3: "gets J♦, gives 2♦! back"}.items():
        record["faults"] = [fault(second_round + decision, 1, round=1, turn="give_back", substitute="2D")]
        assert marked in shown(record, 1)


def test_the_same_bot_twice_is_told_apart_by_its_seats() -> None:
    text = shown(record_of(SETS["ten-points"], ("max", "kim", "max")), 1)
    assert "Round 2, dealt by max (seat 2)" in text
    assert "kim gives J♣ to max (seat 2) and gets A♣" in text


def test_colour_is_for_terminals() -> None:
    assert "\x1b" not in shown(SWAPS, 0)
    assert "\x1b[31m" in shown(SWAPS, 0, force_terminal=True, color_system="standard")
    assert "\x1b[31m" not in shown(SWAPS, 0, force_terminal=True, color_system="standard", no_color=True)


def test_suit_symbols_are_for_those_who_can_write_them() -> None:
    assert writes("utf-8", SUITS)
    assert not any(writes(encoding, SUITS) for encoding in ("ascii", "iso-8859-1", "no-such-encoding"))


def test_hostile_text_in_a_file_is_escaped() -> None:
    record = copy.deepcopy(SWAPS)
    evil = "\x1b[31m[bold]\u202ex\n"
    record["rounds"][0]["thrown_in"] = [{"deal": evil, "why": evil}]
    record["faults"] = [fault(2, 2, detail=evil, substitute=evil[:6])]
    record["seats"][0]["version"] = evil
    text = shown(record, 0)
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "\\x1b[31m[bold]\\u202ex\\n" in text


def test_a_record_of_the_right_form_that_makes_no_sense_is_shown_or_refused_with_a_sentence() -> None:
    dice = Random(358)
    values = [None, 0, 2, -1, 17, "AS", "S", "MISERE", "...", [], ["AS", "AS", "KS", "2C"], True]
    well_formed = 0
    for _ in range(400):
        record = copy.deepcopy(dice.choice([SWAPS, CLAIMS]))
        record["rounds"] = record["rounds"][1:3]
        part: Any = record["rounds"][0]
        while isinstance(part, (dict, list)) and part:
            where = dice.choice(list(part)) if isinstance(part, dict) else dice.randrange(len(part))
            if dice.random() < 0.4 or not isinstance(part[where], (dict, list)):
                part[where] = dice.choice(values)
                break
            part = part[where]
        try:
            read_record(json.dumps(record))
        except RecordError:
            continue
        well_formed += 1
        for look in (shown, verify):
            with contextlib.suppress(RecordError, RulesError):
                look(record)
    assert well_formed > 50


# The command


def arena_show(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = run_command(command, ["show", *arguments])
    out, err = capsys.readouterr()
    return code, out, err


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "match.json"
    path.write_text(json.dumps(SWAPS))
    return path


def test_a_record_in_a_file_is_shown(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert arena_show(capsys, str(file)) == (0, shown_by_command(SWAPS), "")
    code, out, _ = arena_show(capsys, str(file), "--round", "2")
    assert (code, "dealt by max" in out, "dealt by kim" in out) == (0, True, False)


def shown_by_command(record: Record) -> str:
    out = io.StringIO()
    Console(file=out, width=80, highlight=False).print(match_view(record))
    return "".join(f"{line.rstrip()}\n" for line in out.getvalue().splitlines())


def test_a_record_that_does_not_hold_is_shown_and_refused(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = copy.deepcopy(SWAPS)
    verify(record)
    record["placing"] = [3, 2, 1]
    file.write_text(json.dumps(record, indent=2))
    code, out, err = arena_show(capsys, str(file))
    assert code == 1
    assert "Round 8" in out
    assert err.startswith("this record does not hold: placing")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("", "this is not JSON"),
        ("[1]", "not of the form of a match record"),
        (json.dumps(SWAPS) + "\n" + json.dumps(CLAIMS) + "\n", "holds several records"),
        (json.dumps(SWAPS | {"rules": SWAPS["rules"] | {"targets": [1, 1, 1]}}), "targets 1,1,1 sum to 3"),
    ],
)
def test_a_file_that_can_not_be_shown_is_one_sentence(
    file: Path, content: str, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_text(content)
    code, _, err = arena_show(capsys, str(file))
    assert (code, err.count("\n")) == (2, 1)
    assert sentence in err


def test_a_round_that_was_not_played_is_one_sentence(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = arena_show(capsys, str(file), "--round", "9")
    assert (code, err) == (2, f"{file} has 8 rounds: there is no round 9\n")
    assert arena_show(capsys, "nothing")[0] == 2
