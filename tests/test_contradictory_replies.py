"""A reply that contradicts itself grants nothing; one whose summary agrees with its verdicts is read.

Each row of ``fixtures/contradictory_replies.jsonl`` has the labels that may be read; null is a
statement without a verdict.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from reply_rows import graded, rows, score_of

from faithfulness_assert import UnreadableReply, read_verdicts
from faithfulness_assert.reading import read
from faithfulness_assert.reading.contradictions.polarity import (
    kind_of,
    says_something,
    score_in,
    share_in,
    speaks_against,
)
from faithfulness_assert.reading.contradictions.remark_readers import prose_remarks, remarks_of
from faithfulness_assert.reading.contradictions.remarks import Remark, are_contradicted
from faithfulness_assert.reading.raw_verdict import RawVerdict

ROWS = rows("contradictory_replies")
YES, NO, PARTLY, AGAINST = "supported", "not_enough_info", "partially_supported", "contradicted"


def name_of(row: dict[str, Any]) -> str:
    return str(row["reply"])[-70:]


@pytest.mark.parametrize("row", ROWS, ids=name_of)
def test_only_labels_that_nothing_contradicts_are_read(row: dict[str, Any]) -> None:
    try:
        labels = read_verdicts(row["reply"], len(row["labels"]))
    except UnreadableReply:
        labels = [None] * len(row["labels"])
    assert labels == row["labels"]


@pytest.mark.parametrize("row", ROWS, ids=name_of)
def test_a_whole_grade_counts_only_those_labels(row: dict[str, Any]) -> None:
    result = graded(row["reply"], len(row["labels"]))
    assert result.score == pytest.approx(score_of(row["labels"]))
    assert result.pass_ == (row["labels"] == [YES] * len(row["labels"]))
    assert result.status == ("graded" if any(row["labels"]) else "unreadable")


def test_a_reply_of_which_nothing_is_left_says_so() -> None:
    reply = '{"verdicts":[{"id":1,"label":"supported"}]}\nOverall, the answer is not faithful.'
    with pytest.raises(
        UnreadableReply, match=r"^the judge's reply contradicts its own verdicts$"
    ) as caught:
        read(reply)
    assert (caught.value.kind, caught.value.retryable) == ("unreadable", True)


def test_negative_verdicts_of_such_a_reply_count() -> None:
    entries = [{"id": 1, "label": YES}, {"id": 2, "label": AGAINST}, {"id": 3, "label": YES}]
    reply = json.dumps({"verdicts": entries, "unsupported": [3]})
    assert read_verdicts(reply, 3) == [None, AGAINST, None]


# ---------------------------------------------------------------- remarks and verdicts


def entries_of(*labels: str | None, numbered: bool = True) -> list[RawVerdict]:
    return [RawVerdict(n if numbered else None, label=label) for n, label in enumerate(labels, 1)]


@pytest.mark.parametrize("numbered", [True, False])
@pytest.mark.parametrize(
    ("remark", "labels", "contradicted"),
    [
        (Remark(1), [YES, YES], True),
        (Remark(1), [YES, NO], False),
        (Remark(1), [YES, PARTLY], False),
        (Remark(1), [YES, None], True),
        (Remark(1), [NO, None], False),
        (Remark(2), [YES, NO], True),
        (Remark(2), [YES, NO, PARTLY], False),
        (Remark(1, worst=NO), [YES, PARTLY], True),
        (Remark(1, worst=NO), [PARTLY, PARTLY], False),
        (Remark(1, worst=AGAINST), [PARTLY, PARTLY], True),
        (Remark(1, worst=AGAINST), [YES, NO], False),
        (Remark(1, frozenset({2})), [YES, NO], False),
        (Remark(1, frozenset({1})), [YES, NO], True),
        (Remark(1, frozenset({1, 2})), [NO, NO, YES], False),
        (Remark(1, frozenset({9})), [YES, YES], True),
        (Remark(at_most=1), [YES, YES], True),
        (Remark(at_most=1), [YES, NO], False),
        (Remark(at_most=1), [YES, PARTLY], False),
        (Remark(1, at_most=0), [NO, PARTLY], True),
        (Remark(at_most=1, out_of=2), [YES, YES], True),
        (Remark(at_most=1, out_of=3), [YES, YES], False),
        (Remark(only=frozenset({1})), [YES, YES], True),
        (Remark(only=frozenset({1, 2})), [YES, YES], False),
        (Remark(), [YES, YES], False),
        (Remark(1), ["not_a_claim"], True),
        (Remark(5), [NO, None], False),
    ],
    ids=str,
)
def test_a_remark_contradicts_verdicts_that_grant_more(
    remark: Remark, labels: list[str | None], contradicted: bool, numbered: bool
) -> None:
    assert are_contradicted(entries_of(*labels, numbered=numbered), [remark]) is contradicted


def test_a_number_that_occurs_twice_counts_once() -> None:
    twice = entries_of(YES, NO) * 2
    assert not are_contradicted(twice, [Remark(at_most=1, out_of=2), Remark(1)])
    assert are_contradicted(twice, [Remark(2)])


# ---------------------------------------------------------------- keys and values


@pytest.mark.parametrize(
    ("keys", "kind"),
    [
        (
            """hallucinations contradictedcount isunsupported notverified partiallysupported errors
            mismatch issues failures unfaithful widersprüche falsch contradictions 矛盾 nonsoutenu
            nichtbelegt nopopart notconsistent""",
            "denying",
        ),
        (
            """verified matchescontext faithful passed nocontradictions nothallucinated
            errorfree truthful agrees incontext belegt soutenu 支持 fullysupported groundedness
            consistentwithsource evidencefound подтверждено""",
            "affirming",
        ),
        (
            """overallverdict score finalanswer result outcome status nli stance grade
            urteil 判定 overall rating totalscore""",
            "judging",
        ),
        ("comment notes explanation feedback", "remarking"),
        ("id category type background groundtruth passage field exactmatch language", "other"),
        ("confidence relevancescore probability similarity", "ignored"),
    ],
)
def test_a_key_has_a_kind_by_its_words(keys: str, kind: str) -> None:
    assert {key: kind_of(key) for key in keys.split()} == dict.fromkeys(keys.split(), kind)


@pytest.mark.parametrize(
    "value",
    [
        *(
            "",
            "none",
            "No.",
            "N/A",
            "no contradictions",
            "none found",
            "There were no errors.",
            "low",
        ),
        *("not detected", 0, 0.03, "3%", False, None, [], {}, ["none"], {"count": 0, "items": []}),
        {"detected": False, "note": "all fine"},
    ],
    ids=repr,
)
def test_an_empty_denial_says_nothing(value: object) -> None:
    assert not says_something(value)


@pytest.mark.parametrize(
    "value",
    [
        *("the date", "yes", "no mention of the date", "contradicted", "high", "80%"),
        *(
            1,
            0.5,
            True,
            ["x"],
            {"count": 1},
            {"detected": True, "note": ""},
            [{"id": 0, "text": "x"}],
        ),
    ],
    ids=repr,
)
def test_any_other_denial_says_something(value: object) -> None:
    assert says_something(value)


@pytest.mark.parametrize(
    ("text", "score", "share"),
    [
        ("0.2", 0.2, None),
        ("20%", 0.2, None),
        ("1/4", 0.25, (1, 4)),
        ("1 of 4", 0.25, (1, 4)),
        ("1 out of 4", 0.25, (1, 4)),
        ("(0,5)", 0.5, None),
        ("3", None, None),
        ("1/0", None, (1, 0)),
        ("0.2 or so", None, None),
        ("1" * 200, None, None),
    ],
)
def test_a_score_may_be_a_number_a_percentage_or_a_share(
    text: str, score: float | None, share: tuple[int, int] | None
) -> None:
    assert (score_in(text), share_in(text)) == (score, share)


@pytest.mark.parametrize(
    ("key", "value", "against"),
    [
        ("status", 0, False),
        ("status", "failed", True),
        ("score", 0, True),
        ("score", 3, False),
        ("faithfulness", 0.49, True),
        ("faithfulness", 0.5, False),
        ("category", "contradiction", True),
        ("category", "not_supported", True),
        ("category", "no", False),
        ("category", "neutral", False),
        ("nli", "neutral", True),
        ("verified", None, False),
        ("verified", "pending", False),
        ("result", "Paris", False),
        ("confidence", 0.1, False),
        ("x" * 100, False, False),
    ],
)
def test_a_value_speaks_against_support_by_the_kind_of_its_key(
    key: str, value: object, against: bool
) -> None:
    assert speaks_against(key, value) is against


@pytest.mark.parametrize(
    ("key", "value", "remarks"),
    [
        ("unsupported", [2, "S3"], [Remark(1, frozenset({2, 3}))]),
        ("unsupported", [{"id": 2, "why": "x"}], [Remark(1, frozenset({2}))]),
        ("hallucinations", ["a", "b"], [Remark(1)]),
        ("contradictions", 2, [Remark(2)]),
        ("supportedcount", 0, [Remark(at_most=0)]),
        ("supported", 2, [Remark(at_most=2)]),
        ("score", "1/2", [Remark(at_most=1, out_of=2)]),
        ("score", "2/2", []),
        ("supportedids", [1], [Remark(only=frozenset({1}))]),
        ("scores", {"1": 0.9, "2": 0.1}, [Remark(1, frozenset({2}))]),
        ("overallverdict", "contradicted", [Remark(1, worst=AGAINST)]),
        ("overallverdict", "unsupported", [Remark(1, worst=NO)]),
        ("overall", "FAIL", [Remark(1)]),
        ("question", "Is it not supported?", []),
    ],
)
def test_a_key_and_its_value_are_a_remark(key: str, value: object, remarks: list[Remark]) -> None:
    assert remarks_of(key, value) == remarks


# ---------------------------------------------------------------- prose


@pytest.mark.parametrize(
    "text",
    [
        "If a statement is not supported, I say so.",
        "Statements that are not supported would be labelled not_enough_info.",
        "None of the statements is contradicted.",
        "No statement is contradicted by the context.",
        "It isn't contradicted.",
        'The answer says "the claim is not supported".',
        "The tower is not open on Mondays.",
        "The report is false.",
        "Both statements are supported.",
        "2 of 2 statements are supported.",
        "Hallucinations: none",
        "Statement 2: The report is false.",
        "Es gibt keine Widersprüche.",
        "没有矛盾。",
        "",
    ],
)
def test_prose_that_denies_nothing_is_no_remark(text: str) -> None:
    assert [remark for remark in prose_remarks(text) if remark != Remark()] == []


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Statements 1 and 3 are not supported.", {1, 3}),
        ("Claim #2 is false.", {2}),
        ("The second statement is not mentioned in the context.", {2}),
        ("Statement 1 is supported, but statement 2 is not.", {2}),
        ("The context contradicts statement 3.", {3}),
        ("There is a contradiction in statement 4.", {4}),
        ("Aussage 2 wird widersprochen.", {2}),
        ("第2条陈述与上下文矛盾。", {2}),
        ("It is contradicted.", set()),
        ("Overall, this is unfaithful.", set()),
    ],
)
def test_a_denial_in_prose_names_its_statements(text: str, named: set[int]) -> None:
    assert {remark.named for remark in prose_remarks(text)} == {frozenset(named)}


def test_prose_of_great_length_speaks_against_all_verdicts() -> None:
    assert prose_remarks("x" * 50_000) == []
    assert prose_remarks("x" * 50_001) == [Remark(1)]
