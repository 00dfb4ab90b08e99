"""Agreement figures are those of other packages, and their intervals hold and are the same each time."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from agreement_oracle import FILE, scikit_learn
from hypothesis import given
from hypothesis import strategies as st

from faithfulness_assert.agreement.figures import (
    Both,
    Cluster,
    Sample,
    ac1,
    agreement,
    figures,
    intervals,
    kappa,
    paired,
)

ROWS = json.loads(FILE.read_text(encoding="utf-8"))
NEAR = {"abs": 1e-9, "rel": 0}
OWN = [[0, 2], [1, 3]]


def ours(matrix: list[list[float]]) -> dict[str, float | None]:
    if len(matrix) == 2:
        return dict(figures([*matrix[0], *matrix[1]]))
    return {"agreement": agreement(matrix), "kappa": kappa(matrix), "ac1": ac1(matrix)}


def sample(counts: dict[tuple[int, int], int], sizes: tuple[int, int]) -> Sample:
    """Answers with one item: how many are of a stratum and a kind."""
    clusters = [
        Cluster(stratum, tuple(int(place == kind) for place in range(4)))
        for (stratum, kind), times in counts.items()
        for _ in range(times)
    ]
    return Sample(clusters, sizes, OWN)


@pytest.mark.parametrize("row", ROWS, ids=range(len(ROWS)))
def test_figures_equal_those_of_scikit_learn_and_irr_cac(row: Any) -> None:
    found = ours(row["matrix"])
    for name, value in row["scikit_learn"].items():
        assert (found[name] or 0.0) == pytest.approx(value, **NEAR), name
    if "irr_cac_ac1" in row:
        assert found["ac1"] == pytest.approx(row["irr_cac_ac1"], **NEAR)


def test_the_stored_figures_are_those_of_the_scikit_learn_that_is_installed() -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is not installed: its figures are stored")
    for row in ROWS:
        assert scikit_learn(row["matrix"]) == pytest.approx(row["scikit_learn"], abs=1e-12)


def test_what_the_labels_do_not_define_is_none_and_never_1() -> None:
    told = figures([10, 0, 0, 0])
    assert told["recall"] is told["precision"] is told["balanced_accuracy"] is told["kappa"] is None
    assert figures([0, 0, 0, 0])["agreement"] is None
    assert ac1([[1.0]]) is None


def test_a_judge_that_flags_nothing_has_no_agreement_beyond_chance() -> None:
    told = figures([97, 0, 3, 0])
    assert told["agreement"] == 0.97
    assert told["kappa"] == 0
    assert told["balanced_accuracy"] == 0.5


# ---------------------------------------------------------------- intervals


def test_labels_count_by_how_many_answers_each_stands_for() -> None:
    found = sample({(0, 0): 50, (1, 1): 25, (1, 3): 25}, (900, 100))
    assert found.totals() == pytest.approx([900, 50, 0, 50])


@given(st.tuples(*[st.integers(0, 30)] * 4), st.integers(0, 500), st.randoms())
def test_each_figure_is_inside_its_interval_in_any_order(
    counts: tuple[int, int, int, int], more: int, chance: random.Random
) -> None:
    good, alarms, misses, hits = (count + 1 for count in counts)
    told = {(0, 0): good, (1, 1): alarms, (0, 2): misses, (1, 3): hits}
    one = sample(told, (good + misses + more, alarms + hits))
    first = intervals(one, figures, resamples=100)
    for figure in first.values():
        assert figure.value is not None
        assert -1 <= figure.low <= figure.value <= figure.high <= 1 + 1e-9
    shuffled = list(one.clusters)
    chance.shuffle(shuffled)
    again = intervals(one._replace(clusters=shuffled), figures, resamples=100)
    assert again == {name: pytest.approx(figure) for name, figure in first.items()}


def test_more_labels_make_intervals_narrower_and_another_seed_hardly_changes_them() -> None:
    few = intervals(sample({(0, 0): 40, (0, 2): 2, (1, 1): 8, (1, 3): 20}, (900, 100)), figures)
    many = {(0, 0): 400, (0, 2): 20, (1, 1): 80, (1, 3): 200}
    more = intervals(sample(many, (9000, 1000)), figures)
    other = intervals(sample(many, (9000, 1000)), figures, seed=3)
    for name in ("precision", "recall", "kappa", "agreement"):
        width = more[name].high - more[name].low
        assert width < 0.5 * (few[name].high - few[name].low)
        assert other[name].low == pytest.approx(more[name].low, abs=0.1 * width)


# ---------------------------------------------------------------- two judges


def both(counts: dict[tuple[bool, bool, bool], int], stratum: int = 0) -> list[Both]:
    return [Both(stratum, kind) for kind, times in counts.items() for _ in range(times)]


def test_a_judge_that_finds_more_is_better_and_the_same_judge_is_not() -> None:
    found = {(True, False, True): 20, (True, True, True): 20, (False, False, False): 60}
    told = paired(("A", "B"), both(found), (1000,))
    assert told.better == "B"
    assert told.balanced_accuracy.value == pytest.approx(0.25)
    assert told.balanced_accuracy.low > 0.1
    same = {(True, True, True): 20, (True, False, False): 20, (False, False, False): 60}
    told = paired(("A", "B"), both(same), (1000,))
    assert (told.better, told.p) == ("", 1.0)


def test_without_weights_the_chance_is_near_that_of_mcnemars_exact_test() -> None:
    for lost, gained, exact in ((9, 2, 0.0654), (12, 2, 0.0129), (8, 6, 0.7905)):
        counts = {(True, True, False): lost, (True, False, True): gained}
        told = paired(("A", "B"), both({**counts, (False, False, False): 60}), (1000,))
        assert 0.3 * exact < told.p < 2.5 * exact
        assert (told.p < 0.05) == (told.balanced_accuracy.high < 0)


def test_a_comparison_of_equal_judges_is_rarely_called() -> None:
    chance, called = random.Random(4), 0
    for _ in range(30):
        items = []
        for place in range(100):
            wrong = place % 3 == 0
            one, two = (chance.random() < (0.8 if wrong else 0.2) for _ in range(2))
            items.append(Both(int(one), (wrong, one, two)))
        called += paired(("A", "B"), items, (800, 200), resamples=300).p <= 0.05
    assert called <= 6  # of 30 at 5 %, more are there once in 1,000 times
