"""No number occurs twice in a grade, so a reply counts for its own ask only, or against another."""

import json
import logging
from collections.abc import Callable
from typing import Any

import pytest
from fakes import ScriptedJudge, verdicts_json
from hypothesis import given
from hypothesis import strategies as st

from faithfulness_assert import Ask, GradingResult, Reply, grade

ROOMS = [f"Room {n} of the old house is blue." for n in range(1, 9)]
CONTEXT = [*ROOMS, *(f"The shop in harbour {n} sells {n + 25} loaves of bread." for n in range(60))]


def labels(result: GradingResult) -> list[str | None]:
    return [v.label or v.unresolved for v in result.verdicts]


def graded(*replies: str | Reply, size: int = 4, **options: Any) -> tuple[GradingResult, list[Ask]]:
    judge = ScriptedJudge(replies)
    options = {"policy": "promptfoo-plan", "controls": "off", **options}
    return grade(" ".join(ROOMS[:size]), CONTEXT[:8], judge=judge, **options), judge.asked


@given(st.sets(st.integers(1, 4), max_size=3), st.integers(5, 99))
def test_one_number_that_was_not_asked_for_makes_all_that_a_reply_grants_open(others, stranger):
    said = {**dict.fromkeys(others, "supported"), stranger: "supported"}
    result, _ = graded(verdicts_json(said), reasks=0)
    assert {v.label for v in result.verdicts} == {None}
    denied = {**dict.fromkeys(others, "contradicted"), stranger: "supported"}
    result, _ = graded(verdicts_json(denied), reasks=0)
    assert {v.id for v in result.verdicts if v.label == "contradicted"} == others
    warned = result.metadata.get("warnings", ())
    assert not others or any("not asked" in warning for warning in warned)


DENIALS: dict[str, Callable[[int], str]] = {
    "a row": lambda n: verdicts_json({5: "not_enough_info", n: "contradicted"}),
    "a row of another label": lambda n: verdicts_json({5: "not_enough_info", n: "not_enough_info"}),
    "a row of no label": lambda n: verdicts_json({5: "not_enough_info", n: "perhaps"}),
    "prose": lambda n: f"{OWN}\nStatement {n} is contradicted by the context.",
    "prose before": lambda n: f"Claim #{n} was not supported after all.\n{OWN}",
    "a key": lambda n: OWN.replace("{", f'{{"note": "statement {n} is not supported", ', 1),
    "a key with a number": lambda n: OWN.replace("{", f'{{"unsupported": [{{"id": {n}}}], ', 1),
    "lines": lambda n: f"5. no\n{n}. contradicted",
}
OWN = verdicts_json({5: "not_enough_info"})
ALL_BUT_ONE = verdicts_json(dict.fromkeys((1, 2, 3), "supported"))


@pytest.mark.parametrize("form", DENIALS)
@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_later_reply_that_denies_an_earlier_number_takes_exactly_that_back(form, number):
    result, asked = graded(ALL_BUT_ONE, DENIALS[form](number))
    assert [ask.ids for ask in asked] == [(1, 2, 3, 4), (5,)]
    expected = ["supported"] * 3
    expected[number - 1] = "duplicate"
    assert labels(result)[:3] == expected
    assert result.verdicts[3].label in ("not_enough_info", None)


@pytest.mark.parametrize("form", DENIALS)
def test_a_denial_of_a_number_that_no_ask_had_takes_nothing_back(form):
    result, _ = graded(ALL_BUT_ONE, DENIALS[form](77))
    assert labels(result)[:3] == ["supported"] * 3


def test_an_unresolved_statement_is_asked_about_once_again_alone_and_under_a_new_number():
    result, asked = graded(ALL_BUT_ONE, verdicts_json({5: "contradicted"}))
    assert [ask.payload.items for ask in asked] == [
        tuple(enumerate(ROOMS[:4], 1)),
        ((5, ROOMS[3]),),
    ]
    assert labels(result) == ["supported"] * 3 + ["contradicted"]
    assert [ask.max_tokens for ask in asked] == [256 + 96 * 4, 256 + 96]
    assert len(graded(ALL_BUT_ONE, reasks=0)[1]) == 1


def test_too_few_or_too_many_verdicts_are_noted_and_logged_without_texts(caplog):
    with caplog.at_level(logging.WARNING, "faithfulness_assert"):
        result, _ = graded(ALL_BUT_ONE, verdicts_json({5: "supported", 8: "supported"}))
    counts = [(4, 3), (1, 2)]
    noted = [{"expected": expected, "actual": actual} for expected, actual in counts]
    assert result.metadata["mismatchedCounts"] == noted
    said = [
        f"verdicts in a reply: expected {expected}, got {actual}" for expected, actual in counts
    ]
    assert [record.getMessage() for record in caplog.records] == said


def test_reasons_that_said_too_much_are_not_asked_for_again():
    doubtful = json.loads(ALL_BUT_ONE)
    doubtful["verdicts"][0]["reason"] = "It is not stated."
    for reply, again in ((json.dumps(doubtful), False), (ALL_BUT_ONE, True)):
        _, asked = graded(reply, "{}", reasons="all")
        assert [ask.form.reasons for ask in asked] == ["all", "all" if again else "none"]
        assert ["reason" in ask.messages[0]["content"] for ask in asked] == [True, again]
