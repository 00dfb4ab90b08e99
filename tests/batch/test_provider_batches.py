"""Runs over batch APIs end as online runs do, whatever the provider does to their files."""

from __future__ import annotations

import io
import json
import re
import shlex
import shutil
import sqlite3
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import pytest
from batch_server import KINDS, BatchServer, Body, Faults, truthful
from conftest import ROOT
from hypothesis import given
from hypothesis import strategies as st
from loopback import completion
from provider_batches import measure
from remote import JSON, bare_environment
from strategies import examples

from faithfulness_assert import Grader
from faithfulness_assert.batch import run
from faithfulness_assert.batch.data_sets import open_data_set
from faithfulness_assert.batch.estimate import estimate_run
from faithfulness_assert.batch.provider_batches import (
    FILES,
    KeptRows,
    Standing,
    collect,
    import_answers,
    sending,
    submit,
)
from faithfulness_assert.batch.provider_batches.openai_batches import OpenAIBatches
from faithfulness_assert.batch.run_directory import RunDirectory
from faithfulness_assert.cli import main
from faithfulness_assert.judges.token_counter import token_counter
from faithfulness_assert.records.errors import ConfigError, JudgeError
from faithfulness_assert.records.result import GradingResult
from faithfulness_assert.records.usage import Usage
from faithfulness_assert.report import write_report

VIAS = ["openai-batch", "anthropic-batch"]


@pytest.fixture(autouse=True)
def _no_settings_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    bare_environment(monkeypatch)
    monkeypatch.setattr(sending, "LOOK_AGAIN", (0.0,))


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


def judge_of(via: str, server: BatchServer) -> dict[str, Any]:
    provider = via.partition("-")[0]
    base_url = server.url if provider == "openai" else server.root
    return {"judge": f"{provider}:model-1", "base_url": base_url, "api_key": "key-0123456789abcdef"}


def begun(tmp_path: Path, via: str, server: BatchServer, count: int, **more: Any) -> RunDirectory:
    directory = RunDirectory(tmp_path / "run")
    submit(open_data_set(cases(count)), directory, via, **judge_of(via, server), **more)
    return directory


def collected(directory: RunDirectory, rounds: int = 60) -> Standing:
    """Collects until the run is finished."""
    for _ in range(rounds):
        standing = collect(directory, api_key="key-0123456789abcdef")
        if standing.finished:
            return standing
    raise AssertionError(standing)


def results(directory: RunDirectory) -> dict[str, GradingResult]:
    """The results by case; no case has two."""
    lines = list(directory.lines())
    found = {line.case_id: comparable(line.result) for line in lines}
    assert len(found) == len(lines)
    return found


def comparable(result: GradingResult) -> GradingResult:
    """Without what must differ: how long it took, and the tokens for the line with the token."""
    metadata = {**result.metadata, "tokens": {}}
    return replace(result, latency_ms=0.0, tokens_used=Usage(), metadata=metadata)


def online(count: int, via: str, server: BatchServer, **more: Any) -> dict[str, GradingResult]:
    grader = Grader(**judge_of(via, server), **more)
    found = {result.case_id: comparable(result) for result in grader.grade_many(cases(count))}
    grader.judge.close()  # type: ignore[attr-defined]
    return found


def counting(path: str, body: Body) -> tuple[int, Body]:
    """The truthful model, whose server counts tokens as the estimate does."""
    count = token_counter("openai:gpt-4o-mini")
    status, answer = truthful(path, body)
    message = answer["choices"][0]["message"]
    message["content"] = json.dumps(json.loads(message["content"]), separators=(",", ":"))
    prompt = sum(count(sent["content"]) for sent in body["messages"])
    usage = {"prompt_tokens": prompt, "completion_tokens": count(message["content"])}
    return status, {**answer, "usage": usage}


def test_the_texts_of_a_report_come_from_the_directory_of_the_run(tmp_path: Path) -> None:
    with BatchServer(counting) as server:
        directory = begun(tmp_path, "openai-batch", server, 5)
        collected(directory)
    assert [row.fields for row in KeptRows(directory).rows()] == [
        {name: value for name, value in case.items() if name != "id"} for case in cases(5)
    ]
    page = write_report(directory, tmp_path / "report.html", data=KeptRows(directory))
    assert (page.cases, page.notes) == (5, ())
    private = [path for path in directory.path.rglob("*") if path.is_file()]
    assert {path: path.stat().st_mode & 0o077 for path in private} == dict.fromkeys(private, 0)


