"""A case for people: one line if it passes, else what is wrong with it, beside the context.

It yields lines of plain text with the names of styles. The command line wraps and colours them, and
a failed test shows them as they are.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from ..asking.ranking import nearest_sentences
from ..cases.case import Case
from ..policy.scoring import CHECK
from ..records.judge import PROMPT_CUT
from ..records.model import Evidence, Verdict
from ..records.result import GradingResult
from ..records.views import MARKS, doubt, in_words, lost_points, wrong_in_words
from ..text.strings import clip, counted, visible

MOST_PROBLEMS = 10
"""Statements that are shown. Of more, only the number is told."""
MOST_EVIDENCE = 3
MOST_WARNINGS = 5
MAX_NAME = 60
MAX_REASON = 600
LONG = 400
"""Characters of the answer between two marks. Of more, the middle is left out."""

STYLES = {
    "PASS": "bold green",
    "FAIL": "bold red",
    "ERROR": "bold yellow",
    "+": "yellow",
    "x": "red",
    "?": "red",
    "~": "yellow",
    "!": "yellow",
}


class Shown(NamedTuple):
    """A line: pieces of text, each with a style, after ``indent`` spaces.

    It may be wrapped, then with ``hanging`` more spaces, unless it has to stay ``single``.
    """

    pieces: tuple[tuple[str, str], ...]
    indent: int = 2
    hanging: int = 0
    single: bool = False


BLANK = Shown(())


def plain(text: str, indent: int = 2, hanging: int = 0) -> Shown:
    """A line without a style."""
    return Shown(((text, ""),), indent, hanging)


def warning(text: str, indent: int = 2) -> Shown:
    """A line that a reader should not miss."""
    return Shown((("! ", "yellow"), (text, "")), indent, 2)


def shown_case(result: GradingResult, number: int, case: Case | None) -> Iterator[Shown]:
    """The lines of a case. ``case`` is what was graded, or None if that cannot be read."""
    if result.pass_:
        status = "" if result.status == "graded" else f"[{result.status}]"
        counts = result.metadata.get("reasonParts", {}).get("found", status)
        yield _head(result, number, counts, single=True)
        if lost := lost_points(result):
            yield warning(lost)
        for verdict in result.verdicts:
            if verdict.is_fine and (problem := doubt(verdict)):
                yield warning(f"{problem}: {clip(verdict.statement)}")
        return
    yield _head(result, number, "")
    yield from failure(result, case)


def as_text(lines: Iterable[Shown]) -> str:
    """Lines without styles, and without what a terminal or the log of a CI acts on."""
    return "\n".join(
        visible(" " * line.indent + row).rstrip()
        for line in lines
        for row in "".join(text for text, _ in line.pieces).split("\n")
    )


def failure(result: GradingResult, case: Case | None) -> Iterator[Shown]:
    """Why a result does not pass. ``case`` is what was graded, or None if that cannot be read."""
    yield plain(_why(result))
    problems = [v for v in result.problems() if v.label or not result.error]
    shown = problems[:MOST_PROBLEMS]
    if case is not None and any(verdict.span for verdict in shown):
        yield BLANK
        wanted = {verdict.id for verdict in shown}
        yield _answer(case.answer, result.verdicts, wanted, whole=shown == problems)
    nearest = {}
    if case is not None:
        bare = [verdict for verdict in shown if not verdict.evidence]
        nearest = nearest_sentences(case, result.verdicts, bare)
    for verdict in shown:
        yield BLANK
        yield from _problem(verdict, nearest.get(verdict.id), looked=case is not None)
    if len(problems) > len(shown):
        yield plain(f"and {len(problems) - len(shown):,} more statements")
    yield from _notes(result)


def notes_of(result: GradingResult) -> list[str]:
    """The warnings of a result, each on one line."""
    return [clip(warning, MAX_REASON) for warning in result.warnings]


def notes_at_end(result: GradingResult) -> list[str]:
    """Those of one that passes, but for evidence and numbers, which are shown with it, and for a
    prompt that was cut, of which a summary says it.
    """
    notes = notes_of(result) if result.pass_ else []
    return [note for note in notes if not (note.startswith(CHECK) or PROMPT_CUT in note)]


def lines_on_passed(notes: Counter[str], most: int) -> list[str]:
    """The most common warnings of cases that passed, each with how many cases have it."""
    return [
        f"{counted(count, 'case')} that passed: {note}" for note, count in notes.most_common(most)
    ]


# ---------------------------------------------------------------- the head


def _head(result: GradingResult, number: int, more: str, *, single: bool = False) -> Shown:
    score = "  - " if result.score is None else f"{result.score:.2f}"
    name = clip(result.case_id, MAX_NAME)
    name = f"case {number}" if name in ("", str(number)) else name
    pieces = [(f"{result.outcome:5}", STYLES[result.outcome]), (f"  {score}  ", ""), (name, "bold")]
    return Shown((*pieces, (more and f"  {more}", "")), 0, 13, single)


def _why(result: GradingResult) -> str:
    """The reason, without the statements that are shown below it."""
    parts = result.metadata.get("reasonParts") if result.problems() else None
    reason = f"{parts['found']}: {parts['ending']}" if parts else result.short_reason
    status = "" if result.status == "graded" or result.error else f" [{result.status}]"
    kind = f" [{result.error.kind}]" if result.error else ""
    return f"{clip(reason, MAX_REASON)}{status}{kind}"


# ---------------------------------------------------------------- the answer


def _answer(answer: str, verdicts: Sequence[Verdict], wanted: set[int], *, whole: bool) -> Shown:
    """The answer, with marks around the statements of these ids and their repeats.

    If not the ``whole`` answer is wanted, it ends after the last mark.
    """
    marked = [v for v in verdicts if v.span and (v.repeat_of or v.id) in wanted]
    pieces: list[tuple[str, str]] = []
    end = 0
    for span, group in groupby(sorted(marked, key=lambda v: v.span or (0, 0)), lambda v: v.span):
        if span is None or span[0] < end:
            continue
        here = list(group)
        names = " ".join(f"{MARKS[v.label]}{v.repeat_of or v.id}" for v in here[:MOST_EVIDENCE])
        style = STYLES[MARKS[here[0].label]]
        pieces += [(_shortened(answer[end : span[0]]), "")]
        pieces += [(f"[{names} ", f"bold {style}"), (_shortened(answer[slice(*span)]), style)]
        pieces += [("]", f"bold {style}")]
        end = span[1]
    return Shown((*pieces, (_shortened(answer[end:]) if whole else " […]", "")))


def _shortened(text: str) -> str:
    """A part of the answer, with its line breaks. The middle is left out if it is long."""
    if len(text) > LONG:
        first, last = text[: LONG // 2].rsplit(" ", 1), text[-LONG // 2 :].split(" ", 1)
        text = f"{first[0]} […] {last[-1]}"
    lines = (" ".join(re.split(r"[^\S\xa0]+", line)) for line in re.split(r"\s*\n\s*", text))
    return "\n".join(lines)


# ---------------------------------------------------------------- what is wrong


def _problem(verdict: Verdict, nearest: Evidence | None, *, looked: bool) -> Iterator[Shown]:
    mark = MARKS[verdict.label]
    name = f"{mark}{verdict.id}"
    label = f"{name} {in_words(verdict)}: "
    pieces = ((label, f"bold {STYLES[mark]}"), (clip(verdict.statement), ""))
    yield Shown(pieces, 2, len(name) + 1)
    deep = len(name) + 3
    if wrong := wrong_in_words(verdict):
        yield plain(wrong, deep, 2)
    for evidence in verdict.evidence[:MOST_EVIDENCE]:
        yield _quoted("evidence", evidence, deep)
    if verdict.reason:
        yield Shown((("judge: ", "dim"), (clip(verdict.reason), "")), deep, 2)
    if nearest is not None:
        yield _quoted("nearest", nearest, deep)
    elif looked and not verdict.evidence:
        yield Shown((("no sentence of the context shares a word with it", "dim"),), deep)


def _quoted(kind: str, evidence: Evidence, indent: int) -> Shown:
    id = clip(evidence.passage, MAX_NAME)
    place = f"{kind}, passage {id}: " if id.isdecimal() else f"{kind}, {id}: "
    return Shown(((place, "dim"), (clip(evidence.text), "")), indent, 2)


def _notes(result: GradingResult) -> Iterator[Shown]:
    """What else there is to say: the ratings of a rubric, citations, warnings."""
    for name, capped, _ in result.ratings():
        yield plain(f"{clip(name)} {capped:g}")
    if result.citations is not None and result.citations.invalid_citations:
        cited = clip(", ".join(result.citations.invalid_citations))
        yield plain(f"cited, but not there: {cited}")
    notes = notes_of(result)
    yield from map(warning, notes[:MOST_WARNINGS])
    if len(notes) > MOST_WARNINGS:
        yield plain(f"! and {len(notes) - MOST_WARNINGS} more warnings")
