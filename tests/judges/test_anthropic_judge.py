"""Tests of the Anthropic judge, with its real SDK and real HTTP, against a loopback server.

The tests of the OpenAI judge cover the shared code in full. Here is what is specific to Anthropic, and
a test of each shared part.
"""

from __future__ import annotations

import json
import logging
import subprocess
import sys
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import anthropic
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from loopback import Answer, Loopback, Request, claude_message
from remote import ASK, TEXT, bare_environment, check_any_json

from faithfulness_assert import Grader
from faithfulness_assert.cli.doctor import checks
from faithfulness_assert.judges import make_judge
from faithfulness_assert.judges.anthropic import AnthropicJudge
from faithfulness_assert.judges.openai import OpenAIJudge
from faithfulness_assert.records.ask import ReplyForm
from faithfulness_assert.records.errors import ConfigError, JudgeError
from faithfulness_assert.records.judge import Limits

KEY = "sk-ant-api03-0123456789abcdefXYZ_-AA"
USAGE = {"input_tokens": 100, "output_tokens": 20}


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    bare_environment(monkeypatch)


def judge(server: Loopback, **options: Any) -> AnthropicJudge:
    return AnthropicJudge(
        "m", **{"base_url": server.root, "api_key": KEY, "max_retries": 0, **options}
    )


def error_of(
    status: int, type_: str, message: str, headers: dict[str, str] | None = None
) -> Answer:
    """An error answer in Anthropic's shape."""
    body = {"type": "error", "error": {"type": type_, "message": message}, "request_id": "req_1"}
    return Answer(
        body, status, {"content-type": "application/json", "request-id": "req_1", **(headers or {})}
    )


def failure(answers: Any, **options: Any) -> JudgeError:
    with Loopback(answers) as server, pytest.raises(JudgeError) as caught:
        judge(server, **options).ask(ASK)
    return caught.value


# ---------------------------------------------------------------- requests and replies


def test_an_ask_is_one_message_with_the_schema_of_its_reply() -> None:
    with Loopback(claude_message(TEXT, usage=USAGE)) as server:
        reply = judge(server).ask(ASK)
    (request,) = server.requests
    assert request.path == "/v1/messages"
    assert KEY in (
        request.headers.get("x-api-key"),
        request.headers.get("authorization", "").removeprefix("Bearer "),
    )
    assert "anthropic-version" in request.headers
    assert request.headers["accept-encoding"] == "identity"
    assert request.body == {
        "model": "m",
        "system": "Judge.",
        "messages": [{"role": "user", "content": "Is it so?"}],
        "output_config": {"format": {"type": "json_schema", "schema": ASK.schema}},
        "max_tokens": 352,
        "temperature": 0.0,
    }
    assert (reply.text, reply.finish_reason, reply.refusal, reply.warnings) == (
        TEXT,
        "stop",
        None,
        (),
    )


FORMS = [
    ReplyForm("verdicts", ("supported",)),
    ReplyForm(
        "verdicts",
        ("supported", "partially_supported", "not_enough_info", "contradicted", "not_a_claim"),
        reasons=True,
    ),
    ReplyForm("claims_and_verdicts", ("supported", "contradicted"), reasons=True),
    ReplyForm("claims"),
]


@pytest.mark.parametrize("form", FORMS, ids=lambda form: f"{form.kind}-{len(form.labels)}")
def test_the_sdk_finds_nothing_unsupported_in_our_schemas(
    form: ReplyForm,
) -> None:
    schema = replace(ASK, form=form).schema
    # The SDK moves what the API does not support into a description. It drops the type beside an enum.
    assert "description" not in json.dumps(schema)
    assert "description" not in json.dumps(anthropic.transform_schema(schema))
    assert anthropic.transform_schema(schema).keys() == schema.keys()


def test_tokens_read_from_or_written_to_the_cache_count_as_prompt_tokens() -> None:
    said = {
        "input_tokens": 100,
        "cache_read_input_tokens": 2000,
        "cache_creation_input_tokens": 300,
        "output_tokens": 20,
        "output_tokens_details": {"thinking_tokens": 7},
    }
    with Loopback(claude_message(TEXT, usage=said)) as server:
        usage = judge(server).ask(ASK).usage
    assert usage is not None
    assert (usage.prompt, usage.completion, usage.cached, usage.reasoning, usage.num_requests) == (
        2400,
        20,
        2000,
        7,
        1,
    )


@pytest.mark.parametrize(
    "usage",
    [
        None,
        [],
        {},
        "many",
        {"input_tokens": None, "output_tokens": 2},
        {"input_tokens": -1, "output_tokens": 2},
        {"input_tokens": 5},
        {**USAGE, "cache_read_input_tokens": -5},
        {**USAGE, "cache_creation_input_tokens": "5"},
    ],
)
def test_usage_that_the_server_does_not_report_is_unknown_not_zero(usage: object) -> None:
    with Loopback(claude_message(TEXT, usage=usage)) as server:
        assert judge(server).ask(ASK).usage is None


