"""What the overview of a report says: counts, the distribution of scores, the worst statements.

The templates in ``assets/`` read these objects, and draw the charts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..batch.comparison import Comparison
from ..batch.comparison_views import KIND_WORDS, rows_of, verdict_of
from ..batch.store import not_finished
from ..batch.summary import Summary
from ..records.model import Verdict
from ..records.result_list import badness, controls_in_words
from ..statistics import FALSE_ALARMS, p_value
from ..text.strings import clip
from .case_view import label_of
from .groups import Repeats, Slices
from .results import NO_TEXTS, Record, Results, text_of

LABELS = {
    "contradicted": ("✗", "contradicted", "The context says something else."),
    "not_enough_info": (
        *("?", "not in the context"),
        "The judge found nothing in the context that says this.",
    ),
    "unresolved": (
        *("!", "no verdict"),
        "The judge gave no valid verdict, so it counts as not supported.",
    ),
    "partially_supported": ("~", "partially supported", "The context supports a part of it."),
    "supported": ("✓", "supported", "The context supports it."),
    "not_a_claim": ("·", "not a claim", "There is nothing in it that could be checked."),
}
"""The sign, the words and the meaning of each label, the worst first."""
SEVERITY = tuple(LABELS)[:4]
"""The labels of statements that may be the worst of a run, the worst first."""
BINS = 20
MOST_WORST = 5
MOST_NAMES = 4


class Worst(NamedTuple):
    """A statement that is among the worst of a run, in the order of ``key``.

    ``verdict`` is what was said of it, ``case`` the place of its case in the report, ``place`` its
    own in the case.
    """

    key: tuple[Any, ...]
    record: Record
    verdict: Verdict
    case: int
    place: int


class Part(NamedTuple):
    """A part of a bar: ``name`` is for links and styles."""

    name: str
    sign: str
    words: str
    size: int


class Figures:
    """Adds up the results of a run.

    Attributes:
        summary: it is given, with what is counted besides the results.
        inverse: whether the policy inverts scores; then the threshold is for the score before.
        labels: how many statements have each label.
        with_texts: how many cases have their texts.
        scores: how many scores are in each of ``BINS`` equal parts of [0, 1].
        policies, judges, thresholds: how many cases were graded with each.
        slices: the cases by the columns of their data set.
        repeats: statements without support that stand in several answers.
        worst: the worst statements, at most one of each case: the worst first.
    """

    def __init__(self, summary: Summary, *, inverse: bool = False) -> None:
        self.summary, self.slices, self.repeats = summary, Slices(), Repeats()
        self.inverse = inverse
        self.with_texts = 0
        self.scores = [0] * BINS
        self.labels: Counter[str] = Counter()
        self.policies: Counter[str] = Counter()
        self.judges: Counter[str] = Counter()
        self.thresholds: Counter[float] = Counter()
        self.worst: list[Worst] = []

    def add(self, record: Record, case: int) -> float:
        """Counts a result. Returns how bad it is, from 0: lists show the worst cases first.

        ``case`` is its place in the report.
        """
        result = record.result
        self.summary.add(result)
        self.with_texts += record.case is not None
        labels = [label_of(v) for v in result.verdicts if v.repeat_of is None]
        self.labels.update(labels if result.verdicts else result.counts)
        if result.score is not None:
            self.scores[min(int(result.score * BINS), BINS - 1)] += 1
        self.inverse |= result.metadata.get("inverse") is True
        self.policies[result.policy] += 1
        self.judges[result.judge] += 1
        if record.threshold is not None:
            self.thresholds[record.threshold] += 1
        if not result.error:
            self._note_worst(record, case)
            self.repeats.add(
                (verdict.statement, verdict.label or "")
                for verdict in result.verdicts
                if verdict.label in SEVERITY and verdict.statement
            )
        return badness(result)

    def _note_worst(self, record: Record, case: int) -> None:
        """Keeps the worst statement of a case, if it is among the worst of all."""
        verdicts = record.result.verdicts
        rated = [
            (SEVERITY.index(label), not verdict.evidence, place)
            for place, verdict in enumerate(verdicts)
            if (label := label_of(verdict)) in SEVERITY and verdict.repeat_of is None
        ]
        if rated:
            severity, bare, place = min(rated)
            key = severity, -badness(record.result), bare, case
            self.worst.append(Worst(key, record, verdicts[place], case, place))
            self.worst = sorted(self.worst, key=lambda worst: worst.key)[:MOST_WORST]

    def threshold(self) -> float | None:
        """The threshold, if all cases have the same and it is that of the score."""
        values = list(self.thresholds)
        return values[0] if len(values) == 1 and not self.inverse else None


# ---------------------------------------------------------------- one run


def run_overview(results: Results, figures: Figures) -> dict[str, Any]:
    """What the overview of one run says."""
    summary = figures.summary
    return {
        "title": "Faithfulness report",
        "source": clip(results.source, 300),
        "facts": _facts(results.about, figures),
        "notes": _notes(figures),
        "figures": figures,
        "summary": summary,
        "outcomes": [
            Part("failed", "✗", "failed", summary.failed),
            Part("not_graded", "!", "not graded", summary.not_graded),
            Part("passed", "✓", "passed", summary.passed),
        ],
        "labels": [
            Part(name, sign, words, figures.labels[name])
            for name, (sign, words, _) in LABELS.items()
            if name in figures.labels
        ],
        "words": LABELS,
        "bars": [(place, count) for place, count in enumerate(figures.scores) if count],
        "statuses": summary.statuses.most_common(),
        "errors": summary.errors()[:MOST_NAMES],
        "slices": figures.slices.columns(),
        "repeats": figures.repeats.most(),
    }


def _facts(about: Mapping[str, Any], figures: Figures) -> list[tuple[str, str]]:
    """What it was graded with."""
    version = text_of(about.get("version"))
    thresholds = [] if figures.inverse else [f"{value:g}" for value in sorted(figures.thresholds)]
    facts = [
        ("judge", _listed([name for name, _ in figures.judges.most_common()])),
        ("policy", _listed([name for name, _ in figures.policies.most_common()])),
        ("passes from", _listed(thresholds)),
        ("graded by", version and f"faithfulness-assert {version}"),
    ]
    return [(name, value) for name, value in facts if value]


def _listed(names: Sequence[str]) -> str:
    shown = [clip(name, 80) for name in names[:MOST_NAMES] if name]
    more = len(names) - MOST_NAMES
    return ", ".join(shown) + (f" and {more} more" if more > 0 else "")


def _notes(figures: Figures) -> list[str]:
    """What is wrong with the run as a whole, and what of it is not known."""
    summary, notes = figures.summary, []
    if not summary.cases:
        notes.append("There are no results: nothing has been graded yet, or the file is empty.")
    if note := not_finished(summary.cases, summary.rows):
        notes.append(f"{note[0].upper()}{note[1:]}. The page says nothing of the others.")
    if summary.is_unreliable:
        note = controls_in_words(summary.controls)
        notes.append(f"{note[0].upper()}{note[1:]}. Controls are statements with known verdicts.")
    notes += (f"{line}." for line in summary.checks())
    if summary.cases and not figures.with_texts:
        notes.append(NO_TEXTS)
    return notes


# ---------------------------------------------------------------- two runs


def comparison_overview(
    comparison: Comparison, sources: tuple[Results, Results], lacking: Sequence[str]
) -> dict[str, Any]:
    """What the overview of two runs says; ``lacking``: what of them is not known."""
    return {
        "title": "Faithfulness: two runs compared",
        "sources": sources,
        "notes": [*comparison.notes(), *lacking],
        "comparison": comparison,
        "verdict": verdict_of(comparison),
        "chances": [p_value(p) for p in comparison.tests],
        "rows": rows_of(comparison),
        "limit": FALSE_ALARMS / 2,
        "kind_words": KIND_WORDS,
        "left": sum(comparison.kinds.values()) - len(comparison.shown),
    }
