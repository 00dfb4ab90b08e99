"""The gate: a label that earns something counts only if nothing else in the reply denies it.

What denies is a word: a negation, a word of denial or a hedge, a sign such as ❌. They are in
``words/gate.txt``; they were chosen on reasons that real judges wrote, and
``benchmarks/reading_replies.py`` shows what they hear and what they cost.

- ``denies``, for a reason that was asked for: only the judge's own voice is read, without what it
  quotes.
- ``objects``, for a remark that nobody asked for (prose around the rows, what stands beside a
  label): there are more such words, because few judges add a remark that only agrees.

A word that is the statement's own ("does not open on Mondays") denies nothing: the statement must
have it, and the clause must be about the statement's matter and not about what a text says.
What contradicts by its content alone ("The context says 12." beside 14) is not heard. To compare
the numbers of reason and statement does not pay: on reasons of real judges it opens 9 % of those
that agree, which calculate in other units, and hears 1 of 237 denials.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from functools import cache, lru_cache
from itertools import pairwise
from typing import Any, NamedTuple
from unicodedata import normalize

from ..text.strings import alternatives, is_same, lazy_pattern, one_line, sections
from .rows import normalise

MOST_CHARS = 20_000
"""Characters of a text that is looked at. A longer one counts as a denial."""
FEW = 3
"""Words that are no sentence, and so no reason."""
STEM = 5
"""Letters by which a word is known as one of the statement's: "covered" is "cover"."""

_WORDS = sections(__file__.removesuffix("gate.py") + "words/gate.txt")


def _any_of(name: str) -> re.Pattern[str]:
    return lazy_pattern(alternatives(_WORDS[name]), re.IGNORECASE)


_AGREEING, _COURTESY, _SIGN = _any_of("agreeing"), _any_of("courtesy"), _any_of("signs")
_SHARE, _NOT_SAID = _any_of("shares"), _any_of("not said")
_WIDE, EARLIER = _any_of("wide"), _any_of("earlier")
_WORD = lazy_pattern(r"[^\W\d_]+(?:['-][^\W\d_]+)*")
_SHORT_NOT = lazy_pattern(r"n't\b|(?<=\bcan)not\b", re.IGNORECASE)
_CLAUSE_END = lazy_pattern(r"[,;.:!\n](?!\d)")
_PARTS_END = lazy_pattern(
    r"[,;.:](?!\d)|\b(?:but|while|whereas|though|although|only|however)\b", re.IGNORECASE
)
_QUOTATION = lazy_pattern(
    r'"[^"\n]{1,600}"|“[^”\n]{1,600}”|«[^»\n]{1,600}»|`[^`\n]{1,600}`'
    r"|(?<!\w)'[^'\n]{1,600}'(?!\w)|‘[^’\n]{1,600}’(?!\w)"
)
_LEADING_NO = lazy_pattern(r"[^\w]*no\b", re.IGNORECASE)


def denies(reason: str, statement: str = "") -> bool:
    """Whether the reason of a row denies that its statement is supported."""
    if len(reason) > MOST_CHARS or is_same(reason, statement):
        return len(reason) > MOST_CHARS
    if _LEADING_NO.match(_AGREEING.sub(" ", reason)):  # also in quotation marks: "No," because
        return True
    text = _AGREEING.sub(" ", _plain(_QUOTATION.sub(" ", reason)))
    return _speaks_against(text, statement, ("negations", "denials"))


def denies_all(reason: str, statement: str = "") -> bool:
    """Whether the reason of a row denies that its statement is supported even in a part.

    It does not where a part of it denies nothing, or denies a part of the statement only.
    """
    if not denies(reason):
        return False
    if any(_in("falsehoods", word) for word in _words(_QUOTATION.sub(" ", reason))):
        return True
    parts = [part for part in _PARTS_END.split(reason) if len(_words(part)) > 1]
    return all(denies(part) and _is_about_all(part, statement) for part in parts)


def _is_about_all(part: str, statement: str) -> bool:
    """Whether a text names nothing, or all of what a statement is about."""
    named = {w for w in _words(part) if not _is_listed(w, ("negations", "denials"))}
    return not _stems(named) or _stems(_words(statement)) <= _stems(named)


def calls_false(reason: str) -> bool:
    """Whether the reason of a row calls its statement false, and not only unsupported."""
    return any(_in("falsehoods", word) for word in _words(reason)) and not has_negation(reason)


