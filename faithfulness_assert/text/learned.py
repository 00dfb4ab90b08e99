"""What a text is, by weights that were learned: talk, silence, or only the name of a topic.

No list of phrases or verbs tells these apart in a dozen languages. So a text is described by
features: its words, their classes in ``words/talk.txt``, pairs of neighbours, its end, how much of
it is unknown, how unknown words begin and end. Their weights (``words/learned_weights.bin``) are
learned from rows that people would label alike (``fixtures/talk.jsonl``, ``declining.jsonl``,
``topics.jsonl``) by ``tools/learn_talk.py``: logistic regressions. A word that no row had weighs
nothing, but counts as unknown, as the words of facts are. So in doubt a text claims something.

To mend a mistake, add rows of its kind, and learn again. Nothing here names a phrase, and there is
no grammar, but closed classes of words of talk between a writer and a reader. A sentence is cut
into parts at its punctuation and before "but", "because" and "if".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from math import log2
from operator import itemgetter
from typing import NamedTuple
from zlib import crc32, decompress

from ..files import open_file
from .phrases import plain
from .strings import DENSE, function_words, lazy_pattern, word_lists, words_in

LONGEST = 400
"""Characters. A longer text says something."""
LONGEST_TOPIC = 200
CLAIM = -80
"""With this score or less a text claims something, whatever stands around it."""
SIZE = 1 << 19
"""Places in each table of weights. Behind them stands the bias."""
UNIT = 4
"""Hundredths: what 1 means in a table."""
TOPIC = 20
"""The score from which on a heading only names a topic."""

MARKS = "*_>#~| "
"""Of markdown, around a sentence."""
_ENDS = "?？؟:：!！.。…"
_CLOSES = " \"'”»)"
_QUESTION = ("?", "？", "؟")
_BEHIND_QUESTION = " .…*_"
"""What careless writers put behind the mark."""
_URL = lazy_pattern(r"\b[a-z]{2,10}://\S{1,2000}$")
_NAME = lazy_pattern(r"(?<!^)(?<![.!?:]\s)\b[A-ZÀ-ÖØ-ÞА-Я]\w+")
_SHAPES = {
    "amount": lazy_pattern(
        r"(?<!\d)(?!(?:19|20)\d\d(?!\d))\d{3}|\d[.,]\d|\d\s?[%‰°€$£¥₩₫₽]|[€$£¥]\s?\d"
    ),
    "labelled": lazy_pattern(r"[:：]\s*\w"),
    "lower": lazy_pattern(r"^[^\W\d_A-Z]"),
}
_LETTER = lazy_pattern(f"[A-Za-zªµº\u00c0-\u024f\u1e00-\u1eff\u0400-\u04ff{DENSE}\uac00-\ud7a3]")
"""Of the scripts of which headings were learned. Others always claim something."""


class Scores(NamedTuple):
    """In hundredths of the logarithm of the odds, above 0 if it is more likely than not."""

    talk: int
    """That a sentence claims nothing."""
    silence: int
    """That it only declines, or stands beside what declines."""


@lru_cache(maxsize=256)
def scores(sentence: str, *, is_item: bool = False) -> Scores:
    """How likely it is that a sentence claims nothing, and that it only declines."""
    of = itemgetter(SIZE, *features(sentence, is_item=is_item))
    return Scores(*[UNIT * sum(of(weights)) for weights in _tables()[:2]])


def is_topic(heading: str) -> bool:
    """Whether a heading, or a cell of a table's header, only names a topic or asks a question."""
    if asks(heading):
        return True
    heading = heading.rstrip(" :：")
    label, _, value = heading.replace("：", ":").partition(":")
    if value and not any(map(str.isdigit, label)):  # "Result: negative", but "Step 2: Setup"
        return False
    letters = [char for char in heading[:LONGEST_TOPIC] if char.isalpha()]
    if not 1 < len(heading) <= LONGEST_TOPIC or not all(map(_LETTER.match, letters)):
        return False
    of = itemgetter(SIZE, *features(heading, is_heading=True))
    return bool(UNIT * sum(of(_tables()[2])) >= TOPIC)


def asks(sentence: str) -> bool:
    """Whether a sentence ends as a question."""
    return sentence.rstrip(_BEHIND_QUESTION).endswith(_QUESTION)


