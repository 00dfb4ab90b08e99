"""The gate: a label that earns something counts only if nothing else in the reply may deny it.

Nothing is weighed: what is not clearly quiet makes a statement open, and it is asked about again.

- ``is_quiet``, for a reason in a row: it has no word of doubt, no number but the statement's (or
  such as lead to it) and those of sentences, no other name, no sign such as ❌, no source but the
  context, and no language but English; and it does not turn a negative statement round.
- ``is_silent``, for all else, which nobody asked for (prose around the rows, unknown keys): it has
  only words that say nothing, or the statement's own, and numbers as in a reason.

A word of doubt that is the statement's own ("does not open on Mondays") is none: the statement must
have it, and the clause must be about the statement's matter and not about what a text says.
The words are in ``words/doubt.txt``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from functools import cache, lru_cache

from ..text.numbers_and_names import numbers_and_names
from ..text.strings import is_same, lazy_pattern, sections

MOST_CHARS = 20_000
"""Characters of a text that is looked at. A longer one is not quiet."""
STEM = 5
"""Letters by which a word is known as one of the statement's: "covered" is "cover"."""
FEW = 3
"""Words of a sentence that is too short to show its language."""

_WORDS = sections(__file__.removesuffix("gate.py") + "words/doubt.txt")
_WORD = lazy_pattern(r"[^\W\d_]+(?:['-][^\W\d_]+)*")
_NUMBER = lazy_pattern(r"\d+(?:[.,:]\d+)*")
_SHORT_NOT = lazy_pattern(r"n't\b|(?<=\bcan)not\b", re.IGNORECASE)
# "sentence 2", "sentences 1, 2 and 4", "[3]"; not "sentence 2, 12 euros"
_REFERENCE = lazy_pattern(
    r"\b(?:sentences?|passages?)[ #:.]{0,3}[(\[]?\d{1,6}(?:(?:,|,? and| &| to|,? or|-|–) ?\d{1,6}"
    r"(?=[.;:)\]]|\s*$| and\b| or\b|, ?\d{1,6}\b(?! \w)"
    r"| (?:both|all|say|state|support|mention|confirm|show)\b)){0,30}(?!\.\d|%)[)\]]?"
    r"|\[\d{1,6}(?:[,;] ?\d{1,6}){0,30}\]",
    re.IGNORECASE,
)
_NAME = lazy_pattern(r"\b(?:statements?|claims?|verdicts?) ?#?\d{1,6}\b(?!\.\d|%)", re.IGNORECASE)
_CLAUSE_END = lazy_pattern(r"[,;.:!\n](?!\d)")
_SENTENCE_END = lazy_pattern(r"[.;!\n](?!\d)")
_PARTS_END = lazy_pattern(
    r"[,;.:](?!\d)|\b(?:but|while|whereas|though|although|only|however)\b", re.IGNORECASE
)
_DENYING_SIGN = lazy_pattern(r"[?？≠≉¬⊘]|!=|->|→|~~|\bn/a\b", re.IGNORECASE)
_HARMLESS_SYMBOLS = "°©®™✅✔☑😊🙂\ufffd"
_STRANGE_SIGN = lazy_pattern(r"[^\w\s.,;:!'\"“”()\[\]{}/*_#>`|–—…&+✅✔😊🙂-]|->|=>|==")
_TAG = lazy_pattern(
    r"</?(?!think|thought|reason|analy|reflect|scratch)\w{1,20}>|<[|｜][^<>]{1,40}[|｜]>|\[/?[A-Z_]{4,20}\]|```\w{0,10}|\\boxed\b|^json\s?="
    r"|(?:(?<=\bstatement )|(?<=\bstatements )|(?<=\bone by one ))against(?= the\b)"
)
_EQUATES = lazy_pattern(
    r"[=≈×+*]|\d [x/] \d|\b(?:equals?|i\.e\.|sums?|total\w*|plus|minus|times|multiplied|divided"
    r"|rounds?|rounded|rounding|converts?|converted|corresponds?)\b",
    re.IGNORECASE,
)
# "two of the three", "1 out of 4", "part of it"; not "each of the statements"
_SHARE = lazy_pattern(
    r"\b(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|parts?) (?:out )?of\b",
    re.IGNORECASE,
)


