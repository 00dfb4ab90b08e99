"""Verdicts in plain text, in the forms that older prompts ask for.

There are three forms, and the first one that occurs decides: a line "Final verdict for each
statement in order: ...", the words "Verdict: ...", or a reply that is a list of labels and nothing
else. Prose is never searched for a yes or a no.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...records.errors import UnreadableReply
from .afterwords import is_doubtful_summary, split_summary
from .final_verdicts import before_final_list, read_final_list
from .tags import unwrapped
from .verdict_lists import read_whole_list
from .verdict_words import read_verdict_words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...records.model import Label
    from ..raw_verdict import RawVerdict

    Labels = Mapping[str, Label] | None
    Entries = tuple[RawVerdict, ...]

_FENCE = re.compile(r"^[ \t]*```.*$", re.MULTILINE)


def read_text(text: str, labels: Labels = None) -> Entries:
    """The verdicts of a plain-text reply; () if it has none of the forms.

    Raises:
        UnreadableReply: the reply gives two readings that disagree.
    """
    text = unwrapped(_FENCE.sub("", text.replace("\r\n", "\n")))
    body, summary = split_summary(text)
    entries = _read_forms(body, labels)
    if not any(entry.label for entry in entries):
        return ()
    if is_doubtful_summary(summary, [entry.label for entry in entries], labels):
        raise UnreadableReply("the summary after the judge's verdicts casts doubt on them")
    return entries


def _read_forms(text: str, labels: Labels) -> Entries:
    before = before_final_list(text)
    if before is not None:
        return _combined(_words_before_list(before, labels), read_final_list(text, labels))
    words = read_verdict_words(text, labels)
    return read_whole_list(text, labels) if words is None else words


def _words_before_list(text: str, labels: Labels) -> Entries:
    try:
        return read_verdict_words(text, labels) or ()
    except UnreadableReply:
        return ()  # its prose mentions verdicts; the list after it decides


def _combined(words: Entries, final_list: Entries) -> Entries:
    """The verdicts in the text together with the list after it. The text's numbers are kept.

    Raises:
        UnreadableReply: they disagree, and no numbers tell which statement is in doubt.
    """
    text_is_numbered = bool(words) and all(entry.id is not None for entry in words)
    list_is_bare = bool(final_list) and all(entry.id is None for entry in final_list)
    if text_is_numbered and list_is_bare:
        return _checked_by_list(words, final_list)
    same_length = len(words) == len(final_list)
    if same_length and any(map(_disagree, words, final_list)):
        raise UnreadableReply("the verdicts in the judge's text and its final list disagree")
    return final_list


def _checked_by_list(words: Entries, final_list: Entries) -> Entries:
    """Numbered verdicts; those that differ from the list's verdict in the same place lose theirs.

    If one differs, those that the list leaves out lose their label too.
    """
    differs = [one.label != other.label for one, other in zip(words, final_list, strict=False)]
    counted = [entry.id for entry in words] == list(range(1, len(words) + 1))
    if any(differs) and len(words) != len(final_list) and not counted:
        raise UnreadableReply("the verdicts in the judge's text and its final list do not pair up")
    in_doubt = [*differs, *[any(differs)] * (len(words) - len(differs))]
    return tuple(
        entry._replace(label=None) if doubt else entry
        for entry, doubt in zip(words, in_doubt, strict=True)
    )


def _disagree(one: RawVerdict, other: RawVerdict) -> bool:
    return None not in (one.label, other.label) and one.label != other.label
