"""The values of the slots of a scene: names, numbers, dates and times, drawn by chance.

The first letter of a slot says what it is: ``p`` a person, ``t`` a town, ``f`` a firm, ``n`` a
number, ``y`` a year, ``d`` a day, ``h`` a time of day. With an ``x`` behind it, it is a wrong
value: a greater number, another year or day. Any other slot is computed: ``sum`` is ``"n1+n2"``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from operator import add, mul, sub
from random import Random
from typing import Any

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
_COMPUTED = re.compile(r"(\w+)([-+*])(\w+)")
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


def slots_in(text: str) -> set[str]:
    """The names of the slots of a text."""
    return set(_SLOT.findall(text))


def filled(
    scene: Mapping[str, Any], names: Mapping[str, Sequence[str]], chance: Random
) -> dict[str, Any]:
    """A value for each slot of a scene: no two alike, and no wrong one stands in the context."""
    context = " ".join(scene["context"])
    wanted = slots_in(" ".join([context, *scene["statements"].values()]))
    for _ in range(TRIES):
        values = {**_named(wanted, names, chance), **_drawn(scene["slots"], chance)}
        wrong = {slot: _wrong(values[slot[:-1]], slot, chance) for slot in _wrong_ones(wanted)}
        if _are_apart([*values.values(), *wrong.values()]) and _are_new(wrong, context, values):
            return values | wrong
    raise AssertionError(f"no values for {scene['name']}")  # a test fills every scene


def _wrong_ones(slots: Iterable[str]) -> list[str]:
    return sorted(slot for slot in slots if re.fullmatch(r"[nyd]\dx", slot))


def _named(
    wanted: Iterable[str], names: Mapping[str, Sequence[str]], chance: Random
) -> dict[str, Name]:
    values: dict[str, Name] = {}
    for letter, pool in POOLS.items():
        slots = sorted(slot for slot in wanted if slot[0] == letter and slot[1:].isdigit())
        drawn = chance.sample(names[pool], len(slots))
        values |= {slot: Name(name) for slot, name in zip(slots, drawn, strict=True)}
    return values


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
    computed = {slot: given for slot, given in ranges.items() if isinstance(given, str)}
    return values | {slot: _computed(given, values) for slot, given in computed.items()}


def _computed(given: str, values: Mapping[str, int]) -> Number:
    found = _COMPUTED.fullmatch(given)
    if found is None:
        raise AssertionError(given)
    first, sign, second = found.groups()
    other = int(second) if second.isdigit() else values[second]
    return Number(_SIGNS[sign](values[first], other))


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


def _are_apart(values: Sequence[Any]) -> bool:
    return len({(type(v), v) for v in values}) == len(values)


def _are_new(wrong: Mapping[str, Any], context: str, values: Mapping[str, Any]) -> bool:
    """Whether no wrong number or year is a number of the context, and no wrong day a day of it."""
    numbers = set(_DIGITS.findall(context.format_map(values).replace(",", "")))
    shown = context.format_map(values)
    return all(
        format(value) not in shown if isinstance(value, Day) else str(int(value)) not in numbers
        for value in wrong.values()
    )
