"""report.html in a real browser: its figures are report.json's, it loads nothing, and rude texts do nothing."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
import time
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import fastjsonschema
import pytest

from arena import reports
from arena.journal import Journal
from arena.live import LiveStandings
from arena.reports.html import page, replay, write_page
from arena.reports.json import report
from tests.chromium import Window, chromium
from tests.faulty_league import divided_league, faulty_league, large_league
from tests.home import CommandLine, played_league

Report = tuple[dict[str, Any], Path]
SCHEMA = json.loads(Path(str(reports.__file__)).with_name("report.schema.json").read_text("utf-8"))
ROWS = """
return [...document.querySelectorAll(arguments[0])].map(row => [row.dataset.bot,
  Object.fromEntries([...row.querySelectorAll("[data-is]")].map(cell => [cell.dataset.is, {
    text: cell.textContent.trim(), value: cell.querySelector("data")?.value ?? null,
    ...cell.querySelector(".around")?.dataset}]))])
"""
CELLS = """
return [...document.querySelectorAll(arguments[0] + " tbody tr")].map(row => [...row.querySelectorAll("td")].map(
  cell => [cell.dataset.value ?? cell.title, cell.textContent.trim()]))
"""


def written_report(journal: Journal, replays: int = 60) -> Report:
    live = LiveStandings(journal)
    document = report(journal, live.now(), live.figures)
    fastjsonschema.compile(SCHEMA)(document)
    return document, write_page(journal, document, live.figures, replays)


@pytest.fixture(scope="module")
def cup(tmp_path_factory: pytest.TempPathFactory) -> Report:
    return written_report(faulty_league(tmp_path_factory.mktemp("cup")))


@pytest.fixture(scope="module")
def split(tmp_path_factory: pytest.TempPathFactory) -> Report:
    return written_report(divided_league(tmp_path_factory.mktemp("split")))


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Window]:
    with chromium(tmp_path_factory.mktemp("profile")) as window:
        yield window


@pytest.fixture
def window(browser: Window) -> Iterator[Window]:
    """A window in which nothing may be complained about, and nothing asked for but the page itself."""
    browser.look()
    yield browser
    address = browser.chrome.current_url.partition("#")[0]
    assert browser.complaints() == []
    assert {url for url in browser.requests() if not url.startswith("data:")} == {address}


# The figures


def shown(value: float, places: int) -> str:
    return f"{value:.{places}f}".replace("-", "−")


def same(cell: dict[str, Any], value: float | None) -> None:
    """A cell has exactly this value, and shows it or a dash."""
    assert cell["value"] == (None if value is None else str(value))
    assert (cell["text"] == "–") is (value is None)


def same_interval(cell: dict[str, Any], mean: dict[str, Any], form: str) -> None:
    same(cell, mean["mean"])
    assert [cell.get("low"), cell.get("high")] == [
        None if mean[end] is None else str(mean[end]) for end in ("low", "high")
    ]
    if mean["mean"] is not None:
        assert cell["text"].split(" ± ")[0] == form.format(mean["mean"]).replace("-", "−")


@pytest.mark.parametrize("league", ["cup", "split"])
def test_the_standings_are_those_of_report_json(window: Window, league: str, request: pytest.FixtureRequest) -> None:
    document, path = request.getfixturevalue(league)
    window.open(path)
    rows = dict(window.run(ROWS, ".standings tr[data-bot]"))
    assert list(rows) == [row["bot"] for row in document["standings"]]
    for row in document["standings"]:
        cells = rows[row["bot"]]
        same_interval(cells["mu"], row["mu"], "{:.1f}")
        same_interval(cells["points"], row["points_a_round"], "{:+z.2f}")
        same(cells["careful"], row["mu_minus_3_sigma"])
        same(cells["think"], row["think_s"])
        for name in ("matches", "firsts", "seconds", "thirds"):
            assert cells[name]["value"] == (str(row[name]) if row["matches"] or name == "matches" else None)
        assert cells["faults"]["value"] == str(sum(row["faults"].values()))
        low, high = row["ranks"] or ("–", "–")
        assert cells["ranks"]["text"] == (f"{low}–{high}" if low != high else str(low))


def test_points_by_position_and_faults_are_those_of_report_json(window: Window, cup: Report) -> None:
    document, path = cup
    window.open(path)
    positions, faults = (dict(window.run(ROWS, f".{table} tr[data-bot]")) for table in ("positions", "counts"))
    for row in document["standings"]:
        for name, mean in row["points_by_position"].items():
            same_interval(positions[row["bot"]][name], mean, "{:+z.2f}")
        counts = {kind: number for kind, number in row["faults"].items() if number}
        cells = faults.get(row["bot"], {})
        assert {kind: int(cell["value"]) for kind, cell in cells.items() if cell["value"]} == counts
    assert sum(sum(row["faults"].values()) for row in document["standings"]) > 100


@pytest.mark.parametrize("league", ["cup", "split"])
def test_the_matrices_are_those_of_report_json(window: Window, league: str, request: pytest.FixtureRequest) -> None:
    document, path = request.getfixturevalue(league)
    window.open(path)
    table = document["crosstable"]
    better, ahead = window.run(CELLS, "#better"), window.run(CELLS, "#crosstable")
    for i, name in enumerate(table["bots"]):
        for j, other in enumerate(table["bots"]):
            chance, wins, losses = table["better"][i][j], table["ahead"][i][j], table["ahead"][j][i]
            assert better[i][j][0] == ("" if chance is None else str(chance)), (name, other)
            assert ahead[i][j][0] == (f"{wins} of {wins + losses}" if wins + losses else "")
            assert ahead[i][j][1] == (shown(100 * wins / (wins + losses), 0) if wins + losses else "·")
            assert better[i][j][1].strip("<>").isdigit() is (chance is not None)
    assert window.texts("#better tbody th") == table["bots"]


def test_the_history_ends_where_the_standings_are(window: Window, cup: Report) -> None:
    document, path = cup
    window.open(path)
    for row in document["standings"]:
        assert row["history"][-1] == {"matches": row["matches"], **row["mu"]}
    lasts = [f"{row['bot']} {shown(row['mu']['mean'], 1)}" for row in document["standings"]]
    assert window.texts("#progress figcaption") == lasts
    assert len(window.texts("#progress path.line")) == len(lasts)


def test_who_can_not_be_compared_is_set_apart(window: Window, split: Report, cup: Report) -> None:
    window.open(split[1])
    assert [text.split("  ")[0].split(" never")[0] for text in window.texts(".part span")] == [
        "Group 1",
        "Group 2",
        "Unrated no match played yet",
    ]
    ranks = window.run("return [...document.querySelectorAll('.standings td.rank')].map(cell => cell.textContent)")
    assert ranks == ["1", "2", "3", "1", "2", "3", "–"]
    assert window.texts(".headline") == []
    assert any("These groups never met" in note for note in window.texts(".note"))
    window.open(cup[1])
    assert window.texts(".part span") == ["Disqualified their matches stand, they have no rank"]
    assert window.texts(".apart td.rank") == ["out"]
    assert "ada" in window.texts(".headline")[0]


def test_faults_stand_there_with_their_reasons(window: Window, cup: Report) -> None:
    document, path = cup
    window.open(path)
    reasons = window.texts(".reasons li")
    assert len(reasons) == len(document["faults"]) == 9  # three of each bot's kind
    assert {(fault["bot"], fault["kind"]) for fault in document["faults"]} == {
        ("boom", "crash"),
        ("cheat", "illegal"),
        ("gone", "start"),
    }
    assert all("fault" in reason and "<script>alert(1)" in reason for reason in reasons)
    assert all("\\u202e\\x00\\x1b[31m" in reason for reason in reasons)


def test_how_it_was_run(window: Window, cup: Report, split: Report) -> None:
    document, path = cup
    window.open(path)
    (text,) = window.texts("#conditions")
    league = document["league"]
    for words in (
        league["seed"],
        league["commitment"],
        "Every pair" if league["design"] == "all" else "every pair of bots meets equally often",
        "1 s for a decision",
        "Struck out of a match with fault number 3",
        "None: bots could read and write what the arena can",
        "Set twelve-tricks: targets dealer 8, forehand 5, third hand 3",
        "misère",
        "claims the highest card of a suit",
        "with 12 tricks in a round, or after 10 rounds",
        f"three-five-eight-arena {document['arena']}",
    ):
        assert words in " ".join(text.split()), words
    assert any("without isolation" in note for note in window.texts(".note"))
    window.open(split[1])
    (text,) = window.texts("#conditions")
    assert split[0]["league"]["commitment"] in text
    assert (b"t" * 32).hex() not in split[1].read_text("utf-8")
    assert "the machine went down" in window.texts("#faults")[0]


# What it may do


def test_rude_texts_do_nothing(window: Window, cup: Report) -> None:
    window.open(cup[1])
    assert (
        window.run(
            "return document.querySelectorAll('img, iframe, object, embed, base, form, link[rel=stylesheet]').length"
        )
        == 0
    )
    assert window.run("return document.querySelectorAll('script:not([type=\"application/json\"])').length") == 1
    assert "49" not in window.texts(".standings th.bot")[0]
    descriptions = window.texts(".bots .words")
    assert len(descriptions) == 4
    assert all(text.startswith("</script><script>alert(1)</script><!--<script> '><img src=x") for text in descriptions)
    assert "{{ 7 * 7 }}" in descriptions[0]


def test_a_bot_named_script_harms_nothing(window: Window, cup: Report, tmp_path: Path) -> None:
    """Such a name can't be submitted; the page does not rely on that."""
    document, path = cup
    name = "<script>alert(3)</script>\"'><img src=x onerror=alert(4)>"
    text = json.dumps(document).replace('"ada"', json.dumps(name))
    rude = json.loads(text)
    for key in ("name", "begun", "commitment", "seed"):
        rude["league"][key] += name
    shows = json.loads(re.findall(r'class="replay"[^>]*>(.*?)</script>', path.read_text("utf-8"))[0])
    for seat in shows["seats"]:
        seat["bot"] = name
    (tmp_path / "rude.html").write_text(page(rude, [shows]), "utf-8")
    window.open(tmp_path / "rude.html")
    assert name in window.texts(".standings th.bot b")
    window.press("END")
    window.run("document.getElementById('viewer').focus()")
    window.press("END")
    assert window.texts("#place0 .name") == [name]
    assert (
        window.run("return document.querySelectorAll('img, body script:not(.replay):not([type=module])').length") == 0
    )


