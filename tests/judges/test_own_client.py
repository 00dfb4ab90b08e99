"""A client of the user's own asks for a judge: real clients of the SDKs, over real HTTP."""

import asyncio
import gzip
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import anthropic
import openai
import pytest
from loopback import Answer, Loopback, Request, good_reply, refusal_to
from remote import ASK, TEXT

from faithfulness_assert import ConfigError, Grader, JudgeError
from faithfulness_assert.judges import make_judge
from faithfulness_assert.judges.anthropic import AnthropicJudge
from faithfulness_assert.judges.openai import OpenAIJudge
from faithfulness_assert.judges.remote.remote_judge import RemoteJudge

KEY = "gate-0123456789abcdefXYZ"
AZURE: dict[str, Any] = {"api_version": "2026-01-01", "azure_deployment": "mine"}
OPENED: list[Any] = []


@pytest.fixture(autouse=True)
def _closed_clients() -> Iterator[None]:
    yield
    for client in OPENED:
        client.close()
    OPENED.clear()


def judge_of(client: Any, **options: Any) -> RemoteJudge:
    OPENED.append(client)
    judge = AnthropicJudge if "Anthropic" in type(client).__name__ else OpenAIJudge
    return judge("m", client=client, **{"max_retries": 0, **options})


KINDS = ("OpenAI", "AzureOpenAI", "Anthropic")
any_client = pytest.mark.parametrize("kind", KINDS)


def made(kind: str, server: Loopback) -> RemoteJudge:
    """A judge that asks this server by a client of this kind."""
    access: dict[str, Any] = {"base_url": server.root if "Anthropic" in kind else server.url}
    if "Azure" in kind:
        access = {"azure_endpoint": server.root, **AZURE}
    return judge_of(
        getattr(anthropic if "Anthropic" in kind else openai, kind)(api_key=KEY, **access)
    )


def good(request: Request) -> Answer:
    return good_reply(request, TEXT)


# ---------------------------------------------------------------- what is sent


@any_client
def test_each_kind_of_client_brings_a_reply_with_its_own_key(kind):
    with Loopback(good) as server:
        asking = made(kind, server)
        replies = [asking.ask(ASK), asyncio.run(asking.aask(ASK))]
    assert {reply.text for reply in replies} == {TEXT}
    assert all(KEY in str(request.headers) for request in server.requests)
    assert {request.headers["accept-encoding"] for request in server.requests} == {"identity"}


def test_azure_has_its_deployment_version_and_header():
    with Loopback(good) as server:
        made("AzureOpenAI", server).ask(ASK)
        by_model = openai.AzureOpenAI(
            api_key=KEY, azure_endpoint=server.root, api_version="2026-01-01"
        )
        judge_of(by_model).ask(ASK)
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
        asking = judge_of(client)
        asking.ask(ASK)
        asking.ask(ASK)
    sent = [request.headers["authorization"] for request in server.requests]
    assert sent == ["Bearer token-of-the-first-hour", "Bearer token-of-the-second-hour"]


def test_headers_query_and_http_client_of_a_gateway_are_used():
    signed = []
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
def test_retries_are_the_judges_own(kind):
    with Loopback(refusal_to(500, "oops")) as server:
        with pytest.raises(JudgeError) as caught:
            made(kind, server).ask(ASK)
        assert len(server.requests) == 1  # the clients would try three times
    assert (caught.value.kind, caught.value.http_status) == ("server", 500)


def test_time_is_the_judges_own():
    def asked(judge: RemoteJudge) -> str:
        with pytest.raises(JudgeError) as caught:
            judge.ask(ASK, deadline=begun + 1)
        return caught.value.kind

    with Loopback(lambda request: replace(good_reply(request, TEXT), delay=30)) as server:
        judges = [made(kind, server) for kind in KINDS]
        begun = time.monotonic()
        with ThreadPoolExecutor(len(judges)) as pool:
            assert list(pool.map(asked, judges)) == ["timeout"] * len(KINDS)
        assert time.monotonic() - begun < 20


@any_client
@pytest.mark.parametrize("status", [200, 500])
def test_a_body_without_end_is_not_read(kind, status):
    bomb = gzip.compress(b" " * (9 << 20), 9)
    answer = Answer(bomb, status, {"content-encoding": "gzip"})
    with Loopback(answer) as server, pytest.raises(JudgeError, match="8 MB"):
        made(kind, server).ask(ASK)


def test_what_a_token_provider_raises_is_a_judge_error():
    def refuse() -> str:
        raise PermissionError("no identity")

    with Loopback(good) as server:
        client = openai.AzureOpenAI(
            azure_ad_token_provider=refuse, azure_endpoint=server.root, **AZURE
        )
        with pytest.raises(JudgeError, match="no identity"):
            judge_of(client).ask(ASK)
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
        reply = judge_of(client).ask(ASK)
    assert reply.text == f"{TEXT} [redacted] [redacted]"


# ---------------------------------------------------------------- options


@pytest.mark.parametrize("client", ["openai", 5, object(), anthropic.Anthropic(api_key="k")])
def test_what_is_no_client_of_the_sdk_is_an_error(client):
    with pytest.raises(ConfigError, match=r"^client: must be a client of the package openai"):
        make_judge("openai:m", {"client": client})


def test_a_client_that_is_asynchronous_is_an_error():
    with pytest.raises(ConfigError, match=r"^client: must not be asynchronous: make it with Open"):
        make_judge("openai:m", {"client": openai.AsyncOpenAI(api_key="k")})


@pytest.mark.parametrize("name", ["base_url", "api_key"])
def test_address_and_key_belong_to_the_client(name):
    with pytest.raises(ConfigError, match=f"^{name}: set it on the client"):
        judge_of(openai.OpenAI(api_key=KEY), **{name: "https://h/v1"})


def test_a_judge_leaves_the_client_open():
    with Loopback(good) as server:
        client = openai.OpenAI(api_key=KEY, base_url=server.url)
        asking = judge_of(client)
        asking.ask(ASK)
        assert not client.is_closed()
        assert judge_of(client).ask(ASK).text == TEXT
