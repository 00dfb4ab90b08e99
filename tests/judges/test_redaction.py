"""A server that knows the key sends it back: nothing that we show, log or keep has it.

``FORMS`` are the ways to write a key that we promise to find; all is over real HTTP. Where the key is
typed by accident is tested here too.
"""

import asyncio
import base64
import html
import json
import logging
import pickle
import re
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import anthropic
import openai
import pytest
from attacks import outputs
from batch_server import BatchServer, Body, truthful
from command import here
from hypothesis import given
from hypothesis import strategies as st
from loopback import Answer, Loopback, Request, good_reply, refusal_to
from plugin_runs import Runs, output
from strategies import examples

from faithfulness_assert import ConfigError, Grader, agrade, grade, grade_many, to_frame

pytest_plugins = ["pytester"]
KEY = "sk-proj-a+b/c=0123456789abcdefXYZ"
SHORT = "pw-19x7-q4"
VERDICT = '{"verdicts":[{"id":1,"evidence":[1],"label":"supported","reason":%s}]}'


def each(pattern: str) -> Callable[[str], str]:
    return lambda key: "".join(pattern.format(c=c, n=ord(c)) for c in key)


def in_base64(before: str) -> Callable[[str], str]:
    return lambda key: base64.b64encode(f"{before}{key} end".encode()).decode()


FORMS: dict[str, Callable[[str], str]] = {
    "plain": str,
    "upper": str.upper,
    "spaced": " ".join,
    "in lines": "\n".join,
    "zero-width spaces": "\u200b".join,
    "soft hyphens": "\u00ad".join,
    "variation selectors": each("{c}\ufe0f"),
    "Hangul fillers": "\u3164".join,
    "JSON": each("\\u{n:04x}"),
    "URL": lambda key: quote(key, safe=""),
    "URL escapes": each("%{n:02x}"),
    "HTML": each("&#{n};"),
    "HTML in hex": each("&#x{n:x};"),
    "base64": in_base64(""),
    "base64 after one": in_base64("a"),
    "base64 of a login": in_base64("user:"),
    "base64url": lambda key: base64.urlsafe_b64encode(key.encode()).decode(),
}


def readings(text: str) -> Iterator[str]:
    """``text`` as it stands, and as it may be decoded. It shares no code with what takes keys out."""
    unescaped = re.sub(r"\\+u([\da-fA-F]{4})", lambda m: chr(int(m[1], 16)), text)
    yield from (text, unescaped, unquote(unescaped), html.unescape(unescaped))
    for word in re.findall(r"[A-Za-z0-9+/=_-]{12,}", text):
        plain = word.replace("-", "+").replace("_", "/").replace("=", "")
        for part in (plain[skip:] for skip in range(4)):
            yield base64.b64decode(part + "A" * (-len(part) % 4)).decode("latin-1")


def shows(text: str, key: str = KEY) -> bool:
    letters = re.sub("[^a-z0-9]", "", key.lower())
    return any(letters in re.sub("[^a-z0-9]", "", one.lower()) for one in readings(text))


@pytest.mark.parametrize("key", [KEY, SHORT])
def test_this_file_notices_each_form(key):
    assert [name for name, form in FORMS.items() if not shows(f"See {form(key)} .", key)] == []


# ---------------------------------------------------------------- places of an answer

Place = Callable[[Request, str], Answer]


def on_the_wire(form: str) -> str:
    return " ".join(form.split()).encode("ascii", "ignore").decode()


def everywhere(request: Request, form: str) -> Answer:
    answer = good_reply(request, VERDICT % json.dumps(f"As {form} says."))
    body = {**answer.body, "id": form, "model": form, form: form}
    return Answer(body, 200, {"content-type": "application/json", "x-id": on_the_wire(form)})


def refused(request: Request, form: str) -> Answer:
    if "chat" in request.path:
        return good_reply(request, content=None, refusal=form)
    return good_reply(request, "", stop_reason="refusal", stop_details={"explanation": form})


