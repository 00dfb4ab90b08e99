"""Where the cases are in the files of others: the list of records, and the keys of its fields."""

import ast
import json

import pytest
from conftest import ROOT
from hypothesis import example, given
from hypothesis import strategies as st

from faithfulness_assert import Case, ConfigError
from faithfulness_assert.batch import open_data_set

SHAPES = json.loads((ROOT / "fixtures" / "found_records.json").read_text(encoding="utf-8"))
ANSWER, CONTEXT, QUESTION = "It opens at 9.", "The pool opens at 9 in the morning.", "When?"


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape["case"])
def test_a_file_is_read_right_or_says_what_to_add(tmp_path, shape):
    file = tmp_path / shape.get("file", "a.json")
    file.write_text(json.dumps(shape["content"]))
    try:
        data_set = open_data_set(file, mapping=shape.get("map"))
        data_set.check_cases()
    except ConfigError as error:
        assert shape.get("error", "no error") in str(error)
        return
    (row,) = data_set.rows()
    assert shape.get("problem", "") in row.problem
    if not row.problem:
        case = Case.of(row.fields)
        assert (case.answer, case.question) == (ANSWER, shape.get("question", QUESTION))
        text = "".join(passage.text for passage in case.context[:1])
        assert shape["text"] in text if "text" in shape else text == CONTEXT
        assert row.case_id == shape.get("id", "1")
    assert "error" not in shape
    assert shape.get("note", "") in " ".join(data_set.notes)


def test_a_record_of_a_system_without_a_field_names_what_could_be_it():
    used = {"tokenUsage": {f"kind_{n}": n for n in range(60)}, "output": ANSWER}
    rows = [
        {"vars": {"context": CONTEXT}, "promptIdx": 0, "response": used},
        {"vars": {}, "promptIdx": 0, "response": {**used, "metadata": {"retrieved": [CONTEXT]}}},
    ]
    *_, problem = (row.problem for row in open_data_set(rows).rows())
    assert "it is read from vars.context, vars.retrieved_contexts, vars.contexts and " in problem
    assert "45 more; this record has response.output, response.metadata.retrieved" in problem


def test_records_by_their_ids_are_found_far_inside_and_each_step_reads_all(tmp_path):
    file = tmp_path / "a.json"
    first = {"answer": ANSWER, "context": CONTEXT}
    runs = {"a": first, "b": {"answer": "It is free.", "context": "The pool is free today."}}
    file.write_text(json.dumps({"meta": {"n": 1}, "runs": runs}))
    assert [row.case_id for row in open_data_set(file).rows()] == ["a", "b"]
    file.write_text(json.dumps({"runs": {"a": {"cases": [first]}, "b": {"cases": [first]}}}))
    assert len(list(open_data_set(file, mapping={"records": "runs.*.cases"}).rows())) == 2


def test_a_record_without_a_field_of_the_others_names_its_own_keys(tmp_path):
    ours, ragas = {"answer": ANSWER, "context": CONTEXT}, {"response": ANSWER, "context": CONTEXT}
    file = tmp_path / "a.jsonl"
    for records, read, has in (
        ([{**ragas, "answer": "At ten."}, ours], "response", "answer, context"),
        (
            [ours, {"ansr": "At ten.", "context": CONTEXT}],
            "answer, response, actual_output and 1 more",
            "ansr, context",
        ),
    ):
        file.write_text("\n".join(map(json.dumps, records)))
        first, second = open_data_set(file).rows()
        assert Case.of(first.fields).answer == ANSWER
        told = f"line 2: answer: missing or null; it is read from {read}; this record has {has}"
        assert second.problem == told
        mapping = {"answer": 'response || answer || "Model reply" || ansr'}
        assert not any(row.problem for row in open_data_set(file, mapping=mapping).rows())


@given(st.lists(st.text(max_size=12), min_size=2, max_size=2, unique=True))
@example([" ", "b c"])
@example(["ä", "1"])
@example(["a.b", "a[]"])
@example(["]'", '"\\'])
def test_a_path_that_is_proposed_can_be_typed_and_finds_its_columns(ends):
    texts = ["The pool opens at 9 in the morning.", "It is free for children today."]
    record = {f"context ({end}": text for end, text in zip(ends, texts, strict=True)}
    record |= {"answer": ANSWER}
    with pytest.raises(ConfigError, match="which is the context") as refused:
        open_data_set([record]).check_cases()
    uses = str(refused.value).partition(". Use ")[2].split(" or mapping=")
    for use, wanted in zip(uses, texts, strict=True):
        path = ast.literal_eval(use.removeprefix("mapping="))["context"]
        assert path == path.strip()  # as the command line reads it
        (row,) = open_data_set([record], mapping={"context": path}).rows()
        assert [passage.text for passage in Case.of(row.fields).context] == [wanted]


def test_a_note_names_the_other_column_of_the_same_kind():
    record = {"Model reply": ANSWER, "Second reply": "It is shut.", "context": CONTEXT}
    described = open_data_set([record]).described()
    assert "the answer is read from 'Model reply', not 'Second reply'" in described


def test_an_ideal_context_is_none():
    run = {"input": QUESTION, "actual_output": ANSWER, "context": ["It opens at nine."]}
    records = [{**run, "retrieval_context": [CONTEXT]}, {**run, "retrieval_context": None}]
    read, lacks = open_data_set(records).rows()
    assert Case.of(read.fields).context[0].text == CONTEXT
    assert "context: missing or null; it is read from retrieval_context" in lacks.problem
