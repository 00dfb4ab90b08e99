"""A short run of ``tools/soak.py``: grades with a server that fails on a schedule."""

from dataclasses import replace

import soak

from faithfulness_assert import Usage, grade


def test_grades_among_many_faults_are_all_valid_and_counted_once():
    line = soak.soak(300, seed=7)
    assert "300 grades" in line
    assert "graded" in line


def test_lost_doubled_and_inflated_figures_would_be_detected():
    text = "The museum opens at nine."
    whole = replace(
        grade(text, text), score=0.5, pass_=False, tokens_used=Usage(100, 20, num_requests=1)
    )
    assert soak.problems(whole, 1, (100, 20)) == []
    assert len(soak.problems(whole, 2, (100, 20))) == 1
    assert len(soak.problems(whole, 1, (200, 40))) == 1
    assert len(soak.problems(replace(whole, score=1.0, pass_=True), 1, (100, 20))) == 1
    assert len(soak.problems(replace(whole, reason=f"denied to {soak.KEY}"), 1, (100, 20))) == 1
    assert len(soak.problems(replace(whole, defined=False), 1, (100, 20))) >= 1


def test_the_schedule_has_quick_and_slow_faults():
    quick, slow = soak.rows()
    assert len(quick) > 120
    assert slow
    assert not {row["id"] for row in quick} & {row["id"] for row in slow}
