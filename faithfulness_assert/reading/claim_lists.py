"""Read a reply's lists: the claims of each sentence of the answer, or the truths of each passage.

No claim is dropped silently. A sentence that is said to have no claims gets an empty claim. A list
with an item that cannot be read is unreadable as a whole; an empty list means that there is nothing
to check. A remark or a refusal is not a claim.
"""

from __future__ import annotations

import re
from typing import Any

from ..records.errors import UnreadableReply
from ..text.strings import clean_text, is_blank
from .claim_remarks import is_no_claim, is_refused_claim, mentions_no_claims, says_no_claims
from .json_fixes import repair
from .json_values import ReplyParts, looks_like_json
from .refusal import refuses_to_split
from .statement_ids import read_id
from .text_replies.afterwords import is_polite

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
_MARKER = re.compile(
    r"^[ \t>]{0,8}(?:[\-*•+][ \t]+)?"
    r"(?:(?:(?:statement|claim)[ \t_#]{0,3})?\(?\d{1,4}[.):](?!\d)[ \t]*)?",
    re.IGNORECASE,
)
_HEADING = re.compile(
    r"[\s>#*_\-]{0,8}(?:sentence|passage)[ \t_#]{0,3}(\d{1,6})[\s*_]{0,4}[.):]?[\s*_]{0,4}",
    re.IGNORECASE,
)
_NONE = re.compile(
    r"\bno|\bn/?a\b|nil|null|empty|zero|[^\x00-\x7f]|keine|aucun|geen|brak|sin|sem|pas|does|nessun",
    re.I,
)
_FENCE = re.compile(r"^[ \t]*```.*$", re.MULTILINE)


def claims_in_json(parts: ReplyParts) -> Claims | None:
    """The claims in a reply's JSON: [] if it says that there are none, None if it has no list.

    Raises:
        UnreadableReply: a list of claims contains something else (kind ``unreadable``), or all that
            it contains is a refusal (kind ``refusal``).
    """
    lists = _lists_in(parts.values) or _lists_in(repair(parts.broken))
    return _without_refusals([claim for claims in lists for claim in claims]) if lists else None


def _without_refusals(claims: Claims) -> Claims:
    """The claims; a sentence whose claim only declines has none."""
    refused = {text for text in {text for _, text in claims} if text and is_refused_claim(text)}
    if refused and all(text in refused for _, text in claims if text):
        raise UnreadableReply("the judge refused to list claims", "refusal", retryable=False)
    kept = [(number, text) for number, text in claims if text not in refused]
    silent = {number for number, _ in claims} - {number for number, _ in kept} - {None}
    return [*kept, *((number, "") for number in sorted(filter(None, silent)))]


def claims_in_text(text: str) -> Claims | None:
    """One claim per line; [] if the text says that there are none, None if it is not a list.

    Numbers and bullets are removed, and so is an introduction ("Claims:"). "Sentence 2:" on a line
    of its own names the sentence of the claims after it.

    Raises:
        UnreadableReply: the text is a refusal, or has claims and says that there are none.
    """
    if looks_like_json(text) and not refuses_to_split(text):
        return None
    lines = [line for line in _FENCE.sub("", text).splitlines() if line.strip()]
    if len(lines) == 1 and says_no_claims(_MARKER.sub("", lines[0])):
        return []
    if mentions_no_claims(text):
        raise UnreadableReply("the judge says that there are no claims, and something else")
    if refuses_to_split(text):
        raise UnreadableReply("the judge refused to list claims", "refusal", retryable=False)
    if len(lines) > 1 and lines[0].rstrip(" *_").endswith((":", "：")) and not _heading(lines[0]):
        del lines[0]
    return _from_lines(_without_remarks(lines))


def _from_lines(lines: list[str]) -> Claims | None:
    """The claims of the lines; None if only some have a bullet: the others may be remarks."""
    claims: Claims = []
    sentence = None
    marked = set()
    for line in lines:
        if heading := _heading(line):
            sentence = int(heading[1])
            continue
        text = _MARKER.sub("", line).strip()
        marked.add(text != line.strip())
        claims.append((sentence, text))
    unclear = len(marked) > 1 or any(len(text.split()) < 2 for _, text in claims)
    return None if unclear or not claims else claims


def _heading(line: str) -> re.Match[str] | None:
    return _HEADING.fullmatch(line)


def _without_remarks(lines: list[str]) -> list[str]:
    """The lines without polite ones at the end."""
    end = len(lines)
    while end > 1 and is_polite(lines[end - 1]):
        end -= 1
    return lines[:end]


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
    strings = [item for item in items if isinstance(item, str)]
    none = [item for item in strings if _may_be_none(item) and is_no_claim(item)]
    if none and len(none) == len(items):
        return [] if sentence is None else [(sentence, "")]
    if none:
        raise UnreadableReply("a list of claims contains a remark that there are none")
    by_item = [_item(item, sentence) for item in items]
    if all(claims is None for claims in by_item):
        return None if items else []  # a list of numbers is a footnote, or evidence
    if None in by_item:
        raise UnreadableReply("a list of claims contains an item that is not a claim")
    return [claim for claims in by_item for claim in claims or []]


def _may_be_none(item: str) -> bool:
    return _NONE.search(item) is not None


def _item(item: Any, sentence: int | None) -> Claims | None:
    """One item of a list: a claim, or a sentence with its claims."""
    if isinstance(item, str):
        return _claim(clean_text(item).strip(), sentence)
    if isinstance(item, dict) and not any(name in item for name in _LIST_KEYS):
        texts = (item[name] for name in _TEXT_KEYS if isinstance(item.get(name), str))
        if (text := next(texts, None)) is not None:
            own = _number(item, _SENTENCE_KEYS)  # "id" is the claim's number, not the sentence's
            sentence = sentence if own is None else own
            text = "" if is_no_claim(text) and sentence is not None else text
            return [(sentence, "")] if not text else _claim(clean_text(text).strip(), sentence)
    return _walk(item, sentence)


def _claim(text: str, sentence: int | None) -> Claims | None:
    """One claim; [] if it is empty. "..." is a placeholder: it says neither yes nor no."""
    if not is_blank(text):
        return [(sentence, text)]
    return None if text else []


def _number(value: dict[str, Any], names: tuple[str, ...]) -> int | None:
    numbers = (read_id(value.get(name)) for name in names)
    return next((number for number in numbers if number is not None), None)
