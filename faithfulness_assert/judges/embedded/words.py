"""How the embedded judge reads a text: its words, numbers, names and sentences. Nothing else.

An index says where in a context a word or a number is. A number is looked for in all its forms.

Every pattern is linear, and a word has at most 20 letters (longer ones are read as several words),
so no text can make it slow.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

from ...text.citations import without_marks
from ...text.number_words import number_parts
from ...text.numbers import Meaning, find_numbers
from ...text.strings import DENSE, function_words, word_lists

# One letter of these scripts means as much as several of an alphabet, or they write no spaces
# between words. Each letter is read as a word.
_DENSE = DENSE + "\uac00-\ud7af"
# Vowel signs of these scripts belong to a word, but `\w` does not match them.
_INDIC_SIGNS = "\u0900-\u0963\u0966-\u0dff"
_ASCII_WORD = re.compile(r"\w{1,20}")
# Not compiled here: that would take longer than all other imports together.
_WORD = rf"[{_DENSE}]|(?:(?![{_DENSE}])[\w{_INDIC_SIGNS}]){{1,20}}"
# Three letters before the full stop, so that "Dr. Ada" and "U.S. Army" are not cut. A question
# claims nothing: it is kept with its answer.
_SENTENCE_END = re.compile(r"(?<=\w{3}[.!])\s+|(?<=[。！])")

_NEGATIONS = frozenset(word_lists("names")["negations"].split())
_LITTLE = _NEGATIONS | function_words()

STEM = 5  # letters of a word that count
_ENDING = re.compile(r"(?<=\w{3})(?:ing|ed|es|s|en|e|n)$")


def plain(text: str) -> str:
    """A text without citation marks, unless it has no other words."""
    without = without_marks(text)
    return without if _words_as_written(without) else text


def find_words(text: str) -> list[str]:
    """The words of ``text``, case-folded, in order."""
    return [word.casefold() for word in _words_as_written(text)]


def _words_as_written(text: str) -> list[str]:
    return _ASCII_WORD.findall(text) if text.isascii() else re.findall(_WORD, text)


def stem_of(word: str) -> str:
    """What the forms of a word have in common, such as "opens" and "opened"; a key as it is."""
    return word if word[0] == " " else _ENDING.sub("", word)[:STEM]


def content_words(words: list[str]) -> list[str]:
    """``words`` without those that hold a sentence together, or deny it; or all of them."""
    return [word for word in words if word not in _LITTLE] or words


def find_names(sentence: str) -> list[str]:
    """The capitalised words of ``sentence`` after the first word; none if it is all upper case."""
    if sentence.isupper():
        return []
    return [w for w in _words_as_written(sentence)[1:] if w[0].isupper() and len(w) > 1]


def negates(words: list[str]) -> bool:
    """Whether ``words``, as ``find_words`` gives them, contain a negation: "not", or "n't"."""
    if not _NEGATIONS.isdisjoint(words):
        return True
    return "t" in words and any(a.endswith("n") and b == "t" for a, b in pairwise(words))


def sentences(statement: str) -> list[str]:
    """The sentences of ``statement`` that contain a word."""
    return [part for part in _SENTENCE_END.split(statement) if _words_as_written(part)]


# Words of a text. Longer sentences are cut: without this, a transcript without full stops would be
# one window that contains everything.
LONGEST = 100
_LAST_EXACT = 1e14
"""Larger values are compared as they are, without rounding off the error of a conversion."""


class Text(NamedTuple):
    """A sentence of a context, or a piece of a long one.

    Args:
        number: of the sentence.
        words: those of the text.
        stems: of its words; and the keys of the sentence's numbers, once a statement needed them.
    """

    number: int
    words: list[str]
    stems: set[str]


class Index:
    """A context, prepared once for any number of statements. Takes linear time.

    Args:
        context: pairs of a number and a sentence.

    Attributes:
        texts: its sentences; long ones are cut into several texts.
        places: the positions in ``texts`` where each of ``stems`` occurs.
        words: all words.
        exact: the number of the sentence that consists of exactly these words.
    """

    def __init__(self, context: Iterable[tuple[int, str]]) -> None:
        self.texts, self.words = list[Text](), set[str]()
        self.places, self.exact = dict[str, list[int]](), dict[tuple[str, ...], int]()
        self._unread = list[tuple[int, str]]()
        for number, sentence in context:
            words = find_words(plain(sentence))
            if words:
                self._unread.append((len(self.texts), sentence))
                self.exact.setdefault(tuple(words), number)
            for start in range(0, len(words), LONGEST):
                piece = words[start : start + LONGEST]
                self.texts.append(Text(number, piece, set()))
                self._add(len(self.texts) - 1, map(stem_of, piece))
            self.words.update(words)

    def _add(self, at: int, stems: Iterable[str]) -> None:
        for stem in {*stems}:
            self.texts[at].stems.add(stem)
            self.places.setdefault(stem, []).append(at)

    def read_numbers(self) -> None:
        """Adds the keys of all numbers; only what needs them pays for it."""
        for at, sentence in self._unread:
            numbers = find_numbers(plain(sentence))
            self._add(at, (_key(one) for number in numbers for one in number.offers))
        self._unread.clear()


_DIGIT = re.compile(r"\d")


def with_known_numbers(sentence: str, words: list[str], index: Index) -> tuple[str, list[str], str]:
    """A sentence, its words, and its first number in digits that the context lacks, or "".

    In place of a number that the context has in another form, its key is among the words: the
    context then has it where that form is.
    """
    has_digits = _DIGIT.search(sentence) is not None
    if not has_digits and not any(word not in index.words and number_parts(word) for word in words):
        return sentence, words, ""
    index.read_numbers()
    rest, known, at, missing = list[str](), list[str](), 0, ""
    for number in find_numbers(sentence):
        if number.is_part or not number.asks:
            continue
        found = [key for key in map(_key, number.asks) if key in index.places]
        if not found:
            missing = missing or (number.digits and sentence[number.first : number.last])
            continue
        with_unit = found[0] not in [_key(("", value)) for value in number.plain]
        start, end = (number.first, number.last) if with_unit else (number.start, number.end)
        around = sentence[max(start - 1, 0) : start] + sentence[end : end + 1]
        is_word = not re.search(r"\w", around)  # and not a part of one, as in Q2
        if start >= at and is_word and not index.words.issuperset(find_words(sentence[start:end])):
            rest.append(sentence[at:start])
            known += [*find_words(rest[-1]), found[0]]
            at = end
    rest.append(sentence[at:])
    return " ".join(rest), [*known, *find_words(rest[-1])], missing


def _key(meaning: Meaning) -> str:
    """A number as a word, without the error of a conversion. No other word begins with a space."""
    kind, value = meaning
    return f" {kind} {value:.12g}" if abs(value) < _LAST_EXACT else f" {kind} {value:.0f}"
