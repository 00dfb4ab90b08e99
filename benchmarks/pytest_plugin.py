"""What the pytest plugin adds to a session that does not use it.

    python benchmarks/pytest_plugin.py

Needs the package installed as users install it (``pip install .``), so that pytest finds the plugin
itself. Sessions that find it and sessions from which it is hidden take turns, each in a process of
its own, after one of each that is not counted. Shown are the shortest of both, their difference and
their ratio, for wall time and for the time of the processor; and the same between sessions that are
equal, which is what this machine measures of nothing. Other work makes times longer, never shorter.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from importlib.metadata import entry_points
from pathlib import Path

PAIRS = {"one test": 60, "500 tests": 30}
TESTS = {"one test": 1, "500 tests": 500}
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


def session(folder: str, hidden: str) -> tuple[float, float]:
    """Milliseconds of a session: wall, and user and system."""
    environment = {**os.environ, "PYTEST_ADDOPTS": "", "PYTHONDONTWRITEBYTECODE": ""}
    command = [sys.executable, "-c", DRIVER, hidden]
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, check=True)
    wall, after = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall * 1000, spent * 1000


def shortest(folder: str, pair: tuple[str, str], count: int) -> list[tuple[float, float]]:
    """Wall time and time of the processor of the shortest session of each kind."""
    found: tuple[list[tuple[float, float]], ...] = ([], [])
    for number in range(count + 1):
        for place in (0, 1) if number % 2 else (1, 0):
            times = session(folder, pair[place])
            if number:
                found[place].append(times)
    return [(min(w for w, _ in times), min(s for _, s in times)) for times in found]


def shown(name: str, times: list[tuple[float, float]]) -> str:
    """A line of the result: what the first kind adds to the second."""
    parts = [
        f"{what} {one - two:+6.2f} ms, {one / two:.3f} times {two:.0f} ms"
        for what, one, two in zip(("wall", "processor"), *times, strict=True)
    ]
    return f"{name:26} {';  '.join(parts)}"


def main() -> None:
    """Prints two lines for each kind of session."""
    if not entry_points(group="pytest11", name="faithfulness"):
        raise SystemExit("install the package first: pip install .")
    print(f"aim: at most {AIM_MS} ms added")
    for name, count in PAIRS.items():
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "pytest.ini").write_text("[pytest]\n")
            tests = (f"def test_{number}(): pass" for number in range(TESTS[name]))
            Path(folder, "test_it.py").write_text("\n".join(tests))
            print(shown(name, shortest(folder, (WITH, WITHOUT), count)))
            equal = shortest(folder, (WITHOUT, WITHOUT), count)
            print(shown(f"{name}, nothing added", equal), flush=True)


if __name__ == "__main__":
    main()
