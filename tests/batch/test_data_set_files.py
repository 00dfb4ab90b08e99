"""Files of data sets: every format gives the same rows, and bad parts cost only their own row."""

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT
from hypothesis import HealthCheck, example, given
from hypothesis import strategies as st
from strategies import examples

from faithfulness_assert import Case, ConfigError
from faithfulness_assert.batch import open_data_set
from faithfulness_assert.cases import json_files
from faithfulness_assert.cases.written_lists import read_list

FIXTURES = ROOT / "fixtures" / "data_sets"
EXPORTS = sorted(path.name for path in FIXTURES.iterdir())
CASES = [
    ("When does the shop open?", "The shop opens at nine.", "The shop opens at nine."),
    ("Is it open on Sunday?", "It is open on Sunday.", "The shop is closed on Sunday."),
]
CASE = {"answer": "The shop is open.", "context": ["The shop is open."]}
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=5,
)
RECORDS = st.lists(
    st.dictionaries(st.sampled_from(["answer", "x", "id"]), VALUES, min_size=1),
    min_size=1,
    max_size=4,
)


def fixture(name: str) -> Any:
    return json.loads((ROOT / "fixtures" / name).read_text(encoding="utf-8"))


slow_disk = examples(50, suppress_health_check=[HealthCheck.function_scoped_fixture])


def rows_of(file: Path, **mapping: str) -> list[Any]:
    return list(open_data_set(file, mapping=mapping).rows())


def contents(file: Path, **mapping: str) -> list[Any]:
    return [(row.case_id, row.fields, row.columns) for row in rows_of(file, **mapping)]


def problems(file: Path) -> list[str]:
    return [row.problem for row in rows_of(file) if row.problem]


# ---------------------------------------------------------------- exports


@pytest.mark.parametrize("name", EXPORTS)
def test_an_export_is_read_as_it_is(name):
    rows = rows_of(FIXTURES / name)
    cases = [Case(**row.fields) for row in rows]
    found = [(case.question, case.answer, case.context[0].text) for case in cases]
    if name == "phoenix.csv":  # Phoenix joins the documents
        found[0] = (*found[0][:2], found[0][2].split("\n")[0])
    assert found == CASES
    assert not any(row.problem for row in rows)
    assert all(row.columns for row in rows)


def test_where_two_systems_fit_one_says_which_it_is(tmp_path):
    file = tmp_path / "traces.jsonl"
    both = {"inputs": {"question": "q"}, "outputs": {"answer": "a", "context": "c"}}
    both |= {"input": "other q", "output": "other a", "metadata": {"context": "other c"}}
    both |= {"response": "third a", "retrieved_contexts": ["third c"], "actual_output": "fourth a"}
    file.write_text(json.dumps(both))
    answers = {
        system: rows_of(file, **({"from": system} if system else {}))[0].fields.get("answer")
        for system in ("", "langsmith", "langfuse", "ragas", "deepeval", "promptfoo")
    }
    assert list(answers.values()) == ["a", "a", "other a", "third a", "fourth a", None]
    assert rows_of(file, **{"from": "langfuse", "answer": "response"})[0].fields == {
        "answer": "third a",
        "question": "other q",
        "context": ["third c"],
    }
    assert (
        open_data_set(file).fingerprints()
        != open_data_set(file, mapping={"from": "ragas"}).fingerprints()
    )


@pytest.mark.parametrize("row", fixture("read_records.json"), ids=lambda row: row["why"])
def test_a_record_is_read_as_its_row_says(tmp_path, row):
    (tmp_path / "a.json").write_text(json.dumps(row["record"]))
    ((_, fields, columns),) = contents(tmp_path / "a.json", **row.get("map", {}))
    assert (fields, columns) == (row["fields"], row.get("columns", columns))


def test_a_mapping_goes_before_what_an_export_is_known_for_and_its_ids_stay():
    rows = rows_of(FIXTURES / "promptfoo.json", answer="prompt.raw")
    assert [row.case_id for row in rows] == ["0-0", "1-0"]
    assert rows[0].fields["answer"] == "Answer When does the shop open? from the notes"


# ---------------------------------------------------------------- JSON


@slow_disk
@given(records=RECORDS, indent=st.sampled_from([None, 0, 3]))
def test_a_json_list_gives_the_same_rows_as_the_records_on_lines(tmp_path, records, indent):
    lines, listed = tmp_path / "a.jsonl", tmp_path / "a.json"
    lines.write_text("".join(json.dumps(record) + "\n" for record in records))
    listed.write_text(json.dumps(records, indent=indent))
    assert contents(listed) == contents(lines)
    assert all("missing or null" in problem for problem in problems(listed))


