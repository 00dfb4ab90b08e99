"""In whichever form a server sends the key, wherever in its answer: nothing that we show or keep has it.

Each of ``FORMS`` goes to each of ``PLACES`` over real HTTP, with all loggers at DEBUG. What comes out is
read as it stands and as people or programs may decode it (``shows``).
"""

from __future__ import annotations

import base64
import html
import json
import logging
import re
import traceback
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import anthropic
import openai
import pytest
from attacks import outputs
from loopback import Answer, Loopback, Request, good_reply, refusal_to
from remote import ASK, bare_environment

from faithfulness_assert import Grader
from faithfulness_assert.judges.remote.redaction import Secret
from faithfulness_assert.judges.remote.settings import endpoint_at
from faithfulness_assert.records.errors import JudgeError

LONG, SHORT = "sk-proj-a+b/c=0123456789abcdefXYZ", "pw-19x7-q4"
CASE = {"answer": "The museum opens at nine.", "context": "The museum opens at nine."}
Form = Callable[[str], str]


def each(pattern: str) -> Form:
    return lambda key: "".join(pattern.format(c=c, n=ord(c)) for c in key)


def in_base64(before: str) -> Form:
    return lambda key: base64.b64encode(f"{before}{key} end".encode()).decode()


FORMS: dict[str, Form] = {
    "plain": str,
    "upper": str.upper,
    "JSON escapes": each("\\u{n:04x}"),
    "JSON escapes in JSON": each("\\\\u{n:04X}"),
    "Python escapes": each("\\x{n:02x}"),
    "JavaScript escapes": each("\\u{{{n:x}}}"),
    "URL": lambda key: quote(key, safe=""),
    "URL escapes": each("%{n:02x}"),
    "URL escapes twice": each("%25{n:02X}"),
    "HTML escapes": each("&#{n};"),
    "HTML escapes in hex": each("&#x{n:x};"),
    "zero-width spaces": "\u200b".join,
    "joiners": "\u2060\u200d".join,
    "soft hyphens": "\u00ad".join,
    "variation selectors": each("{c}\ufe0f"),
    "Hangul fillers": "\u3164".join,
    "combining marks": each("{c}\u0301"),
    "wide letters": lambda key: "".join(chr(ord(c) + 0xFEE0) for c in key),
    "bold letters": lambda key: "".join(
        chr(ord(c) - 97 + 0x1D41A) if "a" <= c <= "z" else c for c in key
    ),
    "tag characters": lambda key: "".join(chr(0xE0000 + ord(c)) for c in key),
    "base64": in_base64(""),
    "base64 after one": in_base64("a"),
    "base64 after two": in_base64("ab"),
    "base64 of a login": in_base64("user:"),
    "base64url": lambda key: base64.urlsafe_b64encode(key.encode()).decode(),
    "hex": lambda key: key.encode().hex(),
    "hex with colons": lambda key: key.encode().hex(":"),
    "after a percent sign": "100%{}".format,
    "after a backslash": "\\{}".format,
    "in JSON strings": lambda key: json.dumps(json.dumps(each("\\u{n:04x}")(key))),
}
LOOSE: dict[str, Form] = {
    "spaced": " ".join,
    "in lines": "\n".join,
    "in markup": lambda key: f"{key[:9]}<b>{key[9:12]}</b>**{key[12:]}**".replace("b>", "_>"),
    "most of it": lambda key: key[:-3],
    "backwards escaped": lambda key: key[:9] + each("\\u{n:04x}")(key[9:]),
}


def letters(text: str) -> str:
    return re.sub("[^a-z0-9]+", "", unicodedata.normalize("NFKD", text).lower())


