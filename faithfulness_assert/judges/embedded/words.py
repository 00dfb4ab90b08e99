"""What the embedded judge sees in a text: words, numbers, names, and where its sentences end. Nothing of meaning.

Every pattern is linear, and a word is at most 20 letters (longer ones are read as several): no text can make it slow.
"""

from __future__ import annotations

import re

# One letter of these scripts says as much as several of an alphabet (or no spaces part the words): each is a word.
_DENSE = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_INDIC_SIGNS = (
    "\u0900-\u0963\u0966-\u0dff"  # vowel signs of these belong to the word, `\w` leaves them out
)
_ASCII_WORD = re.compile(r"\w{1,20}")
_WORD = rf"[{_DENSE}]|(?:[^\W{_DENSE}]|[{_INDIC_SIGNS}]){{1,20}}"  # compiled on first use: it takes longer than all else that is imported
_NUMBER = re.compile("\\d+(?:[.,\u00a0\u202f]\\d+)*")
_THOUSANDS = re.compile("[,\u00a0\u202f](?=\\d{3}(?!\\d))")
# Three letters before the full stop, so that "Dr. Ada" and "U.S. Army" stay whole. A question claims nothing: it stays with its answer.
_SENTENCE_END = re.compile(r"(?<=\w{3}[.!])\s+|(?<=[。！])")

# [1] [^note] [doc-3] [c1, c2] [1-3], and a raised number after a word or a full stop; [sic], [not], [1969], [1,234], km², 10² are none.
_ID = r"(?:\^[\w-]{1,20}|\d{1,3}|[A-Za-z]{1,10}[-_]?\d{1,6})"
_BRACKET = rf" ?\[(?!\d{{1,3}},\d{{3}}\]){_ID}(?:\s?[-–—,;]\s?{_ID}){{0,20}}\]"
_RAISED = '(?:(?<=[^\\W\\d_]{3})|(?<=[.,;:!?)"”’。]))[¹²³⁰⁴-⁹]{1,3}'
_CITATIONS = rf"(?:{_BRACKET}|{_RAISED})+([.,;:!?。！？]?)"  # compiled on first use
_RAISED_ONES = frozenset("¹²³⁰⁴⁵⁶⁷⁸⁹")


def words(text: str) -> list[str]:
    """The words of ``text``, case-folded, in order."""
    return [word.casefold() for word in _as_written(text)]


def _as_written(text: str) -> list[str]:
    return _ASCII_WORD.findall(text) if text.isascii() else re.findall(_WORD, text)


def spaced(found: list[str]) -> str:
    """Words as one text with a space around each, so that a piece of it knows where a word begins and ends."""
    return f" {' '.join(found)} "


def numbers(text: str) -> list[str]:
    """The numbers of ``text``, alike however they are written: ``1,234`` is ``1234``, ``07`` is ``7``, ``2,5`` is ``2.5``."""
    return [_plain(match) for match in _NUMBER.findall(text)]


def _plain(number: str) -> str:
    if not number.isascii():
        number = "".join(str(int(sign)) if sign.isdecimal() else sign for sign in number)
    return re.sub("[,\u00a0\u202f]", ".", _THOUSANDS.sub("", number)).lstrip("0") or "0"


def names(sentence: str) -> list[str]:
    """The capitalised words of ``sentence`` as they stand there, but its first one; none where nothing is in lower case."""
    if sentence.isupper():
        return []
    return [word for word in _as_written(sentence)[1:] if word[0].isupper() and len(word) > 1]


def sentences(statement: str) -> list[str]:
    """The sentences of ``statement`` that have a word."""
    return [part for part in _SENTENCE_END.split(statement) if _as_written(part)]


def without_citations(text: str) -> str:
    """``text`` without its citation marks. A full stop that stood behind one then stands behind the word."""
    if "[" not in text and (text.isascii() or _RAISED_ONES.isdisjoint(text)):
        return text
    return re.sub(_CITATIONS, r"\1 ", text)
