"""Results out: every format has every line, and no text of others breaks one."""

import csv
import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from strategies import examples

from faithfulness_assert import ConfigError, Grader
from faithfulness_assert.batch.outputs import check_output, write_results
from faithfulness_assert.batch.rows import Line

GRADER = Grader()
PASSED = GRADER.grade("The shop is open.", "The shop is open.")
FAILED = GRADER.grade("The shop sells 99 books.", "The shop is open.")
ERROR = GRADER.grade("The shop is open.")
HOSTILE = st.text(
    st.sampled_from("\0\x08\x1b\n\r\t<>&\"'%:,#=@-\ufffe\u2028\ud800]] a1é") | st.characters(),
    max_size=10,
)
TOLD = {"warnings": ["a; b", "=c"]}
FORMATS = [".jsonl", ".csv", ".xml", ".parquet"]
in_folder = examples(50, suppress_health_check=[HealthCheck.function_scoped_fixture])


def line_of(row: int, result: Any = PASSED, text: str = "", **columns: Any) -> Line:
    text = text.encode(errors="replace").decode()
    case_id = f"{row}{text}"
    result = replace(result, case_id=case_id, reason=f"{result.reason}{text}")
    return Line(case_id, row, "abc", columns, result)


LINES = st.lists(
    st.builds(
        lambda result, text: (result, text), st.sampled_from([PASSED, FAILED, ERROR]), HOSTILE
    ),
    max_size=6,
).map(lambda made: [line_of(row, *parts) for row, parts in enumerate(made, 1)])


def read_csv(file: Path) -> list[dict[str, str]]:
    with file.open(newline="", encoding="utf-8") as text:
        return list(csv.DictReader(text))


@in_folder
@given(lines=LINES)
def test_each_format_has_each_line_whatever_the_texts_are(tmp_path, lines):
    """JSON lines have the whole results, XML is valid and counts right, and no cell is a formula."""
    files = {suffix: tmp_path / f"out{suffix}" for suffix in FORMATS[:3]}
    for file in files.values():
        write_results(lines, file)
    assert list(map(Line.of_json, files[".jsonl"].read_bytes().splitlines())) == lines
    suite = ElementTree.parse(files[".xml"]).getroot()[0]
    assert len(suite) == len(lines) == int(suite.attrib["tests"])
    for tag, name in (("failure", "failures"), ("error", "errors")):
        assert len(suite.findall(f"testcase/{tag}")) == int(suite.attrib[name])
    rows = read_csv(files[".csv"])
    assert [row["row"] for row in rows] == [str(line.row) for line in lines]
    for case, row, line in zip(suite, rows, lines, strict=True):
        assert case.attrib["name"].startswith(str(line.row))
        assert (len(case) == 0) == line.result.pass_ == (row["pass"] == "true")
        assert bool(row["score"]) == line.result.defined
        assert bool(row["error"]) == (line.result.error is not None)
    cells = [cell for row in rows for cell in row.values()]
    assert not [cell for cell in cells if re.match(r"[=@\t\r]|[+-][^\d]", cell)]


def test_columns_of_the_data_set_are_columns_of_a_table(tmp_path):
    file = tmp_path / "out.csv"
    lines = [
        line_of(1, **{"expected": "x", "score": "mine", "tags": ["a"], "=1+1": None}),
        line_of(2, replace(PASSED, metadata=TOLD), expected="=HYPERLINK(1)", later=3),
        line_of(3, expected="-0.5"),
    ]
    write_results(lines, file)
    rows = read_csv(file)
    assert [row["expected"] for row in rows] == ["x", "'=HYPERLINK(1)", "-0.5"]
    assert [row["input.score"] for row in rows] == ["mine", "", ""]
    assert [row["tags"] for row in rows] == ['["a"]', "", ""]
    assert [row["columns_of_later_rows"] for row in rows] == ["", '{"later": 3}', ""]
    assert [row["score"] for row in rows] == ["1.0"] * 3
    assert [row["warnings"] for row in rows] == ["", "a; b\n'=c", ""]
    assert "'=1+1" in rows[0]


def test_a_parquet_file_has_typed_columns(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    lines = [line_of(1, expected="x"), line_of(2, ERROR), line_of(3, FAILED)]
    write_results([], tmp_path / "out.parquet")
    write_results(lines, tmp_path / "out.parquet")
    rows = parquet.read_table(tmp_path / "out.parquet").to_pylist()
    assert [row["row"] for row in rows] == [1, 2, 3]
    assert [row["score"] for row in rows] == [1.0, None, 0.0]
    assert [row["pass"] for row in rows] == [True, False, False]
    assert [row["expected"] for row in rows] == ["x", None, None]
    assert rows[1]["error"].startswith("input: ")


@pytest.mark.parametrize("suffix", FORMATS[:3])
def test_a_file_stays_as_it_is_until_the_new_one_is_complete(tmp_path, suffix):
    file = tmp_path / f"out{suffix}"
    file.write_text("old")

    def lines() -> Iterator[Line]:
        yield line_of(1)
        raise OSError(28, "No space left on device")

    with pytest.raises(ConfigError, match="cannot be written: No space left on device"):
        write_results(lines(), file)
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [(file.name, "old")]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("out.xlsx", r"unknown kind of file. Known: \.jsonl, \.csv"),
        ("nowhere/out.csv", "there is no folder"),
    ],
)
def test_an_output_that_cannot_be_is_refused_before_anything_is_read(tmp_path, name, said):
    def lines() -> Iterator[Line]:
        pytest.fail("it was read")
        yield

    with pytest.raises(ConfigError, match=said):
        write_results(lines(), tmp_path / name)


def test_that_pyarrow_is_missing_is_said_before_a_run(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(ConfigError, match=r"pip install 'faithfulness-assert\[parquet\]'"):
        check_output(tmp_path / "out.parquet")
