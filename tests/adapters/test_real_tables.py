"""Data sets of Hugging Face and of ragas, as they are. Run by ``tox -e adapters``."""

from __future__ import annotations

from typing import Any

import pytest

from faithfulness_assert import grade_many

from .systems import package

pytestmark = [pytest.mark.e2e, pytest.mark.filterwarnings("ignore")]

TEXT = "The museum opens at 9."
ROWS: list[dict[str, Any]] = [
    {"id": "a", "answer": TEXT, "context": [TEXT]},
    {"id": "b", "answer": "Adults pay 12 euros.", "context": ["Adults pay 14 euros."]},
]


def outcomes(cases: Any) -> list[tuple[str, str]]:
    results = grade_many(cases)
    assert len(results.to_frame()) == len(ROWS)
    return [(result.case_id, result.outcome) for result in results]


@pytest.mark.parametrize("kind", [None, "pandas", "numpy", "stream", "generator"])
def test_a_data_set_of_hugging_face_is_graded(kind: str | None) -> None:
    datasets = package("datasets")
    data_set = datasets.Dataset.from_list(ROWS)
    if kind == "stream":
        data_set = data_set.to_iterable_dataset()
    elif kind == "generator":
        data_set = datasets.IterableDataset.from_generator(lambda: iter(ROWS))
    else:
        data_set = data_set.with_format(kind)
    assert outcomes(data_set) == [("a", "PASS"), ("b", "FAIL")]


@pytest.mark.parametrize("how", ["", "to_pandas", "to_hf_dataset"])
def test_a_data_set_of_ragas_is_graded(how: str) -> None:
    ragas = package("ragas")
    samples = [
        ragas.SingleTurnSample(response=row["answer"], retrieved_contexts=row["context"])
        for row in ROWS
    ]
    data_set = ragas.EvaluationDataset(samples=samples)
    cases = getattr(data_set, how)() if how else data_set
    assert outcomes(cases) == [("", "PASS"), ("", "FAIL")]
