"""Intervals and tests are those of their textbooks, and call no repetition worse."""

import random
from fractions import Fraction
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from faithfulness_assert.statistics import (
    FALSE_ALARMS,
    Pair,
    PairCounts,
    at_least,
    at_most,
    exact_interval,
    holm,
    mcnemar,
    none_seen,
    p_value,
    wilson,
)


@pytest.mark.parametrize(
    ("wrong", "asked", "low", "high"),
    [
        (0, 33, 0, 0.10576),
        (33, 33, 0.89424, 1),
        (5, 10, 0.18709, 0.81291),
        (0, 5000, 0, 0.000737),
        (2500, 5000, 0.48604, 0.51396),
    ],
)
def test_intervals_are_those_of_the_tables(wrong, asked, low, high):
    assert exact_interval(wrong, asked) == pytest.approx((low, high), abs=1e-5)


@given(st.integers(0, 60), st.integers(1, 60), st.integers(1, 99))
def test_a_chance_is_the_sum_of_the_binomial_distribution(count, of, percent):
    share = Fraction(percent, 100)
    terms = (comb(of, n) * share**n * (1 - share) ** (of - n) for n in range(min(count, of) + 1))
    assert at_most(count, of, percent / 100) == pytest.approx(float(sum(terms)), rel=1e-9)
    assert at_least(count + 1, of, percent / 100) + at_most(count, of, percent / 100) == 1


def test_a_run_of_a_million_has_an_interval_at_once():
    low, high = exact_interval(160_000, 1_000_000)
    assert (low, high) == pytest.approx(wilson(160_000, 1_000_000), abs=2e-6)


@given(st.lists(st.tuples(st.integers(1, 50), st.integers(1, 50)), min_size=1, max_size=3))
def test_the_limit_of_what_was_never_seen_is_that_of_its_best_stratum_at_least(strata):
    whole = sum(weight for weight, _ in strata)
    shares = [(weight / whole, labels) for weight, labels in strata]
    limit = none_seen(shares)
    alone = [weight * exact_interval(0, labels)[1] for weight, labels in shares]
    assert max(alone) - 1e-9 <= limit <= sum(alone) + 1e-9
    same = [(labels / sum(n for _, n in strata), labels) for _, labels in strata]  # in proportion
    assert none_seen(same) == pytest.approx(exact_interval(0, sum(n for _, n in strata))[1])


def test_holm_is_the_worked_example_of_its_textbook():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []


def test_mcnemar_is_the_binomial_test_of_the_changed_cases():
    assert mcnemar(0, 0) == 1.0
    assert mcnemar(8, 0) == pytest.approx(2**-8)
    assert mcnemar(3, 1) == pytest.approx((4 + 1) / 16)
    assert mcnemar(1100, 1000) == pytest.approx(0.0153, abs=0.0005)  # scipy's binomtest: 0.01532
    assert mcnemar(1049, 950) == pytest.approx(mcnemar(1050, 951), rel=0.02)


@examples(30)
@given(st.lists(st.integers(-3, 3), min_size=1, max_size=14))
def test_the_sign_flips_agree_with_counting_all_of_them(tenths):
    sums = [0]
    for size in tenths:
        sums = [total + sign * size for total in sums for sign in (1, -1)]
    exact = sum(total <= sum(tenths) for total in sums) / len(sums)
    pairs = [Pair(True, True, 0.5, 0.5 + size / 10) for size in tenths]
    p = PairCounts(pairs).tests().scores
    assert p == pytest.approx(exact, abs=max(0.001, 0.35 * exact)) or sum(tenths) >= 0
    assert (p == 1.0) == (sum(tenths) >= 0)


@examples(50)
@given(
    st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=40),
    st.randoms(use_true_random=False),
)
def test_the_order_of_the_cases_does_not_matter_and_no_better_run_is_worse(scores, chance):
    pairs = [Pair(a >= 0.8, b >= 0.8, a, b) for a, b in scores]
    tests = PairCounts(pairs).tests()
    chance.shuffle(pairs)
    assert PairCounts(pairs).tests() == tests
    better = [Pair(a >= 0.8, max(a, b) >= 0.8, a, max(a, b)) for a, b in scores]
    assert PairCounts(better).tests().worse is False


def test_a_repetition_is_called_worse_in_at_most_1_of_100_comparisons():
    chance, alarms = random.Random(3), 0
    for _ in range(400):
        pairs = []
        for _ in range(60):
            a, b = (chance.choice([0.6, 0.8, 1.0]) for _ in range(2))
            pairs.append(Pair(a >= 0.8, b >= 0.8, a, b))
        alarms += PairCounts(pairs).tests().worse
    assert alarms / 400 <= FALSE_ALARMS + 0.01


def test_what_a_comparison_says_it_finds_for_sure_is_found():
    """Whether whole answers get lost, or single statements."""
    chance = random.Random(4)

    def compared(cases: int, whole: float = 0.0, single: float = 0.0) -> PairCounts:
        def pair() -> Pair:
            a, b = (
                sum(chance.random() < share for _ in range(5)) / 5 for share in (0.9, 0.9 - single)
            )
            b *= chance.random() >= whole / 0.9
            return Pair(a >= 0.8, b >= 0.8, a, b)

        return PairCounts(pair() for _ in range(cases))

    for cases, most in ((60, 0.3), (400, 0.1)):
        loss = compared(cases).sure_loss()
        assert loss <= most
        for kind in ({"whole": loss}, {"single": loss}):
            found = sum(compared(cases, **kind).tests().worse for _ in range(30))
            assert found >= 0.8 * 30
    assert PairCounts([Pair(True, True, 1.0, 1.0)] * 7).sure_loss() is None
    assert PairCounts([Pair(True, False, None, None)]).sure_loss() is None


def test_the_chance_of_a_loss_is_never_said_to_be_none():
    told = [p_value(p) for p in (0.0, 1e-30, 0.00009, 0.0001, 0.0312, 0.5, 1.0)]
    small, *larger = ["p < 0.0001"], "p = 0.0001", "p = 0.0312", "p = 0.5", "p = 1"
    assert told == [*small * 3, *larger]
