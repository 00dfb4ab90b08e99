"""Each statement gets one finding, by number, or by place where that is safe; nothing is guessed."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rows import rows

from faithfulness_assert import UnreadableReply, read_verdicts
from faithfulness_assert.reading.reconcile import CREDITED, Finding, agreed, read, settle
from faithfulness_assert.reading.rows import Reading, Row
from faithfulness_assert.records.model import LABELS

from .reply_rows import SENTENCES

YES, NO, AGAINST = "supported", "not_enough_info", "contradicted"
MATCHED = rows("matched_rows")["rows"]


def found(
    said: list[tuple[int | None, str | None]], asked: list[int], **options: bool
) -> list[str | None]:
    """The label of each statement, or why it has none; statements are asked under these numbers."""
    reading = Reading(tuple(Row(number, label) for number, label in said))
    settled = settle(reading, {n: SENTENCES[n % 10] for n in asked}, **options)
    return [settled.findings[n].label or settled.findings[n].unresolved for n in asked]


@pytest.mark.parametrize("row", MATCHED, ids=lambda row: str((row["said"], row["asked"])))
def test_a_verdict_belongs_to_its_number_or_else_to_its_place(row):
    """Entries that repeat a number agree, or none counts. What was not asked spoils the rest,
    unless each that was asked has its entry, and the others deny nothing.

    Without numbers they count by place, if there are as many as statements.
    """
    assert found(row["said"], row["asked"]) == row["expected"]


def test_places_count_only_in_the_first_ask_and_where_the_counts_agree():
    for said, options in (
        ([(None, YES)], {}),
        ([(None, NO)] * 3, {}),
        ([(None, YES)] * 3, {"prefix": True}),
        ([(None, YES)] * 2, {"by_position": False}),
        ([(None, YES)], {"by_position": False, "prefix": True}),
    ):
        with pytest.raises(UnreadableReply, match=r"unnumbered verdicts? for 2 statements"):
            found(said, [1, 2], **options)
    assert found([(None, YES)], [1, 2], prefix=True) == [YES, "missing"]
    assert found([(1, YES), (None, YES)], [1, 2], prefix=True) == [YES, "missing"]
    assert found([(1, YES), (None, NO)], [1, 2], prefix=True) == ["invalid", "missing"]


def test_whether_a_statement_is_no_claim_is_not_decided_by_a_reason_that_calls_it_false():
    for label, expected in ((YES, "invalid"), ("not_a_claim", "not_a_claim")):
        row = Row(1, label, reason="This is false.")
        [found] = settle(Reading((row,)), {1: SENTENCES[0]}).findings.values()
        assert (found.label or found.unresolved) == expected


def test_one_text_under_two_numbers_with_opposite_labels_earns_nothing():
    text = SENTENCES[1]
    reading = Reading((Row(1, YES, statement=text), Row(2, NO, statement=text)))
    findings = settle(reading, {1: text, 2: SENTENCES[2]}).findings
    assert findings[1].unresolved == "invalid"


def test_numbers_that_were_not_asked_are_counted_and_what_is_denied_is_told():
    reply = json.dumps([{"id": n, "label": label} for n, label in ((3, YES), (1, NO), (2, YES))])
    settled = settle(read(f"{reply}\nStatement 9 is wrong."), {3: SENTENCES[3]})
    assert (settled.denied, settled.ignored) == ({1, 9}, 2)
    assert settled.findings[3].unresolved == "invalid"


def test_a_line_that_is_its_statement_is_no_verdict():
    texts = {1: "Is aspirin safe: yes", 2: "No: it is sold to adults."}
    echo = "\n".join(f"{number}. {text}" for number, text in texts.items())
    assert {f.unresolved for f in settle(read(echo), texts).findings.values()} == {"invalid"}
    judged = settle(read(echo.replace("yes", "yes: no").replace("No:", "No, No:")), texts).findings
    assert [finding.label for finding in judged.values()] == [NO, NO]


def test_a_repeated_statement_must_be_the_one_with_that_number():
    texts = dict(enumerate(SENTENCES[:2], 1))
    entries = [{"id": n, "statement": SENTENCES[2 - n], "label": YES} for n in texts]
    assert not any(f.label for f in settle(read(json.dumps(entries)), texts).findings.values())
    entries = [{"statement": text, "label": YES} for text in texts.values()]
    assert all(f.label for f in settle(read(json.dumps(entries)), texts).findings.values())


def test_evidence_quote_reason_and_remark_are_kept():
    entry = {"id": 1, "evidence": [3, "the text"], "reason": "It says so.", "label": YES}
    assert settle(read(json.dumps([entry])), {1: "It is."}).findings[1] == Finding(
        YES, None, (3,), "the text", "It says so."
    )
    denied = read(json.dumps([entry | {"reason": "Not so."}]))
    assert settle(denied, {1: "It is."}).findings[1] == Finding(
        unresolved="invalid", remark="Not so.", reason="Not so.", opened=YES
    )
    both = [Finding(YES, None, (1, 2), reason="one"), Finding(YES, None, (2, 3), reason="two")]
    assert agreed(both) == Finding(YES, None, (1, 2, 3), reason="one")


@given(
    st.integers(0, 1000),
    st.sampled_from([lambda n: n / 1000, lambda n: f"{n / 10} %", lambda n: str(n / 1000)]),
    st.sampled_from(["confidence", "Confidence_Score", "certainty", "probability"]),
    st.sampled_from(LABELS),
)
def test_a_low_confidence_is_a_doubt(thousandths, written, key, label):
    """A judge that finds its label no more likely than not has not granted it."""
    entry = {"id": 1, "label": label, key: written(thousandths)}
    finding = settle(read(json.dumps([entry])), {1: "It is red."}).findings[1]
    if label in CREDITED and thousandths <= 500:
        assert finding.unresolved == "invalid"
        assert "low" in finding.remark
    else:
        assert finding.label == label


@given(
    st.lists(
        st.builds(
            Row,
            st.none() | st.integers(-1, 9),
            st.none() | st.sampled_from(LABELS),
            statement=st.sampled_from(["", *SENTENCES[:2]]),
            reason=st.sampled_from(["", "It says so.", "Not so."]),
        ),
        max_size=9,
    ),
    st.lists(st.integers(1, 9), min_size=1, max_size=5, unique=True),
    st.booleans(),
    st.booleans(),
)
def test_each_statement_has_one_finding_and_no_more_credit_than_the_rows_give(
    rows, asked, by_position, prefix
):
    texts = {n: SENTENCES[n] for n in asked}
    try:
        settled = settle(Reading(tuple(rows)), texts, by_position=by_position, prefix=prefix)
    except UnreadableReply:
        return
    assert settled.findings.keys() == texts.keys()
    assert all((f.label is None) != (f.unresolved is None) for f in settled.findings.values())
    credited = {n: f.label for n, f in settled.findings.items() if f.label in CREDITED}
    assert len(credited) <= sum(row.label in CREDITED for row in rows)
    numbers = {row.number for row in rows} - {None}
    others = {row.label for row in rows if row.number not in (None, *asked)}
    covers = len(asked) > 1 and numbers >= set(asked)
    assert not credited or covers or numbers <= set(asked)
    assert not credited or others <= CREDITED | {NO}
    for number, label in credited.items():
        own = {row.label for row in rows if row.number == number}
        assert own == {label} or (not own and (by_position or len(asked) == 1))


def test_read_verdicts_gives_a_label_or_none_for_each_statement():
    entries = [{"id": 3, "label": "supported"}, {"id": 1, "label": "perhaps"}]
    assert read_verdicts(json.dumps({"verdicts": entries}), 3) == [None, None, YES]
    assert read_verdicts("Yes\nNo", 2) == [YES, NO]
    assert read_verdicts("Yes, it is stated there.", 1) == [YES]
    for count in (0, -1, True, 1.5, "2"):
        with pytest.raises(ValueError, match="n_statements: must be a positive integer"):
            read_verdicts("yes", count)
    for reply in ("", "null", "[]", '[{"id":1,"label":"perhaps"}]', "Hello there"):
        with pytest.raises(UnreadableReply):
            read_verdicts(reply, 1)
