"""The checks of a policy. Each returns None, or the name of a field and what is wrong with it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, get_args

from ..reading.labels import normalise
from ..records.errors import suggest
from ..records.model import LABELS
from . import fields as values
from .fields import DIMENSIONS, MAX_GUIDANCE_CHARS, SCORED, TOLERANCE, Example, ScoreCap

MAX_REASKS = 3
MAX_WEIGHT = 1000

_CHOICES: Mapping[str, Any] = {
    "split": values.Split,
    "verify": values.Verify,
    "on_missing": values.OnMissing,
    "on_failed": values.OnMissing,
    "citations": values.Citations,
    "explain": values.Explain,
    "headline": values.Headline,
    "controls": values.Controls,
    "windows": values.Windows,
}
_ENDINGS: tuple[str, ...] = get_args(values.Ending)
_FINDINGS: tuple[str, ...] = get_args(values.AuditFinding)


def first_problem(given: Mapping[str, Any], flags: Iterable[str]) -> str | None:
    """What is wrong with the fields of a policy, or None. ``flags``: which are true or false."""
    problems = chain(_problems(given), (_flag(name, given[name]) for name in flags))
    return next((problem for problem in problems if problem), None)


def is_number(value: object) -> bool:
    """Whether ``value`` is a finite number and not a bool."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) < 1e300 and math.isfinite(value)


def is_fraction(value: object) -> bool:
    """Whether ``value`` is a number in [0, 1] and not a bool."""
    return is_number(value) and 0 <= value <= 1  # type: ignore[operator]


def _problems(given: Mapping[str, Any]) -> Iterator[str | None]:
    for name, kind in _CHOICES.items():
        yield _choice(name, given[name], get_args(kind))
    for name in ("on_blank", "on_no_statements", "on_abstained", "on_no_context"):
        yield _ending(name, given[name])
    yield _weights(given["weights"])
    for name in ("threshold", "on_unreadable"):
        yield _fraction(name, given[name])
    yield _weighted_labels("fail_on", given["fail_on"], given["weights"])
    yield _judge_words(given["labels"], given["weights"])
    yield _dimensions(given["dimensions"], is_rubric=given["verify"] == "rubric")
    yield _score_caps(given["score_caps"])
    yield from _texts(given)
    yield _examples(given["examples"])
    yield _count("reasks", given["reasks"], 0, MAX_REASKS)
    if given["truths_limit"] is not None:
        yield _count("truths_limit", given["truths_limit"], 1)
    if given["joint"] and (given["split"], given["verify"]) != ("claims", "batch"):
        yield "joint: needs split='claims' and verify='batch'"


# ---------------------------------------------------------------- one value


def _choice(name: str, value: object, known: Sequence[str]) -> str | None:
    return None if value in known else f"{name}: must be one of {', '.join(known)}, got {value!r}"


def _ending(name: str, value: object) -> str | None:
    if is_fraction(value) or (isinstance(value, str) and value in _ENDINGS):
        return None
    return f"{name}: must be one of {', '.join(_ENDINGS)} or a score from 0 to 1, got {value!r}"


def _flag(name: str, value: object) -> str | None:
    return None if isinstance(value, bool) else f"{name}: must be true or false, got {value!r}"


def _fraction(name: str, value: object) -> str | None:
    return None if is_fraction(value) else f"{name}: must be a number from 0 to 1, got {value!r}"


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _count(name: str, value: object, lowest: int, highest: int | None = None) -> str | None:
    if _is_count(value) and lowest <= value and (highest is None or value <= highest):  # type: ignore[operator]
        return None
    span = f"from {lowest}, or None" if highest is None else f"from {lowest} to {highest}"
    return f"{name}: must be a whole number {span}, got {value!r}"


# ---------------------------------------------------------------- labels and weights


