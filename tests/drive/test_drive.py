"""All ways to run a plan give the same result, and none waits forever."""

import asyncio
import json
import threading
import time
from dataclasses import dataclass, replace

import pytest
from fakes import LABELS, USAGE, ScriptedJudge, TruthfulJudge, verdicts_json
from hypothesis import given
from hypothesis import strategies as st
from loopback import Answer, Loopback, Request, completion
from strategies import examples

from faithfulness_assert import Ask, Case, Grader, GradingResult, JudgeError, Reply, Usage, policies
from faithfulness_assert.records.judge import Limits

SENTENCES = [
    "Rooms are open.",
    "It rains in May.",
    "Adults pay 14 euros.",
    "Nobody lives there.",
    "I can't answer that.",
    "# Prices",
]
LIMITS = [Limits(), Limits(statements=1), Limits(prompt_tokens=900, statements=2)]
FAILURES = [None, "transport", "refusal"]


@dataclass
class HashJudge:
    """Gives each statement, by its text alone, some label or none: the same however it is asked."""

    limits: Limits
    salt: int

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        if (kind := FAILURES[(len(ask.ids) + self.salt) % 3]) and self.salt > 3:
            raise JudgeError("it failed", kind, usage=USAGE)
        if ask.kind != "verdicts":
            return TruthfulJudge().ask(ask)
        labels = {
            n: [*LABELS, None, "perhaps"][(sum(text.encode()) + self.salt) % 7]
            for n, text in ask.payload.items
        }
        return Reply(
            json.dumps(
                {
                    "verdicts": [
                        {"id": n, "evidence": [1], "label": label} for n, label in labels.items()
                    ]
                }
            ),
            usage=USAGE,
        )


class AwaitedHashJudge(HashJudge):
    """The same, on the event loop."""

    async def aask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        await asyncio.sleep(0)
        return self.ask(ask)


def without_clock(result: GradingResult) -> GradingResult:
    return replace(result, latency_ms=0.0)


@examples(40)
@given(
    st.lists(st.sampled_from(SENTENCES), max_size=6).map("\n\n".join),
    st.lists(st.sampled_from(SENTENCES), max_size=3),
    st.sampled_from(sorted(policies)),
    st.sampled_from(LIMITS),
    st.integers(0, 6),
)
def test_run_arun_and_run_many_give_the_same_result(answer, context, policy, limits, salt):
    chosen = policies[policy]
    grader = Grader(HashJudge(limits, salt), chosen)
    here = grader.grade(answer, context)
    loop = asyncio.run(grader.agrade(answer, context))
    awaited = replace(
        asyncio.run(Grader(AwaitedHashJudge(limits, salt), chosen).agrade(answer, context)),
        judge=here.judge,
    )
    many = list(grader.grade_many([Case(answer, context)] * 3, concurrency=3))
    assert {r.model_dump_json() for r in map(without_clock, [here, loop, awaited, *many])} == {
        without_clock(here).model_dump_json()
    }
    assert here.latency_ms > 0


def test_a_judge_with_aask_is_awaited_on_the_loop():
    class Awaited(TruthfulJudge):
        async def aask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
            await asyncio.sleep(0)
            assert threading.current_thread() is threading.main_thread()
            return super().ask(ask)

    assert asyncio.run(Grader(Awaited()).agrade("It rains.", "It rains.")).score == 1.0


def test_each_ask_gets_its_deadline():
    deadlines = []

    class Listening(TruthfulJudge):
        def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
            deadlines.append(deadline)
            return super().ask(ask)

    now = time.monotonic()
    Grader(Listening(), deadline=50).grade("It rains.", "It rains.")
    Grader(Listening(), deadline=50, timeout=5).grade("It rains.", "It rains.")
    assert deadlines[0] is not None
    assert deadlines[1] is not None
    assert now + 49 < deadlines[0] < now + 70
    assert deadlines[1] < deadlines[0] - 30