@pytest.mark.parametrize(
    "attack",
    [
        "document.body.innerHTML = '<img src=x onerror=\"window.hacked = 1\">'",
        "document.body.setAttribute('onclick', 'window.hacked = 1')",
        "document.body.append(Object.assign(document.createElement('script'), { text: 'window.hacked = 1' }))",
        "document.head.append(Object.assign(document.createElement('style'), { textContent: '.over { color: red }' }))",
        "document.body.setAttribute('style', 'color: red')",
        "document.body.append(Object.assign(document.createElement('img'), { src: 'https://example.org/a.png' }))",
        "new WebSocket('wss://example.org/')",
        "document.body.append(Object.assign(document.createElement('iframe'), { src: 'https://example.org/' }))",
        "fetch('https://example.org/')",
    ],
)
def test_nothing_runs_or_loads_but_the_pages_own(browser: Window, cup: Report, attack: str) -> None:
    """Even somebody who got a word in could do nothing with it: the browser refuses, and says so."""
    browser.open(cup[1])
    state = (
        "return [window.hacked, ...['body', '.over'].map(tag => getComputedStyle(document.querySelector(tag)).color)]"
    )
    before = browser.run(state)
    browser.run(f"try {{ {attack} }} catch (refused) {{ console.error(refused) }}")
    browser.run("document.body.click()")
    time.sleep(0.2)
    assert browser.run(state) == before
    assert [url for url in browser.requests() if url.startswith(("http", "ws"))] == []
    assert any(re.search("Content Security Policy|Trusted(Script|HTML)", said) for said in browser.complaints())