def ends_with(request: Request, form: str) -> Answer:
    name = "stop_reason" if request.path.endswith("messages") else "finish_reason"
    return good_reply(request, **{name: form})


PLACES: dict[str, Place] = {
    "all of a good answer": everywhere,
    "raw text": lambda request, form: good_reply(request, f"I say {form} to you."),
    "claim": lambda request, form: good_reply(request, json.dumps({"claims": [f"It is {form}."]})),
    "parts of a reply": lambda request, form: good_reply(
        request, content=[{"type": "text", "text": t} for t in (form[:9], form[9:])]
    ),
    "end of a reply": ends_with,
    "refusal": refused,
    "error": lambda _, form: refusal_to(400, f"no: {form}", code=form, type=form, param=form),
    "error in a good answer": lambda _, form: refusal_to(200, f"no: {form}"),
    "error of a field": lambda _, form: Answer({"detail": [{"loc": [form], "msg": form}]}, 422),
    "too long": lambda _, form: refusal_to(413, f"context length is 10 {form}"),
    "page": lambda _, form: Answer(f"<html>{form}", 500),
    "no JSON": lambda _, form: Answer(f"data: {form}", 200),
    "redirect": lambda _, form: Answer(b"", 307, {"location": on_the_wire(form)}),
    "encoding": lambda _, form: Answer(b"{}", 200, {"content-encoding": on_the_wire(form)}),
}


def echo(key: str, place: str) -> Loopback:
    """Sends the key back in this place, and in the form that "Room 17" in a prompt numbers."""

    def answer(request: Request) -> Answer:
        found = re.search(r"Room (\d+)", json.dumps(request.body))
        form = list(FORMS.values())[int(found[1]) if found else 0]
        return PLACES[place](request, form(key))

    return Loopback(answer)


CASES = [
    {"answer": f"Room {n} opens at nine.", "context": f"Room {n} opens at nine."}
    for n in range(len(FORMS))
]


def access(api: str, server: Loopback, key: str) -> dict[str, Any]:
    return {"base_url": server.url if api == "openai" else server.root, "api_key": key}


@pytest.mark.parametrize(
    ("key", "api", "own_client"),
    [(KEY, "openai", False), (KEY, "anthropic", True), (SHORT, "anthropic", False)],
)
@pytest.mark.parametrize("place", PLACES)
def test_a_key_in_no_form_gets_out_of_any_place_of_an_answer(
    place, key, api, own_client, tmp_path, caplog
):
    caplog.set_level(logging.DEBUG, "faithfulness_assert")
    with echo(key, place) as server, ExitStack() as open_clients:
        way = access(api, server, key)
        if own_client:
            client = {"openai": openai.OpenAI, "anthropic": anthropic.Anthropic}[api](**way)
            way = {"client": open_clients.enter_context(client)}
        options = {"reasons": "all", "controls": "off", "reasks": 0, **way}
        options["split"] = "claims" if place == "claim" else "sentences"
        grader = Grader(f"{api}:m", max_retries=0, cache=tmp_path, **options)
        results = [grader.grade(**case) for case in CASES]
        again = grader.grade(**CASES[0])
    shown = {name: outputs(result) for name, result in zip(FORMS, results, strict=True)}
    shown["again"] = outputs(again)
    shown["kept"] = "".join(file.read_text("utf-8") for file in tmp_path.rglob("*.json"))
    shown["log"] = "\n".join(
        r.getMessage() for r in caplog.records if r.name == "faithfulness_assert"
    )
    assert server.requests
    assert [name for name, text in shown.items() if shows(text, key)] == []


# ---------------------------------------------------------------- sinks


def shown_by(*commands: Sequence[str]) -> dict[str, str]:
    """What commands print, and the files that are in the working folder after them."""
    printed = [text for words in commands for text in here(*words)[1:]]
    found = (file for file in Path().rglob("*") if file.is_file())
    texts = {str(file): file.read_bytes().decode("latin-1") for file in found}
    return {**texts, "printed": "\n".join(printed)}