def test_null_as_the_count_of_an_unused_cache_is_zero() -> None:
    with Loopback(
        claude_message(
            TEXT,
            usage={**USAGE, "cache_read_input_tokens": None, "cache_creation_input_tokens": None},
        )
    ) as server:
        usage = judge(server).ask(ASK).usage
    assert usage is not None
    assert (usage.prompt, usage.cached) == (100, 0)


def test_text_blocks_are_joined_and_other_blocks_ignored() -> None:
    blocks = [
        {"type": "thinking", "thinking": "No?", "signature": "s"},
        {"type": "text", "text": TEXT[:9]},
        {"type": "tool_use", "id": "t", "name": "n", "input": {}},
        None,
        {"type": "text", "text": TEXT[9:]},
        {"type": "text", "text": 5},
    ]
    with Loopback(claude_message(blocks)) as server:
        assert judge(server).ask(ASK).text == TEXT


@pytest.mark.parametrize(
    ("stop_reason", "ours"),
    [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        (None, "stop"),
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("pause_turn", "length"),
        ("tool_use", "length"),
        ("refusal", "content_filter"),
    ],
)
def test_stop_reasons_are_translated(stop_reason: object, ours: str) -> None:
    with Loopback(claude_message(TEXT, stop_reason=stop_reason)) as server:
        assert judge(server).ask(ASK).finish_reason == ours


@pytest.mark.parametrize(
    ("details", "said"),
    [
        (None, "it gave no reason"),
        ({"type": "refusal", "category": "bio", "explanation": None}, "bio"),
        ({"type": "refusal", "category": "bio", "explanation": "Not this."}, "Not this."),
        ({"explanation": 5}, "it gave no reason"),
        ("odd", "it gave no reason"),
    ],
)
def test_a_refusal_includes_the_reason_that_the_api_gives(details: object, said: str) -> None:
    with Loopback(claude_message(TEXT, stop_reason="refusal", stop_details=details)) as server:
        assert judge(server).ask(ASK).refusal == said


@pytest.mark.parametrize(
    ("stop_reason", "status", "kind"),
    [
        ("refusal", "judge_refused", "refusal"),
        ("max_tokens", "unreadable", "truncated"),
        ("pause_turn", "unreadable", "truncated"),
        ("model_context_window_exceeded", "unreadable", "truncated"),
    ],
)
def test_verdicts_of_an_incomplete_reply_are_never_scored(
    stop_reason: str, status: str, kind: str
) -> None:
    with Loopback(claude_message(TEXT, usage=USAGE, stop_reason=stop_reason)) as server:
        grader = Grader("anthropic:m", base_url=server.root, api_key=KEY, max_retries=0)
        result = grader.grade("The museum opens at nine.", "The museum opens at nine.")
    assert result.error is not None
    assert (result.status, result.error.kind, result.defined, result.pass_) == (
        status,
        kind,
        False,
        False,
    )
    assert result.tokens_used.total == 120


def test_a_reply_with_reasoning_only_has_a_warning() -> None:
    blocks = [{"type": "thinking", "thinking": "Hm...", "signature": "s"}]
    with Loopback(claude_message(blocks, stop_reason="max_tokens")) as server:
        reply = judge(server).ask(ASK)
    assert (reply.text, reply.finish_reason) == ("", "length")
    assert "reasoning" in reply.warnings[0]


def test_text_with_a_lone_surrogate_can_still_be_encoded() -> None:
    body = '{"content":[{"type":"text","text":"a\\ud83d"}],"stop_reason":"refusal","stop_details":{"explanation":"b\\ud83d"}}'
    with Loopback(Answer(body)) as server:
        reply = judge(server).ask(ASK)
    assert f"{reply.text}{reply.refusal}".encode() == "a�b�".encode()


# ---------------------------------------------------------------- unsupported parameters

REJECTIONS = {
    "output_config": "output_config: Extra inputs are not permitted",
    "temperature": "`temperature` is deprecated for this model.",
}


def server_without(*parameters: str, status: int = 400) -> Any:
    def answer(request: Request) -> Answer:
        refused = next((name for name in parameters if name in request.body), None)
        return (
            error_of(status, "invalid_request_error", REJECTIONS[refused])
            if refused
            else claude_message(TEXT, usage=USAGE)
        )

    return answer


