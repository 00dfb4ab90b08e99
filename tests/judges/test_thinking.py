"""A judge that thinks gets room to think, and what was learned of a server is not paid for again.

Each server here is a real one over HTTP. It thinks so many tokens before it replies, and is cut off
where the request's cap on tokens ends.
"""

import json
import subprocess
import sys
from typing import Any

import pytest
from dialects import cap_of
from loopback import GOOD, Answer, Loopback, Request, claude_message, completion, refusal_to

from faithfulness_assert import Grader
from faithfulness_assert.batch.estimate import estimate_run
from faithfulness_assert.judges import make_judge
from faithfulness_assert.judges.remote.needs import first_room

KEY = "sk-test-0123456789abcdef"
CASE = {"answer": "Tom lives in Oslo. Tom is tall.", "context": "Tom lives in Oslo."}
APIS = pytest.mark.parametrize("api", ["openai", "anthropic"])
SHOWS = {  # how servers show that a model thought; "" for not at all
    "a field": lambda thought: {"reasoning_content": thought},
    "another field": lambda thought: {"reasoning": thought},
    "an open block": lambda thought: {"content": f"<think>{thought}"},
    "its count of tokens": lambda thought: {},
    "nothing": lambda thought: {},
}


class Thinker:
    """Thinks ``tokens`` tokens, and then gives ``text``. ``caps`` are those of its requests."""

    def __init__(self, tokens: float, shows: str = "a field", text: str = GOOD) -> None:
        self.tokens, self.shows, self.text, self.caps = tokens, shows, text, list[int]()

    def __call__(self, request: Request) -> Answer:
        self.caps.append(cap := cap_of(request))
        cut = cap < self.tokens + 60
        used = cap if cut else int(self.tokens) + 60
        if request.path.endswith("/messages"):
            thinking = {"type": "thinking", "thinking": "Hm. "}
            blocks = [thinking] if cut else [thinking, {"type": "text", "text": self.text}]
            reason = "max_tokens" if cut else "end_turn"
            usage = {"input_tokens": 100, "output_tokens": used}
            return claude_message(blocks, usage=usage, stop_reason=reason)
        fields: dict[str, Any] = {"content": "" if cut else self.text}
        if self.tokens:
            said = SHOWS[self.shows]("Let me see. ")
            fields |= {k: v for k, v in said.items() if cut or k != "content"}
        counted = self.shows == "its count of tokens"
        details = {"completion_tokens_details": {"reasoning_tokens": used - 60}} if counted else {}
        usage = {"prompt_tokens": 100, "completion_tokens": used, **details}
        return completion(usage=usage, finish_reason="length" if cut else "stop", **fields)


def made(server: Loopback, api: str = "openai", model: str = "m", **options: Any) -> Grader:
    url = server.root if api == "anthropic" else server.url
    return Grader(f"{api}:{model}", base_url=url, api_key=KEY, max_retries=0, **options)


def graded(grader: Grader, times: int = 1) -> list[Any]:
    return [grader.grade(**CASE) for _ in range(times)]


# ---------------------------------------------------------------- room to think


@pytest.mark.parametrize("shows", SHOWS)
@pytest.mark.parametrize("tokens", [900, 4_000, 16_000])
def test_no_grade_is_lost_because_a_judge_thinks_and_it_is_learned_once(tokens, shows):
    thinker = Thinker(tokens, shows)
    with Loopback(thinker) as server:
        first, second = graded(made(server), 2)
    assert (first.status, first.score, second.score) == ("graded", 0.5, 0.5), first.reason
    asks = 2 if tokens < 4_096 else 3
    assert first.tokens_used.num_requests == asks
    assert first.tokens_used.completion == sum(thinker.caps[: asks - 1]) + tokens + 60
    assert second.tokens_used.num_requests == 1
    assert thinker.caps[0] < 1_000 < thinker.caps[-1] < 17_500


@APIS
def test_a_judge_that_thinks_without_end_ends_after_three_asks_and_names_the_option(api):
    thinker = Thinker(float("inf"))
    with Loopback(thinker) as server:
        (result,) = graded(made(server, api))
    assert (result.status, result.error and result.error.kind) == ("unreadable", "truncated")
    assert "max_tokens" in result.reason
    assert len(thinker.caps) == 3
    assert sorted(set(thinker.caps)) == thinker.caps


@pytest.mark.parametrize(
    ("model", "thinks"),
    [
        *((name, 1) for name in ("gpt-5-mini", "o3", "o4-mini", "openai/gpt-oss-120b", "Qwen/Qwen3-8B")),
        *((name, 1) for name in ("gemini-2.5-flash", "deepseek-reasoner", "deepseek-r1:8b", "qwq")),
        *((name, 1) for name in ("kimi-k2-thinking", "grok-4", "phi-4-reasoning", "MiniMax-M2")),
        *((name, 0) for name in ("gpt-4o-mini", "gpt-4.1", "claude-sonnet-4-5", "llama3.2", "m")),
        *((name, 0) for name in ("gpt-5-chat-latest", "qwen3-30b-a3b-instruct-2507", "mistral-small")),
        *((name, 0) for name in ("grok-4-1-fast-non-reasoning", "gemini-2.0-flash", "gpt-3.5-turbo")),
    ],
)  # fmt: skip
def test_families_that_think_have_room_from_their_first_ask(model, thinks):
    assert first_room(model, None) == thinks
    assert first_room(model, "none") == 0
    assert 1 == first_room(model, "low") < first_room(model, "high")