@lru_cache(maxsize=4096)
def objects(remark: str, statement: str = "") -> bool:
    """Whether a remark may speak against a label. ``statement``: the one that it names."""
    if len(remark) > MOST_CHARS or is_same(remark, statement):
        return len(remark) > MOST_CHARS
    text = _AGREEING.sub(" ", _COURTESY.sub(" ", _plain(remark)))
    parts = _SHARE.finditer(text)
    shares = any(not part[1] or int(part[1]) < int(part[2]) for part in parts)
    if shares or _NOT_SAID.search(text):
        return True
    return _speaks_against(text, statement, ("negations", "denials", "remarks", "flaws"))


def field_objects(said: str, statement: str = "") -> bool:
    """Whether a key that nobody asked for may speak against the label of its row.

    ``said``: the key as words, and its value. A sentence is a reason, a word or two are a remark,
    and so is what stands beside a label.
    """
    key, _, value = said.partition(": ")
    speaks = denies if len(value.split()) > FEW and key != "label" else objects
    return objects(key) or speaks(value, statement)


def is_flaw(key: str) -> bool:
    """Whether a key names what would be wrong with a verdict: a false value denies nothing then."""
    words = _words(key)
    named = any(_is_listed(word, ("denials", "flaws")) for word in words)
    return named and not has_negation(key) and "free" not in words


def has_negation(text: str) -> bool:
    """Whether a text has a negation."""
    return any(_in("negations", word) for word in _words(text))


def qualifiers(text: str) -> frozenset[str]:
    """The conditions, hedges and quantifiers of a text."""
    return frozenset(word for word in _words(text) if _in("qualifiers", word))


# ---------------------------------------------------------------- words


def _speaks_against(text: str, statement: str, names: tuple[str, ...]) -> bool:
    """Whether a plain text has a sign or a word of these lists that is not the statement's own."""
    if any(sign not in statement for sign in _SIGN.findall(text)):
        return True
    own = _words(statement)
    stems = _stems(own)
    for clause in _CLAUSE_END.split(text):
        words = _WORD.findall(clause.casefold())
        for place, word in enumerate(words):
            if not _is_listed(word, names):
                continue
            is_about = any(w[:STEM] in stems for w in words if w != word)
            if not is_about or not _is_own(word, words[place + 1 :], own):
                return True
    return False


def _plain(text: str) -> str:
    """A text with plain letters and apostrophes, and "not" in full."""
    if not text.isascii():
        text = "\n".join(map(one_line, normalize("NFKC", text.replace("’", "'")).split("\n")))
    return _SHORT_NOT.sub(" not", text.replace("\\_", "_"))


def _is_own(word: str, after: Collection[str], own: Collection[str]) -> bool:
    """Whether a word that denies, with what follows it, is the statement's own.

    Any negation of the statement's own matter is, if the statement has one.
    """
    if _in("negations", word):
        negated = next((w for w in after if not _in("links", w)), "")
        return any(_in("negations", w) for w in own) and negated[:STEM] in _stems(own)
    return word in own


def _words(text: str) -> list[str]:
    """The words of a text in lower case. "Doesn't" is "does not"."""
    return [w.casefold() for w in _WORD.findall(_plain(text))]


def _stems(words: Collection[str]) -> set[str]:
    """The beginnings of the words that tell what a statement is about."""
    return {word[:STEM] for word in words if not _in("links", word) and not _in("reports", word)}


@lru_cache(maxsize=4096)
def _is_listed(word: str, names: tuple[str, ...]) -> bool:
    parts = (word.replace("'", ""), word.replace("-", ""), *word.split("-"), word.partition("'")[0])
    return any(_in(name, part) for part in parts for name in names)


def _in(name: str, word: str) -> bool:
    """Whether a list of ``words/gate.txt`` has a word."""
    whole, stems = _listed(name)
    return word in whole or word.startswith(stems)


@cache
def _listed(name: str) -> tuple[frozenset[str], tuple[str, ...]]:
    """The whole words of a list, and the beginnings."""
    words = _WORDS[name].split()
    return frozenset(words), tuple(word[:-1] for word in words if word.endswith("*"))


# ---------------------------------------------------------------- remarks around the rows