@cache
def _tables() -> tuple[memoryview, ...]:
    """A table of weights for each of what is learned: talk, silence, topic."""
    # A promptfoo assertion may be a fresh process: it does without pathlib.
    with open_file(f"{__file__.removesuffix('learned.py')}words/learned_weights.bin") as file:
        tables = memoryview(decompress(file.read())).cast("b")
    return tuple(tables[start : start + SIZE + 1] for start in range(0, len(tables), SIZE + 1))


# ---------------------------------------------------------------- the features of a sentence


class _Symbol(NamedTuple):
    """The name of a feature. The CRC sum of a pair is that of its first name, continued."""

    crc: int
    behind: bytes
    """The name behind another one."""


def features(sentence: str, *, is_item: bool = False, is_heading: bool = False) -> set[int]:
    """What is so of a sentence, as places in a table. Few features share one.

    ``'word`` is a word; a class of words has no mark. Of a heading also how its words end.
    """
    said = " ".join(sentence.split())[:LONGEST].strip(MARKS)
    said = _URL.sub("URL", said)
    parts = parts_of(said)
    end = "?" if asks(said) else said.rstrip(_CLOSES)[-1:]
    end = end if end in _ENDS else ""
    count = sum(map(len, parts))
    unknown = sum(not word.classes for part in parts for word in part)
    names = [
        f"parts {min(len(parts), 4)}",
        f"words {min(int(log2(count + 1) * 1.5), 7)}",
        f"names {min(len(_NAME.findall(said)), 3)}",
        *(name for name, shape in _SHAPES.items() if shape.search(said)),
    ]
    if is_heading:
        names += _heading_ends([word.text for part in parts for word in part])
    else:
        share = 5 * unknown // max(count, 1)
        names += [f"ends {end}", f"unknown {min(unknown, 9)}", f"share {share}"]
    found = {crc32(name.encode()) for name in (*names, *(["item"] if is_item else []))}
    for place, part in enumerate(parts):
        begins = _named(";") if place else _named("^", f"^{end}")
        closes = _named("$", f"${end}") if place == len(parts) - 1 else _named("$")
        symbols = [begins, *map(_symbols, part), closes]
        found.update([symbol.crc for each in symbols for symbol in each])
        found.update(*map(_edges, part))
        for before, after in pairwise(symbols):
            found.update([crc32(b.behind, a.crc) for a in before for b in after])
    return {crc % SIZE for crc in found}


def _heading_ends(words: Sequence[str]) -> list[str]:
    """How the words of a heading end, and where they stand."""
    found: list[str] = []
    for number, word in enumerate(words):
        place = "^" if number == 0 else "$" if number == len(words) - 1 else "~"
        ends = [f"-{word[-size:]}" for size in (1, 2, 3) if len(word) > size + 1]
        found += [*ends, *[f"{place}{end}" for end in ends]]
    return found


@lru_cache(maxsize=8192)
def _symbols(word: Word) -> tuple[_Symbol, ...]:
    """A word and its classes."""
    classes: Iterable[str] = sorted(word.classes) or ("X",)
    is_number = any(char.isdigit() for char in word.text)
    return _named(*(("#",) if is_number else classes), f"'{word.text}")


@lru_cache(maxsize=8192)
def _edges(word: Word) -> tuple[int, ...]:
    """How an unknown word begins and ends."""
    if word.classes or len(word.text) < 4:
        return ()
    return crc32(f"+{word.text[:4]}".encode()), crc32(f"-{word.text[-3:]}".encode())


@lru_cache(maxsize=64)
def _named(*names: str) -> tuple[_Symbol, ...]:
    return tuple([_Symbol(crc32(name.encode()), f" {name}".encode()) for name in names])


# ---------------------------------------------------------------- words and their classes

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
    text = text.replace("N/A", "unknown").translate(_SIMPLE).replace("–", ";").replace("—", ";")
    text = plain(text).replace("-", " ").replace("'", " ")
    return tuple(words for part in _lexicon().parts.split(text) if (words := _words_of_part(part)))


def _words_of_part(part: str) -> tuple[Word, ...]:
    if part.isascii():  # the other pattern takes long to compile
        return tuple(map(_word, words_in(part)))
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
