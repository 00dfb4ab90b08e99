"""Agreement figures are those of other packages, and their intervals hold."""

import json
import random
from collections import Counter

import pytest
from agreement_oracle import FILE
from hypothesis import given
from hypothesis import strategies as st

from faithfulness_assert.agreement.figures import (
    Item,
    Sample,
    ac1,
    agreement,
    figures,
    judge_figures,
    kappa,
    paired,
)

ROWS = json.loads(FILE.read_text(encoding="utf-8"))
NEAR = {"abs": 1e-9, "rel": 0}


def ours(matrix: list[list[float]]) -> dict[str, float | None]:
    if len(matrix) == 2:
        return dict(figures([*matrix[0], *matrix[1]]))
    return {"agreement": agreement(matrix), "kappa": kappa(matrix), "ac1": ac1(matrix)}


def strata(others: int, flagged: int) -> dict[Item, int]:
    return {(False,): others, (True,): flagged}


def sample(good: int, alarms: int, misses: int, hits: int, sizes: tuple[int, int]) -> Sample:
    """Labels by the judge whose verdicts the strata are."""
    kinds: list[Item] = [(False, False), (True, False), (False, True), (True, True)]
    counts = dict(zip(kinds, (good, alarms, misses, hits), strict=True))
    return Sample(Counter({kind: n for kind, n in counts.items() if n}), strata(*sizes))


@pytest.mark.parametrize("row", ROWS, ids=range(len(ROWS)))
def test_figures_equal_those_of_scikit_learn_and_irr_cac(row):
    found = ours(row["matrix"])
    for name, value in row["scikit_learn"].items():
        assert (found[name] or 0.0) == pytest.approx(value, **NEAR), name
    if "irr_cac_ac1" in row:
        assert found["ac1"] == pytest.approx(row["irr_cac_ac1"], **NEAR)


def test_what_the_labels_do_not_define_is_none_and_never_1():
    told = figures([10, 0, 0, 0])
    assert told["recall"] is told["precision"] is told["balanced_accuracy"] is told["kappa"] is None
    assert figures([0, 0, 0, 0])["agreement"] is None
    assert ac1([[1.0]]) is None


@given(st.tuples(*[st.integers(0, 30)] * 4), st.integers(0, 500))
def test_each_figure_is_inside_its_interval(counts, more):
    good, alarms, misses, hits = (count + 1 for count in counts)
    found = judge_figures(
        sample(good, alarms, misses, hits, (good + misses + more, alarms + hits)), 0
    )
    for name, (value, low, high) in found.items():
        assert value is not None
        if low is None or high is None:
            assert min(misses + hits, good + alarms) < 3
            assert name in ("recall", "specificity", "balanced_accuracy")
        else:
            assert -1 <= low <= value <= high <= 1 + 1e-9


def both(counts: dict[tuple[bool, bool, bool], int]) -> Sample:
    """Of answers that all pass: what two other judges and people say of them."""
    return Sample(Counter({(False, *kind): n for kind, n in counts.items() if n}), strata(1000, 0))


def test_a_judge_that_finds_more_is_better_and_the_same_judge_is_not():
    found = both({(False, True, True): 20, (True, True, True): 20, (False, False, False): 60})
    told = paired(("A", "B"), found, (1, 2))
    assert told.better == "B"
    assert told.balanced_accuracy.value == pytest.approx(0.25)
    assert (told.balanced_accuracy.low or 0) > 0.1
    same = both({(True, True, True): 20, (False, False, True): 20, (False, False, False): 60})
    told = paired(("A", "B"), same, (1, 2))
    assert (told.better, told.balanced_accuracy.value) == ("", 0.0)
    assert told.p == 1


def test_the_chance_is_near_that_of_mcnemars_exact_test():
    for lost, gained, exact in ((9, 2, 0.0654), (12, 2, 0.0129), (8, 6, 0.7905)):
        counts = {(True, False, True): lost, (False, True, True): gained}
        told = paired(("A", "B"), both({**counts, (False, False, False): 60}), (1, 2))
        assert 0.7 * exact < told.p < 1.3 * exact
        assert (told.p < 0.05) == ((told.balanced_accuracy.high or 0) < 0)


def test_a_comparison_of_equal_judges_is_rarely_called():
    chance, called = random.Random(4), 0
    for _ in range(100):
        items = Counter[Item]()
        for place in range(100):
            wrong = place % 3 == 0
            one, two = (chance.random() < (0.8 if wrong else 0.2) for _ in range(2))
            items[one, two, wrong] += 1
        called += paired(("A", "B"), Sample(items, strata(800, 200)), (0, 1)).p <= 0.05
    assert called <= 12  # of 100 at 5 %, more are there once in 1,000 times
