"""Read remarks: from a key and its value, and from prose.

"overall_verdict": "contradicted", "unsupported": [2], "Score: 1/2" and "However, statement 2 is not
supported" are remarks. Of prose, only sentences that deny support matter. A condition ("if a
statement is not supported ..."), a rule ("claims that are contradicted ...") and a denial of a
denial ("none is contradicted") deny nothing. Quoted text is not searched.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

from ..json_values import key_of
from ..labels import parse_label
from ..statement_ids import read_id
from . import polarity
from . import prose_words as words
from .remarks import NONE_SUPPORTED, SOME_UNSUPPORTED, Remark, on_whole

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ...records.model import Label

    Labels = Mapping[str, Label] | None

LOW_TOTAL = 0.7  # a lower score of a whole reply does not fit verdicts that are all positive
MAX_CHARS = 50_000  # no one reads more prose than this around verdicts
_SENTENCE_CHARS = 1_000
_HINT = re.compile(
    r"n[o']t\b|\bno\b|none|neither|nothing|contra|unsupport|unfaith|unground|unverif|unsubst"
    r"|halluc|refut|fabricat|false|untrue|incorrect|inaccur|inconsist|invalid|wrong|mistaken|invent"
    r"|made up|conflict|partial|partly|lack|fail|mis[rs]|beyond|against|only|cannot|can't|opposite"
    r"|[:=]|\d\s?(?:of|out of|/)\s?\d|[^\x00-\x7f]|nicht|niet|\bnie\b|\bpas\b|\bnon\b|wider|weer"
    r"|tegen|sprz"
)
_QUOTED = re.compile(r"\"[^\"\n]{0,400}\"|“[^”\n]{0,400}”|«[^»\n]{0,400}»")
_MARKUP = str.maketrans({"*": None, "`": None, "#": " ", ">": " ", "|": " ", "_": " ", "’": "'"})
_ENDS = re.compile(r"(?<=[.!?;])\s+|\n+|[。！？；]")
_PAIR = re.compile(
    r"[\s\-•+(]{0,8}([^\W\d][^:=：,;]{1,50}?)\s{0,3}[:=：]\s{0,3}(\S.{0,400})", re.DOTALL
)
_NUMBERED_PAIR = re.compile(
    rf"[\s\-•+(]{{0,8}}(?:{words.STATEMENT}\s{{0,2}}[\#(]?)(\d{{1,6}})\)?\s{{0,3}}"
    r"(?:[:=：\-–—→]|->)\s{0,3}(\S.{0,400})",
    re.VERBOSE | re.DOTALL,
)
_ABOUT_IT = re.compile(r"(?:it|this|that|(?:the|this) (?:statement|claim))\s")

_pattern = cache(lambda source: re.compile(source, re.VERBOSE))


def remarks_of(key: str, value: Any, labels: Labels = None) -> list[Remark]:
    """What a key and its value, beside verdicts, say about them."""
    kind = polarity.kind_of(key)
    if kind == "denying":
        return _of_denial(value)
    if kind != "other" and isinstance(value, dict | list):
        return _of_collection(key, value, labels)
    if kind == "affirming" and _is_count(key, value):
        return [Remark(at_most=value)]
    if isinstance(value, str):
        return _of_words(key, value, labels)
    against = polarity.speaks_against(key, value, labels, low=LOW_TOTAL)
    return [SOME_UNSUPPORTED] if against else []


def _is_count(key: str, value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, int):
        return False
    return value > 1 or (value >= 0 and polarity.is_count(key))


def _of_denial(value: Any) -> list[Remark]:
    """The remark of a key that denies: a flag, a count, a list of numbers or of problems."""
    if not polarity.says_something(value):
        return []
    named = _numbers_in(value)
    if named is not None:
        return [Remark(1, named)]
    count = value if isinstance(value, int) and not isinstance(value, bool) else 1
    return [Remark(max(count, 1))]


def _of_collection(key: str, value: dict[str, Any] | list[Any], labels: Labels) -> list[Remark]:
    """The remarks of "scores": {"1": 0.9, "2": 0.1}, and of a list of all supported statements."""
    if isinstance(value, list):
        named = _numbers_in(value)
        if polarity.lists_supported(key) and (named is not None or not value):
            return [Remark(only=named or frozenset())]
        texts = [item for item in value if isinstance(item, str)]
        return [remark for text in texts for remark in _of_words(key, text, labels)]
    denied = [
        number
        for name, item in value.items()
        if (number := read_id(name)) is not None and polarity.speaks_against(key, item, labels)
    ]
    return [Remark(1, frozenset({number})) for number in denied]


def _of_words(key: str, text: str, labels: Labels) -> list[Remark]:
    """The remarks of a word, a score or a sentence."""
    if polarity.kind_of(key) in ("affirming", "judging") and (share := polarity.share_in(text)):
        return [Remark(at_most=share[0], out_of=share[1])] if share[0] < share[1] else []
    if polarity.speaks_against(key, text, labels, low=LOW_TOTAL):
        return on_whole(parse_label(text, labels)) or [SOME_UNSUPPORTED]
    if not polarity.is_remark(key):
        return []
    return prose_remarks(text, labels)


def _numbers_in(value: Any) -> frozenset[int] | None:
    """The statement numbers in [2], ["S2"], [{"id": 2}] or {"2": ...}; None for other values."""
    items: list[Any] = list(value) if isinstance(value, dict | list) else []
    numbers = [read_id(item.get("id") if isinstance(item, dict) else item) for item in items]
    known = [number for number in numbers if number is not None]
    return frozenset(known) if known and len(known) == len(items) else None


# ---------------------------------------------------------------- prose


def prose_remarks(
    text: str, labels: Labels = None, *, verdict_keys: frozenset[str] = frozenset()
) -> list[Remark]:
    """The remarks in ``text`` that deny support of some statement.

    Args:
        text: the judge's prose.
        labels: a policy's own words.
        verdict_keys: "Verdict: no" with one of these keys is a verdict, not a remark.
    """
    if len(text) > MAX_CHARS:
        return [SOME_UNSUPPORTED]
    if not _HINT.search(text.casefold()):
        return []
    plain = _QUOTED.sub(" ", text.casefold()).translate(_MARKUP)
    return [
        remark
        for sentence in _ENDS.split(plain)
        if _HINT.search(sentence)
        for remark in _in_sentence(sentence.strip(), labels, verdict_keys)
    ]


def _in_sentence(sentence: str, labels: Labels, verdict_keys: frozenset[str]) -> Iterator[Remark]:
    sentence = sentence[:_SENTENCE_CHARS].rstrip(" .!?;")
    if pair := _NUMBERED_PAIR.match(sentence):
        if _denies_statement(pair[2], labels):
            yield Remark(1, frozenset({int(pair[1])}))
    elif (pair := _PAIR.match(sentence)) and polarity.kind_of(key_of(pair[1])) != "other":
        key = key_of(pair[1])
        if not verdict_keys or not (key in verdict_keys or key.startswith("finalverdict")):
            yield from remarks_of(key, pair[2].strip(), labels)
    else:
        yield from _denials(sentence)


def _denies_statement(said: str, labels: Labels) -> bool:
    """Whether what follows "Statement 2:" denies it. It may as well be the statement's text."""
    if polarity.denies_in_words(said, labels):
        return True
    return _ABOUT_IT.match(said) is not None and any(_denials(said))


