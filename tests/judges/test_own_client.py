"""A client of the user's own asks for a judge: real clients of the SDKs, over real HTTP."""

import asyncio
import gzip
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import anthropic
import openai
import pytest
from loopback import Answer, Loopback, Request, good_reply, refusal_to
from remote import ASK, TEXT

from faithfulness_assert import ConfigError, Grader, JudgeError
from faithfulness_assert.judges import background, make_judge
from faithfulness_assert.judges.anthropic import AnthropicJudge
from faithfulness_assert.judges.openai import OpenAIJudge
from faithfulness_assert.judges.remote.remote_judge import RemoteJudge

KEY = "gate-0123456789abcdefXYZ"
AZURE: dict[str, Any] = {"api_version": "2026-01-01", "azure_deployment": "mine"}
Make = Callable[[Loopback], RemoteJudge]


OPENED: list[Any] = []


@pytest.fixture(autouse=True)
def _closed_clients() -> Iterator[None]:
    yield
    for client in OPENED:
        closing = client.close()
        if closing:
            background.wait(closing)
    OPENED.clear()


def openai_judge(client: Any, **options: Any) -> OpenAIJudge:
    OPENED.append(client)
    return OpenAIJudge("m", client=client, **{"max_retries": 0, **options})


def anthropic_judge(client: Any) -> AnthropicJudge:
    OPENED.append(client)
    return AnthropicJudge("m", client=client, max_retries=0)


CLIENTS: dict[str, Make] = {
    "OpenAI": lambda s: openai_judge(openai.OpenAI(api_key=KEY, base_url=s.url)),
    "AsyncOpenAI": lambda s: openai_judge(openai.AsyncOpenAI(api_key=KEY, base_url=s.url)),
    "AzureOpenAI": lambda s: openai_judge(
        openai.AzureOpenAI(api_key=KEY, azure_endpoint=s.root, **AZURE)
    ),
    "AsyncAzureOpenAI": lambda s: openai_judge(
        openai.AsyncAzureOpenAI(api_key=KEY, azure_endpoint=s.root, **AZURE)
    ),
    "Anthropic": lambda s: anthropic_judge(anthropic.Anthropic(api_key=KEY, base_url=s.root)),
    "AsyncAnthropic": lambda s: anthropic_judge(
        anthropic.AsyncAnthropic(api_key=KEY, base_url=s.root)
    ),
}
any_client = pytest.mark.parametrize("make", CLIENTS.values(), ids=CLIENTS)


def good(request: Request) -> Answer:
    return good_reply(request, TEXT)


def failure(make: Make, answer: Answer) -> JudgeError:
    with Loopback(answer) as server, pytest.raises(JudgeError) as caught:
        make(server).ask(ASK)
    return caught.value


# ---------------------------------------------------------------- what is sent


@any_client
def test_each_kind_of_client_brings_a_reply_with_its_own_key(make):
    with Loopback(good) as server:
        asking = make(server)
        replies = [asking.ask(ASK), asyncio.run(asking.aask(ASK))]
    assert {reply.text for reply in replies} == {TEXT}
    assert all(KEY in str(request.headers) for request in server.requests)
    assert {request.headers["accept-encoding"] for request in server.requests} == {"identity"}


def test_azure_has_its_deployment_version_and_header():
    with Loopback(good) as server:
        CLIENTS["AzureOpenAI"](server).ask(ASK)
        by_model = openai.AzureOpenAI(
            api_key=KEY, azure_endpoint=server.root, api_version="2026-01-01"
        )
        openai_judge(by_model).ask(ASK)
    first, second = server.requests
    assert first.path == "/openai/deployments/mine/chat/completions?api-version=2026-01-01"
    assert first.headers["api-key"] == KEY
    assert second.path == "/openai/deployments/m/chat/completions?api-version=2026-01-01"


def test_a_token_is_fetched_for_each_request():
    tokens = iter(["token-of-the-first-hour", "token-of-the-second-hour"])
    with Loopback(good) as server:
        client = openai.AzureOpenAI(
            azure_ad_token_provider=lambda: next(tokens), azure_endpoint=server.root, **AZURE
        )
        asking = openai_judge(client)
        asking.ask(ASK)
        asking.ask(ASK)
    sent = [request.headers["authorization"] for request in server.requests]
    assert sent == ["Bearer token-of-the-first-hour", "Bearer token-of-the-second-hour"]


