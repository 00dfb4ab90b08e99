"""What the embedded judge knows of numbers: which ones a context lacks, or has in another form.

The reader of numbers is loaded when a statement has one.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from .words import find_words

if TYPE_CHECKING:
    from types import ModuleType

    from ...text.number_forms import Form
    from .index import Index

_DIGIT = re.compile(r"\d")


@cache
def _readers() -> tuple[ModuleType, ModuleType]:
    """Loaded when a statement is judged: importing them takes longer than the judge."""
    from ...text import number_forms, spelled_numbers

    return number_forms, spelled_numbers


def with_known_numbers(sentence: str, words: list[str], index: Index) -> tuple[str, list[str], str]:
    """A sentence, its words, and its first number in digits that the context lacks, or "".

    In place of a number that the context has in another form, its key is among the words: the
    context then has it where that form is.
    """
    forms, spelled = _readers()
    found = [*forms.in_digits(sentence)] if _DIGIT.search(sentence) else []
    if spelled.may_be_numbers(words) and any(_is_new_number(word, index) for word in words):
        found += forms.in_words(sentence)
    if not found:
        return sentence, words, ""
    _read_numbers(index)
    rest, known, at, missing = list[str](), list[str](), 0, ""
    for reading in sorted(found, key=lambda one: one.forms[0].start):
        form = next((form for form in reading.forms if _key(form) in index.places), None)
        if form is None:
            starts, ends = zip(*((form.start, form.end) for form in reading.forms), strict=True)
            missing = missing or ("" if reading.in_words else sentence[min(starts) : max(ends)])
        elif form.start >= at and _is_new(sentence, form, index):
            rest.append(sentence[at : form.start])
            known += [*find_words(rest[-1]), _key(form)]
            at = form.end
    rest.append(sentence[at:])
    return " ".join(rest), [*known, *find_words(rest[-1])], missing


def is_key(word: str) -> bool:
    """Whether a word is the key of a number. No word of a text begins with a space."""
    return word[0] == " "


def _key(form: Form) -> str:
    return f" {form.key}"


def _is_new_number(word: str, index: Index) -> bool:
    return word not in index.words and _readers()[1].number_parts(word) != ()


def is_number_word(word: str) -> bool:
    """Whether a word may be a part of a number, such as "30", "ten", "million" or "minutes"."""
    from ...text.number_words import currencies, units, valued
    from ...text.spelled_numbers import number_parts

    names = (units(), currencies(), valued("months"), valued("scales"))
    return word[0].isdecimal() or number_parts(word) != () or any(word in name for name in names)


def _is_new(sentence: str, form: Form, index: Index) -> bool:
    """Whether the words of a number are not in the context. A part of a word, as in Q2, is none."""
    around = sentence[max(form.start - 1, 0) : form.start] + sentence[form.end : form.end + 1]
    words = find_words(sentence[form.start : form.end])
    return not any(map(str.isalnum, around)) and not index.words.issuperset(words)


def _read_numbers(index: Index) -> None:
    forms, _ = _readers()
    for at, sentence in index.unread:
        readings = [*forms.in_digits(sentence), *forms.in_words(sentence)]
        for key in {key for reading in readings for key in reading.offers}:
            index.places.setdefault(f" {key}", []).append(at)
    index.unread.clear()
