"""The store and the journal: each match once, nothing lost, and a sentence when the file can't be used."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from arena.journal import Journal, LeagueError, begin, delete, leagues, mean_think_s
from arena.league import begin_league, to_play
from arena.options import Wish
from arena.store import OutOfSpace, Store, StoreError
from referee.sandbox import SandboxError, bubblewrap
from referee.table import Played
from tests.home import SAMPLES, RandomHall, arena, store_with

ROOT = Path(__file__).parents[1]


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    store = store_with(tmp_path, "ada", "bob", "cyd")
    return begin_league(store, "demo", Wish(boards=2, sandbox="none"), bytes(range(32)))


def fill(journal: Journal, matches: int | None = None) -> None:
    hall = RandomHall()
    pairs = [(sitting, board) for sitting in to_play(journal) for board in sitting.boards]
    for sitting, board in pairs[:matches]:
        assert journal.add(hall.play(sitting, board))


def test_a_match_is_entered_once(journal: Journal) -> None:
    fill(journal, 3)
    (sitting, *_) = to_play(journal)
    again = RandomHall().play(sitting, sitting.boards[0])
    assert journal.add(again)
    assert not journal.add(again)
    assert journal.played() == 4
    assert journal.planned() == 12


def test_records_come_back_in_the_order_of_the_schedule(journal: Journal) -> None:
    hall = RandomHall()
    pairs = [(sitting, board) for sitting in to_play(journal) for board in sitting.boards]
    played = [hall.play(*pair) for pair in pairs]
    for one in reversed(played):
        journal.add(one)
    names = [record["match"] for record in journal.records()]
    assert names == [f"demo/{board}/{seating}" for board in range(2) for seating in range(6)]
    by_name = {one.record["match"]: one.record for one in played}
    assert all(record == by_name[record["match"]] for record in journal.records())
    assert to_play(journal) == []


def test_a_reopened_store_has_everything(journal: Journal) -> None:
    fill(journal, 5)
    plan = journal.plan()
    journal.store.close()
    with Store(journal.store.home) as store:
        again = Journal(store, "demo")
        assert (again.options, again.seed, again.members) == (journal.options, journal.seed, journal.members)
        assert again.played() == 5
        assert again.plan() == plan
        assert [found.name for found in leagues(store)] == ["demo"]
        think_s = mean_think_s(store)
        assert think_s == pytest.approx(1.5)


def test_half_a_match_is_never_there(journal: Journal) -> None:
    (sitting, *_) = to_play(journal)
    played = RandomHall().play(sitting, sitting.boards[0])
    fault = {"seat": 0, "kind": "timeout", "struck_out": False}
    broken = Played({**played.record, "faults": [fault]}, ({"output": object()},))
    with pytest.raises(TypeError):
        journal.add(broken)
    assert journal.played() == 0
    assert list(journal.records()) == []
    assert journal.add(played)


def test_a_bot_that_fails_all_the_time_does_not_fill_the_disk(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.journal.WHOLE_OUTPUTS", 4)
    fault = {"seat": 0, "kind": "timeout", "struck_out": False}
    note = {"why": "late", "output": "x" * 60_000 + "end"}
    for sitting in to_play(journal):
        if sitting.seats[0].name == "ada":
            for board in sitting.boards:
                record = RandomHall().play(sitting, board).record
                assert journal.add(Played({**record, "faults": [fault] * 3}, (note,) * 3))
    kept = [note for board in range(2) for seating in (0, 1) for note in journal.record(board, seating)[1]]
    assert sorted(len(note["output"]) for note in kept) == [1000] * 8 + [60_003] * 4
    assert all(note["output"].endswith("end") and note["why"] == "late" for note in kept)


def test_unknown_leagues_and_matches_have_a_sentence(journal: Journal) -> None:
    with pytest.raises(LeagueError, match="there is no league 'nope'"):
        Journal(journal.store, "nope")
    with pytest.raises(LeagueError, match="demo/0/0 was not played"):
        journal.record(0, 0)
    with pytest.raises(LeagueError, match="there is a league demo already"):
        begin(journal.store, "demo", journal.options, b"", [], journal.plan())


def test_a_deleted_league_is_gone_and_the_others_stay(journal: Journal) -> None:
    fill(journal, 2)
    other = begin_league(journal.store, "other", Wish(boards=1, sandbox="none"), bytes(32))
    fill(other, 1)
    delete(journal)
    assert [found.name for found in leagues(journal.store)] == ["other"]
    assert not journal.folder.exists()
    for table, rows in {"matches": 1, "records": 1, "boards": 1, "entrants": 3}.items():
        assert journal.store.row(f"SELECT count(*) FROM {table}") == (rows,)


def test_one_runner_at_a_time(journal: Journal) -> None:
    script = (
        "import sys; from pathlib import Path; from arena.store import Store; from arena.journal import Journal\n"
        "with Journal(Store(Path(sys.argv[1])), 'demo').running(): print('in'); sys.stdout.flush(); sys.stdin.read()"
    )
    home = str(journal.store.home)
    with subprocess.Popen(
        [sys.executable, "-c", script, home], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as runner:
        assert runner.stdout
        assert runner.stdout.readline() == "in\n"
        assert journal.runner == str(runner.pid)
        with pytest.raises(LeagueError, match=f"league demo is being run by process {runner.pid}"), journal.running():
            pass
        runner.kill()
    assert journal.runner is None
    with journal.running():
        pass


def test_a_foreign_database_is_left_alone(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "arena.sqlite") as other:
        other.execute("CREATE TABLE recipes (name)")
    other.close()
    before = (tmp_path / "arena.sqlite").read_bytes()
    with pytest.raises(StoreError, match="belongs to another program"):
        Store(tmp_path)
    assert (tmp_path / "arena.sqlite").read_bytes() == before


def test_a_newer_database_is_not_touched(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        store.change("PRAGMA user_version = 99")
    with pytest.raises(StoreError, match="has format 99 and this arena reads format"):
        Store(tmp_path)


def test_what_is_no_database_has_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "arena.sqlite").write_bytes(b"not a database, not at all" * 100)
    with pytest.raises(StoreError, match="is damaged"):
        Store(tmp_path)


def test_a_damaged_database_has_a_sentence(journal: Journal) -> None:
    fill(journal)
    journal.store.close()
    path = journal.store.path
    content = bytearray(path.read_bytes())
    for start in range(8192, len(content) - 2000, 4096):
        content[start : start + 2000] = b"\xff" * 2000
    path.write_bytes(content)
    done = arena(journal.store.home, "export", "demo")
    assert done.returncode == 2
    assert "is damaged" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ("UPDATE leagues SET options = '{\"boards\": 2'", "a league's options"),
        ('UPDATE versions SET manifest = \'{"name": "ada"}\'', "a bot's manifest"),
        ("UPDATE records SET record = x'00'", "a record"),
    ],
)
def test_what_makes_no_sense_in_the_database_has_a_sentence(journal: Journal, change: str, what: str) -> None:
    fill(journal)
    journal.store.change(change)
    done = arena(journal.store.home, "export", "demo")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert done.stderr.startswith(f"{what} in arena.sqlite is damaged")


def test_a_home_that_can_not_be_made_has_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = arena(tmp_path / "file" / "home", "submit", tmp_path)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "choose another with --home" in done.stderr


def walled(*options: str | Path) -> list[str]:
    """A command line that shows a program another file system: a full or a read-only disk."""
    try:
        return [bubblewrap(), "--dev-bind", "/", "/", *map(str, options)]
    except SandboxError:
        pytest.skip("needs bubblewrap")


def test_a_full_disk_loses_nothing(journal: Journal, tmp_path: Path) -> None:
    fill(journal, 1)
    journal.store.close()
    small = tmp_path / "small"
    small.mkdir()
    script = (
        "import shutil, sys; from pathlib import Path; from tests.test_store import *\n"
        "home = Path(sys.argv[2]) / 'home'; shutil.copytree(sys.argv[1], home)\n"
        "journal = Journal(Store(home), 'demo')\n"
        "(home.parent / 'ballast').write_bytes(bytes(600_000))\n"
        "try:\n    fill(journal)\n"
        "except OutOfSpace as full:\n    print(full)\n"
        "before = journal.played(); (home.parent / 'ballast').unlink()\n"
        "fill(journal); print(before, journal.played(), len(list(journal.records())))"
    )
    size = sum(path.stat().st_size for path in journal.store.home.rglob("*") if path.is_file())
    wall = walled("--size", str(size + 800_000), "--tmpfs", small)
    done = subprocess.run(
        [*wall, sys.executable, "-c", script, journal.store.home, small],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr
    sentence, counts = done.stdout.splitlines()
    assert "no space is left for" in sentence
    before, after, records = map(int, counts.split())
    assert 1 <= before < 12
    assert after == records == 12


def in_read_only(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Runs a command in a folder beside a home that lies on a disk which can only be read."""
    (elsewhere := home.with_name("elsewhere")).mkdir(exist_ok=True)
    command = [*walled("--ro-bind", home, home), sys.executable, "-m", "arena", "--home", str(home), *words]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=elsewhere, env=environment)


