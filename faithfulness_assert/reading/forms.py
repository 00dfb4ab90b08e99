"""Verdicts in any form: JSON, or lines of text.

A line with a number has a verdict if a label begins it, or begins what stands behind a mark in it:
a colon, a dash, an arrow, a bar, a line break. So does a text about a single statement. A line
without a number has verdicts if it is labels only, perhaps behind a colon.

    1. supported – sentence 1 says so          Statement 2: no          | 3 | It is blue. | ✅ |
    4. Adults pay 14 euros. Explanation: The context says 12. Verdict: No.
    Final verdict for each statement in order: Yes. No. Yes.

What stands in a line beside its number and its label is the residue of that line.
"""

from __future__ import annotations

import re
from itertools import pairwise

from ..records.model import Label
from ..text.strings import lazy_pattern
from .json_form import read_json
from .refusal import unreadable
from .rows import Labels, Reading, Row, Said, has_rows, leading_label, parse_label
from .unwrapping import looks_like_json, parted

# "1.", "(2)", "**3)**", "Statement 4:", "claim_5 -", "| 6 |", "7 ->"; not "1.5" and not "10:30"
_NUMBERED = lazy_pattern(
    r"(?i)(?:[ \t>*_#•|(\[]|-(?!\d)){0,9}(?:(?:statement|claim|verdict|sentence|id:|s|c)"
    r"[ \t_#]{0,3})?#?(-?\d{1,6})"
    r"(?:[*_ \t]{0,3}(?:[.:](?!\d)|\)|\]|->|[|=→–-](?=\s))+|[*_]{1,3}|(?=[ \t])|$)"
    r"[ \t*_|]{0,6}"
)
# "2 and 3: contradicted" is about several.
_GROUP = lazy_pattern(r"[.)]?\s?(?:,|/|&|and|to|[-–])\s?\d")
_FIELD = lazy_pattern(
    r"(?i)[ \t>*_•|-]{0,9}(?:(?:final )?(?:verdict|label)|judge?ment|answer|explanation"
    r"|reason(?:ing)?|rationale|justification|analysis|evidence|statement|claim)[*_]{0,3}[ \t]?[:=]"
)
_MARK = lazy_pattern(r"[:：|–—→=]|->|\s-(?=\s)|\n")
# "Verdict:", "Final verdict for each statement in order:"
_NAME = lazy_pattern(
    r"(?i)(?=[\w #*-]{0,40}\b(?:verdict|label|judge?ment|answer|result|statement|claim)s?\b)"
    r"[\w #*-]{1,60}[:：]"
)
# "Verdict" between a statement that is repeated and its label.
_TAIL = lazy_pattern(
    r"(?i)(?<=[.!?。\n\"”])[ \t*_#]{0,9}(?:final )?(?:verdict|label|judge?ment|answer|result)"
    r"[*_ \t]{0,6}$"
)
_IN_ORDER = lazy_pattern(r"(?i)[\w #*-]{0,60}\bin order[*_ ]{0,4}[:：]")
_BETWEEN = lazy_pattern(r"(?<![\d.,;])[.,;]{1,3}(?:\s|$)")
_BULLETS = " \t>*_#•|-"
_SAYS_NOTHING = " \t\n.,;:!()'\"*_`|>#•✅✔\ufe0f–—→=-"
_FEW_WORDS = 5  # such as <verdict id="2">no</verdict>
_LOOKED_AT = 300  # characters behind a mark, of which a label and what follows it are the first


def read_any(text: str, labels: Labels = None, *, single: bool = False) -> Reading:
    """``read`` (see ``reconcile.py``) for a reply in any form."""
    unopened, reply = parted(text)
    said = read_json(reply, labels)
    is_text = not has_rows(said) and not looks_like_json(reply)
    if is_text:
        said = _read_lines(reply, labels, single=single)
    rows = [part for part in said if isinstance(part, Row)]
    if not rows:
        raise unreadable(reply, "verdict")
    # A judge that quotes the end of a thinking which nothing opens may have thought nothing.
    words = (re.findall(r"\w+", line) for line in unopened.splitlines())
    pairs = (pair for line in words if len(line) <= _FEW_WORDS for pair in pairwise(line))
    known = ((int(n[:9]), parse_label(word, labels)) for n, word in pairs if n.isdecimal())
    before = [*read_json(unopened, labels), *_read_lines(unopened, labels)]
    before += [Row(number, label) for number, label in known if label]
    credited = {row.number for row in rows if row.label in ("supported", "partially_supported")}
    for row in before if credited else ():
        if isinstance(row, Row) and row.label != "supported":
            rows += [row] if row.number in credited or None in (row.number, *credited) else []
    residue = tuple(part for part in said if isinstance(part, str))
    return Reading(tuple(rows), residue, "text" if is_text else "json")


