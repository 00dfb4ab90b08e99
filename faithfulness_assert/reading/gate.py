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
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache, lru_cache
from itertools import pairwise
from typing import Any, NamedTuple
from unicodedata import normalize

from ..text.strings import alternatives, is_same, lazy_pattern, one_line, sections

MOST_CHARS = 20_000
"""Characters of a text that is looked at. A longer one counts as a denial."""
FEW = 3
"""Words that are no sentence, and so no reason."""
STEM = 5
"""Letters by which a word is known as one of the statement's: "covered" is "cover"."""
SHORT = 4
"""The fewest letters that may begin a longer word of the statement."""

_WORDS = sections(__file__.removesuffix("gate.py") + "words/gate.txt")


def _any_of(name: str) -> re.Pattern[str]:
    return lazy_pattern(alternatives(_WORDS[name]), re.IGNORECASE)


_AGREEING, _COURTESY, _SIGN = _any_of("agreeing"), _any_of("courtesy"), _any_of("signs")
_SHARE, _NOT_SAID = _any_of("shares"), _any_of("not said")
_OTHERS, _WIDE, _EARLIER = _any_of("others"), _any_of("wide"), _any_of("earlier")
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
    if (shares and not _SHARE.search(statement)) or _NOT_SAID.search(text):
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
            is_about = any(_begins_alike(w, stems) for w in words if w != word)
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
        return any(_in("negations", w) for w in own) and _begins_alike(negated, _stems(own))
    reported = any(_in("reports", w) for w in list(after)[:1])
    return word in own and not (_in("denials", word) and reported)


def _words(text: str) -> list[str]:
    """The words of a text in lower case. "Doesn't" is "does not"."""
    return [w.casefold() for w in _WORD.findall(_plain(text))]


def _stems(words: Collection[str]) -> set[str]:
    """The beginnings of the words that tell what a statement is about."""
    return {word[:STEM] for word in words if not _in("links", word) and not _in("reports", word)}


def _begins_alike(word: str, stems: Collection[str]) -> bool:
    """Whether a word has one of these stems: "work" has that of "working", too."""
    if word[:STEM] in stems:
        return True
    return SHORT <= len(word) < STEM and any(stem.startswith(word) for stem in stems)


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
    r"\b(?:statements?|claims?|verdicts?|ids?|nos?\.|(?<!the )numbers?|items?|labels?"
    r"|entr(?:y|ies))"
    r"[ #:*_]{1,4}(\d{1,6}(?:(?:(?:,| and| &|, and| or) ?#?| #?|#)\d{1,6}\b)*)|#(\d{1,6})\b",
    re.IGNORECASE,
)
# How a line begins that is about one statement: "2.", "**Statement 2:**", "- For statement 2,"
_LEADING = lazy_pattern(
    r"[ \t>*_#•(\[-]{0,8}(?:(?:(?:for|in|as for|regarding) )?(?:the )?(?:statement|claim)"
    r"[ #*_]{1,3}(\d{1,6})\b(?![-–/]| ?(?:and|&|or|to|through)\b)"
    r"|(\d{1,6})[*_]{0,3}(?:[.):\]=→](?!\d)|->|–\s))",
    re.IGNORECASE,
)
_GRANTS = frozenset("supported yes statement statements claims and all".split())
"""Words of a line that only repeats what the rows grant: "Supported: 1, 2, 3"."""
_SAYS_SOMETHING = lazy_pattern(r"[^\W_]|[^\w\s.,;:'’\"“”()\[\]{}/*_#>`|–—…&+-]")
_SENTENCES = lazy_pattern(
    r"\b(?:sentences?|passages?) \d+(?:(?:, | and | or |-|–)\d+){0,19}", re.IGNORECASE
)
_BARE = lazy_pattern(r"(?<![\w.,:])\d{1,6}(?![\w:%]|[.,]\d)")
_LABEL = (
    r"((?:partially[ _-])?supported|contradicted"
    r"|not[ _-](?:enough[ _-]info(?:rmation)?|a[ _-]claim))"
)
_COUNTED = lazy_pattern(rf"\b(\d{{1,6}})\b|\b{_LABEL}\b", re.IGNORECASE)
_LISTED = lazy_pattern(
    rf"\W{{0,9}}{_LABEL}[\W_]{{1,9}}"
    r"((?:statements? )?\d{1,6}(?:[ ,]{1,2}(?:and |& )?\d{1,6}){0,99})\W{0,5}",
    re.IGNORECASE,
)
_COUNTING = frozenset(
    "summary total totals final count counts overall labels statement statements claims and".split()
)
"""Other words of a line that counts labels: "Summary: 3 supported, 1 contradicted"."""
_RANGE = lazy_pattern(
    r"\b(?:statements|claims) (\d{1,6}) ?(?:-|–|to|through) ?(\d{1,6})\b", re.IGNORECASE
)


