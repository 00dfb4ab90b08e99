"""A reply that is exactly what was asked for is read faster, and never read differently."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from faithfulness_assert.asking.schema import json_schema, schema_errors
from faithfulness_assert.policy.presets import policies
from faithfulness_assert.reading import read
from faithfulness_assert.reading.json_replies.plain_replies import plain_verdicts
from faithfulness_assert.records.ask import ReplyForm
from faithfulness_assert.records.model import LABELS

FORM = ReplyForm("verdicts", LABELS)
FORMS = [
    FORM,
    ReplyForm("verdicts", LABELS[:4], reasons=True),
    ReplyForm("claims_and_verdicts", LABELS),
    ReplyForm("claims"),
    ReplyForm("truths"),
    ReplyForm("reason"),
    ReplyForm("ratings", dimensions=("faithfulness", "relevance")),
]

_numbers = st.integers(0, 9) | st.integers() | st.sampled_from([10**9 - 1, 10**9, -(10**9), 10**20])
_entries = st.fixed_dictionaries(
    {"id": _numbers, "evidence": st.lists(_numbers, max_size=4), "label": st.sampled_from(LABELS)}
)
_plain = st.lists(_entries, max_size=6).map(lambda entries: {"verdicts": entries})
_json = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 9)
    | st.just(1.0)
    | st.sampled_from(["", "1", "no", "overall", *LABELS]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["id", "label", "verdicts", "claim", "error"]), inner, max_size=3
        )
    ),
    max_leaves=6,
)
_gaps = st.sampled_from([(",", ":"), (", ", ": "), (" ,\n", " :\t")])
_edits = st.lists(
    st.tuples(
        st.integers(0, 300),
        st.sampled_from(
            [*'{}[],:"0197-.e ', '"id":2,', '"label":"contradicted",', "true", "null", "\ufeff", ""]
        ),
    ),
    max_size=2,
)


@st.composite
def almost_plain(draw: st.DrawFn) -> str:
    """A plain reply, or one with a wrong value, another key, or a few characters changed."""
    reply: dict[str, Any] = draw(_plain)
    if draw(st.booleans()) and reply["verdicts"]:
        reply["verdicts"][-1][
            draw(st.sampled_from(["id", "evidence", "label", "reason", "error", "statement"]))
        ] = draw(_json)
    text = json.dumps(reply, separators=draw(_gaps))
    for place, piece in draw(_edits):
        text = (
            text[: place % (len(text) + 1)]
            + piece
            + text[place % (len(text) + 1) + draw(st.integers(0, 2)) :]
        )
    return text


def conforms(text: str, form: ReplyForm) -> bool:
    return not list(Draft202012Validator(json_schema(form)).iter_errors(json.loads(text)))


@given(
    almost_plain(),
    st.sampled_from([None, {}, {"yes": "contradicted"}, {"supported": "contradicted"}]),
)
def test_a_plain_reply_has_the_verdicts_that_the_full_reader_finds(text: str, labels: Any) -> None:
    verdicts = plain_verdicts(text, FORM, labels)
    if verdicts is None:
        return
    full = read(text, labels)
    assert (full.verdicts, full.form) == (verdicts, "json")
    assert conforms(text, FORM)


@given(
    st.lists(
        _entries.filter(lambda e: all(abs(n) < 10**9 for n in (e["id"], *e["evidence"]))),
        min_size=1,
    ),
    _gaps,
)
def test_every_reply_of_numbers_and_labels_is_plain(
    entries: list[dict[str, Any]], gaps: tuple[str, str]
) -> None:
    verdicts = plain_verdicts(json.dumps({"verdicts": entries}, separators=gaps), FORM)
    assert verdicts is not None
    assert [
        {"id": v.id, "evidence": list(v.evidence), "label": v.label} for v in verdicts
    ] == entries


ENTRY = '{"id":1,"evidence":[2],"label":"supported"}'


@pytest.mark.parametrize(
    "text",
    [
        '{"verdicts":[]}',
        '{"verdicts":[' + ENTRY.replace("supported", "sure") + "]}",
        '{"verdicts":[' + ENTRY.replace("1", "true") + "]}",
        '{"verdicts":[' + ENTRY.replace("2", "2.0") + "]}",
        '{"verdicts":[' + ENTRY.replace('"id":1', '"id":1,"id":1') + "]}",
        '{"verdicts":[' + ENTRY + '],"verdicts":[' + ENTRY + "]}",
        '{"verdicts":[' + ENTRY + '],"error":"none"}',
        '{"verdicts":[["id",1],["evidence",[2]],["label","supported"]]}',
        "[" + ENTRY + "]",
        "Here it is: " + '{"verdicts":[' + ENTRY + "]}",
    ],
)
def test_any_other_reply_is_left_to_the_full_reader(text: str) -> None:
    assert plain_verdicts(text, FORM) is None


def test_a_reply_with_words_of_the_judge_is_left_to_the_full_reader() -> None:
    entry = {"id": 1, "evidence": [2], "reason": "It is not in the context.", "label": "supported"}
    text = json.dumps({"verdicts": [entry]})
    assert plain_verdicts(text, ReplyForm("verdicts", LABELS, reasons=True)) is None
    assert (
        plain_verdicts('{"verdicts":[' + ENTRY + "]}", ReplyForm("claims_and_verdicts", LABELS))
        is None
    )


@pytest.mark.parametrize("policy", policies.values(), ids=policies.keys())
def test_the_form_changes_no_verdict_under_any_policy(policy: Any) -> None:
    text = json.dumps(
        {
            "verdicts": [
                {"id": n, "evidence": [n], "label": label} for n, label in enumerate(LABELS, 1)
            ]
        }
    )
    assert read(text, policy.labels, FORM).verdicts == read(text, policy.labels).verdicts


# ---------------------------------------------------------------- the schema


@given(st.sampled_from(FORMS), st.data())
def test_a_reply_breaks_its_schema_exactly_where_jsonschema_says_so(
    form: ReplyForm, data: st.DataObject
) -> None:
    text = data.draw(
        almost_plain() | _json.map(json.dumps) | _values(json_schema(form)).map(json.dumps)
    )
    try:
        expected = conforms(text, form)
    except ValueError:
        expected = False
    assert (schema_errors(text, form) == ()) == expected


def _values(schema: Any) -> st.SearchStrategy[Any]:
    """Values of a schema, some with a wrong part."""
    if schema["type"] == "object":
        parts = {name: _values(inner) for name, inner in schema["properties"].items()}
        right: Any = st.fixed_dictionaries(parts)
    elif schema["type"] == "array":
        right = st.lists(_values(schema["items"]), max_size=3)
    elif "enum" in schema:
        right = st.sampled_from(schema["enum"])
    else:
        right = {
            "integer": st.integers(),
            "number": st.integers() | st.floats(),
            "string": st.text(max_size=4),
        }[schema["type"]]
    return st.one_of(*[right] * 9, _json)
