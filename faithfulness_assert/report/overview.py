"""The values for the templates of the overview: names, numbers, and shapes of charts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import __version__
from ..batch.comparison_views import rows_of
from ..batch.paired_tests import FALSE_ALARMS
from ..text.strings import clip
from .case_view import label_of
from .figures import BINS
from .record import mapping_of, text_of

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Mapping

    from .comparing import Compared
    from .figures import Figures, Worst
    from .result_records import Results

LABELS = {
    "supported": ("✓", "supported"),
    "partially_supported": ("~", "partially supported"),
    "not_enough_info": ("?", "not in the context"),
    "contradicted": ("✗", "contradicted"),
    "unresolved": ("!", "no verdict"),
    "not_a_claim": ("·", "not a claim"),
}
"""The sign and the words for each label. ``assets/words.js`` has them too."""
ORDER = (
    *("contradicted", "not_enough_info", "unresolved", "partially_supported"),
    *("supported", "not_a_claim"),
)
OUTCOMES = {"failed": "failed", "not_graded": "not graded", "passed": "passed"}
MOST_NAMES = 4
QUOTE = 400
"""Characters of a text on the overview."""
MOST_LABELS = 20


def run_overview(results: Results, figures: Figures) -> dict[str, Any]:
    """What the overview of one run says."""
    summary = figures.summary
    counts = {
        "failed": summary.failed,
        "not_graded": summary.not_graded,
        "passed": summary.passed,
    }
    return {
        "title": "Faithfulness report",
        "version": __version__,
        "source": clip(results.source, 300),
        "facts": run_facts(results.about, figures),
        "notes": [*warnings_of(figures), *results.notes],
        "cases": summary.cases,
        "counts": counts,
        "outcomes": parts(counts, OUTCOMES, summary.cases),
        "labels": label_parts(figures.labels),
        "statuses": [(name, count) for name, count in figures.statuses.most_common(12)],
        "errors": [
            (kind, count, _cut(figures.messages[kind]))
            for kind, count in figures.errors.most_common(MOST_NAMES)
        ],
        "mean": summary.mean,
        "interval": summary.interval,
        "bars": bars(figures.scores),
        "threshold": only_threshold(figures),
        "inverse": figures.inverse,
        "worst": [_worst(worst) for worst in figures.worst()],
        "spent": spent(figures),
        "controls": {n: summary.controls[n] for n in ("asked", "failed", "unanswered")},
        "unreliable": summary.is_unreliable,
    }


def run_facts(about: Mapping[str, Any], figures: Figures) -> list[tuple[str, str]]:
    """What it was graded with."""
    judge = mapping_of(about.get("judge"))
    facts = [
        ("judge", _names(figures.judges)),
        ("policy", _names(figures.policies)),
        ("passes from", _thresholds(figures)),
    ]
    if len(figures.judges) != 1:
        facts.append(("judge of the run", text_of(judge.get("name"))))
    facts.append(("graded by", _graded_by(about)))
    return [(name, value) for name, value in facts if value]


def _graded_by(about: Mapping[str, Any]) -> str:
    version = text_of(about.get("version"))
    return f"faithfulness-assert {version}" if version else ""


def _names(counts: Counter[str]) -> str:
    names = [clip(name, 80) for name, _ in counts.most_common(MOST_NAMES) if name]
    more = len(counts) - MOST_NAMES
    return ", ".join(names) + (f" and {more} more" if more > 0 else "")


def _thresholds(figures: Figures) -> str:
    values = sorted(figures.thresholds)
    if figures.inverse:
        return ""
    if len(values) > MOST_NAMES:
        return f"{values[0]:g} to {values[-1]:g}"
    return ", ".join(f"{value:g}" for value in values)


def only_threshold(figures: Figures) -> float | None:
    """The threshold, if all cases have the same."""
    return next(iter(figures.thresholds)) if len(figures.thresholds) == 1 else None


def warnings_of(figures: Figures) -> list[str]:
    """What is wrong with the run as a whole."""
    summary, notes = figures.summary, []
    if not summary.cases:
        notes.append("There are no results: nothing has been graded yet, or the file is empty.")
    if summary.is_unreliable:
        asked, failed = summary.controls["asked"], summary.controls["failed"]
        notes.append(
            f"The judge failed {failed:,} of {asked:,} controls, statements with known verdicts. "
            "Do not trust these scores; use another judge."
        )
    return notes


def spent(figures: Figures) -> list[tuple[str, str]]:
    """Tokens and cost."""
    summary = figures.summary
    tokens = summary.tokens
    if not tokens["num_requests"] and not tokens["prompt"] and summary.cost is None:
        return []
    about = "about " if summary.to_json()["tokens_used"]["estimated"] else ""
    rows = [
        ("requests", f"{tokens['num_requests']:,}"),
        ("prompt tokens", f"{about}{tokens['prompt']:,}"),
        ("completion tokens", f"{about}{tokens['completion']:,}"),
    ]
    return rows if summary.cost is None else [*rows, ("cost", f"{summary.cost:,.4g}")]


def label_parts(counts: Mapping[str, int]) -> list[dict[str, Any]]:
    """The parts of the bar of labels, the worst first, those that are not ours in the middle."""
    others = sorted(set(counts) - set(ORDER))[:MOST_LABELS]
    names = {name: LABELS.get(name, ("¿", name))[1] for name in (*ORDER[:4], *others, *ORDER[4:])}
    found = {name: counts.get(name, 0) for name in names}
    return [
        {**part, "sign": LABELS.get(part["name"], ("¿", ""))[0], "ours": part["name"] in LABELS}
        for part in parts(found, names, sum(found.values()))
        if part["count"]
    ]


def parts(counts: Mapping[str, int], words: Mapping[str, str], total: int) -> list[dict[str, Any]]:
    """The parts of a bar that is 100 wide."""
    made, at = [], 0.0
    for name, word in words.items():
        width = 100 * counts[name] / total if total else 0.0
        share = f"{width:.0f} %" if width >= 1 or not counts[name] else "< 1 %"
        made.append(
            {
                "name": name,
                "words": word,
                "count": counts[name],
                "share": share,
                "x": f"{at:.3f}",
                "width": f"{max(width - 0.3, 0.05 if width else 0):.3f}",
            }
        )
        at += width
    return made


def bars(scores: list[int]) -> list[dict[str, Any]]:
    """The bars of the distribution of scores, in a picture of 200 by 60."""
    most, width = max(scores) or 1, 200 / BINS
    made = []
    for place, count in enumerate(scores):
        height = max(56 * count / most, 1.5 if count else 0)
        made.append(
            {
                "x": f"{place * width + 0.6:.2f}",
                "width": f"{width - 1.2:.2f}",
                "y": f"{60 - height:.2f}",
                "height": f"{height:.2f}",
                "count": count,
                "from": f"{place / BINS:.2f}",
                "to": f"{(place + 1) / BINS:.2f}",
            }
        )
    return made


def _worst(worst: Worst) -> dict[str, Any]:
    verdict, evidence = worst.verdict, worst.evidence
    sign, words = LABELS[label_of(verdict)]
    return {
        "label": label_of(verdict),
        "sign": sign,
        "words": words,
        "case": worst.case,
        "case_id": _cut(worst.record.result.case_id, 200),
        "statement": worst.place + 1,
        "text": _cut(verdict.statement),
        "reason": _cut(verdict.reason),
        "evidence": _cut(evidence.text) if evidence else "",
        "passage": _cut(evidence.passage, 60) if evidence else "",
        "score": worst.record.score,
    }


def _cut(text: str, most: int = QUOTE) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


# ---------------------------------------------------------------- two runs


def _both(results: Results) -> str:
    """A run and what was graded."""
    known = results.source != results.name
    return f"{results.name} ({results.source})" if known else results.name


def comparison_overview(compared: Compared) -> dict[str, Any]:
    """What the overview of two runs says."""
    comparison = compared.comparison
    tests = comparison.tests
    return {
        "title": "Faithfulness: two runs compared",
        "version": __version__,
        "names": [_both(source) for source in compared.sources],
        "worse": comparison.worse,
        "notes": compared.notes,
        "rows": rows_of(comparison),
        "kinds": list(comparison.kinds.items()),
        "p": {"passes": tests.passes, "scores": tests.scores, "limit": FALSE_ALARMS / 2},
        "other_input": comparison.other_input,
        "shown": len(comparison.shown),
        "left": sum(comparison.kinds.values()) - len(comparison.shown),
    }
