"""Fixtures, and the results of runs: what goes in, and what must come out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from conftest import ROOT

from faithfulness_assert.batch import RunDirectory


def rows(name: str) -> Any:
    """The rows of ``fixtures/NAME.jsonl``, or what ``fixtures/NAME.json`` has."""
    path = ROOT / "fixtures" / f"{name}.jsonl"
    if not path.exists():
        return json.loads(path.with_suffix(".json").read_text("utf-8"))
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def contains(found: Any, wanted: Any) -> bool:
    """Whether all entries of a mapping are there; None stands for one that is not."""
    if not isinstance(wanted, dict):
        return bool(found == wanted)
    return all(contains(found.get(name), value) for name, value in wanted.items())


def results_of(directory: Path) -> dict[int, dict[str, Any]]:
    """The results of a run by their rows, without the time that they took; no row has two."""
    lines = [json.loads(line.to_json()) for line in RunDirectory(directory).lines()]
    found = {line["row"]: {**line, "latency_ms": 0} for line in lines}
    assert len(found) == len(lines), "doubled"
    return found
