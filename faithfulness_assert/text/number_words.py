"""Words of numbers, scales, units, money and months, and numbers in words.

"Two hundred and fifty thousand", "fünfundzwanzig", "quatre-vingt-dix".

One reader for English, German, French, Spanish, Italian and Dutch. Words are split into those of
``words/numbers.txt``, which are added or multiplied by their size alone: a text need not say its
language, and may mix several. ``text2num`` must be told the language, takes longer for one than
this for all, and knows neither dozens nor "nineteen eighty-four".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache, partial
from itertools import accumulate, compress, product
from typing import Literal, NamedTuple

from .strings import lazy_pattern, word_lists, word_set

SHORTEST, LONGEST_PART, LONGEST = 3, 20, 100
"""Letters of a part of a longer word, and of a word."""
SHORTEST_JOINED = 6
"""Letters of a word that consists of several: "Seite" is no sixth."""
MOST_WORDS = 20
"""Words of one number."""
JOINERS = ("und", "en", "ën")
"""What joins two parts of a word: "einundzwanzig"."""
_WORDS = lazy_pattern(r"([^\W_0-9]+)")
_LETTERS = bytes(code if chr(code).isalpha() else 32 for code in range(128)).lower().ljust(256)

CHINESE = lazy_pattern("[零〇一二三四五六七八九两兩十百千万萬亿億]{1,12}")
_SIZES = {"亿億": 1e8, "万萬": 1e4, "千": 1e3, "百": 1e2, "十": 10.0}
_CHINESE_DIGITS = str.maketrans("零〇一二三四五六七八九两兩", "0012345678922")

Sort = Literal["count", "order", "share", "clock", "loose"]
"""Six, the third, a third, noon, and what mostly says something else: hundreds."""


class Unit(NamedTuple):
    """A unit: what it measures, or a currency in capitals, how many basic units it is, its zero."""

    kind: str
    size: float
    zero: float = 0.0


words_of = partial(word_set, "numbers")


@cache
def valued(section: str) -> Mapping[str, float]:
    """The words of a section that begins each line with a value."""
    lines = (line.split() for line in word_lists("numbers")[section].splitlines() if line)
    return {word: float(value) for value, *words in lines for word in words}


@lru_cache(maxsize=8192)  # the same words come again and again
def units_of(word: str) -> tuple[Unit, ...]:
    """The units that a sign or word may be: "mW" is one, "MW" another, "mw" may be both."""
    exact, folded = _units()
    return exact.get(word) or folded.get(word.casefold(), ())


def money_of(word: str) -> tuple[Unit, ...]:
    """The currencies that a sign, code or word may be of."""
    return tuple(unit for unit in units_of(word) if unit.kind.isupper())


def unit_names() -> Iterable[str]:
    """The signs and words of all units, in lower case."""
    return {*map(str.casefold, _units()[0]), *_units()[1]}


@cache
def _units() -> tuple[Mapping[str, tuple[Unit, ...]], Mapping[str, tuple[Unit, ...]]]:
    """The units by their signs, and by signs and words in lower case."""
    exact, folded = dict[str, dict[Unit, None]](), dict[str, dict[Unit, None]]()
    sections = word_lists("numbers")
    prefixes = [["1", ""], *map(str.split, sections["prefixes"].strip().splitlines())]
    for line in sections["units"].strip().splitlines():
        (kind, size, letters, *signs), words = (part.split() for part in line.split("|"))
        for factor, *names in (prefix for prefix in prefixes if prefix[1] in letters):
            of, zero = float(size.partition(":")[0]) * float(factor), size.partition(":")[2]
            made = {"": Unit(kind, of, float(zero or 0))}
            if kind == "length":
                made |= dict.fromkeys(("2", "²", "^2"), Unit("area", of**2))
                made |= dict.fromkeys(("3", "³", "^3"), Unit("volume", of**3 * 1000))
            for prefix, word in product(names, signs + words):
                for end, unit in made.items():
                    if word in signs:
                        exact.setdefault(f"{prefix}{word}{end}", {})[unit] = None
                    folded.setdefault(f"{prefix}{word}".casefold() + end, {})[unit] = None
    known = {name: units for name, units in folded.items() if len(name) > 1 or name in exact}
    by_sign, by_name = ({name: (*units,) for name, units in of.items()} for of in (exact, known))
    return by_sign, by_name


# ---------------------------------------------------------------- numbers in words


def chinese(word: str) -> float:
    """The value of a Chinese numeral: 十二, 三万五千, 二〇二四."""
    for signs, size in _SIZES.items():
        for sign in signs:
            if sign in word:
                many, _, rest = word.rpartition(sign)
                return (chinese(many) if many else 1) * size + (chinese(rest) if rest else 0)
    return float(word.translate(_CHINESE_DIGITS))


class _Spelled(NamedTuple):
    """A number in words, as far as it was read: which of a text's words it is, and its parts.

    Each part of a word has with it whether something joins it to the one before.
    """

    first: int
    last: int
    word: str
    parts: tuple[tuple[str, bool], ...]
    value: float


def spelled_numbers(text: str) -> Iterator[tuple[int, int, float, Sort]]:
    """Where each number in words begins and ends, its value, and what it says. In linear time."""
    if text.isascii():  # thirty times as fast as a pattern
        words = text.encode().translate(_LETTERS).decode().split()
    else:
        words = " ".join(_WORDS.findall(text)).casefold().split()
        for found in CHINESE.finditer(text):
            yield *found.span(), chinese(found[0]), "count"
    known = {*filter(number_parts, {*words})}
    marked = known | words_of("articles")
    likely = compress(range(len(words)), map(marked.__contains__, words))
    behind = [*words[1:], ""]
    places = [n for n in likely if words[n] in known or (behind[n][2:] and units_of(behind[n]))]
    if not places:
        return
    pieces = _WORDS.split(text)
    starts, gaps = [0, *accumulate(map(len, pieces))], pieces[0::2]
    runs = list[_Spelled]()
    for place in places:
        if runs and (longer := _longer(runs[-1], words, gaps, place)):
            runs[-1] = longer
        elif begun := _longer(_Spelled(place, place - 1, "", (), 0.0), words, gaps, place):
            runs.append(begun)
    for run in runs:
        yield starts[2 * run.first + 1], starts[2 * run.last + 2], run.value, _sort_of(run)


def _longer(run: _Spelled, words: list[str], gaps: list[str], place: int) -> _Spelled | None:
    """A number with its next word, or None if that begins another one."""
    word, between, is_begun = words[place], words[run.last + 1 : place], run.parts != ()
    if is_begun:
        last = run.parts[-1][0]
        apart = {gap.strip(" -\u00a0") for gap in gaps[run.last + 1 : place + 1]}
        may_have = {"", "," if last in valued("scales") or last in valued("hundreds") else ""}
        if place - run.first > MOST_WORDS or len(between) > 3 or apart - may_have:
            return None
        if word in words_of("articles"):  # half an hour
            return run if last in valued("fractions") and not between else None
        if not words_of("joiners").issuperset(between):
            return None
    more = ((part, bool(between) or n > 0) for n, part in enumerate(number_parts(word) or (word,)))
    parts = (*run.parts, *more)
    is_one = run.first > 0 and words[run.first - 1] in words_of("articles")
    value = _value_of(parts, is_one)
    return None if value is None else _Spelled(run.first, place, word, parts, value)


def _value_of(parts: Iterable[tuple[str, bool]], is_one: bool) -> float | None:
    """The value of these parts, or None if they are more than one number.

    Args:
        is_one: whether an article stands before them.
    """
    # The sum that a scale has closed, what is open for one, and the last scale.
    closed, rest, scale = 0.0, 0.0, float("inf")
    for place, (part, is_joined) in enumerate(parts):
        size = valued("hundreds").get(part) or valued("scales").get(part)
        share, value = valued("fractions").get(part), _values().get(part)
        if size and size < 1000:
            rest = (rest or 1) * size
        elif size and size < scale:
            closed, rest, scale = closed + (rest or 1) * size, 0.0, size
        elif size and rest:
            return None
        elif size:
            closed *= size  # five thousand million
        elif share and (value is None or rest == 1 or (place == 0 and is_one)):
            rest = rest + 1 / share if is_joined and rest else (rest or 1) / share
        elif rest % 100 == 4 and part in ("vingt", "vingts"):  # quatre-vingts
            rest += 76
        elif place == 0 or _may_follow(value or 1, rest % 100, is_joined):
            rest += 1 if value is None else value
        elif closed or is_joined or not (10 < rest < 22 and 10 <= (value or 0) < 100):
            return None
        else:
            closed, rest = 100 * rest, value or 0  # nineteen eighty-four
    return closed + rest


def _may_follow(value: float, rest: float, is_joined: bool) -> bool:
    """Whether a word below 100 goes on with a number that ends so, and does not begin another."""
    if 0 < rest < 10:
        return is_joined and 20 <= value < 100  # fünf-und-zwanzig
    if rest == 10:
        return 6 <= value < 10  # dix-sept
    # soixante-dix
    return rest == 0 or (rest % 10 == 0 and (value < 10 or (rest in (60, 80) and value < 20)))


def _sort_of(run: _Spelled) -> Sort:
    part, value = run.parts[-1][0], run.value
    is_scale = part in valued("scales") or part in valued("hundreds")
    is_plural = is_scale and run.word.endswith(("s", "ionen", "arden"))
    if part in valued("clock"):
        return "clock"
    if part in valued("worth") or (is_plural and run.word == part and run.first == run.last):
        return "loose"
    if part in valued("fractions") and value != int(value):
        return "share" if value < 1 else "count"
    is_th = not run.word.endswith(part) or (is_scale and run.word.endswith("th"))
    return "order" if is_th or part in valued("ordinals") else "count"


@cache
def _values() -> Mapping[str, float]:
    """The words that are numbers, with their values."""
    names = ("clock", "stems", "worth", "ordinals", "spelled")
    return {word: value for name in names for word, value in valued(name).items()}


@cache
def _known() -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """The words that are numbers, the parts of longer ones, and how these begin."""
    names = ("fractions", "scales", "hundreds", "worth", "ordinals", "spelled", "clock")
    simple = {word for name in names for word in valued(name) if len(word) > 1}
    parts = {word for word in simple if len(word) >= SHORTEST}.union(valued("stems"))
    begin = frozenset(word[:SHORTEST] for word in parts | simple)
    return frozenset(simple), frozenset(parts.union(JOINERS)), begin


@lru_cache(maxsize=8192)  # the same words come again and again
def number_parts(word: str) -> tuple[str, ...]:
    """The words of numbers of which a word in lower case consists, or ()."""
    simple, _, begin = _known()
    if word in simple:
        return (word,)
    if word[:SHORTEST] not in begin or not SHORTEST_JOINED <= len(word) <= LONGEST:
        return ()
    found = _divided(word) or ()
    return found if len(found) > 1 or word.endswith((*words_of("ordinal ends"),)) else ()


@lru_cache(maxsize=8192)
def _divided(rest: str) -> tuple[str, ...] | None:
    """The parts of the rest of a word, the longest one first; None if it is no number."""
    if not rest or rest in words_of("ordinal ends"):
        return ()
    for end in range(min(len(rest), LONGEST_PART), 1, -1):
        part = rest[:end]
        if part in _known()[1] and (behind := _divided(rest[end:])) is not None:
            return behind if part in JOINERS else (part, *behind)
    return None
