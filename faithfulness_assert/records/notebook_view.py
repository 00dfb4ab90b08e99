"""A result as a fragment of HTML for notebooks: no script, only inline styles, every text escaped.

Colours only repeat what marks and words say, and are legible on a light and on a dark page.
"""

from __future__ import annotations

from collections import Counter
from html import escape
from typing import TYPE_CHECKING

from ..text.strings import clip, visible
from .verdict_words import MARKS, in_words, wrong_in_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .model import Verdict
    from .result import GradingResult

MOST_STATEMENTS = 100
"""Statements that are shown, those with a problem first. Of more, only the number is told."""
MOST_EVIDENCE = 5
MAX_TEXT = 1000
MAX_LABEL = 60
MOST_RESULTS = 20
"""Results of a list that are shown."""
MAX_REASON = 300

_GREEN, _RED, _AMBER, _GREY = "#2a9d5c", "#d64550", "#b8860b", "#808080"
_OUTCOMES = {"PASS": _GREEN, "ERROR": _AMBER, "FAIL": _RED}
_COLOURS = {"+": _GREEN, "x": _RED, "?": _RED, "~": _AMBER, "!": _AMBER}
_CELL = "text-align:left;vertical-align:top;padding:.3em .6em;white-space:normal"
_OPEN = '<div class="tex2jax_ignore mathjax_ignore" style="max-width:60em;line-height:1.4">'
_QUIET = "opacity:.8;font-size:.92em"


def notebook_view(result: GradingResult) -> str:
    """The result as HTML. Its classes keep MathJax from reading texts as formulas."""
    return f"{_OPEN}{''.join(_parts(result))}</div>"


def notebook_list(results: Sequence[GradingResult]) -> str:
    """Many results, the worst first, as HTML: how many passed, and a table of the first ones."""
    outcomes = Counter(result.outcome for result in results)
    said = {"PASS": "passed", "FAIL": "failed", "ERROR": "could not be graded"}
    told = ", ".join(f"{outcomes[name]:,} {words}" for name, words in said.items())
    worst = results[:MOST_RESULTS]
    rows = "".join(map(_list_row, worst))
    heads = "".join(f'<th style="{_CELL}">{name}</th>' for name in ("", "score", "case", "reason"))
    more = len(results) - len(worst)
    return (
        f"{_OPEN}<p><b>{len(results):,} results</b>: {told}</p>{_table(heads, rows)}"
        f"{_line(f'and {more:,} more; to_frame() has all') if more else ''}</div>"
    )


def _list_row(result: GradingResult) -> str:
    edge = f"border-left:4px solid {_OUTCOMES[result.outcome]};{_CELL}"
    score = "none" if result.score is None else f"{result.score:.2f}"
    cells = (score, result.case_id, result.short_reason)
    texts = "".join(f'<td style="{_CELL}">{_text(cell, MAX_REASON)}</td>' for cell in cells)
    return f'<tr><td style="{edge}"><b>{result.outcome}</b></td>{texts}</tr>'


def _parts(result: GradingResult) -> Iterator[str]:
    yield _head(result)
    yield _line(result.short_reason)
    shown = sorted(result.verdicts, key=lambda verdict: verdict.is_fine)[:MOST_STATEMENTS]
    if shown:
        rows = "".join(map(_row, sorted(shown, key=lambda v: v.id)))
        widths = {"label": "20%", "statement": "40%", "evidence": "40%"}
        heads = "".join(f'<th style="{_CELL};width:{w}">{n}</th>' for n, w in widths.items())
        yield _table(heads, rows)
    if more := len(result.verdicts) - len(shown):
        yield _line(f"and {more:,} more statements")
    for name, kept, _ in result.ratings():
        yield _line(f"{name}: {kept:g}")
    if result.citations is not None and result.citations.invalid_citations:
        yield _line(f"cited, but not there: {', '.join(result.citations.invalid_citations)}")
    for warning in result.warnings:
        yield _line(f"! {warning}")
    yield _line(f"policy {result.policy}, judge {result.judge}")


def _head(result: GradingResult) -> str:
    colour = _OUTCOMES[result.outcome]
    score = "no score" if result.score is None else f"score {result.score:.2f}"
    badge = f"border:2px solid {colour};border-radius:.3em;padding:0 .5em"
    told = f"{score}, threshold {result.threshold:.2f} ({result.status})"
    name = f" {_text(result.case_id, MAX_LABEL)}" if result.case_id else ""
    return f'<p><b style="{badge}">{result.outcome}</b> <b>{_text(told)}</b>{name}</p>'


def _row(verdict: Verdict) -> str:
    mark = MARKS[verdict.label]
    edge = f"border-left:4px solid {_COLOURS.get(mark, _GREY)};{_CELL}"
    evidence = "".join(
        f"<div><b>{_text(e.passage, MAX_LABEL)}:{e.sentence}</b> {_text(e.text)}</div>"
        for e in verdict.evidence[:MOST_EVIDENCE]
    )
    said = [text for text in (wrong_in_words(verdict), verdict.reason) if text]
    reason = "".join(f'<div style="{_QUIET}">{_text(text)}</div>' for text in said)
    label = f'<td style="{edge}">{_text(mark)}&nbsp;{_text(in_words(verdict))}</td>'
    statement = f'<td style="{_CELL}">{verdict.id}. {_text(verdict.statement)}{reason}</td>'
    return f'<tr>{label}{statement}<td style="{_CELL}">{evidence or "none"}</td></tr>'


def _table(heads: str, rows: str) -> str:
    body = f"<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody>"
    return f'<table style="border-collapse:collapse;width:100%;margin:.5em 0">{body}</table>'


def _line(text: str) -> str:
    return f'<p style="{_QUIET};margin:.2em 0">{_text(text)}</p>'


def _text(text: str, limit: int = MAX_TEXT) -> str:
    """A text on one line, clipped, with hidden characters shown, and escaped."""
    return escape(visible(clip(str(text), limit)))