@pytest.mark.parametrize("via", VIAS)
def test_samples_go_over_a_batch_api_as_online(tmp_path: Path, via: str) -> None:
    with BatchServer(truthful) as server:
        directory = begun(tmp_path, via, server, 6, samples=3)
        collected(directory)
        assert results(directory) == online(6, via, server, samples=3)
    for line in directory.lines():
        assert line.result.tokens_used.num_requests == 3
        assert {verdict.confidence for verdict in line.result.verdicts} == {1.0}


@pytest.mark.parametrize("policy", ["default", "ragas"])
def test_the_estimate_for_a_batch_api_is_what_the_run_uses(tmp_path: Path, policy: str) -> None:
    with BatchServer(counting) as server:
        options = {**judge_of("openai-batch", server), "judge": "openai:gpt-4o-mini"}
        rows = open_data_set(cases(60)).rows()
        said = estimate_run(rows, policy=policy, over_batch_api=True, **options)
        directory = RunDirectory(tmp_path / "run")
        submit(open_data_set(cases(60)), directory, "openai-batch", policy=policy, **options)
        collected(directory)
    spent = [line.result.tokens_used for line in directory.lines()]
    assert said.asks == sum(usage.num_requests for usage in spent)
    for name in ("prompt", "completion"):
        used = sum(getattr(usage, name) for usage in spent)
        assert getattr(said, name) == pytest.approx(used, rel=0.05)
        plain = estimate_run(open_data_set(cases(60)).rows(), policy=policy, **options)
        assert getattr(plain, name) < getattr(said, name)


@pytest.mark.parametrize("via", VIAS)
def test_nothing_is_sent_that_is_over_the_budget_and_the_run_can_begin_with_more(
    tmp_path: Path, via: str
) -> None:
    file = tmp_path / "cases.json"
    file.write_text(json.dumps(cases(3)))
    with BatchServer() as server:
        judge = judge_of(via, server)
        given = [
            "batch", str(file), "--run", str(tmp_path / "run"), "--judge", judge["judge"], "--via", via,
            "-o", f"base_url={judge['base_url']}", "-o", f"api_key={judge['api_key']}",
        ]  # fmt: skip
        prices = ["-o", 'prices={"prompt": 1000000, "completion": 1000000}']
        for more, problem in (
            (["--max-tokens", "10"], "it would use about"),
            (["--max-cost", "10"], "its cost is unknown: max_cost needs the option prices"),
            (["--max-errors", "1"], "--max-errors: a batch API is sent whole batches"),
        ):
            code, _, told = command(*given, *more)
            assert problem in told
            assert code == (2 if "--max-errors" in more else 3)
        code, _, told = command("batch", "--run", str(tmp_path / "run"))
        assert (code, "needs the option prices. Give the first command again" in told) == (3, True)
        assert not server.batches
        assert command(*given, "--max-tokens", "1000000")[0] == 4
        assert len(server.batches) == 1
        assert command(*given, "--max-tokens", "10")[0] == 3
        collected(RunDirectory(tmp_path / "run"))  # what was sent is paid, so it is fetched
        costly = [*given[:3], str(tmp_path / "other"), *given[4:], *prices, "--max-cost"]
        assert "it would cost about" in command(*costly, "10")[2]
        assert command(*costly, "1000000")[0] == 4


@pytest.mark.parametrize("via", VIAS)
@pytest.mark.parametrize("waiting", [True, False])
def test_rows_that_were_added_go_on_and_changed_ones_are_named(
    tmp_path: Path, via: str, waiting: bool
) -> None:
    """Also where a round waits for its answers meanwhile."""
    with BatchServer() as server:
        directory = begun(tmp_path, via, server, 4)
        if not waiting:
            collected(directory)
        begun(tmp_path, via, server, 7)
        collected(directory)
        assert results(directory) == online(7, via, server)
        asked = sum(len(batch.asks) for batch in server.batches.values())
        assert asked == 7
        changed = cases(7)[:6]
        changed[1] = {**changed[1], "answer": "Shop 2 is shut."}
        given = judge_of(via, server)
        with pytest.raises(
            ConfigError, match=r"row 2 \(case 2\) has another answer; row 7 .* gone"
        ):
            submit(open_data_set(changed), directory, via, **given)
        assert len(list(directory.lines())) == 7
        submit(open_data_set(changed), directory, via, regrade_changed=True, **given)
        collected(directory)
        assert sum(len(batch.asks) for batch in server.batches.values()) == asked + 1
        grader = Grader(**given)
        new = comparable(grader.grade(**changed[1]))
        grader.judge.close()  # type: ignore[attr-defined]
        wanted = {**online(6, via, server), "case 2": new}
        assert results(directory) == wanted
    assert len(directory.retried.read_bytes().splitlines()) == 2


