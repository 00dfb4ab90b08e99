"""What holds for every judge behind an API: its real SDK and real HTTP, against a loopback server.

``fixtures/provider_replies.json`` has what an API says (``said``: arguments of ``completion`` or
``claude_message``) and what is read from it. What their servers may do wrong is in ``test_faults``.
"""

from __future__ import annotations

import logging
import sys
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import pytest
from loopback import Answer, Loopback, Request, claude_message, completion, good_reply, refusal_to
from remote import ASK, TEXT, check_any_json
from rows import rows

from faithfulness_assert import ConfigError, JudgeError, Usage
from faithfulness_assert.judges import make_judge, option_names
from faithfulness_assert.judges.anthropic import AnthropicJudge
from faithfulness_assert.judges.openai import OpenAIJudge
from faithfulness_assert.judges.remote.remote_judge import RemoteJudge
from faithfulness_assert.records.judge import Limits

SAID: list[dict[str, Any]] = rows("provider_replies")


@dataclass(frozen=True)
class Api:
    """A provider's API: its judge, a key, what its server says, and the parts of that."""

    name: str
    judge: type[RemoteJudge]
    key: str
    says: Callable[..., Answer]
    usage: dict[str, int]
    parts: str

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
    ),
    Api(
        "anthropic",
        AnthropicJudge,
        "sk-ant-api03-0123456789abcdefXYZ_-AA",
        claude_message,
        {"input_tokens": 100, "output_tokens": 20},
        "error content content.0 content.0.text stop_reason stop_details usage usage.input_tokens",
    ),
]
BY_NAME = {api.name: api for api in APIS}
every_api = pytest.mark.parametrize("api", APIS, ids=lambda api: api.name)


# ---------------------------------------------------------------- replies


@pytest.mark.parametrize("row", SAID, ids=lambda row: f"{row['api']}-{row['id']}")
def test_a_reply_is_read_as_its_row_says(row: dict[str, Any]) -> None:
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
def test_any_json_in_any_part_leads_to_a_reply_or_a_judge_error(api: Api) -> None:
    check_any_json(api.made, api.with_part, ["body", *api.parts.split()])


# ---------------------------------------------------------------- tries


@every_api
def test_threads_share_what_they_learn_about_the_server(api: Api) -> None:
    def answer(request: Request) -> Answer:
        if "temperature" in request.body:
            return refusal_to(400, "temperature is not supported", type="invalid_request_error")
        return good_reply(request, TEXT)

    with Loopback(answer) as server:
        asking = api.made(server)
        with ThreadPoolExecutor(8) as pool:
            replies = list(pool.map(lambda _: asking.ask(ASK), range(24)))
        learned = len(server.requests)
        asking.ask(ASK)
    assert {reply.text for reply in replies} == {TEXT}
    assert len(server.requests) == learned + 1


# ---------------------------------------------------------------- secrets


@every_api
@pytest.mark.parametrize("status", [200, 307, 401, 500])
def test_no_frame_or_cause_of_an_error_shows_the_key(
    api: Api, status: int, caplog: pytest.LogCaptureFixture
) -> None:
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
def test_a_key_that_is_refused_and_none_are_told_apart(
    given: dict[str, str], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with Loopback(refusal_to(401, "no")) as server, pytest.raises(JudgeError) as caught:
        OpenAIJudge("m", base_url=server.url, **given).ask(ASK)
    assert caught.value.fix == f"{said}: OPENAI_API_KEY in the environment, or api_key."


# ---------------------------------------------------------------- options

INVALID = {
    "timeout": (0, -1, float("nan"), float("inf"), "60", True),
    "max_retries": (-1, 1.5, None, "2", True),
    "temperature": (-0.1, 2.1, "0", float("nan"), True),
    "max_prompt_tokens": (0, 1.5, "9"),
    "max_statements": (0, "40"),
    "base_url": ("no address", "ftp://h/v1", "http://", "http://h:port/v1", "http://[::1/v1", 5),
    "api_key": (5, "sk two words", "sk-\nline", "ключ"),
    "model": ("", "  ", None, 5),
    "client": (5, "openai.OpenAI()"),
}


@every_api
@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, values in INVALID.items() for value in values]
)
def test_an_invalid_option_is_named(api: Api, name: str, value: Any) -> None:
    key = {} if name == "client" else {"api_key": api.key}
    with pytest.raises(ConfigError, match=f"^{name}: ") as caught:
        api.judge(**{"model": "m", **key, name: value})
    assert not (name == "api_key" and str(value) in str(caught.value))


