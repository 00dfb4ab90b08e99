"""What cases of a run have in common: a value of a column, such as ``model``; a statement."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

from ..statistics import wilson
from ..text.strings import clip
from .results import text_of

MOST_COLUMNS = 8
"""Columns by which cases can be filtered: the first ones that have few values."""
MOST_VALUES = 60
"""Values of such a column. One with more, such as an id, says nothing about groups of cases."""
MOST_LOOKED_AT = 40
"""Columns that are looked at. Hostile rows may each have others."""
MAX_CHARS = 80
EMPTY = "(empty)"
"""The value of an empty cell."""


class Slice(NamedTuple):
    """The cases with one value of a column, and its place among the values as they were met.

    ``graded`` leaves out those that could not be.
    """

    value: str
    place: int
    cases: int
    graded: int
    passed: int

    @property
    def rate(self) -> float | None:
        """The share of the graded cases that passed; None if there are none."""
        return self.passed / self.graded if self.graded else None

    @property
    def interval(self) -> tuple[float, float]:
        """Where the rate of all cases like these lies, with 95 % certainty."""
        return wilson(self.passed, self.graded)


class Column(NamedTuple):
    """A column with few values: its name, its place in each row of the page, and its slices.

    The slice with the lowest rate is first.
    """

    name: str
    place: int
    slices: list[Slice]


class Slices:
    """Collects what each column of the cases says.

    Memory does not grow with the cases: a column with too many values is given up.
    """

    def __init__(self) -> None:
        self._values: dict[str, dict[str, Slice] | None] = {}
        self._cases = 0

    def add(self, columns: Mapping[str, Any], outcome: str) -> list[int]:
        """Counts a case. Returns the place of its value in each column; -1 for none.

        The list has the columns that are known by now; a later row may have more.
        """
        self._cases += 1
        places: dict[str, int] = {}
        for name, value in columns.items():
            if name not in self._values and len(self._values) < MOST_LOOKED_AT:
                kept = (values for values in self._values.values() if values is not None)
                if sum(values.keys() != {EMPTY} for values in kept) < MOST_COLUMNS:
                    self._values[name] = {}
            if name in self._values:
                places[name] = self._place(name, value, outcome)
        return [places.get(name, -1) for name in self._values]

    def _place(self, name: str, value: object, outcome: str) -> int:
        values = self._values[name]
        if values is None:
            return -1
        text = text_of(value) or EMPTY
        is_value = len(text) <= MAX_CHARS and not isinstance(value, list | Mapping)
        if not is_value or (text not in values and len(values) == MOST_VALUES):
            self._values[name] = None
            return -1
        old = values.get(text, Slice(text, len(values), 0, 0, 0))
        graded, passed = outcome != "not_graded", outcome == "passed"
        values[text] = Slice(
            text, old.place, old.cases + 1, old.graded + graded, old.passed + passed
        )
        return old.place

    def columns(self) -> Iterator[Column]:
        """The columns that divide the cases: they have several values, of which one repeats."""
        dividing = (
            Column(name, place, sorted(values.values(), key=_worst_first))
            for place, (name, values) in enumerate(self._values.items())
            if values and 1 < len(values) < self._cases
        )
        return islice(dividing, MOST_COLUMNS)

    def names(self) -> list[list[Any]]:
        """For the page: name, place and values of each such column."""
        return [[c.name, c.place, list(self._values[c.name] or ())] for c in self.columns()]


def _worst_first(part: Slice) -> tuple[float, int, str]:
    return (1.0 if part.rate is None else part.rate, -part.graded, part.value)


# ---------------------------------------------------------------- statements of several answers

MOST_CHARS = 300
MOST_REPEATED = 5


class Repeated(NamedTuple):
    """A statement, the label that it got, and in how many answers it stands."""

    statement: str
    label: str
    answers: int

    @property
    def search(self) -> str:
        """The search that finds these answers."""
        return '"' + self.statement.removesuffix("…") + '"'


class Repeats:
    """Counts statements over cases; upper and lower case and blanks make no difference.

    A text is kept from the second answer on. Before, it is a number: most are said only once.
    """

    def __init__(self) -> None:
        self._once: set[int] = set()
        self._again: dict[str, Repeated] = {}

    def add(self, statements: Iterable[tuple[str, str]]) -> None:
        """Counts the statements of an answer, each with its label."""
        for key, (text, label) in {_key(text): (text, label) for text, label in statements}.items():
            if before := self._again.get(key):
                self._again[key] = before._replace(answers=before.answers + 1)
            elif hash(key) in self._once:
                self._again[key] = Repeated(clip(text, MOST_CHARS), label, 2)
            else:
                self._once.add(hash(key))

    def most(self) -> list[Repeated]:
        """Those that stand in most answers, the most frequent first; no single ones."""
        most_first = sorted(self._again.values(), key=lambda one: (-one.answers, one.statement))
        return most_first[:MOST_REPEATED]


def _key(text: str) -> str:
    return " ".join(text.casefold().split())[:MOST_CHARS]
