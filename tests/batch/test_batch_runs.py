"""Runs that go on: nothing is lost, nothing is graded twice, nothing is mixed, and each end says what it is."""

from __future__ import annotations

import errno
import io
import json
import os
import random
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fakes import TruthfulJudge, failing
from kill_runs import killed_run
from loopback import Answer, Loopback, Request, completion, refusal_to
from processes import eventually
from remote import bare_environment

from faithfulness_assert import Ask, ConfigError, Grader, Reply
from faithfulness_assert.batch import RunDirectory, RunOutcome, progress, run
from faithfulness_assert.batch.data_sets import open_data_set
from faithfulness_assert.batch.finished_rows import FinishedRows
from faithfulness_assert.batch.progress import Counts
from faithfulness_assert.batch.rows import Line
from faithfulness_assert.batch.summary import Summary
from faithfulness_assert.drive import outage
from faithfulness_assert.records.judge import Limits

SUPPORTED = '{"verdicts":[{"id":1,"evidence":[1],"label":"supported"}]}'


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    bare_environment(monkeypatch)


def cases(count: int) -> list[dict[str, Any]]:
    return [
        {
            "id": f"c{n}",
            "answer": f"The tower {n} is tall.",
            "context": f"The tower {n} is tall." if n % 3 else "It rains.",
            "expected": n,
        }
        for n in range(1, count + 1)
    ]


def file_of(tmp_path: Path, *given: Any, name: str = "cases.jsonl") -> Path:
    path = tmp_path / name
    path.write_text("".join(f"{json.dumps(case)}\n" for case in given), encoding="utf-8")
    return path


def quiet(source: Any, directory: Path, **options: Any) -> RunOutcome:
    return run(source, directory, progress=False, **options)


def lines(directory: Path) -> dict[int, Line]:
    found = list(RunDirectory(directory).lines())
    by_row = {line.row: line for line in found}
    assert len(by_row) == len(found), "a row has two results"
    return by_row


def without_time(line: Line) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(line.to_json())
    del data["latency_ms"]
    return data


class Failing(TruthfulJudge):
    """Fails for statements about some towers, as long as it is told to."""

    def __init__(self, towers: set[int], error: Callable[[], Exception]) -> None:
        super().__init__()
        self.towers, self.error = towers, error

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        reply = super().ask(ask)
        if any(int(text.split()[2]) in self.towers for _, text in ask.payload.statements):
            raise self.error()
        return reply

    def towers_asked(self) -> list[int]:
        return [int(ask.payload.statements[0][1].split()[2]) for ask in self.asked]


# ---------------------------------------------------------------- results


def test_a_run_has_the_results_that_grade_many_gives_with_their_columns(tmp_path: Path) -> None:
    given = cases(20)
    outcome = quiet(file_of(tmp_path, *given), tmp_path / "run")
    found = lines(tmp_path / "run")
    expected = list(
        Grader().grade_many({k: v for k, v in case.items() if k != "expected"} for case in given)
    )
    assert [without_time(Line("", 0, "", {}, found[n].result)) for n in range(1, 21)] == [
        without_time(Line("", 0, "", {}, result)) for result in expected
    ]
    assert [found[n].columns for n in range(1, 21)] == [{"expected": n} for n in range(1, 21)]
    assert (outcome.counts.finished, outcome.counts.passed, outcome.exit_code) == (20, 14, 1)
    assert outcome.counts.mean == pytest.approx(sum(r.score for r in expected) / 20)


def test_a_row_that_cannot_be_read_is_a_result_that_says_where_and_why(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text(json.dumps(cases(1)[0]) + "\n{\n")
    outcome = quiet(path, tmp_path / "run")
    result = lines(tmp_path / "run")[2].result
    assert (result.status, result.case_id) == ("invalid_input", "2")
    assert "line 2: invalid JSON" in (result.reason or "")
    assert outcome.exit_code == 3


def test_a_data_set_without_cases_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="contains no cases"):
        quiet(file_of(tmp_path), tmp_path / "run")


