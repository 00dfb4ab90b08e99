"""Whether a sentence claims nothing, and whether it only declines, by weights that were learned.

A judge may set aside what claims nothing, but it may also try to set aside what it should judge. No
list of phrases tells the two apart in a dozen languages. So a sentence is described by features:
its words, their classes (``talk_words``), pairs of neighbours, its end, how much of it is unknown.
Each has a weight in ``words/talk_weights.tsv``, learned from rows that people would label alike
(``fixtures/talk.jsonl``, ``fixtures/declining.jsonl``) by ``tools/learn_talk.py``: a logistic
regression. A word that no row had weighs nothing, but counts as unknown, as the words of facts are.
So in doubt a sentence claims something.

To mend a mistake, add rows of its kind, and learn again. Nothing here names a phrase.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, lru_cache
from itertools import pairwise
from math import log2
from typing import NamedTuple

from ..files import open_text
from .citations import is_reference
from .strings import is_blank, lazy_pattern
from .talk_words import Word, parts_of

LONGEST = 400
"""Characters. A longer sentence says something."""
TALK = 80
"""The score from which on a sentence claims nothing: 1 in 100 of the claims has it."""
SILENCE = 50
"""The score from which on a sentence only says that an answer is missing, or stands beside that."""
CLAIM = -100
"""A part with this score or less claims something, whatever stands around it."""

_MARKS = "*_>#~| "
"""Of markdown, around a sentence."""
_ENDS = "?？؟:：!！.。…"
_CLOSES = " \"'”»)"
_URL = lazy_pattern(r"https?://\S{1,2000}$")
_NAME = lazy_pattern(r"(?<!^)(?<![.!?:]\s)\b[A-ZÀ-ÖØ-ÞА-Я]\w+")
_SHAPES = {
    "amount": lazy_pattern(
        r"(?<!\d)(?!(?:19|20)\d\d(?!\d))\d{3}|\d[.,]\d|\d\s?[%‰°€$£¥₩₫₽]|[€$£¥]\s?\d"
    ),
    "labelled": lazy_pattern(r"[:：]\s*\w"),
    "lower": lazy_pattern(r"^[^\W\d_A-Z]"),
}
_COLON = (":", "：")
_QUESTION = ("?", "？", "؟")
_BEHIND_QUESTION = " .…*_"
"""What careless writers put behind the mark."""
_CUT = lazy_pattern(r"(?<=[,;:!?…。！？；，、—–])|(?<=\.)(?=\s)|\s-\s")


class Scores(NamedTuple):
    """In hundredths of the logarithm of the odds, above 0 if it is more likely than not."""

    talk: int
    """That a sentence claims nothing."""
    silence: int
    """That it only declines, or stands beside what declines."""


def claims_nothing(sentence: str, *, is_item: bool = False) -> bool:
    """Whether a sentence claims nothing. In doubt it does claim something.

    ``is_item``: it is an item of a list or a row of a table, where a name alone says something.
    """
    if len(sentence) > LONGEST or is_blank(sentence):
        return False
    if is_reference(" ".join(sentence.split()).strip(_MARKS)):
        return True
    return scores(sentence, is_item=is_item).talk >= TALK and not _hides_claim(sentence)


def may_be_set_aside(text: str, texts: Iterable[str], *, is_item: bool = False) -> bool:
    """Whether a statement claims nothing, or nothing that is not judged with others.

    What a lead-in claims is judged with each statement of ``texts`` under it, which repeats it.
    """
    if text.endswith(_COLON) and any(f"{text} " in said for said in texts):
        return True
    return claims_nothing(text, is_item=is_item)


def announces(text: str, *, is_over: bool) -> bool:
    """Whether a line that ends in a colon only names or announces what follows.

    ``is_over``: a list or a value stands under it, with which it is judged all the same.
    """
    return scores(text).talk > CLAIM if is_over else claims_nothing(text)


def declines(sentence: str) -> bool:
    """Whether a sentence only says that it has no answer, or that its source is silent.

    It has a word that denies, and does not ask: an offer alone, or regret, declines nothing.
    """
    if asks(sentence):
        return False
    words = (word for part in parts_of(sentence[:LONGEST]) for word in part)
    return any(word.is_any("not") for word in words) and _is_silent(sentence)


def asks(sentence: str) -> bool:
    """Whether a sentence is a question, by its end."""
    return sentence.rstrip(_BEHIND_QUESTION).endswith(_QUESTION)


def accompanies(sentence: str) -> bool:
    """Whether a sentence adds nothing beside one that declines: regret, an offer, advice."""
    return _is_silent(sentence) or claims_nothing(sentence)


def _is_silent(sentence: str) -> bool:
    if len(sentence) > LONGEST or is_blank(sentence):
        return False
    return scores(sentence).silence >= SILENCE and not _hides_claim(sentence)


def _hides_claim(sentence: str) -> bool:
    """Whether a part of a sentence claims something by itself: "Sure, dogs are welcome"."""
    parts = [part for part in _CUT.split(sentence) if sum(map(str.isalnum, part)) > 2]
    return len(parts) > 1 and any(max(scores(part)) <= CLAIM for part in parts)


@lru_cache(maxsize=256)
def scores(sentence: str, *, is_item: bool = False) -> Scores:
    """How likely it is that a sentence claims nothing, and that it only declines."""
    weights = _weights()
    names = ("bias", *features(sentence, is_item=is_item))
    found = [weights[name].split("\t") for name in names if name in weights]
    return Scores(sum(int(talk) for talk, _ in found), sum(int(silence) for _, silence in found))


@cache
def _weights() -> dict[str, str]:
    """The weights of each feature as they are written: few are ever used in one process."""
    # A promptfoo assertion may be a fresh process: it does without pathlib.
    with open_text(f"{__file__.removesuffix('talk.py')}words/talk_weights.tsv") as lines:
        rows = (line.partition("\t") for line in lines)
        return {name: weights for name, _, weights in rows}


# ---------------------------------------------------------------- the features of a sentence


def features(sentence: str, *, is_item: bool = False) -> set[str]:
    """What is so of a sentence. ``'word`` is a word; a class of words has no mark."""
    said = " ".join(sentence.split())[:LONGEST].strip(_MARKS)
    said = _URL.sub("URL", said)
    parts = parts_of(said)
    end = "?" if asks(said) else said.rstrip(_CLOSES)[-1:]
    count = sum(map(len, parts))
    unknown = sum(not word.classes for part in parts for word in part)
    found = {
        f"ends {end if end in _ENDS else ''}",
        f"parts {min(len(parts), 4)}",
        f"words {min(int(log2(count + 1) * 1.5), 7)}",
        f"unknown {min(unknown, 9)}",
        f"share {5 * unknown // max(count, 1)}",
        f"names {min(len(_NAME.findall(said)), 3)}",
        *(name for name, shape in _SHAPES.items() if shape.search(said)),
    }
    if is_item:
        found.add("item")
    for place, part in enumerate(parts):
        symbols = [(";",) if place else ("^",), *map(_symbols, part), ("$",)]
        for each in symbols:
            found.update(each)
        for before, after in pairwise(symbols):
            found.update(f"{a} {b}" for a in before for b in after)
    return found


@lru_cache(maxsize=8192)
def _symbols(word: Word) -> tuple[str, ...]:
    """A word and its classes."""
    classes: Iterable[str] = sorted(word.classes) or ("X",)
    is_number = any(char.isdigit() for char in word.text)
    return (*(("#",) if is_number else classes), f"'{word.text}")
