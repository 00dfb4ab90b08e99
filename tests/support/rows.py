"""Fixtures with a row on each line: what goes in, and what must come out."""

from __future__ import annotations

import json
from typing import Any

from conftest import ROOT


def rows(name: str) -> list[dict[str, Any]]:
    """The rows of ``fixtures/NAME.jsonl``."""
    lines = (ROOT / "fixtures" / f"{name}.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


def contains(found: Any, wanted: Any) -> bool:
    """Whether all entries of a mapping are there; None stands for one that is not."""
    if not isinstance(wanted, dict):
        return bool(found == wanted)
    return all(contains(found.get(name), value) for name, value in wanted.items())
