"""Two judges side by side: on which kinds one is surely better, by the same statements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..batch.paired_tests import holm, mcnemar
from ..records.errors import ConfigError
from .card import Card, escaped, markdown_table

LEVEL = 0.05
"""The chance that two judges that are as good are told apart on any kind, at most."""
HEAD = ("kind", "both asked", "A wrong", "B wrong", "only A", "only B", "p (Holm)", "")


@dataclass(frozen=True, slots=True)
class Paired:
    """What two judges said of the same statements of a kind.

    Args:
        both: statements on which both gave a verdict.
        first, second: how many of these each got wrong.
        only_first, only_second: how many it got wrong alone.
        p: of McNemar's exact test (1947), two-sided, with Holm's correction (1979) for all kinds.
    """

    both: int
    first: int
    second: int
    only_first: int
    only_second: int
    p: float = 1.0

    @property
    def better(self) -> str:
        """``"A"`` or ``"B"`` where one is surely better, else ``""``."""
        if self.p > LEVEL:
            return ""
        return "A" if self.only_first < self.only_second else "B"


@dataclass(frozen=True, slots=True)
class Comparison:
    """The cards of two judges, and a test for each kind."""

    first: Card
    second: Card
    kinds: Mapping[str, Paired]

    def to_json(self) -> dict[str, Any]:
        """Both cards, and for each kind the numbers of the test."""
        kinds = {
            name: {
                "both": pair.both,
                "a_wrong": pair.first,
                "b_wrong": pair.second,
                "only_a": pair.only_first,
                "only_b": pair.only_second,
                "p": pair.p,
                "better": pair.better,
            }
            for name, pair in self.kinds.items()
        }
        return {"a": self.first.to_json(), "b": self.second.to_json(), "kinds": kinds}

    def rows(self) -> list[tuple[str, ...]]:
        """The table under ``HEAD``."""
        return [
            (
                *(name, str(pair.both), str(pair.first), str(pair.second)),
                *(str(pair.only_first), str(pair.only_second), f"{pair.p:.3f}"),
                f"{pair.better} is better" if pair.better else "",
            )
            for name, pair in self.kinds.items()
        ]

    def title(self) -> str:
        """What is compared."""
        return f"A: {self.first.judge}, B: {self.second.judge}"

    def note(self) -> str:
        """What the test says."""
        told = (f"{pair.better} on {name}" for name, pair in self.kinds.items() if pair.better)
        return f"Better: {', '.join(told) or 'none of the two is surely better on any kind'}"

    def to_markdown(self) -> str:
        """Both cards and the comparison as Markdown."""
        lines = [f"# {escaped(self.title())}", "", *markdown_table(HEAD, self.rows())]
        lines += ["", f"- {escaped(self.note())}", ""]
        return "\n".join(lines) + "\n" + self.first.to_markdown() + "\n" + self.second.to_markdown()


def compare_cards(first: Card, second: Card) -> Comparison:
    """Compares two judges statement by statement.

    Raises:
        ConfigError: they were asked about other statements.
    """
    if first.settings != second.settings:
        problem = "the two judges were asked about other statements"
        raise ConfigError(f"cards: {problem}; probe both with the same per_kind, draw and held_out")
    pairs = [_paired(kind, first, second) for kind in first.kinds]
    ps = holm([pair.p for pair in pairs])
    corrected = (replace(pair, p=p) for pair, p in zip(pairs, ps, strict=True))
    return Comparison(first, second, dict(zip(first.kinds, corrected, strict=True)))


def _paired(kind: str, first: Card, second: Card) -> Paired:
    shared = [key for key in first.outcomes if key[1] == kind and key in second.outcomes]
    one = [first.outcomes[key] for key in shared]
    other = [second.outcomes[key] for key in shared]
    only_first = sum(a and not b for a, b in zip(one, other, strict=True))
    only_second = sum(b and not a for a, b in zip(one, other, strict=True))
    tails = mcnemar(only_first, only_second), mcnemar(only_second, only_first)
    p = min(1.0, 2 * min(tails))
    return Paired(len(shared), sum(one), sum(other), only_first, only_second, p)
