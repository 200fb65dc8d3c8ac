"""A league is begun, interrupted, resumed and widened; what it was begun with stays fixed."""

from __future__ import annotations

import itertools
from collections import Counter, deque
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.entrants import disqualify, submit
from arena.journal import Journal, LeagueError
from arena.league import Progress, add_entrant, begin_league, play, run_league, to_play
from arena.live import LiveStandings
from arena.options import Options, Wish, commitment, differences, read_deals
from arena.schedule import ScheduleError
from arena.standings import Standings
from arena.store import OutOfSpace, Store
from arena.workers import Ended, Lost, Workers
from referee.deal import board_seed, write_deal
from referee.errors import RulesError
from referee.match import Match
from referee.record import verify
from referee.sitting import Sitting
from referee.table import Played
from tests.home import RandomHall, bot_folder, no_build, store_with

SEED = bytes(range(32))


def begun(store: Store, name: str = "demo", **asked: Any) -> Journal:
    return begin_league(store, name, Wish(**{"boards": 2, "seed": SEED, "sandbox": "none", **asked}), b"")


def finish(journal: Journal, hall: Any = None) -> list[Progress]:
    shown: list[Progress] = []
    play(journal, deque(to_play(journal)), hall or RandomHall(), journal.planned(), shown.append)
    return shown


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return store_with(tmp_path, "ada", "bob", "cyd", "dan")


def test_every_board_is_played_in_all_six_seatings_with_the_same_cards(store: Store) -> None:
    journal = begun(store)
    finish(journal)
    records = list(journal.records())
    assert len(records) == journal.planned() == 48
    seats: dict[int, set[tuple[str, ...]]] = {}
    deals: dict[int, set[str]] = {}
    for record in records:
        number = record["board"]["number"]
        assert record["board"]["seed"] == board_seed(SEED, number).hex()
        seats.setdefault(number, set()).add(tuple(seat["bot"] for seat in record["seats"]))
        deals.setdefault(number, set()).add(str(record["rounds"][0]["deal"]))
        verify(record, SEED)
    for number, triple in journal.plan().boards:
        assert seats[number] == set(itertools.permutations(triple))
        assert len(deals[number]) == 1


def test_a_sitting_is_one_seating_of_one_triple(store: Store) -> None:
    for sitting in to_play(begun(store)):
        assert len(sitting.boards) == len({board.number for board in sitting.boards}) == 2
        assert all(seated.program and seated.program.folder.is_dir() for seated in sitting.seats)


def test_progress_counts_matches(store: Store) -> None:
    journal = begun(store)
    shown = finish(journal)
    assert [progress.done for progress in shown] == sorted(progress.done for progress in shown)
    assert shown[-1].done == shown[-1].total == shown[-1].played == 48
    assert Progress(10, 30, 10, 5.0).rate == 2
    assert Progress(10, 30, 10, 5.0).left_s == 10
    assert Progress(0, 30, 0, 0.0).left_s is None


class Stops(RandomHall):
    """A hall that is interrupted after some matches."""

    def __init__(self, matches: int) -> None:
        super().__init__(jobs=2)
        self.left = matches

    def news(self, timeout_s: float) -> list[Played | Ended | Lost]:
        if not self.left:
            raise KeyboardInterrupt
        self.left -= 1
        return super().news(timeout_s)


def picture(standings: Standings) -> str:
    return repr(standings)


def test_interrupted_anywhere_and_resumed_it_ends_as_if_undisturbed(store: Store) -> None:
    whole = begun(store, "whole")
    finish(whole)
    parts = begun(store, "parts")
    for matches in itertools.cycle((1, 7, 3)):
        try:
            finish(parts, Stops(matches))
            break
        except KeyboardInterrupt:
            parts = Journal(store, "parts")
    assert repr(LiveStandings(parts).now()) == repr(LiveStandings(whole).now())
    for one, other in zip(whole.records(), parts.records(), strict=True):
        assert {**one, "match": None} == {**other, "match": None}


def test_a_resumed_sitting_plays_its_missing_boards_only(store: Store) -> None:
    journal = begun(store, boards=3)
    first = to_play(journal)[0]
    journal.add(RandomHall().play(first, first.boards[1]))
    assert [board.number for board in to_play(journal)[0].boards] == [first.boards[0].number, first.boards[2].number]


class Deadly(RandomHall):
    """A hall in which one seating's worker always dies at its second board."""

    def begin(self, sitting: Sitting) -> None:
        super().begin(sitting)
        if sitting.seating == 4:
            _, news = self._news[-1]
            news[-2:] = [Lost(sitting, "its worker process ended with signal SIGKILL")]


