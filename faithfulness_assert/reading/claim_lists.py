"""Read a reply's lists: the claims of each sentence of the answer, or the truths of each passage.

No claim is dropped silently. A sentence that is said to have no claims gets an empty claim. A list
with an item that cannot be read is unreadable as a whole; an empty list means that there is nothing
to check.
"""

from __future__ import annotations

import re
from typing import Any

from ..records.errors import UnreadableReply
from ..text.strings import clean_text, is_blank
from .json_entries import read_id
from .json_fixes import repair
from .json_values import ReplyParts, looks_like_json

Claims = list[tuple[int | None, str]]

_LIST_KEYS = (
    *("claims", "statements", "facts", "propositions"),
    *("simplerstatements", "atomicclaims", "atomicfacts", "truths"),
)
_TEXT_KEYS = ("claim", "statement", "fact", "truth", "proposition", "text")
_SENTENCE_KEYS = (
    *("sentenceid", "sentenceindex", "sentencenumber", "sentence"),
    *("passageid", "passage"),
)
_ITEM = re.compile(
    r"^[ \t>]{0,8}(?:[\-*•+][ \t]+)?(?:(?:statement|claim)[ \t_#]{0,3})?"
    r"(?:\(?\d{1,4}[.):](?!\d)[ \t]*)?",
    re.IGNORECASE,
)
_FENCE = re.compile(r"^[ \t]*```.*$", re.MULTILINE)


def claims_in_json(parts: ReplyParts) -> Claims | None:
    """The claims in a reply's JSON: [] if it says that there are none, None if it has no list.

    Raises:
        UnreadableReply: a list of claims contains something else.
    """
    lists = _lists_in(parts.values) or _lists_in(repair(parts.broken))
    return [claim for claims in lists for claim in claims] if lists else None


def claims_in_text(text: str) -> Claims:
    """One claim per line, without numbers and bullets. An introduction ("Claims:") is skipped."""
    if looks_like_json(text):
        return []
    lines = [line for line in _FENCE.sub("", text).splitlines() if line.strip()]
    if len(lines) > 1 and lines[0].rstrip().endswith((":", "：")):
        del lines[0]
    claims = [_ITEM.sub("", line).strip() for line in lines]
    if any(len(claim.split()) < 2 for claim in claims):
        return []
    return [(None, claim) for claim in claims]


def _lists_in(values: tuple[Any, ...]) -> list[Claims]:
    return [claims for value in values if (claims := _walk(value, None)) is not None]


def _walk(value: Any, sentence: int | None) -> Claims | None:
    """The claims in ``value``, which belongs to ``sentence``; None if it contains no list."""
    if isinstance(value, list):
        return _from_list(value, sentence)
    if not isinstance(value, dict):
        return None
    own = _number(value, ("id", "index", *_SENTENCE_KEYS))
    sentence = sentence if own is None else own
    listed = next((value[name] for name in _LIST_KEYS if name in value), None)
    if listed is not None:
        return _from_claims_key(listed, sentence)
    by_key = [_walk(item, _sentence_under(name, sentence)) for name, item in value.items()]
    lists = [claims for claims in by_key if claims is not None]
    return [claim for claims in lists for claim in claims] if lists else None


def _from_claims_key(listed: Any, sentence: int | None) -> Claims | None:
    """The value of "claims": an empty list means that the sentence has none."""
    if not isinstance(listed, list):
        raise UnreadableReply("the judge's claims are not a list")
    if listed:
        return _from_list(listed, sentence)
    return [] if sentence is None else [(sentence, "")]


def _sentence_under(key: str, outer: int | None) -> int | None:
    number = read_id(key)
    return outer if number is None else number


def _from_list(items: list[Any], sentence: int | None) -> Claims | None:
    """A list of claims, or of sentences with their claims. None if no item is either."""
    by_item = [_item(item, sentence) for item in items]
    if all(claims is None for claims in by_item):
        return None if items else []  # a list of numbers is a footnote, or evidence
    if None in by_item:
        raise UnreadableReply("a list of claims contains an item that is not a claim")
    return [claim for claims in by_item for claim in claims or []]


def _item(item: Any, sentence: int | None) -> Claims | None:
    """One item of a list: a claim, or a sentence with its claims."""
    if isinstance(item, str):
        return _claim(clean_text(item).strip(), sentence)
    if isinstance(item, dict) and not any(name in item for name in _LIST_KEYS):
        texts = (item[name] for name in _TEXT_KEYS if isinstance(item.get(name), str))
        if (text := next(texts, None)) is not None:
            own = _number(item, _SENTENCE_KEYS)  # "id" is the claim's number, not the sentence's
            return _claim(clean_text(text).strip(), sentence if own is None else own)
    return _walk(item, sentence)


def _claim(text: str, sentence: int | None) -> Claims | None:
    """One claim; [] if it is empty. "..." is a placeholder: it says neither yes nor no."""
    if not is_blank(text):
        return [(sentence, text)]
    return None if text else []


def _number(value: dict[str, Any], names: tuple[str, ...]) -> int | None:
    numbers = (read_id(value.get(name)) for name in names)
    return next((number for number in numbers if number is not None), None)
