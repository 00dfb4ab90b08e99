"""Whatever is wrong with the lines of a run, a limit never locks it, and nothing is paid twice."""

from __future__ import annotations

import json
import os
import resource
import tracemalloc
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from batch_server import BatchServer
from hypothesis import given
from hypothesis import strategies as st
from loopback import Loopback
from remote import bare_environment
from test_provider_batches import begun, collected, judge_of
from true_server import answered

from faithfulness_assert import ConfigError
from faithfulness_assert.batch import RunDirectory, RunOutcome, run
from faithfulness_assert.batch.budget import Budget, Spent, spent_in
from faithfulness_assert.batch.finished_rows import MAX_ROW, FinishedRows

PRICES = {"prompt": 1_000_000, "completion": 1_000_000}  # so that the cost is the tokens


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    bare_environment(monkeypatch)


def cases(count: int) -> list[dict[str, Any]]:
    texts = (f"The tower {n} is tall." for n in range(1, count + 1))
    return [{"id": f"case {n}", "answer": t, "context": t} for n, t in enumerate(texts, 1)]


def graded(server: Loopback, folder: Path, rows: Any = 6, **more: Any) -> RunOutcome:
    """A run, or one that goes on, with a limit on what it costs."""
    data = folder / "cases.jsonl"
    data.write_text("".join(f"{json.dumps(case)}\n" for case in cases(rows)))
    given: dict[str, Any] = {"max_cost": 10_000_000, **more}
    return run(
        data, folder / "run", judge="openai:m", base_url=server.url, api_key="k", controls="off",
        prices=PRICES, progress=False, **given,
    )  # fmt: skip


def labels(folder: Path) -> dict[str, Any]:
    found = list(RunDirectory(folder / "run").lines())
    assert len({line.row for line in found}) == len(found)
    return {line.case_id: (line.result.score, line.result.verdicts[0].label) for line in found}


def damaged(line: bytes) -> dict[str, bytes]:
    """A line in which something is broken."""
    half = len(line) // 2
    return {
        "head": b"\0" * 20 + line[20:],
        "middle": line[:half] + b"\xff\0\n"[:2] + line[half + 2 :],
        "in two": line[:half] + b"\n" + line[half:],
        "joined": line[:half] + line,
        "no JSON": b"x\n",
        "blank": b"\n",
        "number": b"7\n",
        "deep": b"[" * 100_000 + b"\n",
        "odd cost": line.replace(b'"cost": ', b'"cost": 1e999, "c": '),
        "negative": line.replace(b'"cost": ', b'"cost": -1e9, "c": '),
    }


MOVED = ["head", "in two", "no JSON", "blank", "number", "deep"]
"""Of these, those that are noticed at the head of a line, which is then moved aside."""


@pytest.mark.parametrize(
    ("where", "kind"),
    [*(("results", kind) for kind in MOVED), *(("retried", kind) for kind in damaged(b""))],
)
def test_a_damaged_line_locks_no_run_with_a_limit(tmp_path: Path, where: str, kind: str) -> None:
    """The results are those of a run that nothing disturbed, and only a damaged one is paid again."""
    with Loopback(answered) as server:
        assert graded(server, tmp_path).exit_code == 0
        right, asked = labels(tmp_path), len(server.requests)
        directory = RunDirectory(tmp_path / "run")
        lines = directory.results.read_bytes().splitlines(keepends=True)
        broken = damaged(lines[2])[kind]
        if where == "retried":
            directory.retried.write_bytes(lines[0] + broken + lines[1])
        else:
            directory.results.write_bytes(b"".join([*lines[:2], broken, *lines[3:]]))
        for rows in (6, 7, 7):
            outcome = graded(server, tmp_path, rows)
            assert (outcome.exit_code, outcome.stopped) == (0, "")
        more = 2 if where == "results" else 1  # the new row
        assert len(server.requests) == asked + more
    assert {name: told for name, told in labels(tmp_path).items() if name != "case 7"} == right


def test_what_is_known_of_a_damaged_line_counts_and_the_rest_is_told(tmp_path: Path) -> None:
    with Loopback(answered) as server:
        graded(server, tmp_path)
        directory = RunDirectory(tmp_path / "run")
        lines = directory.results.read_bytes().splitlines(keepends=True)
        costs = [json.loads(line)["cost"] for line in lines]
        directory.retried.write_bytes(b"\0" * 9 + lines[0][9:] + b"gone\n" + lines[1][:-9])
        spent = sum(costs)  # a line that was cut off is among the results
        assert graded(server, tmp_path, max_cost=spent + costs[0] + 1).stopped == ""
        outcome = graded(server, tmp_path, 7, max_cost=spent + costs[0])
    assert f"it has cost {spent + costs[0]:.6g}, and max_cost is" in outcome.stopped
    assert any("what a damaged line of this run cost is unknown" in n for n in outcome.notes)
    assert len(server.requests) == 6