def test_a_sitting_that_kills_its_worker_three_times_is_set_aside_with_its_reason(tmp_path: Path) -> None:
    journal = begun(store_with(tmp_path, "ada", "bob", "cyd"))
    hall = Deadly()
    finish(journal, hall)
    assert Counter(sitting.seating for sitting in hall.begun) == {0: 1, 1: 1, 2: 1, 3: 1, 4: 3, 5: 1}
    assert journal.aside() == [(1, 4, "its worker process ended with signal SIGKILL")]
    assert journal.played() == 11
    journal.clear_aside()
    finish(journal)
    assert journal.played() == 12


def test_a_worker_that_dies_after_its_last_match_costs_nothing(tmp_path: Path) -> None:
    class DiesLate(RandomHall):
        def begin(self, sitting: Sitting) -> None:
            super().begin(sitting)
            _, news = self._news[-1]
            news[-1] = Lost(sitting, "signal SIGKILL")

    journal = begun(store_with(tmp_path, "ada", "bob", "cyd"))
    hall = DiesLate()
    finish(journal, hall)
    assert (journal.played(), len(hall.begun), journal.aside()) == (12, 6, [])


def test_no_space_for_the_bots_stops_the_league(store: Store) -> None:
    class Full(RandomHall):
        def begin(self, sitting: Sitting) -> None:
            self._news.append((sitting, [Lost(sitting, "OSError: no space", no_space=True)]))

    with pytest.raises(OutOfSpace, match="no space is left for the bots"):
        finish(begun(store), Full())


# What is fixed


@pytest.mark.parametrize(
    ("asked", "difference"),
    [
        ({"boards": 3}, "--boards 2 (not 3)"),
        ({"seatings": 3}, "--seatings 6 (not 3)"),
        ({"design": "all"}, "--design balanced (not all)"),
        ({"seed": bytes(8)}, "another --seed"),
        ({"move_time_s": 2.0}, "--move-time 1 (not 2)"),
        ({"bank_s": 0.0}, "--bank 10 (not 0)"),
        ({"strikes": 1}, "--strikes 3 (not 1)"),
        ({"freeze": False}, "--freeze yes (not no)"),
        ({"sandbox": "require"}, "--sandbox none (not require)"),
        ({"bots": ("ada", "bob", "cyd")}, "--bots ada,bob,cyd,dan"),
        ({"deals": (("x",),)}, "other given deals (--deals)"),
        ({"rules": "announcer"}, "the rules set=ten-points (not announcer), first_lead=forehand (not dealer), "),
        ({"overrides": {"points_to_win": "12"}}, "the rules points_to_win=10 (not 12)"),
    ],
)
def test_another_option_than_at_the_start_is_told(store: Store, asked: dict[str, Any], difference: str) -> None:
    journal = begun(store)
    options = Options.from_json(journal.options)
    names = [member.name for member in journal.members]
    (told,) = differences(options, journal.seed, names, Wish(**asked))
    assert told.startswith(difference)


def test_the_same_options_and_none_at_all_carry_on(store: Store) -> None:
    asked = {"boards": 2, "seed": SEED, "rules": "ten-points", "move_time_s": 1.0, "sandbox": "none", "freeze": True}
    journal = begun(store, **asked)
    options = Options.from_json(journal.options)
    for wish in (Wish(), Wish(**asked), Wish(sandbox="auto"), Wish(bots=("dan", "cyd", "bob", "ada"))):
        assert list(differences(options, journal.seed, ["ada", "bob", "cyd", "dan"], wish)) == []


def test_entrants_keep_the_version_that_they_entered_with(store: Store, tmp_path: Path) -> None:
    journal = begun(store)
    before = [member.version for member in journal.members]
    submit(store, bot_folder(tmp_path / "authors", "ada", "# better"), False, no_build)
    assert [member.version for member in Journal(store, "demo").members] == before
    finish(journal)
    later = begun(store, "later")
    assert later.members[0].version != before[0]


def test_a_later_entrant_gets_boards_of_its_own_after_the_others(store: Store) -> None:
    journal = begun(store, bots=("ada", "bob", "cyd"))
    finish(journal)
    journal.end()
    before = journal.plan().boards
    wider = add_entrant(journal, "dan")
    assert wider.plan().boards[: len(before)] == before
    assert all("dan" in triple for _, triple in wider.plan().boards[len(before) :])
    assert wider.ended is None
    assert [member.name for member in wider.late] == ["dan"]
    finish(wider)
    assert {row.entry.name: row.matches for row in LiveStandings(wider).now().rows}["dan"] > 0
    with pytest.raises(ScheduleError, match="dan is in this league already"):
        add_entrant(wider, "dan")


def test_nobody_enters_a_league_that_is_being_run(store: Store) -> None:
    journal = begun(store, bots=("ada", "bob", "cyd"))
    with journal.running(), pytest.raises(LeagueError, match="is being run by process"):
        add_entrant(journal, "dan")
    assert len(Journal(store, "demo").members) == 3


