"""The reply to an ask for claims, which claims each sentence of the answer makes; or for truths, what each passage states.

The rule: a claim is never dropped in silence, and a sentence that is said to claim nothing is named with an empty claim. A list with
an item that cannot be read is unreadable as a whole; an empty list is a reply that there is nothing to check.
"""

from __future__ import annotations

import re
from typing import Any

from ..records.errors import UnreadableReply
from ..text.strings import clean_text, is_blank
from .json_values import Found, looks_like_json, repair
from .json_verdicts import read_id

Claims = list[tuple[int | None, str]]

_LIST_KEYS = (
    "claims",
    "statements",
    "facts",
    "propositions",
    "simplerstatements",
    "atomicclaims",
    "atomicfacts",
    "truths",
)
_TEXT_KEYS = ("claim", "statement", "fact", "truth", "proposition", "text")
_SENTENCE_KEYS = (
    "sentenceid",
    "sentenceindex",
    "sentencenumber",
    "sentence",
    "passageid",
    "passage",
)
_ITEM = re.compile(
    r"^[ \t>]{0,8}(?:[\-*•+][ \t]+)?(?:(?:statement|claim)[ \t_#]{0,3})?(?:\(?\d{1,4}[.):](?!\d)[ \t]*)?",
    re.IGNORECASE,
)
_FENCE = re.compile(r"^[ \t]*```.*$", re.MULTILINE)


def claims_in_json(found: Found) -> Claims | None:
    """The claims that JSON values hold: [] where they say that there are none, None where they hold no list of claims.

    Raises:
        UnreadableReply: a list of claims holds something else.
    """
    lists = [claims for value in found.values if (claims := _walk(value, None)) is not None]
    if not lists:
        lists = [
            claims for value in repair(found.broken) if (claims := _walk(value, None)) is not None
        ]
    return [claim for claims in lists for claim in claims] if lists else None


def claims_in_text(text: str) -> Claims:
    """One claim a line, numbers and bullets apart; a first line that ends with a colon is no claim."""
    if looks_like_json(text):
        return []
    lines = [line for line in _FENCE.sub("", text).splitlines() if line.strip()]
    if len(lines) > 1 and lines[0].rstrip().endswith((":", "：")):
        del lines[0]
    claims = [_ITEM.sub("", line).strip() for line in lines]
    return (
        [(None, claim) for claim in claims]
        if all(len(claim.split()) > 1 for claim in claims)
        else []
    )


def _walk(value: Any, sentence: int | None) -> Claims | None:
    """The claims in ``value``, which belongs to ``sentence``; None where it is no list of claims and holds none."""
    if isinstance(value, list):
        return _from_list(value, sentence)
    if not isinstance(value, dict):
        return None
    own = _number(value, ("id", "index", *_SENTENCE_KEYS))
    sentence = sentence if own is None else own
    listed = next((value[name] for name in _LIST_KEYS if name in value), None)
    if isinstance(listed, list):
        return (
            _from_list(listed, sentence) if listed else [] if sentence is None else [(sentence, "")]
        )
    if listed is not None:
        raise UnreadableReply("the judge's claims are no list")
    found = [
        claims
        for name, item in value.items()
        if (claims := _walk(item, _near(name, sentence))) is not None
    ]
    return [claim for claims in found for claim in claims] if found else None


def _near(key: str, outer: int | None) -> int | None:
    number = read_id(key)
    return outer if number is None else number


def _from_list(items: list[Any], sentence: int | None) -> Claims | None:
    """A list of claims, or of sentences with their claims. None where no item is either (numbers: a footnote, or evidence)."""
    read = [_item(item, sentence) for item in items]
    if all(claims is None for claims in read):
        return None if items else []
    if None in read:
        raise UnreadableReply("a list of claims holds something that is no claim")
    return [claim for claims in read for claim in claims or []]


def _item(item: Any, sentence: int | None) -> Claims | None:
    if isinstance(item, str):
        text = clean_text(item).strip()
        if is_blank(
            text
        ):  # "..." is a placeholder, which says neither that there is a claim nor that there is none
            return None if text else []
        return [(sentence, text)]
    claim = (
        next((item[name] for name in _TEXT_KEYS if isinstance(item.get(name), str)), None)
        if isinstance(item, dict)
        else None
    )
    if claim is not None and not any(name in item for name in _LIST_KEYS):
        # A claim's own number is no sentence's.
        own = _number(item, _SENTENCE_KEYS)
        return _item(claim, sentence if own is None else own)
    return _walk(item, sentence)


def _number(value: dict[str, Any], names: tuple[str, ...]) -> int | None:
    return next(
        (number for name in names if (number := read_id(value.get(name))) is not None), None
    )
