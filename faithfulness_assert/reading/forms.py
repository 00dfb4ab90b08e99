"""Verdicts in any form: JSON, or plain text.

Plain text may be numbered lines with what belongs to them, the final list of the older prompts, and
for a single statement a word or a sentence.

    1. supported – sentence 1 says so          Statement 2: no          3: ✅
    4. Adults pay 14 euros. Explanation: The context says 12. Verdict: No.
    Final verdict for each statement in order: Yes. No.

What stands in a line beside its number and its label is the residue of that line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

from ..records.model import Label
from ..text.strings import lazy_pattern
from .json_form import read_json
from .refusal import unreadable
from .rows import Form, Labels, Reading, Row, Said, has_rows, leading_label, parse_label
from .unwrapping import between, looks_like_json, parted

_WORDS = lazy_pattern(r"\w+")
_FEW_WORDS = 5  # such as <verdict id="2">no</verdict>
_CREDITS = ("supported", "partially_supported")

_FINAL = lazy_pattern(
    r"^[ \t>*_#-]{0,9}final[ \t*_]{1,5}verdicts?[ \t*_]{1,5}for[ \t*_]{1,5}(?:each|all|the)"
    r"[ \t*_]{1,5}(?:statement|claim|sentence)s?"
    r"(?:[ \t*_]{1,5}in[ \t*_]{1,5}(?:the[ \t*_]{1,5})?order)?"
    r"[ \t*_]{0,5}[:：]",
    re.IGNORECASE | re.MULTILINE,
)
# "1.", "(2)", "**3)**", "Statement 4:", "claim_5 -", "| 6 |", "7 ->"; not "1.5" and not "10:30"
_NUMBERED = lazy_pattern(
    r"(?:[ \t>*_#•|(\[✅✔☑\ufe0f]|-(?!\d)){0,9}(?:(?:statement|claim|verdict|sentence|id:|s|c)"
    r"[ \t_#]{0,3})?#?((?:(?<=: )-)?\d{1,6})"
    r"(?:[*_ \t]{0,3}(?:[.:](?!\d)|\)|\]|->|[|=→–-](?=\s))+|[*_]{1,3}|(?=[ \t])|$)"
    r"[ \t*_|]{0,6}",
    re.IGNORECASE,
)
# "2 and 3: contradicted" is about several.
_GROUP = lazy_pattern(r"[.)]?\s?(?:,|/|&|and|to|[-–])\s?\d")
_FIELD = lazy_pattern(
    r"(?:(?<=[.!?;])[ \t]+|(?:^|(?<=\n))[ \t>*_•|-]{0,9})[*_]{0,3}(final verdict|verdict|label"
    r"|judge?ment|final label|answer|explanation|reason(?:ing)?|rationale|justification|analysis"
    r"|evidence|statement|claim)[*_]{0,3}[ \t]?[:=][*_]{0,3}[ \t]*",
    re.IGNORECASE,
)
_LABEL_FIELDS = "verdict|label|judgment|judgement|answer|final verdict|final label".split("|")
_TAIL_MARK = lazy_pattern(r"[:|–—→=]|->|\s-(?=\s)")
_BETWEEN = lazy_pattern(r"(?<![\d.,;])[.,;]{1,3}(?:\s|$)|\n")
_COUNT = lazy_pattern(r"[\s*_]*(\d{1,6})(?:[.):]|\s)")
_EVIDENCE = lazy_pattern(
    r"[\[(](?:evidence|sentences?|see)?[:# ]{0,3}\[?(\d{1,6}(?:[,; ]{1,3}\d{1,6}){0,50})\]?[\])]"
)
_BULLETS = " \t>*_#•|-"
_SAYS_NOTHING = " \t\n.,;:!()'\"*_`|>#•✅✔\ufe0f–—-"


def read_any(text: str, labels: Labels = None, *, single: bool = False) -> Reading:
    """``read`` (see ``reader.py``) for a reply in any form."""
    unopened, reply = parted(text)
    said, found = _said_in(reply, labels, single=single)
    if not has_rows(said):
        raise unreadable(reply, "verdict")
    rows = tuple(part for part in said if isinstance(part, Row))
    if unopened:
        rows = (*_denials(unopened, rows, labels), *rows)
    return Reading(rows, tuple(part for part in said if isinstance(part, str)), found)


def _said_in(reply: str, labels: Labels, *, single: bool = False) -> tuple[Said, Form]:
    said, mended = read_json(reply, labels)
    if has_rows(said) or looks_like_json(reply):
        return said, "repaired" if mended else "json"
    return _read_lines(reply, labels, single=single), "text"


def _denials(unopened: str, rows: Iterable[Row], labels: Labels) -> Iterator[Row]:
    """The rows before an end of thinking that nothing opens which deny what rows behind it credit.

    A judge that quotes such an end behind its verdicts has thought nothing.
    """
    credited = {row.number for row in rows if row.label in _CREDITS}
    for row in (*_said_in(unopened, labels)[0], *_numbered_lines(unopened, labels)):
        if isinstance(row, Row) and row.label not in (None, "supported"):
            same = row.number in credited or None in (row.number, *credited)
            if credited and same:
                yield row


def _numbered_lines(text: str, labels: Labels) -> Iterator[Row]:
    """Lines with a number and a label, also in forms that are never read as verdicts, as CSV is."""
    for line in text.splitlines():
        words = _WORDS.findall(line)
        for number, word in pairwise(words if len(words) <= _FEW_WORDS else ()):
            if number.isdecimal() and len(number) < 10:
                yield Row(int(number), parse_label(word, labels))


# ---------------------------------------------------------------- plain text


def _read_lines(text: str, labels: Labels = None, *, single: bool = False) -> Said:
    """What a reply in plain text says.

    ``single``: it is about one statement, so all of it may be one line.
    """
    body, listed = _without_final_list(text, labels)
    said = [*_numbered(body, labels), *listed]
    if has_rows(said):
        return said
    if single and not _NUMBERED.match(body):
        row = _row(None, body, labels)
        return [row, *listed] if row else [text]
    return [*_unnumbered(body, labels), *listed]


def _without_final_list(text: str, labels: Labels) -> tuple[str, Said]:
    """The text without its last final list, and what the list says."""
    marks = list(_FINAL.finditer(text))
    if not marks:
        return text, []
    listed, _, after = text[marks[-1].end() :].strip().partition("\n\n")
    said: Said = [after]
    number = 1
    for item in _BETWEEN.split(listed):
        count = _COUNT.match(item)  # a number in this list counts its items
        is_count = count is not None and int(count[1]) == number
        label, rest = leading_label(item[count.end() :] if count and is_count else item, labels)
        if label:
            said.append(Row(None, label, reason=rest.strip(_SAYS_NOTHING)))
            number += 1
        elif not _is_empty(item):
            said.append(item)
    return _FINAL.sub("\n\n", text[: marks[-1].start()]), said


def _numbered(text: str, labels: Labels) -> Said:
    """The rows of numbered lines and what follows each, and the residue.

    Numbers that do not ascend are counts of their own, or tallies: then no label is clear.
    """
    segments = list(_segments(text))
    numbers = [number for number, _ in segments if number is not None]
    clear = all(number < later for number, later in pairwise(numbers))
    said: Said = []
    for number, line in segments:
        row = _row(number, line, labels) if number is not None else None
        row = row if clear or row is None else row._replace(label=None)
        said.append(row or (line if number is None else f"{number}. {line}"))
    return said


def _segments(text: str) -> Iterator[tuple[int | None, str]]:
    """The lines of a text, each numbered one with those after it that belong to it.

    Those are indented, begin with a bullet, or name a field ("Verdict: yes"). A blank line ends it.
    """
    number: int | None = None
    held: list[str] = []
    for line in text.split("\n"):
        match = _NUMBERED.match(line)
        begins = match if match and not _GROUP.match(line, match.end(1)) else None
        joins = number is not None and not begins and not _is_empty(line)
        if joins and (_FIELD.match(line) or line[0] in " \t*-•"):
            held.append(line)
            continue
        yield from [(number, "\n".join(held))] if held else []
        number = int(begins[1]) if begins else None
        held = [line[begins.end() :] if begins else line]
    yield from [(number, "\n".join(held))] if held else []


def _is_empty(line: str) -> bool:
    """Whether a line has no word and no sign that says something."""
    return not line.strip(_SAYS_NOTHING)


def _unnumbered(text: str, labels: Labels) -> Iterator[Row | str]:
    """The rows of lines that are only labels, or "Verdict: ..."; all other lines are residue."""
    for line in text.split("\n"):
        bare = line.strip(_BULLETS)
        field = _FIELD.match(line)
        if field and field[1].lower() in _LABEL_FIELDS:
            bare = line[field.end() :]
        said = [parse_label(item, labels) for item in _BETWEEN.split(bare) if not _is_empty(item)]
        if said and all(said) and not bare.strip(" .*_").isdigit():
            yield from (Row(None, label) for label in said)
        elif not _is_empty(line):
            yield line


def _row(number: int | None, line: str, labels: Labels) -> Row | None:
    """The row of a line; None if it has no label."""
    first, *fields = _parts(line)
    said = [leading_label(text, labels) for name, text in fields if name in _LABEL_FIELDS]
    if said:
        # What stands before the first field is the statement, repeated.
        statement = "" if "\n" in first[1].strip() else first[1].strip().strip(_BULLETS)
        others = (text for name, text in (first, *fields) if name not in _LABEL_FIELDS)
        rest = [text for _, text in said] + list(others)
    else:
        label, statement, rest = _label_of(line, labels)
        said = [(label, "")] if label else []
    if not said:
        return None
    known: set[Label | None] = {label for label, _ in said}
    cited = (match[1] for text in rest for match in _EVIDENCE.finditer(text))
    evidence = (int(n) for numbers in cited for n in re.findall(r"\d+", numbers))
    reasons = [t for t in rest if not _is_empty(t) and t.strip(_BULLETS) != statement]
    return Row(
        number,
        known.pop() if len(known) == 1 else None,
        tuple(dict.fromkeys(evidence)),
        statement,
        reason="\n".join(text.strip() for text in reasons),
        line=line.strip(),
    )


def _parts(line: str) -> list[tuple[str, str]]:
    """A line cut where fields begin: their names ("" before the first) and texts."""
    marks = list(_FIELD.finditer(line))
    names = ["", *(mark[1].lower() for mark in marks)]
    return list(zip(names, between(line, [mark.span() for mark in marks]), strict=True))


def _label_of(line: str, labels: Labels) -> tuple[Label | None, str, list[str]]:
    """The label with which a line begins or ends, the statement before it, and the rest."""
    label, rest = leading_label(line, labels)
    if label:
        return label, "", [rest]
    tail = line.rfind("\n") + 1
    marks = list(_TAIL_MARK.finditer(line, max(tail, len(line) - 400)))
    end = line[marks[-1].end() :].lstrip(" \t*_") if marks else ""
    label, rest = leading_label(end, labels)
    statement = line[: marks[-1].start()].strip(_BULLETS) if label else ""
    agrees = label == "not_enough_info" or leading_label(statement, labels)[0] in (None, label)
    if statement and statement.count('"') % 2 == 0 and agrees:
        return label, statement, [statement, rest]
    cells = [cell.strip() for cell in line.strip(" |").split("|")]
    said = [(cell, None if cell[:1] == "[" else parse_label(cell, labels)) for cell in cells]
    if any(label and not cell.isdigit() for cell, label in said):  # 1 and 0 are evidence then
        said = [(cell, None if cell.isdigit() else label) for cell, label in said]
    found = [label for _, label in said if label]
    unread = any(cell[:1] in "-−" and cell[1:].isdigit() for cell in cells)  # no statement's number
    if len(cells) > 1 and len(found) == 1 and not unread:
        return found[0], "", [cell for cell, label in said if not label]
    return None, "", []
