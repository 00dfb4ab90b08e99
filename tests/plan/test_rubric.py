"""The stage that rates the whole answer: what its one ask shows, when it is repeated, and what does not fit it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from faithfulness_assert import Ask, CitationAudit, GradingResult, JudgeError, Reply, grade
from faithfulness_assert.records.ask import Payload
from faithfulness_assert.records.judge import Limits

ANSWER, CONTEXT = "The shop is open daily.", ["The shop is open daily. Dogs are welcome."]
RATINGS = {"faithfulness": 0.9, "relevance": 0.9, "completeness": 0.8, "reasoning_quality": 0.7}


class Rates:
    """A judge that gives these replies in turn."""

    def __init__(self, *replies: Any, limits: Limits | None = None) -> None:
        self.replies = list(replies)
        self.limits = limits or Limits()
        self.asked: list[Ask] = []

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        self.asked.append(ask)
        said = self.replies.pop(0)
        if isinstance(said, JudgeError):
            raise said
        return said if isinstance(said, Reply) else Reply(json.dumps(said))


def rated(judge: Rates, answer: str = ANSWER, context: Any = CONTEXT, **more: Any) -> GradingResult:
    return grade(answer, context, judge=judge, policy="masis", **{"question": "When?", **more})


def notes(audit: CitationAudit | None) -> str:
    judge = Rates(RATINGS)
    rated(judge, citations="off", citation_audit=audit)
    return judge.asked[0].payload.notes


# ---------------------------------------------------------------- the ask


def test_the_ask_shows_the_answer_as_number_one_the_numbered_context_and_the_question() -> None:
    judge = Rates(RATINGS)
    result = rated(judge, citations="off")
    context = ((1, "The shop is open daily."), (2, "Dogs are welcome."))
    assert [ask.payload for ask in judge.asked] == [Payload(((1, ANSWER),), context, "When?", "")]
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


# ---------------------------------------------------------------- asked again, or not


def test_all_ratings_must_come_and_the_error_names_those_that_are_absent() -> None:
    half = {"faithfulness": 0.9, "completeness": 0.5}
    judge = Rates(half, half)
    result = rated(judge)
    assert len(judge.asked) == 2
    assert (result.status, result.score, result.pass_) == ("unreadable", 0.0, False)
    assert "no usable rating of relevance, reasoning_quality" in str(result.reason)
    assert rated(Rates(half, RATINGS)).status == "graded"


@pytest.mark.parametrize(
    "said",
    [
        JudgeError("down", "server", retryable=True),
        Reply("", refusal="I can't help."),
        Reply('{"faithfulness": 0.9', finish_reason="length"),
    ],
)
def test_ratings_that_failed_refused_or_cut_off_are_not_asked_for_again(said: Any) -> None:
    judge = Rates(said)
    result = rated(judge)
    assert len(judge.asked) == 1
    assert not result.defined
    assert len(result.named_scores) == 0


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
    judge = Rates(RATINGS, limits=Limits(prompt_tokens=1500))
    result = rated(judge, answer, context)
    assert (result.status, judge.asked) == ("invalid_input", [])
    reason = result.reason or ""
    assert reason.startswith(f"Not graded: {what}: too long for the one ask of the policy 'masis'")
    assert "max_prompt_tokens" in reason
    assert reason.endswith(", or use another policy.")


def test_a_question_that_leaves_no_room_for_the_rest_ends_the_case() -> None:
    judge = Rates(RATINGS, limits=Limits(prompt_tokens=900))
    result = rated(judge, question="Is it so? " * 400)
    assert (result.status, judge.asked) == ("invalid_input", [])
    assert (result.reason or "").startswith("Not graded: question: ")
