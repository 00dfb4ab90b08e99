"""Tests of the OpenAI judge, with its real SDK and real HTTP, against a loopback server."""

from __future__ import annotations

import gzip
import json
import logging
import subprocess
import sys
import time
import traceback
import tracemalloc
import zlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from loopback import Answer, Loopback, Request, completion, refusal_to
from remote import ASK, FORM, TEXT, bare_environment, check_any_json

from faithfulness_assert.asking.schema import json_schema
from faithfulness_assert.judges.openai import OPENAI, OpenAIJudge
from faithfulness_assert.records.errors import ConfigError, JudgeError
from faithfulness_assert.records.judge import Limits

KEY = "sk-proj-a+b/c=0123456789abcdefXYZ"
USAGE = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    bare_environment(monkeypatch)


def judge(server: Loopback, **options: Any) -> OpenAIJudge:
    return OpenAIJudge("m", **{"base_url": server.url, "api_key": KEY, "max_retries": 0, **options})


def failure(answers: Any, **options: Any) -> JudgeError:
    with Loopback(answers) as server, pytest.raises(JudgeError) as caught:
        judge(server, **options).ask(ASK)
    return caught.value


# ---------------------------------------------------------------- requests and replies


def test_an_ask_is_one_chat_completion_with_the_schema_of_its_reply() -> None:
    with Loopback(completion(TEXT, usage=USAGE)) as server:
        reply = judge(server, seed=7).ask(ASK)
    (request,) = server.requests
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.headers["accept-encoding"] == "identity"
    assert request.body == {
        "model": "m",
        "messages": [dict(m) for m in ASK.messages],
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "verdicts", "strict": True, "schema": BOUNDED},
        },
        "max_tokens": 352,
        "temperature": 0.0,
        "seed": 7,
    }
    assert (reply.text, reply.finish_reason, reply.refusal, reply.warnings) == (
        TEXT,
        "stop",
        None,
        (),
    )


def test_usage_includes_cached_and_reasoning_tokens() -> None:
    said = {
        **USAGE,
        "prompt_tokens_details": {"cached_tokens": 64},
        "completion_tokens_details": {"reasoning_tokens": 7},
    }
    with Loopback(completion(TEXT, usage=said)) as server:
        usage = judge(server).ask(ASK).usage
    assert usage is not None
    assert (usage.prompt, usage.completion, usage.cached, usage.reasoning, usage.num_requests) == (
        100,
        20,
        64,
        7,
        1,
    )


@pytest.mark.parametrize(
    "usage",
    [None, [], {}, {"prompt_tokens": -1, "completion_tokens": 2}, {"prompt_tokens": 5}, "many"],
)
def test_usage_that_the_server_does_not_report_is_unknown_not_zero(usage: object) -> None:
    with Loopback(completion(TEXT, usage=usage)) as server:
        assert judge(server).ask(ASK).usage is None


def test_text_parts_are_joined() -> None:
    parts = [
        {"type": "text", "text": TEXT[:9]},
        {"type": "image"},
        {"type": "text", "text": TEXT[9:]},
        None,
    ]
    with Loopback(completion(parts)) as server:
        assert judge(server).ask(ASK).text == TEXT


@pytest.mark.parametrize(
    "answer", [completion(None, refusal="No."), completion([{"type": "refusal", "refusal": "No."}])]
)
def test_a_refusal_is_returned_in_its_own_field(answer: Answer) -> None:
    with Loopback(answer) as server:
        assert judge(server).ask(ASK).refusal == "No."


def test_a_reply_with_reasoning_only_has_a_warning() -> None:
    with Loopback(completion("", finish_reason="length", reasoning="Hm...")) as server:
        reply = judge(server).ask(ASK)
    assert (reply.text, reply.finish_reason) == ("", "length")
    assert "reasoning" in reply.warnings[0]


def test_text_with_a_lone_surrogate_can_still_be_encoded() -> None:
    body = '{"choices":[{"message":{"content":"a\\ud83d","refusal":"b\\ud83d"},"finish_reason":"\\ud83d"}]}'
    with Loopback(Answer(body)) as server:
        reply = judge(server).ask(ASK)
    assert f"{reply.text}{reply.refusal}{reply.finish_reason}".encode() == "a�b��".encode()


def test_the_choice_with_index_0_is_used() -> None:
    first, second = (
        completion(TEXT).body["choices"][0],
        {**completion("other").body["choices"][0], "index": 1},
    )
    with Loopback(Answer({"choices": [second, first]})) as server:
        assert judge(server).ask(ASK).text == TEXT


