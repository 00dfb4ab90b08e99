"""Words of numbers, scales, units, money and months, and numbers in words.

"Two hundred and fifty thousand", "fünfundzwanzig", "quatre-vingt-dix".

One reader for English, German, French, Spanish, Italian and Dutch. Words are split into those of
``words/numbers.txt``, which are added or multiplied by their size alone: a text need not say its
language, and may mix several.
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
def currencies() -> Mapping[str, Mapping[str, float]]:
    """The signs, codes and words of money, each with the currencies that it may be of.

    The values are how much of the currency it is: of cents a hundredth.
    """
    found: dict[str, dict[str, float]] = {}
    for code, *names in map(str.split, word_lists("numbers")["money"].splitlines()):
        for name in names:
            found.setdefault(name, {})[code] = 1
    for name, *codes in map(str.split, word_lists("numbers")["cents"].splitlines()):
        found[name] = dict.fromkeys(codes, 0.01)
    return found


def units_of(word: str) -> tuple[Unit, ...]:
    """The units that a sign or word may be: "mW" is one, "MW" another, "mw" may be both."""
    exact, folded = _units()
    return exact.get(word) or folded.get(word.casefold(), ())


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
SHORTEST = 3
"""Letters of a word that may be a part of another one."""
MOST_WORDS = 20
"""Words of one number."""
JOINERS = ("und", "en", "ën")
"""What joins two parts of a word: "einundzwanzig"."""


@lru_cache(maxsize=8192)  # the same words come again and again
def number_parts(word: str) -> tuple[str, ...]:
    """The words of numbers of which a word in lower case consists, or ()."""
    if word in _simple():
        return (word,)
    if len(word) > LONGEST or word[:SHORTEST] not in _beginnings():
        return ()
    # What each rest of the word consists of, the shortest rest first.
    rests: dict[int, tuple[str, ...]] = {len(word): ()}
    rests |= {len(word) - len(end): () for end in words_of("ordinal ends") if word.endswith(end)}
    is_ordinal = len(rests) > 1
    for start in range(len(word) - SHORTEST, -1, -1):
        for end in range(len(word), start + 1, -1):
            part = word[start:end]
            if end in rests and part in _parts():
                rests[start] = (part, *rests[end]) if part not in JOINERS else rests[end]
                break
    found = rests.get(0, ())
    return found if len(found) > 1 or is_ordinal else ()


@cache
def _simple() -> frozenset[str]:
    """The words that are numbers."""
    sections = ("fractions", "scales", "hundreds", "worth", "ordinals", "spelled", "clock")
    return frozenset(word for name in sections for word in valued(name) if len(word) > 1)


@cache
def _parts() -> frozenset[str]:
    """The words of numbers inside other words, and what joins them."""
    words = (word for word in _simple() if len(word) >= SHORTEST)
    return frozenset([*words, *valued("stems"), *JOINERS])


@cache
def _beginnings() -> frozenset[str]:
    return frozenset(word[:SHORTEST] for word in _parts().union(_simple()) - {*JOINERS})


class Spelled(NamedTuple):
    """A number in words: which of a text's words it is, its value, and its sort.

    Args:
        sort: "count", "order" (the third), "share" (a third), "clock" (noon), or "loose": what
            mostly means something else (a couple, hundreds), and may be a number.
    """

    first: int
    last: int
    value: float
    sort: str


def spelled_numbers(words: list[str], gaps: list[str]) -> Iterator[Spelled]:
    """The numbers among words in lower case. Takes linear time.

    Args:
        gaps: what stands before each word and behind the last one.
    """
    known = {word for word in {*words} if word in words_of("articles") or number_parts(word)}
    run: _Run | None = None
    for place in [place for place, word in enumerate(words) if word in known]:
        if words[place] in words_of("articles"):
            behind = "".join(words[place + 1 : place + 2])
            if len(behind) < SHORTEST or not units_of(behind):
                continue
        if run is None or not run.takes(words, gaps, place):
            if run is not None:
                yield run.found(words)
            run = _Run(words, place)
    if run is not None:
        yield run.found(words)


class _Run:
    """The words of one number, as far as they were read: what a scale has closed, what is open."""

    def __init__(self, words: list[str], place: int) -> None:
        self.first = self.last = place
        self.closed = self.open = self.before = 0.0
        self.scale = float("inf")
        self.parts: list[str] = []
        self.is_one = words[max(place - 1, 0)] in words_of("articles")
        for part in number_parts(words[place]) or (words[place],):
            self._add(part, is_joined=bool(self.parts))

    def takes(self, words: list[str], gaps: list[str], place: int) -> bool:
        """Whether the next word of a number goes on with this one."""
        between = words[self.last + 1 : place]
        apart = {gap.strip(" -\u00a0") for gap in gaps[self.last + 1 : place + 1]}
        is_scaled = self.parts[-1] in valued("scales") or self.parts[-1] in valued("hundreds")
        if place - self.first > MOST_WORDS or len(between) > 3 or apart - {"", "," * is_scaled}:
            return False
        if words[place] in words_of("articles"):  # half an hour
            return self.parts[-1] in valued("fractions")
        if not words_of("joiners").issuperset(between):
            return False
        kept = self.closed, self.open, self.before, self.scale, len(self.parts)
        for at, part in enumerate(number_parts(words[place])):
            if not self._add(part, is_joined=bool(between) or at > 0):
                self.closed, self.open, self.before, self.scale, size = kept
                del self.parts[size:]
                return False
        self.last = place
        return True

    def _add(self, part: str, *, is_joined: bool) -> bool:
        """Adds a part of a word; False if that begins another number."""
        scale = valued("hundreds").get(part) or valued("scales").get(part)
        share = valued("fractions").get(part)
        names = ("spelled", "ordinals", "worth", "stems", "clock")
        value = next((valued(name)[part] for name in names if part in valued(name)), None)
        is_first = not self.parts
        self.parts.append(part)
        if scale:
            return self._multiply(scale)
        if share and (value is None or self.open == 1 or (is_first and self.is_one)):
            add = is_joined and self.open
            self.open = self.open + 1 / share if add else (self.open or 1) / share
        elif self.open % 100 == 4 and part in ("vingt", "vingts"):  # quatre-vingts
            self.open += 76
        elif is_first or _may_follow(value or 1, self.open, is_joined):
            self.open += 1 if value is None else value
        elif not (self.closed or self.before or is_joined) and 10 < self.open < 22:
            self.before, self.open = self.open, value or 0  # nineteen eighty-four
            return 10 <= self.open < 100
        else:
            return False
        return True

    def _multiply(self, scale: float) -> bool:
        if scale < 1000:
            self.open = (self.open or 1) * scale
        elif scale < self.scale:
            self.closed, self.open = self.closed + (self.open or 1) * scale, 0.0
            self.scale = scale
        elif self.open:
            return False
        else:
            self.closed *= scale  # five thousand million
        return True

    def found(self, words: list[str]) -> Spelled:
        value = self.closed + self.open + 100 * self.before
        word, part = words[self.last], self.parts[-1]
        is_scale = part in valued("scales") or part in valued("hundreds")
        if part in valued("clock"):
            sort = "clock"
        elif part in valued("worth") or (
            is_scale and len(self.parts) == 1 and word.endswith(("s", "ionen", "arden"))
        ):
            sort = "loose"
        elif part in valued("fractions") and value != int(value):
            sort = "share" if value < 1 else "count"
        elif (
            part in valued("ordinals")
            or not word.endswith(part)
            or (is_scale and word.endswith("th"))
        ):
            sort = "order"
        else:
            sort = "count"
        return Spelled(self.first, self.last, value, sort)


def _may_follow(value: float, open_: float, is_joined: bool) -> bool:
    """Whether a word below 100 goes on with a number, and does not begin another."""
    rest = open_ % 100
    if rest == 0:
        return True
    if rest < 10:
        return is_joined and 20 <= value < 100  # fünf-und-zwanzig
    if rest == 10:
        return 6 <= value < 10  # dix-sept
    return rest % 10 == 0 and (value < 10 or (rest in (60, 80) and value < 20))  # soixante-dix
