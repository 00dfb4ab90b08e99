"""What only holds for the Anthropic judge: its requests, with schemas that its SDK accepts."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import anthropic
import pytest
from hypothesis import given
from hypothesis import strategies as st
from loopback import Answer, Loopback, Request, claude_message, refusal_to
from remote import ASK, TEXT
from strategies import examples

from faithfulness_assert.judges.anthropic import AnthropicJudge
from faithfulness_assert.records.judge import ReplyForm

KEY = "sk-ant-api03-0123456789abcdefXYZ_-AA"
USAGE = {"input_tokens": 100, "output_tokens": 20}


def judge(server: Loopback, **options: Any) -> AnthropicJudge:
    return AnthropicJudge(
        "m", **{"base_url": server.root, "api_key": KEY, "max_retries": 0, **options}
    )


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
    assert (reply.text, reply.warnings) == (TEXT, ())


FORMS = [
    ReplyForm("verdicts", ("supported",)),
    ReplyForm(
        "verdicts",
        ("supported", "partially_supported", "not_enough_info", "contradicted", "not_a_claim"),
        reasons="all",
    ),
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


# ---------------------------------------------------------------- unsupported parameters

REJECTIONS = {
    "output_config": "output_config: Extra inputs are not permitted",
    "temperature": "`temperature` is deprecated for this model.",
}


def server_without(*parameters: str, status: int = 400) -> Any:
    def answer(request: Request) -> Answer:
        refused = next((name for name in parameters if name in request.body), None)
        return (
            refusal_to(status, REJECTIONS[refused], type="invalid_request_error")
            if refused
            else claude_message(TEXT, usage=USAGE)
        )

    return answer


@examples(12)
@given(missing=st.sets(st.sampled_from([*REJECTIONS])), status=st.sampled_from([400, 422, 500]))
def test_an_unsupported_parameter_is_sent_once_and_reported_each_time(
    missing: set[str], status: int
) -> None:
    with Loopback(server_without(*sorted(missing), status=status)) as server:
        asking = judge(server)
        first = asking.ask(ASK)
        learned = len(server.requests)
        second = asking.ask(ASK)
    assert first.text == second.text == TEXT
    assert learned == 1 + len(missing)
    assert len(server.requests) == learned + 1
    assert len(first.warnings) == len(missing)
    assert first.warnings == second.warnings
    assert not missing & server.requests[-1].body.keys()
