"""Pages of how far a judge can be trusted: its card, and it beside people. They run no script."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..agreement import Agreement
from ..agreement.views import facts, headline, tables
from ..batch.outputs import whole_file
from ..files import as_text
from ..probe import Comparison
from ..probe.card import Card, KindCard, interval
from .building import check_report
from .page import write_page

MOST = 50
"""Disagreements that are shown."""


def write_agreement_report(found: Agreement, path: str | os.PathLike[str]) -> Path:
    """Writes the figures and disagreements as one HTML file, which needs no network.

    Raises:
        ConfigError: the name does not end in ``.html``, or the file cannot be written.
    """
    values = {
        "title": "Agreement with people",
        "sheet": found.sheet,
        "line": headline(found),
        "facts": list(facts(found)),
        "notes": [*([found.problem] if found.problem else []), *found.warnings],
        "judges": found.judges,
        "tables": list(tables(found)),
        "most": MOST,
    }
    return _written(path, "agreement", values)


def write_probe_report(shown: Card | Comparison, path: str | os.PathLike[str]) -> Path:
    """Writes a card, or a comparison with both cards, as one HTML file.

    Raises:
        ConfigError: the file cannot be written, or its name does not end in .html.
    """
    if isinstance(shown, Card):
        title, cards, compared = f"Blind spots of {shown.judge}", [shown], None
    else:
        title, cards = shown.title(), [shown.first, shown.second]
        compared = {"pairs": shown.kinds, "note": shown.note()}
    values = {"title": title, "cards": [_view(card) for card in cards], "compared": compared}
    return _written(path, "probe", values)


def _written(path: str | os.PathLike[str], template: str, values: Mapping[str, Any]) -> Path:
    file = check_report(path)
    with whole_file(file) as part, as_text(part, errors="replace") as text:
        write_page(text, f"{template}.html.jinja", values, scripts=())
    return file


def _view(card: Card) -> dict[str, Any]:
    blocks = [
        {"title": title, "bars": [_bar(*line) for line in block]} for title, block in card.blocks()
    ]
    return {"judge": card.judge, "blind": len(card.blind), "blocks": blocks, "notes": card.notes()}


def _bar(name: str, kind: KindCard, said: str) -> Mapping[str, Any]:
    """A row of a plot: the share that is wrong and its interval, from 0 to 100."""
    low, high = interval(kind.wrong, kind.asked)
    share = kind.wrong / kind.asked if kind.asked else 0.0
    return {
        "name": name,
        "said": said,
        "kind": kind,
        "share": 100 * share,
        "low": 100 * low,
        "high": 100 * high,
    }