@slow_disk
@given(records=RECORDS, data=st.data())
def test_a_json_list_that_is_cut_off_is_refused_with_the_place(tmp_path, records, data):
    cut = tmp_path / "cut.json"
    text = json.dumps(records)
    cut.write_text(text[: data.draw(st.integers(1, len(text) - 1))])
    with pytest.raises(ConfigError, match=r"invalid JSON: .* at line 1; .* may be cut off"):
        open_data_set(cut)


def test_a_text_that_is_not_utf8_costs_its_own_record_only(tmp_path):
    file = tmp_path / "mixed.json"
    good = json.dumps(CASE).encode()
    file.write_bytes(b"[" + good + b',{"answer": "caf\xe9"}, 7,' + good + b"]")
    first, second = problems(file)
    assert first.startswith("item 2: not UTF-8 text: byte 0xe9. Save the file as UTF-8, or name")
    assert second == "item 3: must be an object with the fields of a case, got int"


HOSTILE = {
    "items.json": ("[" + "[]," * 100 + "[]]", "none of the first 50 records can be read"),
    "deep.json": ("[" * 100_000, "invalid JSON: nested too deeply"),
    "cells.csv": ("," * 20_000 + "\n" + "," * 20_000, "has 20,001 columns, and 10,000 are read"),
    "values.jsonl": ('{"answer": [' + "[]," * 1_000_000 + "[]]}", "more than 2,000,000 values"),
    "values.json": ('[{"answer": [' + "[]," * 1_000_000 + "[]]}]", "more than 2,000,000 values"),
    "names.json": (json.dumps({str(n): {} for n in range(20_000)}), "more than 10,000 names"),
    "chat.json": (
        json.dumps(
            {"a": {"b": {"answer": "a", "log": [{"role": "user", "content": "q"}] * 90_000}}}
        ),
        "no column for context",
    ),
    "path.jsonl": (json.dumps({"x": [1] * 9}), "it lists more than 64 values"),
    "quotes.jsonl": (json.dumps({"x": '"' * 9}), "it lists more than 64 values"),
    "dots.jsonl": (json.dumps({"x": [1]}), "is longer than 2,000 characters"),
}


PATHS = {"path.jsonl": "|[@,@,@]", "quotes.jsonl": "|[@]|to_string(@)", "dots.jsonl": ".x" * 1_000}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_an_error_that_says_what_is_too_much(tmp_path, name):
    text, problem = HOSTILE[name]
    (tmp_path / name).write_text(text)
    mapping = {"context": f"x{PATHS[name] * 30}"} if name in PATHS else {}
    try:
        data_set = open_data_set(tmp_path / name, mapping=mapping)
        told = [row.problem for row in data_set.rows()] + data_set.notes
        data_set.check_cases()
    except ConfigError as error:
        told = [str(error)]
    assert problem.casefold() in " ".join(told).casefold()


def test_a_record_over_the_limit_is_a_row_that_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(json_files, "MAX_RECORD", 100)
    lines, listed = tmp_path / "a.jsonl", tmp_path / "a.json"
    small, large = json.dumps(CASE), json.dumps({"answer": "x" * 1000})
    lines.write_text(f"{small}\n{large}\n{small}")
    assert problems(lines) == ["line 2: over the limit of 100 characters"]
    assert len(rows_of(lines)) == 3
    monkeypatch.setattr(json_files, "MAX_DOCUMENT", 100)
    listed.write_text(f"[{small}, {large}]")
    with pytest.raises(ConfigError, match="100 characters; save its records as JSON lines"):
        open_data_set(listed)


# ---------------------------------------------------------------- CSV


@slow_disk
@given(cells=st.lists(st.tuples(TEXTS, TEXTS, TEXTS), min_size=1, max_size=4), bom=st.booleans())
def test_cells_of_a_csv_file_are_texts_as_they_are(tmp_path, cells, bom):
    file = tmp_path / "a.csv"
    with file.open("w", encoding="utf-8-sig" if bom else "utf-8", newline="") as text:
        writer = csv.writer(text, quoting=csv.QUOTE_ALL)
        writer.writerows([("answer", "context", "note"), *cells])
    rows = rows_of(file)
    assert [(row.fields["answer"], row.columns["note"]) for row in rows] == [
        (answer, note) for answer, _, note in cells
    ]


