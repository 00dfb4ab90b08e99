"""What labels say, for people: tables and lines that a terminal, Markdown and the page show.

Names and texts come from files and models. They are not escaped here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, NamedTuple

from ..text.strings import clip
from .drawing import Rate
from .figures import Figure
from .measuring import Agreement, JudgeFigures, Level

FIGURES = {
    "agreement": ("agreement", "the share on which judge and people say the same"),
    "balanced_accuracy": (
        "balanced accuracy",
        "mean of recall and specificity; 50 % is guessing",
    ),
    "recall": ("recall", "of what is unfaithful, the share that the judge flags"),
    "precision": ("precision", "of what the judge flags, the share that is unfaithful"),
    "specificity": ("specificity", "of what is faithful, the share that the judge passes"),
    "kappa": ("Cohen's kappa", "agreement beyond chance; low where one class is rare"),
    "ac1": ("Gwet's AC1", "the same with a chance that rare classes do not inflate"),
}
BEYOND_CHANCE = ("kappa", "ac1")
CONFUSION = ("labels (share of the run)", "passes", "flagged")
HEAD = ("figure", "value", "95 % interval", "what it is")
SHOWN = 10
"""Disagreements that are shown with their texts."""
TEXT = 300


class Table(NamedTuple):
    """A title, names of columns, and rows."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]


def headline(found: Agreement) -> str:
    """The line that one may quote."""
    return f"{shown(found.share)} of answers are unfaithful, by {sum(found.labels):,} labels"


def shown(rate: Rate) -> str:
    """A share for people: ``3.1 % (1.8 to 4.5)``."""
    return f"{100 * rate.value:.1f} % ({100 * rate.low:.1f} to {100 * rate.high:.1f})"


def facts(found: Agreement) -> Iterator[str]:
    """What stands below it."""
    (others, flagged), (passed, failed) = found.labels, found.run
    yield (
        f"labels: {flagged:,} of {failed:,} answers that the judge flags "
        f"({found.unfaithful[1]:,} unfaithful), {others:,} of {passed:,} others "
        f"({found.unfaithful[0]:,} unfaithful)"
    )
    told = f"{100 * found.passed:.1f} % of answers pass by the judge"
    yield f"{told}; {shown(found.faithful)} are faithful by the labels"
    if found.left_out:
        yield f"{found.left_out:,} cases could not be graded: nothing here is about them"
    for judge in found.judges:
        told = f"judge {judge.judge}, policy {judge.policy}, passes from {judge.threshold:g}"
        yield f"{clip(judge.name, 60)}: {told}"


def tables(found: Agreement) -> Iterator[Table]:
    """All tables."""
    for judge in found.judges:
        name = clip(judge.name, 60)
        yield _confusion(f"{name}: answers", judge.answers)
        yield _figures(f"{name}: figures on answers", judge.answers, found)
    if found.ceiling:
        one, two = (clip(name, 30) for name in found.annotators[:2])
        yield _figures(
            f"The ceiling: {two} in the judge's place, beside {one}", found.ceiling, found
        )
    if found.pairs:
        yield _pairs(found)


def notes(found: Agreement) -> Iterator[str]:
    """What stands below the tables."""
    if found.ceiling and found.judges:
        yield "No judge can be expected to agree with one person better than another person does"
    yield from (f"note: {warning}" for warning in found.warnings)


def disagreement_lines(judge: JudgeFigures, most: int = SHOWN) -> Iterator[tuple[str, list[str]]]:
    """The worst disagreements: a head for each, and its texts."""
    for item in judge.disagreements[:most]:
        score = "no score" if item.score is None else f"score {item.score:.2f}"
        people = "unfaithful" if item.missed else "faithful"
        what = f"{'missed' if item.missed else 'false alarm'}: people say {people}"
        texts = [
            f"{name}: {clip(item.texts[name], TEXT)}"
            for name in ("question", "answer", "context")
            if item.texts.get(name)
        ]
        yield f"{what}, {score}: {clip(item.id, 60)}", texts


def percent(figure: Figure) -> tuple[str, str]:
    """A share and its interval."""
    if figure.value is None:
        return "-", "-"
    return f"{figure.value:.1%}", f"{figure.low:.1%} to {figure.high:.1%}"


def _plain(figure: Figure) -> tuple[str, str]:
    if figure.value is None:
        return "-", "-"
    value, low, high = (round(number, 2) + 0.0 for number in (figure.value, *figure[1:]))
    return f"{value:.2f}", f"{low:.2f} to {high:.2f}"


def _confusion(title: str, level: Level) -> Table:
    cells = [
        f"{count:,} ({share:.1%})" for count, share in zip(level.counts, level.shares, strict=True)
    ]
    rows = [("faithful by people", *cells[:2]), ("unfaithful by people", *cells[2:])]
    return Table(title, CONFUSION, rows)


def _figures(title: str, level: Level, found: Agreement) -> Table:
    rows = []
    base = f"at a base rate of {found.share.value:.1%} unfaithful answers"
    for name, (words, meaning) in FIGURES.items():
        figure = level.figures[name]
        told = _plain(figure) if name in BEYOND_CHANCE else percent(figure)
        rows.append((words, *told, f"{base}: {meaning}" if name == "kappa" else meaning))
    return Table(title, HEAD, rows)


def _pairs(found: Agreement) -> Table:
    rows = []
    for pair in found.pairs:
        names = f"{clip(pair.second, 40)} less {clip(pair.first, 40)}"
        points = [_points(figure) for figure in (pair.balanced_accuracy, pair.agreement)]
        better = clip(pair.better, 40) or "not known"
        rows.append((names, *points, f"{pair.adjusted:.3g}", better))
    head = ("judges", "balanced accuracy", "agreement", "p (Holm)", "agrees better")
    return Table("Side by side", head, rows)


def _points(figure: Figure) -> str:
    value = 100 * (figure.value or 0.0)
    return f"{value:+.1f} points ({100 * figure.low:+.1f} to {100 * figure.high:+.1f})"


# ---------------------------------------------------------------- JSON


def as_json(found: Agreement) -> dict[str, Any]:
    """All of it as plain JSON. Shares are in [0, 1]."""
    pairs = [{**_data(pair), "better": pair.better} for pair in found.pairs]
    return {
        "line": headline(found),
        "pass_rate": found.passed,
        "faithful": _data(found.faithful),
        **_data(found),
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
