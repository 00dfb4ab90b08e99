"""A row of a data set and a line of the results."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faithfulness_assert import Grader
from faithfulness_assert.batch.rows import Line, Row, digest, read_lines

TEXTS = st.text(min_size=1, max_size=60)
JSON = st.recursive(st.none() | st.booleans() | st.integers() | TEXTS, st.lists, max_leaves=5)
GRADER = Grader()


@given(case_id=TEXTS, answer=TEXTS, columns=st.dictionaries(TEXTS, JSON, max_size=3))
def test_a_line_has_all_of_the_result_and_comes_back_the_same(
    case_id: str, answer: str, columns: dict[str, object]
) -> None:
    result = GRADER.grade(answer, "The shop is open.", id=case_id)
    line = Line(result.case_id, 7, "abc", columns, result)
    text = line.to_json()
    assert "\n" not in text
    assert list(json.loads(text))[:2] == ["case_id", "row"]
    assert Line.of_json(text) == line
    assert list(read_lines([text, "  \n", text.encode()])) == [line, line]


@pytest.mark.parametrize("text", ["", "{", "[]", "3", '{"case_id": "1"}', '{"row": 1}'])
def test_another_text_is_no_line(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - JSON's errors have their own words
        Line.of_json(text)


def test_rows_with_another_case_have_another_digest() -> None:
    row = Row(1, "a", {"answer": "x", "context": ["y"]})
    assert digest(row) == digest(row._replace(number=2, case_id="b", columns={"c": 1}))
    assert digest(row) == digest(row._replace(fields={"context": ["y"], "answer": "x"}))
    assert digest(row) != digest(row._replace(fields={"answer": "x", "context": ["z"]}))
    assert digest(row) != digest(row._replace(fields={}, problem="line 1: no JSON"))