@pytest.mark.parametrize("running", [False, True])
def test_a_home_that_can_only_be_read_is_read(journal: Journal, running: bool) -> None:
    fill(journal)
    if not running:  # else its log lies beside the file, with what is not in the file yet
        journal.store.close()
    home = journal.store.home
    before = sorted(path.name for path in home.rglob("*"))
    for words, sentence in {
        ("bots",): "ada",
        ("leagues",): "12 of 12",
        ("rankings", "demo"): "12 matches on 2 boards",
        ("show", "demo/1/5"): "Round 1",
        ("verify", "demo"): "12 matches verified",
        ("compare", "ada", "bob", "demo"): "they met on 2 boards",
        ("report", "demo"): f"Report: {home.with_name('elsewhere')}/demo/report.html",
    }.items():
        done = in_read_only(home, *words)
        assert (done.returncode, done.stderr) == (0, "")
        assert sentence in done.stdout
    assert sorted(path.name for path in home.rglob("*")) == before


@pytest.mark.parametrize(
    "words",
    [("withdraw", "ada"), ("run", "cup"), ("delete", "demo"), ("submit", "--no-check", str(SAMPLES / "random"))],
)
def test_what_changes_a_home_that_can_only_be_read_has_a_sentence(journal: Journal, words: tuple[str, ...]) -> None:
    journal.store.close()
    done = in_read_only(journal.store.home, *words)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert f"{journal.store.home} can't be written: choose another folder with --home" in done.stderr


def test_out_of_space_is_told_from_other_errors(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        pages = store.row("PRAGMA page_count")
        assert pages
        store.change(f"PRAGMA max_page_count = {pages[0]}")
        with pytest.raises(OutOfSpace, match="no space is left"):
            store.change("INSERT INTO versions VALUES ('d', 's', ?, 't')", "x" * 100_000)
        assert store.row("SELECT count(*) FROM versions") == (0,)
