"""Two ways to go on with the grading of a Ray Data set: an anti-join on ids, and Ray's checkpoint.

    python benchmarks/ray_going_on.py [--rows 10000] [--rounds 3]        (needs the extra ray)

For each: the seconds of a whole run into Parquet files, and of going on when all but a hundredth
of the rows are written. The two take turns.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet
import ray
import ray.data
from ray.data.checkpoint import CheckpointConfig
from ray_engine import records

from faithfulness_assert.batch.ray import grade_dataset, remaining


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    # The checkpoint has an actor of its own: with fewer, nothing would be left to read with.
    ray.init(num_cpus=4, include_dashboard=False, logging_level="error", log_to_driver=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    folder = Path(tempfile.mkdtemp())
    try:
        write(folder / "answers", given.rows)
        write(folder / "most", given.rows - given.rows // 100)
        compare(folder, given.rows, given.rounds)
    finally:
        shutil.rmtree(folder)


def compare(folder: Path, rows: int, rounds: int) -> None:
    best: dict[str, list[float]] = {}
    for number in range(rounds):
        for name, grade in (("anti-join", with_anti_join), ("checkpoint", with_checkpoint)):
            place = folder / f"{name}-{number}"
            whole = seconds(lambda: grade(folder / "answers", folder / f"whole-{place.name}"))  # noqa: B023
            grade(folder / "most", place)
            rest = seconds(lambda: grade(folder / "answers", place))  # noqa: B023
            written = list(place.glob("graded/*.parquet"))
            assert sum(pyarrow.parquet.read_metadata(path).num_rows for path in written) == rows
            before = best.get(name, [whole, rest])
            best[name] = [min(before[0], whole), min(before[1], rest)]
            print(f"{name:10s} whole {whole:6.1f} s, going on {rest:6.1f} s", flush=True)
    for name, (whole, rest) in best.items():
        print(f"{name:10s} the least: whole {whole:.1f} s, going on {rest:.1f} s")


def write(folder: Path, rows: int) -> None:
    folder.mkdir()
    table = pyarrow.Table.from_pylist(list(records(rows)))
    part = -(-rows // 8)
    for number in range(8):
        pyarrow.parquet.write_table(table.slice(number * part, part), folder / f"{number}.parquet")


def with_anti_join(answers: Path, place: Path) -> None:
    rows, graded = ray.data.read_parquet(str(answers)), place / "graded"
    if graded.exists():
        rows = remaining(rows, ray.data.read_parquet(str(graded)).select_columns(["id"]))
    grade_dataset(rows, actors=1).write_parquet(str(graded))


def with_checkpoint(answers: Path, place: Path) -> None:
    context = ray.data.DataContext.get_current()
    context.checkpoint_config = CheckpointConfig(
        "id", str(place / "checkpoint"), delete_checkpoint_on_success=False
    )
    try:
        rows = ray.data.read_parquet(str(answers))
        grade_dataset(rows, actors=1).write_parquet(str(place / "graded"))
    finally:
        context.checkpoint_config = None


def seconds(work: Callable[[], None]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
