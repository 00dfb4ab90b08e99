"""Whether two runs can be compared at all: a run that was not graded is neither better nor worse.

Each run needs a share of graded cases. What the first run has and the second lacks was not graded
in the second. And the second may not have lost more cases than chance explains: then what it lost
may be what matters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from .paired_tests import FALSE_ALARMS, mcnemar, p_value

if TYPE_CHECKING:
    from .summary import Summary

MIN_GRADED = 0.95
"""The share of cases that must have been graded, by default."""

Quoted = Callable[[str], str]
"""Makes a text from elsewhere harmless where it is shown."""


class Note(NamedTuple):
    """What a reader should know.

    Args:
        text: ours, with ``{}`` for each of the ``quotes``.
        quotes: from results and paths. They must be escaped.
    """

    text: str
    quotes: tuple[str, ...] = ()

    def shown(self, quoted: Quoted) -> str:
        """The text with its quotes, each as ``quoted`` shows it."""
        return self.text.format(*map(quoted, self.quotes))

    @classmethod
    def joined(cls, notes: Iterable[Note], separator: str) -> Note:
        """Several notes as one."""
        parts = list(notes)
        quotes = tuple(quote for note in parts for quote in note.quotes)
        return cls(separator.join(note.text for note in parts), quotes)


def not_comparable(
    names: tuple[str, str],
    summaries: tuple[Summary, Summary],
    min_graded: float,
    *,
    missing: int,
    lost: int,
    gained: int,
) -> Iterator[Note]:
    """Why two runs cannot be compared, the most important reason first; nothing if they can.

    Args:
        names, summaries: of both.
        min_graded: the share of cases, from 0 to 1, that must have been graded in each.
        missing: how many cases of the first the second lacks.
        lost, gained: how many could be graded in the first alone, and in the second alone.
    """
    before, after = summaries
    for name, cases, graded in (
        (names[1], after.cases + missing, after.cases - after.not_graded),
        (names[0], before.cases, before.cases - before.not_graded),
    ):
        if graded < min_graded * cases or not cases:
            wanted = f"at least {min_graded:.1%} are needed (--min-graded)".replace(".0%", "%")
            yield Note(f"only {graded:,} of {cases:,} cases were graded in {{}}, {wanted}", (name,))
    chance = mcnemar(lost, gained)
    if chance <= FALSE_ALARMS / 2:
        what = f"{lost:,} cases that {{}} graded could not be graded in {{}}"
        back = f"{gained:,} the other way round: more than chance explains"
        yield Note(f"{what}, {back} ({p_value(chance)})", names)