def test_a_remote_bot_has_one_seating_a_board(store: Store, tmp_path: Path) -> None:
    folder = tmp_path / "far"
    folder.mkdir()
    (folder / "bot.toml").write_text('name="far"\nauthor="Eve"\naddress="example.org:5000"\ntls=true\ntoken_file="t"')
    (folder / "t").write_text("x" * 16)
    submit(store, folder, False, no_build)
    journal = begun(store, bots=("ada", "bob", "far"))
    assert journal.options["seatings"] == 1
    (far,) = {seated for sitting in to_play(journal) for seated in sitting.seats if seated.name == "far"}
    assert (far.program, far.address, far.tls, far.token) == (None, "example.org:5000", True, "x" * 16)
    assert begun(store, "six", bots=("ada", "bob", "far"), seatings=6).options["seatings"] == 6


def test_given_deals_go_to_the_first_boards(store: Store) -> None:
    rnd = Match(Options.from_json(begun(store).options).rules, bytes(32)).round
    deal = write_deal(rnd.deal, rnd.dealer)
    journal = begun(store, "given", deals=read_deals(f"# an old deal\n{deal}\n\n{deal} # again\n{deal}\n"))
    boards = {board.number: board.deals for sitting in to_play(journal) for board in sitting.boards}
    assert boards[0] == (deal,)
    assert boards[1] == (deal, deal)
    assert boards[2] == ()


def test_deals_that_can_not_be_read_are_refused_with_their_line(store: Store) -> None:
    with pytest.raises(LeagueError, match="line 2 of the deals: a deal is three hands"):
        read_deals("\nAKQ.JT9.8.2\n")
    many = tuple(("x",) for _ in range(9))
    with pytest.raises(LeagueError, match="deals for 9 boards, and the league has 8"):
        begun(store, deals=many)


@given(st.text(max_size=200))
def test_any_text_is_read_as_deals_or_refused(text: str) -> None:
    try:
        boards = read_deals(text)
    except LeagueError as error:
        assert "of the deals" in str(error)
    else:
        assert all(boards)


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"bots": ("ada", "bob")}, "at least three entrants"),
        ({"bots": ()}, "at least three entrants"),
        ({"bots": ("ada", "bob", "ada")}, "ada is named 2 times"),
        ({"bots": ("ada", "bob", "eve")}, "there is no bot 'eve'"),
        ({"rules": "whist"}, "there is no rule set 'whist'"),
        ({"move_time_s": float("nan")}, "--move-time can't be nan"),
        ({"bank_s": -1.0}, "--bank can't be -1"),
        ({"seed": b"short"}, "--seed must have 16 to 128 hex digits"),
    ],
)
def test_a_league_that_can_not_be_is_refused_whole(store: Store, asked: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        begun(store, **asked)
    with pytest.raises(LeagueError, match="there is no league"):
        Journal(store, "demo")


@pytest.mark.parametrize("name", ["", "-x", "A", "a/b", "..", "bots", "x" * 33])
def test_a_league_has_a_name_that_makes_a_folder(store: Store, name: str) -> None:
    with pytest.raises(ValueError, match="can't be"):
        begun(store, name)


def test_bots_of_one_team_make_no_league(tmp_path: Path) -> None:
    store = store_with(tmp_path, "ada", "bob", "cyd", team="Blue")
    with pytest.raises(ScheduleError, match="of fewer than three teams"):
        begun(store)


def test_a_disqualified_bots_row_is_set_apart(store: Store) -> None:
    journal = begun(store)
    finish(journal)
    ahead = LiveStandings(journal).now().rows[0].entry.name
    disqualify(store, ahead, "it spied")
    last = LiveStandings(journal).now().rows[-1]
    assert (last.entry.name, last.entry.disqualified, last.rank, last.matches) == (ahead, "it spied", None, 36)


def test_live_standings_are_those_of_all_matches_at_once(store: Store) -> None:
    journal = begun(store)
    live = LiveStandings(journal)
    assert live.now().matches == 0
    hall = RandomHall()
    for sitting in to_play(journal):
        for board in sitting.boards:
            journal.add(hall.play(sitting, board))
        now = live.now()
    assert repr(now) == repr(LiveStandings(journal).now())


def test_files_that_changed_stop_the_league_before_it_begins(store: Store) -> None:
    journal = begun(store)
    path = next((store.home / "bots").rglob("bot.py"))
    path.chmod(0o644)
    path.write_text("import os")
    with pytest.raises(LeagueError, match="are missing or changed"):
        run_league(journal, Workers(1), lambda progress: None)
    assert journal.runner is None


def test_the_commitment_is_sha_256_of_the_seed() -> None:
    assert commitment(b"abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_rules_that_can_not_be_played_are_refused(store: Store) -> None:
    with pytest.raises(RulesError, match="targets 1,1,1 sum to 3"):
        begun(store, overrides={"targets": "1,1,1"})
