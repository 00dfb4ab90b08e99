"""In whichever form a server sends the key, wherever in its answer: nothing that we show or keep has it.

Each of ``FORMS`` goes to each of ``PLACES`` over real HTTP, with all loggers at DEBUG. What comes out is
read as it stands and as people or programs may decode it (``shows``).
"""

from __future__ import annotations

import base64
import hashlib
import json
import logging
import string
from pathlib import Path
from random import Random
from typing import Any

import openai
import pytest
from attacks import outputs
from hypothesis import given
from hypothesis import strategies as st
from leaks import FORMS, LONG, VERDICT, shows
from loopback import Answer, Loopback, Request, good_reply, refusal_to
from remote import bare_environment
from strategies import examples

from faithfulness_assert import ConfigError, Grader, grade
from faithfulness_assert.cli import main
from faithfulness_assert.judges.remote.redaction import Secret, safe_text
from faithfulness_assert.judges.remote.settings import endpoint_at
from faithfulness_assert.records.keys import without_keys

CASE = {"answer": "The museum opens at nine.", "context": "The museum opens at nine."}


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    bare_environment(monkeypatch)


def records(caplog: pytest.LogCaptureFixture) -> str:
    """What was logged since the last call, also by handlers that format it themselves."""
    found = [f"{r.getMessage()} {r.args!r} {r.exc_text} {r.exc_info}" for r in caplog.records]
    caplog.clear()
    return "\n".join(found)


# ---------------------------------------------------------------- a key where a name belongs

TYPED = (
    "sk-proj-abcdefghijk1234567890",
    "gsk_abcdefghijk1234567890",
    "AIzaSyabcdefghijk1234567890",
    "hf_abcdefghijklMNOPqrstuvwxyzABCDEFGH",  # as all of theirs, without a digit
)


