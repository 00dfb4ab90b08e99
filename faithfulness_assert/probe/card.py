"""The card: for each kind of statement how often a judge was wrong, and how sure that is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from math import sqrt
from typing import Any

from ..agreement.document import Document, Table
from ..records.usage import Usage
from ..statistics import exact_interval, lower_limit
from ..text.strings import counted
from .scenes import FALSE_KINDS, KINDS, SCENES, TRUE_KINDS

CHANCE_OF_ANY = 0.05
"""The chance that a judge without blind spots is called blind to anything at all, at most."""
TOLERATED = 0.1
"""A judge is blind to a kind where it is surely wrong more often than this."""
BLOCKS = {
    "False statements: wrong is called supported": FALSE_KINDS,
    "True statements: wrong is called anything else": TRUE_KINDS,
}
HEAD = ("kind", "asked", "wrong", "share", "95 % interval", "surely", "", "what it is")


@dataclass(frozen=True, slots=True)
class KindCard:
    """What a judge said of one kind of statement.

    Args:
        asked: how many it gave a verdict on.
        wrong: how many of them it got wrong: false ones that it called supported (or no claim),
            true ones that it called anything else.
        unanswered: how many have no verdict that can be read. They are in neither number.
    """

    asked: int
    wrong: int
    unanswered: int = 0

    @property
    def is_blind(self) -> bool:
        """Whether it is surely wrong more often than ``TOLERATED`` (all kinds together: 95 %)."""
        return self.limit > TOLERATED

    @property
    def limit(self) -> float:
        """More than this share is wrong, in [0, 1]; with 95 % certainty for all kinds together."""
        return lower_limit(self.wrong, self.asked, CHANCE_OF_ANY / len(KINDS))

    @property
    def interval(self) -> tuple[float, float]:
        """Where the share of wrong ones lies, in [0, 1], with 95 % certainty."""
        return exact_interval(self.wrong, self.asked)

    def to_json(self) -> dict[str, Any]:
        """The numbers, limit and interval in [0, 1], and whether the judge is blind to it."""
        low, high = self.interval
        limits = {"low": low, "high": high, "limit": self.limit, "blind": self.is_blind}
        return {**asdict(self), **limits}


@dataclass(frozen=True, slots=True)
class Repeat:
    """How many verdicts an ask that was made again has, and how many have another label then.

    Statements of one ask hang together: there is no interval.
    """

    compared: int = 0
    changed: int = 0


@dataclass(frozen=True, slots=True)
class Card:
    """What a judge said of statements whose truth is known.

    Args:
        judge: its name.
        kinds: by the name of the kind; first the false ones, then the true ones.
        again: asks that were made again in the same words: noise.
        reversed: the same with the statements in reverse order: noise, and the place of each.
        middle: the same with the context in the middle of a long one, between passages of others:
            noise, and the length.
        failures: why contexts could not be graded, and how many.
        usage, cost: of all asks; ``cost`` is None without prices.
        settings: ``per_kind``, ``draw`` and ``held_out``, with which the same is asked again.
    """

    judge: str
    kinds: Mapping[str, KindCard]
    again: Repeat
    reversed: Repeat
    middle: Repeat
    failures: Mapping[str, int]
    usage: Usage
    cost: float | None
    settings: Mapping[str, Any]

    @property
    def blind(self) -> list[str]:
        """The kinds to which the judge is blind."""
        return [name for name, kind in self.kinds.items() if kind.is_blind]

    @property
    def is_whole(self) -> bool:
        """Whether every statement has a verdict."""
        return not self.failures and not any(kind.unanswered for kind in self.kinds.values())

    def to_json(self) -> dict[str, Any]:
        """The card as JSON."""
        used = {"prompt": self.usage.prompt, "completion": self.usage.completion}
        return {
            "judge": self.judge,
            "kinds": {name: kind.to_json() for name, kind in self.kinds.items()},
            "blind": self.blind,
            "repeated": {
                "same": asdict(self.again),
                "reversed": asdict(self.reversed),
                "middle": asdict(self.middle),
            },
            "failures": dict(self.failures),
            "usage": {**used, "requests": self.usage.num_requests, "cost": self.cost},
            "settings": dict(self.settings),
        }

    def blocks(self) -> Iterator[tuple[str, list[tuple[str, KindCard, str]]]]:
        """Each block: its title, and for each kind its name, what was said, and what it is."""
        for title, words in BLOCKS.items():
            yield title, [(name, self.kinds[name], what) for name, what in words.items()]

    def document(self) -> Document:
        """The card for people. Without a verdict there is only why."""
        title = f"Blind spots of {self.judge}"
        if not any(kind.asked for kind in self.kinds.values()):
            return Document(title, [["No statement has a verdict", *self._ends()]])
        tables = [
            Table(title, HEAD, [_row(*line) for line in block]) for title, block in self.blocks()
        ]
        return Document(title, [*tables, self.notes()])

    def notes(self) -> list[str]:
        """What stands below the tables, a line each."""
        kinds = self.kinds
        # Not even a judge that is always wrong would be found with so few verdicts.
        few = [name for name, n in kinds.items() if not KindCard(n.asked, n.asked).is_blind]
        none = "no kind is known to be wrong more than 10 % of the time"
        none = "not known, of too few verdicts" if len(few) == len(kinds) else none
        lines = [
            f"Blind: {', '.join(self.blind) or none}",
            "Surely: wrong more often than this, with 95 % certainty for all kinds together",
        ]
        if few:
            lines.append(f"Too few verdicts to find a blind spot: {', '.join(few)}")
        for repeat, how, what in (
            (self.again, "in the same words", "noise"),
            (self.reversed, "in reverse order", "the order"),
            (self.middle, "in the middle of a long context", "the other passages"),
        ):
            if repeat.compared:
                noise = self.again.changed * repeat.compared / max(self.again.compared, 1)
                more = repeat.changed > noise + 2 * sqrt(noise + repeat.changed)
                rest = f". So much more than in the same words is due to {what}" if more else ""
                share = f"{repeat.changed / repeat.compared:.1%}{rest}"
                changed = f"{repeat.changed} of {repeat.compared} labels"
                lines.append(f"Asked again {how}, it changed {changed}: {share}")
        reach = "The intervals hold for short texts like the built-in scenes; others may be harder"
        if self.settings["per_kind"] > SCENES[self.settings["held_out"]]:
            reach += ", and there are fewer scenes than statements of a kind"
        return [*lines, reach, *self._ends()]

    def _ends(self) -> Iterator[str]:
        if unanswered := sum(kind.unanswered for kind in self.kinds.values()):
            yield f"Without a verdict: {counted(unanswered, 'statement')} that count nowhere above"
        for reason, count in self.failures.items():
            yield f"Not graded: {counted(count, 'ask')}: {reason}"
        cost = "" if self.cost is None else f", cost {self.cost:,.4f}"
        tokens = f"{self.usage.prompt:,} prompt and {self.usage.completion:,} completion tokens"
        yield f"Used: {self.usage.num_requests} requests, {tokens}{cost}"


def _row(name: str, kind: KindCard, words: str) -> tuple[str, ...]:
    numbers = (name, str(kind.asked), str(kind.wrong))
    if not kind.asked:
        return (*numbers, "-", "-", "-", "no verdict", words)
    low, high = kind.interval
    share, reach = f"{kind.wrong / kind.asked:.0%}", f"{low:.0%} to {high:.0%}"
    surely = f"> {int(100 * kind.limit)}%" if kind.limit >= 0.01 else ""
    return (*numbers, share, reach, surely, "BLIND" if kind.is_blind else "", words)
