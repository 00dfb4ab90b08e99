"""The comparison with other graders: its faults, and its figures on the pages.

The comparison itself installs the graders and takes minutes, so no test runs it."""

import json
import re
from pathlib import Path

import pytest
from conftest import ROOT
from peers.faults import TEXT, Reply
from peers.tables import WRITTEN

LISTED = Reply(
    {"verdicts": [{"id": n, "verdict": "yes" if n < 3 else "no"} for n in range(1, 5)]},
    "verdicts",
    "verdict",
    "yes",
    "no",
)


@pytest.mark.parametrize("fault", TEXT)
def test_each_fault_of_the_text_changes_a_list_of_verdicts(fault):
    before = json.dumps(LISTED.value)
    assert TEXT[fault](LISTED) != LISTED.text
    assert json.dumps(LISTED.value) == before


def rows(page: Path) -> dict[str, list[str]]:
    """The tables that the comparison wrote: from the first cell of a row to the others."""
    (written,) = WRITTEN.findall(page.read_text("utf-8"))
    lines = (line.strip("| ").split(" | ") for line in written.splitlines() if line[:1] == "|")
    return {first: cells for first, *cells in lines}


def test_the_figures_of_the_readme_are_those_of_the_benchmark():
    whole = rows(ROOT / "docs" / "benchmarks.md")
    bill = re.search(
        r"^\| the bill \| (.*) \| (.*) \(", (ROOT / "README.md").read_text("utf-8"), re.M
    )
    assert bill
    ours, theirs = [], []
    for row in ("judge calls per item", "prompt tokens per item"):
        own, *others = whole[row]
        ours.append(own)
        theirs += sorted(others, key=lambda figure: int(figure.replace(",", "")))[
            :: len(others) - 1
        ]
    assert re.findall(r"[\d,]*\d", bill[1]) == ours
    assert re.findall(r"[\d,]*\d", bill[2]) == theirs
