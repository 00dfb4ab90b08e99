"""Puts what a benchmark printed into a page, between two marks, over what an earlier run wrote."""

from __future__ import annotations

import re
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
END = "<!-- end -->"


def mark(script: str) -> str:
    """What stands before the part that a script writes; ``END`` stands after it."""
    return f"<!-- written by benchmarks/{script} -->"


def part(page: Path, script: str) -> str:
    """What a script has written into a page."""
    begin = re.escape(mark(script))
    (found,) = re.findall(f"{begin}\n\n(.*?)\n\n{END}", page.read_text(encoding="utf-8"), re.DOTALL)
    return str(found)


def put(page: Path, script: str, text: str) -> None:
    """Writes ``text`` into a page that has a place for it."""
    pattern = re.compile(f"{re.escape(mark(script))}.*?{END}", re.DOTALL)
    old = page.read_text(encoding="utf-8")
    new, count = pattern.subn(lambda _: f"{mark(script)}\n\n{text}\n\n{END}", old)
    if count != 1:
        raise ValueError(f"{page.name}: {count} places for the results, where one was expected")
    page.write_text(new, encoding="utf-8")
