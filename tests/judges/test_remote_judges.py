"""What holds for every judge behind an API: its real SDK and real HTTP, against a loopback server.

``fixtures/provider_replies.json`` has what an API says (``said``: arguments of ``completion`` or
``claude_message``) and what is read from it. What their servers may do wrong is in ``test_faults``.
What only holds for one of them stands at the end.
"""

import gzip
import json
import logging
import sys
import traceback
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import anthropic
import pytest
from fakes import LABELS
from hypothesis import given
from hypothesis import strategies as st
from loopback import Answer, Loopback, Request, claude_message, completion, refusal_to
from remote import ASK, FORM, TEXT, check_any_json
from rows import rows
from strategies import examples

from faithfulness_assert import ConfigError, Grader, JudgeError, Usage
from faithfulness_assert.asking.schema import json_schema
from faithfulness_assert.judges import make_judge, option_names
from faithfulness_assert.judges.anthropic import AnthropicJudge
from faithfulness_assert.judges.openai import FALLBACKS, OpenAIJudge
from faithfulness_assert.judges.remote.needs import Needs
from faithfulness_assert.judges.remote.remote_judge import RemoteJudge
from faithfulness_assert.records.judge import Limits, ReplyForm

SAID: list[dict[str, Any]] = rows("provider_replies")
BOUNDED = json_schema(FORM, 1)


@dataclass(frozen=True)
class Api:
    """A provider's API: its judge, a key, what its server says, and the parts of that.

    ``request``: path and body of an ask. ``rejects``: how a server refuses a parameter, a role or the
    bounds of a schema.
    """

    name: str
    judge: type[RemoteJudge]
    key: str
    says: Callable[..., Answer]
    usage: dict[str, int]
    parts: str
    request: tuple[str, dict[str, Any]]
    rejects: dict[str, str]

    def root(self, server: Loopback) -> str:
        return server.url if self.name == "openai" else server.root

    def made(self, server: Loopback, **options: Any) -> RemoteJudge:
        given = {"base_url": self.root(server), "api_key": self.key, "max_retries": 0, **options}
        return self.judge("m", **given)

    def good(self) -> Answer:
        return self.says(TEXT, usage=dict(self.usage))

    def with_part(self, part: str, value: Any) -> Any:
        """A good body in which ``value`` replaces one of its parts."""
        body = place = self.good().body
        *way, last = [int(step) if step.isdigit() else step for step in part.split(".")]
        for step in way:
            place = place[step]
        place[last] = value
        return body if part != "body" else value


