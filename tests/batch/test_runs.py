"""Runs that go on: nothing is lost, graded twice or mixed, whatever was killed, cut, damaged or full, and each end says what it is."""

from __future__ import annotations

import errno
import json
import os
import random
import shutil
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from batch_server import BatchServer, Body, truthful
from command import here, written
from fakes import USAGE, TruthfulJudge, failing
from hypothesis import given
from hypothesis import strategies as st
from kill_runs import killed_run
from loopback import Answer, Loopback, Request, completion, refusal_to
from processes import eventually
from remote import bare_environment
from rows import results_of
from strategies import examples
from true_server import answered

from faithfulness_assert import Ask, ConfigError, Grader, Reply
from faithfulness_assert.batch import RunOutcome, progress, run
from faithfulness_assert.batch.progress import Counts
from faithfulness_assert.batch.rows import FinishedRows
from faithfulness_assert.drive import breaker
from faithfulness_assert.records.judge import Limits
from faithfulness_assert.records.model import GraderError

SUPPORTED = '{"verdicts":[{"id":1,"evidence":[1],"label":"supported"}]}'
PRICES = {"prompt": 1_000_000, "completion": 1_000_000}  # so that the cost is the tokens
KEY = "key-0123456789abcdef"


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    bare_environment(monkeypatch)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setattr(breaker, "LONGEST_PAUSE", 0.05)


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


def file_of(folder: Path, given: list[Any]) -> Path:
    return written(folder / "cases.jsonl", "".join(f"{json.dumps(case)}\n" for case in given))


def quiet(source: Any, directory: Path, **options: Any) -> RunOutcome:
    return run(source, directory, progress=False, **options)


class Failing(TruthfulJudge):
    """Fails for statements about some towers, as long as it is told to."""

    def __init__(self, towers: set[int], error: str) -> None:
        super().__init__()
        self.towers, self.error = towers, error

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        reply = super().ask(ask)
        if any(int(text.split()[2]) in self.towers for _, text in ask.payload.statements):
            raise failing(self.error)
        return reply

    def taken(self) -> list[int]:
        """The towers that it was asked about since."""
        towers = [int(ask.payload.statements[0][1].split()[2]) for ask in self.asked]
        self.asked.clear()
        return sorted(towers)


# ---------------------------------------------------------------- results


def test_a_run_has_the_results_that_grade_many_gives_with_their_columns(tmp_path: Path) -> None:
    """A row that cannot be read has one that says where and why."""
    path = file_of(tmp_path, cases(20))
    path.write_text(path.read_text() + "{\n")
    outcome = quiet(path, tmp_path / "run")
    given = ({k: v for k, v in case.items() if k != "expected"} for case in cases(20))
    found = results_of(tmp_path / "run")
    for number, result in enumerate(Grader().grade_many(given), 1):
        own = {**result.model_dump(mode="json", by_alias=True), "latency_ms": 0}
        assert {name: found[number][name] for name in own} == own
        assert found[number]["columns"] == {"expected": number}
    assert (found[21]["status"], found[21]["case_id"]) == ("invalid_input", "21")
    assert "line 21: invalid JSON" in found[21]["reason"]
    assert (outcome.counts.passed, outcome.counts.errors, outcome.exit_code) == (14, 1, 3)
    with pytest.raises(ConfigError, match="contains no cases"):
        quiet(file_of(tmp_path, []), tmp_path / "empty")


def test_slow_cases_do_not_hold_up_the_results_of_others(tmp_path: Path) -> None:
    go_on = threading.Event()

    class SlowFirst(TruthfulJudge):
        def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
            if " 1 " in ask.payload.statements[0][1]:
                assert go_on.wait(60)
            return super().ask(ask)

    def watched() -> Iterator[dict[str, Any]]:
        for case in cases(200):
            if case["id"] == "c150":
                go_on.set()
            yield case

    quiet(watched(), tmp_path / "run", judge=SlowFirst(), concurrency=4)
    rows = list(results_of(tmp_path / "run"))
    assert sorted(rows) == list(range(1, 201))
    assert rows.index(1) > 100