@pytest.mark.parametrize("key", TYPED)
@pytest.mark.parametrize(
    "command",
    [
        "grade - --judge {0}",
        "grade - --judge openai:m -o {0}=1",
        "grade - --judge openai:m -o {0}",
        "grade - --judge openai:m -o https://user:{0}@host/v1=3",
        "grade - --judge https://user:{0}@host/v1",
        "grade - --policy {0}",
        "doctor --judge {0}",
        "{0}",
        "batch collect {0} more",
    ],
)
def test_a_key_that_is_typed_where_a_name_belongs_is_not_shown(
    command: str, key: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setattr("sys.argv", ["faithfulness-assert", *command.format(key).split()])
    with pytest.raises(SystemExit):
        main()
    shown = "".join(capsys.readouterr())
    assert shown
    assert "abcdefghijk" not in shown


@pytest.mark.parametrize("key", TYPED)
def test_a_key_in_place_of_a_judge_or_an_option_is_not_in_the_error(key: str) -> None:
    for options in ({"judge": key}, {"policy": key}, {key: 1}, {"judge": "openai:m", key: 1}):
        with pytest.raises(ConfigError) as caught:
            grade("It is.", "It is.", **options)
        assert "abcdefghijk" not in f"{caught.value!r} {caught.value}"


NAMES = (
    *("sk-answers.jsonl", "data/sk-SK.jsonl", "hf_answers_small.csv"),
    *("sk-2024.jsonl", "sk-run-2024-11-25.jsonl", "sk-20241125.csv", "hf_part_1_of_12.parquet"),
    *("xai-grok-4-fast-reasoning", "xai-grok-2-vision-1212", "xai-grok-4-fast-20250901"),
    *("pplx-70b-online-instruct", "pplx-7b-chat", "nvapi-llama-3-8b-instruct"),
)


@pytest.mark.parametrize("name", NAMES)
def test_a_file_that_is_named_as_keys_begin_is_named_in_the_error(name: str) -> None:
    assert str(ConfigError(f"{name}: cannot be read")) == f"{name}: cannot be read"
    assert safe_text(f"no file {name}") == f"no file {name}"


ALPHABETS = {
    "hex": string.hexdigits[:16],
    "base62": string.ascii_letters + string.digits,
    "base64url": string.ascii_letters + string.digits + "-_",
    "capitals": string.ascii_uppercase + "234567",
}
SHAPES = (  # as providers write them: how a key begins, the letters of the rest, and how many
    *(("sk-", "base62", 48), ("sk-proj-", "base64url", 156), ("sk-svcacct-", "base64url", 120)),
    *(("sk-ant-api03-", "base64url", 95), ("sk-or-v1-", "hex", 64), ("sk-lf-", "hex", 32)),
    *(("sk-", "hex", 32), ("sk_", "base62", 32), ("gsk_", "base62", 52)),
    *(
        ("hf_", "base62", 34),
        ("r8_", "base62", 37),
        ("xai-", "base62", 80),
        ("pplx-", "base62", 48),
    ),
    *(("nvapi-", "base64url", 64), ("ghp_", "base62", 36), ("gho_", "base62", 36)),
    *(("github_pat_", "base62", 82), ("AIza", "base64url", 35), ("AKIA", "capitals", 16)),
)


@examples(300)
@given(st.sampled_from(SHAPES), st.randoms(use_true_random=False))
def test_a_key_of_any_provider_is_masked_whoever_it_is_of(shape: Any, chance: Random) -> None:
    start, letters, count = shape
    key = start + "".join(chance.choices(ALPHABETS[letters], k=count))
    assert without_keys(f"key {key} is wrong") == "key [redacted] is wrong"
    for masked in (f"{start}{'*' * 9}{key[-4:]}", f"{key[:8]}...{key[-4:]}", f"{key[:8]}…"):
        if start.startswith("sk-"):
            assert key[-4:] not in without_keys(masked).replace("[redacted]", "")


def test_a_digest_beside_the_word_key_is_not_shown_whatever_was_hashed() -> None:
    digest = hashlib.sha256(b"salt and key").hexdigest()
    said = f"Received API Key = sk-...rong, Key Hash (Token) ={digest}. Unable to find it"
    shown = safe_text(said)
    assert digest[:8] not in shown
    assert "sk-" not in shown
    assert shown.endswith("Unable to find it")


# ---------------------------------------------------------------- other ways


@pytest.mark.parametrize("own_client", [False, True])
def test_a_secret_in_the_address_is_in_no_log(
    own_client: bool, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    for name in ("httpx", "httpx2", "httpcore", "httpcore2", "openai", "asyncio"):
        caplog.set_level(logging.DEBUG, name)
    with Loopback(good_reply) as server:
        url = server.url.replace("//", "//me:p%40ssword-77@") + "?token=sesame&v=1"
        query = {"access_token": "p@ssword-77"}
        with openai.OpenAI(api_key=LONG, base_url=server.url, default_query=query) as client:
            own: dict[str, Any] = {"client": client}
            access = own if own_client else {"base_url": url, "api_key": LONG}
            assert Grader("openai:m", **access).grade(**CASE).status == "graded"
        assert "sesame" in server.requests[0].path or own_client
    text = records(caplog)
    assert "/v1/chat/completions" in text
    for secret in ("sesame", "p%40ssword", "p@ssword", "ssword-77"):
        assert secret not in text


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of aiohttp
@pytest.mark.parametrize("form", ["plain", "JSON escapes", "base64 of a login", "URL escapes"])
@pytest.mark.parametrize("status", [200, 407])
def test_the_password_of_a_proxy_is_a_secret_too(
    form: str, status: int, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    password = "p@ssword-77"
    said = FORMS[form](password)

    def proxy(request: Request) -> Answer:
        if status == 200:
            return good_reply(request, VERDICT % json.dumps(f"As {said} says."))
        return refusal_to(status, f"no: {said}", {"x-echo": said})

    with Loopback(proxy) as server:
        monkeypatch.setenv("http_proxy", server.root.replace("//", "//me:p%40ssword-77@"))
        url = "http://judge.example/v1"
        grader = Grader("openai:m", base_url=url, api_key=LONG, max_retries=0, reasons=True)
        result = grader.grade(**CASE)
        login = server.requests[0].headers["proxy-authorization"].partition(" ")[2]
    assert base64.b64decode(login) == b"me:p@ssword-77"
    assert (result.status == "judge_failed") == (status == 407)
    assert not shows(outputs(result) + records(caplog), password)


@pytest.mark.parametrize(
    "name", ["httpcore.late", "openai._late.er", "hpack.late", "faithfulness_assert.late"]
)
def test_a_logger_that_is_made_later_shows_no_key(
    name: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    grader = Grader("openai:m", base_url="http://localhost:1/v1", api_key=LONG)
    logger = logging.getLogger(f"{name}{len(caplog.records)}")
    try:
        raise ValueError(LONG)
    except ValueError:
        logger.exception("sent %s", LONG, extra={"headers": {"authorization": f"Bearer {LONG}"}})
    # Connections of earlier tests may say that they are closed, in between.
    (record,) = (record for record in caplog.records if record.name == logger.name)
    assert "sent [redacted]" in caplog.text
    assert LONG not in f"{vars(record)} {caplog.text}"
    del grader


@pytest.mark.parametrize("form", FORMS)
def test_a_tape_of_somebody_else_shows_no_key(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", LONG)
    with Loopback(good_reply) as server:
        options: dict[str, Any] = {"base_url": server.url, "cache": tmp_path, "reasons": True}
        recorded = Grader("openai:m", controls="off", **options)
        assert recorded.grade(**CASE).status == "graded"
    files = [file for file in tmp_path.rglob("*.json") if file.name != "tape.json"]
    for file in files:
        said = json.dumps(f"As {FORMS[form](LONG)} says.")
        file.write_text(json.dumps({**json.loads(file.read_text()), "text": VERDICT % said}))
    for grader in (recorded, Grader(f"tape:{tmp_path}", reasons=True, controls="off")):
        result = grader.grade(**CASE)
        assert not shows(outputs(result), LONG)


@pytest.mark.parametrize(
    ("url", "warns"),
    [
        ("https://api.example/v1", False),
        ("http://localhost:1/v1", False),
        ("http://127.8.9.1/v1", False),
        ("http://[::1]/v1", False),
        ("http://localhost.evil.example/v1", True),
        ("http://api.example/v1", True),
        ("http://10.0.0.5/v1", True),
        ("http://VLLM:8000/v1", True),
    ],
)
def test_http_to_another_machine_is_warned_of(
    url: str, warns: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    endpoint = endpoint_at(url, Secret(LONG))
    assert bool(endpoint.warnings) == warns
    monkeypatch.setenv("FAITHFULNESS_ASSERT_HTTP_HOSTS", "10.0.0.5, vllm,api.example")
    assert bool(endpoint_at(url, Secret(LONG)).warnings) == ("evil" in url)


def test_the_warning_of_http_is_in_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    with Loopback(good_reply) as server:
        monkeypatch.setenv("http_proxy", server.root)  # so that a name needs no network
        url = "http://judge.example/v1"
        result = Grader("openai:m", base_url=url, api_key=LONG, max_retries=0).grade(**CASE)
    assert any("base_url is http" in warning for warning in result.warnings)
