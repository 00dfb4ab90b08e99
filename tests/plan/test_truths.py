"""The facts that a judge lists of the context: how it is cut, which list is believed, and what is shown then."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from faithfulness_assert import Ask, GradingResult, Reply, grade, policies
from faithfulness_assert.asking.windows import Budget
from faithfulness_assert.cases.case import Case
from faithfulness_assert.plan.state import State
from faithfulness_assert.plan.truths import _asked, _pieces, jobs
from faithfulness_assert.records.judge import Limits
from faithfulness_assert.records.model import Evidence
from faithfulness_assert.text.evidence import number_sentences

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


# ---------------------------------------------------------------- how the context is cut


def cut(context: list[str], room: int | None) -> State:
    """The state before the truths of a context whose tokens are words, with so much room."""
    case = Case(ANSWER, context)
    budget = Budget(lambda text: len(text.split()), Limits(), room)
    return State(case, policies["deepeval"], budget, context=number_sentences(case, "en"))


def texts(state: State) -> list[list[str]]:
    return [[sentence.text for sentence in piece] for piece in _pieces(state)]


def test_a_piece_is_of_one_passage_and_has_at_most_a_third_of_the_room() -> None:
    context = ["One is here. Two is here. Three is here.", "Four is here."]
    # A line has 3 tokens of its own, and each sentence 3 words and a space.
    parts = [["One is here.", "Two is here."], ["Three is here."], ["Four is here."]]
    assert texts(cut(context, 3 * 11)) == parts
    assert texts(cut(context, 3 * 14)) == parts
    assert texts(cut(context, 3 * 10))[0] == ["One is here."]
    whole = [["One is here.", "Two is here.", "Three is here."], ["Four is here."]]
    assert texts(cut(context, 3 * 15)) == texts(cut(context, None)) == whole


@pytest.mark.parametrize("room", [None, 10**6])
@pytest.mark.parametrize(("words", "fit"), [(1998, 3), (1999, 2), (2997, 2), (2998, 1)])
def test_a_piece_has_at_most_six_thousand_tokens(room: int | None, words: int, fit: int) -> None:
    long = tuple(Evidence(n, "p", 0, 0, "word " * words) for n in range(1, 5))
    assert len(_pieces(cut(["One."], room)._replace(context=long))[0]) == fit


def test_where_a_reply_has_a_limit_a_piece_has_half_of_that_so_that_its_facts_fit() -> None:
    state = cut(["One is here. Two is here. Three is here."], 6 * 11)
    assert len(texts(state)) == 1
    state = state._replace(budget=state.budget._replace(reply_tokens=100))
    assert texts(state) == [["One is here.", "Two is here."], ["Three is here."]]


def test_a_sentence_that_is_too_long_for_an_ask_is_not_asked_about_and_keeps_its_number() -> None:
    context = ["One two three four five.", "One two.", "One two three four."]
    assert _asked(cut(context, 3 * 7)) == ((2, "One two."), (3, "One two three four."))
    assert [number for number, _ in _asked(cut(context, 3 * 8))] == [1, 2, 3]


def test_only_pieces_without_truths_are_asked_about() -> None:
    state = cut(["One two.", "One two three.", "One."], None)
    assert [job.ids for job in jobs(state)] == [(1, 2, 3)]
    state = state._replace(truths={2: ("One.",)})
    assert [job.ids for job in jobs(state)] == [(1, 3)]
    state = state._replace(truths={1: ("A.",), 2: ("B.",), 3: ("One.",)})
    assert jobs(state) == ()


def test_pieces_of_one_ask_fill_a_third_of_the_room_together() -> None:
    state = cut(["One two three."] * 4, 3 * 14)
    assert [job.ids for job in jobs(state)] == [(1, 2), (3, 4)]


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
