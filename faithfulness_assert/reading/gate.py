"""The gate: a label that earns something counts only if nothing else in the reply denies it.

What denies is a word: a negation, a word of denial or a hedge, a sign such as ❌. They are in
``words/gate.txt``; they were chosen on reasons that real judges wrote, and
``benchmarks/reading_replies.py`` shows what they hear and what they cost.

- ``denies``, for a reason that was asked for: only the judge's own voice is read, without what it
  quotes and without the statement, where it repeats that.
- ``objects``, for a remark that nobody asked for (prose around the rows, what stands beside a
  label): there are more such words, because few judges add a remark that only agrees.

A word that is the statement's own ("does not open on Mondays") denies nothing: the statement must
have it, or of negations any, and the clause must be about what the statement denies and not about
what a text says.
What contradicts by its content alone ("The context says 12." beside 14) is not heard. To compare
the numbers of reason and statement does not pay: on reasons of real judges it opens 9 % of those
that agree, which calculate in other units, and hears 1 of 237 denials.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from functools import cache, lru_cache
from typing import Any, NamedTuple
from unicodedata import normalize

from ..text.strings import (
    alternatives,
    function_words,
    is_same,
    lazy_pattern,
    negation_signs,
    negation_words,
    one_line,
    sections,
)

MOST_CHARS = 20_000  # of a text that is looked at: a longer one counts as a denial
FEW = 3  # words that are no sentence, and so no reason
PREFIXES = ("non-", "non", "un", "dis", "mis", "im", "in", "il", "ir")  # may turn a word round
STEM = 5  # letters by which a word is known as one of the statement's: "covered" is "cover"
_WORDS = sections(__file__.removesuffix("gate.py") + "words/gate.txt")


def _any_of(name: str) -> re.Pattern[str]:
    return lazy_pattern(alternatives(_WORDS[name]), re.IGNORECASE)


_AGREEING, _COURTESY, _SIGN = _any_of("agreeing"), _any_of("courtesy"), _any_of("signs")
_MARK, _SHARE, _TALLY = _any_of("marks"), _any_of("shares"), _any_of("tallies")
_NOT_SAID, _NEARLY = _any_of("not said"), _any_of("nearly")
OTHERS, _WIDE, EARLIER = _any_of("others"), _any_of("wide"), _any_of("earlier")
_WORD = lazy_pattern(r"[^\W\d_]+(?:['-][^\W\d_]+)*")
_SHORT_NOT = lazy_pattern(r"(?i)n't\b|(?<=\bcan)not\b")
_CLAUSE_END = lazy_pattern(r"[,;.:!\n](?!\d)")
_BREAK = lazy_pattern(r"(?i)[,;.:](?!\d)|\b(?:but|wh(?:ile|ereas)|(?:al)?though|only|however)\b")
# An apostrophe between letters ends no quotation: 'It isn't free.'
_QUOTATION = lazy_pattern(
    r'"[^"]{1,600}"|“[^”]{1,600}”|«[^»]{1,600}»|`[^`]{1,600}`'
    r"|(?<!\w)'[^']{1,600}(?:(?<=\w)'(?=\w)[^']{1,600}){0,9}'(?!\w)"
    r"|‘[^’]{1,600}(?:(?<=\w)’(?=\w)[^’]{1,600}){0,9}’(?!\w)"
)
_LEADING_NO = lazy_pattern(r"(?i)[^\w]*no\b")  # also in quotation marks: "No," because


def denies(reason: str, statement: str = "") -> bool:
    """Whether the reason of a row denies that its statement is supported."""
    if len(reason) > MOST_CHARS or is_same(reason, statement):
        return len(reason) > MOST_CHARS
    if len(reason.split()) <= FEW:
        return objects(reason, statement)
    if _LEADING_NO.match(reason) and _LEADING_NO.match(_rest(reason, statement)):
        return True
    text, lists = _plain(_QUOTATION.sub(" ", reason)), ("negations", "denials")
    speaks = _speaks_against(text, statement, *lists)  # few do
    return speaks and _speaks_against(_rest(text, statement), statement, *lists)


def denies_all(reason: str, statement: str = "") -> bool:
    """Whether the reason of a row denies that its statement is supported even in a part.

    It does not where a part of it denies nothing, or names a part of the statement only.
    """
    denied, own = denies(reason), _words(_QUOTATION.sub(" ", reason))
    if not denied or any(_in(word, "falsehoods") for word in own):
        return denied
    about = _stems(_words(statement))
    for part in (part for part in _BREAK.split(reason) if len(_words(part)) > 1):
        named = _stems({w for w in _words(part) if not _in(w, "negations", "denials")})
        if not denies(part) or (named and not about <= named):
            return False
    return True


def calls_false(reason: str) -> bool:
    """Whether the reason of a row calls its statement false, and not only unsupported."""
    return any(_in(word, "falsehoods") for word in _words(reason)) and not negations(reason)


@lru_cache(maxsize=4096)
def objects(remark: str, statement: str = "") -> bool:
    """Whether a remark may speak against a label. ``statement``: the one that it names."""
    if len(remark) > MOST_CHARS:
        return True
    if is_same(remark, statement):
        return _speaks_against(remark, statement)
    text = _rest(_COURTESY.sub(" ", _plain(remark)), statement)
    shares = any(not part[1] or int(part[1]) < int(part[2]) for part in _SHARE.finditer(text))
    if (shares and not _SHARE.search(statement)) or _NOT_SAID.search(text):
        return True
    return _speaks_against(text, statement, "negations", "denials", "remarks", "flaws")


def without_tally(text: str, counts: Mapping[Any, int], whole: int) -> str:
    """A text without its counts of labels, where they are these, and of a ``whole``."""
    right = [str(counts.get("supported", 0)), str(whole)]

    def left(said: re.Match[str]) -> str:
        label, number = said[2] or said[3], said[1] or said[4]
        of_all = label is None and re.findall(r"\d+", said[0]) == right
        name = "_".join(re.split("[ _]", label.lower())) if label else ""
        return " " if of_all or (label and counts.get(name, 0) == int(number)) else said[0]

    return _TALLY.sub(left, text)


def field_objects(said: str, statement: str = "") -> bool:
    """Whether a key that nobody asked for, as words, or its value may speak against its row."""
    key, _, value = said.partition(": ")
    return objects(key) or objects(value, statement)


def is_flaw(key: str) -> bool:
    """Whether a key names what would be wrong with a verdict: a false value denies nothing then."""
    words = _words(key)
    named = any(_in(word, "denials", "flaws") for word in words)
    return named and not negations(key) and "free" not in words


def negations(text: str) -> int:
    """How many negations a text has: words, or signs of scripts without spaces."""
    known, is_plain = negation_words(), text.isascii()
    words = [word for word in _words(text) if is_plain or word != "dont"]  # which is French, too
    found = [w for w in words if w in known or w.startswith("non-") or _in(w, "negations")]
    signs = () if is_plain else negation_signs()
    return len(found) + sum([text.count(sign) for sign in signs])


def qualifiers(text: str) -> frozenset[str]:
    """The conditions, hedges and quantifiers of a text."""
    return frozenset(word for word in _words(text) if _in(word, "qualifiers"))


def frames(text: str) -> frozenset[str]:
    """The words of a text that only report, suppose or wish what it says."""
    return frozenset(word for word in _words(text) if _in(word, "frames"))


def _rest(text: str, statement: str) -> str:
    """A text without what agrees in it: "no conflict", unless its statement is about conflicts."""

    def left(said: re.Match[str]) -> str:
        last = said[0].casefold().split()[-1]
        ends = (last[:2], last[-2:]) if last > "\u3000" else (f" {last[:7].rstrip('s')}",)
        is_own = len(last) > FEW and any(end in f" {statement.casefold()}" for end in ends)
        return said[0] if is_own else " "

    return _AGREEING.sub(left, text)


def _speaks_against(text: str, statement: str, *lists: str) -> bool:
    """Whether a plain text has a sign or a word of these lists that is not the statement's own."""
    signs = _SIGN.findall(text) + ([] if text.isascii() else _MARK.findall(text))
    if any(sign.casefold() not in statement.casefold() for sign in signs):
        return True
    text = _NEARLY.sub(" ", text) if _NEARLY.search(statement) else text
    stems = _stems(own := _words(statement))
    for clause in _CLAUSE_END.split(text):
        words = _WORD.findall(clause.casefold())
        for place, word in enumerate(words):
            if word not in own and word.startswith(PREFIXES):
                turned = {word.removeprefix(prefix) for prefix in PREFIXES} - {word}
                if any(rest[:STEM] in stems for rest in turned if len(rest) >= STEM):
                    return True  # "unavailable"
            if not _in(word, *lists) and (own or not word.startswith("non-")):
                continue  # "non-invasive" names a property, unless nobody knows the statement
            is_negation = _in(word, "negations")
            matter = _denied_by(statement) if is_negation else stems
            is_about = any(w[:STEM] in matter for w in words if w != word)
            reports = any(_in(w, "reports") for w in words[place + 1 : place + 4] if w not in own)
            if not is_about or reports or not (is_negation or word in own):
                return True
    return False