def test_a_reply_that_shows_thinking_gives_room_to_the_next_ask_before_any_is_cut_off():
    thinker = Thinker(10)
    with Loopback(thinker) as server:
        first, second = graded(made(server), 2)
    assert [r.tokens_used.num_requests for r in (first, second)] == [1, 1]
    assert thinker.caps[0] < 1_000 < thinker.caps[1]


CUT = '{"verdicts":[{"id":1,"evidence":[1],"label":"supported"},{"id":2,"evidence":[],"lab'


@pytest.mark.parametrize(
    ("text", "status"),
    [
        (GOOD, "graded"),
        (f"```json\n{GOOD}\n```", "graded"),
        (f"<think>Hm.</think>\n{GOOD}", "graded"),
        (CUT, "unreadable"),
        (f"<think>{GOOD}", "unreadable"),
        (f"{GOOD}\nBut wait: statement 1", "unreadable"),
        (f"So: {GOOD}", "unreadable"),
    ],
)
def test_of_a_reply_at_its_limit_only_complete_json_is_read(text, status):
    with Loopback(completion(text, finish_reason="length")) as server:
        (result,) = graded(made(server))
    assert result.status == status, result.reason
    assert status == "graded" or (result.score, result.error.kind) == (None, "truncated")
    assert text != CUT or len(server.requests) == 1  # what only runs on gets no more room


@APIS
def test_the_users_cap_is_the_only_one(api):
    thinker = Thinker(900)
    with Loopback(thinker) as server:
        (cut,) = graded(made(server, api, "o3", max_tokens=500))
        (whole,) = graded(made(server, api, max_tokens=2_000))
    assert thinker.caps == [500, 2_000]
    assert (cut.error.kind, whole.status) == ("truncated", "graded")


def test_room_is_cut_to_what_a_server_takes():
    """Of a small window the rest is left for thinking; a limit on replies is the server's own."""

    def window(request: Request) -> Answer:
        total = len(json.dumps(request.body["messages"])) // 4 + cap_of(request)
        if total > 3_000:
            return refusal_to(400, f"maximum context length is 3000 tokens, requested {total}")
        return completion(GOOD)

    def limit(request: Request) -> Answer:
        if "max_tokens" in request.body or "max_completion_tokens" in request.body:
            words = f"max_tokens is too large: {cap_of(request)}. At most 2048 completion tokens"
            return refusal_to(400, words, param="max_tokens")
        return completion(GOOD)

    for answer in (window, limit):
        with Loopback(answer) as server:
            first, second = graded(made(server, model="qwen3:8b"), 2)
        assert (first.status, second.tokens_used.num_requests) == ("graded", 1), first.reason
        assert server.requests[-1].body.get("max_tokens", 2_000) in range(1_000, 3_000)


