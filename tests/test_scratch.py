"""Scratch folders: they go with their process, and what a killed one left behind goes with the next command."""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee import scratch
from referee.process_tree import descendants
from referee.scratch import PREFIX, Scratch, clear, remove
from tests.walled import open_files, wait_until

ARENA = Path(sys.executable).with_name("arena")
HOLDS_ONE = """
import sys, time
from pathlib import Path
from referee.scratch import Scratch
print(Scratch(Path(sys.argv[1])).path, flush=True)
time.sleep(600)
"""


@contextlib.contextmanager
def another(parent: Path) -> Iterator[tuple[subprocess.Popen[str], Path]]:
    """Another process, which has a folder there."""
    command = [sys.executable, "-c", HOLDS_ONE, str(parent)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        try:
            yield process, Path(process.stdout.readline().strip())
        finally:
            process.kill()


def test_a_folder_is_private_and_goes_with_all_that_is_in_it(tmp_path: Path) -> None:
    before = open_files()
    with Scratch(tmp_path) as folder:
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        (folder / "bot").mkdir()
        (folder / "bot" / "bot.py").touch()
    assert list(tmp_path.iterdir()) == []
    assert open_files() == before


def test_what_a_killed_process_left_is_removed_and_what_a_living_one_uses_is_not(tmp_path: Path) -> None:
    with another(tmp_path) as (_, living), another(tmp_path) as (doomed, dead):
        with Scratch(tmp_path):
            assert living.exists()
            assert dead.exists()
        doomed.kill()
        doomed.wait()
        assert dead.exists()
        with Scratch(tmp_path) as folder:
            assert sorted(tmp_path.iterdir()) == sorted([living, folder])


def test_what_is_not_an_arenas_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / f"{PREFIX}link").symlink_to("elsewhere")
    (tmp_path / f"{PREFIX}file").touch()
    (tmp_path / "somebodys").mkdir()
    if os.geteuid() == 0:
        (tmp_path / f"{PREFIX}anothers").mkdir()
        os.chown(tmp_path / f"{PREFIX}anothers", 35835, 35835)
    before = sorted(tmp_path.iterdir())
    clear(tmp_path)
    assert sorted(tmp_path.iterdir()) == before


def test_a_folder_that_is_taken_for_left_behind_before_it_is_locked_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock, removed = fcntl.flock, []

    def come_between(descriptor: int, how: int) -> None:
        (folder,) = tmp_path.iterdir()
        if not removed:
            folder.rmdir()
            removed.append(folder)
        lock(descriptor, how)

    monkeypatch.setattr(scratch.fcntl, "flock", come_between)
    with Scratch(tmp_path) as folder:
        assert folder.exists()
        assert removed != [folder]


def test_what_may_not_be_read_or_written_is_removed_and_links_are_not_followed(tmp_path: Path) -> None:
    outside, folder = tmp_path / "outside", tmp_path / "folder"
    (folder / "closed" / "deep").mkdir(parents=True)
    outside.mkdir(mode=0o750)
    (outside / "kept").touch()
    (folder / "closed" / "file").touch()
    (folder / "closed" / "link").symlink_to(outside)
    for path in (folder / "closed" / "deep", folder / "closed", folder):
        path.chmod(0)
    remove(folder)
    assert not folder.exists()
    assert stat.S_IMODE(outside.stat().st_mode) == 0o750
    assert (outside / "kept").exists()


def test_a_folder_is_removed_however_deep_it_is(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    place = os.open(tmp_path / "folder", os.O_RDONLY)
    for _ in range(3000):
        os.mkdir("deep", dir_fd=place)
        place, above = os.open("deep", os.O_RDONLY, dir_fd=place), place
        os.close(above)
    os.close(place)
    remove(tmp_path / "folder")
    assert list(tmp_path.iterdir()) == []


# Real commands, killed


@pytest.fixture
def place() -> Iterator[Path]:
    """A short folder, with one for temporary files and a bot whose build step takes long."""
    with tempfile.TemporaryDirectory(prefix="t", dir="/tmp") as folder:
        place = Path(folder)
        (place / "tmp").mkdir()
        (place / "bot").mkdir()
        (place / "bot" / "bot.toml").write_text(
            'name = "sleeper"\nauthor = "A"\nlanguage = "python"\ncommand = "python bot.py"\nbuild = "python bot.py"\n'
        )
        (place / "bot" / "bot.py").write_text("import time\ntime.sleep(600)\n")
        yield place


@contextlib.contextmanager
def waiting(place: Path, *words: str) -> Iterator[subprocess.Popen[bytes]]:
    """A command that waits for the build step."""
    with arena(place, *words) as command:
        try:
            wait_until(lambda: any(is_the_bot(pid) for pid in descendants(command.pid)), within_s=120)
            yield command
        finally:
            command.kill()


def arena(place: Path, *words: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [ARENA, "--home", place / "home", *words],
        env=os.environ | {"TMPDIR": str(place / "tmp")},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def is_the_bot(pid: int) -> bool:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes().endswith(b"python\0bot.py\0")
    return False


def left(place: Path) -> set[Path]:
    return {*(place / "tmp").iterdir(), *(place / "home" / "bots").glob(".*")}


def test_a_check_removes_what_a_killed_check_left_and_not_what_another_uses(place: Path) -> None:
    with waiting(place, "check", str(place / "bot")) as other:
        used = left(place)
        with waiting(place, "check", str(place / "bot")) as doomed:
            doomed.kill()
        assert left(place) > used
        with waiting(place, "check", str(place / "bot")) as third:
            assert left(place) > used
            third.send_signal(signal.SIGTERM)
            third.wait(120)
        assert left(place) == used
        other.send_signal(signal.SIGTERM)
        other.wait(120)
    assert left(place) == set()


def test_the_next_command_of_a_home_removes_what_a_killed_submission_left_there(place: Path) -> None:
    with waiting(place, "submit", str(place / "bot")) as doomed:
        doomed.kill()
    assert [path for path in left(place) if path.name.startswith(".incoming-")]
    with arena(place, "bots") as bots:
        assert bots.wait(120) == 0
    assert list((place / "home" / "bots").iterdir()) == []
