"""Verdicts that follow the word "Verdict:" in plain text: "1. John is a student. Verdict: Yes."

"Verdict:" counts where a line, a sentence or an item begins. Inside a sentence it is only
mentioned, and a reply that mentions it there is unreadable.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...records.errors import UnreadableReply
from ..labels import evidence_after, parse_label
from ..raw_verdict import RawVerdict
from ..retraction import quoted
from . import numbering
from .afterwords import denies_verdicts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ...records.model import Label

    Labels = Mapping[str, Label] | None
    Entries = tuple[RawVerdict, ...]

_VERDICT = re.compile(
    r"(?<!\w)verdict[ \t]{0,2}[*_`]{0,3}[ \t]{0,2}[:：][\s*_`]{0,8}", re.IGNORECASE
)
# Words for it that count only in a text without "Verdict:".
_LABEL = re.compile(
    r"(?<!\w)(?:label|judge?ment|classification|urteil|bewertung|veredicto|veredito|verdetto|oordeel"
    r"|werdykt|вердикт|判定|判决|结论|結論|판정|결론)"
    r"[ \t]{0,2}[*_`]{0,3}[ \t]{0,2}[:：][\s*_`]{0,8}",
    re.IGNORECASE,
)
_FINAL = re.compile(r"\b(?:final|overall)[ \t]{1,3}$", re.IGNORECASE)
_FINAL_CHARS = 12
# What "Verdict:" may follow on its line: nothing, a bullet, a number, "Statement 2", a full stop.
_PLACE = re.compile(
    rf"(?:^|[.!?。！？;；|*)\]])[\s>*_#•+|\-–—→(]{{0,9}}(?:{numbering.NUMBER}[\s\-–—*_]{{0,6}})?"
    r"(?:(?:statement|claim|sentence)[ \t_#]{0,3}\d{1,6}[\s:,*_\-–—]{0,6})?"
    r"(?:the[ \t])?(?:my[ \t])?(?:(?:final|overall)[ \t])?[*_]{0,3}$",
    re.IGNORECASE,
)
_PLACE_CHARS = 80
_SHORT_FORM = re.compile(r"(?:\be\.g|\bi\.e|\bcf|\bvs)\.[\s*_]{0,9}$", re.IGNORECASE)
_QUOTED_CHARS = 200


def read_verdict_words(text: str, labels: Labels) -> Entries | None:
    """The words after each "Verdict:"; None if the text has no "Verdict:".

    A word ends with its line, or at the next number or verdict on that line.

    Raises:
        UnreadableReply: a sentence mentions "verdict:", or what follows the verdicts denies them.
    """
    marks = list(_VERDICT.finditer(text)) or list(_LABEL.finditer(text))
    if not marks:
        return None
    if not all(_is_placed(text, mark.start()) for mark in marks) or _is_final_some_times(
        text, marks
    ):
        raise UnreadableReply("the judge's text mentions verdicts in its prose")
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    words = [_first_line(text[mark.end() : end]) for mark, end in zip(marks, ends, strict=True)]
    said = [parse_label(word, labels) for word in words]
    if denies_verdicts(text[marks[-1].end() + len(words[-1]) :], said):
        raise UnreadableReply("the text after the judge's verdicts takes them back")
    starts = [0, *(mark.end() for mark in marks[:-1])]
    before = [(start, mark.start()) for start, mark in zip(starts, marks, strict=True)]
    ids = _ids([_numbers(text, start, end) for start, end in before])
    return tuple(
        RawVerdict(number, label=label, evidence=evidence_after(word))
        for number, label, word in zip(ids, said, words, strict=True)
    )


def _is_placed(text: str, at: int) -> bool:
    """Whether "Verdict:" at ``at`` begins a line, a sentence or an item, and is not quoted."""
    start = max(text.rfind("\n", 0, at) + 1, at - _PLACE_CHARS)
    before = text[start:at]
    whole_line = start == 0 or text[start - 1] == "\n"
    place = _PLACE.search(before if whole_line else "x" + before)
    if place is None or _SHORT_FORM.search(before):
        return False
    begins_line = whole_line and place.start() == 0
    return not (begins_line and quoted(text[max(0, start - _QUOTED_CHARS) : start]))


def _is_final_some_times(text: str, marks: Sequence[re.Match[str]]) -> bool:
    """Whether some, but not all, of the verdicts are called final."""
    before = [text[max(0, mark.start() - _FINAL_CHARS) : mark.start()] for mark in marks]
    return len({_FINAL.search(piece) is None for piece in before}) > 1


def _first_line(text: str) -> str:
    line = text.split("\n", 1)[0]
    number = numbering.AFTER_SENTENCE.search(line)
    return line[: number.start()] if number else line


def _numbers(text: str, start: int, end: int) -> list[int]:
    """The numbers of the headings in a part of the text; else of its lines, else sentences."""
    for pattern in (numbering.HEADING, numbering.AT_LINE_START, numbering.AFTER_SENTENCE):
        if numbers := [int(number[1]) for number in pattern.finditer(text, start, end)]:
            return numbers
    return []


def _ids(numbers: list[list[int]]) -> list[int | None]:
    """The number before each verdict, or None for all, given the numbers between verdicts.

    They are None if a list of statements comes before all verdicts.

    Raises:
        UnreadableReply: the numbers cannot be paired with the verdicts.
    """
    flat = [number for some in numbers for number in some]
    unnumbered: list[int | None] = [None] * len(numbers)
    if all(len(some) == 1 for some in numbers):
        only_ones = len(flat) > 1 and set(flat) == {1}  # markdown may count 1. 1. 1.
        return unnumbered if only_ones else list(flat)
    if not flat or len(flat) == len(numbers) == len(numbers[0]):
        return unnumbered
    raise UnreadableReply("the numbers and the verdicts in the judge's text do not pair up")
