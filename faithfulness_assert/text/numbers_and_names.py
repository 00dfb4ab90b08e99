"""The numbers and names in a text. A text with one of them always claims something.

So a text with a number or a name is never set aside as "not a claim". In doubt a word is a name:
a capital letter shows one, except at the start of a text, where common words have one too. Scripts
without capitals hide names, so a text in them counts as named unless it contains a polite phrase.
"""

from __future__ import annotations

from .strings import word_lists


def _words(section: str) -> frozenset[str]:
    return frozenset(word_lists("names")[section].split())


_NUMBER_WORDS = _words("numbers")
_SENTENCE_STARTERS = _words("sentence starters")
_POLITE_PRONOUNS = _words("polite pronouns")
_POLITE_PHRASES = _words("polite phrases")
_PUNCTUATION = "\"'“”‘’«»„(*[_]).,;:!?…—–-"


def has_number_or_name(text: str) -> bool:
    """Whether a text contains a digit, a number word or something that may be a name."""
    if any(char.isalpha() and not char.isupper() and not char.islower() for char in text):
        hides = not any(phrase in text for phrase in _POLITE_PHRASES)
        return hides or any(char.isdigit() for char in text)
    return bool(numbers_and_names(text))


def numbers_and_names(text: str) -> list[str]:
    """The words of a text that have a digit, are a number word or may be a name."""
    stripped = (part.strip(_PUNCTUATION).replace("’", "'") for part in text.split())
    return [
        word
        for place, word in enumerate(filter(None, stripped))
        if any(char.isdigit() for char in word)
        or word.casefold() in _NUMBER_WORDS
        or _may_be_name(word, is_first=place == 0)
    ]


def _may_be_name(word: str, *, is_first: bool) -> bool:
    if not word[:1].isupper():
        return False
    plain = word.casefold()
    if is_first:
        return plain not in _SENTENCE_STARTERS
    return plain not in _POLITE_PRONOUNS and plain.partition("'")[0] != "i"