@pytest.mark.parametrize("place", ["all of a good answer", "error"])
def test_no_command_and_no_file_shows_the_key(place, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    Path("data.json").write_text(json.dumps(CASES))
    with echo(KEY, place) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        judge = ["--judge=openai:m", "-o", "reasons=all", "-o", "max_retries=0", "-o", "reasks=0"]
        tables = [f"--output=out.{end}" for end in ("csv", "jsonl", "xml")]
        shown = shown_by(
            ["grade", "data.json", "--all", "--report=grade.html", "-o", "cache=kept", *judge],
            ["grade", "data.json", "--json", *judge],
            ["batch", "data.json", "--run=run", "--github", "--report=run.html", *tables, *judge],
            ["doctor", "--judge=openai:m"],
        )
        assert len(server.requests) > 2
    assert any(name.endswith("out.csv") for name in shown)
    assert [name for name, text in shown.items() if shows(text)] == []


def test_no_view_of_a_result_and_no_failing_test_shows_the_key(pytester, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with echo(KEY, "all of a good answer") as server:
        way = access("openai", server, KEY)
        result = grade(**CASES[0], judge="openai:m", reasons="all", reasks=0, **way)
    with echo(KEY, "error") as server:
        Runs(pytester).write(f"""
def test_it():
    from faithfulness_assert import assert_faithful
    text = "Room 1 opens at nine."
    assert_faithful("It is.", text, judge="openai:m", api_key={KEY!r}, base_url={server.url!r})
""")
        ways = ("-vv", "--showlocals", "--log-level=DEBUG", "--junitxml=out.xml", "--tb=short")
        said = output(Runs(pytester).run(*ways, "-p", "no:randomly"))
    frame = to_frame([result])
    views = [result._repr_html_(), frame.to_csv(), pickle.dumps(result, 0).decode("latin-1")]
    assert not shows("\n".join(views))
    assert "1 failed" in said
    assert not shows("\n".join(line for line in said.splitlines() if "api_key=" not in line))


class EchoingBatches(BatchServer):
    """Has the key in all parts of its answers; ``refuses`` all files, with the key in the reason."""

    def __init__(self, refuses: bool) -> None:
        super().__init__(model=self._model, refuse=self._refuse)
        self._refuses = refuses

    @staticmethod
    def _model(path: str, body: Body) -> tuple[int, Body]:
        status, answer = truthful(path, body)
        told = f'\\"reason\\":\\"{KEY}\\",\\"label\\"'
        answer = json.loads(json.dumps(answer).replace('\\"label\\"', told))
        return status, {**answer, "model": KEY, "id": KEY}

    def _refuse(self, _: Any) -> list[Body]:
        return [{"code": KEY, "line": 1, "message": f"no {KEY}", "param": KEY}] * self._refuses

    def serve(self, method: str, url: str, content: bytes) -> tuple[int, bytes]:
        status, answer = super().serve(method, url, content)
        if method == "GET" and b"custom_id" in answer:
            line = {"custom_id": KEY, "response": {"status_code": 200, "body": KEY}, "error": None}
            answer += json.dumps({**line, "result": {"type": KEY}}).encode() + b"\n" + KEY.encode()
        return status, answer


@pytest.mark.parametrize(
    ("via", "refuses"),
    [("openai-batch", False), ("openai-batch", True), ("anthropic-batch", False)],
)
def test_a_batch_api_puts_the_key_nowhere(via, refuses, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("data.json").write_text(json.dumps(CASES[:2]))
    api = via.partition("-")[0]
    monkeypatch.setenv(f"{api.upper()}_API_KEY", KEY)
    with EchoingBatches(refuses) as server:
        url = server.url if api == "openai" else server.root
        words = [f"--judge={api}:m", f"--via={via}", "-o", f"base_url={url}", "-o", "reasons=all"]
        shown = shown_by(*[["batch", "data.json", "--run=run", "--output=out.csv", *words]] * 4)
        assert server.requests
    assert [name for name, text in shown.items() if shows(text)] == []


def test_the_results_of_a_batch_are_asked_for_where_the_key_belongs(tmp_path, monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    data, run = tmp_path / "data.jsonl", tmp_path / "run"
    data.write_text("".join(f"{json.dumps(case)}\n" for case in CASES[:2]))
    with Loopback(Answer("{}")) as other, BatchServer() as server:
        show = server._anthropic

        def elsewhere(batch: Any) -> Body:
            seen = show(batch)
            return {**seen, "results_url": seen["results_url"] and f"{other.root}/results"}

        monkeypatch.setattr(server, "_anthropic", elsewhere)
        words = ["--judge=anthropic:m", "--via=anthropic-batch", "-o", f"base_url={server.root}"]
        here("batch", data, "--run", run, *words)
        assert here("batch", data, "--run", run, *words).returncode in (0, 1)
    assert other.connections == 0


SECRETS = ("p@ssword-77", "sesame-open", "p%40ssword-77")


def test_what_is_secret_in_an_address_is_shown_nowhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("data.json").write_text(json.dumps(CASES[:2]))
    with echo("p@ssword-77", "all of a good answer") as server:
        url = server.url.replace("//", "//me:p%40ssword-77@") + "?token=sesame-open"
        options = ["--judge=openai:m", "-o", f"base_url={url}", "-o", "reasks=0"]
        texts = shown_by(
            ["grade", "data.json", "--all", "--report=grade.html", "-o", "cache=kept", *options],
            ["batch", "data.json", "--run=run", "--output=out.csv", *options],
            ["estimate", "data.json", *options],
        )
        assert all("token=sesame-open" in request.path for request in server.requests)
        grader = Grader("openai:m", base_url=url, api_key=KEY)
    shown = "".join([*texts.values(), f"{grader!r} {vars(grader)} {vars(grader.judge)}"])
    assert [secret for secret in (*SECRETS, KEY) if secret in shown] == []


@pytest.mark.parametrize("status", [200, 407])
def test_the_password_of_a_proxy_is_a_secret_too(status, monkeypatch):
    password = "p@ssword-77"

    def proxy(request: Request) -> Answer:
        said = f"As {password} and {in_base64('me:')(password)} say."
        if status == 407:
            return refusal_to(status, said)
        return good_reply(request, VERDICT % json.dumps(said))

    with Loopback(proxy) as server:
        monkeypatch.setenv("http_proxy", server.root.replace("//", "//me:p%40ssword-77@"))
        way = {"base_url": "http://judge.example/v1", "api_key": KEY, "max_retries": 0}
        result = grade(**CASES[0], judge="openai:m", reasons="all", **way)
        login = server.requests[0].headers["proxy-authorization"].partition(" ")[2]
    assert base64.b64decode(login) == b"me:p@ssword-77"
    assert (result.status == "judge_failed") == (status == 407)
    assert not shows(outputs(result), password)


def test_no_part_of_a_key_is_left_where_a_long_page_is_cut():
    for before in range(99_975, 100_001, 5):
        with Loopback(Answer((" " * before + KEY + " end").encode(), 200)) as server:
            way = {"base_url": server.url, "api_key": KEY, "max_retries": 0}
            result = grade(**CASES[0], judge="openai:m", **way)
        assert result.status in ("unreadable", "judge_failed")
        assert not shows(outputs(result), KEY)
        assert KEY[:9] not in "".join(map(str, outputs(result)))


WRONG = [
    *({"extra_headers": {"x-a": KEY.encode()}}, {"extra_headers": [("x-a", KEY)]}),
    *({"base_url": f"http://user:{KEY}@host:port/v1"}, {"base_url": KEY.encode()}),
    *({"base_url": f"https://host/v1?key={KEY}", "api_key": "a b"}, {"base_url": "ftp://x"}),
    {"extra_headers": [("x-a", KEY)], "base_url": 5},
    *({"timeout": -1}, {"api_key": f"{KEY} "}, {"api_key": f"{KEY}\u00e4"}, {"x": 1}),
]
CALLS: dict[str, Callable[..., object]] = {
    "grade": lambda **options: grade("A.", "A.", **options),
    "agrade": lambda **options: asyncio.run(agrade("A.", "A.", **options)),
    "grade_many": lambda **options: grade_many([], **options),
    "Grader": Grader,
    "the judge": lambda threshold, **options: Grader(**{"timeout": -1, **options}),
}


@pytest.mark.parametrize("api", ["openai", "anthropic"])
@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: str([*wrong]))
def test_no_traceback_contains_the_key_even_with_arguments_and_locals(api, call, wrong):
    with pytest.raises((ConfigError, TypeError)) as caught:
        CALLS[call](**{"judge": f"{api}:m", "api_key": KEY, "threshold": 7, **wrong})
    told = traceback.TracebackException.from_exception(caught.value, capture_locals=True)
    frames = [
        frame
        for error in (told, told.__cause__, told.__context__)
        if error
        for frame in error.stack
    ]
    own = [str(frame.locals) for frame in frames if "/faithfulness_assert/" in frame.filename]
    assert not any(KEY in shown for shown in (*own, repr(caught.value)))


# ---------------------------------------------------------------- a key where a name belongs

TYPED = ("sk-proj-abcdefghijk1234567890", "hf_abcdefghijklMNOPqrstuvwxyzABCDEFGH")


@pytest.mark.parametrize("key", TYPED)
@pytest.mark.parametrize(
    "words",
    [
        "grade - --judge {0}",
        "grade - --judge openai:m -o {0}=1",
        "grade - --judge https://user:{0}@host/v1",
        "grade - --policy {0}",
        "doctor --judge {0}",
        "{0}",
        "batch --run {0} more",
        "batch x.json --run r --api-key {0}",
    ],
)
def test_a_key_that_is_typed_where_a_name_belongs_is_not_shown(words, key):
    shown = "".join(here(*words.format(key).split(), GITHUB_ACTIONS="true")[1:])
    assert shown
    assert "abcdefghijk" not in shown


BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
SHAPES = (  # as providers write them: how a key begins, the letters of the rest, and how many
    *(("sk-", BASE62, 48), ("sk-proj-", f"{BASE62}-_", 156), ("sk-ant-api03-", f"{BASE62}-_", 95)),
    *(("sk-or-v1-", BASE62[:10] + "abcdef", 64), ("sk-", BASE62[:10] + "abcdef", 32)),
    *(("gsk_", BASE62, 52), ("hf_", BASE62, 34), ("r8_", BASE62, 37), ("xai-", BASE62, 80)),
    *(("pplx-", BASE62, 48), ("nvapi-", f"{BASE62}-_", 64), ("ghp_", BASE62, 36)),
    *(("github_pat_", BASE62, 82), ("AIza", f"{BASE62}-_", 35), ("AKIA", BASE62[2:36], 16)),
)


@examples(300)
@given(st.sampled_from(SHAPES), st.randoms(use_true_random=False))
def test_a_key_of_any_provider_is_masked_whoever_it_is_of(shape, chance):
    start, letters, count = shape
    key = start + "".join(chance.choices(letters, k=count))
    assert str(ConfigError(f"key {key} is wrong")) == "key [redacted] is wrong"
    for masked in (f"{start}{'*' * 9}{key[-4:]}", f"{key[:8]}...{key[-4:]}", f"{key[:8]}…"):
        if start.startswith("sk-"):
            assert key[-4:] not in str(ConfigError(masked)).replace("[redacted]", "")
