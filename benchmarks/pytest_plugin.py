"""What the pytest plugin adds to a session that does not use it.

    python benchmarks/pytest_plugin.py

Needs valgrind, and the package installed as users install it (``pip install .``), so that pytest
finds the plugin itself. Sessions that find it and sessions from which it is hidden take turns, each
in a process of its own, after one of each that is not counted.

Times of so short a process differ from run to run by more than the plugin adds. So the ratio is
that of the instructions of both, which valgrind counts; the milliseconds are that share of the
shortest session without the plugin, in time of the processor. Beside it is the ratio of the
shortest times.
"""

from __future__ import annotations

import os
import re
import resource
import subprocess
import sys
import tempfile
from importlib.metadata import entry_points
from pathlib import Path

PAIRS = 15
TESTS = (1, 200)
AIM_MS = 10
DRIVER = """
import importlib.metadata, sys
every, hidden = importlib.metadata.distributions, sys.argv.pop(1)
def distributions(**options):
    return (one for one in every(**options) if not one._path.name.startswith(hidden))
importlib.metadata.distributions = distributions
import pytest
raise SystemExit(pytest.main(["-q", "-p", "no:cacheprovider"]))
"""
WITH, WITHOUT = "nothing is hidden", "faithfulness_assert-"
COUNT = ("valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null")


def session(folder: str, hidden: str, *before: str) -> str:
    """Runs a session. Returns what was written to standard error."""
    changed = {"PYTEST_ADDOPTS": "", "PYTHONDONTWRITEBYTECODE": "", "PYTHONHASHSEED": "0"}
    done = subprocess.run(
        [*before, sys.executable, "-c", DRIVER, hidden],
        cwd=folder,
        env={**os.environ, **changed},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        check=True,
    )
    return done.stderr


def instructions(folder: str, hidden: str) -> int:
    """The instructions of a session, as valgrind counts them."""
    found = re.search(r"Collected : (\d+)", session(folder, hidden, *COUNT))
    assert found
    return int(found[1])


def processor_ms(folder: str, hidden: str) -> float:
    """User and system time of a session."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    session(folder, hidden)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000


def measure(folder: str) -> str:
    """What the plugin adds to the tests in a folder."""
    times: dict[str, list[float]] = {WITH: [], WITHOUT: []}
    for number in range(PAIRS + 1):
        for hidden in (WITH, WITHOUT) if number % 2 else (WITHOUT, WITH):
            took = processor_ms(folder, hidden)
            times[hidden] += [took] if number else []
    with_it, least = min(times[WITH]), min(times[WITHOUT])
    ratio = instructions(folder, WITH) / instructions(folder, WITHOUT)
    added = f"{(ratio - 1) * least:.1f} ms added, {ratio:.3f} times {least:.0f} ms"
    return f"{added} (shortest times: {with_it / least:.3f})"


def main() -> None:
    """Prints a line for each number of tests."""
    if not entry_points(group="pytest11", name="faithfulness"):
        raise SystemExit("install the package first: pip install .")
    print(f"aim: at most {AIM_MS} ms added")
    for count in TESTS:
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "pytest.ini").write_text("[pytest]\n")
            tests = (f"def test_{number}(): pass" for number in range(count))
            Path(folder, "test_it.py").write_text("\n".join(tests))
            print(f"{count:3} tests: {measure(folder)}", flush=True)


if __name__ == "__main__":
    main()
