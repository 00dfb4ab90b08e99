"""Whether a sentence claims nothing, only declines, or names something, by its words alone.

The phrases are tables of patterns. In a table, each line is a regular expression, or "word:
expression". An indented line continues the one before it; ``<name>`` is a part from
``words/phrases.txt``; ``~`` is a gap of up to 60 characters inside a sentence. The plain form of a
text, which they match, is lower case, one line, straight quotes, no markdown, no English short
forms.

Sentences that claim nothing are questions, greetings and offers. The rules are strict, because a
judge may try to set aside what it should judge: only wording that is known to claim nothing counts,
and a sentence that also states something does not.

A text with a number or a name always claims something, so it is never set aside as "not a claim".
In doubt a word is a name: a capital letter shows one, except at the start of a text, where common
words have one too. Scripts without capitals hide names, so a text in them counts as named unless it
contains a polite phrase.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise

from .strings import DENSE, lazy_pattern, word_lists

_STRAIGHT = str.maketrans(
    dict.fromkeys("’‘′ʼ`´＇", "'")
    | dict.fromkeys("“”„«»「」『』＂", '"')
    | dict.fromkeys("*\u0307\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff", None)
)
_BARE = str.maketrans(
    {"–": " ", "—": " ", "…": ".", "_": None, "#": None, ">": None, "~": None, "|": None}
)
_SHORT_FORMS = {
    "won't": "will not",
    "can't": "cannot",
    "n't": " not",
    "'m ": " am ",
    "'ve ": " have ",
    "'ll ": " will ",
    "'d ": " would ",
    "'re ": " are ",
    "it's ": "it is ",
    "that's ": "that is ",
}


def straight(text: str) -> str:
    """``text`` in lower case, with straight quotes, without bold marks and invisible characters."""
    return text.lower().translate(_STRAIGHT)


def plain(text: str) -> str:
    """``text`` in its plain form, which the tables are written for."""
    text = straight(text).translate(_BARE)
    for short, full in _SHORT_FORMS.items():
        text = text.replace(short, full)
    return " ".join(text.split())


def _lines(table: str) -> list[str]:
    lines = table.replace("\n  ", "").split("\n")
    return [line for line in lines if line and not line.startswith("# ")]


@cache
def pairs(table: str) -> tuple[tuple[str, str], ...]:
    """A table of "word: rule" lines."""
    return tuple((word, rule) for word, _, rule in (line.partition(": ") for line in _lines(table)))


def _filled(rule: str) -> str:
    """``rule`` with its parts and gaps written out."""
    rule = re.sub(
        r"<(\w+)>", lambda part: _filled(dict(pairs(word_lists("phrases")["parts"]))[part[1]]), rule
    )
    return rule.replace("~", r"[^.!?。！？।]{0,60}?")


@cache
def compiled(rule: str) -> re.Pattern[str]:
    return re.compile(_filled(rule))


@cache
def rules(table: str) -> tuple[re.Pattern[str], ...]:
    return tuple(map(compiled, _lines(table)))


# ---------------------------------------------------------------- sentences that claim nothing

MAX_CHARS = 200
MAX_WORDS = 14
"""Longer sentences to the reader say something as well."""
MAX_DENSE_CHARS = 20
"""Longer questions in scripts without spaces between words say something as well."""

_END = r"[\s!.…。！～,;:)\]*_\"'”’»\U0001f300-\U0001faff\u2600-\u27bf\ufe0f]*"

# What stands in a question that states something after all, in the same scripts.
_STATING_DENSE = re.compile("[，,、،]|难道|難道|不是|对吗|對嗎|是吗|是嗎|じゃない|지 않")


def is_non_claim(sentence: str) -> bool:
    """Whether a sentence claims nothing, as far as its wording shows beyond doubt."""
    if len(sentence) > MAX_CHARS:
        return False
    bare = " ".join(sentence.replace("’", "'").casefold().split()).lstrip("\"'“„«*_>#- ")
    if bare.rstrip("\"'”’»)*_ ").endswith(("?", "？")):
        return _asks(bare)
    if _courtesy().fullmatch(bare):
        return True
    opening = _opening().match(bare)
    if opening is None or len(bare.split()) > MAX_WORDS:
        return False
    return not _stating().search(bare, opening.end())


def _asks(bare: str) -> bool:
    """Whether a sentence that ends with a question mark states nothing."""
    if not re.search(r"[a-zà-ÿ]", bare):
        asks = any(word in bare for word in _section("asking, in scripts without spaces").split())
        return asks and len(bare) <= MAX_DENSE_CHARS and not _STATING_DENSE.search(bare)
    is_question = re.match(_any_of("asking") + r"\b", bare)
    return is_question is not None and not _stating().search(bare) and "," not in bare


def _section(name: str) -> str:
    return word_lists("non_claims")[name].strip()


def _any_of(name: str) -> str:
    expert = _section("expert").replace("\n", "")
    return f"(?:{'|'.join(_section(name).splitlines())})".replace("<expert>", expert)


# Compiled on first use: few answers need them.


@cache
def _courtesy() -> re.Pattern[str]:
    courtesy = _any_of("courtesies")
    return re.compile(rf"{courtesy}(?:[\s,!.–-]+{courtesy}){{0,3}}{_END}")


@cache
def _opening() -> re.Pattern[str]:
    courtesy, opening = _any_of("courtesies"), _any_of("to the reader")
    return re.compile(rf"(?:{courtesy}[\s,!.–-]+)?{opening}")


@cache
def _stating() -> re.Pattern[str]:
    return re.compile(r"\b" + _any_of("stating") + r"\b")


# ---------------------------------------------------------------- sentences that decline

_LONGEST = 300  # characters
_ENDS = " ,.!:;。！，、،।"
_PICTURES = re.compile(r"[\s\u2600-\u27bf\ufe0f\U0001f000-\U0001faff]+$")


@cache
def _regrets() -> tuple[str, ...]:
    return tuple(re.split(r" / |\n", word_lists("declines")["regret"].strip()))


def _bare(statement: str) -> str:
    """A sentence after up to four words of regret, without marks and pictures at its ends."""
    bare = _PICTURES.sub("", plain(statement).replace('"', "")).strip(_ENDS)
    for _ in range(4):
        if not bare.startswith(_regrets()):
            break
        # A word must end there, which scripts without spaces do not show.
        begun = (word for word in _regrets() if bare.startswith(word))
        whole = (w for w in begun if w[-1] > "\u2e80" or not bare[len(w) :][:1].isalnum())
        bare = bare[len(next(whole, "")) :].lstrip(_ENDS)
    return bare


def declines(statement: str) -> bool:
    """Whether one sentence of an answer only declines ("I don't know."), so has nothing to check.

    Cautious: a claim that the context is silent, any thing, name or number, and every further
    clause make it False.
    """
    has_more = any(c.isdigit() or c in "?？؟" for c in statement)
    if len(statement) > _LONGEST or has_more:
        return False
    bare = _bare(statement)
    return any(
        word in bare and compiled(rule).fullmatch(bare)
        for word, rule in pairs(word_lists("declines")["declines"])
    )


def accompanies_decline(statement: str) -> bool:
    """Whether a sentence adds nothing beside one that declines: regret, an offer, thanks.

    The vocabulary is closed, in several languages: a digit, a name or a claim makes it False. A
    sentence that declines by itself is also False.
    """
    if len(statement) > _LONGEST or any(c.isdigit() for c in statement):
        return False
    if not plain(statement).strip(_ENDS):
        return False
    bare = _bare(statement).strip(_ENDS + "?？؟¿")
    return not bare or any(
        compiled(rule).fullmatch(bare) for _, rule in pairs(word_lists("declines")["beside"])
    )


# ---------------------------------------------------------------- numbers and names


def _listed(section: str) -> frozenset[str]:
    return frozenset(word_lists("names")[section].split())


_NUMBER_WORDS = _listed("numbers")
_SENTENCE_STARTERS = _listed("sentence starters")
_POLITE_PRONOUNS = _listed("polite pronouns")
_POLITE_PHRASES = _listed("polite phrases")
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


# ---------------------------------------------------------------- words that two texts share

STEM = 4
"""Letters of a word that count, so that "opens" and "opened" are the same word."""

_WORD = lazy_pattern(rf"[{DENSE}]|\d+|[^\W\d_{DENSE}]+")
_RUN = lazy_pattern(rf"[{DENSE}]+|\d+(?:[.,]\d+)*|[^\W\d_{DENSE}]+")
_COMMON = frozenset(
    """the and are was were has have had its for with that this from not but they them their there
    der die das und ist ein eine les des est une pas los las una del con por che per non sono het
    een van niet""".split()
)


def words_that_count(text: str) -> frozenset[str]:
    """The words of a text, shortened, without the most common ones and those of two letters."""
    return frozenset(
        word[:STEM]
        for word in _WORD.findall(text.casefold())
        if not word.isalpha() or not word.isascii() or (len(word) > 2 and word not in _COMMON)
    )


def search_terms(text: str) -> set[str]:
    """What to search a long text for: words, their first letters, and whole numbers.

    A word and its beginning are two terms, so that "opened" finds "opens", and "opened" before it.
    Where no spaces stand between words, each pair of characters is a term.
    """
    terms: set[str] = set()
    for run in _RUN.findall(text.casefold()):
        if not run.isascii() and _WORD.findall(run) == list(run):
            terms.update(map("".join, pairwise(run)) if len(run) > 1 else run)
        elif run[0].isdecimal():
            terms.add(run.replace(",", "").replace(".", ""))
        elif run not in _COMMON:
            terms.update((run, run[:STEM] + "-") if len(run) > STEM else (run,))
    return terms
