"""The replay viewer in a real browser: what it shows is what the referee dealt, asked and saw, step by step."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from arena.live import LiveStandings
from arena.reports.html import page, replay
from arena.reports.json import report
from protocol.cards import Card, Cards
from protocol.view import TurnKind, View
from referee.deal import board_seed
from referee.match import Match
from referee.record import Record, match_record, opened, recorded_choices
from referee.rules import rules_for
from tests.chromium import Window, chromium, written
from tests.faulty_league import faulty_league
from tests.table_words import play_at_random

# All that a reader sees of each step, from where the viewer stands to the end of the match.
WALK = """
const texts = selector => [...document.querySelectorAll(selector)].map(found => found.textContent);
const cards = selector => [...document.querySelectorAll(selector + " .card")].map(card => card.dataset.card ?? "back");
const steps = [];
for (;;) {
  steps.push({count: texts("#count")[0], said: texts("#said")[0], fault: texts("#fault .line"),
    hands: [0, 1, 2].map(place => cards("#place" + place)),
    names: [0, 1, 2].map(place => texts(`#place${place} .name`)[0]),
    taken: [0, 1, 2].map(place => texts(`#place${place} .tricks b`)[0]),
    table: cards("#middle .trick"), won: document.querySelectorAll("#middle .winner").length,
    turn: texts(".turn .name"), tags: texts(".tag"),
    seen: [...cards("#viewer").filter(card => card !== "back"), ...texts("#viewer .pips")]});
  const before = texts("#count")[0];
  document.getElementById("on").click();
  if (texts("#count")[0] === before) return steps;
}
"""
Step = dict[str, Any]


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Window]:
    with chromium(tmp_path_factory.mktemp("profile")) as window:
        yield window


@pytest.fixture
def window(browser: Window) -> Iterator[Window]:
    browser.look()
    yield browser
    assert browser.complaints() == []


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Some report: what it says does not matter here."""
    journal = faulty_league(tmp_path_factory.mktemp("any"))
    live = LiveStandings(journal)
    return report(journal, live.now(), live.figures)


@pytest.fixture(scope="module")
def faulty(document: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Record], Path]:
    """Records of a league with faults, and a page of them."""
    folder = tmp_path_factory.mktemp("faulty")
    journal = faulty_league(folder)
    places = [(fault["match"].split("/")[1:]) for fault in document["faults"]]
    matches = [journal.record(int(board), int(seating)) for board, seating in dict.fromkeys(map(tuple, places))]
    (folder / "page.html").write_text(page(document, [replay(*match, "faults") for match in matches]), "utf-8")
    return [record for record, _ in matches], folder / "page.html"


def played(set_name: str, variants: tuple[str, ...] = (), fields: dict[str, str] | None = None) -> Record:
    """A match of lea, kim and max at random."""
    match = play_at_random(Match(rules_for(set_name, variants, fields), board_seed(b"viewer", 3)))
    return match_record(
        match,
        name="demo/3/2",
        number=3,
        seats=[{"bot": name, "version": "sha256:0"} for name in ("lea", "kim", "max")],
        limits={},
        faults=[],
        clock=[],
    )


def shown(window: Window, document: dict[str, Any], folder: Path, record: Record, link: str = "") -> list[Step]:
    """Every step of a match as the viewer shows it."""
    (folder / "page.html").write_text(page(document, [replay(record, [], "all")]), "utf-8")
    window.open(folder / "page.html", link)
    steps: list[Step] = window.run(WALK)
    return steps


def asked(record: Record, steps: list[Step]) -> Iterator[tuple[Match, Step, Step]]:
    """For each turn of the match: how it stood when the seat was asked, the step before the turn, and that after."""
    match = opened(record)
    choices = iter([choice for written in record["rounds"] for _, choice in recorded_choices(written)])
    for before, after in pairwise(steps):
        if after["count"].startswith(f"decision {match.decision} "):
            yield match, before, after
            match.choose(next(choices))
    assert match.over


