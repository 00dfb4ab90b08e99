"""What a checker's outputs say of a statement: a label, how sure, where, and which words are wrong.

Over the chunks of a context the highest probability of support counts, as the authors of these
checkers do it. Of token labels it is the lowest: every chunk must find every token supported. A
number that is no number is no verdict.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from itertools import chain, groupby
from typing import Any, NamedTuple

from ...records.model import Label
from .families import Head
from .inputs import Chunk

DIGITS = 4
"""Digits of a probability. The batch in which an input is computed changes only later ones."""
_AROUND = " \t\n.,;:!?…\"'“”‘’()"
NOT_A_NUMBER = "the model's output for a statement is not a number"
NO_WORD = "the model reads no word in a statement"
TOO_LONG = "a statement is too long for the model, beside the context"
FIXES = {
    NOT_A_NUMBER: "Its weights may be damaged, or too large for its precision: fetch them again, "
    "or use device='cpu'.",
    NO_WORD: "Its tokenizer may belong to another model, or to another language.",
    TOO_LONG: "Use a model that reads more; max_prompt_tokens must not be too low.",
}
"""What to do about a problem that leaves no statement with a verdict."""


class Score(NamedTuple):
    """What a checker says of one statement.

    Args:
        label: None if it says nothing.
        confidence: the probability of the label, in [0, 1].
        numbers: the sentences of the chunk that decided it.
        support: the probability that the statement is supported.
        wrong: the words that nothing supports, as the statement has them.
        problem: why there is no label.
    """

    label: Label | None = None
    confidence: float = 0.0
    numbers: tuple[int, ...] = ()
    support: float = 0.0
    wrong: tuple[str, ...] = ()
    problem: str = ""


def score(
    chunks: Sequence[Chunk],
    outputs: Sequence[Any],
    statement: str,
    head: Head,
    order: Sequence[Label],
    support_at: float,
) -> Score:
    """The score of a statement.

    Args:
        chunks: it with each part of the context; none if it is too long for that.
        outputs: those of the model for each chunk.
        statement: as the model read it.
        head: where the verdict is in the outputs.
        order: the label of each output.
        support_at: a probability of support above this one is enough.
    """
    if not chunks:
        return Score(problem=TOO_LONG)
    if head == "tokens":
        return _of_tokens(chunks, outputs, statement, order, support_at)
    shares = [probabilities(row[0] if isinstance(row[0], list) else row, order) for row in outputs]
    if not all(math.isfinite(value) for one in shares for value in one.values()):
        return Score(problem=NOT_A_NUMBER)
    support = max(one.get("supported", 0.0) for one in shares)
    labels: tuple[Label, ...] = ("supported", "partially_supported", "contradicted")
    for label in labels:
        values = [one.get(label, 0.0) for one in shares]
        if max(values) > (support_at if label == "supported" else 0.5):
            best = values.index(max(values))
            return Score(label, values[best], chunks[best].numbers, support)
    return Score("not_enough_info", round(1 - support, DIGITS), (), support)


def probabilities(outputs: Sequence[float], order: Sequence[Label]) -> Mapping[Label, float]:
    """The probability of each label: by softmax, or by the logistic function of a single output."""
    if len(order) == 1:
        value = outputs[0]
        chance = math.exp(min(value, 0.0)) / (1 + math.exp(-abs(value)))
        return {order[0]: round(chance, DIGITS) if math.isfinite(value) else math.nan}
    if not all(map(math.isfinite, outputs)):
        return {order[0]: math.nan}
    highest = max(outputs)
    weights = [math.exp(value - highest) for value in outputs]
    total = math.fsum(weights)
    sums: dict[Label, float] = dict.fromkeys(order, 0.0)
    for label, weight in zip(order, weights, strict=True):
        sums[label] += weight / total
    return {label: round(chance, DIGITS) for label, chance in sums.items()}


def _of_tokens(
    chunks: Sequence[Chunk],
    outputs: Sequence[Any],
    statement: str,
    order: Sequence[Label],
    support_at: float,
) -> Score:
    """The score of a statement of which each token has labels of its own."""
    lowest: dict[tuple[int, int], float] = {}
    least = []  # of each chunk, that of the token that it supports the least
    for chunk, rows in zip(chunks, outputs, strict=True):
        own = {
            (start, end): probabilities(rows[token], order).get("supported", math.nan)
            for token, start, end in chunk.input.places
        }
        least.append(min(own.values(), default=math.nan))
        for span, chance in own.items():
            lowest[span] = min(chance, lowest.get(span, 1.0), key=lambda x: (not math.isnan(x), x))
    if not lowest or any(map(math.isnan, lowest.values())):
        return Score(problem=NOT_A_NUMBER if lowest else NO_WORD)
    support = min(lowest.values())
    if support > support_at:
        return Score("supported", support, chunks[least.index(max(least))].numbers, support)
    marked = [span for span, chance in sorted(lowest.items()) if chance <= support_at]
    wrong = _words(statement, marked)
    return Score("not_enough_info", round(1 - support, DIGITS), (), support, wrong)


def _words(text: str, marked: Sequence[tuple[int, int]]) -> tuple[str, ...]:
    """The whole words at these places, each run of neighbours as one text, without repeats.

    A mark that is nothing but punctuation or white space names no word.
    """
    marks = (range(*span) for span in marked if text[slice(*span)].strip(_AROUND))
    wrong = set(chain.from_iterable(marks))
    words = (word.span() for word in re.finditer(r"\S+", text))
    runs = groupby(words, key=lambda span: not wrong.isdisjoint(range(*span)))
    spans = [list(run) for is_wrong, run in runs if is_wrong]
    return tuple(dict.fromkeys(text[run[0][0] : run[-1][1]].strip(_AROUND) for run in spans))
