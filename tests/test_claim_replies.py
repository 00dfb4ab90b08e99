"""A refusal and a remark are not claims, and a claim keeps its words.

Each row of ``fixtures/claim_replies.jsonl`` has the claims with the numbers of their sentences, or
the kind of the error.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from fakes import ScriptedJudge, verdicts_json
from reply_rows import SENTENCES, rows

from faithfulness_assert import UnreadableReply, grade
from faithfulness_assert.reading import read_claims
from faithfulness_assert.reading.claim_remarks import is_no_claim, is_refused_claim, says_no_claims

ROWS = rows("claim_replies")
ANSWER = " ".join(SENTENCES[:2])


def name_of(row: dict[str, Any]) -> str:
    return str(row["reply"])[:70]


@pytest.mark.parametrize("row", ROWS, ids=name_of)
def test_claims_remarks_and_refusals_are_told_apart(row: dict[str, Any]) -> None:
    try:
        read: dict[str, Any] = {"claims": [list(claim) for claim in read_claims(row["reply"])]}
    except UnreadableReply as error:
        read = {"error": error.kind}
    assert read == {key: value for key, value in row.items() if key != "reply"}


@pytest.mark.parametrize("row", [row for row in ROWS if row.get("error") == "refusal"], ids=name_of)
def test_a_refusal_ends_a_whole_grade_as_one(row: dict[str, Any]) -> None:
    result = grade(ANSWER, ANSWER, policy="ragaliq", judge=ScriptedJudge([row["reply"]]))
    assert (result.status, result.defined, result.pass_) == ("judge_refused", False, False)


@pytest.mark.parametrize("policy", ["deepeval", "ragaliq", "axion", "ragas"])
@pytest.mark.parametrize(
    "reply",
    [
        "I cannot break this down.",
        '{"sentences":[{"id":1,"claims":["I cannot break this down."]}]}',
        '{"claims":["There are no claims."]}',
        '{"sentences":[{"id":1,"claims":["No claims found."]},{"id":2,"claims":["N/A"]}]}',
    ],
)
def test_no_remark_is_ever_a_statement_of_a_grade(policy: str, reply: str) -> None:
    judge = ScriptedJudge([reply, reply, verdicts_json({1: "supported", 2: "contradicted"})])
    result = grade(ANSWER, ANSWER, question="What is it like?", policy=policy, judge=judge)
    assert {verdict.statement for verdict in result.verdicts} <= set(SENTENCES)


@pytest.mark.parametrize(
    ("text", "none"),
    [
        ("There are no claims.", True),
        ("No verifiable facts were found in the text.", True),
        ("This sentence does not make any factual claims.", True),
        ("The answer contains no checkable information.", True),
        ("**No claims**", True),
        ("There are no claims against the company.", False),
        ("There are no facts about Rome.", False),
        ("No information is given.", False),
        ("No statements were made.", False),
        ("There are no claims. It rains.", False),
        ("None", False),
        ("There are no claims" + " " * 150, False),
    ],
)
def test_a_remark_that_there_are_no_claims_is_unmistakable(text: str, none: bool) -> None:
    assert says_no_claims(text) is none


def test_an_item_of_a_list_may_say_none() -> None:
    assert all(map(is_no_claim, ("None", "n/a", "(none)", "No claims.")))
    assert not any(map(is_no_claim, ("None of it is free.", "x" * 200, "no" * 100)))


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        ("I cannot break this down.", True),
        ("I'm sorry, but I can't help with that.", True),
        ("I don't know.", True),
        ("I can't help with that, but the shop is open.", False),
        ("I can't help with that. The shop is open.", False),
        ("The shop cannot help.", False),
        ("The shop is open.", False),
    ],
)
def test_a_claim_that_only_declines_is_none(text: str, refused: bool) -> None:
    assert is_refused_claim(text) is refused


def test_an_error_says_what_the_list_contains() -> None:
    for reply, message in (
        (json.dumps({"claims": ["A b.", "No claims."]}), "a remark that there are none"),
        ("A b.\nNo claims.", "says that there are no claims, and something else"),
        (json.dumps({"claims": ["I cannot break this down."]}), "refused to list claims"),
    ):
        with pytest.raises(UnreadableReply, match=message):
            read_claims(reply)