@pytest.mark.parametrize("share", [0.0, 0.4])
@pytest.mark.parametrize("policy", ["default", "ragas"])
@pytest.mark.parametrize("via", VIAS)
def test_results_are_those_of_the_online_run_whatever_happened_to_lines(
    tmp_path: Path, via: str, policy: str, share: float
) -> None:
    """What was lost is asked again, and nothing is credited to another."""
    with BatchServer(faults=Faults(share)) as server:
        directory = begun(tmp_path, via, server, 40, policy=policy, reasons=True)
        collected(directory)
        billed = Counter(server.billed)
        assert set(server.faults.happened) == (set(KINDS) if share else set())
        assert results(directory) == online(40, via, server, policy=policy, reasons=True)
    spent = sum((line.result.tokens_used for line in directory.lines()), Usage())
    if not share:
        assert spent.num_requests == billed["asks"]
        assert spent.prompt == billed["prompt_tokens"]


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
    tmp_path: Path, via: str, fault: str, status: str, error: str
) -> None:
    with BatchServer(faults=Faults(1.0, [fault], until=99)) as server:
        directory = begun(tmp_path, via, server, 8)
        collected(directory)
        assert len(server.batches) == 3
    found = results(directory)
    assert len(found) == 8
    for result in found.values():
        assert (result.status, result.defined, result.pass_) == (status, False, False)
        assert result.error is not None
        assert (result.error.kind, result.error.retryable) == (error, True)
        told = "Give the command that began the run again" in result.reason
        assert told == (error == "timeout")


@pytest.mark.parametrize("policy", ["default", "ragas"])
@pytest.mark.parametrize("via", VIAS)
def test_what_a_server_does_not_take_is_left_out_in_the_next_round(
    tmp_path: Path, via: str, policy: str
) -> None:
    def cold(path: str, body: Body) -> tuple[int, Body]:
        if "temperature" not in body:
            return truthful(path, body)
        message = "Unsupported value: 'temperature' does not support 0.0 with this model."
        error = {"message": message, "type": "invalid_request_error", "param": "temperature"}
        return 400, {"error": error}

    with BatchServer(cold) as server:
        directory = begun(tmp_path, via, server, 5, policy=policy)
        collected(directory)
        assert results(directory) == online(5, via, server, policy=policy)
        assert len(server.batches) == (2 if policy == "default" else 3)
    for result in results(directory).values():
        assert "temperature" in str(result.metadata["warnings"])


def test_lines_that_a_provider_refuses_are_told_and_the_others_are_sent_again(
    tmp_path: Path,
) -> None:
    refused: list[str] = []

    def refuse(lines: Any) -> list[Body]:
        if refused:
            return []
        refused.append(lines[2]["custom_id"])
        return [{"code": "invalid_request", "line": 3, "message": "not so", "param": "body.x"}]

    with BatchServer(refuse=refuse) as server:
        directory = RunDirectory(tmp_path / "run")
        given = judge_of("openai-batch", server)
        standing = submit(open_data_set(cases(5)), directory, "openai-batch", **given)
        assert not standing.finished
        assert any("line 3: invalid_request: not so (body.x)" in text for text in standing.said)
        assert len(server.batches) == 1
        collected(directory)
        found, right = results(directory), online(5, "openai-batch", server)
    assert found.pop("case 3").status == "judge_failed"
    assert found == {name: result for name, result in right.items() if name != "case 3"}


@pytest.mark.parametrize("most", [None, 1])
def test_a_run_that_was_begun_online_does_not_go_on_over_a_batch_api(
    tmp_path: Path, most: int | None
) -> None:
    with BatchServer() as server:
        judge = judge_of("openai-batch", server)
        go_on = partial(run, cases(9), tmp_path / "run", progress=False, concurrency=1, **judge)
        first = go_on(max_tokens=most).counts.finished
        assert 0 < first <= 9
        with pytest.raises(ConfigError, match="was begun without via; keep to it"):
            begun(tmp_path, "openai-batch", server, 9)
        assert go_on().counts.finished == 9


