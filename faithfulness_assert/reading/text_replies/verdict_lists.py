"""Verdicts as a bare list in plain text: "Yes. No.", "1. Yes 2. No", one word per line.

Prose is not searched for a yes or a no: each item must be a label, or a line that ends with one.
"""

from __future__ import annotations

import re
from itertools import takewhile
from typing import TYPE_CHECKING

from ..contradictions.polarity import NEGATIVE
from ..label_words import NO_MARKS, YES_MARKS
from ..labels import (
    contrary,
    doubtful,
    evidence_after,
    exact_label,
    normalise,
    parse_label,
    split_head,
    without_reference,
)
from ..raw_verdict import RawVerdict
from ..retraction import taken_back
from . import numbering
from .afterwords import without_politeness

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...records.model import Label

    Labels = Mapping[str, Label] | None
    Entries = tuple[RawVerdict, ...]

_SEPARATOR = re.compile(r"[.,;!。．，；！、\n]")
_BULLET = re.compile(r"^[\s>]{0,8}[\-*•+][ \t]+")
_DIGITS = re.compile(r"[01](?:[ \t]{0,3}[,;\n][ \t\n]{0,3}[01])*[ \t]{0,3}\.?")
_BEFORE_LABEL = re.compile(r":|：|->|=>|→|–|—|\s-\s|\|")
_SENTENCE_END = re.compile(r"[.!?。！？;；\n]+")
_MARK = re.compile(f"[{YES_MARKS}{NO_MARKS}]\ufe0f?")
_MARKS_ONLY = re.compile(rf"(?:\s{{0,9}}[{YES_MARKS}{NO_MARKS}]\ufe0f?)+\s*")
_UNDECIDED = frozenset(
    """maybe perhaps possibly unsure not_sure uncertain unclear undecided unknown mixed depends skip
    skipped n/a na""".split()
)
_SENTENCE_WORDS = 4  # an item of so many words is a sentence, not a label


def read_items(text: str, labels: Labels) -> Entries:
    """The items of "Yes. No. Yes", "yes, no", "1. Yes 2. No", "- yes" lines or "1, 0, 1".

    An item that is not a label is an entry without one.
    """
    return _read_items(text, labels, may_end_in_prose=False)


def read_items_before_prose(text: str, labels: Labels) -> Entries:
    """As ``read_items``. Sentences may follow the list, if they contain no doubt."""
    return _read_items(text, labels, may_end_in_prose=True)


def _read_items(text: str, labels: Labels, *, may_end_in_prose: bool) -> Entries:
    text = text.strip(" \t\n*_")
    if _DIGITS.fullmatch(text):
        digits = re.findall(r"[01]", text)
        return tuple(RawVerdict(None, label=exact_label(digit, labels)) for digit in digits)
    if _MARKS_ONLY.fullmatch(text):
        return tuple(RawVerdict(None, label=exact_label(mark)) for mark in _MARK.findall(text))
    numbers = list(numbering.ANYWHERE.finditer(text))
    if numbers and numbers[0].start() == 0:
        return _numbered_items(text, numbers, labels)
    items = [_BULLET.sub("", part).strip() for part in _SEPARATOR.split(text)]
    items = [item for item in items if item.strip("*_`\"')")]
    said = [None if item.isdecimal() else _label_of(item, labels) for item in items]
    while may_end_in_prose and said and said[-1] is None and _is_harmless_sentence(items[-1]):
        said.pop()
        items.pop()
    return _unnumbered_entries(items, said)


def _label_of(item: str, labels: Labels) -> Label | None:
    """The label that an item is, apart from its evidence: "supported [1]"."""
    return exact_label(without_reference(item), labels)


def _unnumbered_entries(items: list[str], said: list[Label | None]) -> Entries:
    return tuple(
        RawVerdict(None, label=label, evidence=evidence_after(item))
        for item, label in zip(items, said, strict=True)
    )


def _is_harmless_sentence(item: str) -> bool:
    return len(item.split()) >= _SENTENCE_WORDS and not doubtful(item)


def _numbered_items(text: str, numbers: list[re.Match[str]], labels: Labels) -> Entries:
    """The items after each number; () if some numbers do not number anything."""
    ids = [int(number[1]) for number in numbers]
    if ids != list(range(ids[0], ids[0] + len(ids))):
        return ()
    ends = [number.start() for number in numbers[1:]] + [len(text)]
    bodies = [text[number.end() : end] for number, end in zip(numbers, ends, strict=True)]
    return tuple(
        RawVerdict(number, label=parse_label(body, labels), evidence=evidence_after(body))
        for number, body in zip(ids, bodies, strict=True)
    )


