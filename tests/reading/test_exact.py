"""A reply that is exactly what was asked for is read faster, and never read differently."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from faithfulness_assert.asking.schema import json_schema
from faithfulness_assert.reading.reconcile import read
from faithfulness_assert.reading.rows import exact_rows
from faithfulness_assert.records.judge import ReplyForm
from faithfulness_assert.records.model import LABELS

MANY, ONE = ReplyForm("verdicts", LABELS), ReplyForm("verdicts", LABELS, numbered=False)
WHY = ReplyForm("verdicts", LABELS, reasons="problems")
OTHERS = [
    ReplyForm("claims", numbered=False),
    ReplyForm("truths"),
    ReplyForm("reason"),
    ReplyForm("ratings", dimensions=("faithfulness", "relevance")),
]
KEYS = st.sampled_from(["id", "evidence", "label", "reason", "error", "statement", "verdicts"])
GAPS = st.sampled_from([(",", ":"), (", ", ": "), (" ,\n", " :\t")])
PIECES = st.sampled_from(
    [*'{}[],:"0197-.e ', '"id":2,', '"label":"no",', "true", "null", "\ufeff", ""]
)
SMALL = st.integers(0, 9) | st.integers(-(10**9) + 1, 10**9 - 1)
ANY = SMALL | st.integers() | st.sampled_from([10**9, -(10**9), 10**20])
WRONG = st.recursive(
    st.sampled_from([None, True, 1.0, -2, 9, "", "1", "no", "overall", *LABELS]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=6,
)  # fmt: skip


def entries(numbers: st.SearchStrategy[int]) -> st.SearchStrategy[list[dict[str, Any]]]:
    """Entries with numbers, or entries without."""
    parts = {"evidence": st.lists(numbers, max_size=4), "label": st.sampled_from(LABELS)}
    alike = (st.fixed_dictionaries({**id_, **parts}) for id_ in ({"id": numbers}, {}))
    return st.one_of(*(st.lists(entry, min_size=1, max_size=6) for entry in alike))


@st.composite
def almost_exact(draw: st.DrawFn) -> str:
    """An exact reply, or one with a wrong value, another key, or a few characters changed."""
    reply: dict[str, Any] = {"verdicts": draw(entries(ANY))}
    if draw(st.booleans()):
        for entry in reply["verdicts"]:
            entry["reason"] = draw(st.sampled_from(["", "It says so.", " Not\u00a0so.", 7]))
    if draw(st.booleans()):
        reply = {"ask": draw(st.sampled_from(["bcdf", "no", "k7f2", "", 1])), **reply}
    if draw(st.booleans()):
        reply["verdicts"][-1][draw(KEYS)] = draw(WRONG)
    text = json.dumps(reply, separators=draw(GAPS))
    for place, piece in draw(st.lists(st.tuples(st.integers(0, 300), PIECES), max_size=2)):
        at = place % (len(text) + 1)
        text = text[:at] + piece + text[at + draw(st.integers(0, 2)) :]
    return text


def conforms(text: str, form: ReplyForm) -> bool:
    """Whether a reply fits the schema of its ask. It may leave out its key, and reasons that may be empty."""
    value = json.loads(text)
    if isinstance(value, dict):
        value = {"ask": "", **value}
        entries = value.get("verdicts") if form.reasons == "problems" else None
        for entry in entries if isinstance(entries, list) else ():
            if isinstance(entry, dict):
                entry.setdefault("reason", "")
    return not list(Draft202012Validator(json_schema(form)).iter_errors(value))


@given(
    almost_exact(),
    st.sampled_from([MANY, ONE, WHY]),
    st.sampled_from([None, {}, {"yes": "contradicted"}, {"supported": "contradicted"}]),
)
def test_an_exact_reply_has_the_rows_that_the_full_reader_finds_and_no_residue(
    text: str, form: ReplyForm, labels: Any
) -> None:
    rows = exact_rows(text, form, labels)
    if rows is None:
        return
    full = read(text, labels)
    assert (full.rows, full.form, "".join(full.residue)) == (rows, "json", "")
    assert read(text, labels, form) == full._replace(residue=(), form="schema")
    assert conforms(text, form)


@given(entries(SMALL), GAPS)
def test_every_reply_of_numbers_and_labels_is_exact(
    said: list[dict[str, Any]], gaps: tuple[str, str]
) -> None:
    form = MANY if "id" in said[0] else ONE
    rows = exact_rows(json.dumps({"verdicts": said}, separators=gaps), form)
    assert [(row.number, list(row.evidence), row.label) for row in rows or ()] == [
        (entry.get("id"), entry["evidence"], entry["label"]) for entry in said
    ]


def test_a_form_with_other_labels_or_words_of_the_judge_has_no_exact_reply() -> None:
    exact = '{"verdicts":[{"id":1,"evidence":[2],"label":"supported"}]}'
    assert exact_rows(exact, MANY) is not None
    assert [form for form in (ONE, *OTHERS) if exact_rows(exact, form)] == []
    assert exact_rows(exact, MANY, {"supported": "contradicted"}) is None
