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

from collections.abc import Mapping, Sequence

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
    r"(?:[*_ \t]{0,3}(?:[.:](?!\d)|\)|\]|->|[|=→–-](?=\s))+|[*_]{1,3}|(?=\s)|$)"
    r"[ \t*_|]{0,6}"
)
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
# What stands before a label may repeat the statement, and name the verdict.
_TAIL = lazy_pattern(
    r"(?i)(?<=[.!?。\n\"”])[ \t*_#]{0,9}(?:final )?(?:verdict|label|judge?ment|answer|result)"
    r"[*_ \t]{0,6}$"
)
_IN_ORDER = lazy_pattern(r"(?i)[\w #*-]{0,60}\bin order[*_ ]{0,4}[:：]")
_BETWEEN = lazy_pattern(r"(?<![\d.,;])[.,;]{1,3}(?:\s|$)")
_BULLETS = " \t>*_#•|-"
_SAYS_NOTHING = " \t\n.,;:!()'\"*_`|>#•✅✔\ufe0f–—→=-"
_AROUND = " \t\"“”'*_"
"""Around a statement that a line repeats."""
_LOOKED_AT = 300  # characters behind a mark, of which a label and what follows it are the first


def read_any(
    text: str, labels: Labels, statements: Mapping[int, str], *, single: bool = False
) -> Reading:
    """``read`` (see ``reconcile.py``) for a reply in any form."""
    unopened, reply = parted(text)
    said = read_json(reply, labels)
    is_text = not has_rows(said) and not looks_like_json(reply)
    if is_text:
        said = _read_lines(reply, labels, statements, single=single)
    rows = [part for part in said if isinstance(part, Row)]
    if not rows:
        raise unreadable(reply, "verdict")
    # A judge that quotes the end of a thinking which nothing opens may have thought nothing.
    thought = _read_lines(unopened, labels, statements) if unopened else []
    before = [*read_json(unopened, labels), *thought] if unopened else []
    rows += [row for row in before if isinstance(row, Row) and row.label != "supported"]
    residue = tuple(part for part in said if isinstance(part, str))
    if not is_text:
        residue = tuple(_without_repeats(text, rows, labels, statements) for text in residue)
    return Reading(tuple(rows), residue, "text" if is_text else "json")


def _without_repeats(
    text: str, rows: Sequence[Row], labels: Labels, statements: Mapping[int, str]
) -> str:
    """A text beside rows, without its lines that only say once more what a row says."""
    said = {(row.number, row.label) for row in rows}

    def repeats(line: str) -> bool:
        row = _numbered_row(line, labels, statements)
        return row is not None and not row.reason and (row.number, row.label) in said

    return "\n".join(line for line in text.split("\n") if not repeats(line))


def _numbered_row(segment: str, labels: Labels, statements: Mapping[int, str]) -> Row | None:
    """The row of a line that begins with a number, behind its statement, if it repeats that."""
    if (number := _NUMBERED.match(segment)) is None:
        return None
    line = segment[number.end() :]
    if statement := statements.get(int(number[1]), ""):
        before, there, behind = line.partition(statement)
        before, behind = before.strip(_AROUND), behind.lstrip(_AROUND)
        if there and behind and (not before or before[0] + before[-1] == "[]"):
            line = behind
    return _row(int(number[1]), line, labels)


def _read_lines(
    text: str, labels: Labels, statements: Mapping[int, str], *, single: bool = False
) -> Said:
    """What a reply in plain text says.

    ``single``: it is about one statement, so all of it may be one line.
    """
    said: Said = []
    for segment in _segments(text):
        if _NUMBERED.match(segment):
            said.append(_numbered_row(segment, labels, statements) or segment)
        else:
            said += _bare_labels(segment, labels)
    row = _row(None, text, labels) if single and not has_rows(said) else None
    return [row] if row else said


def _segments(text: str) -> list[str]:
    """The lines of a text, each numbered one with those after it that belong to it.

    Those are indented, begin with a bullet, or name a field ("Verdict: yes"). A blank line ends it.
    The numbers of a list that its heading puts "in order" only count, and are left out.
    """
    segments: list[str] = []
    joins, count = False, -1  # of such a list
    for line in text.split("\n"):
        if number := _NUMBERED.match(line):
            count = count + 1 if count >= 0 and int(number[1]) == count + 1 else -1
            segments.append(line[number.end() :] if count > 0 else line)
            joins = True
        elif joins and not _is_empty(line) and (_FIELD.match(line) or line[0] in " \t*-•"):
            segments[-1] += f"\n{line}"
        else:
            segments.append(line)
            joins = False
            if not _is_empty(line):
                count = 0 if _IN_ORDER.fullmatch(line.strip(_BULLETS)) else -1
    return segments


def _is_empty(line: str) -> bool:
    """Whether a line has no word and no sign that says something."""
    return not line.strip(_SAYS_NOTHING)


def _bare_labels(line: str, labels: Labels) -> Said:
    """The rows of a line that is only labels, and the name that stands before them."""
    bare = line.strip(_BULLETS)
    name = _NAME.match(bare)
    listed = _BETWEEN.split(bare[name.end() :] if name else bare)
    rows = [_bare_row(word, labels) for item in listed if (word := item.strip(" \t.,;*_"))]
    if rows and all(rows):
        return [*([name[0]] if name else ()), *filter(None, rows)]
    return [] if _is_empty(line) else [line]


def _bare_row(item: str, labels: Labels) -> Row | None:
    """The row of a label alone; one that grants nothing may have a note: "No (it costs 9)"."""
    word, mark, note = item.partition(" (")
    label = None if word.isdigit() else parse_label(word, labels)
    fits = not mark or (note[-1:] == ")" and label in ("not_enough_info", "contradicted"))
    return Row(None, label, reason=note[:-1]) if label and fits else None


def _row(number: int | None, line: str, labels: Labels) -> Row | None:
    """The row of a line; None if it has no label. All else in it is its reason."""
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
    parts = [part.strip(f"{_BULLETS}:：–—→=\n") for part in [*rest, line[end:]]]
    parts[0] = _TAIL.sub("", parts[0])
    reason = "\n".join(part for part in parts if not _is_empty(part))
    label = known.pop() if len(known) == 1 else None
    return Row(number, label, reason=reason, line=line.strip())
