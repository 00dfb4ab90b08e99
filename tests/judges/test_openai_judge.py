"""What only holds for the OpenAI judge: its requests, and what other servers than OpenAI's get."""

from __future__ import annotations

import gzip
import tracemalloc
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from loopback import Answer, Loopback, Request, completion, refusal_to
from remote import ASK, FORM, TEXT
from strategies import examples

from faithfulness_assert import ConfigError, JudgeError
from faithfulness_assert.asking.schema import json_schema
from faithfulness_assert.judges.openai import FALLBACKS, OpenAIJudge
from faithfulness_assert.judges.remote.needs import Needs

KEY = "sk-proj-a+b/c=0123456789abcdefXYZ"
USAGE = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}


def judge(server: Loopback, **options: Any) -> OpenAIJudge:
    return OpenAIJudge("m", **{"base_url": server.url, "api_key": KEY, "max_retries": 0, **options})


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
    assert (reply.text, reply.warnings) == (TEXT, ())


# ---------------------------------------------------------------- OpenAI's own servers and others


def as_own(asking: OpenAIJudge) -> OpenAIJudge:
    """The judge, as if its server were one of OpenAI's own."""
    asking.needs = Needs(FALLBACKS, asking.info.limits, OpenAIJudge.own_steps)
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
    sent = asking.body(ASK, {"model": "m", "temperature": 0, "seed": 1}, asking.needs.steps)
    assert ("max_completion_tokens" in sent, "max_tokens" in sent) == (own, not own)
    assert (sent["response_format"]["json_schema"]["schema"] == ASK.schema) == own


def test_lists_of_a_reply_have_bounds_where_the_server_is_not_openai_s() -> None:
    verdicts = BOUNDED["properties"]["verdicts"]
    assert (verdicts["minItems"], verdicts["maxItems"]) == (1, 1)
    assert verdicts["items"]["properties"]["evidence"]["maxItems"] == 8
    assert json_schema(replace(FORM, kind="claims"), 3)["properties"]["sentences"]["minItems"] == 3


# ---------------------------------------------------------------- unsupported parameters

BOUNDED = json_schema(FORM, 1)
TOLD = {
    "bounds": "Invalid schema for response_format 'verdicts': 'minItems' is not permitted",
    "response_format": "'response_format' of this type is not supported",
    "max_completion_tokens": "Unsupported parameter: 'max_completion_tokens'",
    "max_tokens": "Unsupported parameter: 'max_tokens'",
    "temperature": "'temperature' does not support 0.0 with this model",
    "seed": "Extra inputs are not permitted: seed",
    "system": "System role not supported",
}


def rejected(body: dict[str, Any], parameters: set[str]) -> str:
    """The first of these that a request has, or a schema or the role ``system``; "" for none."""
    roles = [message["role"] for message in body["messages"]]
    has = {*body, *(["system"] * ("system" in roles)), *(["bounds"] * ("minItems" in str(body)))}
    return next((name for name in TOLD if name in parameters & has), "")


@examples(25)
@given(
    missing=st.sets(st.sampled_from([*TOLD])),
    status=st.sampled_from([400, 404, 422, 500]),
    names=st.booleans(),
    own=st.booleans(),
)
def test_an_unsupported_parameter_is_sent_once_and_reported_each_time(
    missing: set[str], status: int, names: bool, own: bool
) -> None:
    def answer(request: Request) -> Answer:
        if name := rejected(request.body, missing):
            return refusal_to(status, TOLD[name], param=name if names and name in body else None)
        return completion(TEXT, usage=USAGE)

    body = ("response_format", "max_completion_tokens", "max_tokens", "temperature", "seed")
    with Loopback(answer) as server:
        asking = judge(server, seed=7)
        asking = as_own(asking) if own else asking
        first = asking.ask(ASK)
        learned = len(server.requests)
        second = asking.ask(ASK)
    assert first.text == second.text == TEXT
    assert len(server.requests) == learned + 1 <= 11
    assert first.warnings == second.warnings
    assert bool(first.warnings) == (learned > 1)
    assert first.usage is not None
    assert first.usage.num_requests == learned
    last = server.requests[-1].body
    assert not rejected(last, missing)
    assert {"seed", "temperature"} - missing <= last.keys()
    assert "Judge." in str(last["messages"])


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


# ---------------------------------------------------------------- bodies


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


def test_an_invalid_seed_is_named() -> None:
    for seed in (1.5, "1", True):
        with pytest.raises(ConfigError, match=r"^seed: "):
            OpenAIJudge("m", api_key=KEY, seed=seed)  # type: ignore[arg-type]
