"""What a statement refers to stands before it, so that a repeat may be about something else."""

import pytest
from fakes import TruthfulJudge

from faithfulness_assert import grade


@pytest.mark.parametrize(
    ("answer", "repeats"),
    [
        ("The pool is warm. The pool is warm.", [None, 1]),
        ("The pool is warm. Dogs swim. The pool is warm.", [None, None, 1]),
        ("The pool is warm. It is free. It is free.", [None, None, 2]),
        ("The pool is warm. It is free. The sauna is hot. It is free.", [None] * 4),
        ("Is the pool warm? Yes, very. Is the sauna free? Yes, very.", [None] * 4),
        ("泳池很暖。它免费。桑拿很热。它免费。", [None] * 4),
        ("1. **Aspirin**\n   - Adults: 9 mg\n2. **Zinc**\n   - Adults: 9 mg", [None] * 2),
    ],
)
def test_what_is_said_of_something_else_is_no_repeat(answer, repeats):
    result = grade(answer, "It is so.", judge=TruthfulJudge(lambda _: "supported"), controls="off")
    assert [verdict.repeat_of for verdict in result.verdicts] == repeats