RULES = [
    ("announcer", (), {}),
    ("ten-points", ("double-payment",), {}),
    ("twelve-tricks", ("misere", "no-trump", "rotating-targets"), {"max_rounds": "4", "tricks_to_win": "none"}),
    ("six-three-eight", (), {"max_rounds": "6"}),
]


@pytest.mark.parametrize(("set_name", "variants", "fields"), RULES)
def test_every_step_is_as_the_referee_had_it(
    window: Window, document: dict[str, Any], tmp_path: Path, set_name: str, variants: tuple[str, ...], fields: Any
) -> None:
    record = played(set_name, variants, fields)
    steps = shown(window, document, tmp_path, record)
    turns = 0
    for match, before, after in asked(record, steps):
        turns += 1
        assert match.kind
        rnd = match.round
        assert [Cards.of(map(Card, hand)) for hand in before["hands"]] == [Cards(hand) for hand in rnd.hands]
        assert before["taken"] == [str(taken) for taken in rnd.taken]
        on_table = [str(card) for card in match.view(match.seat).trick]
        assert before["table"] == on_table or (not on_table and before["won"] in (0, 1))
        assert after["turn"] == [record["seats"][match.seat]["bot"]]
        assert SAYS[match.kind] in after["said"]
    assert turns == sum(len(list(recorded_choices(written))) for written in record["rounds"])
    first, second, third = (record["seats"][record["placing"].index(place)]["bot"] for place in (1, 2, 3))
    assert steps[-1]["said"].startswith(f"{first} wins, {second} is second, {third} third: ")


SAYS = {
    TurnKind.GIVE: "gives",
    TurnKind.CLAIM: "claims",
    TurnKind.GIVE_BACK: "back to",
    TurnKind.DECLARE: "announces",
    TurnKind.DISCARD: "puts aside",
    TurnKind.PLAY: " ",
}


@pytest.mark.parametrize(("set_name", "variants", "fields"), RULES[1:])
@pytest.mark.parametrize("seat", [0, 2])
def test_a_seat_is_shown_what_its_view_has_and_no_card_more(
    window: Window,
    document: dict[str, Any],
    tmp_path: Path,
    set_name: str,
    variants: tuple[str, ...],
    fields: Any,
    seat: int,
) -> None:
    record = played(set_name, variants, fields)
    name = record["match"]
    steps = shown(window, document, tmp_path, record, f"#match={name}&step=1&seat={seat}")
    names = [one["bot"] for one in record["seats"]]
    for match, before, _ in asked(record, steps):
        view = match.view(seat)
        own, left, right = before["hands"]
        assert before["names"] == [names[seat], names[(seat + 1) % 3], names[(seat + 2) % 3]]
        assert Cards.of(map(Card, own)) == view.hand
        assert set(left + right) <= {"back"}
        assert len(left + right) == sum(len(Cards(hand)) for hand in match.round.hands) - len(view.hand)
        seen = {card for card in map(written, before["seen"]) if len(card) == 2}  # one letter is a suit
        assert {Card(card) for card in seen} <= known(view, match)


def known(view: View, match: Match) -> set[Card]:
    """All cards that a seat may know of: its own, those played, and those of its exchanges."""
    cards = set(view.hand | view.gone() | view.discard | view.kitty)
    for exchange in view.exchanges:
        cards |= {card for card in (exchange.gave, exchange.got) if card is not None}
    claimed = match.round.claimed
    if claimed is not None and view.seat in (match.seat, match.round.partner):
        cards.add(claimed)
    return cards


# Faults