def test_slow_cases_do_not_hold_up_the_results_of_others(tmp_path: Path) -> None:
    written = threading.Event()

    class SlowFirst(TruthfulJudge):
        def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
            if " 1 " in ask.payload.statements[0][1]:
                assert written.wait(60)
            return super().ask(ask)

    def watched() -> Iterator[dict[str, Any]]:
        for case in cases(200):
            if case["id"] == "c150":
                written.set()
            yield case

    quiet(watched(), tmp_path / "run", judge=SlowFirst(), concurrency=4)
    rows = list(lines(tmp_path / "run"))
    assert sorted(rows) == list(range(1, 201))
    assert rows.index(1) > 100


# ---------------------------------------------------------------- going on


def test_killed_at_random_it_goes_on_to_the_results_of_an_uninterrupted_run(tmp_path: Path) -> None:
    """``tools/kill_runs.py`` does it fifty times."""
    assert killed_run(tmp_path, 200, 4, random.Random())["kills"] == 4


def test_a_finished_run_is_not_graded_again(tmp_path: Path) -> None:
    judge, path = TruthfulJudge(), file_of(tmp_path, *cases(5))
    first = quiet(path, tmp_path / "run", judge=judge)
    content = (tmp_path / "run" / "results.jsonl").read_bytes()
    again = quiet(path, tmp_path / "run", judge=judge)
    assert len(judge.asked) == 5
    assert (tmp_path / "run" / "results.jsonl").read_bytes() == content
    assert (first.exit_code, again.exit_code, again.counts.total) == (0, 0, 5)
    assert again.counts.passed == first.counts.passed
    assert again.counts.mean == pytest.approx(first.counts.mean)


def test_what_failed_for_the_server_is_graded_again_and_what_did_not_is_kept(
    tmp_path: Path,
) -> None:
    path = file_of(tmp_path, *cases(6))
    judge = Failing({2, 5}, lambda: failing("auth"))
    assert quiet(path, tmp_path / "run", judge=judge).counts.errors == 2
    kept = lines(tmp_path / "run")
    judge.asked.clear()
    assert quiet(path, tmp_path / "run", judge=judge, retry_errors=False).exit_code == 3
    assert not judge.asked
    judge.towers = {5}
    judge.error = lambda: failing("refusal")
    assert quiet(path, tmp_path / "run", judge=judge).counts.errors == 1
    assert sorted(judge.towers_asked()) == [2, 5]
    judge.asked.clear()
    outcome = quiet(path, tmp_path / "run", judge=judge)
    assert not judge.asked  # a refusal would come again
    assert (outcome.counts.errors, outcome.counts.passed) == (1, 5)
    found = lines(tmp_path / "run")
    assert {n: found[n] for n in (1, 3, 4, 6)} == {n: kept[n] for n in (1, 3, 4, 6)}
    moved = map(Line.of_json, RunDirectory(tmp_path / "run").raw_lines(retried=True))
    assert sorted(line.row for line in moved) == [2, 5]  # asked at once, they end in any order


def test_an_iterator_that_cannot_be_read_again_is_gone_on_with_from_a_new_one(
    tmp_path: Path,
) -> None:
    judge = TruthfulJudge()
    quiet(iter(cases(3)), tmp_path / "run", judge=judge)
    outcome = quiet(iter(cases(5)), tmp_path / "run", judge=judge)
    assert (len(judge.asked), outcome.counts.finished) == (5, 5)


# ---------------------------------------------------------------- what changed


def test_other_settings_are_named_and_refused(tmp_path: Path) -> None:
    path = file_of(tmp_path, *cases(3))
    quiet(path, tmp_path / "run")
    content = (tmp_path / "run" / "results.jsonl").read_bytes()
    changes: list[tuple[dict[str, Any], str]] = [
        ({"threshold": 0.5}, r"policy.threshold: was 0.8, is 0.5"),
        ({"policy": {"name": "mine"}}, r'policy.name: was "default", is "mine"'),
        ({"guidance": "Be strict."}, r'policy.guidance: was "", is "Be strict."'),
        ({"language": "pt"}, r'Changed: options.language: was "en", is "pt"\. Use'),
        ({"judge": TruthfulJudge()}, r'judge.name: was "embedded", is "truthful"'),
    ]
    for options, said in changes:
        with pytest.raises(ConfigError, match=said):
            quiet(path, tmp_path / "run", **options)
    assert (tmp_path / "run" / "results.jsonl").read_bytes() == content
    assert quiet(path, tmp_path / "run", deadline=5, prices={"prompt": 1}).exit_code == 1