# ---------------------------------------------------------------- OpenAI's own servers and others


def as_own(asking: OpenAIJudge) -> OpenAIJudge:
    """The judge, as if its server were one of OpenAI's own."""
    asking.provider = OPENAI
    asking._steps = dict.fromkeys(OPENAI.fallbacks, 0)
    return asking


@pytest.mark.parametrize(
    ("base_url", "own"),
    [
        (None, True),
        ("https://api.openai.com/v1", True),
        ("https://eu.api.openai.com/v1", True),
        ("https://me.openai.azure.com/openai/v1", True),
        ("https://me.services.ai.azure.com/openai/v1", True),
        ("http://localhost:11434/v1", False),
        ("https://openrouter.ai/api/v1", False),
        ("https://api.openai.com.example.org/v1", False),
    ],
)
def test_only_servers_of_openai_get_openai_s_own_parameters(
    base_url: str | None, own: bool
) -> None:
    asking = OpenAIJudge("m", base_url=base_url, api_key=KEY)
    sent = asking.provider.request(ASK, {"model": "m", "temperature": 0, "seed": 1}, asking._steps)
    assert ("max_completion_tokens" in sent, "max_tokens" in sent) == (own, not own)
    assert (sent["response_format"]["json_schema"]["schema"] == ASK.schema) == own


def test_lists_of_a_reply_have_bounds_where_the_server_is_not_openai_s() -> None:
    verdicts = BOUNDED["properties"]["verdicts"]
    assert (verdicts["minItems"], verdicts["maxItems"]) == (1, 1)
    assert verdicts["items"]["properties"]["evidence"]["maxItems"] == 8
    joint = replace(FORM, kind="claims_and_verdicts")  # a sentence may have several claims
    assert "maxItems" not in json_schema(joint, 1)["properties"]["verdicts"]
    assert json_schema(replace(FORM, kind="claims"), 3)["properties"]["sentences"]["minItems"] == 3


# ---------------------------------------------------------------- unsupported parameters

BOUNDED = json_schema(FORM, 1)
REJECTIONS = {
    "response_format": ("response_format", "'response_format' of type '{type}' is not supported"),
    "max_completion_tokens": (
        "max_completion_tokens",
        "Unsupported parameter: 'max_completion_tokens'. Use 'max_tokens' instead.",
    ),
    "max_tokens": (
        "max_tokens",
        "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
    ),
    "temperature": ("temperature", "'temperature' does not support 0.0 with this model"),
    "seed": ("seed", "Extra inputs are not permitted: seed"),
}


def server_without(*parameters: str, status: int = 400, names: bool = True) -> Any:
    """A server that rejects these parameters, or the role ``system``. ``names``: it fills ``param``."""

    def answer(request: Request) -> Answer:
        roles = [m["role"] for m in request.body["messages"]]
        if "system" in parameters and "system" in roles:
            return refusal_to(
                status, "System role not supported", param="messages" if names else None
            )
        if "bounds" in parameters and '"minItems"' in json.dumps(request.body):
            text = "Invalid schema for response_format 'verdicts': 'minItems' is not permitted"
            return refusal_to(status, text, param="response_format" if names else None)
        for name in parameters:
            if name in request.body:
                sent = request.body[name] if name == "response_format" else {}
                kind = sent.get("type")
                if kind == "json_object" and not set(sent) & set(parameters):
                    continue
                param, text = REJECTIONS[name]
                return refusal_to(status, text.format(type=kind), param=param if names else None)
        return completion(TEXT, usage=USAGE)

    return answer


# "type": even a plain JSON object is rejected; "schema": one with a schema is.
SUBSETS = st.sets(st.sampled_from([*REJECTIONS, "type", "schema", "bounds", "system"]))


def steps_to(missing: set[str], *, own: bool) -> int:
    """How many parameters must be changed, each with a warning of its own, for such a server."""
    changed = missing & {"response_format", "temperature", "seed", "system"}
    cap = {"max_completion_tokens", "max_tokens"} & missing
    first = "max_completion_tokens" if own else "max_tokens"
    bounds = "bounds" in missing and not own
    return len(changed) + (first in cap) + bounds


