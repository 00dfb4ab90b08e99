"""Verdicts out of plain text, in the forms that older prompts ask for.

Three forms, the first that is there decides: a line "Final verdict for each statement in order: ...", the words "Verdict: ...",
or a reply that is nothing but a list of labels. Prose is never searched for a yes or a no.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from ..records.errors import UnreadableReply
from .labels import contrary, doubtful, exact_label, normalise, parse_label, split_head
from .raw_verdict import RawVerdict
from .retraction import quoted, taken_back

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..records.model import Label

    Labels = Mapping[str, Label] | None
    Entries = tuple[RawVerdict, ...]

_GAP = r"[ \t*_]{1,5}"
_MARKER = re.compile(
    rf"^[ \t>*_#\-]{{0,9}}final{_GAP}verdicts?{_GAP}for{_GAP}(?:each|all|the){_GAP}(?:statement|claim|sentence)s?"
    rf"(?:{_GAP}in{_GAP}(?:the{_GAP})?order)?[ \t*_]{{0,5}}[:：]",
    re.IGNORECASE | re.MULTILINE,
)
_VERDICT = re.compile(
    r"(?<!\w)verdict[ \t]{0,2}[*_`]{0,3}[ \t]{0,2}[:：][\s*_`]{0,8}", re.IGNORECASE
)
_LATER = re.compile(
    r"^[ \t>*_#\-]{0,9}(?:so,?\s|thus,?\s|therefore,?\s)?(?:my\s|the\s)?(?:final|overall|correct\w*)\s",
    re.IGNORECASE | re.MULTILINE,
)
_FINAL = re.compile(r"\b(?:final|overall)[ \t]{1,3}$", re.IGNORECASE)
# "1.", "(2)", "**3)**", "Statement 4:", "claim_5 -", "6 ->"; neither "1.5" nor a time
_NUMBER = (
    r"[(\[]?(?:(?:statement|claim|sentence|s|c)[ \t_#]{0,3})?#?(\d{1,6})"
    r"(?:[ \t]?[.):\]：．、）]{1,3}[*_]{0,3}(?!\d)|[ \t]{1,2}(?:->|[-–—=→])(?=\s))[ \t*_]{0,4}"
)
_LINE_NUMBER = re.compile(rf"^[ \t>*_#•\-]{{0,6}}{_NUMBER}", re.IGNORECASE | re.MULTILINE)
# "### Statement 2", "- id: 3", "Claim 4" before a verdict
_HEADING = re.compile(
    r"^[ \t>*_#•\-]{0,6}(?:(?:statement|claim|sentence)?[ \t_]?(?:id|number|no)[ \t*_]{0,3}[:=][ \t*_]{0,3}[\"']?"
    r"|(?:statement|claim|sentence)[ \t_#]{1,3})(\d{1,6})[\"']?[ \t*_.,]{0,4}$",
    re.IGNORECASE | re.MULTILINE,
)
_ANY_NUMBER = re.compile(rf"(?:^|(?<=[\s.,;!。，；、*]))[*_]{{0,3}}{_NUMBER}", re.IGNORECASE)
_NEXT_NUMBER = re.compile(rf"(?<=[.!;。])[\s*_]{{1,4}}{_NUMBER}", re.IGNORECASE)
# What "verdict:" may follow on its line: nothing, a bullet, a number, "Statement 2", the end of a sentence.
_PLACE = re.compile(
    rf"(?:^|[.!?。！？;；|*)\]])[\s>*_#•+|\-–—→(]{{0,9}}(?:{_NUMBER}[\s\-–—*_]{{0,6}})?"
    r"(?:(?:statement|claim|sentence)[ \t_#]{0,3}\d{1,6}[\s:,*_\-–—]{0,6})?"
    r"(?:the[ \t])?(?:my[ \t])?(?:(?:final|overall)[ \t])?[*_]{0,3}$",
    re.IGNORECASE,
)
_SHORT = re.compile(r"(?:\be\.g|\bi\.e|\bcf|\bvs)\.[\s*_]{0,9}$", re.IGNORECASE)
_PLACE_CHARS = 80
_SEPARATOR = re.compile(r"[.,;!。．，；！、\n]")
_BULLET = re.compile(r"^[\s>]{0,8}[\-*•+][ \t]+")
_BEFORE_TAIL = re.compile(r":|：|->|=>|→|–|—|\s-\s|\|")
_DIGITS = re.compile(r"[01](?:[ \t]{0,3}[,;\n][ \t\n]{0,3}[01])*[ \t]{0,3}\.?")
_FENCE = re.compile(r"^[ \t]*```.*$", re.MULTILINE)


def read_text(text: str, labels: Labels = None) -> Entries:
    """The verdicts of a plain-text reply; () where it has none of the forms.

    Raises:
        UnreadableReply: the reply gives two readings that disagree.
    """
    text = _FENCE.sub("", text.replace("\r\n", "\n"))
    mark = _MARKER.search(text)
    if mark is None:
        each = _verdict_words(text, labels)
        return _told(_whole_list(text, labels) if each is None else each)
    return _told(
        _together(_before_marker(text[: mark.start()], labels) or (), _after_marker(text, labels))
    )


def _before_marker(text: str, labels: Labels) -> Entries | None:
    try:
        return _verdict_words(text, labels)
    except UnreadableReply:
        return None  # prose that speaks of verdicts; the list behind it decides


def _told(found: Entries) -> Entries:
    return found if any(entry.label for entry in found) else ()


def _together(each: Entries, last: Entries) -> Entries:
    """The verdicts of the text and those of the list behind it, each of which stands for the verdict in the same place.

    Where they differ, neither counts; and then nothing counts that stands in one of them only. The numbers are those of the text.

    Raises:
        UnreadableReply: they differ, and there are no numbers to tell what is in doubt.
    """
    numbers = [entry.id for entry in each]
    differ = [one.label != other.label for one, other in zip(each, last, strict=False)]
    if not each or not last or None in numbers or any(entry.id is not None for entry in last):
        if len(each) == len(last) and any(
            _disagree(*pair) for pair in zip(each, last, strict=True)
        ):
            raise UnreadableReply("the verdicts in the judge's text and its final list disagree")
        return last
    if any(differ) and len(each) != len(last) and numbers != list(range(1, len(each) + 1)):
        raise UnreadableReply("the verdicts in the judge's text and its final list do not pair up")
    doubt = [*differ, *[any(differ)] * (len(each) - len(differ))]
    return tuple(
        replace(entry, label=None) if doubtful else entry
        for entry, doubtful in zip(each, doubt, strict=True)
    )


def _disagree(one: RawVerdict, other: RawVerdict) -> bool:
    return None not in (one.label, other.label) and one.label != other.label


# ---------------------------------------------------------------- Final verdict for each statement in order: Yes. No.


def _after_marker(text: str, labels: Labels) -> Entries:
    """The list behind the marker, which counts at the start of a line only: inside one it may be quoted.

    Raises:
        UnreadableReply: there are several that disagree, or prose around takes it back.
    """
    marks = list(_MARKER.finditer(text))
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    readings = {
        _items(text[mark.end() : end], labels, closing=True)
        for mark, end in zip(marks, ends, strict=True)
    }
    if len(readings) > 1:
        raise UnreadableReply(
            "the judge's text holds several lists of final verdicts, which disagree"
        )
    if any(quoted(text[max(0, mark.start() - 200) : mark.start()]) for mark in marks) or _withdrawn(
        text[marks[-1].end() :]
    ):
        raise UnreadableReply(
            "the judge's final verdicts are quoted, taken back or followed by a refusal"
        )
    return readings.pop()


def _withdrawn(after: str) -> bool:
    from .refusal import is_refusal

    return taken_back(after) or is_refusal(after)


def _items(text: str, labels: Labels, *, closing: bool = False) -> Entries:
    """ "Yes. No. Yes", "yes, no", "1. Yes 2. No", "- yes" lines, "1, 0, 1". An item that is no label is an entry without one.

    ``closing``: sentences may follow the list, if they take nothing back.
    """
    text = text.strip(" \t\n*_")
    if _DIGITS.fullmatch(text):
        return tuple(
            RawVerdict(None, label=exact_label(digit, labels))
            for digit in re.findall(r"[01]", text)
        )
    numbers = list(_ANY_NUMBER.finditer(text))
    if numbers and numbers[0].start() == 0:
        return _numbered_items(text, numbers, labels)
    pieces = [
        piece
        for piece in (_BULLET.sub("", part).strip() for part in _SEPARATOR.split(text))
        if piece.strip("*_`\"')")
    ]
    found = [None if piece.isdecimal() else exact_label(piece, labels) for piece in pieces]
    while (
        closing
        and found
        and found[-1] is None
        and len(pieces[-1].split()) >= 4
        and not doubtful(pieces[-1])
    ):
        found.pop()
        pieces.pop()
    return tuple(RawVerdict(None, label=label) for label in found)


def _numbered_items(text: str, numbers: list[re.Match[str]], labels: Labels) -> Entries:
    ids = [int(number[1]) for number in numbers]
    if ids != list(range(ids[0], ids[0] + len(ids))):
        return ()  # some of these numbers number nothing
    ends = [number.start() for number in numbers[1:]] + [len(text)]
    bodies = [text[number.end() : end] for number, end in zip(numbers, ends, strict=True)]
    return tuple(
        RawVerdict(number, label=parse_label(body, labels))
        for number, body in zip(ids, bodies, strict=True)
    )


# ---------------------------------------------------------------- 1. ... Verdict: Yes.


def _verdict_words(text: str, labels: Labels) -> Entries | None:
    """None where "verdict:" is missing. The word is read to the end of its line, or to the next number or verdict on it.

    Raises:
        UnreadableReply: the word stands inside prose, or what follows the verdicts takes them back.
    """
    marks = list(_VERDICT.finditer(text))
    if not marks:
        return None
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    found = [_first_line(text[mark.end() : end]) for mark, end in zip(marks, ends, strict=True)]
    starts = [0] + [mark.end() for mark in marks[:-1]]
    read = [parse_label(word, labels) for word in found]
    if (
        not all(_placed(text, mark.start()) for mark in marks)
        or len({_FINAL.search(text[max(0, m.start() - 12) : m.start()]) is None for m in marks}) > 1
    ):
        raise UnreadableReply("the judge's text speaks of verdicts in its prose")
    if _belied(text[marks[-1].end() + len(found[-1]) :], read):
        raise UnreadableReply("what follows the verdicts in the judge's text takes them back")
    ids = _ids(
        [_numbers(text, start, mark.start()) for start, mark in zip(starts, marks, strict=True)]
    )
    return tuple(RawVerdict(number, label=label) for number, label in zip(ids, read, strict=True))


def _placed(text: str, at: int) -> bool:
    """Whether "verdict:" at ``at`` is said, and not quoted or spoken of: it begins a line, a sentence or an item."""
    start = max(text.rfind("\n", 0, at) + 1, at - _PLACE_CHARS)
    before = text[start:at]
    at_line = start == 0 or text[start - 1] == "\n"
    place = _PLACE.search(before if at_line else "x" + before)
    if place is None or _SHORT.search(before):
        return False
    return not (at_line and place.start() == 0 and quoted(text[max(0, start - 200) : start]))


def _belied(after: str, labels: Sequence[Label | None]) -> bool:
    """Whether ``after`` takes back the verdicts before it; beside a positive one at the end, no negation may follow either."""
    return taken_back(after) or (
        labels[-1] in ("supported", "partially_supported")
        and (_LATER.search(after) is not None or contrary(after))
    )


def _first_line(text: str) -> str:
    line = text.split("\n", 1)[0]
    number = _NEXT_NUMBER.search(line)
    return line[: number.start()] if number else line


def _numbers(text: str, start: int, end: int) -> list[int]:
    """The numbers that stand as headings of ``text[start:end]``, else those that begin a line, else those that begin a sentence."""
    found = (
        [int(number[1]) for number in kind.finditer(text, start, end)]
        for kind in (_HEADING, _LINE_NUMBER, _NEXT_NUMBER)
    )
    return next(filter(None, found), [])


def _ids(numbers: list[list[int]]) -> list[int | None]:
    """The number in front of each verdict, where every one has exactly one; none where a list of statements precedes all verdicts.

    Raises:
        UnreadableReply: numbers and verdicts do not pair up.
    """
    flat = [number for some in numbers for number in some]
    if all(len(some) == 1 for some in numbers):
        return (
            [None] * len(flat) if len(flat) > 1 and set(flat) == {1} else list(flat)
        )  # markdown may count 1. 1. 1.
    if not flat or len(flat) == len(numbers) == len(numbers[0]):
        return [None] * len(numbers)
    raise UnreadableReply("the numbers and the verdicts in the judge's text do not pair up")


# ---------------------------------------------------------------- nothing but a list


def _whole_list(text: str, labels: Labels) -> Entries:
    body, _, after = text.rpartition("\n\n")
    if _is_numbered(body) and not _LINE_NUMBER.match(
        after
    ):  # "1. Yes\n2. No\n\nLet me know if ..."
        if taken_back(after) or contrary(after):
            return ()
        text = body
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    if len(lines) > 1 and lines[0].endswith((":", "：")) and not _LINE_NUMBER.match(lines[0]):
        del lines[0]  # "Here are the verdicts:"
    numbers = [_LINE_NUMBER.match(line) for line in lines]
    if len(lines) > 1 and all(numbers):
        found = tuple(
            _numbered_line(line, number, labels)
            for line, number in zip(lines, numbers, strict=True)
            if number
        )
    else:
        text = "\n".join(lines)
        found = (
            () if normalise(text) == "1" else _items(text, labels)
        )  # a lone 1 may as well be the number of a statement
    return () if None in [entry.label for entry in found] else found  # prose, or cut off


def _is_numbered(text: str) -> bool:
    return text != "" and all(_LINE_NUMBER.match(line) for line in text.split("\n") if line.strip())


def _numbered_line(line: str, number: re.Match[str], labels: Labels) -> RawVerdict:
    """ "1. Yes - because", "2: not supported", "3. John is a student: yes"."""
    body = line[number.end() :].strip()
    label, statement = parse_label(body, labels), ""
    if label is None and exact_label(split_head(body)[0], labels) is None:
        *front, tail = _BEFORE_TAIL.split(body)
        torn = doubtful(" ".join(" ".join(front).split()[-2:]))  # "partially: supported"
        label = (
            exact_label(tail, labels)
            if front and not torn and not tail.strip(" .").isdecimal()
            else None
        )
        statement = body[: len(body) - len(tail)].rstrip(" \t:：->=→–—|*_") if label else ""
    line = "" if exact_label(body, labels) else body
    return RawVerdict(int(number[1]), statement, label, line=line)
