"""Whether a key and its value speak for or against support, whatever the key is called.

``"verified": false``, ``"hallucinations": ["the date"]``, ``"nli": "contradiction"`` and
``"score": 0`` all speak against it. A key has a kind, which its words tell; the kind tells which
values speak against support. An unknown key speaks against it only with a word that cannot mean
anything else.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Literal

from ..json_values import Conflict
from ..labels import normalise, parse_label
from . import polarity_words as words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...records.model import Label

    Labels = Mapping[str, Label] | None

Kind = Literal["denying", "affirming", "judging", "remarking", "other", "ignored"]
NEGATIVE: frozenset[Label | None] = frozenset({"not_enough_info", "contradicted"})

LOW_SCORE = 0.5  # a lower score speaks against support
_KEY_CAP = 80  # characters
_WORD_CAP = 100  # characters
_HEAD_END = re.compile(r"[,.:;!(\n–—]|-\s|\s-")
_SCORE = re.compile(r"(-?\d{1,6}(?:[.,]\d{1,9})?)\s?(?:(%)|(?:/|out\s+of|of)\s?(\d{1,6}))?")

_pattern = cache(lambda words: re.compile(words, re.VERBOSE))


@lru_cache(maxsize=4096)
def kind_of(key: str) -> Kind:
    """What a reduced key asks: its value may deny, affirm, judge or remark on support."""
    if len(key) > _KEY_CAP or _has(words.MEASURING, key):
        return "ignored"
    if _has(words.NOT_DENYING, key):
        return "affirming"
    if _has(words.DENYING, key):
        return "denying"
    if _has(words.AFFIRMING, key) and not _has(words.MATERIAL, key):
        return "affirming"
    if _has(words.JUDGING, key):
        return "judging"
    return "remarking" if _has(words.REMARKING, key) else "other"


@lru_cache(maxsize=4096)
def is_failure(key: str) -> bool:
    """Whether the key says that judging failed: "error", "exception"."""
    return re.fullmatch(words.FAILED, key) is not None


@lru_cache(maxsize=4096)
def is_remark(key: str) -> bool:
    """Whether the key's value may be a remark in prose."""
    return len(key) <= _KEY_CAP and _has(words.REMARKING, key)


@lru_cache(maxsize=4096)
def is_summary(key: str) -> bool:
    """Whether a verdict under the key is about the whole reply: "overall", "summary"."""
    return len(key) <= _KEY_CAP and _has(words.SUMMARISING, key)


@lru_cache(maxsize=4096)
def is_count(key: str) -> bool:
    """Whether a number under the key is a count of statements."""
    return len(key) <= _KEY_CAP and _has(words.COUNTING, key)


def lists_supported(key: str) -> bool:
    """Whether a list of numbers under the key names all statements that are supported."""
    return len(key) <= _KEY_CAP and _has(words.LISTING, key)


def speaks_against(key: str, value: Any, labels: Labels = None, *, low: float = LOW_SCORE) -> bool:
    """Whether a key and its value speak against full support. A score below ``low`` does."""
    kind = kind_of(key)
    if kind == "denying":
        return says_something(value)
    if kind in ("affirming", "judging"):
        if isinstance(value, str):
            return denies_in_words(value, labels, low=low)
        return _is_no(key, value, low)
    return kind == "other" and isinstance(value, str) and _is_strong_no(value, labels)


def says_something(value: Any) -> bool:
    """Whether the value of a key that denies is more than false, empty, "none" or a low score."""
    if isinstance(value, str):
        return not _says_nothing(value)
    if isinstance(value, float) and 0 < value < LOW_SCORE:
        return False
    if isinstance(value, list):
        return any(map(says_something, value))
    if isinstance(value, dict):
        flags = [item for item in value.values() if isinstance(item, bool)]
        return any(flags) if flags else any(map(says_something, value.values()))
    return bool(value)


def _says_nothing(text: str) -> bool:
    bare = text.strip(" .-!")
    if not bare:
        return True
    if len(bare) > _WORD_CAP:
        return False
    if normalise(bare) in words.NOTHING:
        return True
    score = score_in(bare)
    if score is not None and 0 <= score < LOW_SCORE:
        return True
    return re.fullmatch(words.DENIES_NOTHING, bare.casefold(), re.VERBOSE) is not None


def _is_no(key: str, value: Any, low: float) -> bool:
    """Whether a flag is false or a score is low. "status": 0 is an exit code."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value < low and not key.startswith("status")
    return isinstance(value, Conflict)


def denies_in_words(text: str, labels: Labels = None, *, low: float = LOW_SCORE) -> bool:
    """Whether a word or a score denies full support: a negative label, "fail", "low", "20%"."""
    if len(text) > _WORD_CAP:
        return False
    label = parse_label(text, labels)
    if label is not None:
        return label in NEGATIVE or label == "partially_supported"
    if normalise(_HEAD_END.split(text.strip("*_`\"' "), maxsplit=1)[0]) in words.FAILING_WORDS:
        return True
    score = score_in(text)
    return score is not None and score < low


def _is_strong_no(text: str, labels: Labels) -> bool:
    """Whether a word denies support under any key: "contradicted", but not "no" or "neutral"."""
    if len(text) > _WORD_CAP:
        return False
    label = parse_label(text, labels)
    if label == "contradicted":
        return True
    return label == "not_enough_info" and normalise(text) in words.STRONG_NO


def score_in(text: str) -> float | None:
    """A score in [0, 1]: "0.2", "20%", "1/5"; None for other texts and for numbers above 1."""
    match = _score_match(text)
    if match is None:
        return None
    number = float(match[1].replace(",", "."))
    if match[2]:
        return number / 100
    if match[3]:
        return number / int(match[3]) if int(match[3]) else None
    return number if number <= 1 else None


def share_in(text: str) -> tuple[int, int] | None:
    """The two numbers of "1/2" or "1 of 2"; None for other texts."""
    match = _score_match(text)
    if match is None or not match[3] or not match[1].isdecimal():
        return None
    return int(match[1]), int(match[3])


def _score_match(text: str) -> re.Match[str] | None:
    return _SCORE.fullmatch(text.strip("*_`\"'( ).")) if len(text) <= _WORD_CAP else None


def _has(pattern: str, key: str) -> bool:
    return _pattern(pattern).search(key) is not None
