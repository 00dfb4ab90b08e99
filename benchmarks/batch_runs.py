"""What a batch run costs beside its judge: memory, time for each row, going on when finished.

    python benchmarks/batch_runs.py [--rows 1000 10000 100000] [--kinds instant embedded]

The judge answers at once (``instant``), or is the embedded one. Each run is a process of its own.
CPU time is user and system time of it; RSS is the most that it had. Other work on the machine makes
wall times longer, and CPU times a little. A decade is the CPU time for each row, divided by that of
a tenth of the rows, without what a run of one row costs.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from faithfulness_assert import Ask, Reply
from faithfulness_assert.batch import run
from faithfulness_assert.records.judge import JudgeInfo

TEXT = "The shop at {number} Main Street opens at nine and closes at five on every working day."


class InstantJudge:
    """Supports every statement."""

    info = JudgeInfo(name="instant", keeps_deadline=True)

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        verdicts = [{"id": n, "evidence": [1], "label": "supported"} for n in ask.ids]
        return Reply(json.dumps({"verdicts": verdicts}), validated=True)


JUDGES: dict[str, dict[str, Any]] = {
    "embedded": {},
    "instant": {"judge": InstantJudge(), "concurrency": 1},
}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, nargs="*", default=[1000, 10_000])
    parser.add_argument("--kinds", nargs="*", choices=JUDGES, default=list(JUDGES))
    parser.add_argument("--part", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.part:
        print(json.dumps(run_part(*given.part)))
        return
    with tempfile.TemporaryDirectory() as folder:
        for kind in given.kinds:
            compare_sizes(Path(folder), kind, given.rows)


def compare_sizes(folder: Path, kind: str, sizes: list[int]) -> None:
    print(f"{kind} judge")
    nothing = part(folder, kind, 1)["cpu"]
    before: tuple[int, float] | None = None
    for rows in sizes:
        first, again = part(folder, kind, rows), part(folder, kind, rows)
        each = (first["cpu"] - nothing) / rows
        decade = "" if before is None else f", decade {each / before[1]:.2f} (from {before[0]:,})"
        print(
            f"{rows:>9,} rows: {first['wall']:7.1f} s, CPU {1e6 * each:5.0f} us a row{decade}; "
            f"RSS {first['rss']:.0f} MB; going on {again['wall']:.2f} s = "
            f"{again['wall'] / first['wall']:.1%}, CPU {again['cpu'] / first['cpu']:.1%}",
            flush=True,
        )
        before = rows, each


def part(folder: Path, kind: str, rows: int) -> dict[str, float]:
    """The figures of a run in a process of its own."""
    write_cases(folder / f"cases-{rows}.jsonl", rows)
    command = [sys.executable, __file__, "--part", str(folder), kind, str(rows)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


def run_part(folder: str, kind: str, rows: str) -> dict[str, float]:
    started = time.perf_counter()
    source = Path(folder) / f"cases-{rows}.jsonl"
    outcome = run(source, Path(folder) / f"run-{kind}-{rows}", progress=False, **JUDGES[kind])
    wall = time.perf_counter() - started
    assert outcome.summary.cases == int(rows)
    assert not outcome.summary.not_graded
    used = resource.getrusage(resource.RUSAGE_SELF)
    return {"wall": wall, "cpu": used.ru_utime + used.ru_stime, "rss": used.ru_maxrss / 1024}


def write_cases(path: Path, rows: int) -> None:
    with path.open("w", encoding="utf-8") as file:
        for number in range(1, rows + 1):
            text = TEXT.format(number=number)
            case = {"id": f"case {number}", "answer": text, "context": [text, "It is a bakery."]}
            file.write(json.dumps(case) + "\n")


if __name__ == "__main__":
    main()
