"""The files of a run: nothing that was written is lost, whatever was cut, damaged or full."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faithfulness_assert import ConfigError, Grader
from faithfulness_assert.batch.finished_rows import comes_again, head_of
from faithfulness_assert.batch.row_grading import grade_rows
from faithfulness_assert.batch.rows import Line, Row
from faithfulness_assert.batch.run_directory import FORMAT, RunDirectory
from faithfulness_assert.records.model import GraderError

HOSTILE = st.text(max_size=20) | st.sampled_from(
    ['", "row": 9, "input": "0000000000000001"', "\\", '\\"', "\n", "\ud800", "\u2028"]
)
ANSWERS = ("It rains.", "It snows.", "", "What?")
GRADER = Grader()


def graded(*rows: Row) -> list[Line]:
    return list(grade_rows(rows, GRADER, concurrency=1))


def rows_of(count: int) -> list[Row]:
    return [
        Row(n, f"case {n}", {"answer": f"It rains {n}.", "context": "It rains 2."})
        for n in range(1, count + 1)
    ]


LINES = graded(*rows_of(6))
TEXTS = [line.to_json() for line in LINES]


def with_error(line: Line, kind: str, *, retryable: bool) -> Line:
    from dataclasses import replace

    error = GraderError(kind, "it failed", retryable)  # type: ignore[arg-type]
    return line._replace(
        result=replace(
            line.result, pass_=False, defined=False, score=0.0, status="judge_failed", error=error
        )
    )


def written(directory: Path, content: bytes) -> RunDirectory:
    run = RunDirectory(directory)
    directory.mkdir(parents=True, exist_ok=True)
    run.results.write_bytes(content)
    run.retried.unlink(missing_ok=True)
    return run


def appended(run: RunDirectory, *texts: str) -> None:
    with run.appending() as append:
        for text in texts:
            append(text)


# ---------------------------------------------------------------- heads


@given(
    case_id=HOSTILE,
    number=st.integers(1, 10**6),
    answer=st.sampled_from(ANSWERS) | HOSTILE,
    column=HOSTILE,
)
def test_the_head_of_a_line_says_what_the_whole_line_says(
    case_id: str, number: int, answer: str, column: str
) -> None:
    row = Row(number, case_id, {"answer": answer, "context": "It rains."}, {"note": column})
    (line,) = graded(row)
    head = head_of(line.to_json().encode("utf-8", "backslashreplace") + b"\n")
    result = line.result
    assert head is not None
    assert (head.row, head.input, head.passed) == (number, int(line.input, 16), result.pass_)
    assert head.score == (result.score if result.defined else None)
    assert (head.error is None) == (result.error is None)


@given(
    st.binary(max_size=60)
    | st.sampled_from(
        [
            b"{}",
            b"[]",
            b"null",
            b'{"row": NaN}',
            b'{"case_id": 1, "row": 0, "input": "1", "pass": true, "score": 1, "defined": true, "error": null}',
        ]
    )
)
def test_any_other_bytes_are_no_line(content: bytes) -> None:
    assert head_of(content + b"\n") is None


def test_errors_of_the_server_and_those_that_may_go_away_come_again() -> None:
    again = [("transport", False), ("auth", False), ("rate_limit", False), ("unreadable", True)]
    never = [("refusal", False), ("content_filter", False), ("truncated", False), ("input", False)]
    for kind, retryable in (*again, *never):
        line = with_error(LINES[0], kind, retryable=retryable)
        head = head_of(line.to_json().encode() + b"\n")
        assert head is not None
        assert comes_again(head.error) is ((kind, retryable) in again)


# ---------------------------------------------------------------- cut and damaged files


@given(data=st.data(), order=st.permutations(range(len(TEXTS))))
def test_of_a_file_that_was_cut_anywhere_each_whole_line_is_kept(
    data: st.DataObject, order: list[int], tmp_path_factory: pytest.TempPathFactory
) -> None:
    texts = [TEXTS[place] for place in order]
    content = "".join(f"{text}\n" for text in texts).encode()
    cut = data.draw(st.integers(0, len(content)))
    run = written(tmp_path_factory.getbasetemp() / "cut", content[:cut])
    whole = content[:cut].count(b"\n")
    rows = run.finished()
    kept = [LINES[place] for place in order[:whole]]
    assert rows.count == whole
    assert {n for n in range(10) if rows.digest(n)} == {line.row for line in kept}
    assert all(rows.digest(line.row) == int(line.input, 16) for line in kept)
    assert rows.highest == max((line.row for line in kept), default=0)
    run.clean(rows)
    appended(run, *texts[whole:])
    assert run.results.read_bytes() == content
    assert list(run.lines()) == [LINES[place] for place in order]


@given(
    kinds=st.lists(
        st.sampled_from(["whole", "again", "final", "damaged", "doubled"]), min_size=1, max_size=6
    )
)
def test_damaged_and_doubled_lines_and_those_that_come_again_are_moved_aside(
    kinds: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    forms: dict[str, Any] = {
        "whole": lambda line: line.to_json(),
        "again": lambda line: with_error(line, "server", retryable=True).to_json(),
        "final": lambda line: with_error(line, "refusal", retryable=False).to_json(),
        "damaged": lambda line: line.to_json()[5:] + "\0\0",
        "doubled": lambda line: f"{line.to_json()}\n{line.to_json()}",
    }
    texts = [forms[kind](line) for kind, line in zip(kinds, LINES, strict=False)]
    run = written(
        tmp_path_factory.getbasetemp() / "aside", "".join(f"{text}\n" for text in texts).encode()
    )
    rows = run.finished(retry=True)
    run.clean(rows)
    kept = [
        line.row
        for kind, line in zip(kinds, LINES, strict=False)
        if kind not in ("again", "damaged")
    ]
    assert [line.row for line in run.lines()] == kept
    assert rows.count == len(kept)
    assert rows.again == kinds.count("again")
    assert rows.damaged == kinds.count("damaged") + kinds.count("doubled")
    aside = run.retried.read_bytes().count(b"\n") if run.retried.exists() else 0
    assert aside == rows.again + rows.damaged
    again = run.finished(retry=True)
    assert (again.count, len(again.aside)) == (len(kept), 0)


def test_a_line_that_is_damaged_behind_its_head_is_named(tmp_path: Path) -> None:
    damaged = TEXTS[1].replace('"counts"', "counts")
    run = written(tmp_path, f"{TEXTS[0]}\n{damaged}\n".encode())
    with pytest.raises(
        ConfigError, match=r"results.jsonl, line 2: cannot be read: .*remove the line"
    ):
        list(run.lines())


# ---------------------------------------------------------------- full and read-only disks


def test_a_directory_that_cannot_be_written_is_named_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with (
        pytest.raises(
            ConfigError, match=r"file: cannot be written: it is not a folder; use another name"
        ),
        RunDirectory(tmp_path / "file").locked(),
    ):
        pass
    with pytest.raises(ConfigError, match=r"run: cannot be written: No such file"):
        RunDirectory(tmp_path / "run").write_about({})


@pytest.mark.skipif(os.name != "posix", reason="permissions of a POSIX system")
def test_a_read_only_directory_is_named_with_the_reason(tmp_path: Path) -> None:
    code = f"""
        import os
        from faithfulness_assert import ConfigError
        from faithfulness_assert.batch.run_directory import RunDirectory
        import filelock
        if os.geteuid() == 0:
            os.setuid(65534)  # root may write everywhere
        try:
            with RunDirectory({str(tmp_path / "run")!r}).locked():
                pass
        except ConfigError as error:
            print(error)
    """
    for folder in (tmp_path, *tmp_path.parents[:-2]):
        folder.chmod(0o755)
    tmp_path.chmod(0o555)
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=False
    )
    tmp_path.chmod(0o755)
    assert "cannot be written: Permission denied" in done.stdout, done.stderr


# ---------------------------------------------------------------- who may work on it


def test_a_second_process_on_a_run_is_refused_until_the_first_has_ended(tmp_path: Path) -> None:
    run = tmp_path / "run"
    code = f"""
        import sys
        from faithfulness_assert.batch.run_directory import RunDirectory
        with RunDirectory({str(run)!r}).locked():
            print("locked", flush=True)
            sys.stdin.read()
    """
    command = [sys.executable, "-c", textwrap.dedent(code)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"locked\n"
        with (
            pytest.raises(ConfigError, match="another process works on this run"),
            RunDirectory(run).locked(),
        ):
            pass
        other.kill()
    with RunDirectory(run).locked():
        pass


# ---------------------------------------------------------------- run.json


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (json.dumps({"format": FORMAT + 1}), r"made by a newer version .*install that version"),
        ("{", r"run\.json: cannot be read: it is damaged"),
        ("", r"run\.json: cannot be read: it is damaged"),
        ("[]", "is not the run.json of a run"),
        ("{}", "is not the run.json of a run"),
    ],
)
def test_a_run_that_cannot_be_understood_is_refused(
    tmp_path: Path, content: str, said: str
) -> None:
    (tmp_path / "run.json").write_text(content)
    with pytest.raises(ConfigError, match=said):
        RunDirectory(tmp_path).about()


def test_lines_that_git_ended_as_windows_does_are_results(tmp_path: Path) -> None:
    content = "".join(f"{text}\r\n" for text in TEXTS).encode()
    rows = written(tmp_path, content).finished()
    assert (rows.count, rows.damaged) == (len(TEXTS), 0)


def test_results_without_run_json_are_refused(tmp_path: Path) -> None:
    run = written(tmp_path, TEXTS[0].encode() + b"\n")
    with pytest.raises(ConfigError, match=r"has results.jsonl, but no run.json"):
        run.about()