def test_a_file_that_a_provider_refuses_is_sent_again_when_the_run_goes_on(tmp_path: Path) -> None:
    errors = [{"code": "token_limit_exceeded", "line": None, "message": "too much", "param": None}]
    with BatchServer(refuse=lambda _: errors) as server:
        directory = begun(tmp_path, "openai-batch", server, 5)
        standing = collect(directory, api_key="key")
        assert len(server.batches) == 2
        assert any("token_limit_exceeded: too much" in text for text in standing.said)
        errors.clear()
        collected(directory)
        assert len(server.batches) == 3
        assert results(directory) == online(5, "openai-batch", server)


@pytest.mark.parametrize("via", VIAS)
def test_after_a_cancelled_batch_nothing_is_sent_until_somebody_goes_on(
    tmp_path: Path, via: str
) -> None:
    with BatchServer() as server:
        directory = begun(tmp_path, via, server, 5)
        server.batches["batch_1"].cancelled = True
        standing = collect(directory, api_key="key")
        while len(server.batches["batch_1"].files) == 0:
            standing = collect(directory, api_key="key")
        assert not standing.finished
        assert "Nothing more was sent" in standing.said[-1]
        assert len(server.batches) == 1
        collected(directory)
        assert len(server.batches) == 2
        assert results(directory) == online(5, via, server)


@pytest.mark.parametrize("when", ["before", "after", "within"])
@pytest.mark.parametrize("via", VIAS)
def test_a_run_goes_on_after_a_connection_that_broke_at_any_request(
    tmp_path: Path, via: str, when: str
) -> None:
    for at in range(1, 40):
        with BatchServer(looks=0) as server:
            server.break_at = (at, when)
            directory = RunDirectory(tmp_path / f"run {at}")
            for _ in range(20):
                try:
                    given = judge_of(via, server)
                    standing = submit(open_data_set(cases(2)), directory, via, **given)
                except JudgeError as error:
                    assert error.kind == "transport"
                    continue
                if standing.finished:
                    break
            assert standing.finished
            assert set(server.answered.values()) == {1}  # nothing is paid for twice
            assert len(results(directory)) == 2
            assert all(result.status == "graded" for result in results(directory).values())
            if len(server.requests) < at:
                break
    assert at > 3


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
    ],
)
def test_an_answer_of_the_api_that_cannot_be_read_is_told_and_the_run_goes_on(
    tmp_path: Path, via: str, request_: str, odd: Any
) -> None:
    with Odd(request_, (200, odd), looks=0) as server:
        with pytest.raises(JudgeError, match="cannot be read") as caught:
            begun(tmp_path, via, server, 3)
        assert caught.value.fix == "Check base_url."
        collected(RunDirectory(tmp_path / "run"))
        assert results(RunDirectory(tmp_path / "run")) == online(3, via, server)


@pytest.mark.parametrize("via", VIAS)
@pytest.mark.parametrize("counts", [None, {}, NO_NUMBERS])
def test_a_batch_without_counts_is_collected(tmp_path: Path, via: str, counts: Any) -> None:
    with Odd("GET .*/batches/", (200, {"request_counts": counts}), looks=0) as server:
        directory = begun(tmp_path, via, server, 3)
        assert server.told
        assert results(directory) == online(3, via, server)


@pytest.mark.parametrize("via", VIAS)
def test_a_batch_that_is_gone_is_told_with_the_folder_to_remove(tmp_path: Path, via: str) -> None:
    gone = {"error": {"message": "No batch found", "type": "not_found_error"}}
    with Odd("GET .*/batches/", (404, gone), looks=0) as server:
        with pytest.raises(JudgeError, match="No batch found") as caught:
            begun(tmp_path, via, server, 3)
        folder = tmp_path / "run" / "rounds" / "001"
        assert f"remove {folder}" in caught.value.fix
        shutil.rmtree(folder)
        collected(RunDirectory(tmp_path / "run"))
        assert len(server.batches) == 2


@pytest.mark.parametrize("line", [None, 2, "2"])
def test_what_a_provider_says_about_a_refused_file_shows_and_keeps_no_key(
    tmp_path: Path, line: object
) -> None:
    key = "key-0123456789abcdef"
    errors = [{"code": None, "line": line, "message": f"{key} \x1b[31m no", "param": None}]
    with BatchServer(refuse=lambda _: errors) as server:
        directory = RunDirectory(tmp_path / "run")
        given = judge_of("openai-batch", server)
        said = "\n".join(submit(open_data_set(cases(3)), directory, "openai-batch", **given).said)
    where = "line 2: " if line else ""
    assert f"refused the file: {where}[redacted] \\x1b[31m no" in said
    kept = [path.read_bytes() for path in directory.path.rglob("*") if path.is_file()]
    assert key.encode() not in said.encode() + b"".join(kept)