@lru_cache(maxsize=64)  # a long reason may deny often
def _denied_by(statement: str) -> frozenset[str]:
    """The stems of the clauses of a statement that themselves deny."""
    clauses = [_words(clause) for clause in _CLAUSE_END.split(statement)]
    denying = (ws for ws in clauses if any(_in(w, "negations", "lacks") for w in ws))
    return frozenset().union(*map(_stems, denying))


def _plain(text: str) -> str:
    """A text with plain letters and apostrophes, and "not" in full."""
    if not text.isascii():
        text = "\n".join(map(one_line, normalize("NFKC", text.replace("’", "'")).split("\n")))
    return _SHORT_NOT.sub(" not", text.replace("\\_", "_"))


def _words(text: str) -> list[str]:
    """The words of a text in lower case. "Doesn't" is "does not"."""
    return [w.casefold() for w in _WORD.findall(_plain(text))]


def _stems(words: Collection[str]) -> set[str]:
    """The beginnings of the words that tell what a statement is about."""
    ties = function_words()
    return {w[:STEM] for w in words if len(w) > 2 and w not in ties and not _in(w, "reports")}


@lru_cache(maxsize=4096)
def _in(word: str, *lists: str) -> bool:
    """Whether one of these lists of ``words/gate.txt`` has a word, or a part of it.

    The opposite of a report ("unstated", "non-verifiable") is a denial.
    """
    split = word.removeprefix("non-").split("-")
    parts = word.replace("'", ""), word.replace("-", ""), *split, *word.split("'")  # l'altro
    for whole, beginnings in map(_listed, lists):
        if any(part in whole or part.startswith(beginnings) for part in parts):
            return True
    opposite = re.match("(?:non-?|un)(.+)", word)
    return opposite is not None and "denials" in lists and _in(opposite[1], "reports")


