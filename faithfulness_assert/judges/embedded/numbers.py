"""What the embedded judge knows of numbers: which ones a context lacks, or has in another form."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...text.number_forms import Form, in_digits, in_words
from ...text.number_words import currencies, units, valued
from ...text.spelled_numbers import may_be_numbers, number_parts
from .words import find_words

if TYPE_CHECKING:
    from .index import Index

_DIGIT = re.compile(r"\d")


def with_known_numbers(sentence: str, words: list[str], index: Index) -> tuple[str, list[str], str]:
    """A sentence, its words, and its first number in digits that the context lacks, or "".

    In place of a number that the context has in another form, its key is among the words: the
    context then has it where that form is.
    """
    found = [*in_digits(sentence)] if _DIGIT.search(sentence) else []
    if may_be_numbers(words) and any(_is_new_number(word, index) for word in words):
        found += in_words(sentence)
    if not found:
        return sentence, words, ""
    _read_numbers(index)
    rest, known, at, missing = list[str](), list[str](), 0, ""
    for reading in sorted(found, key=lambda one: one.forms[0].start):
        form = next((form for form in reading.forms if _key(form.key) in index.places), None)
        if form is None:
            starts, ends = zip(*((form.start, form.end) for form in reading.forms), strict=True)
            missing = missing or ("" if reading.in_words else sentence[min(starts) : max(ends)])
        elif form.start >= at and _is_new(sentence, form, index):
            rest.append(sentence[at : form.start])
            known += [*find_words(rest[-1]), _key(form.key)]
            at = form.end
    rest.append(sentence[at:])
    return " ".join(rest), [*known, *find_words(rest[-1])], missing


def is_key(word: str) -> bool:
    """Whether a word is the key of a number. No word of a text begins with a space."""
    return word[0] == " "


def _key(key: str) -> str:
    return f" {key}"


def _is_new_number(word: str, index: Index) -> bool:
    return word not in index.words and number_parts(word) != ()


def is_number_word(word: str) -> bool:
    """Whether a word may be a part of a number, such as "30", "ten", "million" or "minutes"."""
    names = (units(), currencies(), valued("months"), valued("scales"))
    return word[0].isdecimal() or number_parts(word) != () or any(word in name for name in names)


def _is_new(sentence: str, form: Form, index: Index) -> bool:
    """Whether the words of a number are not in the context. A part of a word, as in Q2, is none."""
    around = sentence[max(form.start - 1, 0) : form.start] + sentence[form.end : form.end + 1]
    words = find_words(sentence[form.start : form.end])
    return not any(map(str.isalnum, around)) and not index.words.issuperset(words)


def _read_numbers(index: Index) -> None:
    for at, sentence in index.unread:
        readings = [*in_digits(sentence), *in_words(sentence)]
        for key in {key for reading in readings for key in reading.offers}:
            index.places.setdefault(_key(key), []).append(at)
    index.unread.clear()