def test_a_run_goes_on_with_the_limits_of_its_judge_also_if_that_is_an_object(
    tmp_path: Path,
) -> None:
    path = file_of(tmp_path, *cases(3))
    quiet(path, tmp_path / "run", judge=TruthfulJudge(limits=Limits(statements=5)))
    with pytest.raises(ConfigError, match=r"judge.max_statements: was 5, is 3\. Use"):
        quiet(path, tmp_path / "run", judge=TruthfulJudge(limits=Limits(statements=3)))


@pytest.mark.parametrize("key", ["version", "prompts"])
def test_another_version_or_other_prompts_are_named_and_refused(tmp_path: Path, key: str) -> None:
    path = file_of(tmp_path, *cases(3))
    quiet(path, tmp_path / "run")
    file = tmp_path / "run" / "run.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), key: "other"}))
    with pytest.raises(ConfigError, match=rf'Changed: {key}: was "other", is'):
        quiet(path, tmp_path / "run")


@pytest.mark.parametrize("as_file", [True, False])
def test_a_changed_input_is_refused_with_the_row_that_changed(
    tmp_path: Path, as_file: bool
) -> None:
    def source(given: list[Any]) -> Any:
        return file_of(tmp_path, *given) if as_file else given

    given = cases(4)
    quiet(source(given), tmp_path / "run")
    changed = [*given[:2], {**given[2], "answer": "Other."}, given[3]]
    with pytest.raises(ConfigError, match=r"row 3 \(c3\) has another answer\. Nothing was graded"):
        quiet(source(changed), tmp_path / "run")
    with pytest.raises(ConfigError, match=r"row 3 \(c3\) is gone; row 4 \(c4\) is gone"):
        quiet(source(given[:2]), tmp_path / "run")
    assert len(lines(tmp_path / "run")) == 4
    assert quiet(source(given), tmp_path / "run").counts.finished == 4


# ---------------------------------------------------------------- stops


def test_a_budget_stops_a_run_that_goes_on_with_a_larger_one(tmp_path: Path) -> None:
    judge, path = TruthfulJudge(), file_of(tmp_path, *cases(40))
    one = quiet(path, tmp_path / "run", judge=judge, max_tokens=600, concurrency=1)
    assert "600 tokens" in one.stopped
    assert one.exit_code == 3
    assert 5 <= len(judge.asked) <= 9  # 120 tokens each, and those that were under way
    asked = len(judge.asked)
    assert quiet(path, tmp_path / "run", judge=judge, max_tokens=600).counts.finished == asked
    assert len(judge.asked) == asked
    assert quiet(path, tmp_path / "run", judge=judge, max_tokens=10**6).exit_code == 0
    assert len(judge.asked) == 40


@pytest.mark.parametrize("concurrency", [1, 8])
@pytest.mark.parametrize("less", [0, 1, 100])
def test_a_budget_that_the_last_rows_use_up_stops_nothing(
    tmp_path: Path, concurrency: int, less: int
) -> None:
    path = file_of(tmp_path, *cases(6))
    used = quiet(path, tmp_path / "whole", judge=TruthfulJudge()).counts.now.tokens
    most = used["prompt"] + used["completion"] - less
    for _ in range(2):
        run = quiet(
            path, tmp_path / "run", judge=TruthfulJudge(), max_tokens=most, concurrency=concurrency
        )
        assert (run.counts.finished, run.stopped, run.exit_code) == (6, "", 0)