class Killed(BaseException):
    """Ends a run in the middle of what it does with its files."""


def test_a_run_goes_on_after_an_end_before_any_change_of_its_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = [0]

    def count_down() -> None:
        left[0] -= 1
        if left[0] == 0:
            raise Killed

    class Mortal(sqlite3.Connection):
        def execute(self, sql: str, *parameters: Any) -> sqlite3.Cursor:
            if not sql.startswith(("SELECT", "ROLLBACK")):
                count_down()
            return super().execute(sql, *parameters)

    def counted(owner: Any, name: str) -> None:
        real = getattr(owner, name)

        def change(*arguments: Any, **named: Any) -> object:
            count_down()
            return real(*arguments, **named)

        monkeypatch.setattr(owner, name, change)

    counted(Path, "replace")
    counted(shutil, "rmtree")
    monkeypatch.setattr(sqlite3, "connect", partial(sqlite3.connect, factory=Mortal))
    for at in range(1, 60):
        with BatchServer(looks=0) as server:
            directory = RunDirectory(tmp_path / f"run {at}")
            left[0] = at
            for _ in range(9):
                with suppress(Killed):
                    data_set, given = open_data_set(cases(2)), judge_of("openai-batch", server)
                    if submit(data_set, directory, "openai-batch", **given).finished:
                        break
            assert set(server.answered.values()) == {1}
            assert [result.status for result in results(directory).values()] == ["graded"] * 2
            if left[0] > 0:
                break
    assert at > 20


