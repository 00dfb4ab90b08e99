"""How well two that label the same things agree. A matrix has the first one's labels as its rows.

The counts may be weighted, so they need not be whole. A figure that the counts do not define, such
as the recall where nothing is unfaithful, is None.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Matrix = list[list[float]]
CHANCE = 1e-12
"""A chance of agreement so near to 1 leaves nothing to be corrected."""


def figures(counts: Sequence[float]) -> Mapping[str, float | None]:
    """The figures of a judge beside people, each in [0, 1], but kappa and ac1 in [-1, 1].

    ``counts``: of what is faithful and passes, faithful and flagged, unfaithful and passes,
    unfaithful and flagged. Precision and recall are those on what is unfaithful.
    """
    good, alarms, misses, hits = counts
    matrix = [[good, alarms], [misses, hits]]
    recall, specificity = ratio(hits, misses + hits), ratio(good, good + alarms)
    defined = recall is not None and specificity is not None
    return {
        "agreement": agreement(matrix),
        "balanced_accuracy": (recall + specificity) / 2 if defined else None,  # type: ignore[operator]
        "precision": ratio(hits, alarms + hits),
        "recall": recall,
        "specificity": specificity,
        "kappa": kappa(matrix),
        "ac1": ac1(matrix),
        "base_rate": ratio(misses + hits, sum(counts)),
    }


def ratio(part: float, whole: float) -> float | None:
    """A share; None of nothing."""
    return part / whole if whole > 0 else None


def agreement(matrix: Matrix) -> float | None:
    """The share on which both say the same."""
    return ratio(sum(row[place] for place, row in enumerate(matrix)), sum(map(sum, matrix)))


def kappa(matrix: Matrix) -> float | None:
    """Cohen's kappa (1960): agreement beyond the chance that the shares of both give."""
    total = sum(map(sum, matrix))
    if total <= 0:
        return None
    rows, columns = _margins(matrix)
    chance = sum(a * b for a, b in zip(rows, columns, strict=True)) / total**2
    return _beyond(agreement(matrix), chance)


def ac1(matrix: Matrix) -> float | None:
    """Gwet's AC1 (2008): as kappa, with a chance that does not grow where one label is rare."""
    total = sum(map(sum, matrix))
    if total <= 0 or len(matrix) < 2:
        return None
    rows, columns = _margins(matrix)
    shares = [(a + b) / 2 / total for a, b in zip(rows, columns, strict=True)]
    return _beyond(agreement(matrix), sum(p * (1 - p) for p in shares) / (len(matrix) - 1))


def _margins(matrix: Matrix) -> tuple[list[float], list[float]]:
    return [sum(row) for row in matrix], [sum(column) for column in zip(*matrix, strict=True)]


def _beyond(seen: float | None, chance: float) -> float | None:
    return None if seen is None or 1 - chance < CHANCE else (seen - chance) / (1 - chance)
