"""Fixtures, and the results of runs: what goes in, and what must come out."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from conftest import ROOT

from faithfulness_assert import GradingResult
from faithfulness_assert.batch.store import lines_of
from faithfulness_assert.batch.summary import Summary

FIXTURES = ROOT / "fixtures"


def rows(name: str | Path) -> Any:
    """The rows of ``fixtures/NAME.jsonl`` or of another such file, or what ``fixtures/NAME.json`` has."""
    path = FIXTURES / f"{name}.jsonl" if isinstance(name, str) else name
    if not path.exists():
        return json.loads(path.with_suffix(".json").read_text("utf-8"))
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def contains(found: Any, wanted: Any) -> bool:
    """Whether all entries of a mapping are there; None stands for one that is not."""
    if not isinstance(wanted, dict):
        return bool(found == wanted)
    return all(contains(found.get(name), value) for name, value in wanted.items())


def results_of(directory: Path) -> dict[int, dict[str, Any]]:
    """The results of a run by their rows, without the time that they took."""
    lines = [json.loads(line.to_json()) for line in lines_of(directory)]
    return {line["row"]: {**line, "latency_ms": 0} for line in lines}


def summary_of(*results: GradingResult) -> str:
    """What a run with these results says at its end."""
    summary = Summary()
    for result in results:
        summary.add(result)
    return summary.text()


def changed_database(directory: Path, *commands: str) -> None:
    """Changes the database of a run, as no process of ours does."""
    with closing(sqlite3.connect(directory / "run.sqlite", isolation_level=None)) as db:
        for command in commands:
            db.execute(command)


def finished(directory: Path) -> int:
    """How many results a run has, which may be under way."""
    try:
        return int(asked_of(directory, "SELECT count(*) FROM results")[0])
    except sqlite3.Error:  # it has no database yet
        return 0


def asked_of(directory: Path, query: str) -> list[Any]:
    """What anybody's SQLite says about a run; the first column of each row."""
    with closing(sqlite3.connect(f"file:{directory / 'run.sqlite'}?mode=ro", uri=True)) as db:
        return [row[0] for row in db.execute(query)]
