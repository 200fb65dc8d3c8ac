"""Bots that their authors run elsewhere: dialled over TCP and TLS, with a token; what goes wrong on the way."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.check import check
from arena.connection import connection
from arena.entrants import submit
from arena.league import begin_league
from arena.logs import faults_of
from arena.manifest import Manifest, ManifestError
from arena.options import Wish
from arena.reports.json import remote_note
from referee.deal import board_seed
from referee.dial import Seated
from referee.player import Limits
from referee.record import verify
from referee.rules import rules_for
from referee.run import Program
from referee.sitting import Board, Sitting, play_sitting
from referee.table import Played, Table
from tests.elsewhere import Elsewhere, certificate, free_port, needs_openssl, silent_port
from tests.home import SAMPLES, CommandLine, bot_folder, no_build, store_with
from tests.streams import started

TOKEN = "0123456789abcdef0123456789abcdef"
OTHER_TOKEN = "fedcba9876543210fedcba9876543210"
RULES = rules_for("ten-points", overrides={"max_rounds": "2", "points_to_win": "none"})
LIMITS = Limits(move_time_s=5.0, bank_s=5.0, start_s=20.0, sandbox="none")
BRIEF = replace(LIMITS, start_s=1.0)
HIGH_CARD = Program("high-card", SAMPLES / "high-card", ("python", "bot.py"))
HABITS = """
import os, sys, time
from pathlib import Path
from protocol.bot import Bot, serve
class Habitual(Bot):
    def play(self, view):
        habit, mark = sys.argv[1], Path(sys.argv[2])
        if len(view.hand) < 10 and not mark.exists():
            mark.touch()
            if habit == "dies":
                os._exit(1)
            if habit == "sleeps":
                time.sleep(2)
            if habit == "raises":
                raise LookupError("where is it?")
        return super().play(view)
