"""Data sets: rows from any source, each with a unique id, nothing lost and nothing refused."""

import json
import sqlite3
from contextlib import closing
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faithfulness_assert import Case, ConfigError, Passage, grade_many
from faithfulness_assert.batch import open_data_set, run
from faithfulness_assert.conversations.plain_data import as_json

CASE = {"answer": "The shop is open.", "context": ["The shop is open."]}
NAMES = st.sampled_from(["answer", "self", "cls", "expected", "id", "row", "record"]) | st.text()
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)


def rows_of(source: Any, **mapping: str) -> list[Any]:
    return list(open_data_set(source, mapping=mapping).rows())


@given(st.lists(st.dictionaries(NAMES, JSON, max_size=4), max_size=5))
def test_every_record_becomes_a_row_of_plain_json_with_a_unique_id(records):
    rows = rows_of(records)
    assert [row.number for row in rows] == list(range(1, len(records) + 1))
    assert len({row.case_id for row in rows}) == len(rows)
    for row, record in zip(rows, records, strict=True):
        json.dumps([row.fields, row.columns], allow_nan=False, ensure_ascii=False).encode()
        if row.problem:
            assert "missing or null" in row.problem
        else:
            assert len(row.fields) + len(row.columns) + ("id" in record) >= len(as_json(record))


@given(st.lists(st.sampled_from(["a", "a#2", "2", "", None, 2, "a#2#2"]), max_size=12))
def test_ids_that_are_taken_get_a_number_and_a_note(ids):
    data_set = open_data_set([{**CASE, "id": id} for id in ids])
    rows = list(data_set.rows())
    assert len({row.case_id for row in rows}) == len(ids)
    changed = [
        row.case_id
        for row, id in zip(rows, ids, strict=True)
        if row.case_id != str("" if id is None else id or "") and id not in (None, "")
    ]
    told = " ".join(data_set.notes)
    assert not changed or "got a number after the id: row" in told
    assert [row.case_id for row in data_set.rows()] == [row.case_id for row in rows]


def test_unknown_columns_are_carried_along_and_never_refused():
    record = {**CASE, "id": 7, "self": 1, "expected": "x", "anser": "typo", "score": float("nan")}
    (row,) = rows_of([record])
    assert (row.case_id, dict(row.fields)) == ("7", CASE)
    assert row.columns == {"self": 1, "expected": "x", "anser": "typo", "score": None}


def test_a_mapped_column_is_the_only_one_for_its_field():
    said = {"text": "said", "tokens": 3}
    record = {"answer": "gold", "outputs": said, "docs": ["c"], "input": "why?"}
    (row,) = rows_of([record], answer="outputs.text", context="docs")
    assert row.fields == {"answer": "said", "context": ["c"], "question": "why?"}
    assert row.columns == {"answer": "gold", "outputs": {"tokens": 3}}


def frame(records: list[Any]) -> Any:
    return pytest.importorskip("pandas").DataFrame(records)


@pytest.mark.parametrize("form", [list, iter, frame])
def test_an_answer_beside_a_prediction_is_asked_about_in_any_form(tmp_path, form):
    record = {"answer": "It opens at 9.", "prediction": "At ten.", "context": "It opens at 9."}
    for graded in (grade_many, partial(run, directory=tmp_path / "a")):
        with pytest.raises(ConfigError, match="'answer' and 'prediction' differ"):
            graded(form([record]))
    outcome = run(form([record]), tmp_path / "b", mapping={"answer": "prediction"})
    assert (outcome.summary.passed, Case.of(record).answer) == (0, "It opens at 9.")


def test_cases_keep_their_fields():
    rows = rows_of([Case("a", [Passage("t", "9")], id="x"), Case("a", "c", input=None)])
    assert rows[0].case_id == "x"
    cases = [Case(**row.fields) for row in rows]
    assert cases[0].context == (Passage("t", "9"),)
    assert [case.question_missing for case in cases] == [False, True]


