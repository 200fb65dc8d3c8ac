"""The house as ARCHITECTURE.md draws it: who may import whom, and that the rules are pure."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
OURS = ("protocol", "referee", "arena", "sample_bots", "tests")
MAY_IMPORT = {
    "protocol": set(),
    "referee": {"protocol"},
    "arena": {"referee", "protocol"},
    "sample_bots": {"protocol", "referee"},
}
PURE = ("rules", "deal", "exchange", "trick", "round", "placing", "match", "record", "stand_in", "errors")
PLAYOUT = ("lanes", "playout", "policies")  # as pure, but with numpy
PURE_MAY_IMPORT = {
    "__future__", "collections", "dataclasses", "functools", "hashlib", "hmac", "importlib", "itertools", "json",
    "math", "struct", "typing", "fastjsonschema", "protocol", "referee",
}  # fmt: skip


def sources(folder: str) -> list[Path]:
    return [p for p in sorted((ROOT / folder).rglob("*.py")) if "_pb2" not in p.name and "node_modules" not in p.parts]


def imports(path: Path) -> set[str]:
    """The modules that a file imports, dotted."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


@pytest.mark.parametrize("folder", MAY_IMPORT)
def test_imports_follow_the_arrows(folder: str) -> None:
    for path in sources(folder):
        ours = {name.split(".")[0] for name in imports(path)} & set(OURS)
        assert ours <= MAY_IMPORT[folder] | {folder}, path


def test_sample_bots_use_the_rules_alone_of_the_referee() -> None:
    pure = {f"referee.{name}" for name in PURE}
    for path in sources("sample_bots"):
        used = {".".join(name.split(".")[:2]) for name in imports(path) if name.startswith("referee.")}
        assert used <= pure | {f"referee.{name}" for name in PLAYOUT}, path


@pytest.mark.parametrize("folder", ["protocol", "referee", "arena"])
def test_there_are_no_circles(folder: str) -> None:
    modules = {".".join(p.relative_to(ROOT).with_suffix("").parts): p for p in sources(folder)}
    graph = {name: {n for n in imports(path) if n in modules and n != name} for name, path in modules.items()}
    while graph:
        leaves = [name for name, needs in graph.items() if not needs & set(graph)]
        assert leaves, f"these import each other: {sorted(graph)}"
        for name in leaves:
            del graph[name]


@pytest.mark.parametrize("name", PURE + PLAYOUT)
def test_the_rules_know_no_process_socket_clock_file_protobuf_or_dice(name: str) -> None:
    path = ROOT / "referee" / f"{name}.py"
    used = imports(path)
    numpy = {"numpy"} if name in PLAYOUT else set()
    assert {module.split(".")[0] for module in used} <= PURE_MAY_IMPORT | numpy, path
    outside = {n.split(".")[1] for n in used if n.startswith("referee.")} - set(PURE + PLAYOUT)
    assert not outside, path
    assert not {"protocol.wire", "protocol.bot", "protocol.three_five_eight_pb2"} & used


PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]
SOMEBODYS = re.compile(r"(?<![\w}])/(root|home|work)/")


def test_no_file_names_a_place_on_somebodys_machine() -> None:
    for path in [*PAGES, *(path for folder in OURS for path in sources(folder))]:
        if path != Path(__file__):
            text = path.read_text()
            assert not SOMEBODYS.search(text), path
            assert f"{ROOT}/" not in text, path


def test_what_pages_link_to_is_in_the_repository() -> None:
    links = [(page, link) for page in PAGES for link in re.findall(r"\]\(([^)#]+)", page.read_text())]
    here = [(page, link) for page, link in links if "://" not in link]
    assert len(here) > 10
    for page, link in here:
        target = (page.parent / link).resolve()
        assert target.exists(), (page.name, link)
        assert target.is_relative_to(ROOT), (page.name, link)


def test_files_are_read_in_one_sitting() -> None:
    for folder in ("protocol", "referee", "arena", "sample_bots"):
        for path in sources(folder):
            lines = len(path.read_text().splitlines())
            assert lines <= 400, f"{path} has {lines} lines"