def is_quiet(reason: str, statement: str = "") -> bool:
    """Whether nothing in the reason of a statement's row may deny that it is supported."""
    if len(reason) > MOST_CHARS:
        return False
    if is_same(reason, statement):
        return True
    text = _without_references(reason)
    shares = _SHARE.search(text) and not _SHARE.search(statement)
    if shares or _denies_by_a_sign(text, statement):
        return False
    if not _leads_to_its_numbers(text, statement) or _has_other_names(text, statement):
        return False
    if any(_in("sources", word) for word in _words(text)) or _turns_round(text, statement):
        return False
    return _is_english(text, statement) and not _has_doubt(text, statement)


def is_partly_quiet(reason: str, statement: str = "") -> bool:
    """The same for a statement that is partially supported: its reason may deny a part of it.

    So it must have two parts, of which one denies nothing, and no word that nothing holds.
    """
    if len(reason) > MOST_CHARS:
        return False
    parts = [part for part in _PARTS_END.split(reason) if len(_words(part)) > 1]
    affirmed = any(not has_doubt(part) for part in parts)
    false = any(_in("falsehoods", word) for word in _words(reason))
    return is_quiet(reason, statement) or (len(parts) > 1 and affirmed and not false)


@lru_cache(maxsize=4096)
def is_silent(remark: str, statement: str = "") -> bool:
    """Whether a remark says nothing at all that may deny a label. ``statement``: what it names."""
    if len(remark) > MOST_CHARS:
        return False
    if is_same(remark, statement):
        return True
    text = _TAG.sub(" ", _without_references(remark))
    if _courtesy().match(text.lower().lstrip(" *_")):
        known = all(_in("quiet", word) or _in("courteous", word) for word in _words(text))
        return known and _NUMBER.search(text) is None
    text = _NAME.sub(" ", text, count=1)
    if _SHARE.search(text) or any(sign not in statement for sign in _STRANGE_SIGN.findall(text)):
        return False
    if not set(_NUMBER.findall(text)) <= set(_NUMBER.findall(statement)):
        return False
    own = {word[:STEM] for word in _words(statement)}
    known = all(_in("quiet", word) or word[:STEM] in own for word in _words(text))
    return known and not _has_doubt(text, statement) and not _turns_round(text, statement)


def has_doubt(text: str) -> bool:
    """Whether a text has a word of doubt."""
    return any(map(_is_doubt, _words(text)))


def is_falsehood(key: str) -> bool:
    """Whether a key names what would be wrong with a verdict: a false value denies nothing then."""
    words = _words(key)
    false = any(_in("falsehoods", word) or _in("flaws", word) for word in words)
    return false and not denies(key) and "free" not in words


def denies(text: str) -> bool:
    """Whether a text has a negation."""
    return any(_in("negations", word) for word in _words(text))


def qualifiers(text: str) -> frozenset[str]:
    """The conditions, hedges and quantifiers of a text."""
    return frozenset(word for word in _words(text) if _in("qualifiers", word))


# ---------------------------------------------------------------- words


def _words(text: str) -> list[str]:
    """The words of a text in lower case. "Doesn't" is "does not"."""
    return [w.casefold() for w in _WORD.findall(_SHORT_NOT.sub(" not", text.replace("’", "'")))]


def _stems(words: Collection[str]) -> set[str]:
    """The beginnings of the words that tell what a statement is about."""
    return {word[:STEM] for word in words if not _in("links", word) and not _in("reports", word)}


