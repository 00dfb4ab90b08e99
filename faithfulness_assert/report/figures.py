"""What the overview of a report says: counts, the distribution of scores, the worst statements."""

from __future__ import annotations

import heapq
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from ..batch.summary import Summary
from ..records.model import GraderError
from ..records.result import GradingResult
from ..records.usage import Usage
from .case_view import OUTCOMES, STATUSES, is_inverse, label_of, outcome_of, score_of
from .plain_fields import list_of, mapping_of, number_of, share_of, text_of, whole_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

BINS = 20
MOST_WORST = 5
SEVERITY = ("contradicted", "not_enough_info", "unresolved", "partially_supported")
"""The labels of statements that may be the worst of a run, the worst first."""
QUOTE = 400
"""Characters of a text on the overview."""


class Worst(NamedTuple):
    """A statement that is among the worst of a run, in the order of ``key``."""

    key: tuple[Any, ...]
    case_id: str
    case: int
    statement: int
    label: str
    text: str
    reason: str
    evidence: str
    passage: str
    score: float | None


class Figures:
    """Adds up the results of a run.

    Attributes:
        summary: see ``Summary``.
        inverse: whether the policy inverts scores; then the threshold is for the score before.
        statuses: how many cases have each status.
        errors: how many grader errors are of each kind. ``messages`` has the first of each.
        labels: how many statements have each label.
        scores: how many scores are in each of ``BINS`` equal parts of [0, 1].
        policies, judges, thresholds: how many cases were graded with each.
    """

    def __init__(self, about: Mapping[str, Any]) -> None:
        self.summary = Summary()
        self.labels: Counter[str] = Counter()
        self.scores = [0] * BINS
        self.inverse = mapping_of(about.get("policy")).get("inverse") is True
        self.statuses: Counter[str] = Counter()
        self.errors: Counter[str] = Counter()
        self.messages: dict[str, str] = {}
        self.policies: Counter[str] = Counter()
        self.judges: Counter[str] = Counter()
        self.thresholds: Counter[float] = Counter()
        self._worst: list[tuple[tuple[Any, ...], int, Worst]] = []

    def add(self, record: Mapping[str, Any], case: int) -> float:
        """Counts a result. Returns how bad it is, from 0: lists show the worst cases first.

        ``case`` is its place in the report.
        """
        self.summary.add(plain_result(record))
        verdicts = [mapping_of(verdict) for verdict in list_of(record.get("verdicts"))]
        labels = [label_of(v) for v in verdicts if v.get("repeat_of") is None]
        self.labels.update(label[:60] for label in labels)
        if not verdicts:
            self._add_counts(mapping_of(record.get("counts")))
        score = score_of(record)
        if score is not None:
            self.scores[min(int(score * BINS), BINS - 1)] += 1
        self.statuses[text_of(record.get("status"))[:60] or "unknown"] += 1
        self.inverse |= is_inverse(record)
        self.policies[text_of(record.get("policy"))] += 1
        self.judges[text_of(record.get("judge"))] += 1
        if (threshold := share_of(record.get("threshold"))) is not None:
            self.thresholds[threshold] += 1
        if outcome_of(record) == "not_graded":
            self._add_error(mapping_of(record.get("error")))
        else:
            self._note_worst(record, verdicts, score, case)
        return self._badness(record, labels)

    def _badness(self, record: Mapping[str, Any], labels: Sequence[str]) -> float:
        """Failed cases come before those that were not graded, and those before passed ones."""
        group = 2.0 - OUTCOMES.index(outcome_of(record))
        score = score_of(record)
        lost = 0.0 if score is None else 1 - score
        bad = 2 * labels.count(SEVERITY[0]) + labels.count(SEVERITY[1])
        return round(4 * group + 2 * lost + min(bad, 999) / 1000, 4)

    def _add_error(self, error: Mapping[str, Any]) -> None:
        kind = text_of(error.get("kind"))[:60] or "unknown error"
        self.errors[kind] += 1
        self.messages.setdefault(kind, text_of(error.get("message")))

    def _add_counts(self, counts: Mapping[str, Any]) -> None:
        for name, number in counts.items():
            if count := whole_of(number):
                self.labels[text_of(name)[:60]] += count

    def _note_worst(
        self, record: Mapping[str, Any], verdicts: list[Any], score: float | None, case: int
    ) -> None:
        """Keeps the worst statement of a case, if it is among the worst of all."""
        rated = [
            (SEVERITY.index(label), not verdict.get("evidence"), place)
            for place, verdict in enumerate(verdicts)
            if (label := label_of(verdict)) in SEVERITY and verdict.get("repeat_of") is None
        ]
        if not rated:
            return
        severity, bare, place = min(rated)
        passed = outcome_of(record) == "passed"
        key = (severity, passed, bare, 1.0 if score is None else score, case)
        entry = (tuple(-part for part in key), case)
        if len(self._worst) < MOST_WORST:
            heapq.heappush(
                self._worst, (*entry, _worst(key, record, verdicts[place], case, place, score))
            )
        elif entry > self._worst[0][:2]:
            worst = _worst(key, record, verdicts[place], case, place, score)
            heapq.heapreplace(self._worst, (*entry, worst))

    def worst(self) -> list[Worst]:
        """The worst statements, at most one of each case: the worst first."""
        return sorted((worst for *_, worst in self._worst), key=lambda worst: worst.key)


def _worst(
    key: tuple[Any, ...],
    record: Mapping[str, Any],
    verdict: Mapping[str, Any],
    case: int,
    place: int,
    score: float | None,
) -> Worst:
    evidence = mapping_of(next(iter(list_of(verdict.get("evidence"))), None))
    return Worst(
        key,
        text_of(record.get("case_id")),
        case,
        place,
        label_of(verdict),
        text_of(verdict.get("statement")),
        text_of(verdict.get("reason")),
        text_of(evidence.get("text")),
        text_of(evidence.get("passage")),
        score,
    )


def plain_result(record: Mapping[str, Any]) -> GradingResult:
    """What a ``Summary`` counts of a result, whatever else is wrong with it."""
    score = score_of(record)
    status: Any = text_of(record.get("status"))
    tokens = mapping_of(record.get("tokens_used"))
    counts = mapping_of(mapping_of(record.get("metadata")).get("controls"))
    controls = {name: whole_of(counts.get(name)) or 0 for name in ("asked", "failed", "unanswered")}
    cost = number_of(record.get("cost"))
    outcome = outcome_of(record)
    return GradingResult(
        pass_=outcome == "passed",
        score=score or 0.0,
        defined=score is not None,
        status=status if status in STATUSES else "unknown",  # type: ignore[arg-type]
        reason=None,
        threshold=0.0,
        policy="",
        error=GraderError("input", "") if outcome == "not_graded" else None,
        tokens_used=Usage(
            **{n: tokens.get(n, 0) for n in ("prompt", "completion", "num_requests")},
            estimated=tokens.get("estimated") is True,
        ),
        cost=cost if cost is not None and cost >= 0 else None,
        metadata={"controls": controls} if any(controls.values()) else {},
    )
