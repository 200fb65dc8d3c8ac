"""``arena new``: folders that play already, in Python and in JavaScript."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from fnmatch import fnmatch
from pathlib import Path

import pytest

from arena.cli import arena as command
from arena.manifest import read_manifest
from arena.new_bot import LANGUAGES, templates, write_bot
from arena.submission import digest, take_in
from arena.terminal import run_command
from referee.record import read_record
from tests.home import arena

ROOT = Path(__file__).parent.parent
NODE = shutil.which("node") and shutil.which("npm")
node = pytest.mark.skipif(not NODE, reason="node and npm are not installed")


@pytest.fixture(scope="session")
def node_bot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new bot in JavaScript with its dependencies."""
    folder = tmp_path_factory.mktemp("node") / "jsbot"
    write_bot(folder, "node")
    done = subprocess.run(["npm", "install"], cwd=folder, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_new_folder_can_be_submitted_and_bears_its_name(language: str, tmp_path: Path) -> None:
    folder = tmp_path / "far" / "my_first-bot2"
    assert run_command(command, ["new", str(folder), "--lang", language]) == 0
    manifest = read_manifest((folder / "bot.toml").read_bytes())
    assert manifest.name == "my_first-bot2"
    assert manifest.author
    assert manifest.description
    assert {file.name for file in folder.iterdir()} >= {file.name for file in templates(language)}
    for file in folder.iterdir():
        assert "my-bot" not in file.read_text()
        assert "AUTHOR" not in file.read_text()
    (tmp_path / "taken").mkdir()
    take_in(folder, tmp_path / "taken")
    assert digest(folder) == digest(tmp_path / "taken")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_file_of_a_template_is_installed_with_the_arena(language: str) -> None:
    patterns = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["package-data"]["arena"]
    for file in templates(language):
        path = f"templates/{language}/{file.name}"
        # Hidden files are not matched by a star.
        assert path in patterns if file.name.startswith(".") else any(fnmatch(path, pattern) for pattern in patterns)


def test_a_folder_in_use_or_a_bad_name_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "novel.txt").write_text("Chapter 1")
    (tmp_path / "file").write_text("")
    for name, sentence in {
        "taken": "is not empty: choose another name, or clear it first",
        "file": "is a file: choose another name",
        "My Bot": "'My Bot' can't be the name of a bot",
    }.items():
        assert run_command(command, ["new", str(tmp_path / name), "--lang", "python"]) == 2
        err = capsys.readouterr().err
        assert sentence in err
        assert err.count("\n") == 1
    assert [path.name for path in sorted(tmp_path.rglob("*"))] == ["file", "taken", "novel.txt"]
    assert run_command(command, ["new", str(tmp_path / "x"), "--lang", "cobol"]) == 2
    assert run_command(command, ["new", str(tmp_path / "x")]) == 2


def test_an_empty_folder_is_filled(tmp_path: Path) -> None:
    (tmp_path / "ada").mkdir()
    assert run_command(command, ["new", str(tmp_path / "ada"), "--lang", "python"]) == 0


def test_the_tests_of_a_new_python_bot_pass_and_can_fail(tmp_path: Path) -> None:
    folder = tmp_path / "ada"
    write_bot(folder, "python")
    line = [sys.executable, "-m", "unittest"]
    where = {"cwd": folder, "env": os.environ | {"PYTHONPATH": str(ROOT)}}
    done = subprocess.run(line, **where, capture_output=True, text=True, check=False, timeout=60)  # type: ignore[call-overload]
    assert done.returncode == 0, done.stderr
    assert "Ran 4 tests" in done.stderr
    code = (folder / "bot.py").read_text()
    (folder / "bot.py").write_text(code.replace("[: view.count]", "[: view.count - 1]"))
    assert subprocess.run(line, **where, capture_output=True, check=False, timeout=60).returncode == 1  # type: ignore[call-overload]


def test_a_new_python_bot_plays_at_once(tmp_path: Path) -> None:
    folder = tmp_path / "ada"
    write_bot(folder, "python")
    done = arena(tmp_path, "play", folder, folder, folder, "--record", tmp_path / "match.json")
    assert done.returncode == 0, done.stderr
    assert read_record((tmp_path / "match.json").read_text())["faults"] == []


@node
def test_the_tests_of_a_new_node_bot_pass_and_can_fail(node_bot: Path, tmp_path: Path) -> None:
    line = ["node", "--test"]
    done = subprocess.run(line, cwd=node_bot, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stdout
    assert "# pass 6" in done.stdout
    broken = tmp_path / "broken"
    shutil.copytree(node_bot, broken)
    code = (broken / "bot.js").read_text()
    (broken / "bot.js").write_text(code.replace("sequence, ...choices", "...choices"))
    assert subprocess.run(line, cwd=broken, capture_output=True, check=False, timeout=60).returncode == 1


@node
def test_a_new_node_bot_plays_at_once_by_every_kind_of_exchange(node_bot: Path, tmp_path: Path) -> None:
    assert not [path for path in node_bot.rglob("*") if path.is_symlink()], "a submission may not contain links"
    for rules in ("announcer", "six-three-eight"):
        path = tmp_path / f"{rules}.json"
        done = arena(tmp_path, "play", node_bot, node_bot, node_bot, "--rules", rules, "--record", path)
        assert done.returncode == 0, done.stderr
        record = read_record(path.read_text())
        assert record["faults"] == []
        assert sum(len(rnd["exchanges"]) for rnd in record["rounds"]) > 0
