"""The facts that a judge lists of the context: how it is cut, which list is believed, and what is shown then."""

from __future__ import annotations

import json
from typing import Any

import pytest

from faithfulness_assert import Ask, GradingResult, Reply, grade, policies
from faithfulness_assert.asking.windows import Budget
from faithfulness_assert.plan.state import State, TruthsKnown
from faithfulness_assert.plan.truths import _asked, _merged, _pieces, jobs
from faithfulness_assert.records.case import Case
from faithfulness_assert.records.judge import Limits
from faithfulness_assert.records.model import Evidence
from faithfulness_assert.text.evidence import number_sentences

ANSWER = "The shop is open daily."
CONTEXT = ["The shop is open daily. Dogs are welcome inside.", "The roof is green."]


class Lists:
    """A judge that lists these truths, one reply for each ask, and supports every statement."""

    def __init__(self, *truths: Any) -> None:
        self.truths = [t if isinstance(t, str) else json.dumps(t) for t in truths]
        self.asked: list[Ask] = []

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        self.asked.append(ask)
        if ask.kind == "truths":
            return Reply(self.truths.pop(0))
        if ask.kind == "claims":
            return Reply('{"sentences":[{"id":1,"claims":["The shop is open daily."]}]}')
        return Reply('{"verdicts":[{"id":1,"evidence":[1],"label":"supported"}]}')

    def asks_for(self, kind: str) -> list[Ask]:
        return [ask for ask in self.asked if ask.kind == kind]

    @property
    def shown(self) -> list[str]:
        return [text for _, text in self.asks_for("verdicts")[0].payload.sentences]


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
    state = state._replace(truths=TruthsKnown({2: ("One.",)}))
    assert [job.ids for job in jobs(state)] == [(1, 3)]
    state = state._replace(truths=TruthsKnown({1: (), 2: (), 3: ("One.",)}))
    assert jobs(state) == ()


def test_pieces_of_one_ask_fill_a_third_of_the_room_together() -> None:
    state = cut(["One two three."] * 4, 3 * 14)
    assert [job.ids for job in jobs(state)] == [(1, 2), (3, 4)]


# ---------------------------------------------------------------- which list is believed


def test_words_that_are_not_of_the_context_are_no_truths_and_are_asked_for_again() -> None:
    judge = Lists("Sure, here they are.\nAnything else?", "Sure, here they are.\nAnything else?")
    result = judged(judge)
    assert len(judge.asks_for("truths")) == 2
    assert judge.shown == ["The shop is open daily.", "Dogs are welcome inside.", CONTEXT[1]]
    assert any("for 2 parts of the context" in text for text in result.metadata["warnings"])


def test_a_plain_list_is_believed_if_one_of_its_lines_is_of_the_context() -> None:
    judge = Lists("It never closes at all.\nPets such as dogs may enter.")
    assert judged(judge).status == "graded"
    assert judge.shown == ["It never closes at all.", "Pets such as dogs may enter."]
    assert len(judge.asks_for("truths")) == 1


def test_a_context_of_pronouns_may_have_truths_in_other_words() -> None:
    judge = Lists("The cafe closed down.\nThe bar stayed open.")
    judged(judge, ["It is.", "He is."])
    assert judge.shown == ["The cafe closed down.", "The bar stayed open."]


def test_json_is_believed_whatever_its_words() -> None:
    judge = Lists({"truths": ["Nothing else matters."]})
    result = judged(judge)
    assert judge.shown == ["Nothing else matters."]
    assert result.metadata["replies"]["truths"] == 1


# ---------------------------------------------------------------- what a list says


def test_a_list_without_numbers_speaks_about_all_pieces_and_one_piece_owns_its_list() -> None:
    assert _merged(TruthsKnown(), [(None, "A."), (None, "B.")], (3, 4)) == TruthsKnown(
        {3: (), 4: ()}, ("A.", "B.")
    )
    assert _merged(TruthsKnown(), [(None, "A."), (None, "B.")], (3,)) == TruthsKnown(
        {3: ("A.", "B.")}
    )


def test_truths_of_other_asks_stay() -> None:
    known = TruthsKnown({1: ("A.",)}, ("B.",))
    assert _merged(known, [(2, "C."), (2, "D.")], (2, 5)) == TruthsKnown(
        {1: ("A.",), 2: ("C.", "D.")}, ("B.",)
    )
    assert _merged(known, [(None, "C."), (5, "D.")], (2, 5)) == TruthsKnown(
        {1: ("A.",), 2: (), 5: ("D.",)}, ("B.", "C.")
    )


def test_a_blank_truth_is_none() -> None:
    assert _merged(TruthsKnown(), [(2, " "), (None, ""), (5, "D.")], (2, 5)) == TruthsKnown(
        {5: ("D.",)}
    )


# ---------------------------------------------------------------- what is shown then


def test_truths_take_the_place_of_their_piece_and_are_numbered_in_its_order() -> None:
    passages = [{"id": 2, "truths": ["It is green.", "It is a roof."]}, {"id": 1, "truths": ["A."]}]
    judge = Lists({"passages": passages})
    result = judged(judge)
    assert judge.asks_for("verdicts")[0].payload.sentences == (
        (1, "A."),
        (2, "It is green."),
        (3, "It is a roof."),
    )
    [evidence] = result.verdicts[0].evidence
    assert (evidence.sentence, evidence.start, evidence.end) == (1, 0, len(CONTEXT[0]))


def test_a_passage_that_states_nothing_is_not_shown_and_one_that_is_left_out_is() -> None:
    judge = Lists({"truths": ["One fact."]})
    [evidence] = judged(judge).verdicts[0].evidence
    assert judge.shown == ["One fact."]
    assert (evidence.passage, evidence.start, evidence.end) == ("", 0, 0)
    again = Lists(
        {"passages": [{"id": 1, "truths": ["A."]}]}, {"passages": [{"id": 1, "truths": ["A."]}]}
    )
    result = judged(again)
    assert again.shown == ["A.", "The roof is green."]
    assert any("for 1 parts of the context" in text for text in result.metadata["warnings"])


@pytest.mark.parametrize(("limit", "shown"), [(1, 2), (2, 4), (None, 9)])
def test_a_limit_holds_for_each_passage_and_for_a_list_of_all(
    limit: int | None, shown: int
) -> None:
    facts = [f"Fact {'x' * n} holds." for n in range(9)]
    judge = Lists({"truths": facts})
    judged(judge, truths_limit=limit)
    assert judge.shown == facts[:shown]
    judge = Lists({"passages": [{"id": n, "truths": facts} for n in (1, 2)]})
    judged(judge, truths_limit=limit)
    assert judge.shown == 2 * facts[: limit or 9]
