"""Tables go in as they are, and results come out as a table."""

import math
import pickle
import warnings
from typing import Any

import numpy
import pandas
import polars
import pyarrow
import pytest
from pydantic import BaseModel

from faithfulness_assert import Case, ConfigError, Grader, grade_many, to_frame
from faithfulness_assert.batch import run

ROWS: list[dict[str, Any]] = [
    {"id": "hours", "answer": "The museum opens at 9.", "context": "The museum opens at 9.", "topic": "time"},
    {"id": "price", "answer": "Adults pay 12 euros.", "context": "Adults pay 14 euros.", "topic": "money"},
    {"id": "empty", "answer": None, "context": "It is free.", "topic": None},
]  # fmt: skip
OUTCOMES = ["PASS", "FAIL", "ERROR"]


class Sample(BaseModel):
    """A sample as ragas has it."""

    user_input: str | None = None
    response: str | None
    retrieved_contexts: list[str]


def samples() -> list[Sample]:
    return [Sample(response=row["answer"], retrieved_contexts=[row["context"]]) for row in ROWS]


TABLES: dict[str, Any] = {
    "pandas": pandas.DataFrame(ROWS),
    "index": pandas.DataFrame(ROWS).set_index("id"),
    "polars": polars.DataFrame(ROWS),
    "pyarrow": pyarrow.Table.from_pylist(ROWS),
    "record batch": pyarrow.RecordBatch.from_pylist(ROWS),
    "ragas": samples(),
    "itertuples": pandas.DataFrame(ROWS).itertuples(),
    "dicts": ROWS,
    "cases": [*(Case.of(row) for row in ROWS[:2]), ROWS[2]],
    "iterator": (row for row in ROWS),
}


@pytest.mark.parametrize("cases", TABLES.values(), ids=list(TABLES))
def test_the_rows_of_any_table_are_graded(cases):
    results = grade_many(cases)
    assert [result.outcome for result in results] == OUTCOMES
    frame = results.to_frame()
    assert len(frame) == 3
    names = {"response", "retrieved_contexts"} & set(frame.columns) or {"answer", "context"}
    assert list(frame[max(names & {"answer", "response"})])[:2] == [
        row["answer"] for row in ROWS[:2]
    ]


def test_a_frame_and_a_file_are_read_by_the_same_names(tmp_path):
    frame = pandas.DataFrame(ROWS).rename(columns={"answer": "bot_reply", "context": "docs"})
    with pytest.warns(UserWarning, match="'bot_reply'; the context is read from 'docs'") as told:
        assert [result.outcome for result in grade_many(frame)] == OUTCOMES
    assert len(told) == 1
    frame.to_json(tmp_path / "rows.jsonl", orient="records", lines=True)
    lines = run(tmp_path / "rows.jsonl", tmp_path / "run").lines()
    assert [line.result.outcome for line in lines] == OUTCOMES


def test_numbers_are_texts_and_what_pads_a_list_of_passages_is_none():
    padded = [["It took 42 days.", None], ["It took 41.5 days.", None]]
    frame = pandas.DataFrame({"answer": [42, 41.5], "context": padded})
    first, second = grade_many(frame)
    assert [v.statement for v in (*first.verdicts, *second.verdicts)] == ["42", "41.5"]


@pytest.mark.parametrize("column", ["answer", "response", "bot_reply"])
def test_an_empty_cell_is_a_missing_field(column):
    texts = ["It is red."] * 3
    frame = pandas.DataFrame({"id": list("abc"), column: [*texts[:2], None], "context": texts})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        *_, last = grade_many(frame)
    assert (last.status, last.case_id) == ("invalid_input", "c")
    assert "answer: missing" in str(last.reason)


def test_a_frame_of_results_has_the_columns_of_the_cases_and_no_number_where_no_score_is_defined():
    frame = to_frame(grade_many(pandas.DataFrame(ROWS)))
    assert list(frame["score"][:2]) == [1.0, 0.0]
    assert math.isnan(frame["score"][2])
    assert str(frame["score"].dtype) == "float64"
    assert str(frame["pass"].dtype) == "bool"
    assert frame["statements"][1][0]["text"] == "Adults pay 12 euros."
    assert frame["statements"][1][0]["label"] == "not_enough_info"
    assert frame["reason"][1]
    assert frame["warnings"][0] == ""
    assert frame.groupby("topic")["score"].mean().to_dict() == {"money": 0.0, "time": 1.0}


