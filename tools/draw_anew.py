"""Tries the properties of all tests with examples that are drawn anew, for so many minutes.

    python tools/draw_anew.py [MINUTES] [TEST FILE ...]      (tox run -e fuzz -- 60)

The test files are run in any order, again and again, one on each core. What fails is shown with the
command that repeats it. hypothesis keeps it in ``.hypothesis/found``, and tries it first next time.
It belongs into its test as an ``@example``.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock

ROOT = Path(__file__).parents[1]
NOTHING_RAN = 5  # how pytest ends where it selects no test


def property_files() -> list[Path]:
    """The test files that have a property."""
    files = sorted((ROOT / "tests").rglob("test_*.py"))
    return [file for file in files if "@given" in file.read_text(encoding="utf-8")]


def rounds(files: Sequence[Path], until: float) -> Iterator[Path]:
    """The files in any order, again and again until that time."""
    while True:
        for file in random.sample(files, len(files)):
            if time.monotonic() > until:
                return
            yield file


def tried(file: Path) -> str:
    """What is wrong with the properties of a file, and how to repeat it; or ""."""
    command = ["-m", "pytest", str(file.relative_to(ROOT)), "-q", "-m", "hypothesis and not e2e"]
    command += ["-n", "0", "--hypothesis-profile=fuzz"]
    done = subprocess.run([sys.executable, *command], cwd=ROOT, capture_output=True, text=True)
    if done.returncode in (0, NOTHING_RAN):
        return ""
    line = " ".join(f"'{part}'" if " " in part else part for part in command)
    return f"{done.stdout}{done.stderr}\nTo repeat it: python {line}\n"


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("minutes", type=float, nargs="?", default=10)
    parser.add_argument("files", type=Path, nargs="*")
    options = parser.parse_args()
    until = time.monotonic() + 60 * options.minutes
    files = [file.resolve() for file in options.files] or property_files()
    turns, lock = rounds(files, until), Lock()

    def work() -> list[str]:
        """What one core finds. Each problem is shown at once."""
        found = []
        while True:
            with lock:
                turn = next(turns, None)
            if turn is None:
                return found
            found.append(tried(turn))
            print(found[-1], end="", flush=True)

    cores = os.cpu_count() or 1
    with ThreadPoolExecutor(cores) as pool:
        found = [one for of_core in pool.map(lambda _: work(), range(cores)) for one in of_core]
    problems = sum(map(bool, found))
    print(f"{len(found)} runs of test files, {problems} of them failed")
    return int(problems > 0)


if __name__ == "__main__":
    sys.exit(main())
