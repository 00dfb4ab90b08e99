"""Runs over batch APIs, by their commands: they end as online runs do, are paid once, and go on after whatever stopped them."""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import anthropic
import openai
import pytest
from batch_server import KINDS, BatchServer, Body, Faults, truthful
from command import COMMAND, Done, here, written
from conftest import ROOT
from hypothesis import given
from hypothesis import strategies as st
from loopback import completion
from remote import JSON
from rows import changed_database
from strategies import examples

from faithfulness_assert.batch import provider_runs
from faithfulness_assert.batch.provider_apis import FORMS
from faithfulness_assert.batch.store import lines_of

VIAS = ["openai-batch", "anthropic-batch"]
KEY = "key-0123456789abcdef"
WAITING = 4
Results = dict[str, dict[str, Any]]


@pytest.fixture(autouse=True)
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that were waited for a listing that lags behind, of which none passes."""
    for provider in ("OPENAI", "ANTHROPIC"):
        monkeypatch.setenv(f"{provider}_API_KEY", KEY)
    waited: list[float] = []
    monkeypatch.setattr(provider_runs, "time", SimpleNamespace(sleep=waited.append))
    for sdk in (openai, anthropic):  # their own pauses before they try again
        monkeypatch.setattr(sdk._base_client, "INITIAL_RETRY_DELAY", 0.01)
    return waited


def cases(count: int) -> list[dict[str, Any]]:
    """Cases of which no two have the same texts; every third has a statement without backing."""
    return [
        {
            "id": f"case {number}",
            "answer": f"Shop {number} is open on Sundays. "
            + (f"Shop {number} sells bread." if number % 3 else f"Shop {number} has 7 rooms."),
            "context": [f"Shop {number} is open on Sundays. Shop {number} sells bread."],
        }
        for number in range(1, count + 1)
    ]


def results_in(path: Path) -> Results:
    """The results of a run by case, of which none has two, without what must differ from others:
    how long it took, and the tokens for the line with the token."""
    found = [json.loads(line.to_json()) for line in lines_of(path)]
    for one in found:
        one.update(latency_ms=0, tokens_used={})
        one["metadata"].pop("tokens", None)
    assert len({one["case_id"] for one in found}) == len(found)
    return {one["case_id"]: one for one in found}


@dataclass
class Run:
    """A run over a batch API, as a user sees it."""

    path: Path
    via: str
    server: BatchServer
    rows: list[dict[str, Any]]
    options: Sequence[str] = ()

    @property
    def judge(self) -> list[str]:
        provider = self.via.partition("-")[0]
        url = self.server.url if provider == "openai" else self.server.root
        return ["--judge", f"{provider}:model-1", "-o", f"base_url={url}", *self.options]

    @property
    def data(self) -> Path:
        return written(self.path.with_suffix(".json"), json.dumps(self.rows))

    def begin(self, *more: str) -> Done:
        """Begins it, or goes on with it by the same command."""
        return here("batch", self.data, "--run", self.path, "--via", self.via, *self.judge, *more)

    def go_on(self, *more: object) -> Done:
        return here("batch", "--run", self.path, *more)

    def finish(self) -> Done:
        """Begins it and goes on until it is finished."""
        done = self.begin()
        for _ in range(60):
            if done.returncode != WAITING:
                break
            done = self.go_on()
        assert done.returncode in (0, 1) or "not graded" in done.stdout, done.stderr
        return done

    def results(self) -> Results:
        return results_in(self.path)

    def online(self) -> Results:
        """What the same judge says online."""
        path = self.path.with_suffix(".online")
        shutil.rmtree(path, ignore_errors=True)
        here("batch", self.data, "--run", path, *self.judge)
        return results_in(path)

    def spent(self) -> Counter[str]:
        spent: Counter[str] = Counter()
        for line in lines_of(self.path):
            used = line.result.tokens_used
            spent.update(asks=used.num_requests, prompt=used.prompt, completion=used.completion)
        return spent


def run_of(tmp_path: Path, via: str, server: BatchServer, count: int, *options: str) -> Run:
    return Run(tmp_path / "run", via, server, cases(count), options)


# ---------------------------------------------------------------- it ends as an online run does


@pytest.mark.parametrize("via", VIAS)
@pytest.mark.parametrize(
    ("share", "options"),
    [(0.0, ["-o", "samples=3"]), (0.4, ["-o", "reasons=all"]), (0.4, ["--policy", "ragas"])],
)
def test_results_are_those_of_the_online_run_whatever_happened_to_lines(
    tmp_path, via, share, options
):
    """What was lost is asked again, and nothing is credited to another."""
    with BatchServer(faults=Faults(share)) as server:
        run = run_of(tmp_path, via, server, 24, *options)
        run.finish()
        billed, happened = Counter(server.billed), set(server.faults.happened)
        assert run.results() == run.online()
    assert happened == (set(KINDS) if share else set())
    if not share:
        spent = run.spent()
        assert (spent["asks"], spent["prompt"]) == (billed["asks"], billed["prompt_tokens"])


@pytest.mark.parametrize("via", VIAS)
@pytest.mark.parametrize(
    ("fault", "status", "error"),
    [
        ("limited", "judge_failed", "rate_limit"),
        ("expired", "judge_failed", "timeout"),
        ("missing", "judge_failed", "timeout"),
        ("miskeyed", "unreadable", "unreadable"),
    ],
)
def test_an_ask_that_never_gets_its_answer_is_sent_three_times_and_earns_nothing(
    tmp_path, via, fault, status, error
):
    """When somebody goes on, it is asked again."""
    with BatchServer(faults=Faults(1.0, [fault], until=99)) as server:
        run = run_of(tmp_path, via, server, 5)
        run.finish()
        assert len(server.batches) == 3
        found = run.results()
        server.faults.share = 0.0
        assert run.begin("--no-retry-errors").returncode == 3
        assert run.begin().returncode == WAITING
        run.finish()
        assert run.results() == run.online()
    assert len(found) == 5
    for result in found.values():
        assert (result["status"], result["defined"], result["pass"]) == (status, False, False)
        assert (result["error"]["kind"], result["error"]["retryable"]) == (error, True)
        told = "Give the command that began the run again" in result["reason"]
        assert told == (error == "timeout")


@pytest.mark.parametrize("via", VIAS)
def test_what_a_server_does_not_take_is_left_out_and_what_is_too_long_is_asked_in_parts(
    tmp_path, via
):
    def picky(path: str, body: Body) -> tuple[int, Body]:
        size = sum(len(message["content"]) for message in body["messages"]) // 4
        error = {"type": "invalid_request_error"}
        if "temperature" in body:
            message = "Unsupported value: 'temperature' does not support 0.0 with this model."
            error |= {"message": message, "param": "temperature"}
        elif size > 1500:
            error["message"] = f"prompt is too long: {size} tokens > 1500 maximum context length"
        else:
            return truthful(path, body)
        return 400, {"error": error}

    sentences = [f"Shop {n} sells bread and cakes on {n} days of the year." for n in range(400)]
    case = {"id": "a", "answer": f"{sentences[3]} {sentences[390]}", "context": " ".join(sentences)}
    with BatchServer(picky) as server:
        run = Run(tmp_path / "run", via, server, [*cases(3), case])
        run.finish()
        found = run.results()
        del run.rows[-1]  # online, other windows may be asked
        right = Run(tmp_path / "right", via, server, run.rows).online()
    assert {name: found[name] for name in right} == right
    assert (found["a"]["status"], found["a"]["score"]) == ("graded", 1.0)
    assert "temperature" in str(found["a"]["metadata"]["warnings"])


@pytest.mark.parametrize("via", VIAS)
def test_a_judge_that_thinks_has_room_in_the_next_round_and_what_was_cut_off_is_counted(
    tmp_path, via
):
    def thinks(path: str, body: Body) -> tuple[int, Body]:
        cap = body.get("max_tokens") or body["max_completion_tokens"]
        if cap > 2_000:
            return truthful(path, body)
        if path.endswith("messages"):
            content = [{"type": "thinking", "thinking": "Hm."}]
            usage = {"input_tokens": 100, "output_tokens": cap}
            return 200, {"content": content, "stop_reason": "max_tokens", "usage": usage}
        choice = {"message": {"content": "", "reasoning": "Hm."}, "finish_reason": "length"}
        usage = {"prompt_tokens": 100, "completion_tokens": cap}
        return 200, {"choices": [choice], "usage": usage}

    with BatchServer(thinks) as server:
        run = run_of(tmp_path, via, server, 3)
        run.finish()
        lines = [json.loads(line.to_json()) for line in lines_of(run.path)]
    assert [one["status"] for one in lines] == ["graded"] * 3
    assert all(one["tokens_used"]["num_requests"] == 2 for one in lines)
    assert all(one["tokens_used"]["completion"] > 352 for one in lines)


def test_asks_are_split_at_the_limits_of_the_provider(tmp_path, monkeypatch):
    form = FORMS["openai"]._replace(max_lines=4, max_bytes=12_000)
    monkeypatch.setitem(FORMS, "openai", form)
    with BatchServer(faults=Faults(0.3)) as server:
        run = run_of(tmp_path, "openai-batch", server, 15)
        run.begin()
        first = [len(batch.asks) for batch in server.batches.values()]
        assert (max(first), sum(first)) == (4, 15)
        assert max(len(content) for content in server.files.values()) <= 12_000
        run.finish()
        assert run.results() == run.online()


@pytest.mark.parametrize("via", VIAS)
def test_no_batch_waits_for_another(tmp_path, via, monkeypatch):
    provider = via.partition("-")[0]
    monkeypatch.setitem(FORMS, provider, FORMS[provider]._replace(max_lines=3))
    with BatchServer(looks=2) as server:
        run = run_of(tmp_path, via, server, 5, "--policy", "ragas")
        assert run.begin().returncode == WAITING
        slow = server.batches["batch_2"]
        for _ in range(9):
            slow.looks = 0
            assert run.go_on().returncode == WAITING
        assert len(run.results()) == 3
        assert not slow.files
        run.finish()
        assert set(server.answered.values()) == {1}
        assert run.results() == run.online()


def test_a_row_that_cannot_be_read_has_its_result_and_a_result_that_is_gone_comes_again(tmp_path):
    rows = [*cases(2), {"id": "b", "answer": "x"}, {"id": "c", "answer": "", "context": "x"}]
    with BatchServer() as server:
        run = Run(tmp_path / "run", "openai-batch", server, rows)
        assert run.begin().returncode == WAITING
        statuses = {name: result["status"] for name, result in run.results().items()}
        assert statuses == {"b": "invalid_input", "c": "no_statements"}
        run.finish()
        right = run.results()
        changed_database(run.path, "DELETE FROM results WHERE row = 2")
        run.go_on()
        assert run.results() == right == run.online()
        assert len(server.batches) == 1


# ---------------------------------------------------------------- what the provider does


def test_why_a_provider_refuses_a_batch_is_told_without_the_key_and_it_can_be_sent_again(tmp_path):
    refused = [
        {"code": "invalid_request", "line": 3, "message": f"{KEY} \x1b[31m", "param": "body.x"}
    ]
    with BatchServer(refuse=lambda _: [refused.pop()] if refused else []) as server:
        run = run_of(tmp_path, "openai-batch", server, 5)
        told = run.begin().stderr
        assert '"line": 3, "message": "[redacted] ' in told
        assert "\x1b" not in told
        assert len(server.batches) == 1
        run.finish()
        assert run.results() == run.online()
    kept = [path.read_bytes() for path in run.path.rglob("*") if path.is_file()]
    assert KEY.encode() not in told.encode() + b"".join(kept)


@pytest.mark.parametrize("via", VIAS)
def test_after_a_cancelled_batch_nothing_is_sent_until_somebody_goes_on(tmp_path, via):
    with BatchServer() as server:
        run = run_of(tmp_path, via, server, 5)
        run.begin()
        server.batches["batch_1"].cancelled = True
        while not server.batches["batch_1"].files:
            done = run.go_on()
        assert done.returncode == WAITING
        assert "Nothing more was sent" in done.stderr
        assert len(server.batches) == 1
        run.finish()
        assert len(server.batches) == 2
        assert run.results() == run.online()


class Odd(BatchServer):
    """Answers one request otherwise than the API does: the first whose method and path match."""

    def __init__(self, request: str, answer: tuple[int, Any], **more: Any) -> None:
        super().__init__(**more)
        self.request, self.answer, self.told = request, answer, False

    def serve(self, method: str, url: str, content: bytes) -> tuple[int, bytes]:
        status, right = super().serve(method, url, content)
        if self.told or not re.search(self.request, f"{method} {url}"):
            return status, right
        self.told = True
        code, odd = self.answer
        whole = {**json.loads(right), **odd} if isinstance(odd, dict) and odd else odd
        return code, json.dumps(whole).encode()


NO_NUMBERS = dict.fromkeys(("total", "completed", "failed", "processing", "succeeded"))


@pytest.mark.parametrize("via", VIAS)
@pytest.mark.parametrize(
    ("request_", "odd"),
    [
        ("POST .*/(files|batches)$", {}),
        ("POST .*/batches$", "a page of a gateway"),
        ("GET .*/batches/", "a page of a gateway"),
        ("POST .*/batches$", {"id": None}),
        *(("GET .*/batches/", {"request_counts": counts}) for counts in (None, {}, NO_NUMBERS)),
    ],
)
def test_an_answer_of_the_api_that_cannot_be_read_is_told_and_the_run_goes_on(
    tmp_path, via, request_, odd
):
    """Counts are not needed."""
    with Odd(request_, (200, odd), looks=0) as server:
        run = run_of(tmp_path, via, server, 3)
        done = run.begin()
        assert server.told
        if "request_counts" not in odd:
            assert done.returncode == 3
            assert "cannot be read" in done.stderr
            assert "Check base_url." in done.stderr
            run.finish()
        assert run.results() == run.online()


@pytest.mark.parametrize("via", VIAS)
def test_a_batch_that_is_gone_is_told_with_how_to_send_it_again(tmp_path, via):
    gone = {"error": {"message": "No batch found", "type": "not_found_error"}}
    with Odd("GET .*/batches/", (404, gone), looks=0) as server:
        run = run_of(tmp_path, via, server, 3)
        told = run.begin().stderr
        assert "No batch found" in told
        update = "UPDATE batches SET answered = TRUE WHERE batch = 1"
        assert f"{run.path / 'run.sqlite'} '{update}'" in told.replace("\n", " ")
        changed_database(run.path, update)
        run.finish()
        assert len(server.batches) == 2


def test_a_run_goes_on_at_the_address_where_it_was_begun_and_nowhere_else(tmp_path, monkeypatch):
    """An address with a password is not stored. The environment has it, or the run says so."""
    with BatchServer() as server, BatchServer() as other:
        address = server.url.replace("http://", "http://ann:s3cret-pass@")
        run = run_of(tmp_path, VIAS[0], server, 3, "-o", f"base_url={address}")
        monkeypatch.setenv("OPENAI_BASE_URL", other.url)
        assert run.begin().returncode == WAITING
        told = run.go_on()
        assert told.returncode == 2
        assert f"begun at {server.url}, and would go on at {other.url}" in told.stderr
        assert "Set OPENAI_BASE_URL" in told.stderr
        assert "s3cret" not in told.stderr
        assert other.requests == []
        monkeypatch.setenv("OPENAI_BASE_URL", address)
        assert "2 passed, 1 failed" in run.go_on().stdout


# ---------------------------------------------------------------- nothing is paid twice


@pytest.mark.parametrize("when", ["before", "after", "within"])
@pytest.mark.parametrize("via", VIAS)
def test_a_run_goes_on_after_a_connection_that_broke_at_any_request(tmp_path, via, when):
    for at in range(1, 40):
        with BatchServer(looks=0) as server:
            server.break_at = (at, when)
            run = Run(tmp_path / f"run {at}", via, server, cases(2))
            for _ in range(20):
                if (done := run.begin()).returncode == 0:
                    break
                assert done.returncode == 3
            assert set(server.answered.values()) == {1}
            assert [result["status"] for result in run.results().values()] == ["graded"] * 2
            if len(server.requests) < at:
                break
    assert at > 3


class Killing(BatchServer):
    """Ends a process when it has sent so many requests, each of which is served."""

    victim = left = 0

    def serve(self, method: str, url: str, content: bytes) -> tuple[int, bytes]:
        answer = super().serve(method, url, content)
        self.left -= 1
        if not self.left:
            os.kill(self.victim, signal.SIGKILL)
        return answer


@pytest.mark.skipif(os.name != "posix", reason="signals of a POSIX system")
@pytest.mark.parametrize(("via", "at"), [(VIAS[0], 1), (VIAS[0], 2), (VIAS[1], 1), (VIAS[1], 2)])
def test_a_process_may_be_killed_before_and_after_it_noted_what_it_sent(tmp_path, via, at):
    """The clocks of both sides differ, and a listing lags behind."""
    with Killing(looks=0, lag=1, clock=-7200.0) as server:
        run, server.left = run_of(tmp_path, via, server, 3), at
        given = ["batch", run.data, "--run", run.path, "--via", via, *run.judge]
        with subprocess.Popen([*COMMAND, *given], stdout=-3, stderr=-3) as process:
            server.victim = process.pid
        assert process.returncode == -signal.SIGKILL
        run.finish()
        assert (len(server.batches), set(server.answered.values())) == (1, {1})
        assert run.results() == run.online()


class Losing(BatchServer):
    """Does what is paid for, but its answer does not arrive, so often."""

    def __init__(self, lost: int, status: int = 502, *, takes: bool = True, **more: Any) -> None:
        super().__init__(**more)
        self.lost, self.status, self.takes = lost, status, takes

    def serve(self, method: str, url: str, content: bytes) -> tuple[int, bytes]:
        if method == "POST" and url.endswith("/batches") and self.lost:
            self.lost -= 1
            if self.takes:
                super().serve(method, url, content)
            return self.status, b'{"error": {"message": "it did not work"}}'
        return super().serve(method, url, content)


def interrupted(path: Path, via: str, server: BatchServer, count: int = 4) -> Run:
    """A run that ended while its batch was sent."""
    run = Run(path, via, server, cases(count))
    assert "it did not work" in run.begin().stderr
    return run


@pytest.mark.parametrize(
    ("via", "clock", "lag"),
    [(VIAS[0], 7200.0, 3), (VIAS[1], 0.0, 0), (VIAS[1], -86_400.0 * 400, 3)],
)
def test_three_runs_of_equal_size_whose_batches_were_not_noted_pay_for_three(
    tmp_path, via, clock, lag
):
    with Losing(3, clock=clock, lag=lag) as server:
        runs = [interrupted(tmp_path / f"run {n}", via, server) for n in range(3)]
        for run in reversed(runs):
            run.finish()
        assert len(server.batches) == 3
        assert set(server.answered.values()) == {1}
        assert [run.results() for run in runs] == [runs[0].online()] * 3


@pytest.mark.parametrize("via", VIAS)
@pytest.mark.parametrize("status", [502, 400, 429])
def test_a_batch_that_never_arrived_is_looked_for_a_while_unless_it_was_refused(
    tmp_path, via, status, pauses
):
    with Losing(1, status, takes=False) as server:
        run = interrupted(tmp_path / "run", via, server)
        assert not server.batches
        run.finish()
        assert len(server.batches) == 1
        assert sum(pauses) >= 30 if status == 502 else not pauses
        assert run.results() == run.online()


def test_a_batch_of_another_run_is_never_adopted_however_alike_it_is(tmp_path):
    """What this run sent never arrived. While the other one is under way, that cannot be known."""
    with Losing(0, takes=False, looks=2) as server:
        other = Run(tmp_path / "other", "anthropic-batch", server, cases(4))
        other.begin()
        server.lost = 1
        run = interrupted(tmp_path / "run", "anthropic-batch", server)
        assert "one of batch_1 may be its batch" in " ".join(run.go_on().stderr.split())
        assert len(server.batches) == 1
        run.finish()
        other.finish()
        assert len(server.batches) == 2
        assert set(server.answered.values()) == {1}
        assert run.results() == other.results() == run.online()


def test_a_batch_that_was_refused_before_is_not_taken_for_the_one_after_it(tmp_path):
    """It has the same run and file, and a listing that lags shows it alone."""
    errors = [{"code": "token_limit_exceeded", "line": None, "message": "too much", "param": None}]
    with Losing(0, refuse=lambda _: errors) as server:
        run = run_of(tmp_path, "openai-batch", server, 4)
        assert "token_limit_exceeded" in run.begin().stderr
        errors.clear()
        server.lost, server.lag, server.batches["batch_1"].lists = 1, 2, 99
        assert "it did not work" in run.go_on().stderr
        run.finish()
        assert len(server.batches) == 2
        assert run.results() == run.online()


# ---------------------------------------------------------------- several lines for one ask


def turned(text: str) -> str:
    """A reply that says the opposite of its last verdict."""
    data = json.loads(text)
    last = data["verdicts"][-1]
    last["label"] = "contradicted" if last["label"] == "supported" else "supported"
    return json.dumps(data)


class Contradicting(BatchServer):
    """Sends other lines for every second ask, and all of later rounds: ``said`` makes their texts."""

    def __init__(self, said: Any, *, first: bool, until: int = 99) -> None:
        super().__init__(looks=0)
        self.said, self.first, self.until = said, first, until
        self.extra = 0

    def outputs(self, batch: Any, path: str) -> tuple[list[Body], list[Body]]:
        good, bad = super().outputs(batch, path)
        lines: list[Body] = []
        for line in good:
            number, place, _ = line["custom_id"].split("-")
            more: list[Body] = []
            if (int(place) % 2 == 0 or int(number) > 1) and int(number) <= self.until:
                block, name = block_of(line)
                more = [self._other(line, text) for text in self.said(block[name])]
            lines += [*more, line] if self.first else [line, *more]
        return lines, bad

    def _other(self, line: Body, text: str) -> Body:
        line = json.loads(json.dumps(line))
        self.extra += 1
        block, name = block_of(line)
        block[name] = text
        return line


def block_of(line: Body) -> tuple[Body, str]:
    """What has the text of an answer, and under which name."""
    body = line["response"]["body"]
    return (
        (body["choices"][0]["message"], "content")
        if "choices" in body
        else (body["content"][0], "text")
    )


@pytest.mark.parametrize(("policy", "first"), [("default", True), ("default", False), ("ragas", 1)])
@pytest.mark.parametrize("via", VIAS)
def test_an_ask_whose_lines_differ_is_sent_again(tmp_path, via, policy, first):
    def other(text: str) -> list[str]:
        data = json.loads(text)
        return [turned(text) if "verdicts" in data else json.dumps({**data, "sentences": []})]

    with Contradicting(other, first=first, until=1) as server:
        run = run_of(tmp_path, via, server, 8, "--policy", policy)
        run.finish()
        right = run.online()
    assert server.extra == 4
    assert run.results() == right


@pytest.mark.parametrize("via", VIAS)
@pytest.mark.parametrize("lines", [1, 30])
def test_however_many_lines_agree_one_that_does_not_is_heard(tmp_path, via, lines):
    def said(text: str) -> list[str]:
        return [*(text + " " * n for n in range(1, lines)), turned(text)]

    with Contradicting(said, first=False) as server:
        run = run_of(tmp_path, via, server, 1)
        run.finish()
    [result] = run.results().values()
    assert not result["pass"]
    assert not result["verdicts"] or result["verdicts"][-1]["label"] is None


# ---------------------------------------------------------------- the command


@pytest.mark.parametrize("via", VIAS)
def test_another_machine_goes_on_with_the_directory_alone(tmp_path, via):
    """Nothing in it is for others, and no key is there. Its report has the texts."""
    policy = written(tmp_path / "strict.json", json.dumps({"base": "ragas", "threshold": 0.9}))
    with BatchServer(faults=Faults(0.3)) as server:
        run = run_of(tmp_path, via, server, 10, "--policy", str(policy))
        assert run.begin().returncode == WAITING
        right = run.online()
        policy.unlink()
        for kept in tmp_path.glob("run.*"):
            kept.unlink() if kept.is_file() else shutil.rmtree(kept)
        run.path = run.path.rename(tmp_path / "elsewhere")
        while (done := run.go_on("--report", tmp_path / "report.html")).returncode == WAITING:
            pass
        assert (run.results(), done.returncode) == (right, 1)
    private = [path for path in run.path.rglob("*") if path.is_file()]
    assert {path.stat().st_mode & 0o077 for path in private} == {0}
    assert KEY.encode() not in b"".join(path.read_bytes() for path in private)
    assert "texts" not in done.stderr


def test_each_end_of_the_command_says_how_it_went(tmp_path):
    with BatchServer(looks=2) as server:
        run = run_of(tmp_path, "anthropic-batch", server, 3)
        done = run.begin()
        assert done.returncode == WAITING
        assert "3 asks, batch_1: in_progress (0 of 3 done)" in done.stderr
        assert f"batch --run {run.path}" in done.stderr
        while done.returncode == WAITING:
            done = run.go_on("--output", tmp_path / "table.csv")
        assert done.returncode == 1, done.stderr
        assert (tmp_path / "table.csv").read_text().count("case ") == 3
        assert "2 passed, 1 failed, 0 not graded" in done.stdout
        assert run.begin("--fail-under", "0.8").returncode == 0
        assert len(server.batches) == 1


@pytest.mark.skipif(os.name != "posix", reason="signals of a POSIX system")
def test_after_a_signal_the_command_that_goes_on_is_told(tmp_path):
    def stopped(path: str, body: Body) -> tuple[int, Body]:
        os.kill(os.getpid(), signal.SIGTERM)
        return truthful(path, body)

    with BatchServer(stopped, looks=0) as server:
        done = run_of(tmp_path, "openai-batch", server, 2).begin()
    assert (done.returncode, f"batch --run {tmp_path / 'run'}" in done.stderr) == (143, True)


@pytest.mark.parametrize("via", VIAS)
def test_nothing_is_sent_that_is_over_the_budget_and_the_run_can_begin_with_more(tmp_path, via):
    prices = 'prices={"prompt": 1000000, "completion": 1000000}'
    with BatchServer() as server:
        run = run_of(tmp_path, via, server, 3)
        costly = Run(tmp_path / "costly", via, server, cases(3), ["-o", prices])
        for one, more, code, problem in (
            (run, ["--max-run-tokens", "10"], 3, "its tokens are"),
            (run, ["--max-errors", "1"], 2, "--max-errors: a batch API is sent whole batches"),
            (costly, ["--max-cost", "10"], 3, "its cost is"),
            (run, ["--max-cost", "10"], 2, "--max-cost: needs the option prices"),
        ):
            done = one.begin(*more)
            assert (done.returncode, problem in done.stderr) == (code, True)
        assert not server.batches
        assert costly.begin("--max-cost", "1000000").returncode == WAITING
        assert run.begin("--max-run-tokens", "1000000").returncode == WAITING
        assert len(server.batches) == 2
        assert run.begin("--max-run-tokens", "10").returncode == 3
        while run.go_on().returncode == WAITING:  # what was sent is paid, so it is fetched
            pass
        assert len(run.results()) == 3


@pytest.mark.parametrize("via", VIAS)
@pytest.mark.parametrize("waiting", [True, False])
def test_rows_that_were_added_go_on_and_changed_ones_are_named(tmp_path, via, waiting):
    """Also where a batch waits for its answers meanwhile."""
    with BatchServer() as server:
        run = run_of(tmp_path, via, server, 4)
        run.begin() if waiting else run.finish()
        run.rows = cases(7)
        run.finish()
        assert run.results() == run.online()
        asked = sum(len(batch.asks) for batch in server.batches.values())
        assert asked == 7
        run.rows = cases(6)
        run.rows[1]["answer"] = "Shop 2 is shut."
        done = run.begin()
        assert done.returncode == 2
        assert re.search(r"row 2 \(case 2\) has another answer; row 7 .* gone", done.stderr)
        assert len(run.results()) == 7
        assert run.begin("--regrade-changed").returncode == WAITING
        run.finish()
        assert sum(len(batch.asks) for batch in server.batches.values()) == asked + 1
        assert run.results() == run.online()


def test_a_run_keeps_the_way_on_which_it_began(tmp_path):
    with BatchServer() as server:
        run = run_of(tmp_path, "openai-batch", server, 9)
        online = ["batch", run.data, "--run", run.path, *run.judge, "--concurrency", "1"]
        assert here(*online, "--max-run-tokens", "1").returncode == 3
        assert 0 < len(run.results()) <= 9
        assert "was begun without --via; keep to it" in run.begin().stderr
        assert here(*online).returncode == 1

        run = Run(tmp_path / "other", "openai-batch", server, cases(3))
        assert run.begin().returncode == WAITING
        assert (
            "use: faithfulness-assert batch --run" in here(*online[:3], run.path, *run.judge).stderr
        )
        assert "policy.threshold: was 0.8, is 0.9" in run.begin("--threshold", "0.9").stderr
        claude = ("--via", "anthropic-batch", "--judge", "anthropic:m")
        assert "judge.name: was" in run.begin(*claude).stderr


# ---------------------------------------------------------------- what an output contains


def test_whatever_an_output_contains_nothing_is_credited_without_the_token(tmp_path):
    good = '{"verdicts":[{"id":1,"evidence":[1],"label":"supported"}]}'
    with BatchServer() as server:
        begun = run_of(tmp_path, VIAS[0], server, 2)
        assert begun.begin().returncode == WAITING
        [batch] = server.batches.values()
        body = st.builds(lambda message: {"choices": [{"message": message}]}, JSON) | JSON
        response = st.fixed_dictionaries({"status_code": st.just(200) | JSON, "body": body}) | JSON
        said = st.just({"status_code": 200, "body": completion(good).body})
        line = st.fixed_dictionaries(
            {"custom_id": st.sampled_from([id for id, _ in batch.asks]) | JSON},
            optional={"response": response | said, "error": JSON},
        )
        texts = st.lists((line | JSON).map(lambda data: json.dumps(data).encode()) | st.binary())
        requests = server.files["file-1"]

        @examples(40)
        @given(texts | st.just([requests]))  # a request is no answer
        def check(lines: list[bytes]) -> None:
            shutil.rmtree(tmp_path / "again", ignore_errors=True)
            shutil.copytree(begun.path, tmp_path / "again")
            server.files["output"], batch.files = b"\n".join(lines), {"output": "output"}
            done = here("batch", "--run", tmp_path / "again")
            found = results_in(tmp_path / "again")
            assert not any(result["defined"] for result in found.values())
            assert done.returncode == (3 if len(found) == 2 else WAITING)

        check()


def commands_of_the_page(ending: str) -> list[list[str]]:
    """The commands of the block of the page whose last line contains this."""
    page = (ROOT / "docs" / "many-answers.md").read_text(encoding="utf-8")
    found = re.findall(r"^```console\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    [block] = [block for block in found if ending in block.splitlines()[-1]]
    return [shlex.split(line) for line in block.splitlines()]


def test_the_commands_of_the_page_work_as_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    written(Path("answers.jsonl"), "".join(f"{json.dumps(case)}\n" for case in cases(3)))
    with BatchServer() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        begin, collect_it = commands_of_the_page("batch --run runs/march")
        assert here(*begin[1:]).returncode == WAITING
        assert "2 passed, 1 failed" in here(*collect_it[1:]).stdout