def _has_doubt(text: str, statement: str) -> bool:
    """Whether a text has a word of doubt that is not the statement's own."""
    own = _words(statement)
    stems = _stems(own)
    for clause in _CLAUSE_END.split(text):
        words = _words(clause)
        for place, word in enumerate(words):
            if not _is_doubt(word):
                continue
            is_about = any(w[:STEM] in stems for w in words if w != word)
            if not is_about or not _is_own(word, words[place + 1 :], own):
                return True
    return False


def _is_own(word: str, after: Collection[str], own: Collection[str]) -> bool:
    """Whether a word of doubt, with what follows it, is the statement's own.

    Any negation of the statement's own matter is, if the statement has one.
    """
    if _in("negations", word):
        negated = next((w for w in after if not _in("links", w)), "")
        return any(_in("negations", w) for w in own) and negated[:STEM] in _stems(own)
    reported = any(_in("reports", w) for w in list(after)[:1])
    return word in own and not (_in("denials", word) and reported)


def _turns_round(text: str, statement: str) -> bool:
    """Whether a text repeats the matter of a negative statement without its negation."""
    stems = _stems(_words(statement))
    about = {word[:STEM] for word in _words(text)} & stems
    return denies(statement) and 2 * len(about) > len(stems) and not has_doubt(text)


def _has_other_names(text: str, statement: str) -> bool:
    """Whether a text has a name or a number word that the statement does not have."""
    own = {word.casefold() for word in statement.split()} | set(_words(statement))
    for part in _SENTENCE_END.split(text):
        bare = part.lstrip(" \"'“*_(")
        for name in numbers_and_names(bare[:1].lower() + bare[1:]):  # the first word is no name
            if name.isalpha() and name.casefold() not in own and not _in("quiet", name.casefold()):
                return True
    return False


@lru_cache(maxsize=4096)
def _is_doubt(word: str) -> bool:
    parts = (word.replace("'", ""), *word.split("-"), word.partition("'")[0])
    return any(_in(name, part) for part in parts for name in ("denials", "doubts"))


def _in(name: str, word: str) -> bool:
    """Whether a list of ``words/doubt.txt`` has a word."""
    whole, stems = _listed(name)
    return word in whole or word.startswith(stems)


@cache
def _listed(name: str) -> tuple[frozenset[str], tuple[str, ...]]:
    """The whole words of a list, and the beginnings."""
    words = _WORDS[name].split()
    return frozenset(words), tuple(word[:-1] for word in words if word.endswith("*"))


@cache
def _courtesy() -> re.Pattern[str]:
    openings = filter(None, _WORDS["courtesies"].split("\n"))
    return re.compile("|".join(rf"{opening}\b" for opening in openings))


# ---------------------------------------------------------------- numbers and languages


def _without_references(text: str) -> str:
    return _REFERENCE.sub(" ", text.replace("’", "'").replace("\\_", "_"))


def _denies_by_a_sign(text: str, statement: str) -> bool:
    strange = set(text).difference(_HARMLESS_SYMBOLS, statement)
    return _DENYING_SIGN.search(text) is not None or "So" in map(unicodedata.category, strange)


def _leads_to_its_numbers(text: str, statement: str) -> bool:
    """Whether all numbers of a text are the statement's, or a calculation arrives at those."""
    own, said = _NUMBER.findall(statement), _NUMBER.findall(text)
    if set(said) <= set(own):
        in_order = iter(own)
        return len(set(own)) < 2 or all(number in in_order for number in dict.fromkeys(said))
    return bool(own) and set(own) <= set(said) and _EQUATES.search(text) is not None


def _is_english(text: str, statement: str) -> bool:
    """Whether a text is English, as far as its words are not those of the statement."""
    own = set(_words(statement))
    for sentence in _SENTENCE_END.split(text):
        words = [word for word in _words(sentence) if len(word) > 1 or not word.isascii()]
        if not all(word.isascii() or word in own for word in words):
            return False
        few = len(words) <= FEW and all(_in("quiet", w) or w in own for w in words)
        if not few and not any(_in("english", word) for word in words):
            return False
    return True