@pytest.mark.parametrize("via", VIAS)
def test_another_machine_collects_with_the_directory_alone(
    tmp_path: Path, via: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = tmp_path / "strict.json"
    policy.write_text(json.dumps({"base": "ragas", "threshold": 0.9}))
    with BatchServer(faults=Faults(0.3)) as server:
        directory = begun(tmp_path, via, server, 10, policy=str(policy))
        right = online(10, via, server, policy=str(policy))
        policy.unlink()
        moved = RunDirectory(tmp_path / "elsewhere")
        shutil.move(directory.path, moved.path)
        variable = f"{via.partition('-')[0].upper()}_API_KEY"
        monkeypatch.setenv(variable, "key-0123456789abcdef")
        while not collect(moved).finished:
            pass
        assert results(moved) == right
    stored = b"".join(path.read_bytes() for path in moved.path.rglob("*") if path.is_file())
    assert b"key-0123456789abcdef" not in stored


def test_a_round_is_split_at_the_limits_of_the_provider(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(OpenAIBatches, "max_lines", 4)
    monkeypatch.setattr(OpenAIBatches, "max_bytes", 9_000)
    with BatchServer(faults=Faults(0.3)) as server:
        directory = begun(tmp_path, "openai-batch", server, 15)
        first = [batch.asks for batch in server.batches.values()]
        assert all(len(asks) <= 4 for asks in first)
        assert sum(map(len, first)) == 15
        sizes = [len(content) for content in server.files.values()]
        assert max(sizes) <= 9_000
        collected(directory)
        assert results(directory) == online(15, "openai-batch", server)


def carried(files: tuple[Path, ...], server: BatchServer, to: Path) -> list[Path]:
    """Answers the files as a program on the command line does: one output for each."""
    outputs = []
    for number, file in enumerate(files):
        lines = [json.loads(line) for line in file.read_bytes().splitlines()]
        answers = [
            {
                "id": "x",
                "custom_id": line["custom_id"],
                "response": {
                    "status_code": 200,
                    "request_id": "y",
                    "body": server.ask(line["url"], line["body"])[1],
                },
                "error": None,
            }
            for line in reversed(lines)
        ]
        outputs.append(to / f"answers {number}.jsonl")
        outputs[-1].write_text("".join(f"{json.dumps(answer)}\n" for answer in answers))
    return outputs


@pytest.mark.parametrize("policy", ["default", "ragas"])
def test_files_can_be_carried_without_a_key_or_a_server(tmp_path: Path, policy: str) -> None:
    directory = RunDirectory(tmp_path / "run")
    data_set = open_data_set(cases(6))
    standing = submit(data_set, directory, FILES, judge="openai:model-1", policy=policy)
    with BatchServer() as server:
        while not standing.finished:
            assert standing.files
            outputs = carried(standing.files, server, tmp_path)
            lines = outputs[0].read_text().splitlines(keepends=True)
            lines = lines if len(lines) == 1 else lines[:-1]  # one is missing, and is asked again
            outputs[0].write_text("".join(lines))
            standing = import_answers(directory, outputs)
        right = online(6, "openai-batch", server, policy=policy)
    assert results(directory) == right
    with pytest.raises(ConfigError, match="finished"):
        import_answers(directory, [])


def test_what_cannot_be_is_said_before_anything_is_sent(tmp_path: Path) -> None:
    directory = RunDirectory(tmp_path / "run")
    data_set = open_data_set(cases(2))
    for via, judge, message in (
        ("openai-batch", "anthropic:m", "does not lead"),
        ("openai-batch", "embedded", "does not lead"),
        ("anthropic-batch", "openai:m", "does not lead"),
        ("gemini-batch", "openai:m", "must be one of"),
    ):
        with pytest.raises(ConfigError, match=message):
            submit(data_set, directory, via, judge=judge, api_key="k")
    with pytest.raises(ConfigError, match="cache"):
        submit(data_set, directory, FILES, judge="openai:m", cache=str(tmp_path))
    with pytest.raises(ConfigError, match="no run over a batch API"):
        collect(directory)
    assert not directory.path.exists()


def test_a_run_keeps_its_rows_and_the_way_on_which_it_began(
    tmp_path: Path,
) -> None:
    directory = RunDirectory(tmp_path / "run")
    given = {"judge": "openai:model-1"}
    for rows in (cases(3), iter(cases(3)), cases(3)):
        assert submit(open_data_set(rows), directory, FILES, **given).files
    for rows in (cases(2), cases(4)[1:]):
        with pytest.raises(ConfigError, match="the input has changed"):
            submit(open_data_set(rows), directory, FILES, **given)
    with pytest.raises(ConfigError, match=r"policy.threshold: was 0.8, is 0.9"):
        submit(open_data_set(cases(3)), directory, FILES, threshold=0.9, **given)
    with pytest.raises(ConfigError, match="this run was begun via files; keep to it"):
        submit(open_data_set(cases(3)), directory, "openai-batch", api_key="key", **given)


def test_a_result_that_was_cut_off_is_written_again(tmp_path: Path) -> None:
    with BatchServer() as server:
        directory = begun(tmp_path, "openai-batch", server, 3)
        collected(directory)
        right = results(directory)
        directory.results.write_bytes(directory.results.read_bytes()[:-30])
        assert len(results(directory)) == 2
        collected(directory)
        assert results(directory) == right
        assert len(server.batches) == 1


def test_a_row_that_cannot_be_read_has_its_result_at_once(tmp_path: Path) -> None:
    directory = RunDirectory(tmp_path / "run")
    rows = [*cases(1), {"id": "b", "answer": "x"}, {"id": "c", "answer": "", "context": "x"}]
    submit(open_data_set(rows), directory, FILES, judge="openai:m")
    statuses = {line.case_id: line.result.status for line in directory.lines()}
    assert statuses == {"b": "invalid_input", "c": "no_statements"}


@pytest.mark.parametrize("via", VIAS)
def test_going_on_with_a_finished_run_asks_again_what_failed(tmp_path: Path, via: str) -> None:
    with BatchServer(faults=Faults(0.5, ["limited", "miskeyed"], until=3)) as server:
        directory = begun(tmp_path, via, server, 20)
        collected(directory)
        failed = {name for name, result in results(directory).items() if not result.defined}
        assert failed
        data_set, given = open_data_set(cases(20)), judge_of(via, server)
        assert not submit(data_set, directory, via, **given).finished
        assert len(results(directory)) == 20 - len(failed)
        collected(directory)
        assert results(directory) == online(20, via, server)
        assert submit(data_set, directory, via, **given).finished


def test_whatever_an_output_contains_nothing_is_credited_without_the_token(
    tmp_path: Path,
) -> None:
    begun = RunDirectory(tmp_path / "begun")
    grader = {"judge": "openai:model-1", "base_url": "http://127.0.0.1:9/v1"}
    files = submit(open_data_set(cases(2)), begun, FILES, **grader).files
    ids = [json.loads(line)["custom_id"] for line in files[0].read_bytes().splitlines()]
    good = '{"verdicts":[{"id":1,"evidence":[1],"label":"supported"}]}'
    body = st.builds(lambda message: {"choices": [{"message": message}]}, JSON) | JSON
    response = st.fixed_dictionaries({"status_code": st.just(200) | JSON, "body": body}) | JSON
    said = st.just({"status_code": 200, "body": completion(good).body})
    line = st.fixed_dictionaries(
        {"custom_id": st.sampled_from(ids) | JSON},
        optional={"response": response | said, "error": JSON},
    )
    texts = st.lists((line | JSON).map(lambda data: json.dumps(data).encode()) | st.binary())

    @examples(40)
    @given(texts)
    def check(lines: list[bytes]) -> None:
        shutil.rmtree(tmp_path / "run", ignore_errors=True)
        shutil.copytree(begun.path, tmp_path / "run")
        output = tmp_path / "output"
        output.write_bytes(b"\n".join(lines))
        directory = RunDirectory(tmp_path / "run")
        try:
            standing = import_answers(directory, [output])
        except ConfigError as error:
            assert "no line of these files answers an ask" in str(error)
            standing = Standing(False, ())
        assert not any(result.defined for result in results(directory).values())
        assert standing.finished == (len(results(directory)) == 2)

    check()


class Done(NamedTuple):
    """How a command ended."""

    returncode: int
    stdout: str
    stderr: str


def command(*arguments: str | Path) -> Done:
    """The command line, in this process."""
    streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2)]
    with (
        redirect_stdout(streams[0]),
        redirect_stderr(streams[1]),
        mock.patch.object(sys, "argv", ["faithfulness-assert", *map(str, arguments)]),
        pytest.raises(SystemExit) as ended,
    ):
        main()
    texts = []
    for stream in streams:
        stream.seek(0)
        texts.append(stream.read())
    assert isinstance(ended.value.code, int)
    return Done(ended.value.code, *texts)


