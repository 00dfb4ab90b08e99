"""What labels say, for people: tables and lines that a terminal and the page show.

Names and texts come from files and models. They are escaped where they are shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, NamedTuple

from ..statistics import Figure
from ..text.strings import clip, counted
from .figures import BEYOND_CHANCE, LEAST_CHANCE
from .measuring import Agreement, LabelledAnswer, Level

FIGURES = {
    "agreement": ("agreement", "the share on which judge and people say the same"),
    "balanced_accuracy": ("balanced accuracy", "mean of recall and specificity; 50 % is guessing"),
    "recall": ("recall", "of what is unfaithful, the share that the judge flags"),
    "precision": ("precision", "of what the judge flags, the share that is unfaithful"),
    "specificity": ("specificity", "of what is faithful, the share that the judge passes"),
    "kappa": ("Cohen's kappa", "agreement beyond chance; low where one class is rare"),
    "ac1": ("Gwet's AC1", "the same with a chance that rare classes do not inflate"),
}
CONFUSION = ("labels (share)", "passes", "flagged", "no verdict")
HEAD = ("figure", "value", "95 % interval", "what it is")
SHOWN = 10
"""Disagreements that are shown with their texts."""
TEXT = 300
BLANK = "(blank)"
"""What is shown of an answer without a text."""


class Table(NamedTuple):
    """A title, names of columns, and rows."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]


class Document(NamedTuple):
    """A title, and what stands below it: tables, and lines."""

    title: str
    parts: Sequence[Table | Sequence[str]]


def document(agreement: Agreement) -> Document:
    """All of it but the JSON."""
    return Document(
        headline(agreement),
        [
            list(facts(agreement)),
            *tables(agreement),
            list(notes(agreement)),
            list(answers(agreement)),
        ],
    )


def headline(agreement: Agreement) -> str:
    """The line that one may quote."""
    labels = f"{sum(agreement.labels):,} labels"
    return f"{shown(agreement.share)} of answers are unfaithful, by {labels}"


def shown(rate: Figure) -> str:
    """A share for people: ``3.1 % (1.8 to 4.5)``; ``at most 11.6 %`` where none was seen."""
    value, low, high = (f"{100 * (number or 0.0):.1f}" for number in rate)
    if not rate.value:
        return f"at most {high} %"
    return f"at least {low} %" if rate.value == 1 else f"{value} % ({low} to {high})"


def facts(agreement: Agreement) -> Iterator[str]:
    """What stands below it."""
    (others, flagged), (passed, failed) = agreement.labels, agreement.run
    yield (
        f"labels: {flagged:,} of {failed:,} answers that the judge flags "
        f"({agreement.unfaithful[1]:,} unfaithful), {others:,} of {passed:,} others "
        f"({agreement.unfaithful[0]:,} unfaithful)"
    )
    fact = f"{100 * agreement.passed:.1f} % of answers pass by the judge"
    yield f"{fact}; {shown(agreement.faithful)} are faithful by the labels"
    if any(agreement.by_policy):
        passes, fails = agreement.by_policy
        yield (
            f"{passes + fails:,} answers were decided by the policy, not by the judge: {fails:,} "
            f"fail and {passes:,} pass. Figures of the judge are without them"
        )
    if agreement.left_out:
        lost = counted(agreement.left_out, "case")
        yield f"{lost} could not be graded: nothing here is about them"
    for judge in agreement.judges:
        fact = f"judge {judge.judge}, policy {judge.policy}, passes from {judge.threshold:g}"
        yield f"{clip(judge.name, 60)}: {fact}"


def tables(agreement: Agreement) -> Iterator[Table]:
    """All tables."""
    for judge in agreement.judges:
        name = clip(judge.name, 60)
        yield _confusion(f"{name}: answers", judge.answers)
        yield _figures(f"{name}: figures on answers", judge.answers)
    if agreement.ceiling:
        one, two = (clip(name, 30) for name in agreement.annotators[:2])
        yield _figures(f"The ceiling: {two} in the judge's place, beside {one}", agreement.ceiling)
    if agreement.pairs:
        yield _pairs(agreement)