serve(Habitual)
"""


def far(address: str, **more: Any) -> Seated:
    return Seated("far", "1", None, address, **more)


Play = Callable[..., list[Played]]


@pytest.fixture(scope="module")
def play() -> Iterator[Play]:
    """Plays a sitting with a bot in seat 1; the others are remote too, and steady."""
    seed = b"elsewhere"
    with Elsewhere(SAMPLES / "high-card") as steady:
        ada, zoe = (Seated(name, "1", None, steady.address) for name in ("ada", "zoe"))

        def played(
            bot: Seated, limits: Limits = LIMITS, boards: int = 1, watch: Callable[[Table], None] | None = None
        ) -> list[Played]:
            numbered = tuple(Board(number, board_seed(seed, number)) for number in range(boards))
            results = play_sitting(Sitting("far", 0, (ada, bot, zoe), RULES, limits, numbered), watch=watch)
            for result in results:
                verify(result.record, seed)
            return results

        yield played


def faults(played: Played) -> list[tuple[int, str]]:
    return [(fault["seat"], fault["kind"]) for fault in played.record["faults"]]


def why(played: Played) -> str:
    (fault,) = played.faults
    text: str = fault["why"]
    return text


def habitual(tmp_path: Path, habit: str) -> Elsewhere:
    folder = bot_folder(tmp_path, "habitual", HABITS)
    return Elsewhere(folder, habit, str(tmp_path / "mark"))


# Reaching it


def test_a_remote_bot_plays_the_match_that_it_would_play_here(play: Play) -> None:
    (here,) = play(Seated("far", "1", HIGH_CARD))
    with Elsewhere(SAMPLES / "high-card") as host:
        (there,) = play(far(host.address))
    assert there.record["faults"] == []
    assert there.record["rounds"] == here.record["rounds"]
    assert there.record["clock"][1]["think_s"] > 0
    assert there.record["clock"][1]["cpu_s"] == 0


def test_nobody_at_the_address_is_a_failed_start_and_the_others_play_on(play: Play) -> None:
    (played,) = play(far(f"127.0.0.1:{free_port()}"), BRIEF)
    assert faults(played) == [(1, "start")]
    assert played.record["placing"][1] == 3
    assert "was not ready within 1 s (UNAVAILABLE" in why(played)
    assert "refused" in why(played)


def test_a_name_that_is_not_known_is_a_failed_start(play: Play) -> None:
    (played,) = play(far("no-such-host.invalid:7358"), BRIEF)
    assert faults(played) == [(1, "start")]


def test_a_server_that_says_nothing_is_a_failed_start(play: Play) -> None:
    with silent_port() as port:
        (played,) = play(far(f"127.0.0.1:{port}"), BRIEF)
    assert faults(played) == [(1, "start")]
    assert "was not ready within 1 s" in why(played)


def test_a_bot_that_comes_up_while_it_is_dialled_plays(play: Play) -> None:
    with Elsewhere(SAMPLES / "high-card", late_s=1.0) as host:
        (played,) = play(far(host.address))
    assert played.record["faults"] == []


def test_an_address_is_a_name_even_if_it_looks_like_a_socket(
    play: Play, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with started(SAMPLES / "high-card", tmp_path, "--address", f"unix:{tmp_path}/7358"):
        (played,) = play(far("unix:7358"), BRIEF)
    assert faults(played) == [(1, "start")]


# Losing it


def test_a_bot_that_dies_is_dialled_again_when_its_author_has_started_it_again(play: Play, tmp_path: Path) -> None:
    with habitual(tmp_path, "dies") as host:
        (played,) = play(far(host.address))
        assert host.starts == 2
    assert faults(played) == [(1, "disconnect")]
    record, evidence = played.record, played.faults
    assert "  what it writes is with its author" in next(faults_of(record, evidence, "far")).lines(None)
    assert not played.record["faults"][0]["struck_out"]


def test_a_bot_that_dies_for_good_is_struck_out_when_it_is_dialled_again(play: Play, tmp_path: Path) -> None:
    folder = bot_folder(tmp_path, "habitual", HABITS)
    port = free_port()
    with started(folder, tmp_path, "dies", str(tmp_path / "mark"), "--address", f"127.0.0.1:{port}"):
        (played,) = play(far(f"127.0.0.1:{port}"), replace(LIMITS, start_s=3.0))
    assert faults(played) == [(1, "disconnect"), (1, "start")]
    assert played.record["faults"][1]["struck_out"]


def test_a_bot_that_is_too_slow_is_dialled_again(play: Play, tmp_path: Path) -> None:
    with habitual(tmp_path, "sleeps") as host:
        (played,) = play(far(host.address), replace(LIMITS, move_time_s=0.7, bank_s=0.0))
        assert host.starts == 1
    assert (1, "timeout") in faults(played)
    assert {seat for seat, _ in faults(played)} == {1}


def test_a_bot_that_raises_goes_on_with_the_next_turn(play: Play, tmp_path: Path) -> None:
    with habitual(tmp_path, "raises") as host:
        (played,) = play(far(host.address))
        assert host.starts == 1
    assert faults(played) == [(1, "error")]
    assert why(played) == "INTERNAL: LookupError: where is it?"


def test_a_bot_that_is_started_again_between_two_matches_makes_no_fault(play: Play) -> None:
    with Elsewhere(SAMPLES / "high-card") as host:

        def watch(table: Table) -> None:
            if table.number == 0 and table.match.over:
                host.restart()

        played = play(far(host.address), boards=2, watch=watch)
        assert host.starts == 2
    assert [match.record["faults"] for match in played] == [[], []]


# Token and TLS


def token_file(folder: Path, token: str = TOKEN) -> str:
    path = folder / "token"
    path.write_text(token + "\n")
    return str(path)


def test_the_token_is_shown_with_each_call(play: Play, tmp_path: Path) -> None:
    with Elsewhere(SAMPLES / "high-card", "--token-file", token_file(tmp_path)) as host:
        (played,) = play(far(host.address, token=TOKEN))
    assert played.record["faults"] == []


@pytest.mark.parametrize("token", [None, OTHER_TOKEN])
def test_without_the_right_token_it_does_not_start_and_nobody_waits(
    play: Play, tmp_path: Path, token: str | None
) -> None:
    with Elsewhere(SAMPLES / "high-card", "--token-file", token_file(tmp_path)) as host:
        (played,) = play(far(host.address, token=token))
    assert faults(played) == [(1, "start")]
    assert why(played) == "UNAUTHENTICATED: the token is missing or not the right one"


TELLTALE = """
import grpc
from protocol import bot
class Telltale(bot._Servicer):
    def Describe(self, request, context):
        context.abort(grpc.StatusCode.PERMISSION_DENIED, f"I don't like {dict(context.invocation_metadata())}")
