"""What a grade costs: no commit makes it do more without saying so."""

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
def test_a_grade_costs_what_was_committed():
    found, known = cost.counted_alone()["grades"], COMMITTED["grades"]
    changes = [
        f"{name}: {known.get(name)} is now {found.get(name)}"
        for name in {**known, **found}
        if known.get(name) != found.get(name)
    ]
    assert not changes, "\n".join(["A grade costs other than was committed:", *changes, ADVICE])
