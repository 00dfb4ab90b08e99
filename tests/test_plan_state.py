"""What is known while a case is graded: entries are added, and none of the earlier ones goes."""

from __future__ import annotations

from faithfulness_assert import Case, JudgeError, Policy, Usage
from faithfulness_assert.asking.controls import Control
from faithfulness_assert.asking.prompt import make_ask
from faithfulness_assert.asking.windows import Budget
from faithfulness_assert.plan.state import Ended, Job, State, ended, noted
from faithfulness_assert.records.ask import Payload
from faithfulness_assert.records.judge import Limits

BEGUN = State(Case("The shop is open.", "x"), Policy(), Budget(len, Limits()))


def test_the_log_keeps_every_entry_in_order() -> None:
    state = BEGUN
    errors = [JudgeError("late", "timeout"), JudgeError("off", "transport")]
    for number, error in enumerate(errors, 1):
        state = noted(
            state,
            usage=Usage(prompt=number),
            error=error,
            form=f"form {number}",
            warnings=[f"warning {number}"],
            schema_errors=(f"place {number}",),
            mismatch=(number, 0),
        )
    assert noted(state).log == state.log
    assert state.log.usage.prompt == 3
    assert state.log.errors == tuple(errors)
    assert state.log.forms == ("form 1", "form 2")
    assert state.log.warnings == ("warning 1", "warning 2")
    assert state.log.schema_errors == ("place 1", "place 2")
    assert state.log.mismatches == ((1, 0), (2, 0))


def test_an_end_without_details_has_none() -> None:
    assert ended(BEGUN, "no_context").ended == Ended("no_context", "")
    assert ended(BEGUN, "no_context", "empty").ended == Ended("no_context", "empty")


def test_a_job_is_about_its_statements_own_numbers_and_not_about_its_controls() -> None:
    items = tuple((n, f"Sentence {n}.") for n in (1, 2, 3))
    ask = make_ask("verdicts", Policy(), Payload(items))
    assert Job(ask).ids == (1, 2, 3)
    assert Job(ask, controls={2: Control("c", true=True)}, own={1: 7}).ids == (7, 3)
