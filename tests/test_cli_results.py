"""Rankings, reports, exported and verified records, logs."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import zlib
from pathlib import Path

import fastjsonschema
import pytest

from arena import reports
from arena.journal import Journal
from arena.league import begin_league
from arena.options import Wish
from tests.home import CommandLine, played_league, store_with

SCHEMA = json.loads(Path(str(reports.__file__)).with_name("report.schema.json").read_text("utf-8"))


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    return CommandLine(tmp_path / "home", capsys, monkeypatch)


@pytest.fixture
def played(tmp_path: Path) -> Journal:
    return played_league(tmp_path)


def test_rankings_for_people_fit_80_columns_without_colour(
    run: CommandLine, played: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    code, out, _ = run("rankings", "demo")
    assert code == 0
    assert "\x1b" not in out
    lines = out.splitlines()
    assert max(map(len, lines[:-1])) <= 80
    assert lines[0] == "League demo: 12 matches on 2 boards"
    for words in (
        "Finished ahead, of 100 matches together",
        "Points a round",
        "third hand",
        "Bots ran without isolation",
    ):
        assert words in out
    monkeypatch.setenv("COLUMNS", "140")
    assert "95 % interval" in run("rankings", "demo")[1]


def test_rankings_as_json_keep_to_the_schema(run: CommandLine, played: Journal) -> None:
    document = json.loads(run("rankings", "demo", "--json")[1])
    fastjsonschema.compile(SCHEMA)(document)
    assert [row["rank"] for row in document["standings"]] == [1, 2, 3]
    assert {row["bot"] for row in document["standings"]} == {"ada", "bob", "cyd"}
    assert sum(row["firsts"] for row in document["standings"]) == document["league"]["matches"]["played"] == 12
    assert document["league"]["seed"] == (b"s" * 32).hex()
    run("report", "demo")
    assert json.loads((played.folder / "report.json").read_text("utf-8")) == document


def test_the_schema_refuses_what_is_not_a_report(run: CommandLine, played: Journal) -> None:
    check = fastjsonschema.compile(SCHEMA)
    document = json.loads(run("rankings", "demo", "--json")[1])
    for path, value in {("format",): "x", ("standings", 0, "mu"): 3, ("league", "matches", "played"): -1}.items():
        broken = json.loads(json.dumps(document))
        *front, last = path
        part = broken
        for key in front:
            part = part[key]
        part[last] = value
        with pytest.raises(fastjsonschema.JsonSchemaValueException):
            check(broken)


def test_the_seed_is_shown_when_the_league_is_over_and_its_commitment_before(run: CommandLine, tmp_path: Path) -> None:
    journal = begin_league(store_with(tmp_path, "ada", "bob", "cyd"), "demo", Wish(boards=2, sandbox="none"), b"s" * 32)
    document = json.loads(run("rankings", "demo", "--json")[1])
    fastjsonschema.compile(SCHEMA)(document)
    assert document["league"]["seed"] is None
    assert re.fullmatch("[0-9a-f]{64}", document["league"]["commitment"])
    assert [row["rank"] for row in document["standings"]] == [None] * 3
    assert "not over yet" in run("rankings", "demo")[1]
    assert "0 of 12" in run("leagues")[1]
    assert journal.seed.hex() not in run("rankings", "demo")[1]


def test_rankings_as_csv(run: CommandLine, played: Journal) -> None:
    rows = list(csv.DictReader(io.StringIO(run("rankings", "demo", "--csv")[1])))
    assert [row["rank"] for row in rows] == ["1", "2", "3"]
    assert sum(int(row["matches"]) for row in rows) == 36


def test_export_and_verify(run: CommandLine, played: Journal, tmp_path: Path) -> None:
    out = run("export", "demo")[1]
    records = [json.loads(line) for line in out.splitlines()]
    assert [record["match"] for record in records] == [
        f"demo/{board}/{seat}" for board in range(2) for seat in range(6)
    ]
    path = tmp_path / "records.jsonl"
    path.write_text(out)
    assert run("verify", path) == (0, "12 matches verified\n", "")
    assert run("verify", "demo") == (0, "12 matches verified\n", "")
    path.write_text("")
    assert run("verify", path) == (1, "", f"{path} holds no record\n")


def test_verify_finds_a_changed_card_and_placing_in_a_file(run: CommandLine, played: Journal, tmp_path: Path) -> None:
    records = [json.loads(line) for line in run("export", "demo")[1].splitlines()]
    records[1]["placing"] = records[1]["placing"][::-1]
    cards = records[2]["rounds"][0]["tricks"][3]["cards"]
    cards[0], cards[1] = cards[1], cards[0]
    (tmp_path / "records.jsonl").write_text("\n".join(map(json.dumps, records)) + "\nnonsense\n")
    code, _, err = run("verify", tmp_path / "records.jsonl")
    assert code == 1
    assert [line.split(":")[0] for line in err.splitlines()] == ["line 2", "line 3", "line 13", err.splitlines()[-1]]
    assert err.splitlines()[-1] == "3 of 13 matches do not hold"


def test_verify_finds_a_match_that_is_in_a_file_twice(run: CommandLine, played: Journal, tmp_path: Path) -> None:
    lines = run("export", "demo")[1].splitlines()
    path = tmp_path / "records.jsonl"
    path.write_text("\n".join([*lines, lines[2]]) + "\n")
    code, out, err = run("verify", path)
    assert (code, out) == (1, "")
    assert err.splitlines() == ["line 13: demo/0/2 stands in line 3 already", "1 of 13 matches does not hold"]
    path.write_text(lines[2])
    assert run("verify", path) == (0, "1 match verified\n", "")


@pytest.mark.parametrize("text", [b'{"clock": NaN}', b"[" * 100_000])
def test_what_is_no_json_in_the_journal_is_one_sentence(run: CommandLine, played: Journal, text: bytes) -> None:
    played.store.change("UPDATE records SET record = ? WHERE match = 1", zlib.compress(text))
    code, _, err = run("verify", "demo")
    assert (code, err.count("\n")) == (2, 1)
    assert "a record in arena.sqlite is damaged" in err


def test_verify_finds_what_was_changed_in_the_journal(run: CommandLine, played: Journal) -> None:
    played.store.change("UPDATE matches SET place0 = 4 - place0 WHERE board = 0 AND seating = 3")
    code, _, err = run("verify", "demo")
    assert code == 1
    assert "demo/0/3: the figures in the journal are not the record's" in err
    played.store.change("UPDATE leagues SET seed = x'00'")
    assert "its seed is not the league's for that number" in run("verify", "demo")[2]


def test_deleting_a_league(run: CommandLine, played: Journal) -> None:
    assert run("delete", "demo")[0] == 0
    assert run("rankings", "demo")[0] == 2
    assert not played.folder.exists()


@pytest.mark.parametrize(("end", "code"), [(PermissionError(13, "Permission denied"), 2), (KeyboardInterrupt(), 3)])
def test_a_league_is_there_until_the_last_of_its_files_is_gone(
    run: CommandLine, played: Journal, monkeypatch: pytest.MonkeyPatch, end: BaseException, code: int
) -> None:
    run("report", "demo")

    def stopped(folder: Path) -> None:
        (folder / "report.html").unlink()
        raise end

    with monkeypatch.context() as patch:
        patch.setattr(shutil, "rmtree", stopped)
        assert run("delete", "demo")[0] == code
    assert run("verify", "demo")[:2] == (0, "12 matches verified\n")
    assert run("report", "demo")[0] == 0
    assert run("delete", "demo")[0] == 0
    assert not played.folder.exists()


def test_what_authors_wrote_does_not_reach_the_terminal_raw(run: CommandLine, played: Journal) -> None:
    played.store.change("UPDATE bots SET disqualified = ?", "\x1b[31m[bold]red[/] \u202egnol")
    for out in (run("bots")[1], run("rankings", "demo")[1]):
        assert "\x1b" not in out
        assert "\u202e" not in out
        assert "[bold]red[/]" in out.replace("\n", "").replace(" ", "")