@every_api
def test_only_the_providers_own_servers_need_a_key(api: Api) -> None:
    with pytest.raises(ConfigError, match=rf"(?s)api_key.*{api.name.upper()}_API_KEY"):
        api.judge("m")
    with pytest.raises(ConfigError, match=f"{api.name.upper()}_API_KEY"):
        api.judge("m", base_url=f"https://eu.api.{api.name}.com/v1", api_key=" ")
    with Loopback(api.good()) as server:
        assert api.judge("m", base_url=api.root(server)).ask(ASK).text == TEXT


@every_api
def test_key_and_address_are_read_from_the_environment(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Loopback(api.good()) as server:
        monkeypatch.setenv(f"{api.name.upper()}_BASE_URL", api.root(server))
        monkeypatch.setenv(f"{api.name.upper()}_API_KEY", f"{api.key}\n")
        api.judge("m").ask(ASK)
    assert api.key in str(server.requests[0].headers)


@every_api
def test_the_query_of_an_address_goes_with_each_request(api: Api) -> None:
    with Loopback(api.good()) as server:
        api.made(server, base_url=f"{api.root(server)}/deep?version=7").ask(ASK)
    (request,) = server.requests
    assert "/deep/" in request.path
    assert request.path.endswith("?version=7")


@every_api
def test_the_info_has_the_given_limits_and_an_identity_without_secrets(api: Api) -> None:
    made = api.judge(
        "m",
        base_url="https://u:p@h:8/v1?k=v",
        api_key=api.key,
        temperature=None,
        max_prompt_tokens=9,
        max_statements=8,
    )
    seed = {"seed": None} if api.name == "openai" else {}
    assert made.info.identity == {
        "judge": api.name,
        "base_url": "https://h:8/v1",
        "model": "m",
        "temperature": None,
        **seed,
    }
    assert (made.info.name, made.info.limits) == (f"{api.name}:m", Limits(9, 8))
    assert made.info.keeps_deadline


@every_api
def test_samples_after_the_first_are_drawn_as_the_model_would_unless_a_temperature_is_given(
    api: Api,
) -> None:
    for given, sent, deterministic in (
        ({}, [0.0, 1.0, 1.0], False),
        ({"temperature": "auto"}, [0.0, 1.0, 1.0], False),
        ({"temperature": 0}, [0.0, 0.0, 0.0], True),
        ({"temperature": 0.4}, [0.4, 0.4, 0.4], False),
        ({"temperature": None}, [None, None, None], False),
    ):
        with Loopback(api.good()) as server:
            made = api.made(server, **given)
            for sample in (1, 2, 3):
                made.ask(replace(ASK, sample=sample))
        bodies = [request.body for request in server.requests]
        assert [body.get("temperature") for body in bodies] == sent, given
        assert made.info.deterministic is deterministic
        first, *others = [{**body, "temperature": None} for body in bodies]
        assert others == [first, first]


@every_api
def test_an_ask_needs_no_sdk_and_a_batch_says_how_to_install_it(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, api.name, None)
    with Loopback(api.good()) as server:
        made = api.made(server)
        assert made.ask(ASK).text == TEXT
        with pytest.raises(ConfigError) as caught:
            made.batch_client()
    assert "pip install" in str(caught.value)


def test_the_two_judges_have_the_same_options_except_seed_and_family() -> None:
    ours, theirs = (option_names(f"{api.name}:m") for api in APIS)
    assert set(ours) - set(theirs) == {"seed", "family"}
    assert {"timeout", "client"} < set(theirs) < set(ours)
    with pytest.raises(ConfigError, match=r"^seed: the judge 'anthropic:m' has no such option"):
        make_judge("anthropic:m", {"seed": 1})