def test_the_policy_names_the_pages_script_and_style_by_their_digests(cup: Report) -> None:
    text = cup[1].read_text("utf-8")
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    policy = html.unescape(policy)
    assert "unsafe" not in policy
    assert policy.startswith("default-src 'none';")
    for kind, found in (
        ("style", re.findall(r"<style>(.*?)</style>", text, re.DOTALL)),
        ("script", re.findall(r'<script type="module">(.*?)</script>', text, re.DOTALL)),
    ):
        (own,) = found
        digest = base64.b64encode(hashlib.sha256(own.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy


def test_no_element_has_a_script_or_style_of_its_own(cup: Report) -> None:
    found: list[str] = []

    class Attributes(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            found.extend(name for name, _ in attrs)

    Attributes().feed(cup[1].read_text("utf-8"))
    assert "class" in found
    assert not [name for name in found if name == "style" or name.startswith("on") or name in ("src", "srcdoc")]


# How it looks


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [390, 1400])
def test_it_fits_the_screen_by_day_and_by_night(window: Window, cup: Report, width: int, dark: bool) -> None:
    window.look(width, 844, dark=dark)
    window.open(cup[1])
    assert window.run("return document.documentElement.scrollWidth") <= width
    red, green, blue = re.findall(r"\d+", window.run("return getComputedStyle(document.body).backgroundColor"))
    assert (max(int(red), int(green), int(blue)) < 60) is dark


def test_on_paper_the_figures_stand_without_what_only_a_screen_can_do(window: Window, cup: Report) -> None:
    window.look(paper=True, dark=True)
    window.open(cup[1])
    display = "return getComputedStyle(document.querySelector(arguments[0])).display"
    assert [window.run(display, part) for part in ("nav", "#replays", "#standings")] == ["none", "none", "block"]
    assert window.run("return getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


# Which matches are on it


def embedded(path: Path) -> list[dict[str, Any]]:
    return [json.loads(text) for text in re.findall(r'class="replay"[^>]*>(.*?)</script>', path.read_text("utf-8"))]


def test_a_bounded_choice_of_matches_is_embedded(tmp_path: Path) -> None:
    journal = faulty_league(tmp_path)
    document, path = written_report(journal, 5)
    matches = embedded(path)
    assert [match["kind"] for match in matches] == ["faults", "faults", "faults", "closest", "swings"]
    assert matches[0]["match"] in {fault["match"] for fault in document["faults"]}
    text = path.read_text("utf-8")
    assert "5 of 24 matches" in text
    others = {fault["match"] for fault in document["faults"]} - {match["match"] for match in matches}
    assert others
    assert all(f"arena show {match}" in text for match in others)
    document, path = written_report(journal, 24)
    assert [match["kind"] for match in embedded(path)] == ["all"] * 24
    document, path = written_report(journal, 0)
    assert embedded(path) == []
    assert "This page has no match to replay" in path.read_text("utf-8")


@pytest.mark.long
def test_a_page_of_ten_thousand_matches_stays_small(window: Window, tmp_path: Path) -> None:
    document, path = written_report(large_league(tmp_path))
    assert document["league"]["matches"]["played"] > 10_000
    assert len(embedded(path)) == 60
    assert path.stat().st_size < 3_000_000
    window.open(path)
    assert window.run("return document.getElementsByTagName('*').length") < 30_000
    assert window.texts("#said")[0].startswith("Round 1: ")
    kinds = [match["kind"] for match in embedded(path)]
    assert [kinds.count(kind) for kind in ("faults", "closest", "swings")] == [30, 15, 15]


def test_a_replay_is_the_record_with_the_reasons_of_its_faults() -> None:
    record = {name: [] for name in ("match", "rules", "seats", "end", "placing", "rounds", "clock", "limits")}
    shows = replay({**record, "faults": [{"kind": "crash", "seat": 1}]}, [{"why": "a\x07b" + 600 * "c"}], "faults")
    assert "clock" not in shows
    assert shows["faults"][0]["kind"] == "crash"
    assert shows["faults"][0]["why"].startswith("a\\x07bccc")
    assert len(shows["faults"][0]["why"]) < 520


def test_the_command_line_writes_both_reports(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = CommandLine(tmp_path / "home", capsys, monkeypatch)
    journal = played_league(tmp_path)
    code, out, _ = run("report", "demo", "--replays", "2")
    assert code == 0
    assert out.splitlines() == [f"Report: {journal.folder / name}" for name in ("report.json", "report.html")]
    assert len(embedded(journal.folder / "report.html")) == 2
    assert run("report", "demo", "--replays", "-1")[0] == 2
    assert run("run", "demo")[0] == 0
    assert len(embedded(journal.folder / "report.html")) == 12
