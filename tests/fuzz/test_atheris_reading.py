"""A short run of the fuzz target. Long runs are started by hand (see ``atheris_reading.py``)."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest
from fuzz.reading_checks import check, seeds

SECONDS = 15


@pytest.mark.skipif(
    importlib.util.find_spec("atheris") is None,
    reason="needs atheris (wheels: Linux, x86-64, Python from 3.12)",
)
def test_a_short_coverage_guided_run_finds_no_failure(tmp_path: Path) -> None:
    target = Path(__file__).with_name("atheris_reading.py")
    command = [sys.executable, str(target), str(tmp_path), f"-max_total_time={SECONDS}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=20 * SECONDS)
    found = [
        path.read_bytes()
        for path in tmp_path.iterdir()
        if path.name.startswith(("crash-", "timeout-", "oom-"))
    ]
    assert (done.returncode, found) == (0, []), done.stderr[-3000:]
    assert "Done" in done.stderr


def test_the_seeds_of_fuzzing_pass_all_checks() -> None:
    texts = seeds()
    for text in texts:
        check(text)
    assert len(texts) > 100
