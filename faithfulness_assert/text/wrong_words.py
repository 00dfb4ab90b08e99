"""The words of a statement that its evidence lacks, and the value that the evidence has instead.

Numbers, dates and units by ``absent_numbers.py``, names by their capital letters, and what the
judge's reason quotes from the statement. Nothing is corrected: where more than one value could be
meant, none is shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from unicodedata import combining, normalize

from .absent_numbers import absent_numbers, own_numbers
from .numbers import MONEY, YEARS, Number, Numbers, clock_of, numbers_of, units, valued
from .shared_words import words_that_count
from .strings import lazy_pattern, word_lists

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MOST_WRONG = 20
NAME_STEM = 5
"""Letters of a name that count."""
ALIKE, LEAST_WORDS = 0.6, 2
"""The share of a statement's words that evidence of the same matter has, and how many at least."""
MOST_EVIDENCE = 5_000
"""Characters of the evidence that are compared."""

_CAPITAL = r"[A-ZÀ-ÖØ-Þ][^\W\d_]+"
_NAME = lazy_pattern(rf"{_CAPITAL}(?:[ -]{_CAPITAL})*")
_WORDS = lazy_pattern(r"[^\W\d_]+")
_QUOTED = lazy_pattern(r"“([^“”\n]{2,100})”|\"([^\"\n]{2,100})\"|‘([^‘’\n]{2,100})’")

Kind = tuple[str, str]


def wrong_words(
    statement: str, evidence: Sequence[str], context: Numbers, reason: str = ""
) -> tuple[str, ...]:
    """The parts of ``statement`` that the evidence lacks, in their order; each is a substring.

    Args:
        evidence: the sentences that the verdict names. Where they do not speak of the same matter,
            or there are none, a wrong number is one that is nowhere in the context.
        context: of all passages. A name that they have anywhere is not wrong.
        reason: the judge's. What it quotes of the statement and the evidence lacks is wrong.
    """
    text = "\n".join(evidence)[:MOST_EVIDENCE]
    is_alike = _alike(statement, text)
    found = [
        *absent_numbers(statement, numbers_of(text) if is_alike else context),
        *_quoted(statement, reason, text),
        *(_absent_names(statement, context.words) if is_alike else ()),
    ]
    kept = [word for word in dict.fromkeys(found) if word in statement]
    return tuple(sorted(kept, key=statement.find)[:MOST_WRONG])


def _quoted(statement: str, reason: str, evidence: str) -> Iterator[str]:
    for match in _QUOTED.finditer(reason):
        quote = next(group for group in match.groups() if group)
        said = quote in statement and quote.casefold() not in evidence.casefold()
        if said and len(quote) < len(statement) / 2:
            yield quote


def _alike(statement: str, evidence: str) -> bool:
    """Whether the evidence speaks of the same: it has most words of the statement."""
    own = {word for word in words_that_count(statement) if not word.isdecimal()}
    shared = own & words_that_count(evidence)
    return len(own) >= LEAST_WORDS and len(shared) >= ALIKE * len(own)


def _absent_names(statement: str, known: frozenset[str]) -> Iterator[str]:
    """The names of which no part is in the context, but not the one that the statement begins with.

    That is what it speaks of, and the context may call it otherwise.
    """
    if statement.isupper() or statement.istitle():
        return
    names = [match for match in _NAME.finditer(statement) if not _is_common(match[0])]
    plain = {_plain(word) for word in known}
    for match in names[:MOST_WRONG]:
        parts = [_plain(part) for part in _WORDS.findall(match[0]) if len(part) > 2]
        before = statement[: match.start()].split()
        begins = all(not word[0].islower() or _is_common(word) for word in before)
        if parts and not begins and plain.isdisjoint(parts):
            yield match[0]


def _plain(word: str) -> str:
    """A word without case, accents, and an ending that makes an adjective or a plural of it."""
    letters = normalize("NFD", word.casefold())
    return "".join(letter for letter in letters if not combining(letter))[:NAME_STEM]


def _is_common(word: str) -> bool:
    """Whether a word has a capital for another reason than that it is a name."""
    lists, plain = word_lists("names"), word.casefold()
    return plain in f"{lists['openers']} {lists['sentence starters']}".split() or (
        plain in valued("months") or plain in lists["weekdays"].split()
    )


# ---------------------------------------------------------------- what the context says


def says_instead(statement: str, wrong: Sequence[str], evidence: Sequence[str]) -> str:
    """The one value of the evidence that stands where the statement has a wrong one, or "".

    Only where the statement has one wrong number, and the evidence has one value of its kind,
    which the statement lacks: a year, a time of day, a share, an amount of money, a length, or a
    number of the same things.
    """
    mine = [(number, text) for number, text in own_numbers(statement)]
    wrong_ones = [
        (number, text)
        for number, text in mine
        if any(word.startswith(statement[number.start : number.end]) for word in wrong)
    ]
    if len(wrong_ones) != 1:
        return ""
    kind = _kind(*wrong_ones[0])
    if sum(_kind(*one) == kind for one in mine) != 1:
        return ""
    texts = [text[:MOST_EVIDENCE] for text in evidence]
    theirs = [
        text[number.start : _end(number, text)]
        for text in texts
        for number, blank in own_numbers(text)
        if _kind(number, blank) == kind
    ]
    known = numbers_of(statement)
    if len(theirs) != 1 or not kind[0] or absent_numbers(theirs[0], known) == ():
        return ""
    if not _alike(statement, "\n".join(texts)):
        return ""
    return theirs[0]


def _end(number: Number, text: str) -> int:
    """Where a number ends with its scale or unit."""
    words = (valued("scales"), units())
    if any(number.after in known for known in words):
        return text.casefold().find(number.after, number.end) + len(number.after)
    return number.end


def _kind(number: Number, text: str) -> Kind:
    """What a number counts or measures; ("", "") if that is not known."""
    before = text[max(number.start - 2, 0) : number.start].strip()[-1:]
    if before and before in MONEY:
        return "money", before
    if any(value < 0 for value in clock_of(text, number)):
        return "time", ""
    unit = units().get(number.after)
    if unit is not None:
        return unit.dimension, str(unit.size)
    digits = text[number.start : number.end]
    if digits.isdecimal() and len(digits) == 4 and number.values[0] in YEARS:
        return "year", ""
    return ("count", number.after[:5]) if number.after.isalpha() else ("", "")
