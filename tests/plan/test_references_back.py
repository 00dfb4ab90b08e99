"""What a statement refers to stands before it: it is lost neither by repeats nor by another ask."""

import pytest
from fakes import ScriptedJudge, TruthfulJudge, verdicts_json

from faithfulness_assert import Ask, Reply, grade


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


def test_what_refers_back_is_asked_about_again_with_what_it_speaks_of():
    def skip_second(ask: Ask) -> Reply:
        return Reply(verdicts_json(dict.fromkeys(ask.ids[:1], "supported")))

    judge = ScriptedJudge([skip_second, skip_second])
    grade("There is a sauna. It costs 9 euros.", "It is so.", judge=judge, controls="off")
    again = [text for _, text in judge.asked[1].payload.items]
    assert again == ["There is a sauna. It costs 9 euros."]
