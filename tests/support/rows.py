"""Fixtures with a row on each line, and the results of runs: what goes in, and what must come out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from conftest import ROOT

from faithfulness_assert.batch import RunDirectory


def rows(name: str) -> list[dict[str, Any]]:
    """The rows of ``fixtures/NAME.jsonl``."""
    lines = (ROOT / "fixtures" / f"{name}.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


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
