"""The card of a judge's blind spots, or those of two judges, as an HTML page with plots."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..batch.outputs.files import whole_file
from ..files import as_text
from ..probe.card import Card, KindCard
from ..probe.intervals import interval
from .building import check_report
from .page import write_page

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping
    from pathlib import Path

    from ..probe import Comparison


def write_probe_report(shown: Card | Comparison, path: str | os.PathLike[str]) -> Path:
    """Writes a card, or a comparison with both cards, as one HTML file without a script.

    Raises:
        ConfigError: the file cannot be written, or its name does not end in .html.
    """
    file = check_report(path)
    if isinstance(shown, Card):
        title, cards, compared = f"Blind spots of {shown.judge}", [shown], None
    else:
        title, cards = shown.title(), [shown.first, shown.second]
        compared = {"pairs": shown.kinds, "note": shown.note()}
    values = {"title": title, "cards": [_view(card) for card in cards], "compared": compared}
    with whole_file(file) as part, as_text(part, errors="replace") as text:
        write_page(text, "probe.html.jinja", values, ())
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
        "is_blind": kind.is_blind,
        "share": 100 * share,
        "low": 100 * low,
        "high": 100 * high,
    }