def test_headers_query_and_http_client_of_a_gateway_are_used():
    signed: list[str] = []
    http = openai.DefaultHttpxClient(
        headers={"x-proxy": "1"},
        event_hooks={"request": [lambda request: signed.append(str(request.url))]},
    )
    with Loopback(good) as server:
        client = openai.OpenAI(
            api_key=KEY,
            base_url=server.url,
            default_headers={"x-team": "evaluation"},
            default_query={"route": "eu"},
            http_client=http,
        )
        OPENED.append(client)
        grader = Grader("openai:m", client=client)
        assert grader.grade("It rains.", "It rains.").status == "graded"
    (request, *_) = server.requests
    assert request.path == "/v1/chat/completions?route=eu"
    assert (request.headers["x-team"], request.headers["x-proxy"]) == ("evaluation", "1")
    assert signed


# ---------------------------------------------------------------- what may go wrong


@any_client
def test_retries_are_the_judges_own(make):
    with Loopback(refusal_to(500, "oops")) as server:
        with pytest.raises(JudgeError) as caught:
            make(server).ask(ASK)
        assert len(server.requests) == 1  # the clients would try three times
    assert (caught.value.kind, caught.value.http_status) == ("server", 500)


def test_time_is_the_judges_own():
    def asked(judge: RemoteJudge) -> str:
        with pytest.raises(JudgeError) as caught:
            judge.ask(ASK, deadline=begun + 1)
        return caught.value.kind

    with Loopback(lambda request: replace(good_reply(request, TEXT), delay=30)) as server:
        judges = [make(server) for make in CLIENTS.values()]
        begun = time.monotonic()
        with ThreadPoolExecutor(len(judges)) as pool:
            assert list(pool.map(asked, judges)) == ["timeout"] * len(CLIENTS)
        assert time.monotonic() - begun < 20


@any_client
@pytest.mark.parametrize("status", [200, 500])
def test_a_body_without_end_is_not_read(make, status):
    bomb = gzip.compress(b" " * (9 << 20), 9)
    error = failure(make, Answer(bomb, status, {"content-encoding": "gzip"}))
    assert "8 MB" in error.message


def test_what_a_token_provider_raises_is_a_judge_error():
    def refuse() -> str:
        raise PermissionError("no identity")

    with Loopback(good) as server:
        client = openai.AzureOpenAI(
            azure_ad_token_provider=refuse, azure_endpoint=server.root, **AZURE
        )
        with pytest.raises(JudgeError, match="no identity"):
            openai_judge(client).ask(ASK)
    assert not server.requests


# ---------------------------------------------------------------- secrets


def test_tokens_and_headers_that_a_client_sends_are_not_shown():
    def echo(request: Request) -> Answer:
        secrets = f"{request.headers['authorization']} {request.headers['x-gate-token']}"
        return good_reply(request, f"{TEXT} {secrets.removeprefix('Bearer ')}")

    with Loopback(echo) as server:
        client = openai.AzureOpenAI(
            azure_ad_token_provider=lambda: "fresh-token-0123456789",
            azure_endpoint=server.root,
            default_headers={"x-gate-token": KEY},
            **AZURE,
        )
        reply = openai_judge(client).ask(ASK)
    assert reply.text == f"{TEXT} [redacted] [redacted]"


# ---------------------------------------------------------------- options


@pytest.mark.parametrize("client", ["openai", 5, object(), anthropic.Anthropic(api_key="k")])
def test_what_is_no_client_of_the_sdk_is_an_error(client):
    with pytest.raises(ConfigError, match=r"^client: must be a client of the package openai"):
        make_judge("openai:m", {"client": client})


@pytest.mark.parametrize("name", ["base_url", "api_key"])
def test_address_and_key_belong_to_the_client(name):
    with pytest.raises(ConfigError, match=f"^{name}: set it on the client"):
        openai_judge(openai.OpenAI(api_key=KEY), **{name: "https://h/v1"})


def test_a_judge_leaves_the_client_open():
    with Loopback(good) as server:
        client = openai.OpenAI(api_key=KEY, base_url=server.url)
        asking = openai_judge(client)
        asking.ask(ASK)
        asking.batch_client()
        assert not client.is_closed()
        assert openai_judge(client).ask(ASK).text == TEXT
