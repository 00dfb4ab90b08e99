"""Controls: two statements with a known verdict reveal a judge that does not judge. They are never scored."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from fakes import USAGE, ScriptedJudge, TruthfulJudge, verdicts_json
from hypothesis import given
from hypothesis import strategies as st
from rows import summary_of
from strategies import texts as hostile_texts

from faithfulness_assert import (
    Ask,
    GradingResult,
    JudgeError,
    Reply,
    grade,
    split_statements,
)
from faithfulness_assert.asking.controls import controls_from
from faithfulness_assert.records.judge import Limits

CONTEXT = [
    "The city museum opens at nine. Adults pay 14 euros for a ticket. The collection was founded in 1889 by Clara Brandt.",
    "The river ferry leaves every hour. A boat carries 120 people. The pier lies beside the old market hall.",
]
ANSWER = "The museum opens at nine. Adults pay 12 euros."
STRONG = ": do not trust these scores; use another judge"


def by_context(text: str) -> str:
    known = any(text.rstrip(".") in passage for passage in CONTEXT)
    return "supported" if known else "contradicted"


def run(
    label: Callable[[str], str | None] = by_context, controls: Any = "report"
) -> tuple[GradingResult, TruthfulJudge]:
    judge = TruthfulJudge(label)
    return grade(ANSWER, CONTEXT, judge=judge, controls=controls), judge


def controls_of(ask: Ask) -> list[str]:
    """The texts of an ask that are not of the answer."""
    return [text for _, text in ask.payload.items if text not in ANSWER]


def test_controls_are_asked_about_but_never_counted_or_shown():
    without, _ = run(controls="off")
    result, judge = run()
    assert len(judge.asked) == 1
    assert len(judge.asked[0].ids) == 4
    assert "warnings" not in result.metadata
    assert (result.score, result.counts, result.verdicts) == (
        without.score,
        without.counts,
        without.verdicts,
    )
    assert result.metadata["controls"] == {"asked": 2, "passed": 2, "failed": 0, "unanswered": 0}
    shown = result.model_dump_json(exclude={"verdicts"}) + result.pretty()
    # A control may be a sentence that is evidence, and evidence is shown. A made one stands nowhere.
    made = [text for text in controls_of(judge.asked[0]) if text not in " ".join(CONTEXT)]
    assert len(made) == 1
    assert made[0] not in shown


def test_a_reask_contains_no_controls():
    def forgetful(text: str) -> str | None:
        return None if text == "Adults pay 12 euros." else "supported"

    result, judge = run(forgetful)
    assert [len(ask.ids) for ask in judge.asked] == [4, 1]
    assert result.metadata["controls"]["asked"] == 2


def test_only_a_remote_judge_gets_controls_by_default():
    here, there, preset = (TruthfulJudge(by_context) for _ in range(3))
    there.remote = preset.remote = True
    grade(ANSWER, CONTEXT, judge=here)
    result = grade(ANSWER, CONTEXT, judge=there)
    grade(ANSWER, CONTEXT, judge=preset, policy="promptfoo-plan")
    assert [len(judge.asked[0].ids) for judge in (here, there, preset)] == [2, 4, 2]
    assert result.metadata["controls"]["passed"] == 2


def test_the_controls_of_each_window_come_from_its_own_context():
    long = [
        *CONTEXT,
        *(f"Room {i} of the big house has {i + 2000} chairs and a window." for i in range(300)),
    ]
    judge = TruthfulJudge(by_context, Limits(prompt_tokens=1500))
    grade(ANSWER, long, judge=judge, controls="report")
    assert len(judge.asked) > 2
    for ask in judge.asked:
        shown = [text for _, text in ask.payload.sentences]
        controls = controls_of(ask)
        assert len(controls) == 2
        assert sum(text in shown for text in controls) == 1


def test_the_first_ask_with_room_contains_the_controls():
    judge = TruthfulJudge(by_context, Limits(statements=3))
    answer = "The museum is new. Adults pay 12 euros. The ferry is new. It is big."
    grade(answer, CONTEXT, judge=judge, controls="report")
    assert sorted(sorted(ask.ids) for ask in judge.asked) == [[1, 2, 3], [4, 5, 6]]


PLAIN = [s for p in CONTEXT for s in re.split(r"(?<=\.) ", p)]


@given(
    st.lists(st.sampled_from(PLAIN) | hostile_texts, max_size=8),
    st.lists(
        st.sampled_from([*PLAIN, *map(str.upper, PLAIN)]) | hostile_texts, min_size=1, max_size=5
    ),
)
def test_true_controls_are_in_the_context_false_ones_are_not_and_none_is_in_the_answer(
    context, statements
):
    for control in controls_from([context], statements):
        assert (control.text in context) == control.true
        assert control.true or control.text not in " ".join(context)
        assert control.text.casefold() not in map(str.casefold, statements)
        assert "\n" not in control.text


def test_controls_that_were_not_answered_are_asked_again_with_what_is_missing():
    first = split_statements(ANSWER)[0]
    forgetful = TruthfulJudge(lambda text: "supported" if text == first else None)
    judge = ScriptedJudge([forgetful.ask, TruthfulJudge(by_context).ask])
    result = grade(ANSWER, CONTEXT, judge=judge, controls="enforce")
    assert [len(ask.ids) for ask in judge.asked] == [4, 3]
    assert result.metadata["controls"] == {"asked": 2, "passed": 2, "failed": 0, "unanswered": 0}
    assert [v.label for v in result.verdicts] == ["supported", "contradicted"]


@pytest.mark.parametrize(
    ("brought", "status", "kind"),
    [
        (JudgeError("it failed", "timeout"), "judge_failed", "timeout"),
        ("Let me see ...", "unreadable", "unreliable_judge"),
    ],
    ids=["failed", "unreadable"],
)
def test_enforced_controls_whose_ask_brought_nothing_leave_nothing_decided(brought, status, kind):
    answer = " ".join(f"Room {n} is blue." for n in range(6))

    def half_broken(ask: Ask) -> Reply:
        if all(text in answer for _, text in ask.payload.items):
            return Reply(verdicts_json(dict.fromkeys(ask.ids, "contradicted")), usage=USAGE)
        return ScriptedJudge([brought]).ask(ask)

    judge = ScriptedJudge([half_broken], Limits(statements=5))
    reported = grade(answer, CONTEXT, judge=judge, controls="report")
    enforced = grade(answer, CONTEXT, judge=judge, controls="enforce", on_failed="unsupported")
    assert (reported.status, reported.pass_) == ("graded", False)
    warned = "no valid verdict on 2 of 2 controls" in " ".join(
        reported.metadata.get("warnings", ())
    )
    assert warned == isinstance(brought, str)
    assert (enforced.status, enforced.error.kind) == (status, kind)


@pytest.mark.parametrize(
    ("failed", "asked", "ending"),
    [
        *[(0, 4, ""), (1, 9, ", too few to say more"), (2, 4, ", too few to say more")],
        *[(11, 100, ""), (12, 100, STRONG), (600, 10_000, ""), (3, 6, STRONG)],
    ],
)
def test_a_judge_is_not_to_be_trusted_if_it_fails_more_controls_than_a_fair_one_by_chance(
    failed, asked, ending
):
    result, _ = run()
    controls = {"asked": asked, "passed": asked - failed, "failed": failed, "unanswered": 0}
    tested = replace(result, metadata={"controls": controls})
    told = f"the judge failed {failed:,} of {asked:,} controls{ending}"
    assert told in summary_of(tested).split("\n")
