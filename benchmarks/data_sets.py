"""Measures how data sets are read and results are written: CPU per row, and memory.

    python benchmarks/data_sets.py [ROWS ...]      # default: 10000 100000 1000000

Each format and number of rows is a process of its own, so that its memory is its own. Memory must
not grow with the file; the CPU per row must stay about the same.
`.parquet` needs pyarrow.
"""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

ROWS = (10_000, 100_000, 1_000_000)
FORMATS = (".jsonl", ".csv", ".parquet")
SENTENCE = "The shop at the corner opens at nine and closes at six, except on Sunday."


def records(rows: int) -> Iterator[dict[str, Any]]:
    """Records of about 600 bytes with ids that nothing compresses."""
    for number in range(rows):
        context = [f"{SENTENCE} {number}", SENTENCE * 4]
        yield {"id": f"case-{number:x}", "answer": SENTENCE, "context": context, "expected": "x"}


def write(file: Path, rows: int) -> None:
    """Writes a data set."""
    if file.suffix == ".parquet":
        import pyarrow as pa
        from pyarrow.parquet import write_table

        write_table(pa.Table.from_pylist(list(records(rows))), file, row_group_size=10_000)
        return
    with file.open("w", encoding="utf-8", newline="") as text:
        if file.suffix == ".csv":
            writer = csv.DictWriter(text, ["id", "answer", "context", "expected"])
            writer.writeheader()
            for record in records(rows):
                writer.writerow({**record, "context": json.dumps(record["context"])})
        else:
            text.writelines(json.dumps(record) + "\n" for record in records(rows))


def measure(file: Path) -> None:
    """In a process of its own: reads all rows, and prints what that cost."""
    from faithfulness_assert.cases.sources import open_data_set

    start = time.process_time()
    count = sum(1 for _ in open_data_set(file).rows())
    _print(count, time.process_time() - start)


def measure_outputs(file: Path, rows: int) -> None:
    """In a process of its own: writes results by their rows, of which each eighth comes late."""
    from faithfulness_assert import Grader
    from faithfulness_assert.batch.outputs import write_results
    from faithfulness_assert.batch.rows import Line
    from faithfulness_assert.batch.summary import Summary

    result = Grader().grade(SENTENCE, SENTENCE)
    summary = Summary()

    def lines() -> Iterator[Line]:
        for eight in range(0, rows, 8):
            for row in (*range(eight + 2, eight + 9), eight + 1):
                line = Line(str(row), row, "", {"expected": "x"}, result)
                summary.add(line.result)
                yield line

    start = time.process_time()
    write_results(lines(), file)
    summary.text()
    _print(rows, time.process_time() - start)


def _print(count: int, seconds: float) -> None:
    # Not ru_maxrss, which begins with what the parent process had.
    most = re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())
    assert most, "needs Linux"
    microseconds = round(seconds / count * 1e6, 1)
    print(json.dumps({"rows": count, "us": microseconds, "mb": int(most[1]) // 1024}))


def main() -> None:
    """Prints a table: format, rows, CPU per row, and the most memory."""
    sizes = [int(given) for given in sys.argv[1:]] or ROWS
    print(f"{'':18}{'rows':>10}{'µs a row':>10}{'MB':>6}")
    with tempfile.TemporaryDirectory() as folder:
        for suffix in FORMATS:
            if suffix == ".parquet" and find_spec("pyarrow") is None:
                continue
            for rows in sizes:
                file = Path(folder) / f"rows{suffix}"
                write(file, rows)
                _show(f"read {suffix}", "read", str(file))
        for suffix in (".jsonl", ".csv", ".xml"):
            for rows in sizes:
                _show(f"write {suffix}", "write", f"{folder}/out{suffix}", str(rows // 8 * 8))


def _show(name: str, *arguments: str) -> None:
    command = [sys.executable, __file__, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    print(f"{name:18}{found['rows']:10,}{found['us']:10.1f}{found['mb']:6}", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["read"]:
        measure(Path(sys.argv[2]))
    elif sys.argv[1:2] == ["write"]:
        measure_outputs(Path(sys.argv[2]), int(sys.argv[3]))
    else:
        main()