@pytest.mark.skipif(os.name != "posix", reason="limits of a POSIX system")
def test_a_disk_that_was_full_while_lines_were_moved_aside_costs_nothing(tmp_path: Path) -> None:
    with Loopback(answered) as server:
        graded(server, tmp_path, 40)
        directory = RunDirectory(tmp_path / "run")
        lines = directory.results.read_bytes().splitlines(keepends=True)
        lines[::2] = [b"\0" * 9 + line[9:] for line in lines[::2]]
        directory.results.write_bytes(b"".join(lines))
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (sum(map(len, lines)) // 3, hard))
        try:
            for _ in range(2):
                with pytest.raises(ConfigError, match="cannot be written: File too large"):
                    directory.clean(directory.finished())
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert directory.results.read_bytes() == b"".join(lines)
        assert directory.retried.read_bytes() == b""
        spent = sum(spent_in(line).cost or 0 for line in lines)  # type: ignore[union-attr]
        assert graded(server, tmp_path, 40, max_cost=spent * 3).exit_code == 0
    assert len(server.requests) == 60
    assert len(labels(tmp_path)) == 40


@pytest.mark.parametrize("cut", [0, 1, 500])
def test_what_was_moved_when_a_run_was_killed_is_paid_once(tmp_path: Path, cut: int) -> None:
    """The lines stand in both files then, and the last one may be cut off."""
    with Loopback(answered) as server:
        graded(server, tmp_path)
        directory = RunDirectory(tmp_path / "run")
        content = directory.results.read_bytes()
        lines = content.splitlines(keepends=True)
        lines[:3] = [line.replace(b'{"case_id"', b'{"_ase_id"') for line in lines[:3]]
        directory.results.write_bytes(b"".join(lines))
        moved = b"".join(lines[:3])
        directory.retried.write_bytes(moved + moved[: len(moved) - cut])
        spent = sum(json.loads(line)["cost"] for line in lines)
        costs = [json.loads(line)["cost"] for line in lines[:3]]
        assert graded(server, tmp_path, max_cost=spent + sum(costs) + 1).exit_code == 0
        assert graded(server, tmp_path, 7, max_cost=spent + sum(costs) + 1).stopped == ""
    assert len(server.requests) == 10
    assert all(line.endswith(b"}") for line in directory.retried.read_bytes().splitlines())


@given(st.binary() | st.text().map(str.encode))
def test_whatever_a_line_is_its_cost_is_a_number_or_unknown(line: bytes) -> None:
    for text in (
        line,
        b'{"tokens_used": ' + line,
        b'{"tokens_used": {"total": 5}, "cost": ' + line,
    ):
        spent = spent_in(text)
        assert spent is None or (spent.tokens >= 0 and (spent.cost or 0) >= 0)


def test_the_cost_of_a_line_is_not_what_a_text_in_it_says() -> None:
    said = '", "tokens_used": {"total": 9}, "cost": 9, "'
    data = {"case_id": said, "reason": said, "tokens_used": {"total": 5}, "cost": 2.5}
    more = {"columns": {"x": {"tokens_used": {"total": 9}, "cost": 9}}}
    assert spent_in(json.dumps({**data, **more}).encode()) == Spent(5, 2.5)
    assert spent_in(json.dumps({**data, "cost": None}).encode()) == Spent(5, None)
    assert spent_in(json.dumps({"cost": 1}).encode()) is None
    budget = Budget(max_cost=1)
    budget.add_earlier([], [b"x", b"{}"], 0)
    assert (budget.unknown, budget.exceeded()) == (2, "")


# ---------------------------------------------------------------- numbers of rows


def line_of(line: bytes, row: int) -> bytes:
    """A result for another row, of other texts."""
    data = {**json.loads(line), "input": "00000000000000ff"}
    return json.dumps({**data, "row": row, "case_id": f"case {row}"}).encode() + b"\n"


@pytest.mark.parametrize("row", [7, 1000, MAX_ROW, MAX_ROW + 1, 10**30])
@pytest.mark.parametrize("missing", [0, 2])
def test_a_result_for_a_row_beyond_the_input_is_named_before_anything_is_sent(
    tmp_path: Path, row: int, missing: int
) -> None:
    with Loopback(answered) as server:
        graded(server, tmp_path)
        right = labels(tmp_path)
        directory = RunDirectory(tmp_path / "run")
        lines = directory.results.read_bytes().splitlines(keepends=True)
        text = b"".join([*lines[missing:], line_of(lines[0], row)])
        directory.results.write_bytes(text)
        if row <= MAX_ROW:
            with pytest.raises(ConfigError, match=rf"row {row} \(case {row}\) is gone"):
                graded(server, tmp_path)
            assert directory.results.read_bytes() == text
        assert len(server.requests) == 6
        assert graded(server, tmp_path, regrade_changed=True).exit_code == 0
        assert len(server.requests) == 6 + missing
    assert labels(tmp_path) == right


def test_a_run_over_a_batch_api_names_such_a_row_too(tmp_path: Path) -> None:
    with BatchServer() as server:
        directory = begun(tmp_path, "openai-batch", server, 4)
        collected(directory)
        lines = directory.results.read_bytes().splitlines(keepends=True)
        directory.results.write_bytes(b"".join([*lines[1:], line_of(lines[0], 10**9)]))
        with pytest.raises(ConfigError, match="result for row 1000000000, and the run has 4"):
            collected(directory)
        assert len(server.batches) == 1
        directory.results.write_bytes(b"".join(lines))
        collected(directory)
        assert judge_of("openai-batch", server)


@pytest.mark.parametrize("rows", [[10**9], range(1, 10**9, 10**6), range(10_000, 0, -1)])
def test_memory_goes_by_how_many_lines_there_are(rows: Any) -> None:
    head = '{"case_id": "a", "row": %d, "input": "00000000000000ff", "pass": true, "score": 1.0, '
    text = head + '"defined": true, "status": "graded", "x": 1}\n'
    read = partial(FinishedRows.read, retry=False)
    tracemalloc.start()
    try:
        finished = FinishedRows()
        read(finished, ((text % row).encode() for row in rows))
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 100_000 + 2_000 * len(rows)
    assert (finished.count, finished.highest) == (len(rows), max(rows))
    assert all(finished.digest(row) == 255 for row in rows)
    assert not finished.digest(max(rows) + 1)
