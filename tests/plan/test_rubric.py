"""The stage that rates the whole answer: what its one ask shows, and what does not fit it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from fakes import ScriptedJudge

from faithfulness_assert import Ask, CitationAudit, GradingResult, grade
from faithfulness_assert.records.ask import Payload
from faithfulness_assert.records.judge import Limits

ANSWER, CONTEXT = "The shop is open daily.", ["The shop is open daily. Dogs are welcome."]
RATINGS = {"faithfulness": 0.9, "relevance": 0.9, "completeness": 0.8, "reasoning_quality": 0.7}


def rated(
    answer: str = ANSWER, context: Any = CONTEXT, **more: Any
) -> tuple[GradingResult, list[Ask]]:
    """The result, and the asks that it took."""
    judge = ScriptedJudge([json.dumps(RATINGS)], limits=more.pop("limits", Limits()))
    options = {"policy": "masis", "question": "When?", **more}
    return grade(answer, context, judge=judge, **options), judge.asked


def notes(audit: CitationAudit | None) -> str:
    _, asked = rated(citations="off", citation_audit=audit)
    return asked[0].payload.notes


# ---------------------------------------------------------------- the ask


def test_the_ask_shows_the_answer_as_number_one_the_numbered_context_and_the_question() -> None:
    result, asked = rated(citations="off")
    context = ((1, "The shop is open daily."), (2, "Dogs are welcome."))
    assert [ask.payload for ask in asked] == [Payload(((1, ANSWER),), context, "When?", "")]
    assert (result.status, result.metadata["replies"]) == ("graded", {"json": 1})


@pytest.mark.parametrize(
    ("audit", "expected"),
    [
        (None, ""),
        (CitationAudit(), ""),
        (CitationAudit(("c9", "c7")), "cited but not there: c9, c7"),
        (CitationAudit(uncited_claim_count=3), "sentences without a citation: 3"),
        (CitationAudit(hallucination_detected=True), "something was made up"),
        (
            CitationAudit(("c9",), 2, ("A.", "B."), True),
            "cited but not there: c9\nsentences without a citation: 2\nsomething was made up",
        ),
    ],
)
def test_the_notes_of_the_ask_are_the_findings_of_the_audit(
    audit: CitationAudit | None, expected: str
) -> None:
    assert notes(audit) == expected


def test_the_notes_name_twenty_citations_that_are_not_there_and_cut_long_ones() -> None:
    names = [f"c{number}" for number in range(30)]
    assert notes(CitationAudit(tuple(names))) == f"cited but not there: {', '.join(names[:20])}"
    assert len(notes(CitationAudit(("x" * 5000,)))) < 500


# ---------------------------------------------------------------- one ask for all


@pytest.mark.parametrize(
    ("answer", "context", "what"),
    [
        ("Room after room is open. " * 400, CONTEXT, "answer"),
        (ANSWER, ["Room after room is open. " * 400], "context"),
    ],
)
def test_what_does_not_fit_one_ask_is_never_rated_in_parts(
    answer: str, context: Any, what: str
) -> None:
    result, asked = rated(answer, context, limits=Limits(prompt_tokens=1500))
    assert (result.status, asked) == ("invalid_input", [])
    reason = result.reason or ""
    assert reason.startswith(f"Not graded: {what}: too long for the one ask of the policy 'masis'")
    assert "max_prompt_tokens" in reason
    assert reason.endswith(", or use another policy.")


def test_a_question_that_leaves_no_room_for_the_rest_ends_the_case() -> None:
    result, asked = rated(question="Is it so? " * 400, limits=Limits(prompt_tokens=900))
    assert (result.status, asked) == ("invalid_input", [])
    assert (result.reason or "").startswith("Not graded: question: ")
