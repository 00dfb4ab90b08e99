"""The sentences that a judge writes around its rows, and the statements that each is about."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from ..text.strings import lazy_pattern

_SENTENCE = lazy_pattern(
    r"[.!?;]*(?:[^.!?;\n]|(?<=\d)\.(?=\d))+(?:[.!?;]+(?=\s|[*_\"”)]|$)|\n|$|[.!?;])"
)
# "statements 1 and 3", "claim #2", "#3"
_NAMED = lazy_pattern(
    r"\b(?:statements?|claims?|verdicts?|ids?|nos?\.|(?<!the )numbers?|items?|labels?"
    r"|entr(?:y|ies))"
    r"[ #:*_]{1,4}(\d{1,6}(?:(?:(?:,| and| &|, and| or) ?#?| #?|#)\d{1,6}\b)*)|#(\d{1,6})\b",
    re.IGNORECASE,
)
# How a line begins that is about one statement: "2.", "**Statement 2:**", "- For statement 2,"
_LEADING = lazy_pattern(
    r"[ \t>*_#•(\[-]{0,8}(?:(?:(?:for|in|as for|regarding) )?(?:the )?(?:statement|claim)"
    r"[ #*_]{1,3}(\d{1,6})\b(?![-–/]| ?(?:and|&|or|to|through)\b)"
    r"|(\d{1,6})[*_]{0,3}(?:[.):\]=→](?!\d)|->|–\s))",
    re.IGNORECASE,
)
# A sentence with one of these is about others, too, whatever it begins with.
_WIDE = lazy_pattern(
    r"\b(?:others?|rest|remaining|except\w*|besides|aside|apart|sole\w*|alone|both|neither|nor"
    r"|too|also|as well|as (?:is|are)|so (?:is|are)|these|those|them|they|answer|response"
    r"|everything|everyone|earlier|previous\w*|former\w*|after|before|starting|latter|none"
    r"|(?:all|every|each|only|no) (?:of )?(?:the )?(?:statements?|claims?|ones?|this|verdicts?))\b",
    re.IGNORECASE,
)
_EARLIER = lazy_pattern(
    r"\b(?:earlier|previous\w*|former\w*|before|so far|nothing in the answer"
    r"|(?:all|none)(?: of)? my|the (?:whole|entire) answer)\b",
    re.IGNORECASE,
)
_OTHERS = lazy_pattern(
    r"\b(?:other|these|those|both|all|none|neither|no|earlier|previous|remaining)"
    r"(?: of)?(?: the| my| your)?(?: \w+)? (?:statement|claim|verdict|answer|point)s?\b"
    r"|\bnone of (?:them|these|this)\b|\bthe (?:whole|entire) answer\b",
    re.IGNORECASE,
)
_SAYS_SOMETHING = lazy_pattern(r"[^\W_]|[^\w\s.,;:'’\"“”()\[\]{}/*_#>`|–—…&+-]")
_SENTENCES = lazy_pattern(
    r"\b(?:sentences?|passages?) \d+(?:(?:, | and | or |-|–)\d+){0,19}", re.IGNORECASE
)
_BARE = lazy_pattern(r"(?<![\w.,:])\d{1,6}(?![\w:%]|[.,]\d)")
_RANGE = lazy_pattern(
    r"\b(?:statements|claims) (\d{1,6}) ?(?:-|–|to|through) ?(\d{1,6})\b", re.IGNORECASE
)


class Remark(NamedTuple):
    """A sentence around the rows: the numbers that it names, whether it is about others too."""

    named: frozenset[int]
    others: bool
    text: str


def remarks(residue: Iterable[str], numbers: Collection[int]) -> list[Remark]:
    """The sentences of a reply's residue. ``numbers``: those of its ask.

    A sentence is about one statement only if it begins with that one ("Statement 2 ...", "2. ..."),
    or stands in a line that does, and names no other. Every other sentence is about all of them.
    Numbers at the start of lines name no statements if they are a count of their own.
    """
    lines = [line for text in residue for line in text.split("\n") if _SAYS_SOMETHING.search(line)]
    led = {int(match[2]) for line in lines if (match := _LEADING.match(line)) and match[2]}
    counts = 1 in led and not led.issuperset(numbers)
    return [remark for line in lines for remark in _in_line(line, numbers, counts=counts)]


def _in_line(line: str, numbers: Collection[int], *, counts: bool) -> Iterator[Remark]:
    lead = _LEADING.match(line)
    about = frozenset({int(lead[1] or lead[2])}) if lead else frozenset[int]()
    start = lead.end() if lead else 0
    unclear = counts and lead is not None and lead[2] is not None
    for sentence in _SENTENCE.findall(line[start:]) or [line[start:]]:
        if _SAYS_SOMETHING.search(sentence):
            remark = _remark(sentence, about, numbers)
            yield remark._replace(others=True) if unclear else remark


def _remark(sentence: str, about: frozenset[int], numbers: Collection[int]) -> Remark:
    own = _LEADING.match(sentence)
    if own and own[1]:
        about = frozenset({int(own[1])})
    named = about | _named(sentence)
    # "but 2 and 3 are made up": a number may name a statement where it names no sentence.
    bare = {int(n) for n in _BARE.findall(_SENTENCES.sub(" ", sentence))} & set(numbers) - about
    wide = len(named) != 1 or named != about or named.isdisjoint(numbers) or bool(bare)
    return Remark(named, wide or _WIDE.search(sentence) is not None, sentence)


def _named(sentence: str) -> frozenset[int]:
    """The numbers that a sentence names."""
    found = (part for parts in _NAMED.findall(sentence) for part in parts)
    named = {int(n) for part in found for n in re.findall(r"\d+", part)}
    for first, last in _RANGE.findall(sentence):
        named.update(range(int(first), min(int(last), int(first) + 1000) + 1))
    return frozenset(named)


def is_about_all_before(remark: Remark) -> bool:
    """Whether a remark may be about what was said in earlier replies, and names nothing of it."""
    return remark.others and _EARLIER.search(remark.text) is not None


def about_others(text: str, number: int | None) -> bool:
    """Whether what stands in a statement's own row is about other statements, too."""
    return bool(_named(text) - {number}) or _OTHERS.search(text) is not None