@settings(max_examples=12, deadline=None)
@given(missing=st.sets(st.sampled_from([*REJECTIONS])), status=st.sampled_from([400, 422, 500]))
def test_an_unsupported_parameter_is_sent_once_and_reported_each_time(
    missing: set[str], status: int
) -> None:
    with Loopback(server_without(*sorted(missing), status=status)) as server:
        asking = judge(server)
        first = asking.ask(ASK)
        learned = len(server.requests)
        second = asking.ask(ASK)
        asking.close()
    assert first.text == second.text == TEXT
    assert learned == 1 + len(missing)
    assert len(server.requests) == learned + 1
    assert len(first.warnings) == len(missing)
    assert first.warnings == second.warnings
    assert not missing & server.requests[-1].body.keys()


def test_temperature_none_is_not_sent() -> None:
    with Loopback(claude_message(TEXT)) as server:
        judge(server, temperature=None).ask(ASK)
    assert "temperature" not in server.requests[0].body


def test_concurrent_asks_share_a_judge() -> None:
    with Loopback(server_without("temperature")) as server:
        asking = judge(server)
        with ThreadPoolExecutor(8) as pool:
            replies = list(pool.map(lambda _: asking.ask(ASK), range(24)))
        learned = len(server.requests)
        asking.ask(ASK)
        asking.close()
    assert {reply.text for reply in replies} == {TEXT}
    assert len(server.requests) == learned + 1


# ---------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("answer", "kind", "retryable"),
    [
        (
            error_of(400, "invalid_request_error", "messages: at least one message is required"),
            "transport",
            False,
        ),
        (
            error_of(
                400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"
            ),
            "transport",
            False,
        ),
        (
            error_of(
                400, "invalid_request_error", "Your credit balance is too low to access the API"
            ),
            "rate_limit",
            False,
        ),
        (error_of(401, "authentication_error", "invalid x-api-key"), "auth", False),
        (
            error_of(402, "billing_error", "There is an issue with your billing"),
            "rate_limit",
            False,
        ),
        (error_of(403, "permission_error", "no"), "auth", False),
        (error_of(404, "not_found_error", "model: m"), "transport", False),
        (
            error_of(413, "request_too_large", "Request exceeds the maximum size"),
            "transport",
            False,
        ),
        (error_of(429, "rate_limit_error", "slow down"), "rate_limit", True),
        (
            error_of(429, "rate_limit_error", "tomorrow", {"retry-after": "86400"}),
            "rate_limit",
            False,
        ),
        (error_of(500, "api_error", "Internal server error"), "server", True),
        (error_of(529, "overloaded_error", "Overloaded"), "server", True),
        (error_of(200, "overloaded_error", "Overloaded"), "server", True),
        (error_of(200, "authentication_error", "no"), "auth", False),
        (error_of(200, "rate_limit_error", "slow down"), "rate_limit", True),
        (error_of(200, "invalid_request_error", "no"), "transport", False),
        (Answer({"type": "message", "content": None}), "server", True),
        (Answer({"completion": TEXT}), "server", True),
        (Answer("<html>Welcome</html>"), "server", True),
        (Answer("event: message_start\ndata: {}\n\n"), "server", False),
        (Answer(b"\xff\xfe{"), "server", False),
    ],
)
def test_errors_have_a_kind_and_say_whether_to_retry(
    answer: Answer, kind: str, retryable: bool
) -> None:
    error = failure(answer)
    assert (error.kind, error.retryable, error.http_status) == (kind, retryable, answer.status)


def test_a_temporary_failure_is_retried_and_counted() -> None:
    soon = {"retry-after": "0"}
    script = [
        error_of(529, "overloaded_error", "Overloaded", soon),
        error_of(429, "rate_limit_error", "busy", soon),
    ]
    with Loopback([*script, claude_message(TEXT, usage=USAGE)]) as server:
        reply = judge(server, max_retries=2).ask(ASK)
    assert reply.usage is not None
    assert (reply.usage.num_requests, reply.usage.prompt) == (3, 100)


@pytest.mark.parametrize(
    "answer",
    [
        replace(claude_message(TEXT), delay=30),
        replace(claude_message(TEXT), drip=0.3),
        error_of(429, "rate_limit_error", "wait", {"retry-after": "50"}),
    ],
    ids=["hang", "drip", "asked to wait"],
)
def test_no_ask_takes_longer_than_its_deadline(answer: Answer) -> None:
    with Loopback(answer) as server:
        begun = time.monotonic()
        with pytest.raises(JudgeError) as caught:
            judge(server, max_retries=9, timeout=50).ask(ASK, deadline=begun + 1)
        assert time.monotonic() - begun < 20
    assert caught.value.kind in ("timeout", "rate_limit")


SLOTS = [
    "body",
    "error",
    "content",
    "block",
    "text",
    "stop_reason",
    "stop_details",
    "usage",
    "input_tokens",
]