def test_a_run_over_a_batch_api_on_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "key-0123456789abcdef")
    source, run = tmp_path / "cases.jsonl", tmp_path / "run"
    source.write_text("".join(f"{json.dumps(case)}\n" for case in cases(3)))
    with BatchServer(looks=2) as server:
        named = ("--judge", "anthropic:model-1", "-o", f"base_url={server.root}")
        begin = ("batch", source, "--run", run, "--via", "anthropic-batch", *named)
        assert "--max-errors: a batch API" in command(*begin, "--max-errors", "1").stderr
        done = command(*begin)
        assert done.returncode == 4
        assert "use: faithfulness-assert batch --run" in command(*begin[:4], *named).stderr
        assert "3 asks, batch_1: in_progress (0 of 3 done)" in done.stderr
        assert f"batch --run {run}" in done.stderr
        while done.returncode == 4:
            done = command("batch", "--run", run, "--output", tmp_path / "table.csv")
        assert done.returncode == 1, done.stderr
        assert (tmp_path / "table.csv").read_text().count("case ") == 3
        assert "2 passed, 1 failed, 0 not graded" in done.stdout
        assert command(*begin, "--fail-under", "0.8").returncode == 0
        assert len(server.batches) == 1
        other = tmp_path / "other"
        assert command(*begin[:3], other, *begin[4:]).returncode == 4
    done = command("batch", "--run", other)
    assert done.returncode == 3
    assert "no connection to the provider" in done.stderr
    assert "key-0123456789abcdef" not in done.stderr


@pytest.mark.parametrize("share", [0.001, 0.3, 0.9])
def test_a_directory_that_was_copied_in_part_is_told_and_no_row_is_lost(
    tmp_path: Path, share: float
) -> None:
    with BatchServer() as server:
        directory = begun(tmp_path, "openai-batch", server, 30)
        file = directory.path / "rounds" / "run.sqlite"
        whole = file.read_bytes()
        file.write_bytes(whole[: int(share * len(whole))])
        with pytest.raises(ConfigError, match=r"run\.sqlite: cannot be used: .*copy it once more"):
            collected(directory)
        file.write_bytes(whole)
        collected(directory)
        assert results(directory) == online(30, "openai-batch", server)