def test_an_empty_reply_of_a_server_that_takes_all_for_thinking_is_asked_for_without_a_format():
    def answer(request: Request) -> Answer:
        if "response_format" in request.body:
            return completion(None, reasoning_content='Perhaps {"verdicts": []} or')
        return completion(GOOD)

    with Loopback(answer) as server:
        first, second = graded(made(server), 2)
    assert [r.tokens_used.num_requests for r in (first, second)] == [2, 1]
    assert first.score == 0.5
    assert "does not support a response format; none was requested" in first.warnings[0]
    with Loopback(completion(None, reasoning_content="Hm.")) as server:
        first, second = graded(made(server), 2)
    assert first.status == "unreadable"
    assert "response_format" in server.requests[len(server.requests) // 2].body  # not remembered


# ---------------------------------------------------------------- what is kept


def test_no_new_process_pays_again_for_what_a_server_needs(tmp_path):
    def answer(request: Request) -> Answer:
        if "temperature" in request.body:
            return refusal_to(400, "'temperature' is not supported", param="temperature")
        return thinker(request)

    thinker = Thinker(900)
    with Loopback(answer) as server:
        (first,) = graded(made(server, cache=tmp_path))
        code = (
            "from faithfulness_assert import grade; import sys;"
            f"r = grade('Tom is old.', {CASE['context']!r}, judge='openai:m', cache={str(tmp_path)!r},"
            f"base_url={server.url!r}, api_key={KEY!r}, samples=1, seed=9);"
            "print(r.tokens_used.num_requests)"
        )
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
        estimate = estimate_run([CASE], judge="openai:m", base_url=server.url, cache=str(tmp_path))
    assert first.tokens_used.num_requests == 3
    assert len(server.requests) - 3 <= 2  # and perhaps a second ask for the same reply
    assert int(done.stdout) == len(server.requests) - 3
    assert all(c > 1_000 for c in thinker.caps[1:])
    (kept,) = tmp_path.glob("server-*.json")
    assert json.loads(kept.read_text())["steps"] == {"temperature": 1, "room": 1}
    assert not any(s in kept.read_text() for s in (KEY, "127.0.0.1", "Oslo"))
    assert "Each ask is taken to think" in str(estimate)


DAMAGED = ["", "[]", '{"steps": 1}', '{"steps": {"format": 99}, "window": null, "most": null}']


@pytest.mark.parametrize("content", [*DAMAGED, "{" * 9_000])
def test_what_is_kept_and_damaged_is_ignored(tmp_path, content):
    with Loopback(completion(GOOD)) as server:
        graded(made(server, cache=tmp_path, model="qwen3"))
        judge = make_judge("openai:qwen3", {"base_url": server.url})
        judge.keep_in(tmp_path)
        path = judge.needs._path
        path.write_text(content)
        (result,) = graded(made(server, cache=tmp_path / "..", model="qwen3"))
        again = make_judge("openai:qwen3", {"base_url": server.url})
        again.keep_in(tmp_path)
    assert again.needs.steps == again.needs.first
    assert result.status == "graded"


# ---------------------------------------------------------------- options


@APIS
def test_what_the_api_can_do_the_user_can_set(api, tmp_path):
    good = claude_message(GOOD) if api == "anthropic" else completion(GOOD)
    options = {
        "reasoning_effort": "low",
        "extra_body": {"service_tier": "flex", "output_config": {"verbosity": "low"}},
        "extra_headers": {"X-Team": "evals", "X-Gateway-Token": "gw-0123456789-secret"},
    }
    with Loopback(good) as server:
        grader = made(server, api, cache=tmp_path, **options)
        graded(grader)
    (request,) = server.requests
    assert request.body["service_tier"] == "flex"
    assert request.body["output_config"]["verbosity"] == "low"
    effort = {"anthropic": request.body["output_config"].get("effort")}
    assert effort.get(api, request.body.get("reasoning_effort")) == "low"
    sent = {name: request.headers[name.lower()] for name in options["extra_headers"]}
    assert sent == options["extra_headers"]
    identity = grader._info.identity or {}
    assert identity["extra_headers"] == ["x-gateway-token", "x-team"]
    assert identity["extra_body"] == options["extra_body"]
    stored = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert b"gw-0123456789" not in stored
    assert "gw-0123456789" not in repr(vars(grader.judge.judge))


def test_a_cap_is_no_part_of_what_is_stored_and_everything_else_is(tmp_path):
    changes = [
        {}, {"max_tokens": 999}, {"extra_headers": {"X-Team": "other"}},
        {"reasoning_effort": "high"}, {"extra_body": {"top_k": 1}}, {"extra_headers": {"X-Other": "a"}},
    ]  # fmt: skip
    base = {"extra_headers": {"X-Team": "evals"}, "cache": tmp_path, "seed": 1}
    asked = []
    with Loopback(completion(GOOD)) as server:
        for change in changes:
            graded(made(server, **{**base, **change}))
            asked.append(len(server.requests))
    assert asked == [1, 1, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("model", "efforts"), [("takes both", 1), ("takes budgets", 2), ("takes none", 3)]
)
def test_claude_gets_an_effort_or_a_budget_or_neither(model, efforts):
    def answer(request: Request) -> Answer:
        kind = request.body.get("thinking", {}).get("type")
        if (kind == "adaptive" and efforts > 1) or (kind == "enabled" and efforts > 2):
            return refusal_to(400, f"{kind} thinking is not supported on this model")
        if kind and "temperature" in request.body:
            return refusal_to(400, "`temperature` may only be set to 1 when thinking is enabled")
        budget = request.body.get("thinking", {}).get("budget_tokens", 1024)
        if not 1024 <= budget < cap_of(request) + (kind is None) * 9_999:
            return refusal_to(400, "`max_tokens` must be greater than `thinking.budget_tokens`")
        return claude_message(GOOD)

    for effort in ("low", "medium", "high"):
        with Loopback(answer) as server:
            (result,) = graded(made(server, "anthropic", reasoning_effort=effort))
        assert (result.status, len(server.requests)) == ("graded", efforts), result.reason


@pytest.mark.parametrize("field", ["reasoning", "reasoning_content", "content"])
def test_thinking_of_5_mb_neither_hangs_nor_hides_the_reply(field):
    thought = "Let me see. {" * 400_000
    text = f"<think>{thought}</think>{GOOD}" if field == "content" else GOOD
    more = {} if field == "content" else {field: thought}
    with Loopback(completion(text, **more)) as server:
        (result,) = graded(made(server))
    assert (result.status, result.score) == ("graded", 0.5), result.reason
