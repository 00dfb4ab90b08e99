"""What cases of a run have in common: a value of a column, such as ``model``; a statement."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
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
    """The cases with one value of a column. ``graded`` leaves out those that could not be."""

    value: str
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
    """A column with few values: its name, its place in each row of the page, its values as they
    were met, and their slices, that with the lowest rate first.
    """

    name: str
    place: int
    values: list[str]
    slices: list[Slice]


class Slices:
    """Collects what each column of the cases says.

    Memory does not grow with the cases: a column with too many values is given up.
    """

    def __init__(self) -> None:
        self._outcomes: dict[str, dict[str, Counter[str]] | None] = {}  # by column and value
        self._cases = 0

    def add(self, columns: Mapping[str, Any], outcome: str) -> list[int]:
        """Counts a case. Returns the place of its value in each column; -1 for none.

        The list has the columns that are known by now; a later row may have more.
        """
        self._cases += 1
        for name in columns:
            if name not in self._outcomes and len(self._outcomes) < MOST_LOOKED_AT:
                kept = (values for values in self._outcomes.values() if values is not None)
                if sum(values.keys() != {EMPTY} for values in kept) < MOST_COLUMNS:
                    self._outcomes[name] = {}
        return [
            self._place(name, columns[name], outcome) if name in columns else -1
            for name in self._outcomes
        ]

    def _place(self, name: str, value: object, outcome: str) -> int:
        values, text = self._outcomes[name], text_of(value) or EMPTY
        is_value = len(text) <= MAX_CHARS and not isinstance(value, list | Mapping)
        is_one_more = values is not None and len(values) == MOST_VALUES and text not in values
        if values is None or not is_value or is_one_more:
            self._outcomes[name] = None
            return -1
        values.setdefault(text, Counter())[outcome] += 1
        return [*values].index(text)

    def columns(self) -> list[Column]:
        """The columns that divide the cases: they have several values, of which one repeats."""
        columns = []
        for place, (name, values) in enumerate(self._outcomes.items()):
            if values and 1 < len(values) < self._cases:
                slices = [
                    Slice(value, n.total(), n["passed"] + n["failed"], n["passed"])
                    for value, n in values.items()
                ]
                slices.sort(key=lambda s: (1.0 if s.rate is None else s.rate, -s.graded, s.value))
                columns.append(Column(name, place, [*values], slices))
        return columns[:MOST_COLUMNS]


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
        keys = {" ".join(t.casefold().split())[:MOST_CHARS]: (t, label) for t, label in statements}
        for key, (text, label) in keys.items():
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