APIS = [
    Api(
        "openai",
        OpenAIJudge,
        "sk-proj-a+b/c=0123456789abcdefXYZ",
        completion,
        {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
        "error choices choices.0 choices.0.finish_reason choices.0.message "
        "choices.0.message.content choices.0.message.refusal usage usage.prompt_tokens",
        (
            "/v1/chat/completions",
            {
                "messages": [dict(message) for message in ASK.messages],
                "response_format": {
                    "type": "json_schema",
                    "json_schema": {"name": "verdicts", "strict": True, "schema": BOUNDED},
                },
            },
        ),
        {
            "bounds": "Invalid schema for response_format 'verdicts': 'minItems' is not permitted",
            "response_format": "'response_format' of this type is not supported",
            "max_completion_tokens": "Unsupported parameter: 'max_completion_tokens'",
            "max_tokens": "Unsupported parameter: 'max_tokens'",
            "temperature": "'temperature' does not support 0.0 with this model",
            "seed": "Extra inputs are not permitted: seed",
            "system role": "System role not supported",
        },
    ),
    Api(
        "anthropic",
        AnthropicJudge,
        "sk-ant-api03-0123456789abcdefXYZ_-AA",
        claude_message,
        {"input_tokens": 100, "output_tokens": 20},
        "error content content.0 content.0.text stop_reason stop_details usage usage.input_tokens",
        (
            "/v1/messages",
            {
                "system": "Judge.",
                "messages": [{"role": "user", "content": "Is it so?"}],
                "output_config": {"format": {"type": "json_schema", "schema": ASK.schema}},
            },
        ),
        {
            "output_config": "output_config: Extra inputs are not permitted",
            "temperature": "`temperature` is deprecated for this model.",
        },
    ),
]
OPENAI = APIS[0]
BY_NAME = {api.name: api for api in APIS}
every_api = pytest.mark.parametrize("api", APIS, ids=lambda api: api.name)


def seeded(api: Api) -> dict[str, int]:
    """The option that only one of them has."""
    return {"seed": 7} if api.name == "openai" else {}


# ---------------------------------------------------------------- requests and replies


@every_api
def test_an_ask_is_one_request_with_the_schema_of_its_reply(api):
    with Loopback(api.good()) as server:
        reply = api.made(server, **seeded(api)).ask(ASK)
    (request,) = server.requests
    path, body = api.request
    login = "x-api-key" if "x-api-key" in request.headers else "authorization"
    assert request.path == path
    assert request.headers[login].removeprefix("Bearer ") == api.key
    assert request.headers["accept-encoding"] == "identity"
    assert ("anthropic-version" in request.headers) == (api.name == "anthropic")
    given = {"model": "m", "max_tokens": 352, "temperature": 0.0, **seeded(api)}
    assert request.body == {**given, **body}
    assert (reply.text, reply.warnings) == (TEXT, ())


@pytest.mark.parametrize("row", SAID, ids=lambda row: f"{row['api']}-{row['id']}")
def test_a_reply_is_read_as_its_row_says(row):
    api = BY_NAME[row["api"]]
    with Loopback(api.says(**row["said"])) as server:
        reply = api.made(server).ask(ASK)
    read = dict(row["read"])
    warned = read.pop("warns", None)
    assert [warned in warning for warning in reply.warnings] == [True] * bool(warned)
    if read.get("usage"):
        prompt, completed, cached, reasoning = read["usage"]
        read["usage"] = Usage(prompt, completed, cached, reasoning, num_requests=1)
    assert {name: getattr(reply, name) for name in read} == read


@every_api
def test_any_json_in_any_part_leads_to_a_reply_or_a_judge_error(api):
    check_any_json(api.made, api.with_part, ["body", *api.parts.split()])


# ---------------------------------------------------------------- what a server does not take


def rejected(body: dict[str, Any], rejects: dict[str, str]) -> str:
    """The first of these that a request has; "" for none."""
    has = {*body, *(["bounds"] * ("minItems" in str(body)))}
    has |= {f"{message['role']} role" for message in body["messages"]}
    return next((name for name in rejects if name in has), "")


@every_api
@examples(20)
@given(st.data(), st.sampled_from([400, 404, 422, 500]), st.booleans(), st.booleans())
def test_an_unsupported_parameter_is_sent_once_and_reported_each_time(
    api, data, status, names, own
):
    """``own``: as if the server were one of OpenAI's, which gets other parameters."""
    missing = data.draw(st.sets(st.sampled_from([*api.rejects])))
    rejects = {name: words for name, words in api.rejects.items() if name in missing}

    def answer(request: Request) -> Answer:
        if name := rejected(request.body, rejects):
            param = name if names and name in request.body else None
            return refusal_to(status, rejects[name], param=param, type="invalid_request_error")
        return api.good()

    with Loopback(answer) as server:
        asking = api.made(server, **seeded(api))
        if own and isinstance(asking, OpenAIJudge):
            asking.needs = Needs(FALLBACKS, asking.info.limits, OpenAIJudge.own_steps)
        first = asking.ask(ASK)
        learned = len(server.requests)
        second = asking.ask(ASK)
    assert first.text == second.text == TEXT
    assert len(server.requests) == learned + 1 <= 11
    assert first.warnings == second.warnings
    assert bool(first.warnings) == (learned > 1)
    assert first.usage.num_requests == learned
    last = server.requests[-1].body
    assert not rejected(last, rejects)
    assert {*seeded(api), "temperature"} - missing <= last.keys()
    assert "Judge." in str(last)
    if api.name == "anthropic":  # whose fallbacks go one by one
        assert learned == 1 + len(missing) == 1 + len(first.warnings)


@pytest.mark.parametrize(
    "words",
    ["response_format json_schema", "seed temperature max_tokens grammar system role", "no such thing"],
)  # fmt: skip
def test_a_server_that_rejects_every_request_leads_to_an_error(words):
    """Steps that did not help are not kept."""
    with Loopback(refusal_to(400, words)) as server:
        asking = OPENAI.made(server)
        with pytest.raises(JudgeError) as caught:
            asking.ask(ASK)
        half = len(server.requests)
        assert half <= 10
        assert caught.value.usage.num_requests == half
        with pytest.raises(JudgeError):
            asking.ask(ASK)
    assert server.requests[-1].body.keys() == server.requests[half - 1].body.keys()
    assert "response_format" in server.requests[half].body


def test_a_decompression_bomb_does_not_take_much_memory():
    bomb = Answer(gzip.compress(b" " * (150 << 20), 6), headers={"content-encoding": "gzip"})
    with Loopback(bomb) as server:
        asking = OPENAI.made(server)
        tracemalloc.start()
        with pytest.raises(JudgeError):
            asking.ask(ASK)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < 100 << 20


# ---------------------------------------------------------------- secrets


@every_api
@pytest.mark.parametrize("status", [200, 307, 401, 500])
def test_no_frame_or_cause_of_an_error_shows_the_key(api, status, caplog):
    caplog.set_level(logging.DEBUG, "faithfulness_assert")
    echo = {"error": {"message": f"denied to {api.key}", "type": "authentication_error"}}
    answer = Answer(echo, status, {"location": f"http://h/{api.key}"})
    with Loopback(answer) as server, pytest.raises(JudgeError) as caught:
        api.made(server).ask(ASK)
    error = caught.value
    trace = "".join(traceback.format_exception(error))
    assert "0123456789abcdef" not in f"{trace} {error!r} {error.args} {caplog.text}"
    assert (error.__cause__, error.__context__) == (None, None)


@pytest.mark.parametrize(
    ("given", "said"), [({"api_key": "k"}, "Check the key"), ({}, "No key was sent")]
)
def test_a_key_that_is_refused_and_none_are_told_apart(given, said, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with Loopback(refusal_to(401, "no")) as server, pytest.raises(JudgeError) as caught:
        OpenAIJudge("m", base_url=server.url, **given).ask(ASK)
    assert caught.value.fix == f"{said}: OPENAI_API_KEY in the environment, or api_key from Python."


# ---------------------------------------------------------------- options

INVALID = {
    "timeout": (0, -1, float("nan"), float("inf"), "60", True),
    "max_retries": (-1, 1.5, None, "2", True),
    "temperature": (-0.1, 2.1, "0", float("nan"), True),
    "max_prompt_tokens": (0, 1.5, "9"),
    "max_statements": (0, "40"),
    "base_url": ("no address", "ftp://h/v1", "http://", "http://h:port/v1", "http://[::1/v1", 5),
    "api_key": ("sk two words", "sk-\nline", "ключ"),
    "model": ("", "  ", None, 5),
    "client": (5, "openai.OpenAI()"),
    "extra_body": ({"a": float("nan")},),
}


@every_api
@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, values in INVALID.items() for value in values]
)
def test_an_invalid_option_is_named(api, name, value):
    key = {} if name == "client" else {"api_key": api.key}
    with pytest.raises(ConfigError, match=f"^{name}: ") as caught:
        api.judge(**{"model": "m", **key, name: value})
    assert not (name == "api_key" and str(value) in str(caught.value))


