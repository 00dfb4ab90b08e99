"""Many asks at once: none waits for another without need, a stop ends them, and nothing is lost."""

import asyncio
import concurrent.futures
import contextvars
import json
import logging
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from fakes import ScriptedJudge, TruthfulJudge, verdicts_json
from loopback import Answer, Loopback, Request, completion, good_reply
from processes import HEARS_CTRL_C

from faithfulness_assert import Ask, Grader, JudgeError, Reply, grade_many
from faithfulness_assert.drive.asks import outcome_of
from faithfulness_assert.judges import background
from faithfulness_assert.records.judge import Limits

CASE = {"answer": "It rains.", "context": "It rains."}
PATIENCE = 60.0  # seconds after which a test that hangs fails


def remote(server: Loopback, **options: Any) -> Grader:
    given = {"base_url": server.url, "api_key": "k", "max_retries": 0, "controls": "off", **options}
    return Grader("openai:m", **given)


def many_agrades(grader: Grader, count: int) -> list[Any]:
    async def gathered() -> list[Any]:
        return await asyncio.gather(*(grader.agrade(**CASE) for _ in range(count)))

    return asyncio.run(gathered())


# ---------------------------------------------------------------- agrade


def test_asks_of_agrade_do_not_wait_for_each_other_nor_for_the_threads_of_the_caller():
    all_in = threading.Barrier(41, timeout=PATIENCE)

    class Meeting(TruthfulJudge):
        def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
            all_in.wait()
            return super().ask(ask)

    async def gathered() -> list[Any]:
        grades = [asyncio.ensure_future(Grader(Meeting()).agrade(**CASE)) for _ in range(40)]
        await asyncio.to_thread(all_in.wait)
        return await asyncio.gather(*grades)

    assert all(result.pass_ for result in asyncio.run(gathered()))


def test_asks_of_agrade_to_a_server_are_under_way_at_once():
    all_in = threading.Barrier(20, timeout=PATIENCE)

    def answer(request: Request) -> Answer:
        if request.number > 1:
            all_in.wait()
        return completion(verdicts_json({1: "supported"}))

    with Loopback(answer) as server:
        # A server on this machine gets its first ask alone, then as many as its timeout has room for.
        grader = remote(server, timeout=20 * PATIENCE)
        assert grader.grade(**CASE).pass_
        assert all(result.pass_ for result in many_agrades(grader, 20))


def test_a_judge_answers_in_one_event_loop_after_another_and_without_one():
    with Loopback(lambda _: completion(verdicts_json({1: "supported"}))) as server:
        grader = remote(server)
        results = [*many_agrades(grader, 2), *many_agrades(grader, 2), grader.grade(**CASE)]
        results += grader.grade_many([CASE] * 3)
        results.append(grader.grade(**CASE))
    assert [result.pass_ for result in results] == [True] * 9


def test_a_judge_that_is_asked_on_the_loop_itself_says_so_instead_of_waiting_forever():
    with Loopback(completion(verdicts_json({1: "supported"}))) as server:
        inner = remote(server).judge

        class Blocks(TruthfulJudge):
            any_loop = keeps_deadline = True

            async def aask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
                return inner.ask(ask, deadline=deadline)

        (result,) = Grader(Blocks()).grade_many([CASE])
    assert result.error is not None
    assert "RuntimeError" in result.reason


# ---------------------------------------------------------------- context variables

CALLER: contextvars.ContextVar[str] = contextvars.ContextVar("CALLER")


@pytest.mark.parametrize("options", [{}, {"timeout": 50}, {"deadline": 50}])
def test_a_judge_sees_the_context_variables_of_its_caller(options):
    seen = []

    class Sees(TruthfulJudge):
        def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
            seen.append(CALLER.get(None))
            return super().ask(ask)

    def check() -> None:
        CALLER.set("me")
        for limits in (Limits(), Limits(statements=1)):
            grader = Grader(Sees(limits=limits), **options)
            grader.grade("It rains. It snows.", "It rains.")
            many_agrades(grader, 1)
            list(grader.grade_many([CASE]))

    contextvars.copy_context().run(check)
    assert set(seen) == {"me"}