bot._Servicer = Telltale
bot.serve(bot.Bot)
"""


def test_a_server_that_repeats_the_token_does_not_get_it_into_the_journal(play: Play, tmp_path: Path) -> None:
    with Elsewhere(bot_folder(tmp_path, "telltale", TELLTALE)) as host:
        (played,) = play(far(host.address, token=TOKEN))
    assert why(played).startswith("PERMISSION_DENIED: I don't like {")
    assert "Bearer …" in why(played)
    assert TOKEN not in repr(played)


def test_the_token_is_not_shown_where_a_seat_is_printed() -> None:
    assert TOKEN not in repr(far("host:1", token=TOKEN))


@needs_openssl
def test_tls_with_a_certificate_of_the_authors_own(play: Play, tmp_path: Path) -> None:
    pem, key = certificate(tmp_path)
    stranger, _ = certificate(tmp_path, "stranger")
    words = ("--certificate", str(pem), "--key", str(key), "--token-file", token_file(tmp_path))
    with Elsewhere(SAMPLES / "high-card", *words) as host:
        (trusted,) = play(far(host.address, tls=True, ca=pem.read_bytes(), token=TOKEN))
        (unknown,) = play(far(host.address, tls=True, token=TOKEN), BRIEF)
        (another,) = play(far(host.address, tls=True, ca=stranger.read_bytes(), token=TOKEN), BRIEF)
        (in_the_clear,) = play(far(host.address, token=TOKEN), BRIEF)
    assert trusted.record["faults"] == []
    for refused in (unknown, another, in_the_clear):
        assert faults(refused) == [(1, "start")]
    for refused in (unknown, another):
        assert "certificate" in why(refused).lower()


@needs_openssl
def test_a_certificate_that_is_no_pair_with_its_key_is_refused_in_a_sentence(tmp_path: Path) -> None:
    (pem, _), (_, key) = certificate(tmp_path), certificate(tmp_path, "other")
    words = ("--address", f"127.0.0.1:{free_port()}", "--certificate", str(pem), "--key", str(key))
    with started(SAMPLES / "high-card", tmp_path, *words) as process:
        _, printed = process.communicate(timeout=10)
    assert process.returncode == 1
    assert "or certificate and key are no pair in PEM" in printed
    assert "Traceback" not in printed


# In the arena


def remote_folder(parent: Path, address: str, **fields: Any) -> Path:
    """A submission of a remote bot, with its token."""
    folder = parent / "far"
    folder.mkdir(parents=True, exist_ok=True)
    lines = {"name": "far", "author": "Eve", "address": address, "language": "python", "description": "Elsewhere."}
    lines |= {"token_file": "token"} | fields
    text = "\n".join(f"{name} = {json.dumps(value)}" for name, value in lines.items())
    (folder / "bot.toml").write_text(text + "\n")
    token_file(folder)
    return folder


def test_a_token_or_a_certificate_that_can_not_be_used_is_refused_in_a_sentence(tmp_path: Path) -> None:
    remote = Manifest("far", "Eve", address="host:1", tls=True)
    with pytest.raises(ManifestError, match="token_file names t, and there is no such file in the folder"):
        connection(replace(remote, token_file="t"), tmp_path)
    for content in ("", "too short", "two words of which each is long", "short", "ümläute-are-not-possible", "x" * 201):
        (tmp_path / "t").write_text(content)
        with pytest.raises(ManifestError, match="the token must be one word of 16 to 200"):
            connection(replace(remote, token_file="t"), tmp_path)
    for content in ("", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", "ü"):
        (tmp_path / "c").write_text(content)
        with pytest.raises(ManifestError, match="holds no certificates"):
            connection(replace(remote, ca_file="c"), tmp_path)
    (tmp_path / "c").write_text("#" * 70_000)
    with pytest.raises(ManifestError, match="larger than 64 KiB"):
        connection(replace(remote, ca_file="c"), tmp_path)
    (tmp_path / "l").symlink_to("/etc/hostname")
    with pytest.raises(ManifestError, match="no such file"):
        connection(replace(remote, token_file="l"), tmp_path)


def test_a_league_with_a_remote_bot_says_so_and_nowhere_shows_its_token(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    run = CommandLine(home, capsys, monkeypatch)
    with Elsewhere(SAMPLES / "high-card", "--token-file", token_file(tmp_path)) as host:
        folder = remote_folder(tmp_path, host.address)
        code, out, err = run("submit", "--no-check", folder, SAMPLES / "random", SAMPLES / "first-legal")
        assert (code, err) == (0, "")
        said = [out]
        code, out, err = run("run", "mixed", "--boards", "2", "--jobs", "1", "--set", "max_rounds=2")
        assert (code, err) == (0, "")
        said += [out]
    assert "2 boards in 1 seating, " in out
    begun, _, over = out.partition("Finished ahead")
    for part in (begun, over):
        assert "Run by their authors, neither isolated nor stopped off turn: far." in part
    for words in (("rankings", "mixed"), ("rankings", "mixed", "--json"), ("export", "mixed"), ("bots",)):
        code, out, err = run(*words)
        assert (code, err) == (0, "")
        said += [out]
    report = json.loads((home / "mixed" / "report.json").read_text())
    assert [row["remote"] for row in report["standings"] if row["bot"] == "far"] == [True]
    assert all(sum(row["faults"].values()) == 0 for row in report["standings"])

    assert not any(TOKEN in text for text in said)
    kept = [path for path in home.rglob("*") if path.is_file() and TOKEN.encode() in path.read_bytes()]
    assert [path.name for path in kept] == ["token"]
    assert kept[0].parent.stat().st_mode & 0o077 == 0
    with sqlite3.connect(home / "arena.sqlite") as base:
        assert not any(TOKEN in line for line in base.iterdump())


def test_a_league_says_so_if_a_remote_bot_could_remember_a_boards_cards(tmp_path: Path) -> None:
    store = store_with(tmp_path, "ada", "bob")
    submit(store, remote_folder(tmp_path, "host.invalid:7358"), False, no_build)
    one = begin_league(store, "one", Wish(boards=1, sandbox="none"), b"s" * 32)
    six = begin_league(store, "six", Wish(boards=1, seatings=6, sandbox="none"), b"s" * 32)
    assert remote_note(one) == "Run by their authors, neither isolated nor stopped off turn: far."
    assert "turn, and meeting each board in 6 seatings, whose cards they could remember: far." in remote_note(six)


def test_a_remote_bot_is_checked_where_it_runs(tmp_path: Path) -> None:
    with Elsewhere(SAMPLES / "high-card", "--token-file", token_file(tmp_path)) as host:
        report = check(remote_folder(tmp_path, host.address), replace(LIMITS, move_time_s=2.0))
    assert report.findings.failures == []
    assert TOKEN not in json.dumps(report.as_json())


def test_a_remote_bot_that_can_not_be_reached_fails_its_check_and_is_not_taken_in(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = remote_folder(tmp_path, f"127.0.0.1:{free_port()}")
    report = check(folder, BRIEF)
    assert [failure.point.name for failure in report.findings.failures] == ["handshake"]
    code, _, err = CommandLine(tmp_path / "home", capsys, monkeypatch)("submit", folder)
    assert code == 1
    assert "refused" in err
