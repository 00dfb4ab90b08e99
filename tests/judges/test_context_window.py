"""A judge whose context window is smaller than expected is asked again, with shorter asks.

Each row of ``fixtures/context_windows.json`` is how one server says that an ask is too long:
``status``, and ``body`` (or ``text``) with the numbers that it states: ``{{WINDOW}}``, ``{{PROMPT}}``,
``{{REPLY}}``, ``{{TOTAL}}``, ``{{ROOM}}`` (the window without the reply), ``{{OVER}}`` (the window
and 1), ``{{LEAST}}`` (a prompt that would be too long).
"""

import json
import math
import re
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from fakes import tokens as tokens_of
from hypothesis import given
from hypothesis import strategies as st
from loopback import Answer, Loopback, Request, good_reply
from rows import rows
from strategies import examples
from true_server import answered, block, text_of

from faithfulness_assert import Ask, Grader, GradingResult, PromptTooLong, Reply, grade
from faithfulness_assert.records.judge import Limits

ROWS: list[dict[str, Any]] = rows("context_windows")
WINDOW = 2400
DENSER = 1.4
"""How many tokens these servers count where the grader counts one."""

FACTS = [f"Museum {n} in the old town was opened by the mayor in {1600 + n}." for n in range(120)]
STATEMENTS = [FACTS[n] for n in (3, 40, 70, 90, 119)] + [
    f"Museum {n} was never opened at all." for n in (7, 50, 110)
]
CASE = {"answer": " ".join(STATEMENTS), "context": " ".join(FACTS)}
TRUE_SCORE = 0.625


# ---------------------------------------------------------------- a server with a window


class Server:
    """Refuses in the words of a row what does not fit its window, prompt and reply together."""

    def __init__(self, row: Mapping[str, Any], window: int = WINDOW) -> None:
        self.row, self.window, self.refused = row, window, 0

    def __call__(self, request: Request) -> Answer:
        tokens = int(tokens_of(text_of(request)) * DENSER) + 20
        cap = request.body.get("max_completion_tokens") or request.body.get("max_tokens")
        if tokens + cap <= self.window:
            return answered(request, text_of(request), tokens)
        self.refused += 1
        return Answer(self._words(tokens, cap), self.row.get("status", 400))

    def _words(self, prompt: int, reply: int) -> str:
        numbers = {
            "WINDOW": self.window,
            "PROMPT": prompt,
            "REPLY": reply,
            "TOTAL": prompt + reply,
            "ROOM": self.window - reply,
            "OVER": self.window + 1,
            "LEAST": self.window - reply + 1,
        }
        text = self.row.get("text") or json.dumps(self.row["body"])
        for name, number in numbers.items():
            text = text.replace(f'"{{{{{name}}}}}"', str(number)).replace(
                f"{{{{{name}}}}}", str(number)
            )
        return text


def grader(api: str, server: Loopback, **options: Any) -> Grader:
    url = server.root if api == "anthropic" else server.url
    return Grader(f"{api}:m", base_url=url, api_key="sk-test-0123456789", max_retries=0, **options)


def warnings_of(result: GradingResult) -> str:
    return " ".join(result.metadata.get("warnings", ()))


PAIRS = [(row, api) for row in ROWS for api in row["apis"]]


@pytest.mark.parametrize(("row", "api"), PAIRS, ids=[f"{api}-{row['id']}" for row, api in PAIRS])
def test_every_wording_sets_the_window_and_the_case_is_graded_right(row, api):
    server = Server(row)
    with Loopback(server) as loopback:
        made = grader(api, loopback)
        first, refused = made.grade(**CASE), server.refused
        second = made.grade(**CASE)
    assert first.status == second.status == "graded", first.reason
    assert first.score == second.score == TRUE_SCORE
    assert first.coverage == 1.0
    assert first.metadata["windows"] > 1
    assert 1 <= refused <= 2**5  # a case is cut anew four times
    assert "too long" in warnings_of(first)
    assert "context window" in warnings_of(first)
    assert server.refused == refused, "the judge has not learned its window"
    assert "too long" not in warnings_of(second)
    assert first.tokens_used.num_requests + second.tokens_used.num_requests == len(
        loopback.requests
    )


