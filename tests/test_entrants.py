"""Bots are submitted, replaced, withdrawn and disqualified."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from arena.entrants import EntrantError, disqualify, entrant, entrants, folder_of, intact, submit, withdraw
from arena.league import choose
from arena.manifest import Manifest
from arena.store import Store
from referee.scratch import remove
from tests.home import bot_folder, no_build


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "home")


def enter(store: Store, folder: Path, replace_other: bool = False) -> str:
    return submit(store, folder, replace_other, no_build).outcome


def test_a_bot_is_stored_read_only_under_its_digest(store: Store, tmp_path: Path) -> None:
    enter(store, bot_folder(tmp_path, "tips"))
    bot = entrant(store, "tips")
    folder = folder_of(store, bot.version)
    assert folder == store.home / "bots" / bot.version.removeprefix("sha256:")
    assert (folder / "bot.py").read_text() == "# tips\n"
    assert not any(path.stat().st_mode & 0o222 for path in [folder, *folder.rglob("*")])
    assert [path.name for path in (store.home / "bots").iterdir()] == [folder.name]


def test_submitting_again_changes_nothing(store: Store, tmp_path: Path) -> None:
    folder = bot_folder(tmp_path, "tips")
    assert enter(store, folder) == "new"
    before = list(entrants(store))
    assert enter(store, folder) == "unchanged"
    assert list(entrants(store)) == before


def test_a_new_version_replaces_the_old_and_both_are_kept(store: Store, tmp_path: Path) -> None:
    enter(store, bot_folder(tmp_path, "tips"))
    old = entrant(store, "tips").version
    assert enter(store, bot_folder(tmp_path, "tips", "# better\n")) == "new version"
    new = entrant(store, "tips").version
    assert new != old
    assert intact(store, old)
    assert intact(store, new)
    assert enter(store, bot_folder(tmp_path, "tips")) == "new version"
    assert entrant(store, "tips").version == old


def test_anothers_bot_is_replaced_only_when_asked_for(store: Store, tmp_path: Path) -> None:
    enter(store, bot_folder(tmp_path, "tips"))
    theirs = bot_folder(tmp_path / "other", "tips", author="Bob")
    with pytest.raises(EntrantError, match="there is a bot tips by Ada already"):
        enter(store, theirs)
    assert entrant(store, "tips").manifest.author == "Ada"
    assert enter(store, theirs, replace_other=True) == "new version"
    assert entrant(store, "tips").manifest.author == "Bob"


def test_a_withdrawn_bot_comes_back_when_submitted(store: Store, tmp_path: Path) -> None:
    folder = bot_folder(tmp_path, "tips")
    enter(store, folder)
    withdraw(store, "tips")
    assert choose(store, None) == []
    with pytest.raises(EntrantError, match="tips was withdrawn: submit it again"):
        choose(store, ["tips"])
    assert enter(store, folder) == "back"
    assert [bot.name for bot in choose(store, None)] == ["tips"]


def test_a_disqualified_bot_stays_out_until_it_is_admitted_again(store: Store, tmp_path: Path) -> None:
    folder = bot_folder(tmp_path, "tips")
    enter(store, folder)
    disqualify(store, "tips", "it read others' hands")
    with pytest.raises(EntrantError, match="tips was disqualified: it read others' hands"):
        choose(store, ["tips"])
    with pytest.raises(EntrantError, match="--replace admits it again"):
        enter(store, folder)
    assert enter(store, folder, replace_other=True) == "back"
    assert entrant(store, "tips").disqualified is None


def test_a_build_step_is_run_before_the_bot_is_stored(store: Store, tmp_path: Path) -> None:
    ran = []

    def build(folder: Path, command: tuple[str, ...]) -> None:
        ran.append(command)
        (folder / "built").write_text("x")

    source = bot_folder(tmp_path, "tips", build="make all")
    submit(store, source, False, build)
    version = entrant(store, "tips").version
    assert (folder_of(store, version) / "built").exists()
    assert not (source / "built").exists()
    assert submit(store, source, False, build).outcome == "unchanged"
    assert ran == [("make", "all")]


def test_what_is_refused_leaves_nothing(store: Store, tmp_path: Path) -> None:
    def fails(folder: Path, command: tuple[str, ...]) -> None:
        raise EntrantError("the build step failed")

    def unfit(folder: Path, manifest: Manifest) -> None:
        raise EntrantError(f"{manifest.name} plays illegal cards")

    with pytest.raises(EntrantError, match="the build step failed"):
        submit(store, bot_folder(tmp_path, "built", build="make"), False, fails)
    with pytest.raises(EntrantError, match="plays illegal cards"):
        submit(store, bot_folder(tmp_path, "checked"), False, no_build, unfit)
    with pytest.raises(EntrantError, match="'-x' can't be the name of a bot"):
        enter(store, bot_folder(tmp_path, "named", name="-x"))
    with pytest.raises(EntrantError, match="does not exist"):
        enter(store, tmp_path / "absent")
    assert list(entrants(store)) == []
    assert list((store.home / "bots").iterdir()) == []


def test_damaged_files_are_noticed_and_mended_by_submitting_again(store: Store, tmp_path: Path) -> None:
    source = bot_folder(tmp_path, "tips")
    enter(store, source)
    version = entrant(store, "tips").version
    folder = folder_of(store, version)
    (folder / "bot.py").chmod(0o644)
    (folder / "bot.py").write_text("import os\n")
    with pytest.raises(EntrantError, match="the stored files of tips are missing or changed"):
        choose(store, None)
    enter(store, source)
    assert intact(store, version)
    remove(folder)
    assert not intact(store, version)
    enter(store, source)
    assert intact(store, version)
    assert not stat.S_IMODE(folder.stat().st_mode) & 0o222


def test_unknown_bots_have_a_sentence(store: Store) -> None:
    for act in (entrant, withdraw, lambda store, name: disqualify(store, name, "")):
        with pytest.raises(EntrantError, match="there is no bot 'nobody'"):
            act(store, "nobody")
