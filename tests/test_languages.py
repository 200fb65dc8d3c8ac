"""Sample bots in other languages: submitted with their dependencies, checked, built and played in the sandbox."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest

from arena.submission import digest
from tests.home import SAMPLES, arena

ROOT = Path(__file__).parent.parent
SLOW_S = 600  # a busy machine compiles for minutes
SEED = "358" * 6


@dataclass(frozen=True)
class Sample:
    """A sample bot, what it takes to make it ready, and what is to be done before it is submitted."""

    name: str
    tools: tuple[str, ...]
    packages: tuple[str, ...] = ()
    """Of pkg-config."""
    install: tuple[str, ...] = ()

    def missing(self) -> list[str]:
        missing = [tool for tool in self.tools if not shutil.which(tool)]
        if self.packages and not missing:
            known = subprocess.run(["pkg-config", "--list-package-names"], capture_output=True, check=True, text=True)
            missing = sorted(set(self.packages) - set(known.stdout.split()))
        return missing


BOTS = (
    Sample("node-finesse", ("node", "npm"), install=("npm", "ci")),
    Sample("cpp-what-if", ("make", "pkg-config", "g++", "protoc", "grpc_cpp_plugin"), ("grpc++", "protobuf")),
)


def run(home: Path, *words: str | Path) -> str:
    done = arena(home, *words, timeout=SLOW_S)
    assert done.returncode == 0, f"{done.stdout[-2000:]}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module", params=BOTS, ids=[bot.name for bot in BOTS])
def bot(request: pytest.FixtureRequest) -> Sample:
    sample: Sample = request.param
    if missing := sample.missing():
        pytest.skip(f"{', '.join(missing)} not installed: `.ci/run` says which packages {sample.name} needs")
    return sample


@pytest.fixture(scope="module")
def home(bot: Sample, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home into which the bot was taken, after it had passed all points of ``arena check``."""
    place = tmp_path_factory.mktemp(bot.name)
    folder = place / bot.name
    tracked = subprocess.run(
        ["git", "ls-files", "-z", f"sample_bots/{bot.name}"], cwd=ROOT, capture_output=True, check=True, text=True
    )
    for name in filter(None, tracked.stdout.split("\0")):
        to = place / Path(name).relative_to("sample_bots")
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, to)
    if bot.install:
        done = subprocess.run(bot.install, cwd=folder, capture_output=True, text=True, check=False, timeout=SLOW_S)
        assert done.returncode == 0, done.stderr
    run(place / "home", "submit", "--no-check", SAMPLES / "high-card", SAMPLES / "random")
    said = run(place / "home", "submit", folder)
    assert f"{bot.name} {digest(folder).removeprefix('sha256:')[:12]}: new" in said
    return place / "home"


def test_it_plays_leagues_without_a_fault_and_wins_them(bot: Sample, home: Path) -> None:
    """Between them, the two sets have every kind of turn; no-trump and misère are allowed."""
    for rules in ("ten-points", "twelve-tricks"):
        words = ("--variant", "no-trump", "--variant", "misere", "--boards", "1", "--seed", SEED, "--move-time", "5")
        run(home, "run", rules, "--rules", rules, *words, "--sandbox", "require")
        records = [json.loads(line) for line in run(home, "export", rules).splitlines()]
        assert len(records) == 6
        assert all(record["faults"] == [] and record["limits"]["sandbox"] == "bubblewrap" for record in records)
        firsts = Counter(record["seats"][record["placing"].index(1)]["bot"] for record in records)
        assert firsts[bot.name] >= 4
        assert "6 matches verified" in run(home, "verify", rules)


@pytest.mark.parametrize("sample", BOTS, ids=[bot.name for bot in BOTS])
def test_the_definition_of_the_protocol_travels_in_the_folder(sample: Sample) -> None:
    """As it would in a stranger's, and unchanged."""
    name = "three_five_eight.proto"
    assert (SAMPLES / sample.name / name).read_bytes() == (ROOT / "protocol" / name).read_bytes()


def test_a_lock_file_does_not_say_where_packages_come_from() -> None:
    lock = json.loads((SAMPLES / "node-finesse" / "package-lock.json").read_text())
    assert len(lock["packages"]) > 3
    assert not [name for name, package in lock["packages"].items() if "resolved" in package]
