"""A real Chromium without a window, in which pages are opened from disk and watched."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver import Chrome, ChromeOptions, Keys
from selenium.webdriver.chrome.service import Service

FLAGS = (
    *("headless", "no-sandbox", "disable-gpu", "disable-quic", "no-first-run", "disable-dev-shm-usage"),
    *("disable-background-networking", "disable-component-update", "disable-sync"),
)
MARKS = {"♠": "S", "♥": "H", "♦": "D", "♣": "C", "\N{VARIATION SELECTOR-15}": "", "10": "T"}


@contextmanager
def chromium(profile: Path) -> Iterator[Window]:
    """A browser with an empty profile; skips the test where none is installed."""
    program, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not program or not driver:
        pytest.skip("no Chromium is installed: apt-get install chromium chromium-driver")
    options = ChromeOptions()
    options.binary_location = program
    for flag in (*FLAGS, f"user-data-dir={profile}"):
        options.add_argument(f"--{flag}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    chrome = Chrome(options, Service(driver))
    try:
        yield Window(chrome)
    finally:
        chrome.quit()


class Window:
    """The window of a browser."""

    def __init__(self, chrome: Chrome) -> None:
        self.chrome = chrome
        self.look()

    def look(self, width: int = 1400, height: int = 1000, *, dark: bool = False, paper: bool = False) -> None:
        """Sets the size of the screen, and what the reader prefers."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        media = {"media": "print" if paper else "", "features": [scheme]}
        self.chrome.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        self.chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", media)

    def open(self, page: Path, link: str = "") -> None:
        """Opens a file anew."""
        self.chrome.get("about:blank")
        self.chrome.get_log("browser")
        self.chrome.get_log("performance")
        self.chrome.get(page.as_uri() + link)

    def run(self, script: str, *arguments: Any) -> Any:
        """Runs a script as a developer at the console would; gives what it returns."""
        return self.chrome.execute_script(script, *arguments)

    def texts(self, selector: str) -> list[str]:
        """The text of each element that a CSS selector finds, shown or not."""
        found: list[str] = self.run(
            "return [...document.querySelectorAll(arguments[0])].map(found => found.textContent.trim())", selector
        )
        return found

    def click(self, selector: str) -> None:
        self.chrome.find_element("css selector", selector).click()

    def press(self, *keys: str) -> None:
        """Presses keys where the focus is."""
        self.chrome.switch_to.active_element.send_keys(*(getattr(Keys, key, key) for key in keys))

    def complaints(self) -> list[str]:
        """What the console says: errors, refusals by the Content-Security-Policy."""
        return [entry["message"] for entry in self.chrome.get_log("browser")]

    def requests(self) -> list[str]:
        """The addresses of all that was asked for since the page was opened, but for what the page's own policy kept
        from being sent (of which the console complains)."""
        events = [json.loads(entry["message"])["message"] for entry in self.chrome.get_log("performance")]
        asked, kept = {}, set()
        for event in events:
            told = event["params"]
            if event["method"] == "Network.requestWillBeSent":
                asked[told["requestId"]] = told["request"]["url"]
            elif event["method"] == "Network.loadingFailed" and told.get("blockedReason") == "csp":
                kept.add(told["requestId"])
        return [address for number, address in asked.items() if number not in kept]


def written(shown: str) -> str:
    """``10♥`` as records write it: ``TH``."""
    for mark, letter in MARKS.items():
        shown = shown.replace(mark, letter)
    return shown