def test_a_judge_that_hangs_is_abandoned_when_the_time_is_up():
    over = threading.Event()

    class Hangs:
        def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
            over.wait(60)
            return TruthfulJudge().ask(ask)

    class HangsAwaited(Hangs):
        async def aask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
            await asyncio.sleep(60)
            return TruthfulJudge().ask(ask)

    begun = time.monotonic()
    results = [
        Grader(Hangs(), deadline=0.2).grade("It rains.", "It rains."),
        Grader(Hangs(), timeout=0.2).grade("It rains.", "It rains."),
        asyncio.run(Grader(HangsAwaited(), deadline=0.2).agrade("It rains.", "It rains.")),
    ]
    over.set()
    assert time.monotonic() - begun < 30
    assert [(r.status, r.error and r.error.kind) for r in results] == [
        ("judge_failed", "timeout")
    ] * 3


def test_a_grade_that_a_stalled_loop_holds_up_ends_and_counts_what_was_sent(monkeypatch):
    monkeypatch.setattr("faithfulness_assert.drive.grades.GRACE_SECONDS", 0.1)

    class Stalls(ScriptedJudge):
        any_loop = keeps_deadline = True

        async def aask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
            if len(self.asked) == 1:
                over.wait(60)  # as a flood holds up the loop
            return self.ask(ask)

    over = threading.Event()
    judge = Stalls(["{}"], Limits(statements=1))
    result = Grader(judge, deadline=2).grade(" ".join(SENTENCES[:3]), "It rains in May.")
    over.set()
    assert result.error.kind == "timeout"
    assert result.tokens_used == Usage(num_requests=2)


def test_nothing_is_asked_after_the_deadline_and_a_reply_that_came_still_counts():
    class Late(ScriptedJudge):
        keeps_deadline = True  # so that it is asked here, and may return too late

        def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
            while deadline is not None and time.monotonic() <= deadline:
                time.sleep(0.01)
            return super().ask(ask, deadline=deadline)

    judge = Late(["unreadable"])
    result = Grader(judge, deadline=1).grade("It rains.", "It rains.")
    assert len(judge.asked) == 1
    assert result.error.kind == "timeout"
    late = Late([verdicts_json({1: "supported"})])
    assert Grader(late, deadline=1).grade("It rains.", "It rains.").pass_


def test_a_grade_that_runs_out_of_time_is_a_timeout_whatever_came_before():
    """Some replies are chatter, then the server gets too slow for the deadline."""

    def answer(request: Request) -> Answer:
        slow = len(loopback.requests) > 2
        return Answer(completion("Hm, let me think.").body, delay=30 if slow else 0)

    with Loopback(answer) as loopback:
        options = {"max_statements": 1, "deadline": 4, "timeout": 1, "controls": "off"}
        made = Grader("openai:m", base_url=loopback.url, max_retries=0, **options)
        result = made.grade(" ".join(SENTENCES), "It rains in May.")
    assert result.status == "judge_failed"
    assert (result.error.kind, result.error.retryable) == ("timeout", True)


LONG = "It rains in May. " * 3_000


@pytest.mark.parametrize("given", [(LONG, "It rains."), ("It rains.", LONG)])
@pytest.mark.parametrize("asynchronous", [False, True])
def test_work_on_long_texts_counts_against_the_deadline(given, asynchronous):
    judge = ScriptedJudge(["unreadable"])
    grader = Grader(judge, deadline=0.001)
    result = asyncio.run(grader.agrade(*given)) if asynchronous else grader.grade(*given)
    assert judge.asked == []
    assert (result.error.kind, result.error.retryable) == ("timeout", True)
    assert "before any ask" in result.error.message
    assert GradingResult.model_validate_json(result.model_dump_json()).error == result.error
    assert (result.defined, result.pass_, result.tokens_used.num_requests) == (False, False, 0)


def test_a_grade_sends_at_most_eight_asks_at_once():
    under_way, most = 0, 0

    class Counts(TruthfulJudge):
        async def aask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
            nonlocal under_way, most
            under_way += 1
            most = max(most, under_way)
            await asyncio.sleep(0.01)
            under_way -= 1
            return self.ask(ask)

    answer = " ".join(f"Room {i} is open." for i in range(60))
    assert (
        asyncio.run(Grader(Counts(limits=Limits(statements=1))).agrade(answer, answer)).score == 1.0
    )
    assert most <= 8


def test_the_log_has_every_step_but_no_texts(caplog):
    caplog.set_level("INFO", logger="faithfulness_assert")
    Grader(ScriptedJudge(["unreadable"])).grade("Secret rain falls.", "Secret rain falls.")
    story = caplog.text
    assert "verdicts: asked for 1" in story
    assert "unreadable: score undefined" in story
    assert "Secret" not in story
