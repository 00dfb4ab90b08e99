"""The facts that a judge lists of the context: which list is believed, and what is shown then."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from faithfulness_assert import Ask, GradingResult, Reply, grade

ANSWER = "The shop is open daily."
CONTEXT = ["The shop is open daily. Dogs are welcome inside.", "The roof is green."]


class Lists:
    """A judge that lists these truths, one reply for each ask, and supports every statement."""

    def __init__(self, *truths: Any) -> None:
        self.truths = list(truths)
        self.asked: list[Ask] = []

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        self.asked.append(ask)
        if ask.kind == "truths":
            said = self.truths.pop(0)
            return said(ask) if callable(said) else Reply(said)
        if ask.kind == "claims":
            return Reply('{"claims":["The shop is open daily."]}')
        return Reply('{"evidence":[1],"label":"supported"}')

    def asks_for(self, kind: str) -> list[Ask]:
        return [ask for ask in self.asked if ask.kind == kind]

    @property
    def shown(self) -> list[str]:
        return [text for _, text in self.asks_for("verdicts")[0].payload.sentences]


def listed(*truths: list[str]) -> Callable[[Ask], Reply]:
    """A reply with these truths for the pieces of its ask, in order."""

    def reply(ask: Ask) -> Reply:
        found = [{"id": n, "truths": texts} for n, texts in zip(ask.ids, truths, strict=False)]
        return Reply(json.dumps({"passages": found}))

    return reply


def judged(judge: Lists, context: Any = CONTEXT, **options: Any) -> GradingResult:
    return grade(ANSWER, context, judge=judge, policy="deepeval", explain="none", **options)


# ---------------------------------------------------------------- what is shown then

PIECES = [" ".join(CONTEXT[:1]), CONTEXT[1]]
AS_IT_IS = ["The shop is open daily.", "Dogs are welcome inside.", CONTEXT[1]]


@pytest.mark.parametrize(
    "said",
    [
        "Sure, here they are.\nAnything else?",
        "It never closes at all.\nPets such as dogs may enter.",
        json.dumps({"truths": ["The shop never closes.", "Dogs may enter."]}),
        json.dumps({"passages": [{"id": 41, "truths": ["The shop never closes."]}]}),
        json.dumps({"passages": [{"id": 1, "truths": []}, {"id": 2, "truths": []}]}),
        "I cannot help with that.",
        "{",
    ],
)
def test_a_reply_that_lists_nothing_for_a_piece_is_asked_for_again_and_then_nothing_is_lost(
    said: str,
) -> None:
    judge = Lists(said, said)
    result = judged(judge)
    assert [ask.ids for ask in judge.asks_for("truths")] == [(2, 3), (4, 5)]
    assert judge.shown == AS_IT_IS
    assert any("for 2 parts of the context" in text for text in result.metadata["warnings"])
    again = Lists(said, listed(["It never closes."], ["It is green."]))
    judged(again)
    assert again.shown == ["It never closes.", "It is green."]


def test_a_list_without_numbers_is_that_of_the_only_piece_that_was_asked_about() -> None:
    judge = Lists('{"truths": ["It never closes.", "", "It is green."]}')
    result = judged(judge, CONTEXT[:1])
    assert judge.shown == ["It never closes.", "It is green."]
    assert result.metadata["replies"]["truths"] == 1


def test_truths_take_the_place_of_their_piece_in_its_order_and_point_into_it() -> None:
    judge = Lists(listed([], ["It is green.", "It is a roof."]), listed(["A."]))
    result = judged(judge)
    assert [ask.payload.items for ask in judge.asks_for("truths")] == [
        ((2, PIECES[0]), (3, PIECES[1])),
        ((4, PIECES[0]),),
    ]
    assert judge.shown == ["A.", "It is green.", "It is a roof."]
    [evidence] = result.verdicts[0].evidence
    assert (evidence.sentence, evidence.start, evidence.end) == (1, 0, len(CONTEXT[0]))


def test_a_piece_that_is_left_out_twice_is_shown_as_it_is_beside_the_truths_of_others() -> None:
    judge = Lists(listed(["A."]), "{}")
    result = judged(judge)
    assert judge.shown == ["A.", CONTEXT[1]]
    assert any("for 1 parts of the context" in text for text in result.metadata["warnings"])


@pytest.mark.parametrize("limit", [1, 2, None])
def test_a_limit_holds_for_each_piece(limit: int | None) -> None:
    facts = [f"Fact {'x' * n} holds." for n in range(9)]
    judge = Lists(listed(facts, facts))
    judged(judge, truths_limit=limit)
    assert judge.shown == 2 * facts[: limit or 9]