@every_api
def test_only_the_providers_own_servers_need_a_key(api):
    with pytest.raises(ConfigError, match="api_key: must be a string, got int"):
        Grader(f"{api.name}:m", api_key=5)
    with pytest.raises(ConfigError, match=rf"(?s)api_key.*{api.name.upper()}_API_KEY"):
        api.judge("m")
    with pytest.raises(ConfigError, match=f"{api.name.upper()}_API_KEY"):
        api.judge("m", base_url=f"https://eu.api.{api.name}.com/v1", api_key=" ")
    with Loopback(api.good()) as server:
        assert api.judge("m", base_url=api.root(server)).ask(ASK).text == TEXT


@every_api
def test_key_and_address_with_its_query_are_read_from_the_environment(api, monkeypatch):
    with Loopback(api.good()) as server:
        address = f"{api.root(server)}/deep?version=7"
        monkeypatch.setenv(f"{api.name.upper()}_BASE_URL", address)
        monkeypatch.setenv(f"{api.name.upper()}_API_KEY", f"{api.key}\n")
        api.judge("m").ask(ASK)
    (request,) = server.requests
    assert api.key in str(request.headers)
    assert "/deep/" in request.path
    assert request.path.endswith("?version=7")


@every_api
def test_the_info_has_the_given_limits_and_an_identity_without_secrets(api):
    access = {"base_url": "https://u:p@h:8/v1?k=v", "api_key": api.key}
    made = api.judge("m", **access, temperature=None, max_prompt_tokens=9, max_statements=8)
    shown = {"judge": api.name, "base_url": "https://h:8/v1", "model": "m", "temperature": None}
    assert made.info.identity == {**shown, **dict.fromkeys(seeded(api))}
    assert (made.info.name, made.info.limits) == (f"{api.name}:m", Limits(9, 8))
    assert made.info.keeps_deadline