def test_a_set_of_texts_is_the_same_row_in_each_process(tmp_path: Path) -> None:
    program = (
        "import sys; from faithfulness_assert.batch import run\n"
        "row = {'answer': 'It is old.', 'context': {'It is old.', 'a', 'b'}, 'tags': {'d', 'e'}}\n"
        "print(run([row], sys.argv[1], progress=False).counts.finished)"
    )
    for seed in ("1", "2"):
        command = [sys.executable, "-c", program, str(tmp_path / "run")]
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        assert (done.stdout, done.stderr) == ("1\n", "")


# ---------------------------------------------------------------- going on


def test_killed_at_random_it_goes_on_to_the_results_of_an_uninterrupted_run(tmp_path: Path) -> None:
    """``tools/kill_runs.py`` does it fifty times."""
    assert killed_run(tmp_path, 200, 3, random.Random())["kills"] == 3


def test_a_finished_run_is_not_graded_again(tmp_path: Path) -> None:
    judge, path = TruthfulJudge(), file_of(tmp_path, cases(5))
    first = quiet(path, tmp_path / "run", judge=judge)
    content = (tmp_path / "run" / "results.jsonl").read_bytes()
    again = quiet(path, tmp_path / "run", judge=judge)
    assert len(judge.asked) == 5
    assert (tmp_path / "run" / "results.jsonl").read_bytes() == content
    assert (first.exit_code, again.exit_code, again.counts.total) == (0, 0, 5)
    assert (again.counts.passed, again.counts.mean) == (first.counts.passed, first.counts.mean)


@pytest.mark.parametrize(
    ("error", "again"),
    [
        *((kind, True) for kind in ("transport", "auth", "rate_limit", "timeout")),
        *((kind, False) for kind in ("refusal", "content_filter")),
    ],
)
def test_what_failed_for_the_server_is_graded_again_and_what_did_not_is_kept(
    tmp_path: Path, error: str, again: bool
) -> None:
    path, directory, judge = file_of(tmp_path, cases(6)), tmp_path / "run", Failing({2, 5}, error)
    assert quiet(path, directory, judge=judge).counts.errors == 2
    kept = results_of(directory)
    judge.taken()
    assert quiet(path, directory, judge=judge, retry_errors=False).exit_code == 3
    assert not judge.taken()
    judge.towers = {5}
    outcome = quiet(path, directory, judge=judge)
    assert judge.taken() == ([2, 5] if again else [])
    assert outcome.counts.errors == (1 if again else 2)
    found = results_of(directory)
    assert {n: found[n] for n in (1, 3, 4, 6)} == {n: kept[n] for n in (1, 3, 4, 6)}


def test_a_run_goes_on_with_the_secret_with_which_it_began(tmp_path: Path) -> None:
    """So another run with it asks the same; and each round over a batch API does."""

    def asked(directory: Path) -> list[str]:
        before, path = len(server.requests), file_of(tmp_path, cases(5))
        quiet(path, directory, judge="openai:m", base_url=server.url)
        return prompts(request.body for request in server.requests[before:])

    def prompts(bodies: Any) -> list[str]:
        """What was asked, without the token that each line of a batch has of its own."""
        said = ("\n".join(str(m["content"]) for m in body["messages"]) for body in bodies)
        return sorted(text.partition("\n\nThe JSON begins with")[0] for text in said)

    with Loopback(answered) as server:
        here = asked(tmp_path / "here")
        for name in ("there", "over a batch API"):
            (tmp_path / name).mkdir()
            shutil.copy(tmp_path / "here" / "secret", tmp_path / name)
        assert asked(tmp_path / "there") == here
        assert set(asked(tmp_path / "other")).isdisjoint(here)
        file = tmp_path / "here" / "results.jsonl"
        written(file, "".join(file.read_text("utf-8").splitlines(keepends=True)[:2]))
        rest = asked(tmp_path / "here")
        assert (len(rest), set(rest) < set(here)) == (3, True)
    sent: list[Body] = []

    def noting(path: str, body: Body) -> tuple[int, Body]:
        sent.append(body)
        busy = 500, {"error": {"message": "busy"}}
        return busy if len(sent) <= 2 else truthful(path, body)

    with BatchServer(noting, looks=0) as batches:
        over_batch_api(tmp_path / "over a batch API", tmp_path / "cases.jsonl", batches)
    assert len(sent) == 7
    assert set(prompts(sent)) == set(here)


