"""What a batch run costs beside its judge: memory, time for each row, going on when finished.

    python benchmarks/batch_runs.py [--rows 1000 10000 100000] [--kinds instant embedded remote]

- ``instant``: a judge that answers at once, in one process.
- ``embedded``: the embedded judge, on all cores.
- ``remote``: 5,000 cases against the loopback judge of ``throughput.py``, 200 ms, concurrency 64.

Each run is a process of its own. CPU time is user and system time of it and its processes; RSS is
the most that one of them had. Other work on the machine makes wall times longer, and CPU times a
little. A decade is the CPU time for each row, divided by that of a tenth of the rows, without what
a run of one row costs.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from faithfulness_assert import Ask, Reply
from faithfulness_assert.records.judge import JudgeInfo

TEXT = "The shop at {number} Main Street opens at nine and closes at five on every working day."
CASES, LATENCY, CONCURRENCY = 5000, 200, 64


class InstantJudge:
    """Supports every statement."""

    info = JudgeInfo(name="instant", keeps_deadline=True)

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        verdicts = [{"id": n, "evidence": [1], "label": "supported"} for n in ask.ids]
        return Reply(json.dumps({"verdicts": verdicts}), validated=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, nargs="*", default=[1000, 10_000])
    parser.add_argument("--kinds", nargs="*", default=["instant", "embedded", "remote"])
    parser.add_argument("--part", nargs=4, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.part:
        print(json.dumps(run_part(*given.part)))
        return
    folder = Path(tempfile.mkdtemp())
    try:
        for kind in given.kinds:
            if kind == "remote":
                compare_with_limit(folder)
            else:
                compare_sizes(folder, kind, given.rows)
    finally:
        shutil.rmtree(folder)


def compare_sizes(folder: Path, kind: str, sizes: list[int]) -> None:
    print(f"{kind} judge, {len(os.sched_getaffinity(0))} cores")
    write_cases(folder / "cases-1.jsonl", 1)
    nothing = part(folder, kind, 1)["cpu"]
    before: tuple[int, float] | None = None
    for rows in sizes:
        write_cases(folder / f"cases-{rows}.jsonl", rows)
        first, again = part(folder, kind, rows), part(folder, kind, rows)
        each = (first["cpu"] - nothing) / rows
        decade = "" if before is None else f", decade {each / before[1]:.2f} (from {before[0]:,})"
        print(
            f"{rows:>9,} rows: {first['wall']:7.1f} s, CPU {1e6 * each:5.0f} us a row{decade}; "
            f"RSS {first['rss']:.0f} MB, of processes {first['child_rss']:.0f} MB; going on "
            f"{again['wall']:.2f} s = {again['wall'] / first['wall']:.1%}, CPU "
            f"{again['cpu'] / first['cpu']:.1%}, RSS {again['rss']:.0f} MB",
            flush=True,
        )
        before = rows, each


def compare_with_limit(folder: Path) -> None:
    judge = subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name("throughput.py")), "--serve"],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert judge.stdout is not None
    port = judge.stdout.readline().strip()
    try:
        write_items(folder / f"cases-{CASES}.jsonl", CASES)
        done = part(folder, port, CASES)
    finally:
        judge.kill()
        judge.wait()
    limit = CASES * LATENCY / 1000 / CONCURRENCY
    print(
        f"{CASES:,} cases, {LATENCY} ms, concurrency {CONCURRENCY}: {done['wall']:.1f} s, limit "
        f"{limit:.1f} s: {limit / done['wall']:.0%} of it; CPU {1000 * done['cpu'] / CASES:.2f} ms "
        f"a case = {done['cpu'] / limit:.2f} x the limit"
    )


def part(folder: Path, kind: str, rows: int) -> dict[str, float]:
    command = [
        sys.executable,
        __file__,
        "--part",
        str(folder),
        kind,
        str(rows),
        f"run-{kind}-{rows}",
    ]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


def run_part(folder: str, kind: str, rows: str, name: str) -> dict[str, float]:
    from faithfulness_assert.batch import run

    options: dict[str, Any] = {
        "embedded": {},
        "instant": {"judge": InstantJudge(), "concurrency": 1},
    }
    remote: dict[str, Any] = {
        "judge": "openai:gpt-4o-mini",
        "api_key": "none",
        "concurrency": CONCURRENCY,
    }
    remote["base_url"] = f"http://127.0.0.1:{kind}/v1"
    started = time.perf_counter()
    source = Path(folder) / f"cases-{rows}.jsonl"
    outcome = run(source, Path(folder) / name, progress=False, **options.get(kind, remote))
    wall = time.perf_counter() - started
    assert outcome.counts.finished == int(rows)
    assert not outcome.counts.errors
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    cpu = sum(usage.ru_utime + usage.ru_stime for usage in used)
    rss, child_rss = (usage.ru_maxrss / 1024 for usage in used)
    return {"wall": wall, "cpu": cpu, "rss": rss, "child_rss": child_rss}


def write_cases(path: Path, rows: int) -> None:
    with path.open("w", encoding="utf-8") as file:
        for number in range(1, rows + 1):
            text = TEXT.format(number=number)
            case = {"id": f"case {number}", "answer": text, "context": [text, "It is a bakery."]}
            file.write(json.dumps(case) + "\n")


def write_items(path: Path, rows: int) -> None:
    import throughput

    with path.open("w", encoding="utf-8") as file:
        for number in range(rows):
            file.write(json.dumps(throughput.as_case(throughput.item(number))) + "\n")


if __name__ == "__main__":
    main()
