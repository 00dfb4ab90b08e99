"""Read a judge's reply: its verdicts as rows and residue, in one of few forms.

A reply that is exactly what was asked for is read by ``exact.py``; the readers of all others are
loaded only then. Whether a label counts is decided in ``reconcile.py``, by the gate.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

from ..records.ask import ReplyForm
from ..records.errors import UnreadableReply
from ..text.strings import clean_text
from .exact import exact_rows
from .labels import Labels, parse_label
from .rows import Form, Reading, Row, Said, has_rows
from .thinking import Parted

_WORD = re.compile(r"\w+")
_FEW_WORDS = 5  # such as <verdict id="2">no</verdict>
_CREDITS = ("supported", "partially_supported")


def read(
    text: str, labels: Labels = None, form: ReplyForm | None = None, *, single: bool = False
) -> Reading:
    """The rows and the residue of a judge's reply.

    Args:
        labels: a policy's own words (see ``labels.parse_label``).
        form: what was asked for. It changes no verdict: a reply that conforms is read faster.
        single: the reply is about one statement, so a plain sentence may be its verdict.

    Raises:
        UnreadableReply: no verdict can be read (kind ``unreadable``), or the judge refused (kind
            ``refusal``).
        TypeError: ``text`` is not a string.
    """
    if form and isinstance(text, str) and (exact := exact_rows(text, form, labels)):
        return Reading(exact, form="schema")
    unopened, reply = parted(text)
    said, found = _said_in(reply, labels, single=single)
    if not has_rows(said):
        raise unreadable(reply, "verdict")
    rows = tuple(part for part in said if isinstance(part, Row))
    if unopened:
        rows = (*_denials(unopened, rows, labels), *rows)
    return Reading(rows, tuple(part for part in said if isinstance(part, str)), found)


def _said_in(reply: str, labels: Labels, *, single: bool = False) -> tuple[Said, Form]:
    from .json_form import read_json
    from .json_values import looks_like_json
    from .lines_form import read_lines

    said, mended = read_json(reply, labels)
    if has_rows(said) or looks_like_json(reply):
        return said, "repaired" if mended else "json"
    return read_lines(reply, labels, single=single), "text"


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
        words = _WORD.findall(line)
        for number, word in pairwise(words if len(words) <= _FEW_WORDS else ()):
            if number.isdecimal() and len(number) < 10:
                yield Row(int(number), parse_label(word, labels))


def answer_in(text: str) -> str:
    """The judge's answer, without its thinking, but with what may be either if it contains JSON."""
    from .json_values import split_json

    unopened, answer = parted(text)
    return f"{unopened}\n{answer}" if unopened and split_json(unopened)[0] else answer


def parted(text: str) -> Parted:
    """The judge's answer, and what stands before it and may be thinking or the answer itself.

    A text that is no string raises TypeError.
    """
    if not isinstance(text, str):
        raise TypeError(f"a reply must be a string, got {type(text).__name__}")
    from .json_values import unwrap
    from .thinking import without_thinking

    return without_thinking(unwrap(clean_text(text)))


def unreadable(reply: str, wanted: str) -> UnreadableReply:
    """The error for a reply in which nothing that was wanted is found: why that may be."""
    from .json_values import looks_like_json
    from .refusal import is_judge_refusal, lacks_material

    if lacks_material(reply):
        return UnreadableReply(
            "the judge says that it was given no context or no statements: do they reach it?",
            "refusal",
            retryable=False,
        )
    if is_judge_refusal(reply):
        return UnreadableReply("the judge refused to answer", "refusal", retryable=False)
    if not reply:
        return UnreadableReply("the judge's reply is empty, or contains only its thinking")
    if looks_like_json(reply):
        return UnreadableReply(
            f"the judge's reply is JSON without a {wanted}, or it is broken or cut off"
        )
    return UnreadableReply(f"the judge's reply contains no {wanted}")
