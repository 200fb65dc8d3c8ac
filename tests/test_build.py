"""Build steps of bots, as real processes in the sandbox."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from referee.build import BuildFailure, run_build
from referee.scratch import remove
from tests.walled import BOTH

walls = pytest.mark.parametrize("sandbox", BOTH)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "bot"
    folder.mkdir(mode=0o700)
    (folder / "words.txt").write_text("ace")
    return folder


def build(folder: Path, script: str, sandbox: str, timeout_s: float = 20) -> str:
    return run_build(folder, ("sh", "-c", script), timeout_s, sandbox)


@walls
def test_a_build_step_may_change_its_folder(folder: Path, sandbox: str) -> None:
    said = build(folder, "mkdir made; cat words.txt > made/words.txt; ls", sandbox)
    assert said.split() == ["made", "words.txt"]
    assert (folder / "made" / "words.txt").read_text() == "ace"


def test_what_is_built_belongs_to_whom_the_folder_belonged(folder: Path) -> None:
    build(folder, "mkdir made; echo > made/words; ln -s /etc/passwd link; chmod u+s made/words", "bubblewrap")
    for path in (folder, *folder.rglob("*")):
        status = path.lstat()
        assert status.st_uid == os.getuid()
        assert not status.st_mode & 0o4000 or os.getuid() != 0


def test_a_build_step_has_no_network_and_sees_nothing_else(folder: Path) -> None:
    script = "test -e /etc/passwd || echo unseen; ls /sys/class/net /home 2>/dev/null; cat /proc/net/route | wc -l"
    assert build(folder, script, "bubblewrap").split() == ["unseen", "1"]


@walls
def test_a_build_step_that_fails_says_how_and_what_it_wrote(folder: Path, sandbox: str) -> None:
    with pytest.raises(BuildFailure, match="the build step failed: exit code 2") as failure:
        build(folder, "echo no rule to make target; exit 2", sandbox)
    assert failure.value.output == "no rule to make target\n"


@walls
def test_a_build_step_that_takes_too_long_is_ended(folder: Path, sandbox: str) -> None:
    with pytest.raises(BuildFailure, match=r"the build step failed: it took more than 0\.3 s"):
        build(folder, "sleep 35", sandbox, timeout_s=0.3)


@walls
def test_a_build_step_that_writes_too_much_is_ended(folder: Path, sandbox: str) -> None:
    script = "n=0; while :; do n=$((n + 1)); head -c 20000000 /dev/zero > file$n; done"
    with pytest.raises(BuildFailure, match="it wrote more than 256 MB"):
        build(folder, script, sandbox)


@walls
@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("mkfifo pipe", "it left 'pipe', which is no file that can be read"),
        ("echo 1 > closed; chmod 0 closed", "it left 'closed', which is no file that can be read"),
        ("i=0; while [ $i -lt 1500 ]; do mkdir a; cd a; i=$((i+1)); done", "folders 64 deep"),
        ("mkdir many; cd many; seq 50001 | xargs touch", "50,000 files"),
    ],
)
def test_what_a_build_step_leaves_can_be_handled(folder: Path, sandbox: str, script: str, why: str) -> None:
    with pytest.raises(BuildFailure, match=f"the build step failed: .*{why}"):
        build(folder, script, sandbox, timeout_s=300)
    remove(folder)
    assert os.listdir(folder.parent) == []


@pytest.mark.skipif(os.getuid() == 0, reason="root can read everything")
def test_a_build_step_hides_nothing_in_a_folder_that_may_not_be_read(folder: Path) -> None:
    with pytest.raises(BuildFailure, match="it left a folder that can't be read"):
        build(folder, "mkdir hidden; echo 1 > hidden/file; chmod 0 hidden", "bubblewrap")