def decodings(text: str) -> list[str]:
    """What ``text`` may be decoded to."""

    def unescaped(text: str) -> str:
        text = re.sub(
            r"\\+[ux]\{?([0-9a-fA-F]{4}|[0-9a-fA-F]{2})\}?", lambda m: chr(int(m[1], 16)), text
        )
        return "".join(chr(ord(c) & 0x7F) if 0xE0020 <= ord(c) < 0xE007F else c for c in text)

    found = [text, unescaped(text), unquote(unquote(text)), html.unescape(html.unescape(text))]
    found += [unescaped(unquote(html.unescape(unescaped(text))))]
    for word in re.findall(r"[A-Za-z0-9+/=_-]{12,}", text):
        plain = word.replace("-", "+").replace("_", "/").replace("=", "")
        for skip in range(4):
            part = plain[skip:]
            found.append(base64.b64decode(part + "A" * (-len(part) % 4)).decode("latin-1"))
    digits = re.sub("[^0-9a-f]", "", text)
    return [*found, bytes.fromhex(digits[: len(digits) // 2 * 2]).decode("latin-1")]


def shows(text: str, key: str) -> bool:
    """Whether the key can be read in ``text``, or most of a long one."""
    start = letters(key)[:24]
    return any(start in letters(reading) for reading in decodings(text))


@pytest.mark.parametrize("key", [LONG, SHORT])
def test_each_form_would_be_noticed(key: str) -> None:
    forms = {**FORMS, **(LOOSE if key == LONG else {})}
    assert [name for name, form in forms.items() if not shows(f"See: {form(key)} .", key)] == []
    assert not shows(json.dumps(CASE) + html.escape("a < b"), key)


# ---------------------------------------------------------------- places of an answer

Place = Callable[[Request, str], Answer]
VERDICT = '{"verdicts":[{"id":1,"evidence":[1],"label":"supported","reason":%s}]}'


def in_header(name: str) -> Place:
    def place(request: Request, form: str) -> Answer:
        wire = " ".join(form.split()).encode("ascii", "ignore").decode()
        return Answer(good_reply(request).body, 200, {name: wire})

    return place


def as_error(status: int, **fields: str) -> Place:
    return lambda _, form: refusal_to(
        status, **{"message": "no", **{name: f"{text}{form}" for name, text in fields.items()}}
    )


def with_field(*way: str | int) -> Place:
    def place(request: Request, form: str) -> Answer:
        body = inner = good_reply(request).body
        names = {"choices": "content", "finish_reason": "stop_reason"}
        *steps, last = way
        for step in steps:
            inner = inner[step if not isinstance(step, str) or step in inner else names[step]]
        inner[last if last in inner else names.get(str(last), last)] = form
        return Answer(body)

    return place


def ends_with(request: Request, form: str) -> Answer:
    name = "stop_reason" if request.path.endswith("messages") else "finish_reason"
    return good_reply(request, **{name: form})


def in_parts(request: Request, form: str) -> Answer:
    middle = len(form) // 2
    parts = [{"type": "text", "text": text} for text in (form[:middle], form[middle:])]
    return good_reply(request, content=parts)


PLACES: dict[str, Place] = {
    "reply": lambda request, form: good_reply(request, f"I say {form} to you."),
    "reason": lambda request, form: good_reply(request, VERDICT % json.dumps(f"As {form} says.")),
    "raw reason": lambda request, form: good_reply(request, VERDICT % f'"As {form} says."'),
    "claim": lambda request, form: good_reply(request, json.dumps({"claims": [f"It is {form}."]})),
    "parts of a reply": in_parts,
    "end of a reply": ends_with,
    "refusal": lambda request, form: (
        good_reply(request, content=None, refusal=form)
        if "chat" in request.path
        else good_reply(request, "", stop_reason="refusal", stop_details={"explanation": form})
    ),
    "model": with_field("model"),
    "id": with_field("id"),
    "usage": with_field("usage", "prompt_tokens"),
    "field": lambda request, form: Answer({**good_reply(request).body, form: form}),
    "error": as_error(401, message="denied to "),
    "error with details": as_error(400, code="", type="", param="", message="temperature "),
    "error in a good answer": as_error(200, message="denied to "),
    "error without a message": lambda _, form: Answer({"error": {"headers": {form: [form]}}}, 403),
    "error of a field": lambda _, form: Answer({"detail": [{"loc": [form], "msg": form}]}, 422),
    "too long": as_error(413, message="context length is 10 "),
    "page": lambda _, form: Answer(f"<html>{form}", 500),
    "no JSON": lambda _, form: Answer(f"data: {form}", 200),
    "redirect": lambda request, form: Answer(
        b"", 307, in_header("location")(request, form).headers
    ),
    "header": in_header("x-echo"),
    "content-encoding": in_header("content-encoding"),
    "content-type": in_header("content-type"),
    "name of a header": lambda request, form: Answer(
        good_reply(request).body, 200, {form if re.fullmatch("[A-Za-z0-9-]+", form) else "x": "x"}
    ),
}


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    bare_environment(monkeypatch)


def records(caplog: pytest.LogCaptureFixture) -> str:
    """What was logged since the last call, also by handlers that format it themselves."""
    found = [f"{r.getMessage()} {r.args!r} {r.exc_text} {r.exc_info}" for r in caplog.records]
    caplog.clear()
    return "\n".join(found)


@pytest.mark.parametrize(
    ("key", "api", "own_client"),
    [(LONG, "openai", False), (LONG, "anthropic", True), (SHORT, "anthropic", False)],
)
def test_no_form_of_a_key_in_any_place_of_an_answer_gets_anywhere(
    key: str, api: str, own_client: bool, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    for name in ("httpx", "httpcore", "openai", "anthropic", "faithfulness_assert", "asyncio"):
        caplog.set_level(logging.DEBUG, name)
    forms = {**FORMS, **(LOOSE if key == LONG else {})}
    current: list[tuple[Place, str]] = []
    leaks = []
    with Loopback(lambda request: current[0][0](request, current[0][1])) as server:
        access: dict[str, Any] = {"base_url": server.url if api == "openai" else server.root}
        access["api_key"] = key
        if own_client:
            made = {"openai": openai.OpenAI, "anthropic": anthropic.Anthropic}[api](**access)
            access = {"client": made}
        for place in PLACES:
            for form in forms:
                current[:] = [(PLACES[place], forms[form](key))]
                tape = tmp_path / f"{len(leaks)}{place}{form}"
                options: dict[str, Any] = {"cache": tape, "max_retries": 0, "reasks": 0, **access}
                split = "claims" if place == "claim" else "sentences"
                grader = Grader(f"{api}:m", reasons=True, controls="off", split=split, **options)
                result = grader.grade(**CASE)
                kept = "".join(file.read_text() for file in tape.rglob("*.json"))
                shown = {"result": outputs(result), "tape": kept, "log": records(caplog)}
                if result.status == "judge_failed":
                    with pytest.raises(JudgeError) as caught:
                        grader.judge.judge.ask(ASK)  # type: ignore[attr-defined]
                    error = caught.value
                    trace = "".join(traceback.format_exception(error))
                    shown["error"] = f"{trace} {error!r} {vars(error)} {error.__context__!r}"
                shown["log"] += records(caplog)
                if shows("\n".join(shown.values()), key):
                    leaks += [(place, form, sink) for sink in shown if shows(shown[sink], key)]
                grader.judge.judge.close()  # type: ignore[attr-defined]
        assert any(key in str(request.headers) for request in server.requests)
    assert not leaks


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
        access: dict[str, Any] = {"base_url": url, "api_key": LONG}
        if own_client:
            client = openai.OpenAI(
                api_key=LONG, base_url=server.url, default_query={"access_token": "p@ssword-77"}
            )
            access = {"client": client}
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