@cache
def _listed(name: str) -> tuple[frozenset[str], tuple[str, ...]]:
    """The whole words of a list, and the beginnings."""
    words = _WORDS[name].split()
    return frozenset(words), tuple(word[:-1] for word in words if word.endswith("*"))


_SENTENCE = lazy_pattern(
    r"[.!?;]*(?:[^.!?;\n]|(?<=\d)\.(?=\d))+(?:[.!?;]+(?=\s|[*_\"”)]|$)|\n|$|[.!?;])"
)
# "statements 1 and 3", "claim #2", "#3", "statements 2 to 4"
_NAMED = lazy_pattern(
    r"(?i)(?:\b(?:statements?|claims?|verdicts?|ids?|nos?\.|(?<!the )numbers?|items?|labels?"
    r"|entr(?:y|ies))[ #:*_]{1,4}|#)"
    r"(\d{1,6}(?:(?:(?:,? and|,| &| or| ?-| ?–| to| through) ?#?| #?|#)\d{1,6}\b)*)"
)
# How a line begins that is about one statement: "2.", "**Statement 2:**", "- For statement 2,",
# "Note: Statement 2 is ..."
_LEADING = lazy_pattern(
    r"(?i)[ \t>*_#•(\[-]{0,8}(?:(?:note(?: that|[:*_]{1,6}) )?(?:(?:for|in|as for|regarding"
    r"|the (?:evidence|label|verdict|reason) (?:for|of)) )?(?:the )?(?:statement|claim)"
    r"[ #*_]{1,3}(\d{1,6})\b(?![-–/]| ?(?:and|&|or|to|through)\b)"
    r"|(\d{1,6})[*_]{0,3}(?:[.):\]=→](?!\d)|->|–\s))"
)
_SAYS_SOMETHING = lazy_pattern(r"[^\W_]|[^\w\s.,;:'’\"“”()\[\]{}/*_#>`|–—…&+-]")
_SENTENCES = lazy_pattern(r"(?i)\b(?:sentences?|passages?) \d+(?:(?:, | and | or |-|–)\d+){0,19}")
_BARE = lazy_pattern(r"(?<![\w.,:])\d{1,6}(?![\w:%]|[.,]\d)")


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
    leads = [_LEADING.match(line) for line in lines]
    led = {int(lead[2]) for lead in leads if lead and lead[2]}
    counts = 1 in led and not led.issuperset(numbers)
    found = []
    for line, lead in zip(lines, leads, strict=True):
        rest = line[lead.end() if lead else 0 :]
        for part in filter(_SAYS_SOMETHING.search, _SENTENCE.findall(rest) or [rest]):
            own = _LEADING.match(part)
            own = own if own and own[1] else lead
            about = {int(own[1] or own[2])} if own else set()
            named = about | numbers_named(part)
            # "but 2 and 3 are made up": a number may name a statement where it names no sentence.
            bare = {int(n) for n in _BARE.findall(_SENTENCES.sub(" ", part))}.intersection(numbers)
            others = named | bare != about or about.isdisjoint(numbers) or _WIDE.search(part)
            is_count = counts and lead and lead[2]
            found.append(Remark(frozenset(named), bool(others or is_count), part))
    return found


def numbers_named(text: str) -> set[int]:
    """The numbers of the statements that a text names, also by a range."""
    found: set[int] = set()
    for part in _NAMED.findall(text):
        numbers = [int(n) for n in re.findall(r"\d+", part)]
        is_range = re.search("(?i)-|–|to|through", part)
        last = min(numbers[-1], numbers[0] + 1000)
        found.update(numbers, range(numbers[0], last + 1) if is_range else ())
    return found