def over_batch_api(directory: Path, data: Path, server: BatchServer) -> None:
    """Begins a run over a batch API, and goes on with it until it is finished."""
    given = ("--via", "openai-batch", "--judge", "openai:m", "-o", f"base_url={server.url}")
    done = here("batch", data, "--run", directory, *given)
    while done.returncode == 4:
        done = here("batch", "--run", directory)
    assert done.returncode == 1, done.stderr


# ---------------------------------------------------------------- what changed


def test_other_settings_are_named_and_refused(tmp_path: Path) -> None:
    path, about = file_of(tmp_path, cases(3)), tmp_path / "run" / "run.json"
    quiet(path, tmp_path / "run")
    content = (tmp_path / "run" / "results.jsonl").read_bytes()
    for options, said in (
        ({"threshold": 0.5}, r"policy.threshold: was 0.8, is 0.5"),
        ({"policy": {"name": "mine"}}, r'policy.name: was "default", is "mine"'),
        ({"guidance": "Be strict."}, r'policy.guidance: was "", is "Be strict."'),
        ({"language": "pt"}, r'Changed: options.language: was "en", is "pt"\. Use'),
        ({"judge": TruthfulJudge()}, r'judge.name: was "embedded", is "truthful"'),
    ):
        with pytest.raises(ConfigError, match=said):
            quiet(path, tmp_path / "run", **options)
    assert quiet(path, tmp_path / "run", deadline=5, prices={"prompt": 1}).exit_code == 1
    told = about.read_text()
    for name in ("version", "prompts"):
        about.write_text(json.dumps({**json.loads(told), name: "other"}))
        with pytest.raises(ConfigError, match=rf'Changed: {name}: was "other", is'):
            quiet(path, tmp_path / "run")
    assert (tmp_path / "run" / "results.jsonl").read_bytes() == content
    quiet(path, tmp_path / "object", judge=TruthfulJudge(limits=Limits(statements=5)))
    with pytest.raises(ConfigError, match=r"judge.max_statements: was 5, is 3\. Use"):
        quiet(path, tmp_path / "object", judge=TruthfulJudge(limits=Limits(statements=3)))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('{"format": 2}', r"made by a newer version .*install that version"),
        ("{", r"run\.json: cannot be read: it is damaged"),
        ("[]", "is not the run.json of a run"),
        ("{}", "is not the run.json of a run"),
        (None, "has results.jsonl, but no run.json"),
    ],
)
def test_a_run_that_cannot_be_understood_is_refused(
    tmp_path: Path, content: str | None, said: str
) -> None:
    quiet(cases(2), tmp_path)
    written(tmp_path / "run.json", content) if content else (tmp_path / "run.json").unlink()
    with pytest.raises(ConfigError, match=said):
        quiet(cases(2), tmp_path)


# ---------------------------------------------------------------- damaged files


def hostile(count: int) -> list[dict[str, Any]]:
    """Cases whose ids and columns look like parts of a line of results."""
    said = (
        '", "row": 9, "input": "0000000000000001", "tokens_used": {"total": 9}, "cost": 9, "\ud800'
    )
    return [{**case, "id": f"{case['id']}{said}", "expected": said} for case in cases(count)]