def test_after_ctrl_c_the_command_that_goes_on_is_told(tmp_path: Path) -> None:
    advance = "faithfulness_assert.batch.provider_batches.rounds.Rounds.advance"
    with BatchServer() as server:
        directory = begun(tmp_path, "openai-batch", server, 2)
        with mock.patch(advance, side_effect=KeyboardInterrupt):
            code, _, told = command("batch", "--run", directory.path)
    assert (code, f"batch --run {directory.path}" in told) == (130, True)


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_neither_requests_nor_files_of_another_round_are_taken_for_answers(
    tmp_path: Path, provider: str
) -> None:
    def refused(number: int, files: Sequence[Path]) -> None:
        with pytest.raises(ConfigError, match=f"these files answers an ask of round {number}"):
            import_answers(directory, files)

    directory = RunDirectory(tmp_path / "run")
    given = {"judge": f"{provider}:m", "policy": "ragas"}
    standing = submit(open_data_set(cases(2)), directory, FILES, **given)
    refused(1, standing.files)
    assert all(file.exists() for file in standing.files)
    if provider == "openai":
        with BatchServer() as server:
            outputs = carried(standing.files, server, tmp_path)
        assert not import_answers(directory, outputs).finished
        refused(2, outputs)
        refused(2, outputs)
    assert not results(directory)


@pytest.mark.parametrize("via", VIAS)
def test_an_ask_that_is_too_long_for_the_model_is_asked_in_parts(tmp_path: Path, via: str) -> None:
    def short(path: str, body: Body) -> tuple[int, Body]:
        size = sum(len(message["content"]) for message in body["messages"]) // 4
        if size <= 1500:
            return truthful(path, body)
        message = f"prompt is too long: {size} tokens > 1500 maximum context length"
        return 400, {"error": {"message": message, "type": "invalid_request_error"}}

    sentences = [f"Shop {n} sells bread and cakes on {n} days of the year." for n in range(400)]
    case = {"id": "a", "answer": f"{sentences[3]} {sentences[390]}", "context": " ".join(sentences)}
    with BatchServer(short) as server:
        directory = RunDirectory(tmp_path / "run")
        submit(open_data_set([case]), directory, via, **judge_of(via, server))
        collected(directory)
    [result] = results(directory).values()
    assert (result.status, result.score) == ("graded", 1.0)


def test_an_error_beside_a_status_is_read_too(tmp_path: Path) -> None:
    """As vLLM's run-batch writes it."""
    directory = RunDirectory(tmp_path / "run")
    [file] = submit(open_data_set(cases(1)), directory, FILES, judge="openai:m").files
    output = tmp_path / "output.jsonl"
    response = {"status_code": 400, "request_id": "vllm-batch-1", "body": None}
    error = {"object": "error", "message": "no such model", "code": 400}
    name = json.loads(file.read_text())["custom_id"]
    output.write_text(json.dumps({"custom_id": name, "response": response, "error": error}))
    assert import_answers(directory, [output]).finished
    [result] = results(directory).values()
    assert result.error is not None
    assert "no such model" in result.error.message


def test_the_benchmark_finds_nothing_lost_and_nothing_credited_to_another(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with BatchServer(faults=Faults(0.3)) as server:
        measure(40, "openai-batch", server.root, RunDirectory(tmp_path / "run"))
    assert (
        "40 cases: 0 lost, 0 twice, 0 wrong, 0 with a verdict of another" in capsys.readouterr().out
    )


def commands_of_the_page(ending: str) -> list[list[str]]:
    """The commands of the block of the page whose last line contains this."""
    page = (ROOT / "docs" / "many-answers.md").read_text(encoding="utf-8")
    found = re.findall(r"^```console\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    [block] = [block for block in found if ending in block.splitlines()[-1]]
    return [shlex.split(line) for line in block.splitlines()]


def test_the_commands_of_the_page_work_as_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("answers.jsonl").write_text("".join(f"{json.dumps(case)}\n" for case in cases(3)))
    with BatchServer() as server:
        monkeypatch.setenv("OPENAI_API_KEY", "key-0123456789abcdef")
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        begin, collect_it = commands_of_the_page("batch --run")
        assert command(*begin[1:]).returncode == 4
        assert "2 passed, 1 failed" in command(*collect_it[1:]).stdout
        export, vllm, bring = commands_of_the_page("--replies")
        done = command(*export[1:])
        assert done.returncode == 4
        assert f"batch --run {bring[3]} --replies FILE..." in done.stderr
        assert done.stdout.split() == [vllm[vllm.index("-i") + 1]]
        [output] = carried((Path(done.stdout.strip()),), server, tmp_path)
        output.rename(vllm[vllm.index("-o") + 1])
        assert "2 passed, 1 failed" in command(*bring[1:]).stdout
