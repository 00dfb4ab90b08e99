"""What the overview of a report says: counts, the distribution of scores, the worst statements."""

from __future__ import annotations

import heapq
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from ..batch.summary import Summary
from .case_view import OUTCOME_NAMES, label_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..records.model import Evidence, Verdict
    from .record import Record

BINS = 20
MOST_WORST = 5
MAX_NAME = 60
SEVERITY = ("contradicted", "not_enough_info", "unresolved", "partially_supported")
"""The labels of statements that may be the worst of a run, the worst first."""


class Worst(NamedTuple):
    """A statement that is among the worst of a run, in the order of ``key``.

    ``case`` is the place of its case in the report, ``place`` its own in the case.
    """

    key: tuple[Any, ...]
    record: Record
    case: int
    place: int

    @property
    def verdict(self) -> Verdict:
        """What was said of it."""
        return self.record.result.verdicts[self.place]

    @property
    def evidence(self) -> Evidence | None:
        """The first sentence that the judge points at."""
        return next(iter(self.verdict.evidence), None)


class Figures:
    """Adds up the results of a run.

    Attributes:
        summary: see ``Summary``.
        inverse: whether the policy inverts scores; then the threshold is for the score before.
        errors: how many grader errors are of each kind. ``messages`` has the first of each.
        statuses, labels: how many cases have each status, and statements each label.
        scores: how many scores are in each of ``BINS`` equal parts of [0, 1].
        policies, judges, thresholds: how many cases were graded with each.
    """

    def __init__(self, *, inverse: bool = False) -> None:
        self.summary, self.inverse = Summary(), inverse
        self.scores = [0] * BINS
        self.labels: Counter[str] = Counter()
        self.statuses: Counter[str] = Counter()
        self.errors: Counter[str] = Counter()
        self.messages: dict[str, str] = {}
        self.policies: Counter[str] = Counter()
        self.judges: Counter[str] = Counter()
        self.thresholds: Counter[float] = Counter()
        self._worst: list[tuple[tuple[Any, ...], Worst]] = []

    def add(self, record: Record, case: int) -> float:
        """Counts a result. Returns how bad it is, from 0: lists show the worst cases first.

        ``case`` is its place in the report.
        """
        result = record.result
        self.summary.add(result)
        labels = [label_of(v) for v in result.verdicts if v.repeat_of is None]
        self.labels.update(label[:MAX_NAME] for label in labels)
        if not result.verdicts:
            self.labels.update({name[:MAX_NAME]: n for name, n in result.counts.items()})
        if record.score is not None:
            self.scores[min(int(record.score * BINS), BINS - 1)] += 1
        self.statuses[result.status[:MAX_NAME]] += 1
        self.inverse |= result.metadata.get("inverse") is True
        self.policies[result.policy] += 1
        self.judges[result.judge] += 1
        if record.threshold is not None:
            self.thresholds[record.threshold] += 1
        if result.error:
            kind = result.error.kind[:MAX_NAME] or "unknown error"
            self.errors[kind] += 1
            self.messages.setdefault(kind, result.error.message)
        else:
            self._note_worst(record, case)
        return _badness(record, labels)

    def _note_worst(self, record: Record, case: int) -> None:
        """Keeps the worst statement of a case, if it is among the worst of all."""
        rated = [
            (SEVERITY.index(label), not verdict.evidence, place)
            for place, verdict in enumerate(record.result.verdicts)
            if (label := label_of(verdict)) in SEVERITY and verdict.repeat_of is None
        ]
        if not rated:
            return
        severity, bare, place = min(rated)
        score = 1.0 if record.score is None else record.score
        key = (severity, record.result.pass_, bare, score, case)
        entry = (tuple(-part for part in key), Worst(key, record, case, place))
        if len(self._worst) < MOST_WORST:
            heapq.heappush(self._worst, entry)
        else:
            heapq.heappushpop(self._worst, entry)

    def worst(self) -> list[Worst]:
        """The worst statements, at most one of each case: the worst first."""
        return sorted((worst for _, worst in self._worst), key=lambda worst: worst.key)


def _badness(record: Record, labels: Sequence[str]) -> float:
    """Failed cases come before those that were not graded, and those before passed ones."""
    group = 2.0 - OUTCOME_NAMES.index(record.outcome)
    lost = 0.0 if record.score is None else 1 - record.score
    bad = 2 * labels.count(SEVERITY[0]) + labels.count(SEVERITY[1])
    return round(4 * group + 2 * lost + min(bad, 999) / 1000, 4)