def test_lines_that_cannot_be_read_are_rows_that_say_where_and_why(tmp_path):
    good = json.dumps(CASE).encode()
    lines = [b"\xef\xbb\xbf" + good, b"", b'{"answer": "caf\xe9"}', b"[1]", good, b'{"answer": "cu']
    file = tmp_path / "rows.jsonl"
    file.write_bytes(b"\n".join(lines))
    rows = rows_of(file)
    assert [row.fields for row in rows if not row.problem] == [CASE, CASE]
    problems = [row.problem for row in rows if row.problem]
    assert problems[0].startswith("line 3: not UTF-8 text: byte 0xe9. Save the file")
    assert problems[1] == "line 4: must be an object with the fields of a case, got list"
    assert problems[2].startswith("line 6: invalid JSON: Unterminated string starting at character")
    assert problems[2].endswith("the file ends here, it may be cut off")


@pytest.mark.parametrize(
    ("mapping", "said"),
    [
        (["answer=reply"], r"mapping: .*must be"),
        ("answer=reply", r"mapping: .*must be"),
        ({"answer": 1}, r"mapping: .*must be"),
        ({"from": "mlflow"}, r"from: unknown system .* Known: ragaliq, ragas, deep"),
        ({"from": ""}, r"from: unknown system .* Known: ragaliq, ragas, deep"),
        ({"answer": "outputs["}, r"invalid JMESPath 'outputs.'"),
        ({"context": "{{docs}}"}, "such as vars.docs, docs"),
        ({"answer": "respons"}, "no column for answer: .* names no text in it; it has answer"),
    ],
)
def test_a_mapping_that_cannot_be_is_told(mapping, said):
    with pytest.raises(ConfigError, match=said):
        list(open_data_set([CASE], mapping=mapping).rows())


@pytest.mark.parametrize("source", ["no-such-file.jsonl", 3, None, {"answer": "a"}])
def test_a_source_that_is_no_data_set_is_the_callers_mistake(source):
    with pytest.raises(ConfigError):
        open_data_set(source)


def test_values_that_json_does_not_have_are_named_by_their_type():
    assert as_json({"a": [object()]}) == {"a": [{"<object: not plain data>": None}]}
    nested: list[Any] = []
    for _ in range(200):
        nested = [nested]
    assert "{'<list: nested more than 50 deep>': None}" in str(as_json(nested))


def test_what_is_no_record_is_a_row_that_says_so():
    rows = rows_of([CASE, 7, {"answer": object(), "context": "c"}])
    problem = "row 2: must be an object with the fields of a case, got int"
    assert [row.problem for row in rows[:2]] == ["", problem]
    assert rows[2].problem.endswith('has context, answer."<object: not plain data>"')
    Chunk = type("Chunk", (), {})  # noqa: N806 - a class of a user, with a word for texts
    _, foreign = rows_of([CASE, {**CASE, "context": [Chunk()]}])
    (result,) = grade_many([foreign.fields])
    assert result.error.message == (
        "context: passage 1 must have a string 'text', its keys are <Chunk: not plain data>."
    )
    assert open_data_set([CASE, {"answer": object()}]).described()
    assert open_data_set([{"answer": object()}]).fingerprints()


def test_rows_of_a_database_are_records():
    with closing(sqlite3.connect(":memory:")) as db:
        db.row_factory = sqlite3.Row
        (row,) = rows_of(db.execute("SELECT 'a' AS answer, 'c' AS context, 3 AS size"))
    assert (row.fields, row.columns) == ({"answer": "a", "context": "c"}, {"size": 3})


def test_the_citation_audit_in_a_state_of_masis_is_found():
    audit = {"invalid_citations": [], "uncited_claim_count": 0}
    state = {"final_answer": "a", "evidence": ["c"], "metrics": {"last_citation_audit": audit}}
    (row,) = rows_of([state])
    assert row.fields["citation_audit"] == audit
    assert row.columns == {}
