"""The sample bots' classes, and questions to ask a bot without a match."""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from protocol.bot import Bot
from protocol.cards import Cards
from protocol.view import Rules, TurnKind, View

FOLDER = Path(__file__).parent.parent / "sample_bots"
SOME_VIEW = View(rules=Rules(), seat=0, round=0, dealer=0, totals=(0, 0, 0), last_scores=None, hand=Cards(0))


def bot_of(name: str) -> type[Bot]:
    """The class of a sample bot, loaded from its folder as Python would: with the folder's own modules for itself."""
    folder = FOLDER / name
    module_name = f"sample_bots.{name.replace('-', '_')}"
    if module_name not in sys.modules:
        spec = importlib.util.spec_from_file_location(module_name, folder / "bot.py")
        assert spec
        assert spec.loader
        module = importlib.util.module_from_spec(spec)
        sys.path.insert(0, str(folder))
        try:
            spec.loader.exec_module(module)
        finally:
            sys.path.remove(str(folder))
            for own in {path.stem for path in folder.glob("*.py")} & set(sys.modules) - {"bot"}:
                sys.modules[f"{module_name}.{own}"] = sys.modules.pop(own)
        sys.modules[module_name] = module
    classes = [value for value in vars(sys.modules[module_name]).values() if isinstance(value, type)]
    (bot,) = (value for value in classes if issubclass(value, Bot) and value is not Bot)
    return bot


def asked(kind: TurnKind, hand: str, **known: Any) -> View:
    """A view that asks this of somebody who holds these cards and may choose any of them."""
    cards = Cards.read(hand)
    values: dict[str, Any] = {"kind": kind, "hand": cards, "legal_cards": cards}
    values["count"] = 4 if kind is TurnKind.DISCARD else 1
    return replace(SOME_VIEW, **values | known)
