"""The citation audit: which cited ids exist, and which claims have no citation. It needs no judge.

Brackets are a citation if they contain an id that exists, something with the shape of such an id,
or a common form: ``[c1]``, ``[c1, c2]``, ``[1-3]``, ``[^1]``, ``[Source 1]``, ``【4†source】``,
``[1](#c1)``. Parentheses need more, because people write much in them: an id that exists and is
more than a number or a word, the shape of one with its own words (``(doc-9)`` beside ``doc-1``), or
a word for sources (``(Source: 9)``). ``[sic]``, ``[x]``, ``[1969]``, ``(2020)`` and links to web
pages are not citations.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from ..records.errors import ConfigError
from ..records.model import MAX_ANSWER_CHARS, CitationAudit
from .citations import MARKS, Mark, any_of, blanked, groups
from .languages import FIND
from .statements import split
from .strings import is_blank, lazy_pattern, word_lists

RETRY_AT = 5
"""With so many uncited sentences, the answer should be written again."""
MAX_RANGE = 20
"""A longer range, such as ``[1-5000]``, counts as its two ends."""
MAX_ID = 100
"""Characters. A longer id has no shape."""

_INLINE_CODE = lazy_pattern(r"``[^\n]{1,1000}?``|`[^`\n]{1,1000}`")
_NOTE = lazy_pattern(r"(?m)^[^\S\n]{0,20}(\[[^\[\]\n]{1,200}\]):")
_GENERIC = lazy_pattern(r"\d{1,3}|[A-Za-z]{1,10}[-_]?\d{1,6}")
_NUMBER = lazy_pattern(r"\d{1,3}(?::\d{1,3})?")
_RANGE = lazy_pattern(r"([A-Za-z]{0,10}[-_]?)(\d{1,6})\s?[-–—]\s?\1(\d{1,6})")
_SEPARATOR = lazy_pattern(r"[,;]|\s(?:and|und|et|y|e|en|&)\s")
_LOCATOR = lazy_pattern(
    r"(?:(?:pp?|pages?|lines?|section|chapter|seiten?)\s|(?:pp?|sec|ch|s)\.\s?|§\s?)\d.*",
    re.IGNORECASE,
)
_JOINT = lazy_pattern(r"(?<=[^\W\d_])[\s_.:#-](?=[^\W_])")
_DIGITS = lazy_pattern(r"\d+")
_LETTERS = lazy_pattern(r"[^\W\d_]+")
_RANDOM = lazy_pattern(r"a0a[a0]*|0a0[a0]*")
_UUID = lazy_pattern(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def audit_citations(
    answer: str, ids: Sequence[str], *, language: str = FIND, hedges: Sequence[str] = ()
) -> CitationAudit:
    """Checks the citations of ``answer`` against ``ids``, the ids of the passages it was given.

    A sentence without a citation is uncited, unless it hedges. Only the first ``MAX_ANSWER_CHARS``
    of the answer are read.

    Args:
        hedges: phrases that make a sentence a hedge, in any case of letters. Without any: "may",
            "it is unclear", "I don't know" and the like in seven languages.

    Raises:
        ConfigError: ``answer`` or ``language`` is not a string, or ``ids`` or ``hedges`` are not a
            sequence of strings.
    """
    _check(answer, language, ids=ids, hedges=hedges)
    answer = answer[:MAX_ANSWER_CHARS]
    parts = split(answer, language)
    unread = [(s.start, s.end) for s in parts.skipped if s.reason in ("code", "link definition")]
    unread += [found.span() for found in _INLINE_CODE.finditer(blanked(answer, unread))]
    unread += [found.span(1) for found in _NOTE.finditer(answer)]  # [^1]: The annual report
    reader = CitationReader(ids)
    citations = list(reader.citations(blanked(answer, unread)))
    named = dict.fromkeys(name for _, names in citations for name in names)
    invalid = tuple(name for name in named if not reader.exists(name))
    places = [place for place, _ in citations]
    following = (
        *(s.start or 0 for s in parts.statements[1:]),
        len(answer),
    )  # citations stand before
    uncited = tuple(
        statement.text
        for statement, end in zip(parts.statements, following, strict=False)
        if bisect_left(places, statement.start or 0) == bisect_left(places, end)
        and not _is_hedged(statement.text, hedges)
    )
    needs_retry = bool(invalid) or len(uncited) >= RETRY_AT
    return CitationAudit(invalid, len(uncited), uncited, bool(invalid), needs_retry)


def _check(answer: object, language: object, **lists: object) -> None:
    for name, value in (("answer", answer), ("language", language)):
        if not isinstance(value, str):
            raise ConfigError(f"{name}: must be a string, got {type(value).__name__}")
    for name, value in lists.items():
        if isinstance(value, str | bytes) or not isinstance(value, Sequence):
            raise ConfigError(f"{name}: must be a sequence of strings, got {type(value).__name__}")
        for item in value:
            if not isinstance(item, str):
                raise ConfigError(f"{name}: each must be a string, got {type(item).__name__}")


def _is_hedged(sentence: str, phrases: Sequence[str]) -> bool:
    """Whether a sentence says that it is not certain: with one of ``phrases``, if there are any."""
    if phrases:
        text = sentence.casefold()
        return any(phrase.casefold() in text for phrase in phrases)
    # "Perhaps" is a hedge at the start too, but "May" is a month.
    plain = sentence if sentence.startswith("May ") else sentence[:1].lower() + sentence[1:]
    return _hedge().search(plain) is not None


@cache
def _hedge() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(word_lists('hedges')['hedges'].splitlines())})\b")


# ---------------------------------------------------------------- which ids a citation names


@cache
def _source() -> re.Pattern[str]:
    """What may stand before an id: "see", and a word for sources, perhaps with a colon."""
    label = r"(?P<label>(?:[_\s]?id)?\s?[:=]\s?)"
    word = rf"(?P<word>{any_of('sources')})(?:{label}|[\s.#_-]{{1,3}}|(?=\d))"
    return re.compile(rf"(?:(?:{any_of('see')})\s)?(?P<source>{word})?", re.IGNORECASE)


class _Name(NamedTuple):
    """One id that a citation may name."""

    text: str
    exists: bool
    is_sourced: bool = False  # a word for sources is before it


class CitationReader:
    """Reads citations of passages with these ids. The case of letters does not matter."""

    def __init__(self, ids: Iterable[str]) -> None:
        names = [name for name in ids if not is_blank(name)]
        self._ids = {name.casefold(): name for name in names}
        self._joined = {_JOINT.sub("", name): whole for name, whole in self._ids.items()}
        self._shapes = {
            is_own: {_shape(name, own_words=is_own) for name in names} - {""}
            for is_own in (False, True)
        }

    def exists(self, name: str) -> bool:
        """Whether a passage has this id."""
        return name.casefold() in self._ids

    def citations(self, text: str) -> Iterator[tuple[int, list[str]]]:
        """Where each citation of a text without code begins, and the ids that it names, in order.

        An id is as passages have it, or as the answer writes it if no passage has it.
        """
        for mark in groups(text):
            target = self._ids.get(mark.target.removeprefix("#").casefold())
            names = [target] if target else self._names(mark)
            if names:
                yield mark.start, names

    def _names(self, mark: Mark) -> list[str]:
        """The ids that brackets or parentheses name; none if they are not a citation."""
        whole = self._ids.get(mark.content.strip().casefold())
        parts = [whole] if whole else _SEPARATOR.split(mark.content)
        names = [self._name(token) for part in parts for token in self._expanded(part)]
        listed = [name for name in names if name is not None]
        if mark.style == "parentheses" and not any(name.is_sourced for name in listed):
            listed = [name for name in listed if self._is_distinct(name)]
        if len(listed) < len(names) and not any(name.exists for name in listed):
            return []
        return [name.text for name in listed]

    def _is_like_an_id(self, text: str, *, own_words: bool = False) -> bool:
        return _shape(text, own_words=own_words) in self._shapes[own_words]

    def _is_distinct(self, name: _Name) -> bool:
        """Whether an id is a citation in parentheses, without a word for sources.

        A number or a word alone is not: "(3)" may be an equation, "(report)" a remark.
        """
        if not name.exists:
            return self._is_like_an_id(name.text, own_words=True)
        return not (name.text.isdecimal() or name.text.isalpha())

    def _expanded(self, part: str) -> list[str]:
        """The ids in a part of a list: ``1-3`` is 1, 2, 3. A page (``p. 4``) is not an id.

        An id that looks like a range stays as it is.
        """
        token = part.strip(MARKS)
        if self.exists(token) or self._is_like_an_id(token):
            return [token]
        if not token or _LOCATOR.fullmatch(token):
            return []
        span = _RANGE.fullmatch(token)
        words = token.split()
        if not span:
            return words if all(self.exists(word) for word in words) else [token]
        prefix, first, last = span[1], int(span[2]), int(span[3])
        within = range(first, last + 1) if first < last < first + MAX_RANGE else (first, last)
        return [f"{prefix}{number}" for number in within]

    def _name(self, token: str, label: str = "") -> _Name | None:
        """The id that a part of a citation names; None if it does not look like an id.

        ``Source 1``, ``Source: doc-3``, ``see Doc 3``, ``Source 1: the title``.

        Args:
            label: the word for sources that stands before it.
        """
        if existing := self._existing(token, f"{label} {token}"):
            return _Name(existing, exists=True, is_sourced=bool(label))
        before = _source().match(token)
        rest = token[before.end() :].partition(": ")[0].strip(MARKS) if before else token
        if before and before["source"]:
            if before["label"] or self._existing(rest, f"{before['word']} {rest}"):
                return self._name(rest, before["word"])
            if _NUMBER.fullmatch(rest) or self._is_like_an_id(rest):
                return _Name(f"{before['source']}{rest}", exists=False, is_sourced=True)
        elif before and (shorter := token[before.end() :].strip(MARKS)) != token:
            return self._name(shorter)
        number, dagger, _ = token.partition("†")
        if dagger and _NUMBER.fullmatch(number):  # 4†source, 4:0†source
            return _Name(number, exists=False, is_sourced=True)
        is_id = _NUMBER if label else _GENERIC
        if is_id.fullmatch(token) or self._is_like_an_id(token):
            return _Name(token, exists=False, is_sourced=bool(label))
        return None

    def _existing(self, *texts: str) -> str | None:
        """The id of a passage that a text is, also with a page (``a.pdf#page=3``) or a dagger."""
        for text in map(str.casefold, texts):
            number, _, name = text.partition("†")
            for spelling in (text, number, name, text.partition("#")[0]):
                if found := self._ids.get(spelling) or self._joined.get(_JOINT.sub("", spelling)):
                    return found
        return None


def _shape(name: str, *, own_words: bool) -> str:
    """What an id looks like: one that does not exist is recognised by the shape of one that does.

    ``doc_1_chunk_0`` has the shape word, number, word, number, so ``doc_1_chunk_9`` may be an id
    too. An id without a digit has no shape (""), as every word would look like it, and nor has a
    number of up to three digits, or a year such as 1969.

    Args:
        own_words: words stand for themselves: ``doc_9`` has the shape of ``doc_1``, ``note_9`` not.
    """
    name = name.casefold()
    if len(name) > MAX_ID or not any(map(str.isdecimal, name)):
        return ""
    if name.isdecimal():
        is_year = len(name) == 4 and name[:2] in ("19", "20")
        return f"{len(name)} digits" if len(name) > 3 and not is_year else ""
    numbered = _DIGITS.sub("0", _UUID.sub("uuid0", name))
    if own_words or " " in name:
        return numbered
    return _RANDOM.sub("x", _LETTERS.sub("a", numbered))