@settings(max_examples=25, deadline=None)
@given(
    missing=SUBSETS,
    status=st.sampled_from([400, 404, 422, 500]),
    names=st.booleans(),
    own=st.booleans(),
)
def test_an_unsupported_parameter_is_sent_once_and_reported_each_time(
    missing: set[str], status: int, names: bool, own: bool
) -> None:
    with Loopback(server_without(*sorted(missing), status=status, names=names)) as server:
        asking = judge(server, seed=7)
        asking = as_own(asking) if own else asking
        first = asking.ask(ASK)
        learned = len(server.requests)
        second = asking.ask(ASK)
        asking.close()
    assert first.text == second.text == TEXT
    assert learned <= 10
    assert len(server.requests) == learned + 1
    assert first.warnings == second.warnings
    assert len(first.warnings) == steps_to(missing, own=own)
    assert first.usage is not None
    assert first.usage.num_requests == learned
    last = server.requests[-1].body
    assert ("seed" in last, "temperature" in last) == (
        "seed" not in missing,
        "temperature" not in missing,
    )
    assert "Judge." in str(last["messages"])
    caps = {"max_completion_tokens", "max_tokens"}
    assert [last[name] for name in caps - missing if name in last] == [ASK.max_tokens] * bool(
        caps - missing
    )
    assert not missing & caps & last.keys()
    form = last.get("response_format", {})
    if "response_format" not in missing:
        assert form["type"] == "json_schema"
    elif "type" not in missing:
        assert ("schema" in form) == (not own and "schema" not in missing)


@pytest.mark.parametrize(
    "words",
    [
        "response_format json_schema",
        "seed temperature max_tokens grammar system role",
        "no such thing",
    ],
)
def test_a_server_that_rejects_every_request_leads_to_an_error(words: str) -> None:
    with Loopback(refusal_to(400, words)) as server:
        asking = judge(server)
        with pytest.raises(JudgeError) as caught:
            asking.ask(ASK)
        assert len(server.requests) <= 10
        assert caught.value.usage is not None
        assert caught.value.usage.num_requests == len(server.requests)
        with pytest.raises(JudgeError):
            asking.ask(ASK)
    assert (
        server.requests[-1].body.keys()
        == server.requests[len(server.requests) // 2 - 1].body.keys()
    )
    assert (
        "response_format" in server.requests[len(server.requests) // 2].body
    )  # steps that did not help are not kept


def test_threads_share_what_they_learn_about_the_server() -> None:
    with Loopback(server_without("response_format", "seed", "system")) as server:
        asking = judge(server, seed=1)
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
        (refusal_to(401, "no"), "auth", False),
        (refusal_to(403, "no"), "auth", False),
        (refusal_to(404, "no such model"), "transport", False),
        (refusal_to(400, "too much", code="context_length_exceeded"), "transport", False),
        (refusal_to(400, "no", code="content_filter"), "content_filter", False),
        (refusal_to(408, "late"), "timeout", True),
        (refusal_to(429, "slow down"), "rate_limit", True),
        (refusal_to(429, "pay", code="insufficient_quota"), "rate_limit", False),
        (refusal_to(429, "tomorrow", {"retry-after": "86400"}), "rate_limit", False),
        (refusal_to(500, "oops"), "server", True),
        (refusal_to(503, "never", {"x-should-retry": "false"}), "server", False),
        (replace(refusal_to(404, "no endpoint", code=404), status=200), "transport", False),
        (replace(refusal_to(502, "upstream", code="502"), status=200), "server", True),
        (Answer({"choices": [{"error": {"code": 429, "message": "busy"}}]}), "rate_limit", True),
        (Answer({"choices": []}), "server", True),
        (Answer({"choices": None}), "server", True),
        (Answer({"choices": [{"index": 0}]}), "server", True),
        (Answer("<html>Welcome</html>"), "server", True),
        (Answer("data: {}\n\n"), "server", False),
    ],
)
def test_errors_have_a_kind_and_say_whether_to_retry(
    answer: Answer, kind: str, retryable: bool
) -> None:
    error = failure(answer)
    assert (error.kind, error.retryable, error.http_status) == (kind, retryable, answer.status)


def test_a_server_that_is_down_is_a_transport_error() -> None:
    with Loopback(completion(TEXT)) as server:
        pass
    with pytest.raises(JudgeError) as caught:
        judge(server).ask(ASK)
    assert (caught.value.kind, caught.value.retryable, caught.value.http_status) == (
        "transport",
        True,
        None,
    )


def test_a_temporary_failure_is_retried_and_counted() -> None:
    soon = {"retry-after-ms": "1"}
    with Loopback(
        [
            refusal_to(500, "oops", soon),
            refusal_to(429, "busy", soon),
            completion(TEXT, usage=USAGE),
        ]
    ) as server:
        reply = judge(server, max_retries=2).ask(ASK)
    assert reply.usage is not None
    assert (reply.usage.num_requests, reply.usage.prompt) == (3, 100)