def test_a_frame_of_results_has_the_index_of_the_frame_that_was_graded():
    frame = pandas.DataFrame(
        {"answer": ["It is red.", "It is blue.", "It is red."], "context": ["It is red."] * 3}
    )
    some = frame[1:].copy()
    results = grade_many(some)
    some["score"] = results.to_frame()["score"]
    assert dict(some["score"]) == {1: 0.0, 2: 1.0}
    results.sort(key=lambda result: -result.score)
    assert list(results.to_frame().index) == [2, 1]


def test_plain_lists_of_results_and_the_lines_of_a_run_become_frames(tmp_path):
    results = list(Grader().grade_many(ROWS))
    assert list(to_frame(results)["case_id"]) == ["hours", "price", "empty"]
    frame = to_frame(run(ROWS, tmp_path / "run").lines()).sort_values("case_id")
    assert list(frame["case_id"]) == ["empty", "hours", "price"]
    assert list(frame["topic"])[1:] == ["time", "money"]


@pytest.mark.parametrize(
    ("cases", "problem"),
    [
        (
            pandas.DataFrame({"said": ["a"], "context": ["b"]}),
            "no column for answer.* it has context, said. Rename the column that holds it",
        ),
        (polars.DataFrame({"answer": ["a"]}), "no column for context"),
        ({"train": pandas.DataFrame(ROWS)}, "must be an iterable of cases or a table, got dict"),
        ("cases.csv", "got str"),
        (polars.LazyFrame(ROWS), "got LazyFrame"),
        (
            pandas.DataFrame([["a", "b", "c"]], columns=["answer", "context", "context"]),
            "two columns have the name 'context'; rename one",
        ),
        (
            pyarrow.Table.from_arrays([["a"], ["b"], ["c"]], ["answer", "context", "context"]),
            "two columns have the name 'context'; rename one",
        ),
        (
            pandas.DataFrame([{"answer": "It is so.", "context": {"a": 1}}]),
            "no column for context. Looked for context, .*; it has answer",
        ),
        (
            pandas.DataFrame([{"answer": {"a": 1}, "context": "It is so."}]),
            "no column for answer. Looked for answer, .*; it has context",
        ),
    ],
)
def test_what_is_no_table_of_cases_is_refused_before_anything_is_asked(cases, problem):
    with pytest.raises(ConfigError, match=problem):
        grade_many(cases)


def test_what_is_no_result_is_refused():
    with pytest.raises(ConfigError, match="results: must be what grade_many returned, got int"):
        to_frame([1])
    with pytest.raises(ConfigError, match="library: must be pandas or polars"):
        to_frame([], "excel")


def test_results_keep_the_texts_of_their_cases_in_another_order():
    results = grade_many(ROWS)
    results.sort(key=lambda result: result.outcome)
    for copy in (results, pickle.loads(pickle.dumps(results))):
        frame = copy.to_frame()
        found = dict(zip(frame["case_id"], frame["context"], strict=True))
        assert found == {row["id"]: row["context"] for row in ROWS}
        assert list(frame["topic"])[1:] == ["money", "time"]
        assert list(frame["id"]) == list(frame["case_id"])
    results.pop()
    results.append(grade_many(ROWS[:1])[0])
    assert list(results.to_frame()["topic"].isna()) == [True, False, True]


@pytest.mark.parametrize(
    "missing", [None, float("nan"), pandas.NA, pandas.NaT, numpy.float64("nan")]
)
def test_what_is_missing_in_a_record_is_not_given(missing):
    """As in ``frame.to_dict("records")``, where an empty cell is NaN."""
    row = {**ROWS[0], "id": missing, "question": missing}
    (result,) = grade_many([row])
    assert (result.outcome, result.case_id) == ("PASS", "")
    (result,) = grade_many([{**row, "answer": missing}])
    assert "answer: missing" in result.reason
    assert result.case_id == ""


@pytest.mark.parametrize("value", [pandas.NaT, numpy.array(1), object(), {1, 2}, [1, "a", None]])
def test_a_frame_of_polars_has_the_same_values_and_takes_any_column(value):
    frame = grade_many([{**ROWS[0], "extra": value}, *ROWS[1:]]).to_frame("polars")
    assert frame.columns[:5] == ["id", "answer", "context", "topic", "extra"]
    assert frame["score"].to_list() == [1.0, 0.0, None]
    assert frame["topic"].to_list() == ["time", "money", None]
    assert frame["statements"].to_list()[1][0]["text"] == "Adults pay 12 euros."


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_an_empty_table_gives_an_empty_frame(library):
    for empty in (pandas.DataFrame(ROWS)[:0], polars.DataFrame(ROWS)[:0], []):
        frame = grade_many(empty).to_frame(library)
        assert len(frame) == 0
        assert "score" in frame.columns