def _denials(sentence: str) -> Iterator[Remark]:
    """The remarks of a sentence that is not a pair of key and value."""
    if _pattern(words.NONE_SUPPORTED).search(sentence) and not _conditional(sentence):
        yield NONE_SUPPORTED
        return
    if share := _pattern(words.SHARE).search(sentence):
        yield _of_share(share)
    about = _pattern(words.SUBJECT).search(sentence) is not None
    for match in _pattern(words.DENIED).finditer(sentence):
        if not _is_harmless(sentence, match):
            yield Remark(1, _named(sentence, match))
    for match in _pattern(words.DENIED_OF_SUBJECT).finditer(sentence):
        named = _named(sentence, match)
        if (about or named) and not _is_harmless(sentence, match):
            yield Remark(1, named)
    yield from _in_other_languages(sentence)


def _of_share(share: re.Match[str]) -> Remark:
    if share[1] is None:  # "only the first statement is supported"
        return Remark(at_most=1)
    supported, total = int(share[1]), int(share[2])
    return Remark(at_most=supported, out_of=total) if supported < total else Remark()


def _in_other_languages(sentence: str) -> Iterator[Remark]:
    match = _pattern(words.FOREIGN).search(sentence)
    if match and not _pattern(words.FOREIGN_NEGATED).search(sentence):
        yield Remark(1, _named(sentence, match))


def _conditional(before: str) -> bool:
    return (
        _pattern(r"^\W*(?:if|whether|unless|when(?:ever)?|in\s+case)\b").search(before) is not None
    )


def _is_harmless(sentence: str, match: re.Match[str]) -> bool:
    """Whether a denial is a condition, a rule, or itself denied."""
    before = sentence[: match.start()]
    if _pattern(words.CONDITION).search(before):
        return True
    if _pattern(words.RULE).search(before) and not _pattern(words.EXISTENCE).search(before):
        return True
    denied_twice = not re.search(words.HAS_NOT, match[0])
    return denied_twice and _pattern(words.NEGATED).search(before) is not None


def _named(sentence: str, match: re.Match[str]) -> frozenset[int]:
    """The numbers of the statements that the denial is about: those before it, else after it."""
    before, after = sentence[: match.end()], sentence[match.end() :]
    numbered = list(_pattern(words.NUMBERED).finditer(before))
    found = numbered[-1] if numbered else _pattern(words.NUMBERED).search(after)
    if found:
        return frozenset(map(int, re.findall(r"\d+", found[0])))
    ordinals = _pattern(words.ORDINAL).findall(before)
    known = [words.ORDINALS[word] for word in ordinals if word in words.ORDINALS]
    return frozenset(known[-1:])