_SENTENCE = lazy_pattern(
    r"[.!?;]*(?:[^.!?;\n]|(?<=\d)\.(?=\d))+(?:[.!?;]+(?=\s|[*_\"”)]|$)|\n|$|[.!?;])"
)
# "statements 1 and 3", "claim #2", "#3"
_NAMED = lazy_pattern(
    r"(?:\b(?:statement|claim|verdict|id|item|label)s?[ #:*_]{1,4}|#)"
    r"(\d{1,6}(?:(?:,? and|,| &| or|-|–| to) ?#?\d{1,6}\b)*)",
    re.IGNORECASE,
)
# How a line begins that is about one statement: "2.", "**Statement 2:**", "- For statement 2,"
_LEADING = lazy_pattern(
    r"[ \t>*_#•(\[-]{0,8}(?:(?:(?:for|in|as for|regarding) )?(?:the )?(?:statement|claim)"
    r"[ #*_]{1,3}(\d{1,6})\b(?![-–/]| ?(?:to|through)\b)"
    r"|(\d{1,6})[*_]{0,3}(?:[.):\]=→](?!\d)|->|–\s))",
    re.IGNORECASE,
)
_SAYS_SOMETHING = lazy_pattern(r"[^\W_]|[^\w\s.,;:'’\"“”()\[\]{}/*_#>`|–—…&+-]")
_SENTENCES = lazy_pattern(
    r"\b(?:sentences?|passages?) \d+(?:(?:, | and | or |-|–)\d+){0,19}", re.IGNORECASE
)
_BARE = lazy_pattern(r"(?<![\w.,:])\d{1,6}(?![\w:%]|[.,]\d)")
_COUNTED = lazy_pattern(
    r"\b(\d{1,6})\b|\b((?:partially[ _-])?supported|contradicted"
    r"|not[ _-](?:enough[ _-]info(?:rmation)?|a[ _-]claim))\b",
    re.IGNORECASE,
)
_COUNTING = frozenset("summary total totals final count counts statements claims and all".split())
"""Other words of a line that counts labels: "Summary: 3 supported, 1 contradicted"."""


class Remark(NamedTuple):
    """A sentence around the rows: the numbers that it names, whether it is about others too."""

    named: frozenset[int]
    others: bool
    text: str


def remarks(residue: Iterable[str], numbers: Collection[int]) -> list[Remark]:
    """The sentences of a reply's residue. ``numbers``: those of its ask.

    A sentence that begins with a statement ("Statement 2 ...", "2. ..."), or stands in a line that
    does, is about the statements that it names. Every other sentence is about all of them. Numbers
    at the start of lines name no statements if they are a count of their own.
    """
    lines = [line for text in residue for line in text.split("\n") if _SAYS_SOMETHING.search(line)]
    led = {int(match[2]) for line in lines if (match := _LEADING.match(line)) and match[2]}
    is_count = 1 in led and not led.issuperset(numbers)
    found = []
    for line in lines:
        lead = _LEADING.match(line)
        number = int(lead[1] or lead[2]) if lead and (lead[1] or not is_count) else None
        rest = line[lead.end() if lead else 0 :]
        parts = (part for part in _SENTENCE.findall(rest) or [rest] if _SAYS_SOMETHING.search(part))
        found += [_remark(part, number, numbers) for part in parts]
    return found


def _remark(sentence: str, number: int | None, numbers: Collection[int]) -> Remark:
    """A sentence; ``number``: with which its line begins."""
    lead = _LEADING.match(sentence)
    number = int(lead[1]) if lead and lead[1] else number
    # "but 2 and 3 are made up": a number may name a statement where it names no sentence.
    bare = set(map(int, _BARE.findall(_SENTENCES.sub(" ", sentence)))).intersection(numbers)
    about = named(sentence) | bare | ({number} if number is not None else set())
    others = number is None or about.isdisjoint(numbers) or _WIDE.search(sentence) is not None
    return Remark(frozenset(about), others, sentence)


def named(text: str) -> set[int]:
    """The numbers of the statements that a text names."""
    found: set[int] = set()
    for part in _NAMED.findall(text):
        numbers = [int(n) for n in re.findall(r"\d+", part)]
        is_range = any(mark in part for mark in ("-", "–", "to"))
        last = min(numbers[-1], numbers[0] + 1000)
        found.update(range(numbers[0], last + 1) if is_range else numbers)
    return found


def repeats_rows(line: str, labels: Mapping[int, Any]) -> bool:
    """Whether a line only counts the labels of the rows, or lists all that have one, and is right.

    ``labels``: the label of each row, by its number.
    """
    found = _COUNTED.findall(line)
    numbers = [int(number) for number, _ in found if number]
    names = [normalise(name).replace("information", "info") for _, name in found if name]
    is_plain = _COUNTING.issuperset(_words(_COUNTED.sub(" ", line))) and "/" not in line
    if not numbers or not is_plain or _SIGN.search(line):
        return False
    if len(set(names)) == 1 and (found[0][1] or len(numbers) > 1):
        return set(numbers) == {number for number, label in labels.items() if label == names[0]}
    turns = all(bool(one) != bool(two) for (one, _), (two, _) in pairwise(found))
    counts = Counter(labels.values())
    return turns and [counts[name] for name in names] == numbers
