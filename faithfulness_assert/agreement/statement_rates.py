"""The share of unfaithful statements in a run, from labels of all statements of some answers.

Statements of one answer are alike, so that they say less than as many drawn one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum, sqrt
from typing import NamedTuple

from ..batch.summary import REACH
from ..records.errors import ConfigError
from .rates import MIN_LABELS, Rate

FEWEST = 3
"""Degrees of freedom."""
MORE = 4
"""Degrees of freedom beside one for each answer with an unfaithful statement: a variance that few
answers decide is itself uncertain."""


class Answers(NamedTuple):
    """The answers of a stratum.

    Args:
        answers, statements: how many the run has.
        labelled: of each labelled answer, how many statements are unfaithful, of how many.
    """

    answers: int
    statements: int
    labelled: Sequence[tuple[int, int]]


def unfaithful_statement_rate(flagged: Answers, others: Answers) -> Rate:
    """The share of unfaithful statements among those of all answers like those of a run.

    The answers are in two strata, and those that are labelled were drawn at random within each. The
    share of a stratum is that of its labelled statements. Its interval is Wilson's (1927) with the
    effective number of statements (their number by the design effect of the ratio; Cochran,
    Sampling Techniques, 1977, 6.3; Korn and Graubard, 1998) and a quantile of Student's t. Where no
    statement or every one is unfaithful, an answer counts as one statement. The strata are put
    together by MOVER (Zou and Donner, 2008). ``benchmarks/agreement_statements.py`` measures it.

    Raises:
        ConfigError: fewer than ``MIN_LABELS`` answers are labelled, a part of the run has no
            label, or counts do not fit.
    """
    if len(flagged.labelled) + len(others.labelled) < MIN_LABELS:
        given = len(flagged.labelled) + len(others.labelled)
        problem = f"{given} labelled answers are too few for an interval that holds"
        raise ConfigError(f"labelled: {problem}; label at least {MIN_LABELS}")
    for name, part in (("flagged", flagged), ("others", others)):
        if part.statements and not any(size for _, size in part.labelled):
            raise ConfigError(f"{name}: none of these {part.statements} statements is labelled")
        if len(part.labelled) > part.answers:
            told = f"{len(part.labelled)} answers are labelled, got {part.answers}"
            raise ConfigError(f"{name}: {told}")
    total = flagged.statements + others.statements
    answers = flagged.answers + others.answers
    one, two = _share(flagged.labelled), _share(others.labelled)
    weight = flagged.statements / total
    value = weight * one.value + (1 - weight) * two.value
    spread = flagged.answers * others.answers / answers**3 * (one.value - two.value) ** 2
    sizes = REACH**2 * spread  # that the weights are those of this run, and not of all like it
    parts = ((weight, one), (1 - weight, two))
    low = sizes + sum((w * (part.value - part.low)) ** 2 for w, part in parts)
    high = sizes + sum((w * (part.high - part.value)) ** 2 for w, part in parts)
    return Rate(value, max(0.0, value - sqrt(low)), min(1.0, value + sqrt(high)))


def _share(labelled: Sequence[tuple[int, int]]) -> Rate:
    """The share of a stratum, with Wilson's interval of its effective size."""
    answers, items = len(labelled), sum(size for _, size in labelled)
    wrong = sum(some for some, _ in labelled)
    if not items:
        return Rate(0.0, 0.0, 0.0)
    share, size = wrong / items, float(answers)
    if 0 < wrong < items and answers > 1:
        squares = fsum((some - share * many) ** 2 for some, many in labelled)
        effect = answers / (answers - 1) * squares / items / (share * (1 - share))
        size = items / max(effect, 1.0)
    failing = sum(some > 0 for some, _ in labelled)
    reach = t_quantile(max(FEWEST, min(answers - 1, failing + MORE)))
    middle = (share + reach**2 / 2 / size) / (1 + reach**2 / size)
    half = reach * sqrt(share * (1 - share) / size + reach**2 / 4 / size**2) / (1 + reach**2 / size)
    return Rate(share, min(share, max(0.0, middle - half)), max(share, min(1.0, middle + half)))


def t_quantile(freedom: int) -> float:
    """The 97.5 % quantile of Student's t (Abramowitz and Stegun, 26.7.5), from 3 degrees on."""
    z = REACH
    return (
        z
        + (z**3 + z) / 4 / freedom
        + (5 * z**5 + 16 * z**3 + 3 * z) / 96 / freedom**2
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384 / freedom**3
        + (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160 / freedom**4
    )