def test_faults_are_marked_where_they_happened(window: Window, faulty: tuple[list[Record], Path]) -> None:
    records, path = faulty
    for record in (records[0], records[-1]):
        window.open(path, f"#match={record['match']}")
        steps = window.run(WALK)
        names = [seat["bot"] for seat in record["seats"]]
        out: set[str] = set()
        for step in steps[:-1]:
            decision = step["count"].partition(" · ")[0].removeprefix("decision ") if " · " in step["count"] else None
            here = [fault for fault in record["faults"] if str(fault["decision"]) == decision]
            if step is steps[0]:
                here = [fault for fault in record["faults"] if fault["decision"] is None]
            assert [line.split(". ")[0] for line in step["fault"]] == [
                f"{names[fault['seat']]}: {fault['kind']}" for fault in here
            ]
            assert all(
                f"fault {record['faults'].index(fault)}: " in line
                for fault, line in zip(here, step["fault"], strict=True)
            )
            if here and decision:
                assert "’s stand-in" in step["said"]
            out |= {names[fault["seat"]] for fault in here if fault["struck_out"]}
            assert step["tags"].count("struck out") == len(out)
        marks = window.run("return document.querySelectorAll('#marks .fault').length")
        assert marks == len({fault["decision"] for fault in record["faults"]})


def test_another_seat_is_not_told_why_a_bot_failed(window: Window, faulty: tuple[list[Record], Path]) -> None:
    """The reason may name cards of its hand."""
    records, path = faulty
    record = next(record for record in records if record["faults"][0]["kind"] == "illegal")
    fault = record["faults"][0]
    link = f"#match={record['match']}&decision={fault['decision']}&seat="
    window.open(path, link + str(fault["seat"]))
    assert "fault 0: " in window.texts("#fault")[0]
    window.open(path, link + str((fault["seat"] + 1) % 3))
    assert "the answer is against the rules" in window.texts("#fault")[0]
    assert "fault 0: " not in window.texts("#fault")[0]
    assert "The stand-in chose" not in window.texts("#fault")[0]


# Going about


def step(window: Window) -> tuple[int, int]:
    """The step shown, and how many there are."""
    number, _, all_steps = window.texts("#count")[0].split("step ")[1].partition(" of ")
    return int(number), int(all_steps)


@pytest.fixture
def match(window: Window, document: dict[str, Any], tmp_path: Path) -> Record:
    """A match that is opened, with the focus on the viewer."""
    record = played("ten-points")
    (tmp_path / "page.html").write_text(page(document, [replay(record, [], "all")]), "utf-8")
    window.open(tmp_path / "page.html", "#match=demo/3/2")
    return record


def test_keys_step_through_the_whole_match(window: Window, match: Record) -> None:
    first, last = step(window)
    assert first == 1
    for number in range(2, last + 1, 10):
        window.press(*["ARROW_RIGHT"] * 10)
        assert step(window)[0] == min(number + 9, last)
    assert " wins, " in window.texts("#said")[0]
    window.press("ARROW_RIGHT")
    assert step(window) == (last, last)
    window.press("ARROW_LEFT", "ARROW_LEFT")
    assert step(window) == (last - 2, last)


def test_keys_for_tricks_rounds_and_the_ends(window: Window, match: Record) -> None:
    window.press("PAGE_DOWN")
    assert window.texts("#said") == [f"Round 2: {match['seats'][match['rounds'][1]['dealer']]['bot']} deals."]
    window.press("PAGE_UP", "ARROW_DOWN", "ARROW_DOWN", "ARROW_DOWN", "ARROW_DOWN", "ARROW_DOWN")
    assert window.texts("#middle .winner") != []
    assert len(window.texts("#tricks li")) == 2
    window.press("ARROW_UP")
    assert len(window.texts("#tricks li")) == 1
    window.press("END")
    assert step(window)[0] == step(window)[1]
    window.press("HOME")
    assert step(window)[0] == 1


def test_buttons_slider_and_score_sheet(window: Window, match: Record) -> None:
    _, last = step(window)
    for button, wanted in {"on": 2, "last": last, "first": 1, "round-on": None, "back": None, "round-back": 1}.items():
        window.click(f"#{button}")
        assert wanted is None or step(window)[0] == wanted
    window.click("#sheet tbody tr:nth-child(2) button")
    assert window.texts("#said")[0].startswith("Round 2: ")
    window.chrome.find_element("id", "step").send_keys("\ue00f", "\ue012")  # its own Page Down, its own left
    assert 1 < step(window)[0] < last
    sheet = [
        [text.replace("−", "-") for text in window.texts(f"#sheet tbody tr:nth-child({n}) td.number")]
        for n in range(1, len(match["rounds"]) + 1)
    ]
    assert [[int(text) for text in row] for row in sheet] == [
        [number for pair in zip(written["score"], written["totals"], strict=True) for number in pair]
        for written in match["rounds"]
    ]