@pytest.mark.parametrize(
    ("answer", "tries"),
    [
        (refusal_to(500, "oops", {"retry-after-ms": "1"}), 4),
        (refusal_to(401, "no"), 1),
        (refusal_to(429, "pay", {"retry-after-ms": "1"}, code="insufficient_quota"), 1),
        (refusal_to(429, "in an hour", {"retry-after": "3600"}), 1),
    ],
)
def test_only_temporary_failures_are_retried(answer: Answer, tries: int) -> None:
    with Loopback(answer) as server, pytest.raises(JudgeError) as caught:
        judge(server, max_retries=3).ask(ASK)
    assert len(server.requests) == tries
    assert caught.value.usage is not None
    assert caught.value.usage.num_requests == tries


@pytest.mark.parametrize(
    "answer",
    [
        replace(completion(TEXT), delay=30),
        replace(completion(TEXT), drip=0.3),
        refusal_to(429, "wait", {"retry-after": "50"}),
        replace(refusal_to(500, "oops"), drip=0.3),
        replace(completion(TEXT), drip=0.3, drip_head=True),
    ],
    ids=["hang", "drip", "asked to wait", "drip of an error", "drip of a head"],
)
def test_no_ask_takes_longer_than_its_deadline(answer: Answer) -> None:
    with Loopback(answer) as server:
        begun = time.monotonic()
        with pytest.raises(JudgeError) as caught:
            judge(server, max_retries=9, timeout=50).ask(ASK, deadline=begun + 1)
        assert time.monotonic() - begun < 20  # without a deadline this takes at least 30 s
    assert caught.value.kind in ("timeout", "rate_limit")
    assert caught.value.retryable


def test_no_request_is_sent_after_the_deadline() -> None:
    with Loopback(completion(TEXT)) as server, pytest.raises(JudgeError):
        judge(server).ask(ASK, deadline=time.monotonic() - 1)
    assert not server.requests


# ---------------------------------------------------------------- invalid bodies


@pytest.mark.parametrize("encode", [gzip.compress, zlib.compress])
def test_a_body_with_an_unrequested_encoding_is_decoded(encode: Any) -> None:
    name = "gzip" if encode is gzip.compress else "deflate"
    with Loopback(
        Answer(encode(completion(TEXT).encoded()), headers={"content-encoding": name})
    ) as server:
        assert judge(server).ask(ASK).text == TEXT


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (Answer(gzip.compress(b" " * (64 << 20), 9), headers={"content-encoding": "gzip"}), "8 MB"),
        (Answer(gzip.compress(b" " * (64 << 20), 9), 500, {"content-encoding": "gzip"}), "8 MB"),
        (Answer(b" " * (9 << 20)), "8 MB"),
        (Answer(b"plain", headers={"content-encoding": "gzip"}), "is not gzip"),
        (Answer(b"plain", headers={"content-encoding": "br"}), "'br'"),
    ],
)
def test_an_unsafe_body_is_rejected(answer: Answer, said: str) -> None:
    error = failure(answer, max_retries=3)
    assert (error.kind, error.retryable) == ("server", False)
    assert said in error.message


def test_a_decompression_bomb_does_not_take_much_memory() -> None:
    bomb = Answer(gzip.compress(b" " * (150 << 20), 6), headers={"content-encoding": "gzip"})
    with Loopback(bomb) as server:
        asking = judge(server)
        tracemalloc.start()
        with pytest.raises(JudgeError):
            asking.ask(ASK)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < 100 << 20


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_redirects_are_not_followed(status: int) -> None:
    with Loopback(completion(TEXT)) as elsewhere:
        error = failure(Answer(b"", status, {"location": f"{elsewhere.url}/chat/completions"}))
    assert not elsewhere.requests
    assert error.http_status == status
    assert "base_url" in error.fix


SLOTS = [
    "body",
    "error",
    "choices",
    "choice",
    "message",
    "content",
    "refusal",
    "finish_reason",
    "usage",
    "prompt_tokens",
]


def with_slot(slot: str, value: Any) -> Any:
    """A good completion in which ``value`` replaces one of its parts."""
    body = completion(TEXT, usage=dict(USAGE)).body
    if slot == "body":
        return value
    if slot == "choice":
        body["choices"][0] = value
        return body
    places = {
        "error": body,
        "choices": body,
        "usage": body,
        "message": body["choices"][0],
        "finish_reason": body["choices"][0],
    }
    places |= {"prompt_tokens": body["usage"]}
    places.get(slot, body["choices"][0]["message"])[slot] = value
    return body


