"""Words of numbers, scales, units, money and months, and numbers in words.

"Two hundred and fifty thousand", "fünfundzwanzig", "quatre-vingt-dix".

One reader for English, German, French, Spanish, Italian and Dutch. Words are split into those of
``words/numbers.txt``, which are added or multiplied by their size alone: a text need not say its
language, and may mix several. ``text2num`` must be told the language, takes longer for one than
this for all, and knows neither dozens nor "nineteen eighty-four".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from typing import NamedTuple

from .strings import word_lists


class Unit(NamedTuple):
    """A unit: what it measures, and how many basic units it is."""

    kind: str
    size: float


@cache
def valued(section: str) -> Mapping[str, float]:
    """The words of a section that begins each line with a value."""
    lines = (line.split() for line in word_lists("numbers")[section].splitlines() if line)
    return {word: float(value) for value, *words in lines for word in words}


@cache
def words_of(section: str) -> frozenset[str]:
    return frozenset(word_lists("numbers")[section].split())


@cache
def money() -> Mapping[str, tuple[Unit, ...]]:
    """The signs, codes and words of money, each with the currencies that it may be of."""
    found: dict[str, tuple[Unit, ...]] = {}
    for code, *names in map(str.split, word_lists("numbers")["money"].splitlines()):
        found |= {name: (*found.get(name, ()), Unit(code, 1)) for name in names}
    for name, *codes in map(str.split, word_lists("numbers")["cents"].splitlines()):
        found[name] = tuple(Unit(code, 0.01) for code in codes)
    return found


@lru_cache(maxsize=8192)  # the same words come again and again
def units_of(word: str) -> tuple[Unit, ...]:
    """The units that a sign or word may be: "mW" is one, "MW" another, "mw" may be both."""
    exact, folded = _units()
    plain = word.casefold()
    return exact.get(word) or folded.get(plain, ()) + money().get(plain, ())


@cache
def _units() -> tuple[Mapping[str, tuple[Unit, ...]], Mapping[str, tuple[Unit, ...]]]:
    """The units by their signs, and by signs and words in lower case."""
    exact: dict[str, tuple[Unit, ...]] = {}
    folded: dict[str, tuple[Unit, ...]] = {}
    prefixes = [line.split() for line in word_lists("numbers")["prefixes"].splitlines() if line]
    for line in filter(None, word_lists("numbers")["units"].splitlines()):
        signs, _, words = line.partition("|")
        kind, size, letters, *short = signs.split()
        named = [(name, 1.0) for name in short] + [(f" {name}", 1.0) for name in words.split()]
        for power, *before in prefixes:
            if before[0] in letters:
                named += [(p + s, float(power)) for p in before if len(p) < 3 for s in short]
                long = [p for p in before if len(p) > 2]
                named += [(f" {p}{w}", float(power)) for p in long for w in words.split()]
        for name, factor in named:
            unit = Unit(kind, float(size) * factor)
            if name[0] != " ":
                exact[name] = (*exact.get(name, ()), unit)
            key = name.strip().casefold()
            folded[key] = tuple(dict.fromkeys((*folded.get(key, ()), unit)))
    return exact, {name: them for name, them in folded.items() if len(name) > 1 or name in exact}


# ---------------------------------------------------------------- numbers in words

LONGEST = 100
"""Letters of a word that may be a number."""
SHORTEST, LONGEST_PART = 3, 20
"""Letters of a word that may be a part of another one."""
MOST_WORDS = 20
"""Words of one number."""
JOINERS = ("und", "en", "ën")
"""What joins two parts of a word: "einundzwanzig"."""


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
    if word[:SHORTEST] not in begin or len(word) > LONGEST:
        return ()
    found = _divided(word) or ()
    is_ordinal = any(word.endswith(end) for end in words_of("ordinal ends"))
    return found if len(found) > 1 or is_ordinal else ()


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


class Spelled(NamedTuple):
    """A number in words, as far as it was read.

    Args:
        first, last: which of a text's words it is.
        word: the last one.
        closed, loose: the sum that a scale has closed, and what is open for one.
        before: the "nineteen" of nineteen eighty-four.
        scale: the last one.
    """

    first: int
    last: int
    word: str = ""
    parts: tuple[str, ...] = ()
    closed: float = 0.0
    loose: float = 0.0
    before: float = 0.0
    scale: float = float("inf")

    @property
    def value(self) -> float:
        return self.closed + self.loose + 100 * self.before

    @property
    def sort(self) -> str:
        """What it says: "count", "order" (the third), "share" (a third), or "clock" (noon).

        "loose" mostly means something else (a couple, hundreds), and may be a number.
        """
        part = self.parts[-1]
        is_scale = part in valued("scales") or part in valued("hundreds")
        is_plural = is_scale and self.word.endswith(("s", "ionen", "arden"))
        if part in valued("clock"):
            return "clock"
        if part in valued("worth") or (is_plural and len(self.parts) == 1):
            return "loose"
        if part in valued("fractions") and self.value != int(self.value):
            return "share" if self.value < 1 else "count"
        is_th = not self.word.endswith(part) or (is_scale and self.word.endswith("th"))
        return "order" if is_th or part in valued("ordinals") else "count"


def number_places(words: list[str]) -> list[int]:
    """Which of these words in lower case may be a number, or an article before a unit."""
    articles = words_of("articles")
    known = {word for word in {*words} if word in articles or number_parts(word)}
    return [
        place
        for place, word in enumerate(words)
        if word in known
        and (word not in articles or _is_unit("".join(words[place + 1 : place + 2])))
    ]


def _is_unit(word: str) -> bool:
    return len(word) >= SHORTEST and bool(units_of(word))


def spelled_numbers(words: list[str], gaps: list[str], places: list[int]) -> Iterator[Spelled]:
    """The numbers among words in lower case. Takes linear time.

    Args:
        gaps: what stands before each word and behind the last one.
        places: of the words that may be a number.
    """
    run: Spelled | None = None
    for place in places:
        longer = run and _longer(run, words, gaps, place)
        if run and not longer:
            yield run
        run = longer or _longer(Spelled(place, place - 1), words, gaps, place)
    if run:
        yield run


def _longer(run: Spelled, words: list[str], gaps: list[str], place: int) -> Spelled | None:
    """A number with its next word, or None if that begins another one."""
    between, longer = words[run.last + 1 : place], run
    if run.parts:
        apart = {gap.strip(" -\u00a0") for gap in gaps[run.last + 1 : place + 1]}
        is_scaled = run.parts[-1] in valued("scales") or run.parts[-1] in valued("hundreds")
        if place - run.first > MOST_WORDS or len(between) > 3 or apart - {"", "," * is_scaled}:
            return None
        if words[place] in words_of("articles"):  # half an hour
            return run if run.parts[-1] in valued("fractions") else None
        if not words_of("joiners").issuperset(between):
            return None
    is_one = run.first > 0 and words[run.first - 1] in words_of("articles")
    for at, part in enumerate(number_parts(words[place]) or (words[place],)):
        more = _with(longer, part, bool(between) or at > 0, is_one)
        if not more:
            return None
        longer = more
    return longer._replace(last=place, word=words[place])


def _with(run: Spelled, part: str, is_joined: bool, is_one: bool) -> Spelled | None:
    """A number with the next part of a word, or None if that begins another number.

    Args:
        is_one: whether an article stands before the number.
    """
    size = valued("hundreds").get(part) or valued("scales").get(part)
    share = valued("fractions").get(part)
    names = ("spelled", "ordinals", "worth", "stems", "clock")
    value = next((valued(name)[part] for name in names if part in valued(name)), None)
    closed, loose, before, scale = run.closed, run.loose, run.before, run.scale
    rest = loose % 100
    if size and size < 1000:
        loose = (loose or 1) * size
    elif size and size < scale:
        closed, loose, scale = closed + (loose or 1) * size, 0.0, size
    elif size and loose:
        return None
    elif size:
        closed *= size  # five thousand million
    elif share and (value is None or loose == 1 or (not run.parts and is_one)):
        loose = loose + 1 / share if is_joined and loose else (loose or 1) / share
    elif rest == 4 and part in ("vingt", "vingts"):  # quatre-vingts
        loose += 76
    elif not run.parts or _may_follow(value or 1, rest, is_joined):
        loose += 1 if value is None else value
    elif closed or before or is_joined or not (10 < loose < 22 and 10 <= (value or 0) < 100):
        return None
    else:
        before, loose = loose, value or 0  # nineteen eighty-four
    return run._replace(
        parts=(*run.parts, part), closed=closed, loose=loose, before=before, scale=scale
    )


def _may_follow(value: float, rest: float, is_joined: bool) -> bool:
    """Whether a word below 100 goes on with a number that ends so, and does not begin another."""
    if 0 < rest < 10:
        return is_joined and 20 <= value < 100  # fünf-und-zwanzig
    if rest == 10:
        return 6 <= value < 10  # dix-sept
    # soixante-dix
    return rest == 0 or (rest % 10 == 0 and (value < 10 or (rest in (60, 80) and value < 20)))