def test_it_plays_by_itself_and_pauses(window: Window, match: Record) -> None:
    window.run("document.getElementById('speed').value = '120'")
    window.press("SPACE")
    assert window.texts("#play") == ["Pause"]
    deadline = time.monotonic() + 20
    while step(window)[0] < 4 and time.monotonic() < deadline:
        time.sleep(0.05)
    window.press("SPACE")
    stopped = step(window)[0]
    assert stopped >= 4
    assert window.texts("#play") == ["Play"]
    time.sleep(0.3)
    assert step(window)[0] == stopped


def test_keys_choose_whose_cards_are_seen(window: Window, match: Record) -> None:
    backs = "return [0, 1, 2].map(place => document.querySelectorAll(`#place${place} .back`).length)"
    assert window.run(backs) == [0, 0, 0]
    window.press("1")
    assert window.texts("#place0 .name") == ["kim"]
    assert window.run(backs) == [0, 16, 16]
    assert window.run("return document.getElementById('sight-1').checked")
    window.press("a")
    assert window.run(backs) == [0, 0, 0]
    assert window.texts("#place0 .name") == ["lea"]


def test_each_step_has_a_link(window: Window, match: Record, tmp_path: Path) -> None:
    window.press("2", *["ARROW_RIGHT"] * 6)
    link = window.run("return document.getElementById('link').getAttribute('href')")
    assert link == "#match=demo/3/2&step=7&seat=2"
    time.sleep(0.5)
    assert window.chrome.current_url.endswith(link)
    said = window.texts("#said")
    window.open(tmp_path / "page.html", link)
    assert window.texts("#said") == said
    assert window.texts("#place0 .name") == ["max"]
    window.run("location.hash = '#match=demo/3/2&step=2'")
    time.sleep(0.2)
    assert step(window)[0] == 2


@pytest.mark.parametrize(
    "link",
    [
        "#match=demo/3/2&step=99999",
        "#match=demo/3/2&step=-4&seat=9",
        "#match=demo/3/2&step=x",
        "#match=demo/3/2&decision=77777",
    ],
)
def test_a_wrong_link_leads_somewhere(window: Window, match: Record, tmp_path: Path, link: str) -> None:
    window.open(tmp_path / "page.html", link)
    number, last = step(window)
    assert number in (1, last)


def test_a_link_to_a_match_that_is_not_there_says_so(window: Window, match: Record, tmp_path: Path) -> None:
    window.open(tmp_path / "page.html", "#match=<img>/3/2")
    assert window.texts("#missing") == ["<img>/3/2 is not among the matches of this page."]
    assert window.run("return document.getElementById('missing').hidden") is False
    assert step(window)[0] == 1


def test_a_match_is_chosen_and_its_faults_are_found(window: Window, faulty: tuple[list[Record], Path]) -> None:
    records, path = faulty
    window.open(path)
    assert [option.split(" ")[0] for option in window.texts("#match option")] == [
        record["match"].partition("/")[2] for record in records
    ]
    wanted = records[2]
    window.chrome.find_element("css selector", f"#match option[value='{wanted['match']}']").click()
    assert window.run("return document.getElementById('link').getAttribute('href')").startswith(
        f"#match={wanted['match']}&"
    )
    decisions = [fault["decision"] for fault in wanted["faults"] if fault["decision"] is not None]
    window.run("document.getElementById('viewer').focus()")
    for decision in decisions:
        window.press("f")
        assert window.texts("#count")[0].startswith(f"decision {decision} · ")
    linked = window.run("return [...document.querySelectorAll('.reasons a')].map(link => link.hash)")
    assert linked
    window.open(path, linked[-1])
    assert window.run("return document.getElementById('fault').hidden") is False