@slow_disk
@given(st.text(st.characters(exclude_categories=["C"]), min_size=1, max_size=12), st.booleans())
@example('context, "long" é\\', True)
@example('context, "long" é\\', False)
def test_a_column_of_any_name_is_found_by_its_quoted_jmespath(tmp_path, column, ascii_only):
    column = f"a{column}."  # white space around it is not of it
    with (tmp_path / "a.csv").open("w", encoding="utf-8", newline="") as text:
        csv.writer(text).writerows([("answer", column), ("a", '["b", "c"]')])
    path = json.dumps(column, ensure_ascii=ascii_only)
    for mapping in ({"context": column}, {"context": path}):
        (row,) = open_data_set(tmp_path / "a.csv", mapping=mapping).rows()
        assert row.fields["context"] == ["b", "c"]
    with pytest.raises(ConfigError, match="no column for context"):
        open_data_set(tmp_path / "a.csv", mapping={"context": json.dumps(f"x{column}")})


@pytest.mark.parametrize("row", fixture("csv_cells.json"), ids=lambda row: row["cell"])
def test_a_cell_of_the_context_is_a_list_only_if_it_is_one_as_a_whole(row):
    read, wanted = (Case("a", context) for context in (read_list(row["cell"]), row["context"]))
    assert [passage.text for passage in read.context] == [p.text for p in wanted.context]


@given(st.lists(st.text(max_size=6), max_size=4))
def test_a_list_that_python_or_json_writes_comes_back(texts):
    assert read_list(json.dumps(texts)) == texts
    assert read_list(repr(texts)) == texts


def test_bad_rows_of_a_csv_file_say_where_they_are(tmp_path):
    file = tmp_path / "bad.csv"
    rows = [b"answer,context", b"a,c", b"a", b"a,c,d", b'"x\ny",c', b"caf\xe9,c", b"", b'"a"b,c']
    file.write_bytes(b"\n".join([*rows, b'a,"never closed', b"a,c"]))
    assert [re.split(r"\. Save|: delete", problem)[0] for problem in problems(file)] == [
        "line 3: 1 cell, but the first line names 2 columns",
        "line 4: 3 cells, but the first line names 2 columns",
        "line 7: not UTF-8 text: byte 0xe9",
        "line 9: invalid CSV: ',' expected after '\"'",
        "lines 10 to 11: invalid CSV: unexpected end of data",
    ]
    assert [row.fields["answer"] for row in rows_of(file) if not row.problem] == ["a", "x\ny"]


def test_columns_that_are_there_but_not_in_the_first_rows_are_not_missed(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text("reply,context\nonly one cell\na,c\n")
    assert [row.problem == "" for row in rows_of(file, answer="reply")] == [False, True]


# ---------------------------------------------------------------- all files


@pytest.mark.parametrize(
    "row", fixture("unreadable_data_sets.json"), ids=lambda row: row["text"][:30]
)
def test_what_cannot_be_read_is_refused_at_once_or_costs_its_own_record(tmp_path, row):
    file = tmp_path / row["file"]
    file.write_text(row["text"], encoding="latin-1")
    if "problem" in row:
        assert problems(file)[-1].startswith(row["problem"])
    else:
        with pytest.raises(ConfigError, match=re.escape(row["error"])):
            open_data_set(file, mapping=row.get("map"))


@pytest.mark.parametrize("name", ["june", "june.jsonl"])
def test_a_folder_in_place_of_a_file_is_told(tmp_path, name):
    folder = tmp_path / name
    folder.mkdir()
    with pytest.raises(ConfigError, match=f"{name}: is a folder, and a file belongs here"):
        open_data_set(folder)
    (folder / "run.sqlite").touch()
    with pytest.raises(ConfigError, match=f"{name}: is the folder of a run, and a file belongs"):
        open_data_set(folder)


@pytest.mark.parametrize(
    ("end", "more", "is_start"), [("\n", "{}", True), ("", "\n{}", True), ("", "2}", False)]
)
def test_lines_that_were_added_leave_the_start_as_it_was(tmp_path, end, more, is_start):
    file, text = (
        tmp_path / "a.jsonl",
        '{"answer": "a"}\n{"answer": "b", "n": 1' + "}" * (more != "2}"),
    )
    file.write_text(text + end)
    _, before = open_data_set(file).fingerprints(2)
    file.write_text(text + end + more)
    start, whole = open_data_set(file).fingerprints(2, before)
    assert (start == before) is is_start
    assert whole != before