# ---------------------------------------------------------------- grade_many


@pytest.mark.parametrize("policy", ["default", "ragaliq"])
def test_concurrency_is_the_number_of_asks_under_way_also_where_a_case_has_several(policy):
    under_way = []
    most = []

    class Counted(TruthfulJudge):
        def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
            under_way.append(ask)
            most.append(len(under_way))
            time.sleep(0.002)
            reply = super().ask(ask)
            under_way.pop()
            return reply

    answer = " ".join(f"Room {i} is open." for i in range(8))
    grader = Grader(Counted(limits=Limits(statements=1)), policy)
    results = list(
        grader.grade_many(
            [{"answer": answer, "context": answer, "question": "?"}] * 6, concurrency=3
        )
    )
    assert all(result.defined for result in results)
    assert max(most) <= 3 < len(most) / 6


def test_connections_are_used_again_however_many_asks_are_under_way():
    opened = []
    with Loopback(good_reply) as server:
        made = remote(server)
        for _ in range(3):
            list(made.grade_many([CASE] * 60, concurrency=40))
            opened.append(server.connections)
    assert opened[0] <= 40
    assert opened[2] <= 42, "a few more may be needed where a later round has more at once"


def test_no_more_results_wait_for_a_slow_case_than_the_window_holds():
    over, read = threading.Event(), []

    class FirstHangs(TruthfulJudge):
        def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
            if "first" in ask.payload.items[0][1]:
                while len(read) < 40:
                    time.sleep(0.01)
                over.wait(0.2)
            return super().ask(ask)

    def cases() -> Iterator[dict[str, str]]:
        for i in range(500):
            read.append(i)
            yield {**CASE, "answer": "It rains." if i else "The first."}

    results = Grader(FirstHangs()).grade_many(cases(), concurrency=2)
    next(results)
    assert len(read) <= 20 * 2 + 1
    results.close()


def test_time_in_the_queue_of_a_batch_does_not_count():
    begun = []
    left = []

    class Slow(TruthfulJudge):
        def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
            assert deadline is not None
            begun.append(time.monotonic())
            left.append(deadline - begun[-1])
            time.sleep(0.2)
            return super().ask(ask)

    results = list(Grader(Slow(), deadline=20).grade_many([CASE] * 12, concurrency=1))
    assert all(result.pass_ for result in results)
    queued = begun[-1] - begun[0]
    assert queued >= 11 * 0.2
    assert max(left[-3:]) > 20 - queued / 2  # a busy machine may hold one up


def test_a_stopped_batch_ends_at_once():
    asked = threading.Event()

    def answer(request: Request) -> Answer:
        if "It snows." in json.dumps(request.body):
            asked.set()
            return Answer(delay=10 * PATIENCE)
        answer = completion(verdicts_json({1: "supported"}))
        return replace(answer, delay=1)  # or both results may be there before the next grade begins

    other = {"answer": "It snows.", "context": "It snows."}
    begun = time.monotonic()
    with Loopback(answer) as server:
        results = remote(server).grade_many([CASE] * 2 + [other] * 48, concurrency=2)
        assert [next(results).pass_, next(results).pass_] == [True, True]
        assert asked.wait(PATIENCE)
        results.close()
    assert time.monotonic() - begun < PATIENCE


