"""The line "Final verdict for each statement in order: Yes. No." of a plain-text reply."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...records.errors import UnreadableReply
from ..retraction import quoted, taken_back
from .verdict_lists import read_items_before_prose

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...records.model import Label
    from ..raw_verdict import RawVerdict

    Labels = Mapping[str, Label] | None
    Entries = tuple[RawVerdict, ...]

_GAP = r"[ \t*_]{1,5}"
# It counts at the start of a line only: inside a line it may be quoted.
_MARKER = re.compile(
    rf"^[ \t>*_#\-]{{0,9}}final{_GAP}verdicts?{_GAP}for{_GAP}(?:each|all|the){_GAP}"
    rf"(?:statement|claim|sentence)s?(?:{_GAP}in{_GAP}(?:the{_GAP})?order)?[ \t*_]{{0,5}}[:：]",
    re.IGNORECASE | re.MULTILINE,
)
_QUOTED_CHARS = 200


def before_final_list(text: str) -> str | None:
    """The text before the first list of final verdicts; None if there is no such list."""
    mark = _MARKER.search(text)
    return None if mark is None else text[: mark.start()]


def read_final_list(text: str, labels: Labels) -> Entries:
    """The list of final verdicts in a text that has one.

    Raises:
        UnreadableReply: several lists disagree, or the prose around takes them back.
    """
    marks = list(_MARKER.finditer(text))
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    lists = {
        read_items_before_prose(text[mark.end() : end], labels)
        for mark, end in zip(marks, ends, strict=True)
    }
    if len(lists) > 1:
        raise UnreadableReply("the judge's text has several lists of final verdicts that disagree")
    before = [text[max(0, mark.start() - _QUOTED_CHARS) : mark.start()] for mark in marks]
    if any(map(quoted, before)) or _is_withdrawn(text[marks[-1].end() :]):
        raise UnreadableReply(
            "the judge's final verdicts are quoted, taken back or followed by a refusal"
        )
    return lists.pop()


def _is_withdrawn(after: str) -> bool:
    from ..refusal import is_refusal

    return taken_back(after) or is_refusal(after)
