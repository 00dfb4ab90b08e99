"""Writes fixtures/agreement_figures.json: what scikit-learn and irrCAC say of random labels.

    pip install scikit-learn irrCAC
    python tools/agreement_oracle.py

Each row has the (weighted) counts of a matrix, people's labels as rows and the judge's as columns,
and the figures. ``tests/agreement/test_figures.py`` holds ours against them, and computes
scikit-learn's again where it is installed.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

FILE = Path(__file__).parents[1] / "fixtures" / "agreement_figures.json"


def main() -> None:
    chance, rows = random.Random(7), []
    for number in range(60):
        size = 2 if number % 3 else random.Random(number).choice((3, 4, 5))
        matrix = [[chance.choice((0, 1, 3, 10, 60)) for _ in range(size)] for _ in range(size)]
        matrix[0][0] += 1
        matrix[-1][-1] += 1
        weighted = number % 2 == 1
        if weighted:
            matrix = [[count * chance.choice((0.5, 1.25, 7.5)) for count in row] for row in matrix]
        rows.append({"matrix": matrix, "scikit_learn": scikit_learn(matrix)})
        if not weighted:
            rows[-1]["irr_cac_ac1"] = irr_cac(matrix)
    FILE.write_text("[\n" + ",\n".join(map(json.dumps, rows)) + "\n]\n", encoding="utf-8")


def scikit_learn(matrix: list[list[float]]) -> dict[str, float]:
    from sklearn import metrics

    cells = [(a, b, n) for a, row in enumerate(matrix) for b, n in enumerate(row) if n]
    people, judge, weights = (list(column) for column in zip(*cells, strict=True))
    options: dict[str, Any] = {"sample_weight": weights}
    kappa = metrics.cohen_kappa_score(people, judge, **options)
    told = {"agreement": metrics.accuracy_score(people, judge, **options), "kappa": kappa}
    if len(matrix) == 2:
        told["balanced_accuracy"] = metrics.balanced_accuracy_score(people, judge, **options)
        told["precision"] = metrics.precision_score(people, judge, zero_division=0, **options)
        told["recall"] = metrics.recall_score(people, judge, **options)
    return {name: float(value) for name, value in told.items()}


def irr_cac(matrix: list[list[float]]) -> float:
    import pandas as pd
    from irrCAC.raw import CAC

    rows = [
        (a, b) for a, row in enumerate(matrix) for b, n in enumerate(row) for _ in range(int(n))
    ]
    categories = list(range(len(matrix)))
    told = CAC(pd.DataFrame(rows), categories=categories, digits=12).gwet()
    return float(told["est"]["coefficient_value"])


if __name__ == "__main__":
    main()