@examples(40)
@given(data=st.data())
def test_whatever_became_of_its_lines_a_run_goes_on_to_the_same_results(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """What is whole is kept, and only the rest is paid for again."""
    folder = tmp_path_factory.mktemp("run")
    quiet(hostile(6), folder, judge=TruthfulJudge())
    right, file = results_of(folder), folder / "results.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    kinds = ["whole", "windows", "cut", "doubled", "noise", "moved", "gone"]
    made, lost = [], 0
    for line in data.draw(st.permutations(lines)):
        kind, half = data.draw(st.sampled_from(kinds)), len(line) // 2
        forms = {
            "whole": line,
            "windows": line[:-1] + b"\r\n",
            "cut": line[:half] + b"\n",
            "doubled": line + line,
            "noise": b"\0" * 20 + line[20:],
            "moved": line + data.draw(st.binary(max_size=9)).replace(b"\n", b"") + b"\n",
            "gone": b"",
        }
        made.append(forms[kind])
        lost += kind in ("cut", "noise", "gone")
    end = data.draw(st.binary(max_size=20)).replace(b"\n", b"")  # a write that was cut off
    file.write_bytes(b"".join(made) + end)
    judge = TruthfulJudge()
    outcome = quiet(hostile(6), folder, judge=judge)
    assert (results_of(folder), outcome.exit_code, outcome.stopped) == (right, 0, "")
    assert len(judge.asked) == lost


def test_a_line_that_is_damaged_behind_its_head_is_named(tmp_path: Path) -> None:
    quiet(cases(3), tmp_path)
    file = tmp_path / "results.jsonl"
    lines = file.read_text().splitlines(keepends=True)
    file.write_text(lines[0] + lines[1].replace('"counts"', "counts"))
    with pytest.raises(
        ConfigError, match=r"results.jsonl, line 2: cannot be read.*remove the line"
    ):
        results_of(tmp_path)


DAMAGED: dict[str, Callable[[bytes], bytes]] = {
    "head": lambda line: b"\0" * 20 + line[20:],
    "in two": lambda line: line[: len(line) // 2] + b"\n" + line[len(line) // 2 :],
    "blank": lambda line: b"\n",
    "deep": lambda line: b"[" * 100_000 + b"\n",
    "odd cost": lambda line: line.replace(b'"cost": ', b'"cost": 1e999, "c": '),
    "negative": lambda line: line.replace(b'"cost": ', b'"cost": -1e9, "c": '),
}
"""The first four are noticed at the head of a line, which is then moved aside."""


def limited(folder: Path, judge: Any, rows: int = 6, **more: Any) -> RunOutcome:
    """A run, or one that goes on, with a limit on what it costs."""
    given = {"max_cost": 10_000_000, "prices": PRICES, "concurrency": 1, **more}
    return quiet(hostile(rows), folder, judge=judge, **given)


@pytest.mark.parametrize(
    ("where", "kind"),
    [*(("results", kind) for kind in list(DAMAGED)[:4]), *(("retried", kind) for kind in DAMAGED)],
)
def test_a_damaged_line_locks_no_run_with_a_limit(tmp_path: Path, where: str, kind: str) -> None:
    judge = TruthfulJudge()
    assert limited(tmp_path, judge).exit_code == 0
    right, file = results_of(tmp_path), tmp_path / "results.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    broken = DAMAGED[kind](lines[2])
    if where == "retried":
        (tmp_path / "retried.jsonl").write_bytes(lines[0] + broken + lines[1])
    else:
        file.write_bytes(b"".join([*lines[:2], broken, *lines[3:]]))
    for rows in (6, 7, 7):
        outcome = limited(tmp_path, judge, rows)
        assert (outcome.exit_code, outcome.stopped) == (0, "")
    assert len(judge.asked) == (8 if where == "results" else 7)
    found = results_of(tmp_path)
    assert (found.pop(7)["status"], found) == ("graded", right)


def test_what_is_known_of_a_damaged_line_counts_and_the_rest_is_told(tmp_path: Path) -> None:
    judge, each = TruthfulJudge(), USAGE.total
    limited(tmp_path, judge)
    lines = (tmp_path / "results.jsonl").read_bytes().splitlines(keepends=True)
    moved = b"\0" * 9 + lines[0][9:] + b"gone\n" + lines[1][:-9]  # this one is among the results
    (tmp_path / "retried.jsonl").write_bytes(moved)
    assert limited(tmp_path, judge, max_cost=7 * each + 1).stopped == ""
    outcome = limited(tmp_path, judge, 7, max_cost=7 * each)
    assert f"it has cost {7 * each}, and max_cost is" in outcome.stopped
    assert any("what a damaged line of this run cost is unknown" in n for n in outcome.notes)
    assert len(judge.asked) == 6


@pytest.mark.parametrize("cut", [0, 1, 500])
def test_what_was_moved_when_a_run_was_killed_is_paid_once(tmp_path: Path, cut: int) -> None:
    """The lines stand in both files then, and the last one may be cut off."""
    judge, each = TruthfulJudge(), USAGE.total
    limited(tmp_path, judge)
    file = tmp_path / "results.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    lines[:3] = [line.replace(b'{"case_id"', b'{"_ase_id"') for line in lines[:3]]
    file.write_bytes(b"".join(lines))
    moved = b"".join(lines[:3])
    (tmp_path / "retried.jsonl").write_bytes(moved + moved[: len(moved) - cut])
    assert limited(tmp_path, judge, max_cost=9 * each + 1).exit_code == 0
    assert limited(tmp_path, judge, 7, max_cost=9 * each + 1).stopped == ""
    assert len(judge.asked) == 10


@pytest.mark.parametrize("row", [7, 10**9, 10**9 + 1, 10**30])
@pytest.mark.parametrize("missing", [0, 2])
def test_a_result_for_a_row_beyond_the_input_is_named_before_anything_is_sent(
    tmp_path: Path, row: int, missing: int
) -> None:
    """Above a thousand million it is no number of a row, and the line is damaged."""
    judge, file = TruthfulJudge(), tmp_path / "results.jsonl"
    quiet(cases(6), tmp_path, judge=judge)
    right = results_of(tmp_path)
    lines = file.read_bytes().splitlines(keepends=True)
    other = {**json.loads(lines[0]), "input": "00000000000000ff", "row": row, "case_id": f"x {row}"}
    text = b"".join([*lines[missing:], json.dumps(other).encode() + b"\n"])
    file.write_bytes(text)
    if row <= 10**9:
        with pytest.raises(ConfigError, match=rf"row {row} \(x {row}\) is gone"):
            quiet(cases(6), tmp_path, judge=judge)
        assert (file.read_bytes(), len(judge.asked)) == (text, 6)
    assert quiet(cases(6), tmp_path, judge=judge, regrade_changed=True).exit_code == 0
    assert (len(judge.asked), results_of(tmp_path)) == (6 + missing, right)


def test_a_run_over_a_batch_api_names_such_a_row_too(tmp_path: Path) -> None:
    with BatchServer(looks=0) as server:
        over_batch_api(tmp_path / "run", file_of(tmp_path, cases(4)), server)
        file = tmp_path / "run" / "results.jsonl"
        lines = file.read_bytes().splitlines(keepends=True)
        file.write_bytes(
            b"".join([*lines[1:], lines[0].replace(b'"row": 1,', b'"row": 1000000000,')])
        )
        done = here("batch", "--run", tmp_path / "run")
        assert "result for row 1000000000, and the run has 4" in " ".join(done.stderr.split())
        assert len(server.batches) == 1


# ---------------------------------------------------------------- limits


def test_a_run_stops_at_its_limit_and_goes_on_with_a_larger_one(tmp_path: Path) -> None:
    judge, path = TruthfulJudge(), file_of(tmp_path, cases(40))
    limits = {"prices": PRICES, "concurrency": 1}
    for name, most in (("max_run_tokens", 600), ("max_cost", 601)):
        directory = tmp_path / name
        one = quiet(path, directory, judge=judge, **{name: most}, **limits)
        assert f"and {name} is {most}" in one.stopped
        assert one.exit_code == 3
        asked = len(judge.asked)
        assert 5 <= asked <= 9  # 120 tokens each, and those that were under way
        assert (
            quiet(path, directory, judge=judge, **{name: most}, **limits).counts.finished == asked
        )
        assert len(judge.asked) == asked
        assert quiet(path, directory, judge=judge, **{name: 10**6}, **limits).exit_code == 0
        assert len(judge.asked) == 40
        judge.asked.clear()


@pytest.mark.parametrize("concurrency", [1, 8])
@pytest.mark.parametrize("less", [0, 1, 100])
def test_a_limit_that_the_last_rows_use_up_stops_nothing(
    tmp_path: Path, concurrency: int, less: int
) -> None:
    path, most = file_of(tmp_path, cases(6)), 6 * USAGE.total - less
    for _ in range(2):
        given: dict[str, Any] = {"max_run_tokens": most, "concurrency": concurrency}
        outcome = quiet(path, tmp_path / "run", judge=TruthfulJudge(), **given)
        assert (outcome.counts.finished, outcome.stopped, outcome.exit_code) == (6, "", 0)


def test_what_a_limit_needs_and_takes_is_said_before_anything_is_sent(tmp_path: Path) -> None:
    for options, said in (
        ({"max_run_tokens": -1}, "max_tokens: must be"),
        ({"max_run_tokens": 1.5}, "max_tokens: must be"),
        ({"max_cost": "5"}, "max_cost: must be"),
        ({"max_errors": True}, "max_errors: must be"),
        ({"concurrency": 0}, "concurrency: must be a whole number from 1 to 1,000"),
        ({"concurrency": 2.5}, "concurrency: must be a whole number from 1 to 1,000"),
        ({"max_cost": 1, "judge": "openai:m"}, "max_cost: needs the option prices"),
    ):
        with pytest.raises(ConfigError, match=said):
            quiet(cases(1), tmp_path / "run", **options)
    judge = TruthfulJudge()
    quiet(cases(2), tmp_path / "run", judge=judge)
    outcome = quiet(cases(4), tmp_path / "run", judge=judge, prices=PRICES, max_cost=9999)
    assert "graded without the option prices have an unknown cost" in outcome.stopped


@pytest.mark.parametrize("most", [0, 3])
def test_more_errors_than_allowed_stop_a_run(tmp_path: Path, most: int) -> None:
    judge = Failing(set(range(10, 1000)), "refusal")
    outcome = quiet(cases(300), tmp_path, judge=judge, max_errors=most, concurrency=1)
    counted = "1 case could" if most == 0 else f"{most + 1} cases could"
    assert f"{counted} not be graded, and max_errors is {most}" in outcome.stopped
    assert outcome.counts.errors < 10


def test_a_summary_that_a_kill_left_behind_is_not_told(tmp_path: Path) -> None:
    judge, summary = Failing(set(range(5)), "auth"), tmp_path / "summary.json"
    quiet(cases(20), tmp_path, judge=judge)
    left_behind = summary.read_bytes()
    judge.towers = set()
    right = quiet(cases(20), tmp_path, judge=judge)
    told = json.loads(summary.read_bytes())
    for before in (left_behind, b"", b"{"):
        summary.write_bytes(before)
        again = quiet(cases(20), tmp_path, judge=judge)
        assert again.text.split("\n")[0] == right.text.split("\n")[0]
        assert json.loads(summary.read_bytes()) == {**told, "seconds": None, "text": again.text}


# ---------------------------------------------------------------- disks and other processes


@pytest.mark.parametrize("last", [3, 5])
def test_a_full_disk_stops_a_run_that_goes_on_when_there_is_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, last: int
) -> None:
    left, write = iter(range(100)), os.write

    def full(file: int, content: bytes) -> int:
        if next(left) == last:
            write(file, content[:100])
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(file, content)

    monkeypatch.setattr(os, "write", full)
    outcome = quiet(cases(9), tmp_path)
    monkeypatch.undo()
    assert "results.jsonl cannot be written: No space left on device" in outcome.stopped
    assert outcome.exit_code == 3
    assert sorted(results_of(tmp_path)) == list(range(1, last + 1))
    assert quiet(cases(9), tmp_path).stopped == ""
    assert sorted(results_of(tmp_path)) == list(range(1, 10))


@pytest.mark.skipif(os.name != "posix", reason="limits of a POSIX system")
def test_a_disk_that_was_full_while_lines_were_moved_aside_costs_nothing(tmp_path: Path) -> None:
    import resource

    judge, file = TruthfulJudge(), tmp_path / "results.jsonl"
    quiet(cases(40), tmp_path, judge=judge)
    lines = file.read_bytes().splitlines(keepends=True)
    lines[::2] = [b"\0" * 9 + line[9:] for line in lines[::2]]
    file.write_bytes(b"".join(lines))
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (sum(map(len, lines)) // 3, hard))
    try:
        for _ in range(2):
            with pytest.raises(ConfigError, match="cannot be written: File too large"):
                quiet(cases(40), tmp_path, judge=judge)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert (file.read_bytes(), len(judge.asked)) == (b"".join(lines), 40)
    assert quiet(cases(40), tmp_path, judge=judge).exit_code == 0
    assert (len(judge.asked), len(results_of(tmp_path))) == (60, 40)


def only_read(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """From now on nothing below this folder can be written, as on a read-only disk."""
    opened = os.open

    def guarded(path: Any, flags: int, *more: Any, **named: Any) -> int:
        writes = flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
        if writes and folder in Path(os.fsdecode(path)).absolute().parents:
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), path)
        return opened(path, flags, *more, **named)

    monkeypatch.setattr(os, "open", guarded)


@pytest.mark.parametrize("over", ["here", "a batch API"])
def test_a_finished_run_on_a_disk_that_may_only_be_read_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, over: str
) -> None:
    """Also if it was killed before its end was noted."""
    data, path = file_of(tmp_path, cases(6)), tmp_path / "run"
    words: tuple[Any, ...] = ("batch", data, "--run", path)
    if over == "here":
        here(*words)
    else:
        with BatchServer(looks=0) as server:
            over_batch_api(path, data, server)
        words = ("batch", "--run", path)
    about = path / "run.json"
    written(about, json.dumps({**json.loads(about.read_text()), "rows": None}))
    before = {file: file.read_bytes() for file in path.rglob("*") if file.is_file()}
    only_read(monkeypatch, path)
    again = here(*words, "--report", tmp_path / "report.html")
    assert (again.returncode, "6 cases: 4 passed" in again.stdout) == (1, True), again.stderr
    assert here("report", path, "-o", tmp_path / "b.html").returncode == 0
    assert here("compare", path, path).returncode == 0
    assert {file: file.read_bytes() for file in path.rglob("*") if file.is_file()} == before


