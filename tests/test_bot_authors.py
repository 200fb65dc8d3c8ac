"""docs/bot-authors.md does what it says: its files are written and its commands run, in their order."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from arena.cli import arena
from arena.entrants import entrants
from arena.store import Store
from protocol.view import Clock, View

ROOT = Path(__file__).parent.parent
DOCUMENT = (ROOT / "docs" / "bot-authors.md").read_text("utf-8")
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
JAVASCRIPT = DOCUMENT.index("## In JavaScript")
PLAY = re.compile(r"    def play\(self.*?(?=\n\ndef )", re.DOTALL)


@dataclass
class Reader:
    """Somebody who follows the page from a folder of his own."""

    home: Path
    place: Path

    def follow(self, text: str) -> list[str]:
        """Writes the files and runs the commands; gives the commands."""
        followed = []
        for language, block in BLOCK.findall(text):
            if language == "python":
                self.write(block)
            elif language == "console":
                for line in block.splitlines():
                    assert line.startswith("$ ")
                    self.run(line[2:])
                    followed.append(line[2:])
        return followed

    def write(self, block: str) -> None:
        head, code = block.split("\n", 1)
        if head == "# bot.py: play":
            bot = (self.place / "bot.py").read_text()
            bot, changes = PLAY.subn(lambda _: code.rstrip() + "\n", bot)
            assert changes == 1
            (self.place / "bot.py").write_text(
                bot.replace("\n\n\nclass", "\nfrom search import best_card\n\n\nclass", 1)
            )
        else:
            (self.place / head.removeprefix("# ")).write_text(code)

    def run(self, command: str) -> None:
        if command.startswith("cd "):
            self.place = (self.place / command.removeprefix("cd ")).resolve()
            return
        environment = os.environ | {
            "ARENA": str(ROOT),
            "ARENA_HOME": str(self.home),
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        }
        done = subprocess.run(
            command,
            shell=True,
            cwd=self.place,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        assert done.returncode == 0, f"{command}: {done.stdout[-3000:]}{done.stderr}"


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Reader:
    """One who has read down to JavaScript."""
    folder = tmp_path_factory.mktemp("reader")
    reader = Reader(folder / "home", folder)
    assert len(reader.follow(DOCUMENT[:JAVASCRIPT])) > 20
    return reader


@pytest.mark.long
def test_the_page_leads_from_a_new_folder_to_a_bot_that_searches(reader: Reader) -> None:
    assert "best_card" in (reader.place / "bot.py").read_text()
    with Store(reader.home) as store:
        assert {bot.name for bot in entrants(store)} >= {"my-bot", "random", "high-card"}
        versions = store.row("SELECT count(*) FROM versions")
    assert versions
    assert versions[0] >= 4, "my-bot was submitted before it searched, and again"


@pytest.mark.long
@pytest.mark.skipif(not (shutil.which("node") and shutil.which("npm")), reason="node and npm are not installed")
def test_the_page_can_be_followed_in_javascript(reader: Reader) -> None:
    assert len(reader.follow(DOCUMENT[JAVASCRIPT:])) == 8


def test_every_command_and_option_that_the_page_names_exists() -> None:
    for name, rest in re.findall(r"^\$ arena ([a-z-]+)(.*)$", DOCUMENT, re.MULTILINE):
        options = {option for parameter in arena.commands[name].params for option in parameter.opts}
        assert set(re.findall(r"--[a-z-]+", rest)) <= options, name
    for name in re.findall(r"`arena ([a-z-]+)", DOCUMENT):
        assert name in arena.commands


def test_what_the_page_says_of_the_view_is_there() -> None:
    for name in re.findall(r"`view\.(\w+)", DOCUMENT):
        assert hasattr(View, name) or name in View.__dataclass_fields__
    assert {"move_time_s", "bank_s"} == set(Clock.__dataclass_fields__)