@every_api
def test_samples_after_the_first_are_drawn_as_the_model_would_unless_a_temperature_is_given(api):
    for options, sent, deterministic in (
        ({}, [0.0, 1.0, 1.0], False),
        ({"temperature": "auto"}, [0.0, 1.0, 1.0], False),
        ({"temperature": 0}, [0.0, 0.0, 0.0], True),
        ({"temperature": 0.4}, [0.4, 0.4, 0.4], False),
        ({"temperature": None}, [None, None, None], False),
    ):
        with Loopback(api.good()) as server:
            made = api.made(server, **options)
            for sample in (1, 2, 3):
                made.ask(replace(ASK, sample=sample))
        bodies = [request.body for request in server.requests]
        assert [body.get("temperature") for body in bodies] == sent, options
        assert made.info.deterministic is deterministic
        first, *others = [{**body, "temperature": None} for body in bodies]
        assert others == [first, first]


@every_api
def test_an_ask_needs_no_sdk_and_a_batch_says_how_to_install_it(api, monkeypatch):
    monkeypatch.setitem(sys.modules, api.name, None)
    with Loopback(api.good()) as server:
        made = api.made(server)
        assert made.ask(ASK).text == TEXT
        with pytest.raises(ConfigError) as caught:
            made.batch_client()
    assert "pip install" in str(caught.value)


def test_the_two_judges_have_the_same_options_except_seed_and_family():
    ours, theirs = (option_names(f"{api.name}:m") for api in APIS)
    assert set(ours) - set(theirs) == {"seed", "family"}
    assert {"timeout", "client"} < set(theirs) < set(ours)
    with pytest.raises(ConfigError, match=r"^seed: the judge 'anthropic:m' has no such option"):
        make_judge("anthropic:m", {"seed": 1})
    for seed in (1.5, "1", True):
        with pytest.raises(ConfigError, match=r"^seed: "):
            make_judge("openai:m", {"api_key": OPENAI.key, "seed": seed})


# ---------------------------------------------------------------- for one of them alone


OWN = "api.openai.com/v1 eu.api.openai.com/v1 me.openai.azure.com/openai/v1 me.services.ai.azure.com/openai/v1"
OTHERS = "localhost:11434/v1 openrouter.ai/api/v1 api.openai.com.example.org/v1"
ADDRESSES = [(f"https://{one}", one in OWN.split()) for one in f"{OWN} {OTHERS}".split()]


@pytest.mark.parametrize(("base_url", "own"), [(None, True), *ADDRESSES])
def test_only_servers_of_openai_get_openai_s_own_parameters(base_url, own):
    asking = OpenAIJudge("m", base_url=base_url, api_key=OPENAI.key)
    sent = asking.body(ASK, {"model": "m", "temperature": 0, "seed": 1}, asking.needs.steps)
    assert ("max_completion_tokens" in sent, "max_tokens" in sent) == (own, not own)
    assert (sent["response_format"]["json_schema"]["schema"] == ASK.schema) == own


def test_lists_of_a_reply_have_bounds_where_the_server_is_not_openai_s():
    verdicts = BOUNDED["properties"]["verdicts"]
    assert (verdicts["minItems"], verdicts["maxItems"]) == (1, 1)
    assert verdicts["items"]["properties"]["evidence"]["maxItems"] == 8
    assert json_schema(replace(FORM, kind="claims"), 3)["properties"]["sentences"]["minItems"] == 3


FORMS = [
    ReplyForm("verdicts", ("supported",)),
    ReplyForm("verdicts", LABELS, reasons="all"),
    ReplyForm("claims"),
]


@pytest.mark.parametrize("form", FORMS, ids=lambda form: f"{form.kind}-{len(form.labels)}")
def test_the_sdk_finds_nothing_unsupported_in_our_schemas(form):
    schema = replace(ASK, form=form).schema
    # The SDK moves what the API does not support into a description. It drops the type beside an enum.
    assert "description" not in json.dumps(schema)
    assert "description" not in json.dumps(anthropic.transform_schema(schema))
    assert anthropic.transform_schema(schema).keys() == schema.keys()
