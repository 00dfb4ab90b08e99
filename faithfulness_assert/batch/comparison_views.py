"""A comparison for people: as text for a terminal, and as Markdown for a pull request.

Ids, statements and names come from data sets and models. In Markdown each stands as code whose
signs are all written as numbers, so that it can be no markup, link, mention or picture.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..text.strings import clip, visible
from .paired_tests import FALSE_ALARMS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from .comparison import Change, Comparison

    Quoted = Callable[[str], str]

MOST_CHARACTERS = 50_000
"""Of Markdown: GitHub takes comments of up to 65,536."""
MOST_FLIPS = 5
TEXT = 160
"""Characters of a statement that are shown."""


def as_text(comparison: Comparison) -> str:
    """The comparison in plain text. Texts in it are not yet escaped for a terminal."""
    lines = [_verdict(comparison), ""]
    for name, a, b in [("", "A", "B"), *rows_of(comparison)]:
        lines.append(f"{name:24} {a:>14} {b:>14}")
    lines += ["", *_facts(comparison, clip)]
    for change in comparison.shown:
        lines += _change_lines(change, lambda text: clip(text, TEXT), "  ", "    ")
    return "\n".join([*lines, *_rest(comparison, len(comparison.shown))])


def as_markdown(comparison: Comparison) -> str:
    """The comparison as GitHub's Markdown, short enough for a comment."""
    lines = [f"### Faithfulness: {_verdict(comparison)}", "", "| | A | B |", "|---|---|---|"]
    lines += [f"| {name} | {a} | {b} |" for name, a, b in rows_of(comparison)]
    lines += ["", *(f"- {fact}" for fact in _facts(comparison, code)), ""]
    size, shown = sum(map(len, lines)), 0
    for change in comparison.shown:
        entry = list(_change_lines(change, code, "- ", "  - "))
        size += sum(map(len, entry)) + len(entry)
        if size > MOST_CHARACTERS:
            break
        lines += entry
        shown += 1
    return "\n".join([*lines, "", *_rest(comparison, shown)]).rstrip() + "\n"


def code(text: str) -> str:
    """A text as inline code of Markdown that shows it as it is, whatever it contains."""
    shown = visible(clip(text, TEXT))
    signs = (c if c.isalnum() or c == " " else f"&#{ord(c)};" for c in shown)
    return f"<code>{''.join(signs)}</code>"


def _verdict(comparison: Comparison) -> str:
    return "B is worse than A" if comparison.worse else "B is not worse than A"


def rows_of(comparison: Comparison) -> list[tuple[str, ...]]:
    """What is compared, and its values in A and in B."""
    of = comparison.compared
    rows: dict[str, Iterable[str]] = {
        "passed": (f"{passed:,} of {of:,}" for passed in comparison.passed),
        "mean score": (f"{score / of:.3f}" for score in comparison.scores),
        "could not be graded": (f"{errors:,}" for errors in comparison.errors),
        "cases only here": (f"{only:,}" for only in comparison.only),
    }
    return [(name, *values) for name, values in rows.items()]


def _facts(comparison: Comparison, quoted: Quoted) -> Iterator[str]:
    kinds, tests = comparison.kinds, comparison.tests
    yield (
        f"{kinds['regressed']:,} regressed, {kinds['improved']:,} improved, {kinds['status']:,} "
        f"with another status, {kinds['score']:,} with another score"
    )
    yield (
        f"p = {tests.passes:.4f} for passes (McNemar), p = {tests.scores:.4f} for scores (sign "
        f"flips); worse: one of them is at most {FALSE_ALARMS / 2:g}"
    )
    if comparison.other_input:
        yield f"{comparison.other_input:,} cases have another answer, context or question in B"
    for note in comparison.notes:
        yield note.text if note.quote is None else f"{note.text} {quoted(note.quote)}"


def _change_lines(change: Change, quoted: Quoted, first: str, other: str) -> Iterator[str]:
    before, after = change.before, change.after
    what = "another status" if change.kind == "status" else change.kind
    what = "another score" if what == "score" else what
    yield (
        f"{first}{what}: {quoted(change.case_id)}: "
        f"{before.status} {before.score:.2f} -> {after.status} {after.score:.2f}"
    )
    for flip in change.flips[:MOST_FLIPS]:
        labels = f"{flip.before or 'unresolved'} -> {flip.after or 'unresolved'}"
        yield f"{other}{labels}: {quoted(flip.statement)}"
    if len(change.flips) > MOST_FLIPS:
        yield f"{other}and {len(change.flips) - MOST_FLIPS} more statements"


def _rest(comparison: Comparison, shown: int) -> list[str]:
    left = sum(comparison.kinds.values()) - shown
    return [f"and {left:,} more changed cases"] if left else []
