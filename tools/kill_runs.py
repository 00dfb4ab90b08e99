"""Kills a batch run at random moments, and compares it with one that was never killed.

    python tools/kill_runs.py [--kills 50] [--rows 600]

Each part of the run is a process of its own that gets a kill -9 after a random time. It is begun
again until there were so many kills, and then left alone. What must hold: the results are those of
an uninterrupted run, each row has one, and no part asked about a row that had a result before.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from faithfulness_assert import Ask, ConfigError, Reply

SECONDS = 3.0
"""The longest time until a kill. Results are kept each second."""


class SlowJudge:
    """Supports every statement after some milliseconds, and logs what it was asked."""

    name = "slow"

    def __init__(self, log: Path, seconds: float = 0.02) -> None:
        self._log, self._seconds = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND), seconds

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        statements = ask.payload.items
        os.write(self._log, f"{statements[0][1]}\n".encode())
        time.sleep(self._seconds)
        verdicts = [{"id": n, "evidence": [1], "label": "supported"} for n, _ in statements]
        return Reply(json.dumps({"verdicts": verdicts}))


def answer(number: int) -> str:
    return f"The tower number {number} is tall."


def write_cases(path: Path, rows: int) -> None:
    cases = (
        {"id": f"case {n}", "answer": answer(n), "context": answer(n)} for n in range(1, rows + 1)
    )
    path.write_text("".join(f"{json.dumps(case)}\n" for case in cases), encoding="utf-8")


def killed_run(folder: Path, rows: int, kills: int, chance: random.Random) -> dict[str, int]:
    """Runs until the end with so many kills on the way. Returns how often and when they hit."""
    write_cases(folder / "cases.jsonl", rows)
    hits = during = 0
    for part in range(10 * kills):
        before = whole_rows(folder / "killed")
        log = folder / f"asked-{part}"
        stopped = one_part(folder, log, chance.uniform(0, SECONDS) if hits < kills else None)
        check_asked_once(log, before)
        hits += stopped
        during += stopped and 0 < len(whole_rows(folder / "killed")) < rows
        if not stopped and hits < kills:
            for file in (folder / "killed").iterdir():  # finished too early: begin again
                file.unlink()
        elif not stopped:
            break
    check_same(folder, rows)
    return {"kills": hits, "with some results, not all": during}


def one_part(folder: Path, log: Path, seconds: float | None) -> bool:
    """Begins or goes on with the run. Whether it was killed, after so many seconds."""
    part = subprocess.Popen([sys.executable, __file__, "--part", str(folder), str(log)])
    try:
        code = part.wait(seconds)
    except subprocess.TimeoutExpired:
        part.kill()
        part.wait()
        return True
    assert code == 0, code
    return False


def run_part(folder: Path, log: Path) -> None:
    from faithfulness_assert.batch import run

    judge = SlowJudge(log)
    run(folder / "cases.jsonl", folder / "killed", judge=judge, concurrency=4, progress=False)


def whole_rows(run_folder: Path) -> list[int]:
    """The rows with a result that was kept."""
    from faithfulness_assert.batch.store import is_run, lines_of

    try:
        return [line.row for line in lines_of(run_folder)] if is_run(run_folder) else []
    except ConfigError:  # it was killed before there were tables
        return []


def check_asked_once(log: Path, before: list[int]) -> None:
    asked = log.read_text(encoding="utf-8").split("\n")[:-1] if log.exists() else []
    finished = {answer(row) for row in before}
    assert not finished & set(asked), "a row that had a result was graded again"


def check_same(folder: Path, rows: int) -> None:
    from faithfulness_assert.batch import run

    judge = SlowJudge(folder / "asked", 0)
    run(folder / "cases.jsonl", folder / "whole", judge=judge, progress=False)
    killed, whole = (dict(without_time(folder / name)) for name in ("killed", "whole"))
    assert killed == whole
    assert sorted(whole_rows(folder / "killed")) == list(range(1, rows + 1))


def without_time(run_folder: Path) -> Iterator[tuple[str, Any]]:
    from faithfulness_assert.batch.store import lines_of

    for line in lines_of(run_folder):
        yield line.case_id, {**json.loads(line.to_json()), "latency_ms": 0}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--rows", type=int, default=600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--part", nargs=2, type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.part:
        run_part(*given.part)
        return
    with tempfile.TemporaryDirectory() as folder:
        chance = random.Random(given.seed)
        print(killed_run(Path(folder), given.rows, given.kills, chance))
    print("the results are those of an uninterrupted run, and no finished row was graded again")


if __name__ == "__main__":
    main()