def read_whole_list(text: str, labels: Labels) -> Entries:
    """The verdicts of a reply that is a list of labels and nothing else; else ()."""
    listed = _without_afterword(without_politeness(numbering.marks_after_numbers(text)))
    lines = _without_introduction([line.strip() for line in listed.split("\n") if line.strip()])
    numbers = [number for line in lines if (number := numbering.AT_LINE_START.match(line))]
    if len(lines) == len(numbers) and (len(lines) > 1 or _is_one_item(lines, numbers, labels)):
        items = tuple(
            _numbered_line(line, number, labels)
            for line, number in zip(lines, numbers, strict=True)
        )
        is_one_block = "\n\n" not in listed.strip()
        if is_one_block and any(e.label for e in items) and all(map(_is_label_or_undecided, items)):
            return items
    else:
        items = _unnumbered("\n".join(lines), labels)
    # An item without a label: this is prose, or cut off.
    return () if None in [entry.label for entry in items] else items


def _is_label_or_undecided(entry: RawVerdict) -> bool:
    """Whether a numbered line is a label, or says that the judge has none: "2: maybe [1]"."""
    return entry.label is not None or normalise(without_reference(entry.line)) in _UNDECIDED


def _is_one_item(lines: list[str], numbers: list[re.Match[str]], labels: Labels) -> bool:
    """Whether the only line is "1: supported [2]"."""
    return bool(lines) and _label_of(lines[0][numbers[0].end() :].strip(), labels) is not None


def _unnumbered(text: str, labels: Labels) -> Entries:
    if normalise(text) == "1":
        return ()  # a lone 1 may as well be the number of a statement
    items = read_items(text, labels)
    unread = None in [entry.label for entry in items] and not numbering.ANYWHERE.search(text)
    return _sentences(text, labels) if unread else items


def _sentences(text: str, labels: Labels) -> Entries:
    """ "No, the context never says so. Yes." Only a negative word may have prose after it."""
    parts = [part.strip() for part in _SENTENCE_END.split(text) if part.strip("*_`\"') ")]
    said = list(takewhile(bool, (_sentence_label(part, labels) for part in parts)))
    return _unnumbered_entries(parts, said) if len(said) == len(parts) else ()


def _sentence_label(text: str, labels: Labels) -> Label | None:
    if text[:1].isdecimal():
        return None
    label = parse_label(text, labels)
    return label if label in NEGATIVE else _label_of(text, labels)


def _without_afterword(text: str) -> str:
    """``text`` without the paragraph after a numbered list; "" if that takes the list back."""
    body, _, after = text.rpartition("\n\n")
    if not numbering.is_numbered(body) or numbering.AT_LINE_START.match(after):
        return text
    return "" if taken_back(after) or contrary(after) else body


def _without_introduction(lines: list[str]) -> list[str]:
    """The lines without "Here are the verdicts:"."""
    introduced = len(lines) > 1 and lines[0].endswith((":", "："))
    return lines[1:] if introduced and not numbering.AT_LINE_START.match(lines[0]) else lines


def _numbered_line(line: str, number: re.Match[str], labels: Labels) -> RawVerdict:
    """ "1. Yes - because", "2: not supported", "3. John is a student: yes"."""
    body = line[number.end() :].strip()
    label, statement = parse_label(body, labels), ""
    if label is None and (marks := _MARK.findall(body)):
        label, statement = _label_of_mark(body, marks)
    elif label is None and exact_label(split_head(body)[0], labels) is None:
        label, statement = _label_at_end(body, labels)
    echo = "" if exact_label(without_reference(body), labels) else body
    return RawVerdict(int(number[1]), statement, label, evidence_after(body), line=echo)


def _label_of_mark(body: str, marks: list[str]) -> tuple[Label | None, str]:
    """The label of the one mark at an end of a line with a statement: "✅ The tower is tall."."""
    statement = _MARK.sub("", body).strip(" \t*_|:-–—")
    at_end = body.startswith(marks[0]) or body.endswith(marks[0])
    if len(marks) > 1 or not at_end or doubtful(statement) or exact_label(statement):
        return None, ""
    return exact_label(marks[0]), statement


def _label_at_end(body: str, labels: Labels) -> tuple[Label | None, str]:
    """The label at the end of a line, and the statement before it; None and "" if there is none."""
    *front, tail = _BEFORE_LABEL.split(body)
    last_words = " ".join(" ".join(front).split()[-2:])
    if not front or tail.strip(" .").isdecimal() or doubtful(last_words):  # "partially: supported"
        return None, ""
    label = exact_label(without_reference(tail), labels)
    statement = body[: len(body) - len(tail)].rstrip(" \t:：->=→–—|*_")
    return label, statement if label else ""
