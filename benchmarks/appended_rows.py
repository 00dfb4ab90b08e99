"""How soon a run that is finished goes on with rows that were appended to its data set.

    python benchmarks/appended_rows.py [--rows 1000000] [--more 10000] [--kind jsonl]

The run is made without a judge: its results are copies of one, each with its row's number, id and
fingerprint. Then rows are appended, and a new process goes on with the run. The time is that from
its start until its judge gets the first ask, imports included. Beside it stands the time where a
row in the middle changed too, so that all rows have to be compared (``regrade_changed``).
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from faithfulness_assert import Ask, Grader, Reply
from faithfulness_assert.batch import RunDirectory
from faithfulness_assert.batch.data_sets import open_data_set
from faithfulness_assert.batch.row_grading import line_of
from faithfulness_assert.batch.run_description import describe_run
from faithfulness_assert.records.judge import JudgeInfo

PROGRAM = """
import os, sys
from faithfulness_assert.batch import run
from faithfulness_assert.records.judge import JudgeInfo

class Judge:
    info = JudgeInfo(name="instant", keeps_deadline=True)

    def ask(self, ask, /, *, deadline=None):
        os.write(1, b"asked\\n")
        os._exit(0)

run(sys.argv[1], sys.argv[2], judge=Judge(), progress=False, regrade_changed=sys.argv[3] == "1")
"""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--more", type=int, default=10_000)
    parser.add_argument("--kind", choices=["jsonl", "csv"], default="jsonl")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        data, folder = Path(made) / f"rows.{given.kind}", Path(made) / "run"
        write(data, range(1, given.rows + 1))
        fill(data, folder, given.rows)
        sizes = [path.stat().st_size / 1e6 for path in (data, folder / "results.jsonl")]
        print(f"{given.rows:,} rows ({sizes[0]:,.0f} MB), results {sizes[1]:,.0f} MB")
        write(data, range(given.rows + 1, given.rows + given.more + 1), append=True)
        print(f"first ask after {given.more:,} rows were appended: {started(data, folder):.1f} s")
        with data.open("r+b") as file:  # a letter of a row in the middle
            file.seek(data.stat().st_size // 2)
            place = file.tell() + file.read(4096).index(b"Main")
            file.seek(place)
            file.write(b"Pain")
        told = started(data, folder, regrade=True)
        print(f"first ask after a row in the middle changed, too: {told:.1f} s")


def case(number: int) -> dict[str, str]:
    text = f"The shop at {number} Main Street opens at nine and closes at five on working days."
    return {"id": f"case-{number}", "answer": text, "context": f"{text} It sells bread. " * 3}


def write(path: Path, numbers: range, *, append: bool = False) -> None:
    with path.open("a" if append else "w", encoding="utf-8", newline="") as file:
        if path.suffix == ".jsonl":
            file.writelines(f"{json.dumps(case(n))}\n" for n in numbers)
            return
        writer = csv.DictWriter(file, list(case(0)))
        if not append:
            writer.writeheader()
        writer.writerows(map(case, numbers))


def fill(data: Path, folder: Path, count: int) -> None:
    """Makes the directory of a finished run over a file."""

    class Judge:
        info = JudgeInfo(name="instant", keeps_deadline=True)

        def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
            raise AssertionError

    data_set, directory = open_data_set(data), RunDirectory(folder)
    result = Grader().grade(**{n: case(1)[n] for n in ("answer", "context")})
    with directory.locked():
        about = describe_run(Grader(Judge()), data_set)
        directory.write_about({**about, "rows": count})
        with directory.results.open("wb") as file:
            for row in data_set.rows():
                file.write(line_of(row, result).to_json().encode() + b"\n")


def started(data: Path, folder: Path, *, regrade: bool = False) -> float:
    """Seconds until the judge of a new process is asked."""
    began = time.monotonic()
    command = [sys.executable, "-c", PROGRAM, str(data), str(folder), str(int(regrade))]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, env={**os.environ})
    assert done.stdout == b"asked\n"
    return time.monotonic() - began


if __name__ == "__main__":
    main()
