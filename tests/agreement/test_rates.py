"""The interval of the share of unfaithful answers holds, and refuses labels that cannot give one."""

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faithfulness_assert import ConfigError
from faithfulness_assert.agreement import unfaithful_rate

COUNTS = st.tuples(*[st.integers(0, 60)] * 4).filter(
    lambda c: c[0] + c[1] + c[2] + c[3] >= 30 and c[0] + c[1] and c[2] + c[3]
)


def rate(wrong1: int, right1: int, wrong0: int, right0: int, n1: int, n0: int) -> Any:
    unfaithful = [True] * wrong1 + [False] * right1 + [True] * wrong0 + [False] * right0
    flagged = [True] * (wrong1 + right1) + [False] * (wrong0 + right0)
    return unfaithful_rate(unfaithful, flagged, n_flagged=n1, n_unflagged=n0)


def test_a_worked_example_by_hand():
    # .2 × 8/10 + .8 × 3/30; Clopper and Pearson: .4439 to .9748 of 8 in 10, .0211 to .2653 of 3 in
    # 30; Wilson: .1673 to .2373 of 100 in 500
    value, low, high = rate(8, 2, 3, 27, 100, 400)
    assert value == pytest.approx(0.24)
    below = (0.2 * 0.3561) ** 2 + (0.8 * 0.0789) ** 2 + (0.0327 * 0.7) ** 2
    above = (0.2 * 0.1748) ** 2 + (0.8 * 0.1653) ** 2 + (0.0373 * 0.7) ** 2
    assert (low, high) == (
        pytest.approx(0.24 - below**0.5, abs=2e-4),
        pytest.approx(0.24 + above**0.5, abs=2e-4),
    )


@given(COUNTS, st.integers(0, 1000), st.integers(0, 1000), st.randoms())
def test_the_rate_is_a_share_inside_its_interval_in_any_order(counts, more1, more0, chance):
    sizes = counts[0] + counts[1] + more1, counts[2] + counts[3] + more0
    found = rate(*counts, *sizes)
    value, low, high = (number or 0.0 for number in found)
    assert 0 <= low <= value <= high <= 1
    labels = [
        (number in (0, 2), number < 2) for number, times in enumerate(counts) for _ in range(times)
    ]
    chance.shuffle(labels)
    unfaithful, flagged = zip(*labels, strict=True)
    again = unfaithful_rate(unfaithful, flagged, n_flagged=sizes[0], n_unflagged=sizes[1])
    assert again == found


def test_where_labels_are_all_alike_the_limit_is_exact_and_the_value_is_what_was_seen():
    limit = 1 - 0.025 ** (1 / 30)
    assert rate(0, 0, 0, 30, 0, 500) == (0, 0, pytest.approx(limit))
    assert rate(0, 15, 0, 15, 250, 250) == (0, 0, pytest.approx(limit))
    assert rate(30, 0, 0, 0, 500, 0) == (1, pytest.approx(1 - limit), 1)
    assert rate(0, 9, 0, 21, 95, 505).high == pytest.approx(
        max(  # the largest share under which none of 30 labels is as likely as 2.5 %
            95 / 600 * share + 505 / 600 * (1 - (0.025 / (1 - share) ** 9) ** (1 / 21))
            for share in (place / 10_000 for place in range(3_360))
        ),
        abs=1e-4,
    )


@pytest.mark.parametrize("share", [0.02, 0.2])
@pytest.mark.parametrize(("sensitivity", "specificity"), [(0.9, 0.9), (0.3, 0.98)])
def test_of_a_thousand_intervals_about_950_contain_the_true_share(share, sensitivity, specificity):
    chance = random.Random(3)
    held = 0
    for _ in range(1000):
        truths = [chance.random() < share for _ in range(1000)]
        flags = [chance.random() < (sensitivity if t else 1 - specificity) for t in truths]
        strata = {
            kind: [t for t, f in zip(truths, flags, strict=True) if f is kind]
            for kind in (True, False)
        }
        drawn = {kind: strata[kind][: min(50, len(strata[kind]))] for kind in strata}
        labels = [(truth, kind) for kind, truths in drawn.items() for truth in truths]
        found = unfaithful_rate(
            [t for t, _ in labels],
            [f for _, f in labels],
            n_flagged=len(strata[True]),
            n_unflagged=len(strata[False]),
        )
        held += (found.low or 0) <= share <= (found.high or 0)
    assert held >= 925  # of 1,000 at .95, fewer are there once in 1,000 times


@pytest.mark.parametrize(
    ("counts", "sizes", "says"),
    [
        ((1, 1, 1, 1), (100, 100), "label at least 30"),
        ((20, 20, 0, 0), (100, 100), "none of the 100 answers that the judge passes is labelled"),
        ((0, 0, 20, 20), (100, 100), "none of the 100 answers that the judge flags is labelled"),
        ((20, 20, 20, 20), (39, 100), "40 answers are labelled of 39 that the judge flags"),
    ],
)
def test_labels_that_can_give_no_interval_are_refused(counts, sizes, says):
    with pytest.raises(ConfigError, match=says):
        rate(*counts, *sizes)
