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
from functools import cache, lru_cache, partial
from typing import TYPE_CHECKING

from ..text.patterns import lazy_pattern
from . import label_words as words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..records.model import Label

_TABLE: dict[str, Label] = {
    word: label for label, listed in words.LABEL_WORDS.items() for word in listed.split()
}
_DIGITS: dict[str, Label] = {"1": "supported", "0": "not_enough_info"}
_NEGATIVE: frozenset[Label] = frozenset({"not_enough_info", "contradicted"})
_POSITIVE: frozenset[Label] = frozenset({"supported", "not_a_claim"})

# What may surround a word. No minus and no tilde before it, no "?" after it: "-1", "~~yes~~" and
# "yes?" mean something else than the bare word.
_LEFT = " \t\r\n\"'`“”„‘’«»「」*_#>([\ufeff\u200b"
_RIGHT = " \t\r\n\"'`“”‘’«»「」*_)]\ufeff\u200b.,;:!。．，！；：、…"
_AROUND_DIGIT = " \t\r\n\"'`*_."
_MARK = lazy_pattern(f"[{words.YES_MARKS}{words.NO_MARKS}]\ufe0f?")
_REFERENCE = lazy_pattern(words.TRAILING_REFERENCE, re.IGNORECASE | re.VERBOSE)
_MORE = lazy_pattern(r"[\])%]|conf|certain|sure", re.IGNORECASE)
_CONFIDENCE = lazy_pattern(words.TRAILING_CONFIDENCE, re.IGNORECASE | re.VERBOSE)
_GAPS = lazy_pattern(r"[\s_\-]+")
_CUT = lazy_pattern(r"[,.:;!(\n–—。．，：；、！（…]|-\s|\s-")

# Compiled on first use: few replies explain themselves.
_prose = cache(partial(re.compile, flags=re.VERBOSE))
_PROSE_CAP = 4_000  # characters
_LABEL_CAP = 200  # characters
_SHORT = 60  # characters of a word that is remembered
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
    return _known_word(value) if len(value) <= _SHORT and not labels else _read(value, labels)


def _read(text: str, labels: Mapping[str, Label] | None = None) -> Label | None:
    bare = without_reference(text)
    return exact_label(bare, labels) or _leading_label(bare, labels)


_known_word = lru_cache(maxsize=1024)(_read)  # a reply repeats the same few words


def exact_label(text: str, labels: Mapping[str, Label] | None = None) -> Label | None:
    """The label that ``text`` is, apart from case and punctuation. Nothing may follow the word.

    A mark may stand for the word or beside it: "✅", "✅ Supported".
    """
    if len(text) > _LABEL_CAP:
        return None
    return _known_exact(text) if len(text) <= _SHORT and not labels else _exact(text, labels)


def _exact(text: str, labels: Mapping[str, Label] | None = None) -> Label | None:
    if mark := _MARK.search(text):
        return _marked_label(text, mark, labels)
    word = normalise(text)
    if word in _DIGITS and text.strip(_AROUND_DIGIT) != word:
        return None  # "[1]" is a citation, not a yes
    return _look_up(word, labels)


_known_exact = lru_cache(maxsize=1024)(_exact)


def _marked_label(
    text: str, mark: re.Match[str], labels: Mapping[str, Label] | None
) -> Label | None:
    """The label of a text with a mark at its start or end, if its words and the mark agree."""
    rest = text[: mark.start()] + text[mark.end() :]
    meant: Label = "supported" if mark[0][0] in words.YES_MARKS else "not_enough_info"
    if not normalise(rest):  # a mark is a yes or a no, which a policy may read in its own way
        return meant if meant == "supported" else _look_up("no", labels)
    if mark.start() > 0 and text[: mark.start()].strip() and text[mark.end() :].strip():
        return None
    label = None if _MARK.search(rest) else _look_up(normalise(rest), labels)
    return label if (label == "supported") == (meant == "supported") else None


def normalise(word: str) -> str:
    """``word`` in lower case, bare, its parts joined by one underscore: a key of ``labels``.

    Letters of full width become plain ones.
    """
    bare = unicodedata.normalize("NFKC", word).casefold().lstrip(_LEFT).rstrip(_RIGHT)
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
    if label is None:
        return _marked_head(text, labels)
    if label in _NEGATIVE and normalise(head) not in words.ANSWERS:
        return None if _is_answered_no(rest) else label
    if label == "partially_supported":
        agrees = not _contains(words.OPPOSES, rest)
    elif label == "supported":
        agrees = not doubtful(rest) and _is_reason(rest, labels)
    else:
        agrees = label not in _POSITIVE or not doubtful(rest)
    return label if agrees else None


def _marked_head(text: str, labels: Mapping[str, Label] | None) -> Label | None:
    """The label of a mark before prose: "✅ Sentence 1 says so"."""
    bare = text.lstrip()
    mark = _MARK.match(bare)
    if mark is None or _MARK.search(bare, mark.end()):
        return None
    rest = bare[mark.end() :].strip()
    said = exact_label(rest, labels) or _leading_label(rest, labels)
    is_yes = mark[0][0] in words.YES_MARKS
    if said is not None:
        return said if (said == "supported") == is_yes else None
    return _leading_label(f"{'yes' if is_yes else 'no'}: {rest}", labels)


def _is_answered_no(rest: str) -> bool:
    """Whether a negative word is a question that is answered by "no": "Contradicted: No"."""
    head, _ = split_head(rest.lstrip(_LEFT + "-–—=→?"))
    return normalise(head) in words.NO_ANSWERS


def without_reference(text: str) -> str:
    """``text`` without evidence or a high confidence after the label: "supported [1] (95%)"."""
    if len(text) > _LABEL_CAP or not _MORE.search(text):
        return text
    return _CONFIDENCE.sub("", _REFERENCE.sub("", _CONFIDENCE.sub("", text)))


def evidence_after(text: str) -> tuple[int, ...]:
    """The evidence that follows a label in brackets: "supported [1, 2]"."""
    if len(text) > _LABEL_CAP or not ("]" in text or ")" in text):
        return ()
    reference = _REFERENCE.search(_CONFIDENCE.sub("", text))
    return tuple(map(int, re.findall(r"\d+", reference[0]))) if reference else ()


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
    plain = unicodedata.normalize("NFKC", prose).casefold().replace("_", " ")
    return _prose(pattern).search(plain) is not None


def _look_up(word: str, labels: Mapping[str, Label] | None) -> Label | None:
    if labels and word in labels:
        return labels[word]
    return _TABLE.get(word) or _DIGITS.get(word)
