"""Where a bot listens, and whom it answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from protocol.listening import Listening, listening

SOCKET = {"ARENA_SOCKET": "/run/bot.sock"}


def test_the_arena_says_where_to_listen() -> None:
    assert listening([], SOCKET) == Listening("unix:/run/bot.sock")
    assert listening(["--depth", "3", "quick"], SOCKET) == Listening("unix:/run/bot.sock"), "a bot's own arguments"


def test_an_author_says_where_to_listen_for_a_league_elsewhere() -> None:
    assert listening(["--address", "0.0.0.0:7358"], SOCKET) == Listening("0.0.0.0:7358")
    assert listening(["--depth", "3", "--address=[::1]:7358"], {}) == Listening("[::1]:7358")


def test_the_token_certificate_and_key_are_in_files(tmp_path: Path) -> None:
    for name in ("token", "cert.pem", "key.pem"):
        (tmp_path / name).write_text(f"  the {name}\n")
    words = ["--address", "host:1", "--token-file", f"{tmp_path}/token"]
    assert listening(words, {}) == Listening("host:1", "the token")
    words += ["--certificate", f"{tmp_path}/cert.pem", "--key", f"{tmp_path}/key.pem"]
    place = listening(words, {})
    assert (place.certificate, place.key) == (b"  the cert.pem\n", b"  the key.pem\n")
    assert "the " not in repr(place)


def test_who_starts_a_bot_by_hand_is_told_how_to_play_it() -> None:
    with pytest.raises(SystemExit, match="arena play"):
        listening([], {})


def test_what_does_not_do_is_refused_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "empty").write_text(" \n")
    for words, sentence in {
        ("--certificate", "x"): "--certificate and --key belong together",
        ("--key", "x"): "--certificate and --key belong together",
        ("--token-file", f"{tmp_path}/none"): r"Can't read .*/none: No such file or directory\.",
        ("--token-file", f"{tmp_path}/empty"): "There is no token in .*/empty",
        ("--certificate", f"{tmp_path}/none", "--key", f"{tmp_path}/empty"): "Can't read .*/none",
    }.items():
        with pytest.raises(SystemExit, match=sentence):
            listening(["--address", "host:1", *words], {})
