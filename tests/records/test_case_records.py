"""Records of other systems are cases; what is not part of a case is ignored and listed."""

import re

import pytest
from fakes import ScriptedJudge
from hypothesis import given
from hypothesis import strategies as st
from rows import rows

from faithfulness_assert import Case, ConfigError, grade, grade_many

ROWS = rows("records")
TEXT = "The tower is tall."


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["case"])
def test_a_record_is_read_as_a_case(row):
    if "refused" in row:
        with pytest.raises(ConfigError, match=row["refused"]):
            list(grade_many([row["record"]]))
        return
    (result,) = grade_many([row["record"]])
    assert result.status == ("invalid_input" if "error" in row else "graded")
    assert row.get("error", "").rstrip("?") in str(result.reason)
    warned = " ".join(result.metadata.get("warnings", ()))
    assert all(name in warned for name in row.get("ignored", ()))
    if "error" in row:
        with pytest.raises(ValueError, match=f"^{re.escape(row['error'])}$"):
            Case.of(row["record"])
        return
    case = Case.of(row["record"])
    assert (case.answer, case.question) == (TEXT, "How tall is it?")
    assert [(p.id, p.text) for p in case.context] == [(row.get("passage", "1"), TEXT)]
    assert case.id == row.get("id", "")
    assert list(case.ignored) == row["ignored"]
    assert not case.question_missing
    if "audit" in row:
        assert list(case.citation_audit.invalid_citations) == row["audit"]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, False),
        ({"question": None}, False),
        ({"question": ""}, False),
        ({"input": None}, True),
        ({"user_input": ""}, True),
        ({"query": " "}, True),
        ({"query": "Why?"}, False),
    ],
)
def test_a_case_knows_whether_the_question_of_a_record_is_missing(given, expected):
    assert Case(TEXT, TEXT, **given).question_missing is expected
    assert Case.of({"answer": TEXT, "context": TEXT, **given}).question_missing is expected


@pytest.mark.parametrize("policy", ["ragas", "deepeval", "axion"])
def test_a_missing_question_is_an_invalid_input_where_the_system_raises(policy):
    result = grade(TEXT, TEXT, judge=ScriptedJudge([""]), policy=policy, user_input="")
    assert (result.status, result.error and result.error.kind) == ("invalid_input", "input")
    assert result.reason == (
        f"Not graded: question: it is blank, and the policy {policy!r} needs one."
    )
    assert grade(TEXT, TEXT, judge=ScriptedJudge([""]), policy=policy).status == "unreadable"


@given(st.dictionaries(st.text(max_size=30), st.none() | st.integers() | st.text(), max_size=5))
def test_any_other_fields_are_ignored_or_an_input_error(other):
    try:
        case = Case.of({**other, "answer": TEXT, "context": TEXT})
    except ValueError as error:
        assert any(name[:60] in str(error) for name in other)
    else:
        assert case.answer == TEXT
        assert set(case.ignored) <= {name.replace("\ud800", "\ufffd") for name in other}