def _read_lines(text: str, labels: Labels, *, single: bool = False) -> Said:
    """What a reply in plain text says.

    Numbers that do not ascend are counts of their own, or tallies: then no label is clear.
    ``single``: it is about one statement, so all of it may be one line.
    """
    segments = _segments(text)
    numbers = [number for number, _ in segments if number is not None]
    clear = all(number < later for number, later in pairwise(numbers))
    said: Said = []
    for number, line in segments:
        if number is None:
            said += _bare_labels(line, labels)
        elif row := _row(number, line, labels):
            said.append(row if clear else row._replace(label=None))
        else:
            said.append(f"{number}. {line}")
    is_one = single and not numbers and not has_rows(said) and "\n\n" not in text
    row = _row(None, text, labels) if is_one else None
    return [row] if row else said


def _segments(text: str) -> list[tuple[int | None, str]]:
    """The lines of a text, each numbered one with those after it that belong to it.

    Those are indented, begin with a bullet, or name a field ("Verdict: yes"). A blank line ends it.
    The numbers of a list that its heading puts "in order" only count.
    """
    segments: list[tuple[int | None, list[str]]] = []
    count: int | None = None  # in such a list
    joins = False
    for line in text.split("\n"):
        match = _NUMBERED.match(line)
        if match and not _GROUP.match(line, match.end(1)):
            number, joins = int(match[1]), True
            count = number if count is not None and number == count + 1 else None
            segments.append((None if count else number, [line[match.end() :]]))
        elif joins and not _is_empty(line) and (_FIELD.match(line) or line[0] in " \t*-•"):
            segments[-1][1].append(line)
        else:
            segments.append((None, [line]))
            joins = False
            if not _is_empty(line):
                count = 0 if _IN_ORDER.fullmatch(line.strip(_BULLETS)) else None
    return [(number, "\n".join(lines)) for number, lines in segments]


def _is_empty(line: str) -> bool:
    """Whether a line has no word and no sign that says something."""
    return not line.strip(_SAYS_NOTHING)


def _bare_labels(line: str, labels: Labels) -> Said:
    """The rows of a line that is only labels, and the name that stands before them."""
    bare = line.strip(_BULLETS)
    name = _NAME.match(bare)
    listed = _BETWEEN.split(bare[name.end() :] if name else bare)
    rows = [_bare_row(word, labels) for item in listed if (word := item.strip(" \t.,;*_"))]
    if not rows or not all(rows):
        return [] if _is_empty(line) else [line]
    return [*([name[0]] if name else ()), *filter(None, rows)]


def _bare_row(item: str, labels: Labels) -> Row | None:
    """The row of a label alone; one that grants nothing may have a note: "No (it costs 9)"."""
    word, mark, note = item.partition(" (")
    label = None if word.isdigit() else parse_label(word, labels)
    fits = not mark or (note[-1:] == ")" and label in ("not_enough_info", "contradicted"))
    return Row(None, label, reason=note[:-1]) if label and fits else None


def _row(number: int | None, line: str, labels: Labels) -> Row | None:
    """The row of a line; None if it has no label. What stands before it repeats the statement."""
    known: set[Label | None] = set()
    rest: list[str] = []
    end = seen = quotes = 0
    for start in (0, *(mark.end() for mark in _MARK.finditer(line))):
        whole = line[start : start + _LOOKED_AT].partition("\n")[0]
        part = whole.lstrip(_BULLETS)
        label, behind = leading_label(part, labels) if start >= end else (None, "")
        start += len(whole) - len(part)
        if label:
            quotes, seen = quotes + line.count('"', seen, start), start
        if label and quotes % 2 == 0:  # it stands in no quotation
            known.add(label)
            rest.append(line[end:start])
            end = start + len(part) - len(behind)
    if not known:
        return None
    statement = _TAIL.sub("", rest.pop(0).strip(_SAYS_NOTHING[:4] + _BULLETS + ":：–—→=\n"))
    reason = "\n".join(text.strip() for text in [*rest, line[end:]] if not _is_empty(text))
    label = known.pop() if len(known) == 1 else None
    return Row(number, label, statement=statement, reason=reason, line=line.strip())
