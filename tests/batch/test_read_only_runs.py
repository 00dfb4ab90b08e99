"""A finished run on a disk that may only be read is shown; one that is not finished says why it stops."""

from __future__ import annotations

import errno
import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from batch_server import BatchServer
from command import COMMAND
from loopback import Loopback
from remote import bare_environment
from test_provider_batches import VIAS, begun, cases, collected, command, judge_of
from true_server import answered

from faithfulness_assert import ConfigError
from faithfulness_assert.batch import RunDirectory, run


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    bare_environment(monkeypatch)


def only_read(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """From now on nothing below this folder can be written, as on a read-only disk."""
    opened = os.open

    def guarded(path: Any, flags: int, *more: Any, **named: Any) -> int:
        writes = flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
        if writes and folder in Path(os.fsdecode(path)).absolute().parents:
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), path)
        return opened(path, flags, *more, **named)

    monkeypatch.setattr(os, "open", guarded)


def content(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def begin(tmp_path: Path, *more: str) -> list[str]:
    data = tmp_path / "cases.jsonl"
    data.write_text("".join(f"{json.dumps(case)}\n" for case in cases(6)))
    return ["batch", str(data), "--run", str(tmp_path / "run"), *more]


def test_a_finished_run_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = begin(tmp_path)
    first = command(*words)
    before = content(tmp_path / "run")
    only_read(monkeypatch, tmp_path / "run")
    again = command(*words, "--report", tmp_path / "report.html")
    assert (again.returncode, again.stdout) == (first.returncode, first.stdout)
    for file in ("lock", "summary.json"):
        (tmp_path / "run" / file).unlink(missing_ok=True)
        again = command(*words)
        assert (again.returncode, "6 cases:" in again.stdout) == (first.returncode, True)
        before.pop(tmp_path / "run" / file, None)
    run_ = str(tmp_path / "run")
    assert command("report", run_, "-o", str(tmp_path / "b.html")).returncode == 0
    assert command("compare", run_, run_).returncode == 0
    assert content(tmp_path / "run") == before


def test_a_run_that_was_killed_before_its_end_was_noted_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = begin(tmp_path)
    first = command(*words)
    about = tmp_path / "run" / "run.json"
    about.write_text(json.dumps({**json.loads(about.read_text()), "rows": None}))
    only_read(monkeypatch, tmp_path / "run")
    assert command(*words).stdout.splitlines()[0] == first.stdout.splitlines()[0]


def test_errors_that_would_be_graded_again_stay_as_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Loopback(answered) as server:
        url = server.url
    given: dict[str, Any] = {"judge": "openai:m", "base_url": url, "api_key": "k"}
    data = cases(3)
    first = run(data, tmp_path / "run", progress=False, max_retries=0, max_errors=9, **given)
    only_read(monkeypatch, tmp_path / "run")
    again = run(data, tmp_path / "run", progress=False, max_retries=0, max_errors=9, **given)
    assert again.counts.errors == first.counts.errors


def test_a_run_that_is_not_finished_asks_nothing_and_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Loopback(answered) as server:
        given: dict[str, Any] = {"judge": "openai:m", "base_url": server.url, "api_key": "k"}
        run(cases(3), tmp_path / "run", progress=False, **given)
        asked = len(server.requests)
        only_read(monkeypatch, tmp_path / "run")
        for rows in (5, 3):
            data = tmp_path / "run" / "results.jsonl"
            if rows == 3:
                data.write_bytes(data.read_bytes()[:-9])
            with pytest.raises(ConfigError, match="cannot be written: Read-only file system"):
                run(cases(rows), tmp_path / "run", progress=False, **given)
        assert len(server.requests) == asked


@pytest.mark.parametrize("via", VIAS)
def test_a_finished_run_over_a_batch_api_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, via: str
) -> None:
    with BatchServer() as server:
        directory = begun(tmp_path, via, server, 4)
        collected(directory)
        before = content(directory.path)
        only_read(monkeypatch, directory.path)
        assert collected(RunDirectory(directory.path), 1).finished
        assert begun(tmp_path, via, server, 4)
        key = judge_of(via, server)["api_key"]
        monkeypatch.setenv(f"{via.partition('-')[0].upper()}_API_KEY", key)
        done = command("batch", "--run", directory.path, "--report", tmp_path / "r.html")
        assert (done.returncode, "4 cases:" in done.stdout) == (1, True)
        assert len(server.batches) == 1
    assert content(directory.path) == before


def _can_mount() -> bool:
    if sys.platform != "linux" or not shutil.which("unshare"):
        return False
    return (
        subprocess.run(["unshare", "-rm", "true"], check=False, capture_output=True).returncode == 0
    )


@pytest.mark.skipif(not _can_mount(), reason="needs Linux with user namespaces")
def test_a_finished_run_on_a_disk_that_is_mounted_read_only(tmp_path: Path) -> None:
    words, folder = begin(tmp_path), shlex.quote(str(tmp_path / "run"))
    first = command(*words)
    mount = f"mount --bind {folder} {folder} && mount -o remount,ro,bind {folder}"
    report = ["report", str(tmp_path / "run"), "-o", str(tmp_path / "report.html")]
    shown = shlex.join([*COMMAND, *words])
    script = f"{mount} && ! touch {folder}/x 2>&1 && {shlex.join([*COMMAND, *report])} && {shown}"
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-c", script], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout.endswith(first.stdout)) == (first.returncode, True), done
