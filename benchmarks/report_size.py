"""Measures reports of many cases: what they take to build, and how large they are.

    python benchmarks/report_size.py [--cases 10000]

A case is an answer of five sentences over three passages of about 100 words, graded by the embedded
judge. No two cases share a passage.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from peers.items import items

from faithfulness_assert.batch import run


def build(folder: Path) -> dict[str, float]:
    """Time and memory of a process that builds the report, and its size."""
    report = folder / "report.html"
    command = [sys.executable, "-m", "faithfulness_assert", "report", str(folder / "run")]
    subprocess.run([*command, "-o", str(report)], check=True)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        "build, CPU s": used.ru_utime + used.ru_stime,
        "memory, MB": used.ru_maxrss / 1024,
        "size, MB": report.stat().st_size / 1e6,
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", type=int, default=10_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        cases = Path(name) / "cases.jsonl"
        with cases.open("w", encoding="utf-8") as file:
            for number, item in enumerate(items(given.cases)):
                case = {"id": f"case {number}", "answer": item.answer, "context": item.contexts}
                file.write(json.dumps({**case, "topic": f"topic {number % 12}"}) + "\n")
        run(cases, Path(name) / "run", progress=False)
        figures = build(Path(name))
    print(f"{given.cases:,} cases")
    for what, value in figures.items():
        print(f"  {what:14} {value:8.2f}")


if __name__ == "__main__":
    main()