def _weights(weights: object) -> str | None:
    if not isinstance(weights, Mapping) or "supported" not in weights:
        labels = ", ".join(SCORED)
        return f"weights: must map labels ({labels}) to numbers and include 'supported'"
    unknown = next((label for label in weights if label not in SCORED), None)
    if unknown is not None:
        return f"weights: unknown label {unknown!r}. {suggest(str(unknown), SCORED)}"
    for label, weight in weights.items():
        if not is_number(weight) or abs(weight) > MAX_WEIGHT:
            span = f"from -{MAX_WEIGHT} to {MAX_WEIGHT}"
            return f"weights: {label} must be a finite number {span}, got {weight!r}"
    return None


def _labels(name: str, labels: object) -> str | None:
    if isinstance(labels, str) or not isinstance(labels, Sequence):
        return f"{name}: must be a list of labels, got {labels!r}"
    unknown = next((label for label in labels if label not in LABELS), None)
    if unknown is None:
        return None
    return f"{name}: unknown label {unknown!r}. {suggest(str(unknown), LABELS)}"


def _weighted_labels(name: str, labels: object, weights: Mapping[Any, object]) -> str | None:
    """The labels must be known and have a weight."""
    if problem := _labels(name, labels):
        return problem
    for label in labels:  # type: ignore[attr-defined]
        if label not in weights and label != "not_a_claim":
            return f"{name}: {label!r} has no weight in this policy"
    return None


def _judge_words(words: object, weights: Mapping[Any, object]) -> str | None:
    if not isinstance(words, Mapping):
        return f"labels: must map words to labels, got {words!r}"
    if not all(isinstance(word, str) and normalise(word) for word in words):
        return "labels: each word must be a string with a letter or a digit"
    return _weighted_labels("labels", list(words.values()), weights)


# ---------------------------------------------------------------- ratings and caps


def _dimensions(shares: object, *, is_rubric: bool) -> str | None:
    if not isinstance(shares, Mapping) or is_rubric != bool(shares):
        return "dimensions: must map dimensions to shares if verify='rubric', else be empty"
    unknown = next((name for name in shares if name not in DIMENSIONS), None)
    if unknown is not None:
        return f"dimensions: unknown dimension {unknown!r}. {suggest(str(unknown), DIMENSIONS)}"
    if any(not is_fraction(share) for share in shares.values()):
        return f"dimensions: each must be a number from 0 to 1, got {dict(shares)!r}"
    if shares and ("faithfulness" not in shares or abs(sum(shares.values()) - 1) > TOLERANCE):
        return "dimensions: must include faithfulness and add up to 1"
    return None


def _score_caps(caps: object) -> str | None:
    if isinstance(caps, str) or not isinstance(caps, Sequence):
        return "score_caps: must be a list of ScoreCap"
    for cap in caps:
        if not isinstance(cap, ScoreCap):
            return "score_caps: must be a list of ScoreCap"
        if cap.finding not in _FINDINGS:
            return f"score_caps: finding must be one of {', '.join(_FINDINGS)}, got {cap.finding!r}"
        if not is_fraction(cap.ceiling):
            return f"score_caps: ceiling must be a number from 0 to 1, got {cap.ceiling!r}"
        if not _is_count(cap.at_least):
            return f"score_caps: at_least must be a whole number from 0, got {cap.at_least!r}"
    return None


# ---------------------------------------------------------------- texts


def _texts(given: Mapping[str, Any]) -> Iterator[str | None]:
    name, guidance = given["name"], given["guidance"]
    if not isinstance(name, str) or not name.isprintable() or not name:
        yield "name: must be a printable text"
    if not isinstance(given["summary"], str):
        yield f"summary: must be a text, got {type(given['summary']).__name__}"
    for field in ("deviations", "hedges"):
        lines = given[field]
        if not isinstance(lines, tuple) or not all(isinstance(line, str) for line in lines):
            yield f"{field}: must be a list of texts"
    if not isinstance(guidance, str) or len(guidance) > MAX_GUIDANCE_CHARS:
        yield f"guidance: must be a text of at most {MAX_GUIDANCE_CHARS:,} characters"


def _examples(examples: object) -> str | None:
    if not isinstance(examples, Sequence) or not all(isinstance(e, Example) for e in examples):
        return "examples: must be a list of examples, each with context, statement and label"
    return _labels("examples", [example.label for example in examples])