def with_slot(slot: str, value: Any) -> Any:
    """A good message in which ``value`` replaces one of its parts."""
    body = claude_message(
        TEXT, usage=dict(USAGE), stop_reason="refusal" if slot == "stop_details" else "end_turn"
    ).body
    if slot == "body":
        return value
    if slot == "block":
        body["content"][0] = value
        return body
    {"text": body["content"][0], "input_tokens": body["usage"]}.get(slot, body)[slot] = value
    return body


def test_any_json_in_any_field_leads_to_a_reply_or_a_judge_error() -> None:
    check_any_json(judge, with_slot, SLOTS)


# ---------------------------------------------------------------- secrets, options


@pytest.mark.parametrize("status", [200, 307, 401, 500])
def test_a_key_that_the_server_echoes_is_not_shown(
    status: int, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "faithfulness_assert")
    error = failure(
        replace(
            error_of(status, "authentication_error", f"no: x-api-key: {KEY}"),
            headers={"location": f"http://h/{KEY}"},
        )
    )
    shown_text = (
        "".join(traceback.format_exception(error)) + repr(error) + str(error.args) + caplog.text
    )
    assert "0123456789abcdef" not in shown_text


def test_the_judge_object_does_not_show_the_key() -> None:
    with Loopback(claude_message(TEXT)) as server:
        asking = judge(server)
        asking.ask(ASK)
    assert (
        KEY
        not in repr(asking)
        + repr(vars(asking))
        + json.dumps(asking.info.identity)
        + asking.info.name
    )


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("timeout", 0),
        ("max_retries", -1),
        ("temperature", 1.1),
        ("temperature", True),
        ("base_url", "no address"),
        ("model", " "),
    ],
)
def test_an_invalid_option_is_named(name: str, value: Any) -> None:
    with pytest.raises(ConfigError, match=f"^{name}: "):
        AnthropicJudge(**{"model": "m", "api_key": KEY, name: value})


def test_an_option_of_another_judge_is_named() -> None:
    with pytest.raises(ConfigError, match=r"^seed: the judge 'anthropic:m' has no such option"):
        make_judge("anthropic:m", {"seed": 1})
    with pytest.raises(ConfigError, match="anthropic:MODEL"):
        make_judge("anthropic", {})


def test_a_missing_key_is_reported_with_both_ways_to_set_it() -> None:
    with pytest.raises(ConfigError, match=r"(?s)api_key.*ANTHROPIC_API_KEY"):
        AnthropicJudge("m")


def test_a_missing_package_is_reported_with_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "anthropic", None)
    with pytest.raises(ConfigError, match=r"pip install faithfulness-assert\[anthropic\]"):
        AnthropicJudge("m", api_key=KEY)


def test_key_and_address_are_read_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    with Loopback(claude_message(TEXT)) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.root)
        monkeypatch.setenv("ANTHROPIC_API_KEY", f"{KEY}\n")
        AnthropicJudge("m").ask(ASK)
    assert KEY in str(server.requests[0].headers)


def test_doctor_checks_the_package_and_asks_the_judge() -> None:
    results = list(checks("anthropic:m"))
    assert f"anthropic {anthropic.__version__}" in [check.text for check in results]
    assert results[-1].state == "fail"
    assert "ANTHROPIC_API_KEY" in results[-1].text


def test_other_servers_need_no_key() -> None:
    with Loopback(claude_message(TEXT)) as server:
        assert AnthropicJudge("m", base_url=server.root).ask(ASK).text == TEXT


def test_the_info_has_the_given_limits_and_an_identity_without_secrets() -> None:
    made = AnthropicJudge("m", api_key=KEY, max_prompt_tokens=9, max_statements=8)
    assert made.info.identity == {
        "judge": "anthropic",
        "base_url": "https://api.anthropic.com",
        "model": "m",
        "temperature": 0.0,
    }
    assert (made.info.name, made.info.limits) == (
        "anthropic:m",
        Limits(prompt_tokens=9, statements=8),
    )
    assert made.info.keeps_deadline


def test_the_sdk_is_not_imported_before_an_ask() -> None:
    code = "import sys; from faithfulness_assert.judges.anthropic import AnthropicJudge as J; J('m', api_key='k')"
    code += "; print({'anthropic', 'openai'} & set(sys.modules))"
    assert (
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout
        == "set()\n"
    )


def test_the_two_judges_have_the_same_options_except_seed() -> None:
    import inspect

    ours, theirs = (inspect.signature(judge).parameters for judge in (AnthropicJudge, OpenAIJudge))
    assert theirs.keys() - ours.keys() == {"seed"}
    assert all(str(ours[name]) == str(theirs[name]) for name in ours)
