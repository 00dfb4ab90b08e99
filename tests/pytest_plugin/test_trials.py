"""Trials: an answer is graded until nothing can change the outcome, and never passes by fewer trials than it needs."""

from __future__ import annotations

from itertools import product
from pathlib import Path

from fakes import ScriptedJudge, verdicts_json
from hypothesis import given
from hypothesis import strategies as st

from faithfulness_assert import GradingResult, JudgeError, grade
from faithfulness_assert.pytest_plugin.session import TokenLimit
from faithfulness_assert.pytest_plugin.trials import Trials

CONTEXT = "The tower is tall."
RESULTS = {
    "p": grade(CONTEXT, CONTEXT, judge=ScriptedJudge([verdicts_json({1: "supported"})])),
    "f": grade(CONTEXT, CONTEXT, judge=ScriptedJudge([verdicts_json({1: "contradicted"})])),
    "e": grade(CONTEXT, CONTEXT, judge=ScriptedJudge([JudgeError("down", "server")])),
}


def outcome(result: GradingResult) -> str:
    return next(
        name
        for name, one in RESULTS.items()
        if one.status == result.status and one.pass_ == result.pass_
    )


def decided(outcomes: str, trials: int, min_pass: int) -> set[str]:
    """What may still come out of these first outcomes, by trying all that may follow."""
    found = set()
    for rest in product("pf", repeat=trials - len(outcomes)):
        every = [*outcomes, *rest]
        passed, failed = every.count("p"), every.count("f")
        found.add("p" if passed >= min_pass else "f" if failed > trials - min_pass else "e")
    return found


@given(trials=st.integers(1, 7), data=st.data())
def test_the_outcome_is_that_of_all_trials_and_no_trial_is_made_that_cannot_change_it(
    trials: int, data: st.DataObject
) -> None:
    min_pass = data.draw(st.integers(1, trials))
    outcomes = data.draw(st.text("pfe", min_size=trials, max_size=trials))
    done, made = Trials(trials, min_pass), ""
    while done.open:
        assert len(decided(made, trials, min_pass)) > 1 or made == ""
        made += outcomes[len(made)]
        done.add(RESULTS[made[-1]])
    assert made == outcomes[: len(made)]
    assert {outcome(done.result())} == decided(made, trials, min_pass)
    asked = [RESULTS[name].tokens_used.num_requests for name in made]
    assert done.result().tokens_used.num_requests == sum(asked)


def test_one_trial_says_nothing_about_trials() -> None:
    one = Trials(1, 1)
    one.add(RESULTS["p"])
    assert one.note() == ""


def test_tokens_are_counted_over_all_processes_and_damage_is_passed_over(
    tmp_path: Path,
) -> None:
    file = tmp_path / "folder" / "spent"
    one, two = TokenLimit(10, file), TokenLimit(10, file)
    assert one.spent() == 0
    one.add(3)
    two.add(4)
    two.add(0)
    assert one.spent() == two.spent() == 7
    file.write_bytes(file.read_bytes() + b"\xff\x00 half")
    assert one.spent() == 7
