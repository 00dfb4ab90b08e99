"""Contexts that we wrote, and statements about them of which it is known whether they are true.

Each file in ``scenes/`` has scenes: a context and a statement of each kind, with slots for names,
dates and numbers, which a seed fills. So a judge that remembers one filling does not know the next.
Where a false statement differs from the context in a word only, it is written ``[true|false]``.

The first letter of a slot says what it is: ``p`` a person, ``t`` a town, ``f`` a firm, ``n`` a
number, ``y`` a year, ``d`` a day, ``h`` a time of day. With an ``x`` behind it, it is a wrong
value: a greater number, another year or day. Any other slot is computed: ``sum`` is ``"n1+n2"``.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from functools import cache
from operator import add, mul, sub
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from ..cases.case import Case
from ..files import read_text
from ..text.strings import sections

FOLDER = Path(__file__).parent / "scenes"
NAMES = "names.json"
FALSE_KINDS, TRUE_KINDS = (
    dict(line.split(": ") for line in kinds.splitlines() if line)
    for kinds in sections(__file__.removesuffix("scenes.py") + "kinds.txt").values()
)
"""The kinds of statements, and what each is."""
KINDS = (*FALSE_KINDS, *TRUE_KINDS)
PER_ASK = 16
SCENES = {False: 60, True: 20}
"""Statements of a kind that are each of another scene, and of those that are held out."""
LONG = 1500
"""So many words, or some more, has the context in the middle of which a probe is asked again."""

_EDIT = re.compile(r"\[([^]|]*)\|([^]|]*)\]")


class Probe(NamedTuple):
    """A context, and statements about it: the kind and the text of each. ``scene``: its name."""

    scene: str
    context: tuple[str, ...]
    statements: tuple[tuple[str, str], ...]

    def case(self, *, reverse: bool = False) -> Case:
        """What is graded: an answer that consists of the statements, in this order or backwards."""
        texts = [text for _, text in self.statements]
        return Case("\n\n".join(reversed(texts) if reverse else texts), self.context)


@cache
def all_scenes() -> tuple[Mapping[str, Any], ...]:
    """All scenes, in the order of their files and within these."""
    files = (path for path in sorted(FOLDER.glob("*.json")) if path.name != NAMES)
    return tuple(scene for path in files for scene in json.loads(read_text(path))["scenes"])


def make_probes(per_kind: int, seed: int, *, held_out: bool = False) -> list[Probe]:
    """So many statements of each kind, ``PER_ASK`` to a context, or fewer in the last one.

    Every context is of another scene, until all scenes have been asked about; so the statements of
    a kind are independent of each other, while there are more scenes than contexts.

    Args:
        seed: decides which scenes are taken, how slots are filled, which kinds stand together, and
            in which order.
        held_out: take the scenes that are kept apart, to see whether a prompt was tuned on others.
    """
    chance = Random(f"probe {seed} {held_out}")  # noqa: S311 - not used for security
    scenes = [scene for scene in all_scenes() if scene.get("held_out", False) is held_out]
    chance.shuffle(scenes)
    left, probes = dict.fromkeys(KINDS, per_kind), list[Probe]()
    asked: dict[str, Counter[str]] = {scene["name"]: Counter() for scene in scenes}
    while any(left.values()):
        scene = scenes[len(probes) % len(scenes)]
        before = asked[scene["name"]]
        # First what was not asked about this scene, then those with most left.
        order = sorted(KINDS, key=lambda kind: (before[kind], -left[kind], chance.random()))
        kinds = [kind for kind in order if left[kind]][:PER_ASK]
        chance.shuffle(kinds)
        probes.append(fill(scene, kinds, chance))
        before.update(kinds)
        for kind in kinds:
            left[kind] -= 1
    return probes


def fill(scene: Mapping[str, Any], kinds: Sequence[str], chance: Random) -> Probe:
    """A context of a scene and its statements of these kinds, with values for the slots."""
    values = filled(scene, _names(), chance)
    false = ((kind, _EDIT.sub(r"\2", scene["statements"][kind])) for kind in kinds)
    statements = tuple((kind, text.format_map(values)) for kind, text in false)
    return Probe(scene["name"], _context(scene, values), statements)


def in_the_middle(probe: Probe, seed: int, *, held_out: bool = False) -> Probe:
    """A probe with passages of other scenes before and behind its own, ``LONG`` words in all.

    They have no name of the probe, so they say nothing about what its statements are about.

    Args:
        seed, held_out: those of the probe, as for ``make_probes``.
    """
    chance = Random(f"middle {seed} {probe.scene}")  # noqa: S311 - not used for security
    words = _words([*probe.context, *(text for _, text in probe.statements)])
    everybody = (name.split() for names in _names().values() for name in names)
    taken = {word for name in everybody if not words.isdisjoint(name) for word in name}
    free = {
        pool: [name for name in names if taken.isdisjoint(name.split())]
        for pool, names in _names().items()
    }
    others = [
        scene
        for scene in all_scenes()
        if scene.get("held_out", False) is held_out and scene["name"] != probe.scene
    ]
    chance.shuffle(others)
    before, behind = list[str](), list[str]()
    for scene in others:
        if len(" ".join([*before, *probe.context, *behind]).split()) >= LONG:
            break
        if taken.isdisjoint(_words(scene["context"])):  # some scenes have names of their own
            side = min(before, behind, key=len)
            side += _context(scene, filled(scene, free, chance))
    return probe._replace(context=(*before, *probe.context, *behind))


def _words(texts: Iterable[str]) -> set[str]:
    return set(re.findall(r"\w+", " ".join(texts)))


def _context(scene: Mapping[str, Any], values: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(passage.format_map(values) for passage in scene["context"])


@cache
def _names() -> Mapping[str, Any]:
    data: Mapping[str, Any] = json.loads(read_text(FOLDER / NAMES))
    return data


# ---------------------------------------------------------------- slots


TRIES = 200
POOLS = {"p": "people", "t": "towns", "f": "firms"}
MONTHS = (
    "January February March April May June July August September October November December".split()
)
ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen".split()
)
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()

_SLOT = re.compile(r"\{(\w+)(?::[^}]*)?\}")
_SIGN = re.compile("([-+*])")
_DIGITS = re.compile(r"\d+")
_SIGNS = {"+": add, "-": sub, "*": mul}


class Name(str):
    """A name; ``{p1:last}`` is its last word."""

    __slots__ = ()

    def __format__(self, form: str) -> str:
        return self.split()[-1] if form == "last" else str(self)


class Number(int):
    """A number; ``{n1:words}`` is in words (below 100), ``{n1:,}`` has commas."""

    def __format__(self, form: str) -> str:
        if form != "words":
            return format(int(self), form)
        tens, ones = divmod(self, 10)
        if self < len(ONES):
            return ONES[self]
        return TENS[tens - 2] + (f"-{ONES[ones]}" if ones else "")


class Day(date):
    """A day, as "14 March 2021"; ``{d1:iso}`` is 2021-03-14, ``{d1:us}`` is March 14, 2021."""

    def __format__(self, form: str) -> str:
        month = MONTHS[self.month - 1]
        if form == "iso":
            return self.isoformat()
        return f"{month} {self.day}, {self.year}" if form else f"{self.day} {month} {self.year}"


class Clock(int):
    """A time in minutes since midnight, as "14:05"; ``{h1:12}`` is "2:05 pm"."""

    def __format__(self, form: str) -> str:
        hours, minutes = divmod(self, 60)
        if form != "12":
            return f"{hours:02}:{minutes:02}"
        return f"{hours % 12 or 12}:{minutes:02} {'am' if hours < 12 else 'pm'}"


def filled(
    scene: Mapping[str, Any], names: Mapping[str, Sequence[str]], chance: Random
) -> dict[str, Any]:
    """A value for each slot of a scene: no two alike, and no wrong one stands in the context."""
    context = " ".join(scene["context"])
    wanted = set(_SLOT.findall(" ".join([context, *scene["statements"].values()])))
    wrong_ones = sorted(slot for slot in wanted if re.fullmatch(r"[nyd]\dx", slot))
    for _ in range(TRIES):
        values = dict[str, Any]()
        for letter, pool in POOLS.items():
            slots = sorted(s for s in wanted if s[0] == letter and s[1:].isdigit())
            drawn = chance.sample(names[pool], len(slots))
            values |= zip(slots, map(Name, drawn), strict=True)
        values |= _drawn(scene["slots"], chance)
        wrong = {slot: _wrong(values[slot[:-1]], slot, chance) for slot in wrong_ones}
        all_values = [*values.values(), *wrong.values()]
        are_apart = len({(type(v), v) for v in all_values}) == len(all_values)
        text = context.format_map(values)
        numbers = set(_DIGITS.findall(text.replace(",", "")))
        if are_apart and all(
            format(value) not in text if isinstance(value, Day) else str(int(value)) not in numbers
            for value in wrong.values()
        ):
            return values | wrong
    raise AssertionError(f"no values for {scene['name']}")  # a test fills every scene


def _drawn(ranges: Mapping[str, Any], chance: Random) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for slot, given in ranges.items():
        if isinstance(given, str):
            continue
        low, high = given
        drawn = chance.randint(low, high)
        if slot[0] == "d":  # from the 13th on, as day and month of an ISO date cannot be confused
            values[slot] = Day(drawn, chance.randint(1, 12), chance.randint(13, 28))
        elif slot[0] == "h":
            values[slot] = Clock(60 * drawn + chance.randrange(5, 60, 5))
        else:
            values[slot] = Number(drawn)
    for slot, given in ranges.items():
        if isinstance(given, str):
            first, sign, second = _SIGN.split(given)
            other = int(second) if second.isdigit() else values[second]
            values[slot] = Number(_SIGNS[sign](values[first], other))
    return values


def _wrong(value: Any, slot: str, chance: Random) -> Any:
    """Another value of the same kind. Numbers are raised: "13 tried" may be said of 15 who did."""
    if slot[0] == "y":
        return Number(value + chance.choice((-1, 1)) * chance.randint(2, 9))
    if slot[0] == "n":
        return Number(value + max(2, round(value * chance.uniform(0.15, 0.6))))
    part = chance.choice(("day", "month", "year"))
    if part == "year":
        return value.replace(year=value.year + chance.choice((-1, 1)) * chance.randint(1, 4))
    others = set(range(1, 13) if part == "month" else range(13, 29)) - {getattr(value, part)}
    return value.replace(**{part: chance.choice(sorted(others))})