def test_a_summary_that_a_kill_left_behind_is_not_told(tmp_path: Path) -> None:
    judge, directory = Failing(set(range(5)), lambda: failing("auth")), tmp_path / "run"
    first = quiet(cases(20), directory, judge=judge)
    assert first.counts.errors
    left_behind = (directory / "summary.json").read_bytes()
    judge.towers = set()
    right = quiet(cases(20), directory, judge=judge)
    assert right.counts.errors == 0
    told = json.loads((directory / "summary.json").read_bytes())
    for before in (left_behind, b"", b"{"):
        (directory / "summary.json").write_bytes(before)
        again = quiet(cases(20), directory, judge=judge)
        assert again.text.split("\n")[0] == right.text.split("\n")[0]
        assert json.loads((directory / "summary.json").read_bytes()) == {
            **told,
            "seconds": None,
            "text": again.text,
        }


def test_a_set_of_texts_is_the_same_row_in_each_process(tmp_path: Path) -> None:
    program = (
        "import sys; from faithfulness_assert.batch import run\n"
        "row = {'answer': 'It is old.', 'context': {'It is old.', 'a', 'b'}, 'tags': {'d', 'e'}}\n"
        "print(run([row], sys.argv[1], progress=False).counts.finished)"
    )
    for seed in ("1", "2", "3"):
        done = subprocess.run(
            [sys.executable, "-c", program, str(tmp_path / "run")],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
        )
        assert (done.stdout, done.stderr) == ("1\n", "")


@pytest.mark.parametrize("concurrency", [0, -3, 1001, 2.5])
def test_a_concurrency_that_cannot_be_is_refused(tmp_path: Path, concurrency: Any) -> None:
    with pytest.raises(ConfigError, match="concurrency: must be a whole number from 1 to 1,000"):
        quiet(cases(1), tmp_path / "run", concurrency=concurrency)


def test_a_limit_on_a_cost_that_will_be_unknown_is_refused_before_anything_is_sent(
    tmp_path: Path,
) -> None:
    with pytest.raises(ConfigError, match="max_cost: needs the option prices"):
        quiet(cases(1), tmp_path / "run", judge="openai:m", api_key="k", max_cost=1)


def test_more_errors_than_allowed_stop_a_run(tmp_path: Path) -> None:
    judge = Failing(set(range(10, 1000)), lambda: failing("refusal"))
    outcome = quiet(cases(300), tmp_path / "run", judge=judge, max_errors=3, concurrency=1)
    assert "max_errors is 3" in outcome.stopped
    assert outcome.counts.errors < 10


def test_a_judge_that_only_fails_stops_a_run_and_says_why(tmp_path: Path) -> None:
    judge = Failing(set(range(1000)), lambda: failing("auth"))
    outcome = quiet(cases(500), tmp_path / "run", judge=judge, concurrency=2)
    assert "no case could be graded" in outcome.stopped
    assert "it failed (auth)" in outcome.stopped
    assert not outcome.stopped.endswith(".")  # a sentence is made of it
    assert outcome.counts.finished < 70
    judge.towers = set()
    assert quiet(cases(500), tmp_path / "run", judge=judge).exit_code == 0


def test_a_full_disk_stops_a_run_that_goes_on_when_there_is_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writes = iter(range(100))
    write = os.write

    def full(file: int, content: bytes) -> int:
        if next(writes) == 5:
            write(file, content[:100])
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(file, content)

    monkeypatch.setattr(os, "write", full)
    outcome = quiet(cases(9), tmp_path / "run")
    monkeypatch.undo()
    assert "results.jsonl cannot be written: No space left on device" in outcome.stopped
    assert outcome.exit_code == 3
    assert sorted(lines(tmp_path / "run")) == [1, 2, 3, 4, 5]
    assert quiet(cases(9), tmp_path / "run").stopped == ""
    assert sorted(lines(tmp_path / "run")) == list(range(1, 10))


# ---------------------------------------------------------------- a server that is down


def remote(server: Loopback) -> dict[str, Any]:
    return {
        "judge": "openai:m",
        "base_url": server.url,
        "api_key": "sk-secret-0123456789",
        "max_retries": 0,
        "controls": "off",
    }