@pytest.mark.parametrize(
    "message",
    [
        "Too many tokens, please wait before trying again.",
        "You have exceeded the maximum number of tokens per minute.",
    ],
)
def test_a_server_that_gets_too_many_tokens_in_a_minute_is_waited_for_and_cuts_no_ask(message):
    def answer(request: Request) -> Answer:
        if request.number == 1:
            return Answer({"error": {"message": message}}, 429, headers={"retry-after": "0"})
        return answered(request, text_of(request), tokens_of(text_of(request)))

    with Loopback(answer) as loopback:
        made = Grader("openai:m", base_url=loopback.url, api_key="sk-test-0123456789")
        result, limits = made.grade(**CASE), made.judge.info.limits
    assert (result.status, result.score) == ("graded", TRUE_SCORE)
    assert "windows" not in result.metadata
    assert limits == Limits(100_000, 40)


def test_an_ask_that_alone_exceeds_a_rate_limit_slows_no_other_down():
    row = next(row for row in ROWS if row["id"] == "openai-tokens-per-minute")
    with Loopback(Server(row)) as loopback:
        made = grader("openai", loopback)
        assert made.grade(**CASE).score == TRUE_SCORE
        assert made.gate._rate.rate == math.inf


@pytest.mark.parametrize("policy", ["ragas", "promptfoo", "deepeval"])
def test_asks_for_claims_and_truths_are_cut_too(policy):
    row = next(row for row in ROWS if row["id"] == "openai-with-reply")

    class Knows(Server):
        def __call__(self, request: Request) -> Answer:
            outcome, text = super().__call__(request), text_of(request)
            if outcome.status != 200 or block("statements", text):
                return outcome
            name, entry = ("answer", "claims") if block("answer", text) else ("passages", "truths")
            lines = block(name, text).items()
            split = {n: re.findall(r"\S.*?\.(?= |$)", line) for n, line in lines}
            key = "sentences" if entry == "claims" else "passages"
            reply = {key: [{"id": n, entry: parts} for n, parts in split.items()]}
            return good_reply(request, json.dumps(reply))

    server = Knows(row)
    with Loopback(server) as loopback:
        made = grader("openai", loopback, policy=policy)
        long_answer = " ".join(FACTS[n] for n in range(0, 120, 3))
        result = made.grade(long_answer, CASE["context"], question="When?")
    assert result.status == "graded", result.reason
    assert result.score == 1.0
    assert server.refused


def test_a_rating_of_a_case_that_does_not_fit_is_a_grader_error():
    with Loopback(Server(ROWS[0])) as loopback:
        made = grader("openai", loopback, policy="masis")
        result = made.grade(**CASE, question="When?")
        again = made.grade(**CASE, question="When?")
    assert (result.status, result.score) == ("judge_failed", None)
    assert "2400" in result.reason
    assert again.status == "invalid_input"
    assert "context window" in again.reason


# ---------------------------------------------------------------- a server that cuts in silence


def ollama(num_ctx: int, *, half: bool) -> Callable[[Request], Answer]:
    """Keeps the instructions and the end of a prompt that is too long, and answers with a 200."""

    def answer(request: Request) -> Answer:
        system, user = (m["content"] for m in request.body["messages"])
        tokens = tokens_of(system) + tokens_of(user)
        if tokens <= num_ctx:
            return answered(request, f"{system}\n{user}", tokens)
        kept = num_ctx // 2 + 2 if half else num_ctx
        lines = user.splitlines()
        while tokens_of("\n".join(lines)) > kept - tokens_of(system):
            del lines[1]  # the first sentences of the context
        return answered(request, f"{system}\n" + "\n".join(lines), kept)

    return answer


@pytest.mark.parametrize("half", [True, False])
@pytest.mark.parametrize("num_ctx", [2048, 4096])
def test_a_prompt_that_the_server_cut_in_silence_is_asked_again_in_parts(num_ctx, half):
    with Loopback(ollama(num_ctx, half=half)) as loopback:
        made = grader("openai", loopback)
        long = {**CASE, "context": " ".join(FACTS * 2)}
        first, requests = made.grade(**long), len(loopback.requests)
        second = made.grade(**long)
    assert (first.status, first.score) == ("graded", TRUE_SCORE), first.reason
    assert (second.status, second.score) == ("graded", TRUE_SCORE)
    assert "may have cut the prompt" in warnings_of(first)
    assert "may have cut the prompt" not in warnings_of(second)
    assert len(loopback.requests) < 2 * requests
    assert first.tokens_used.num_requests == requests


