"""What a grade costs: no commit makes it do more without saying so."""

from __future__ import annotations

import json
import sys

import cost
import pytest

COMMITTED = json.loads(cost.COUNTS.read_text("utf-8"))
ADVICE = (
    "`python benchmarks/cost.py` writes the new numbers. "
    "Commit them with the change, and say in the commit why it costs more."
)
PYTHON = tuple(COMMITTED["python"])


@pytest.mark.skipif(
    sys.version_info[:2] != PYTHON,
    reason=f"functions are called as often as was counted only on Python {PYTHON[0]}.{PYTHON[1]}",
)
def test_a_grade_costs_what_was_committed() -> None:
    found, known = cost.counted_alone()["grades"], COMMITTED["grades"]
    changes = [
        f"{name}: {known.get(name)} is now {found.get(name)}"
        for name in {**known, **found}
        if known.get(name) != found.get(name)
    ]
    assert not changes, "\n".join(["A grade costs other than was committed:", *changes, ADVICE])


def test_the_table_takes_the_place_between_its_markers_and_nothing_else() -> None:
    ratios = dict.fromkeys(COMMITTED["grades"], 12.3)
    made = cost.table(COMMITTED["grades"], ratios, "c2ab47722")
    page = f"# Cost\n\n{cost.BEGIN}\n\nold\n\n{cost.END}\n\nMore.\n"
    new = cost.renewed(page, made)
    assert new == f"# Cost\n\n{cost.BEGIN}\n\n{made}\n\n{cost.END}\n\nMore.\n"
    assert cost.renewed(new, made) == new
    assert all(f"| {name} |" in made for name in cost.GRADES)
    assert "Made at commit c2ab47722" in made