def test_a_run_that_is_not_finished_asks_nothing_there_and_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Errors that would be graded again stay as they are."""
    judge, directory = Failing({2}, "auth"), tmp_path / "run"
    first = quiet(cases(3), directory, judge=judge)
    only_read(monkeypatch, directory)
    assert quiet(cases(3), directory, judge=judge).counts.errors == first.counts.errors == 1
    for rows in (5, 3):
        if rows == 3:
            file = directory / "results.jsonl"
            file.write_bytes(file.read_bytes()[:-9])
        with pytest.raises(ConfigError, match="cannot be written: Read-only file system"):
            quiet(cases(rows), directory, judge=judge)
    assert len(judge.asked) == 3


def test_a_directory_that_cannot_be_written_is_named_with_the_reason(tmp_path: Path) -> None:
    with pytest.raises(
        ConfigError, match="file: cannot be written: it is not a folder; use another"
    ):
        quiet(cases(1), written(tmp_path / "file", "x"))


def test_a_second_process_on_a_run_is_refused_until_the_first_has_ended(tmp_path: Path) -> None:
    code = f"""
        import sys
        from faithfulness_assert.batch import run
        def rows():
            yield {{"answer": "x", "context": "x"}}
            print("graded", flush=True)
            sys.stdin.read()
        run(rows(), {str(tmp_path / "run")!r}, progress=False)
    """
    command = [sys.executable, "-c", textwrap.dedent(code)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"graded\n"
        with pytest.raises(ConfigError, match="another process works on this run"):
            quiet([{"answer": "x", "context": "x"}], tmp_path / "run")
        other.kill()
    assert quiet([{"answer": "x", "context": "x"}], tmp_path / "run").counts.finished == 1


# ---------------------------------------------------------------- a server


def remote(server: Loopback) -> dict[str, Any]:
    return {"judge": "openai:m", "base_url": server.url, "max_retries": 0, "controls": "off"}


def test_a_server_that_is_down_for_a_while_costs_no_case(tmp_path: Path) -> None:
    down = range(20, 35)  # requests

    def answer(request: Request) -> Answer:
        if request.number in down:
            return refusal_to(503, "down for maintenance")
        return completion(SUPPORTED, usage={"prompt_tokens": 10, "completion_tokens": 5})

    with Loopback(answer) as server:
        outcome = quiet(cases(80), tmp_path / "run", **remote(server))
    assert (outcome.counts.errors, outcome.counts.passed) == (0, 80)
    asked = sum(
        line["tokens_used"]["num_requests"] for line in results_of(tmp_path / "run").values()
    )
    assert asked == len(server.requests) >= down.stop


def test_an_ask_that_fails_while_others_are_answered_is_given_up(tmp_path: Path) -> None:
    def answer(request: Request) -> Answer:
        if "tower 7 " in json.dumps(request.body):
            return refusal_to(500, "it is this prompt")
        return completion(SUPPORTED)

    with Loopback(answer) as server:
        outcome = quiet(cases(200), tmp_path / "run", concurrency=2, **remote(server))
    assert outcome.counts.errors == 1
    assert len(server.requests) <= 199 + 20  # how often it is tried again depends on the machine


def test_no_key_gets_into_the_files_of_a_run(tmp_path: Path) -> None:
    with Loopback(completion(SUPPORTED)) as server:
        options = remote(server)
        options["base_url"] = server.url.replace("//", "//user:secret-password@")
        assert quiet(cases(2), tmp_path / "run", api_key="sk-secret-01", **options).exit_code == 0
    for file in (tmp_path / "run").iterdir():
        assert b"secret-" not in file.read_bytes()


# ---------------------------------------------------------------- progress


def test_the_line_of_progress_has_rate_spend_counts_time_left_and_what_goes_wrong() -> None:
    counts = Counts(FinishedRows(), 4000)
    counts.before.count, counts.before.passed = 200, 150
    counts.now.cases, counts.now.passed, counts.now.not_graded, counts.now.cost = 1000, 850, 50, 1.2
    counts.now.tokens["prompt"] = 81_000
    counts.started -= 100
    told = "1,200 of 4,000 | 10.0/s | 1,000 passed, 150 failed, 50 not graded | 81,000 tokens | cost 1.2"
    assert str(counts) == f"{told} | 4:40 left"
    counts.now.errors.add(GraderError("auth", "HTTP 401: no"))
    assert str(counts) == f"{told} | 4:40 left | last error (auth): HTTP 401: no"
    counts.trouble = lambda: "the last 9 asks failed: no connection"
    assert str(counts) == f"{told} | the last 9 asks failed: no connection"


def test_progress_is_shown_also_while_no_result_comes_and_all_rows_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "LINE_SECONDS", 0.01)
    said: list[bool] = []

    class Patient(TruthfulJudge):
        def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
            if not said:
                said.append(eventually(lambda: "0 of 30 | " in capfd.readouterr().err))
            return super().ask(ask)

    outcome = run(file_of(tmp_path, cases(30)), tmp_path / "run", judge=Patient(), concurrency=1)
    assert said == [True]
    assert (outcome.counts.total, outcome.counts.ended) == (30, True)
    assert "faithfulness-progress" not in {thread.name for thread in threading.enumerate()}
