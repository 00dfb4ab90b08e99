"""Read one word of a judge as a label, or as nothing: an unknown word is not a verdict.

The rule is stricter for positive words. Prose may follow a negative word. Prose after a positive
word must begin like a reason ("it is stated", "the context says ...") and contain no negation, no
hedge and no number except a sentence's. So neither "Yes, but not the date" nor "supported: 20%" is
a verdict. Letters are compared exactly: look-alikes of another script are not labels. Case, markup,
quotes and punctuation do not matter.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, partial
from typing import TYPE_CHECKING

from . import label_words as words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..records.model import Label

_TABLE: dict[str, Label] = {
    word: label for label, listed in words.LABEL_WORDS.items() for word in listed.split()
}
_DIGITS: dict[str, Label] = {"1": "supported", "0": "not_enough_info"}
_POSITIVE: frozenset[Label] = frozenset({"supported", "not_a_claim"})

# What may surround a word. No minus and no tilde before it, no "?" after it: "-1", "~~yes~~" and
# "yes?" mean something else than the bare word.
_LEFT = " \t\r\n\"'`“”„‘’«»「」*_#>([\ufeff\u200b"
_RIGHT = " \t\r\n\"'`“”‘’«»「」*_)]\ufeff\u200b.,;:!。．，！；：、…"
_AROUND_DIGIT = " \t\r\n\"'`*_."
_GAPS = re.compile(r"[\s_\-]+")
_CUT = re.compile(r"[,.:;!(\n–—。．，：；、！（…]|-\s|\s-")

# Compiled on first use: few replies explain themselves.
_prose = cache(partial(re.compile, flags=re.VERBOSE))
_PROSE_CAP = 4_000  # characters
_LABEL_CAP = 200  # characters
_REPEATED = 200  # characters that may say "yes" again


def parse_label(value: object, labels: Mapping[str, Label] | None = None) -> Label | None:
    """The label that ``value`` names, or None.

    Args:
        value: a JSON scalar: true, false, the numbers 1 and 0, or a string. Others are no labels.
        labels: a policy's own words, normalised (lower case, parts joined by one underscore). They
            override the standard ones.
    """
    if isinstance(value, bool):
        return _look_up(str(value).lower(), labels)
    if isinstance(value, int | float):
        return _look_up(str(int(value)), labels) if value in (0, 1) else None
    if not isinstance(value, str):
        return None
    return exact_label(value, labels) or _leading_label(value, labels)


def exact_label(text: str, labels: Mapping[str, Label] | None = None) -> Label | None:
    """The label that ``text`` is, apart from case and punctuation. Nothing may follow the word."""
    if len(text) > _LABEL_CAP:
        return None
    word = normalise(text)
    if word in _DIGITS and text.strip(_AROUND_DIGIT) != word:
        return None  # "[1]" is a citation, not a yes
    return _look_up(word, labels)


def normalise(word: str) -> str:
    """``word`` in lower case, bare, its parts joined by one underscore: a key of ``labels``."""
    bare = unicodedata.normalize("NFC", word).casefold().lstrip(_LEFT).rstrip(_RIGHT)
    if bare.startswith("-"):
        return bare
    return _GAPS.sub("_", bare).strip("_").replace("’", "'")


def doubtful(prose: str) -> bool:
    """Whether ``prose`` contains a negation, a hedge or a contrary word of a language we know."""
    return _contains(words.DOUBTS, prose)


def contrary(prose: str) -> bool:
    """Whether ``prose`` contains a negation or a contrary word. A hedge alone does not count."""
    return _contains(words.DENIES_OR_OPPOSES, prose)


def split_head(text: str) -> tuple[str, str]:
    """``text`` split at its first delimiter: the first word or phrase, and the rest or ""."""
    bare = text.lstrip(_LEFT)
    cut = _CUT.search(bare)
    return (bare[: cut.start()], bare[cut.end() :]) if cut else (bare, "")


def _leading_label(text: str, labels: Mapping[str, Label] | None) -> Label | None:
    """The label at the start of ``text``, if the rest of it agrees."""
    head, rest = split_head(text)
    if head.strip(_AROUND_DIGIT) in _DIGITS:
        return None
    label = exact_label(head, labels)
    if label == "partially_supported":
        agrees = not _contains(words.OPPOSES, rest)
    elif label == "supported":
        agrees = not doubtful(rest) and _is_reason(rest, labels)
    else:
        agrees = label not in _POSITIVE or not doubtful(rest)
    return label if agrees else None


def _is_reason(rest: str, labels: Mapping[str, Label] | None) -> bool:
    """Whether what follows "supported" says it again, or begins like a reason without numbers."""
    said = rest.casefold().replace("_", " ").lstrip(_LEFT + "-–—,.:;").rstrip(_LEFT + _RIGHT)
    if not said:
        return True
    head, more = split_head(said)
    if exact_label(head, labels) == "supported":
        return len(said) < _REPEATED and _is_reason(more, labels)
    if not _prose(words.BEGINS_REASON).match(said):
        return False
    return not re.search(words.OTHER_NUMBER, _prose(words.REFERENCE).sub(" ", said))


def _contains(pattern: str, prose: str) -> bool:
    """Whether ``pattern`` is in ``prose``. A very long one counts as a match: no one reads it."""
    if len(prose) > _PROSE_CAP:
        return True
    plain = unicodedata.normalize("NFC", prose).casefold().replace("_", " ")
    return _prose(pattern).search(plain) is not None


def _look_up(word: str, labels: Mapping[str, Label] | None) -> Label | None:
    if labels and word in labels:
        return labels[word]
    return _TABLE.get(word) or _DIGITS.get(word)
