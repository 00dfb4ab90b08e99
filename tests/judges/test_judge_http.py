"""Tests of what HTTP judges share: redaction, reading of answers and errors, retries."""

import asyncio
import shutil
import ssl
import subprocess
from collections.abc import Mapping
from pathlib import Path

import anthropic
import openai
import pytest
from loopback import Answer, Loopback, good_reply, refusal_to

from faithfulness_assert import Grader, grade
from faithfulness_assert.judges.remote.endpoint import Endpoint
from faithfulness_assert.judges.remote.redaction import Secret

UNITS = "sk-|api_key|Bearer |basic |<|<a | |password=|://|://a|a.b|\0".split("|")


def told_of(answer: Answer) -> str:
    """What a result says of an error answer."""
    with Loopback(answer) as server:
        way = {"base_url": server.url, "api_key": "sk-secret-key", "max_retries": 0}
        return grade("It rains.", "It rains.", judge="openai:m", **way).error.message


@pytest.mark.parametrize(
    "text",
    [
        "Incorrect API key provided: sk-proj-abc***********xyz9. Find yours at the site.",
        "Authorization: Bearer xyz9.abc",
        "authorization: Basic dXNlcjp4eXo5eHl6OQ==xyz9",
        "{'api_key': 'q-xyz9', 'n': 1}",
        '{"X-Api-Key":"q-xyz9"}',
        "https://host/v1?api-key=q-xyz9&n=1",
        "upstream said password=q-xyz9 ok",
        "client secret: q-xyz9",
        "proxy http://user:q-xyz9@host:8080 said no",
    ],
)
def test_unknown_credentials_are_removed_too(text):
    assert "xyz9" not in told_of(refusal_to(400, text))


def test_normal_words_are_not_taken_for_credentials():
    text = "max_tokens: 100 is too large; the basic plan has no access; task-force; temperature=0.5"
    assert text in told_of(refusal_to(400, text))


@pytest.mark.parametrize("unit", UNITS)
def test_of_a_hostile_page_of_a_million_characters_one_line_is_shown(unit):
    told = told_of(Answer(unit * (1_000_000 // len(unit)), 500))
    assert told.isprintable()
    assert len(told) < 1000


@pytest.mark.parametrize("api", ["openai", "anthropic"])
def test_a_request_has_the_address_and_headers_of_the_sdks_own_call(api, monkeypatch):
    for name in ("ORG_ID", "PROJECT_ID"):
        monkeypatch.setenv(f"OPENAI_{name}", f"my-{name}")
    with Loopback(lambda request: good_reply(request)) as server:
        root = server.url if api == "openai" else server.root
        url = root.replace("//", "//user:pass@") + "/deep"
        asyncio.run(_ask_with_sdk(api, url))
        grader = Grader(f"{api}:m", base_url=url, api_key="k-123456")
        grader.grade("It rains.", "It rains.")
        theirs, ours = server.requests[:2]

    def telling(headers: Mapping[str, str]) -> dict[str, str]:
        varying = ("content-length", "accept-encoding", "user-agent", "connection")
        varying += ("anthropic-version", "x-api-key")  # with a login, as the SDK's version has it
        return {n: v for n, v in headers.items() if n not in varying and "stainless" not in n}

    assert ours.path == theirs.path
    assert telling(ours.headers) == telling(theirs.headers)
    assert ours.headers["authorization"].startswith("Basic ")
    assert ours.headers["accept-encoding"] == "identity"


async def _ask_with_sdk(api: str, url: str) -> None:
    if api == "openai":
        async with openai.AsyncOpenAI(api_key="k-123456", base_url=url) as client:
            await client.chat.completions.create(model="m", messages=[])
    else:
        async with anthropic.AsyncAnthropic(api_key="k-123456", base_url=url) as claude:
            await claude.messages.create(model="m", messages=[], max_tokens=1)


@pytest.mark.parametrize(
    ("url", "warns"),
    [
        ("https://api.example/v1", False),
        ("http://localhost:1/v1", False),
        ("http://127.8.9.1/v1", False),
        ("http://a.localhost./v1", False),
        ("http://[::1]/v1", False),
        ("http://[::ffff:127.0.0.1]/v1", False),
        ("http://[::ffff:10.0.0.1]/v1", True),
        ("http://localhost.evil.example/v1", True),
        ("http://api.example/v1", True),
        ("http://10.0.0.5/v1", True),
        ("http://VLLM:8000/v1", True),
    ],
)
def test_http_to_another_machine_is_warned_of(url, warns, monkeypatch):
    endpoint = Endpoint(url, Secret("sk-123456789"))
    assert bool(endpoint.warnings) == warns
    monkeypatch.setenv(
        "FAITHFULNESS_ASSERT_HTTP_HOSTS", "10.0.0.5, vllm,api.example,::ffff:10.0.0.1"
    )
    assert bool(Endpoint(url, Secret("sk-123456789")).warnings) == ("evil" in url)


@pytest.fixture
def certificate(tmp_path: Path) -> tuple[Path, Path]:
    """A certificate of this machine that nobody knows, and its key."""
    if not (openssl := shutil.which("openssl")):
        pytest.skip("there is no openssl to make a certificate with")
    made, key = tmp_path / "here.pem", tmp_path / "key.pem"
    command = [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"]
    files = ["-keyout", str(key), "-out", str(made)]
    subprocess.run([*command, *names, *files], check=True, capture_output=True)
    return made, key


def test_certificates_are_those_of_ssl_cert_file_and_an_unknown_one_is_told(
    certificate, monkeypatch
):
    monkeypatch.delenv("SSL_CERT_DIR", raising=False)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(*certificate)
    results = {}
    for known in (True, False):
        server = Loopback(good_reply)
        server._server.socket = tls.wrap_socket(server._server.socket, server_side=True)
        if known:
            monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
        else:
            monkeypatch.delenv("SSL_CERT_FILE")
        url, key = server.url.replace("http:", "https:"), "sk-test-0123456789"
        with server:
            grader = Grader("openai:m", base_url=url, api_key=key, max_retries=0, controls="off")
            results[known] = grader.grade("Tom is here. Tom is tall.", "Tom is here.")
    assert results[True].status == "graded"
    assert results[False].status == "judge_failed"
    assert "certificate" in results[False].reason.lower()