def test_any_json_in_any_field_leads_to_a_reply_or_a_judge_error() -> None:
    check_any_json(judge, with_slot, SLOTS)


# ---------------------------------------------------------------- secrets

ECHOES = {
    "plain": KEY,
    "header": f"Authorization: Bearer {KEY}",
    "url": "https://h/?k=sk-proj-a%2Bb%2Fc%3D0123456789abcdefXYZ",
    "json": json.dumps(KEY),
    "masked": "sk-proj-a+b/c****fXYZ",
}


@pytest.mark.parametrize("echo", ECHOES.values(), ids=ECHOES.keys())
@pytest.mark.parametrize("status", [200, 307, 401, 500])
def test_a_key_that_the_server_echoes_is_not_shown(
    echo: str, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "faithfulness_assert")
    error = failure(
        Answer(
            {"error": {"message": f"denied to {echo}"}}, status, {"location": f"http://h/{echo}"}
        )
    )
    shown_text = (
        "".join(traceback.format_exception(error)) + repr(error) + str(error.args) + caplog.text
    )
    assert "0123456789abcdef" not in shown_text
    assert "fXYZ" not in shown_text
    assert error.__cause__ is None
    assert error.__context__ is None


def test_the_judge_object_does_not_show_the_key() -> None:
    with Loopback(completion(TEXT)) as server:
        asking = judge(
            server, base_url=server.url.replace("//", "//user:hunter22@") + "?api-key=q-hunter22"
        )
        asking.ask(ASK)
    shown = repr(asking) + repr(vars(asking)) + json.dumps(asking.info.identity) + asking.info.name
    assert KEY not in shown
    assert "hunter22" not in shown


# ---------------------------------------------------------------- options


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("timeout", v) for v in (0, -1, float("nan"), float("inf"), "60", None, True)),
        *(("max_retries", v) for v in (-1, 1.5, None, "2", True)),
        *(("temperature", v) for v in (-0.1, 2.1, "0", float("nan"), True)),
        *(("seed", v) for v in (1.5, "1", True)),
        *(("max_prompt_tokens", v) for v in (0, 1.5, "9")),
        *(("max_statements", v) for v in (0, "40")),
        *(
            ("base_url", v)
            for v in (
                "no address",
                "ftp://h/v1",
                "http://",
                "http://h:port/v1",
                "http://[::1/v1",
                5,
            )
        ),
        *(("api_key", v) for v in (5, "sk two words", "sk-\nline", "ключ")),
        *(("model", v) for v in ("", "  ", None, 5)),
    ],
)
def test_an_invalid_option_is_named(name: str, value: Any) -> None:
    options = {"model": "m", "api_key": KEY, name: value}
    with pytest.raises(ConfigError, match=f"^{name}: ") as caught:
        OpenAIJudge(**options)
    assert not (name == "api_key" and str(value) in str(caught.value))


def test_a_missing_key_is_reported_with_both_ways_to_set_it() -> None:
    with pytest.raises(ConfigError, match=r"(?s)api_key.*OPENAI_API_KEY"):
        OpenAIJudge("m")
    with pytest.raises(ConfigError, match="OPENAI_API_KEY"):
        OpenAIJudge("m", base_url="https://eu.api.openai.com/v1", api_key=" ")


def test_other_servers_need_no_key() -> None:
    with Loopback(completion(TEXT)) as server:
        assert OpenAIJudge("m", base_url=server.url).ask(ASK).text == TEXT


def test_key_and_address_are_read_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    with Loopback(completion(TEXT)) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", f"{KEY}\n")
        OpenAIJudge("m").ask(ASK)
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"


def test_the_info_has_the_given_limits_and_an_identity_without_secrets() -> None:
    made = OpenAIJudge(
        "m",
        base_url="https://u:p@h:8/v1?k=v",
        temperature=None,
        seed=3,
        max_prompt_tokens=9,
        max_statements=8,
    )
    assert made.info.identity == {
        "judge": "openai",
        "base_url": "https://h:8/v1",
        "model": "m",
        "temperature": None,
        "seed": 3,
    }
    assert (made.info.name, made.info.limits) == ("openai:m", Limits(prompt_tokens=9, statements=8))


def test_the_sdk_is_not_imported_before_an_ask() -> None:
    code = "import sys; from faithfulness_assert.judges.openai import OpenAIJudge as J; J('m', api_key='k'); print('openai' in sys.modules)"
    assert (
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout
        == "False\n"
    )