def notes(agreement: Agreement) -> Iterator[str]:
    """What stands below the tables."""
    if agreement.ceiling and agreement.judges:
        yield "No judge can be expected to agree with one person better than another person does"
    yield from (f"note: {warning}" for warning in agreement.warnings)


def answers(agreement: Agreement) -> Iterator[str]:
    """The worst disagreements of each judge, and what the policy decided."""
    for judge in agreement.judges:
        if judge.disagreements:
            count = counted(len(judge.disagreements), "disagreement")
            yield from ("", f"{clip(judge.name, 60)}: {count}, worst first")
        for item in judge.disagreements[:SHOWN]:
            score = "no score" if item.score is None else f"score {item.score:.2f}"
            yield from _answer("missed" if item.passes else "false alarm", item, f", {score}")
    if agreement.decided:
        count = f"{len(agreement.decided):,} labelled answers"
        yield from ("", f"Decided by the policy, not by a judge: {count}")
    for item in agreement.decided[:SHOWN]:
        yield from _answer(f"{item.status}, {'passes' if item.passes else 'fails'}", item)


def _answer(what: str, item: LabelledAnswer, more: str = "") -> Iterator[str]:
    label = "unfaithful" if item.unfaithful else "faithful"
    yield f"  {what}: people say {label}{more}: {clip(item.id, 60)}"
    for name in ("question", "answer", "context"):
        text = clip(item.texts.get(name, ""), TEXT) or (BLANK if name == "answer" else "")
        if text:
            yield f"    {name}: {text}"


def _in_words(name: str, figure: Figure) -> tuple[str, str]:
    """A figure and its interval: shares in percent, what may be below 0 as plain numbers."""

    def words(number: float) -> str:
        return f"{round(number, 2) + 0.0:.2f}" if name in BEYOND_CHANCE else f"{number:.1%}"

    value, low, high = figure
    words_of_value = "-" if value is None else words(value)
    return words_of_value, "-" if low is None or high is None else f"{words(low)} to {words(high)}"


def _confusion(title: str, level: Level) -> Table:
    cells = [
        f"{count:,} ({share:.1%})" for count, share in zip(level.counts, level.shares, strict=True)
    ]
    columns = 3 if level.counts[2] or level.counts[5] else 2
    rows = [
        ("faithful by people", *cells[:columns]),
        ("unfaithful by people", *cells[3 : 3 + columns]),
    ]
    return Table(title, CONFUSION[: 1 + columns], rows)


def _figures(title: str, level: Level) -> Table:
    rows = [
        (words, *_in_words(name, level.figures[name]), meaning)
        for name, (words, meaning) in FIGURES.items()
    ]
    return Table(title, HEAD, rows)


def _pairs(agreement: Agreement) -> Table:
    rows = []
    for pair in agreement.pairs:
        names = f"{clip(pair.second, 40)} less {clip(pair.first, 40)}"
        shares = (pair.balanced_accuracy, pair.agreement)
        figures = [[100 * (number or 0.0) for number in share] for share in shares]
        points = [
            f"{value:+.1f} points ({low:+.1f} to {high:+.1f})" for value, low, high in figures
        ]
        better = clip(pair.better, 40) or "not known"
        floor = "≤ " if pair.p <= LEAST_CHANCE else ""
        rows.append((names, *points, f"{floor}{pair.adjusted:.3g}", better))
    head = ("judges", "balanced accuracy", "agreement", "p (Holm)", "agrees better")
    return Table("Side by side", head, rows)


# ---------------------------------------------------------------- JSON


def as_json(agreement: Agreement) -> dict[str, Any]:
    """All of it as plain JSON. Shares are in [0, 1]."""
    pairs = [{**_data(pair), "better": pair.better} for pair in agreement.pairs]
    return {
        "line": headline(agreement),
        "pass_rate": agreement.passed,
        "faithful": _data(agreement.faithful),
        **_data(agreement),
        "pairs": pairs,
    }


def _data(value: Any) -> Any:
    """Records as mappings, whatever is in them."""
    if is_dataclass(value):
        value = {field.name: getattr(value, field.name) for field in fields(value)}
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, Mapping):
        return {name: _data(item) for name, item in value.items()}
    return [_data(item) for item in value] if isinstance(value, list | tuple) else value
