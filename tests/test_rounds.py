"""Whole rounds worked out from the rules page, as text in tests/rounds: the referee must see every line as written."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.rules import SETS, VARIANTS
from tests.round_text import NAMES, replay

TEXTS = {path.stem: path.read_text("utf-8") for path in sorted((Path(__file__).parent / "rounds").glob("*.txt"))}


@pytest.mark.parametrize("name", TEXTS)
def test_the_round_goes_as_written(name: str) -> None:
    replay(TEXTS[name])


def test_there_is_a_round_of_every_set_and_variant() -> None:
    words = {word for text in TEXTS.values() for word in re.findall(r"^rules .*", text, re.M)[0].split()}
    assert {*SETS, *VARIANTS} - words == set()


@pytest.mark.parametrize("name", TEXTS)
def test_no_line_can_be_changed_unnoticed(name: str) -> None:
    lines = TEXTS[name].splitlines()
    for number, line in enumerate(lines):
        for wrong in spoiled(line):
            with pytest.raises(AssertionError):
                replay("\n".join([*lines[:number], wrong, *lines[number + 1 :]]))


def spoiled(line: str) -> Iterator[str]:
    """A line that says something else."""
    word, *rest = line.split() or [""]
    if word in ("dealer", "contract", "discard"):
        yield line.replace(rest[0], other_than(rest[0], NAMES))
    elif word in (*NAMES, "kitty", "holds"):
        yield re.sub(r"([AKQJT2-9])(\.*)$", r"\2", line)
    elif word in ("swap", "claim"):
        yield line.replace(rest[2], other_than(rest[2], NAMES))
        yield f"{line[:-2]}{other_than(line[-2:], ['2S', '2H', '2D'])}"
    elif word == "refused":
        yield line.replace("(R", "(R1")
    elif word in ("taken", "score", "totals", "targets"):
        yield re.sub(r"-?\d+$", lambda figure: str(int(figure[0]) + 1), line)
    elif word == "end":
        yield f"end {other_than(rest[0], ['points:', 'rounds:'])} {' '.join(rest[1:])}"
        yield f"end {' '.join([rest[0], *rest[:0:-1]])}"
    elif word.endswith("."):
        leader, *cards = rest
        yield ""
        yield f"{word} {other_than(leader, NAMES)} {' '.join(cards)}"
        yield f"{word} {leader} {star_moved(cards)}"


def star_moved(cards: list[str]) -> str:
    """Another card of the trick wins."""
    (winner,) = (place for place, card in enumerate(cards) if card.startswith("*"))
    return " ".join(("*" if place == (winner + 1) % 3 else "") + card.strip("*") for place, card in enumerate(cards))


def other_than(word: str, choice: list[str]) -> str:
    return next(other for other in choice if other != word)
