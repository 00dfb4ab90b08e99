"""Whole grades against imitations of the servers that people run themselves.

Each imitation does what the real server does, as seen there or as its documentation says.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from loopback import Answer, Loopback, Request, completion, refusal_to
from true_server import answered, block, text_of

from faithfulness_assert import Grader

FACTS = [f"Museum {n} was opened by the mayor in {1700 + n}." for n in range(8)]
CASE = {"answer": " ".join([*FACTS[:6], "Museum 9 burnt down."]), "context": " ".join(FACTS)}
SCORE = 6 / 7


def grader(server: Loopback, **options: Any) -> Grader:
    return Grader("openai:m", **{"base_url": server.url, "max_retries": 0, **options})


def close(made: Grader) -> None:
    made.judge.close()  # type: ignore[attr-defined]


# ---------------------------------------------------------------- what they accept


def follows(request: Request, schema: dict[str, Any] | None) -> Answer:
    """The reply of a small model: right if a schema bounds it, else it never ends."""
    if "max_tokens" not in request.body:
        return completion("and so on " * 500, finish_reason="length")
    verdicts = (schema or {}).get("properties", {}).get("verdicts", {})
    count = len(block("statements", text_of(request)))
    if (verdicts.get("minItems"), verdicts.get("maxItems")) != (count, count):
        return completion('{"verdicts":[{"id":1,"evidence":[1,1,1', finish_reason="length")
    return answered(request)


def llama_cpp_python(request: Request) -> Answer:
    """Version 0.3: knows no json_schema, and ignores fields that it does not know."""
    form = request.body.get("response_format", {})
    if form.get("type") not in (None, "text", "json_object"):
        message = (
            "1 validation error:\n  {'type': 'literal_error', 'loc': ('body', 'response_format', "
            "'type'), 'msg': \"Input should be 'text' or 'json_object'\", 'input': 'json_schema'}"
        )
        return refusal_to(500, message, type="internal_server_error")
    return follows(request, form.get("schema"))


def ollama(request: Request) -> Answer:
    """Takes OpenAI's form of a schema, and ignores fields that it does not know."""
    form = request.body.get("response_format", {})
    return follows(request, form.get("json_schema", {}).get("schema"))


def vllm_with_old_xgrammar(request: Request) -> Answer:
    """Rejects a schema whose lists have bounds, and needs none: it serves larger models."""
    if "minItems" in json.dumps(request.body["response_format"]):
        message = "The provided JSON schema contains features not supported by xgrammar."
        return Answer({"object": "error", "message": message, "code": 400}, 400)
    return answered(request)


@pytest.mark.parametrize(
    ("server", "requests", "warning"),
    [
        (llama_cpp_python, 2, "a JSON Schema as OpenAI does"),
        (ollama, 1, ""),
        (vllm_with_old_xgrammar, 2, "bounds of lists"),
    ],
)
def test_a_grade_is_right_in_the_dialect_of_each_server(
    server: Any, requests: int, warning: str
) -> None:
    with Loopback(server) as loopback:
        made = grader(loopback)
        first, sent = made.grade(**CASE), len(loopback.requests)
        second = made.grade(**CASE)
        close(made)
    assert (first.status, second.status) == ("graded", "graded"), first.reason
    assert first.score == second.score == pytest.approx(SCORE)
    assert (sent, len(loopback.requests)) == (requests, requests + 1)
    assert warning in " ".join(first.metadata.get("warnings", ()))
    assert bool(warning) == bool(first.metadata.get("warnings"))


# ---------------------------------------------------------------- the right kind of error


def test_a_grade_that_runs_out_of_time_is_a_timeout_whatever_came_before() -> None:
    """Some replies are chatter, then the server gets too slow for the deadline."""

    def answer(request: Request) -> Answer:
        slow = len(loopback.requests) > 2
        return Answer(completion("Hm, let me think.").body, delay=30 if slow else 0)

    with Loopback(answer) as loopback:
        made = grader(loopback, max_statements=1, deadline=4, timeout=1, controls="off")
        result = made.grade(**CASE)
        close(made)
    assert result.status == "judge_failed"
    assert result.error is not None
    assert (result.error.kind, result.error.retryable) == ("timeout", True)
