"""The parts of a sentence, and the words of talk between a writer and a reader, by class.

There is no grammar here, but closed classes of words in a dozen languages, in ``words/talk.txt``.
A sentence is cut into parts at its punctuation and before "but", "because" and "if".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import NamedTuple

from .phrases import plain
from .strings import DENSE, function_words, lazy_pattern, word_lists

_PUNCTUATION = (
    r"[\u2600-\u27bf\U0001f000-\U0001faff,;:!?¡¿…()\[\]\"،，。、；：！？।–—]+|\.(?=\s|$)|\s-+\s"
)
_RUN = lazy_pattern(
    rf"([{DENSE}]+)|((?:(?![{DENSE}])[\w\u064b-\u065f\u0900-\u0d7f])+)"
)  # with vowel signs
_HANGUL = "\uac00"
_ARABIC, _THAI = "\u0600", "\u0e00"
"""The first letters of scripts; from Thai on there may be no spaces between words."""
# Chinese as it is written in Taiwan, for words of talk, and Arabic without its vowel signs.
_SIMPLE = str.maketrans(
    "關檔問題資訊無沒對說請謝個這會來們後時為點還給幫內與據實詢閱讀覽總結論詳細節選項標準認識體驗應該將從進樣發現見變難過種類學習經歷處線頁圖書館務員專業協導",
    "关档问题资讯无没对说请谢个这会来们后时为点还给帮内与据实询阅读览总结论详细节选项标准认识体验应该将从进样发现见变难过种类学习经历处线页图书馆务员专业协导",
    "\u064b\u064c\u064d\u064e\u064f\u0650\u0651\u0652",
)


class Word(NamedTuple):
    """A word of a sentence. ``classes`` are its sections in ``words/talk.txt``; often none."""

    text: str
    classes: frozenset[str]

    def is_any(self, *names: str) -> bool:
        return not self.classes.isdisjoint(names)


class _Lexicon(NamedTuple):
    whole: dict[str, frozenset[str]]
    """By words, also by those that are only beginnings or ends, with their hyphen."""
    begun: dict[str, frozenset[str]]
    """By the beginnings of words."""
    ended: dict[str, frozenset[str]]
    """By the ends of words."""
    longest: int
    """Characters of the longest word of the scripts that may put no spaces between words."""
    parts: re.Pattern[str]
    """What divides a sentence."""


@cache
def _lexicon() -> _Lexicon:
    # A promptfoo assertion may be a fresh process, so this takes few steps for each word.
    found: dict[str, frozenset[str]] = {}
    for name, section in {**word_lists("talk"), "small": " ".join(function_words())}.items():
        own = frozenset((name,))
        for word in section.split():
            key = word if word < _ARABIC else word.translate(_SIMPLE)
            found[key] = found[key] | own if key in found else own
    return _Lexicon(
        found,
        {word[:-1]: classes for word, classes in found.items() if word[-1] == "-"},
        {word[1:]: classes for word, classes in found.items() if word[0] == "-"},
        max(len(word) for word in found if word >= _THAI),
        re.compile(
            rf"{_PUNCTUATION}|\s(?=(?:{'|'.join(word_lists('talk')['divides'].split())})\s)"
        ),
    )


@lru_cache(maxsize=8192)
def _word(text: str) -> Word:
    """A word with its classes. At least half of it must be a known beginning; less in Korean."""
    classes = _lexicon().whole.get(text, frozenset[str]())
    least = max(3, len(text) // 2)
    if text[0] >= _HANGUL:
        least = max(1 if len(text) < 8 else 2, len(text) - 7)
    for size in range(least, len(text) + 1):
        classes |= _lexicon().begun.get(text[:size], frozenset())
    for end, names in _lexicon().ended.items():
        classes |= names if text.endswith(end) else frozenset()
    return Word(text, classes)


@lru_cache(maxsize=16)
def parts_of(text: str) -> tuple[tuple[Word, ...], ...]:
    """The words of the parts of a text between its punctuation."""
    text = re.sub("[–—]", ";", text.replace("N/A", "unknown").translate(_SIMPLE))
    text = re.sub("[-']", " ", plain(text))
    return tuple(words for part in _lexicon().parts.split(text) if (words := _words_of_part(part)))


def _words_of_part(part: str) -> tuple[Word, ...]:
    if part.isascii():  # the other pattern takes long to compile
        return tuple(map(_word, re.findall(r"\w+", part)))
    found: list[str] = []
    for dense, run in _RUN.findall(part):
        found += _dense_words(dense) if dense else (run,)
    return tuple(map(_word, found))


def _dense_words(run: str) -> Iterator[str]:
    """The words of a script without spaces: the longest of the lexicon, or a single character."""
    whole, longest, at = _lexicon().whole, _lexicon().longest, 0
    while at < len(run):
        sizes = range(min(longest, len(run) - at), 1, -1)
        size = next((size for size in sizes if run[at : at + size] in whole), 1)
        yield run[at : at + size]
        at += size