def test_an_interrupt_leaves_the_results_until_then():
    def interrupted() -> Iterator[dict[str, str]]:
        yield from ({**CASE, "id": str(n)} for n in range(50))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as stop:
        grade_many(interrupted(), concurrency=1)
    results = stop.value.results
    assert len(results) > 20
    assert [result.case_id for result in results] == [row["id"] for row in results.rows]


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
def test_an_interrupted_command_ends_at_once(tmp_path):
    asked = threading.Event()

    def answer(request: Request) -> Answer:
        asked.set()
        return Answer(delay=10 * PATIENCE)

    (tmp_path / "cases.jsonl").write_text(f"{json.dumps(CASE)}\n" * 20, encoding="utf-8")
    with Loopback(answer) as server:
        judge = ["--judge", "openai:m", "-o", f"base_url={server.url}"]
        command = [*HEARS_CTRL_C, "grade", "cases.jsonl", *judge]
        running = subprocess.Popen(
            command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert asked.wait(PATIENCE)
        running.send_signal(signal.SIGINT)
        _, said = running.communicate(timeout=PATIENCE)
    assert running.returncode not in (0, None)
    assert "Traceback" not in said


# ---------------------------------------------------------------- what a judge raises


class SpecialTimeout(concurrent.futures.TimeoutError):
    pass


@pytest.mark.parametrize(
    "error", [TimeoutError("t"), asyncio.TimeoutError(), SpecialTimeout(), KeyError("choices")]
)
@pytest.mark.parametrize("deadline", [None, 100])
def test_a_timeout_of_a_judge_is_a_timeout_in_every_driver(error, deadline):
    class Awaited(ScriptedJudge):
        async def aask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
            return self.ask(ask)

    grader = Grader(ScriptedJudge([error]), deadline=deadline)
    results = [
        grader.grade(**CASE),
        *many_agrades(grader, 1),
        *many_agrades(Grader(Awaited([error]), deadline=deadline), 1),
        *grader.grade_many([CASE]),
    ]
    expected = "transport" if isinstance(error, KeyError) else "timeout"
    assert {result.error and result.error.kind for result in results} == {expected}
    assert all(type(error).__name__ in result.reason for result in results)


def test_an_error_keeps_what_the_judge_raised_and_the_log_shows_it_without_credentials(caplog):
    asks = []

    class Fails:
        def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
            asks.append(ask)
            try:
                raise OSError("the key sk-proj-0123456789 is wrong")
            except OSError as error:
                raise KeyError("choices") from error

    for level in (logging.INFO, logging.DEBUG):
        caplog.clear()
        caplog.set_level(level, logger="faithfulness_assert")
        result = Grader(Fails()).grade(**CASE)
        assert "KeyError" in result.reason
        assert "choices" not in result.reason
        assert ("choices" in caplog.text) == (level == logging.DEBUG)
    assert "the key [redacted] is wrong" in caplog.text
    assert "in ask\n" in caplog.text
    assert "0123456789" not in caplog.text
    cause = ValueError("no")
    failure = outcome_of(asks[0], cause)
    assert isinstance(failure, JudgeError)
    assert failure.__cause__ is cause


# ---------------------------------------------------------------- processes


def script(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs code in a process in which nothing may be left open."""
    strict = [sys.executable, "-W", "error", "-c", textwrap.dedent(code), *arguments]
    return subprocess.run(strict, capture_output=True, text=True, timeout=5 * PATIENCE)


def test_a_judge_that_hangs_does_not_hold_up_the_end_of_a_program():
    code = """
        import asyncio, contextlib, sys, threading
        from faithfulness_assert import Grader

        class Hangs:
            def ask(self, ask, /, *, deadline=None):
                threading.Event().wait()

        grader = Grader("openai:m", base_url=sys.argv[1], api_key="k")
        case = dict(answer="It rains.", context="It rains.")
        async def main():
            for judge in (grader, Grader(Hangs())):
                task = asyncio.ensure_future(judge.agrade(**case))
                await asyncio.sleep(1)
                task.cancel()
        asyncio.run(main())
        def batch(grader):
            with contextlib.suppress(BaseException):
                list(grader.grade_many([case]))
        for judge in (grader, Grader(Hangs())):
            threading.Thread(target=batch, args=(judge,), daemon=True).start()
        threading.Event().wait(1)
        print("ends")
    """
    with Loopback(Answer(delay=10 * PATIENCE)) as server:
        done = script(code, server.url)
    assert (done.returncode, done.stdout, done.stderr) == (0, "ends\n", "")


# ---------------------------------------------------------------- threads


def test_a_system_without_another_thread_is_a_grader_error(monkeypatch):
    def start(self: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    grader = Grader(ScriptedJudge([verdicts_json({1: "supported"})]), deadline=50)
    monkeypatch.setattr(background.process, "threads", background.DaemonThreads())
    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", start)
        assert grader.grade(**CASE).status == "judge_failed"
    assert grader.grade(**CASE).pass_