class Remark(NamedTuple):
    """A sentence around the rows: the numbers that it names, whether it is about others too."""

    named: frozenset[int]
    others: bool
    text: str


def remarks(residue: Iterable[str], numbers: Collection[int]) -> list[Remark]:
    """The sentences of a reply's residue. ``numbers``: those of its ask.

    A sentence is about one statement only if it begins with that one ("Statement 2 ...", "2. ..."),
    or stands in a line that does, and names no other. Every other sentence is about all of them.
    Numbers at the start of lines name no statements if they are a count of their own.
    """
    lines = [line for text in residue for line in text.split("\n") if _SAYS_SOMETHING.search(line)]
    led = {int(match[2]) for line in lines if (match := _LEADING.match(line)) and match[2]}
    counts = 1 in led and not led.issuperset(numbers)
    said = (line for line in lines if not _only_grants(line, numbers))
    return [remark for line in said for remark in _in_line(line, numbers, counts=counts)]


def _only_grants(line: str, numbers: Collection[int]) -> bool:
    """Whether a line names all statements, and calls them supported."""
    named = {int(n) for n in re.findall(r"\d{1,6}", line)}
    words = set(_words(line))
    repeats = "supported" in words <= _GRANTS and named == set(numbers)
    return repeats and not _SIGN.search(line) and not _SHARE.search(line)


def repeats_rows(line: str, labels: Mapping[int, Any]) -> bool:
    """Whether a line only counts the labels of the rows, or lists all that have one, and is right.

    ``labels``: the label of each row, by its number.
    """
    if listed := _LISTED.fullmatch(line):
        name = _name(listed[1])
        rows = {number for number, label in labels.items() if label == name}
        return {int(n) for n in re.findall(r"\d+", listed[2])} == rows
    found = _COUNTED.findall(line)
    if not found or not _COUNTING.issuperset(_words(_COUNTED.sub(" ", line))):
        return False
    numbers = [int(number) for number, _ in found if number]
    names = [_name(label) for _, label in found if label]
    turns = all(bool(one) != bool(two) for (one, _), (two, _) in pairwise(found))
    counts = Counter(labels.values())
    return turns and [counts[name] for name in names] == numbers


def _name(label: str) -> str:
    """A label as rows have it."""
    return re.sub("[ -]", "_", label.casefold()).replace("information", "info")


def _in_line(line: str, numbers: Collection[int], *, counts: bool) -> Iterator[Remark]:
    lead = _LEADING.match(line)
    about = frozenset({int(lead[1] or lead[2])}) if lead else frozenset[int]()
    start = lead.end() if lead else 0
    unclear = counts and lead is not None and lead[2] is not None
    for sentence in _SENTENCE.findall(line[start:]) or [line[start:]]:
        if _SAYS_SOMETHING.search(sentence):
            remark = _remark(sentence, about, numbers)
            yield remark._replace(others=True) if unclear else remark


def _remark(sentence: str, about: frozenset[int], numbers: Collection[int]) -> Remark:
    own = _LEADING.match(sentence)
    if own and own[1]:
        about = frozenset({int(own[1])})
    named = about | _named(sentence)
    # "but 2 and 3 are made up": a number may name a statement where it names no sentence.
    bare = {int(n) for n in _BARE.findall(_SENTENCES.sub(" ", sentence))} & set(numbers) - about
    wide = len(named) != 1 or named != about or named.isdisjoint(numbers) or bool(bare)
    return Remark(named, wide or _WIDE.search(sentence) is not None, sentence)


def _named(sentence: str) -> frozenset[int]:
    """The numbers that a sentence names."""
    found = (part for parts in _NAMED.findall(sentence) for part in parts)
    named = {int(n) for part in found for n in re.findall(r"\d+", part)}
    for first, last in _RANGE.findall(sentence):
        named.update(range(int(first), min(int(last), int(first) + 1000) + 1))
    return frozenset(named)


def is_about_earlier(remark: Remark) -> bool:
    """Whether a remark may be about all that earlier replies said."""
    return remark.others and _EARLIER.search(remark.text) is not None


def about_others(text: str, number: int | None) -> bool:
    """Whether what stands in a statement's own row is about other statements, too."""
    return bool(_named(text) - {number}) or _OTHERS.search(text) is not None
