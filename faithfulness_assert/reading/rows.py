"""What a form of reply is read as: rows with their labels, and the rest, of which nothing is lost.

Labels are known words, in any case and dress; an unknown word is no label. A policy's ``labels``
add the words of a judge that has others.

Most replies are exactly what was asked for: numbers and labels, and nothing else. Without a word of
the judge's own there is no residue, so the rows of such a reply are those that ``forms.py`` finds
(a test compares them), for a tenth of the time.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping
from itertools import islice
from typing import Literal, NamedTuple

from ..records.judge import ReplyForm
from ..records.model import LABELS, Label
from ..text.strings import clean_text, each_once, lazy_pattern, sections

KEY_LETTERS = "bcdfghjkmnpqrstvwxz"
"""Without vowels and digits, so that no key of an ask is a word or a number."""
KEY_CHARS = 4
UNPLACED = 0  # of a row whose number cannot be read, such as "both": no statement has it
_MOST = 10**9  # numbers of statements and sentences are smaller


class Row(NamedTuple):
    """One verdict of a reply."""

    number: int | None  # the statement's (or sentence's) in the reply; None if it gives none
    label: Label | None = None  # None if its word is no label, or if it has several that differ
    evidence: tuple[int, ...] = ()  # the numbers that it points at, unchecked
    statement: str = ""  # the statement or claim that it repeats
    quote: str = ""  # context text that it cites instead of numbers, one quote on each line
    reason: str = ""  # why, in the judge's words; in plain text, what stands beside the label
    residue: tuple[str, ...] = ()  # all else in the row, such as keys that were not asked for
    # The whole line, if the row is one of plain text. A line that equals its statement only repeats
    # it, whatever word it begins with.
    line: str = ""


Labels = Mapping[str, Label] | None
Said = list[Row | str]
"""What a reply says: its rows, and its residue as texts."""


def has_rows(said: Said) -> bool:
    """Whether a reply has rows at all."""
    return any(isinstance(part, Row) for part in said)


class Reading(NamedTuple):
    """A reply as rows in their order, the residue that stands in no row, and its form.

    The form is JSON that is exactly what was asked for (``schema``), other ``json``, or ``text``.
    """

    rows: tuple[Row, ...]
    residue: tuple[str, ...] = ()
    form: Literal["schema", "json", "text"] = "text"


def is_key(value: object) -> bool:
    """Whether a value has the form of the key of an ask."""
    return type(value) is str and len(value) == KEY_CHARS and not value.strip(KEY_LETTERS)


def exact_rows(text: str, form: ReplyForm, labels: Labels = None) -> tuple[Row, ...] | None:
    """The rows of a reply that conforms to ``form`` to the letter; None if it does not.

    ``labels``: a policy's own words. If they change the meaning of a label, no reply is exact.
    """
    if form.kind != "verdicts" or (labels and not labels.keys().isdisjoint(form.labels)):
        return None
    keys = {"id", "evidence", "label"} if form.numbered else {"evidence", "label"}
    rows = []
    try:
        reply = _DECODER.decode(text)
        is_ours = is_key(reply.pop("ask")) if "ask" in reply else True
        items = reply.pop("verdicts")
        for item in items:
            reason = item.pop("reason", "") if form.reasons != "none" else ""
            number, evidence, label = item.get("id"), item["evidence"], item["label"]
            numbers = [*evidence, number if form.numbered else 0]
            # True is no number.
            whole = {*map(type, numbers)} == {int} and max(map(abs, numbers)) < _MOST
            is_exact = whole and label in form.labels and item.keys() == keys
            if not is_exact or type(evidence) is not list or type(reason) is not str:
                return None
            rows.append(Row(number, label, tuple(evidence), reason=clean_text(reason)))
    except (ValueError, RecursionError, LookupError, TypeError, AttributeError):  # another form
        return None
    return tuple(rows) if rows and is_ours and not reply and type(items) is list else None


_DECODER = json.JSONDecoder(object_pairs_hook=each_once)


LABEL_WORDS = sections(__file__.removesuffix("rows.py") + "words/labels.txt")
_LABELS: dict[str, Label] = {word: label for label in LABELS for word in LABEL_WORDS[label].split()}
_LABELS |= dict.fromkeys(LABEL_WORDS["no"].split(), "not_enough_info")

# What may surround a word. No minus and no tilde before it, no "?" after it: "-1", "~~yes~~" and
# "yes?" mean something else than the bare word.
_LEFT = " \t\r\n\"'`“”„‘’«»*_#>([\ufeff\u200b"
_RIGHT = " \t\r\n\"'`“”‘’«»*_)]\ufe0f\ufeff\u200b.,;:!"
_WORD = lazy_pattern(r"[^\s,.:;!()\[\]|–—*_\"]+")
_MOST_WORDS = 5
# What may follow a label: its end, punctuation, or a word that begins a reason.
_AFTER = lazy_pattern(
    r"(?i)[*_\"'`\s]*(?:$|[.,;:!()\[\]|–—✅✔❌-]|(?:by|because|as|since|per|according|in|from)\b)"
)
# Before a label: "The statement is", "it's fully".
_BEFORE = lazy_pattern(
    r"(?i)[*_\"'`\s]*(?:(?:the |this )?(?:statement|claim|sentence|it)(?: #?\d{1,6})?(?:'s| is)"
    r"(?: (?:directly|fully|clearly|explicitly|completely|entirely))? )?"
)


def parse_label(value: object, labels: Labels = None) -> Label | None:
    """The label that ``value`` is, or None.

    Args:
        value: a JSON scalar: true, false, the numbers 1 and 0, or a string. Others are no labels.
        labels: a policy's own words, normalised (lower case, parts joined by one underscore). They
            override the standard ones.
    """
    if isinstance(value, bool | int | float):
        value = str(value).lower().removesuffix(".0")
    word = normalise(value) if isinstance(value, str) else ""
    return (labels or {}).get(word) or _LABELS.get(word)


def leading_label(text: str, labels: Labels = None) -> tuple[Label | None, str]:
    """The label with which ``text`` begins, the longest possible one, and what follows it.

    ``(None, text)`` if it begins with none, or with one that is only the first word of something
    else ("Supported housing").
    """
    before = _BEFORE.match(text)
    start = before.end() if before else 0
    if text[start : start + 3].strip(_LEFT)[:1].isdigit():
        return None, text  # a number at the start of a text counts something
    ends = [word.end() for word in islice(_WORD.finditer(text, start, start + 200), _MOST_WORDS)]
    for end in reversed(ends):
        word = normalise(text[start:end])
        label = parse_label(word, labels)
        is_field = text[end : end + 3].lstrip(" *_").startswith(":")
        if label and is_field and len(_WORD.findall(text, end)) < 2:
            return None, text  # "Supported: N" is a field with another answer
        if label and not word.isascii():  # any text may follow a mark, also its label in words
            said, rest = leading_label(text[end:], labels)
            agrees = said is None or (said == "supported") == (label == "supported")
            return (said or label, rest) if agrees else (None, text)
        if label and _AFTER.match(text, end):
            return label, text[end:]
    return None, text


def normalise(word: str) -> str:
    """``word`` in lower case, bare, its parts joined by one underscore: a key of ``labels``.

    Letters of full width become plain ones.
    """
    if len(word) > 200:
        return ""
    bare = unicodedata.normalize("NFKC", word.replace("\\_", "_")).casefold()
    bare = bare.lstrip(_LEFT).rstrip(_RIGHT).replace("’", "'")
    parts = bare.replace("_", " ").replace("-", " ").split()
    return bare if bare.startswith("-") else "_".join(parts)