# ---------------------------------------------------------------- a server that lies

LIES: dict[str, str] = {
    "negative": "maximum context length is -2048 tokens",
    "zero": "maximum context length is 0 tokens",
    "tiny": "maximum context length is 3 tokens, you requested 9000",
    "what-was-sent": "maximum context length is {{TOTAL}} tokens",
    "larger": "maximum context length is 900000 tokens",
    "absurd": "maximum context length is 999999999999999999999999 tokens",
    "no-number": "the context window is full",
    "many-numbers": "context length " + "17 " * 3000,
    "smaller-each-time": "maximum context length is {{LEAST}} tokens",
}


@pytest.mark.parametrize("lie", LIES)
def test_a_lie_about_the_window_keeps_no_case_from_being_graded_and_ends_after_few_asks(lie):
    row = {"body": {"error": {"message": LIES[lie], "code": "context_length_exceeded"}}}
    with Loopback(Server(row, window=0)) as loopback:
        made = grader("openai", loopback)
        results = [made.grade(**CASE) for _ in range(2)]
    for result in results:
        assert (result.status, result.score, result.pass_) == ("judge_failed", None, False)
        assert result.error.kind == "transport"
        assert "max_prompt_tokens" in result.reason
    assert len(loopback.requests) <= 2 * 2**6
    with Loopback(Server(row)) as loopback:  # which takes what fits its true window
        result = grader("openai", loopback).grade(**CASE)
    assert (result.status, result.score) == ("graded", TRUE_SCORE) or lie == "smaller-each-time"


class Narrow:
    """A judge that finds asks too long, says anything about its window, and else answers right."""

    name = "narrow"

    def __init__(self, window: int, said: list[int]) -> None:
        self.window, self.said, self.asked = window, said, 0

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        self.asked += 1
        prompt = sum(tokens_of(message["content"]) for message in ask.messages)
        if prompt + ask.max_tokens > self.window:
            said = self.said[min(self.asked, len(self.said)) - 1]
            raise PromptTooLong("too long", said)
        shown = {line: number for number, line in ask.payload.sentences}
        verdicts = [
            {"id": n, "evidence": [shown[line]], "label": "supported"}
            if line in shown
            else {"id": n, "evidence": [], "label": "not_enough_info"}
            for n, line in ask.payload.items
        ]
        return Reply(json.dumps({"verdicts": verdicts}))


@examples(30)
@given(
    window=st.integers(0, 9000), said=st.lists(st.integers(-(10**6), 10**6), min_size=1, max_size=6)
)
def test_whatever_a_judge_says_about_its_window_the_score_is_right_or_there_is_none(window, said):
    judge = Narrow(window, said)
    result = grade(**CASE, judge=judge)
    assert result.score == (TRUE_SCORE if result.status == "graded" else None)
    assert result.status in ("graded", "judge_failed")
    assert judge.asked <= 400


def test_stored_replies_of_a_judge_that_learned_its_window_give_every_grade_again(tmp_path):
    short = {"answer": STATEMENTS[0], "context": " ".join(FACTS[:9])}
    with Loopback(Server(ROWS[0])) as loopback:
        made = Grader(
            "openai:m", base_url=loopback.url, api_key="sk-test-0123456789", cache=str(tmp_path)
        )
        recorded = [made.grade(**case) for case in (short, CASE, CASE, short)]
        requests = len(loopback.requests)
        again = made.grade(**CASE)
    stored = {"judge": "openai:m", "cache": tmp_path, "cache_only": True}
    replayed = [grade(**case, **stored) for case in (short, CASE, CASE, short)]
    assert [result.status for result in recorded] == ["graded"] * 4
    assert len(loopback.requests) == requests
    for first, second in zip([*recorded, recorded[1]], [*replayed, again], strict=True):
        assert (second.status, second.score) == (first.status, first.score), second.reason
        assert second.verdicts == first.verdicts