def test_a_server_that_is_down_for_a_while_costs_no_case(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outage, "LONGEST_PAUSE", 0.05)
    down = range(20, 35)  # requests

    def answer(request: Request) -> Answer:
        if request.number in down:
            return refusal_to(503, "down for maintenance")
        return completion(SUPPORTED, usage={"prompt_tokens": 10, "completion_tokens": 5})

    with Loopback(answer) as server:
        outcome = quiet(cases(80), tmp_path / "run", **remote(server))
    assert (outcome.counts.errors, outcome.counts.passed) == (0, 80)
    assert len(server.requests) >= down.stop
    found = lines(tmp_path / "run").values()
    assert sum(line.result.tokens_used.num_requests for line in found) == len(server.requests)


def test_an_ask_that_fails_while_others_are_answered_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outage, "LONGEST_PAUSE", 0.05)

    def answer(request: Request) -> Answer:
        if "tower 7 " in json.dumps(request.body):
            return refusal_to(500, "it is this prompt")
        return completion(SUPPORTED)

    with Loopback(answer) as server:
        outcome = quiet(cases(200), tmp_path / "run", concurrency=2, **remote(server))
    assert outcome.counts.errors == 1
    assert len(server.requests) <= 199 + 4


def test_a_server_that_never_answered_fails_at_once(tmp_path: Path) -> None:
    outcome = quiet(
        cases(3),
        tmp_path / "run",
        judge="openai:m",
        base_url="http://127.0.0.1:9/v1",
        api_key="k",
        max_retries=0,
    )
    assert outcome.counts.errors == 3


def test_no_key_gets_into_the_files_of_a_run(tmp_path: Path) -> None:
    with Loopback(completion(SUPPORTED)) as server:
        options = remote(server)
        options["base_url"] = server.url.replace("//", "//user:secret-password@")
        assert quiet(cases(2), tmp_path / "run", **options).exit_code == 0
    for file in (tmp_path / "run").iterdir():
        content = file.read_bytes()
        assert b"secret" not in content


# ---------------------------------------------------------------- progress


def test_the_line_of_progress_has_rate_spend_counts_and_time_left() -> None:
    before, now = FinishedRows(), Summary()
    before.count, before.passed = 200, 150
    now.cases, now.passed, now.not_graded, now.cost = 1000, 850, 50, 1.25
    now.tokens["prompt"] = 81_000
    counts = Counts(before, 4000, now)
    counts.started -= 100
    assert str(counts) == (
        "1,200 of 4,000 | 10.0/s | 1,000 passed, 150 failed, 50 not graded | 81,000 tokens | cost 1.25 | 4:40 left"
    )
    assert str(Counts(before)).startswith("200 | ")


def test_lines_come_also_while_no_result_does(monkeypatch: pytest.MonkeyPatch) -> None:
    text = io.StringIO()
    monkeypatch.setattr(sys, "stderr", text)
    monkeypatch.setattr(progress, "LINE_SECONDS", 0.01)
    with progress.shown(Counts(FinishedRows(), 9), wanted=True):
        assert eventually(lambda: text.getvalue().count("0 of 9 | ") > 1)
    assert "faithfulness-progress" not in {thread.name for thread in threading.enumerate()}


def test_the_rows_are_counted_while_they_are_graded_so_that_the_time_left_is_known(
    tmp_path: Path,
) -> None:
    totals = []

    class Patient(TruthfulJudge):
        def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
            if " 5 " in ask.payload.statements[0][1]:
                totals.append(eventually(lambda: counted))
            return super().ask(ask)

    counted: list[int] = []
    data_set = open_data_set(file_of(tmp_path, *cases(30)))
    read = data_set.numbers

    def numbers() -> Iterator[int]:
        yield from read()
        counted.append(1)

    data_set.numbers = numbers  # type: ignore[method-assign]
    outcome = run(data_set, tmp_path / "run", judge=Patient(), concurrency=1)
    assert totals == [True]
    assert (outcome.counts.total, outcome.counts.ended) == (30, True)
