"""Long contexts: each statement is shown the likeliest parts, and the result says how much that was."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from fakes import failing, tokens
from hypothesis import given
from hypothesis import strategies as st
from own_policy import likely_parts_from, with_own_policy
from strategies import examples

from faithfulness_assert import Ask, GradingResult, PromptTooLong, Reply, grade
from faithfulness_assert.records.judge import Limits

FEW_ASKS = 100

# ---------------------------------------------------------------- a judge that knows the truth

FILLER = [
    f"Nothing more is known about the long and winding matter number {n} of that year."
    for n in range(400)
]
LOCKED = "Nobody has found its doors unlocked since last May, at whatever hour."


def fact(name: str, said: str = "open") -> str:
    return f"The {name} museum is {said} on every day of the week."


class Knowing:
    """Finds in what an ask shows that a museum is open, or shut. Counts the asks for each one."""

    name = "knowing"

    def __init__(self, limits: Limits, fails_from: int = 10**6) -> None:
        self.limits, self.fails_from = limits, fails_from
        self.asked: list[Ask] = []

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        if ask.kind != "verdicts":
            listed = [{"id": n, "claims": [text]} for n, text in ask.payload.items]
            return Reply(json.dumps({"sentences": listed}))
        self.asked.append(ask)
        if len(self.asked) > self.fails_from:
            raise failing("timeout")
        text = "".join(f"{line.strip()} " for _, line in ask.payload.sentences)
        entries = [{"id": n, **self.verdict(s, ask, text)} for n, s in ask.payload.items]
        return Reply(json.dumps({"verdicts": entries}))

    def verdict(self, statement: str, ask: Ask, text: str) -> dict[str, Any]:
        lines = {line.strip().rstrip("."): n for n, line in ask.payload.sentences}
        back = [statement.rstrip(".")]
        deny = [statement.replace("is open", "is shut").rstrip("."), LOCKED.rstrip(".")]
        label = "supported" if any(said in text for said in back) else "not_enough_info"
        label = "contradicted" if any(said in text for said in deny) else label
        found = [lines[said] for said in (*back, *deny) if said in lines]
        return {"evidence": found or [ask.payload.sentences[0][0]], "label": label}

    def times(self, statement: str) -> int:
        return sum(statement in dict(ask.payload.items).values() for ask in self.asked)


ALL = 10**9
"""Asks for which everything is always shown."""
SMALL = Limits(prompt_tokens=900)


def graded(
    statements: Sequence[str],
    context: Sequence[str],
    limits: Limits = SMALL,
    fails_from: int = 10**6,
    few_asks: int = 0,
    **options: Any,
) -> tuple[GradingResult, Knowing]:
    judge = Knowing(limits, fails_from)
    options = with_own_policy({"controls": "off", **options})
    with likely_parts_from(few_asks):
        return grade(" ".join(statements), " ".join(context), judge=judge, **options), judge


def labels(result: GradingResult) -> list[str | None]:
    return [v.label for v in result.verdicts]


NAMES = ["Ashton", "Corby", "Lindow", "Marley"]
MUSEUMS = [fact(name) for name in NAMES]
CONTEXT = [*FILLER[:150], MUSEUMS[0], *FILLER[150:250], fact("Corby", "shut"), *FILLER[250:]]


def test_the_likeliest_parts_are_shown_first_and_more_only_to_what_is_not_supported():
    result, judge = graded(MUSEUMS[:3], CONTEXT)
    exact, exactly = graded(MUSEUMS[:3], CONTEXT, few_asks=ALL)
    assert labels(result) == labels(exact) == ["supported", "contradicted", "not_enough_info"]
    assert judge.times(MUSEUMS[0]) == 1
    assert judge.times(MUSEUMS[1]) > 1
    assert len(judge.asked) < len(exactly.asked) / 2


def test_an_unsupported_statement_says_what_share_of_the_context_was_shown():
    result, judge = graded(MUSEUMS[:3], CONTEXT)
    whole = len("".join(CONTEXT))
    for verdict in result.verdicts:
        lines = {
            line
            for ask in judge.asked
            if verdict.statement in dict(ask.payload.items).values()
            for line in ask.payload.sentences
        }
        assert verdict.shown == pytest.approx(sum(len(t) for _, t in lines) / whole, rel=0.01)
        assert 0 < verdict.shown < 1
    share = f"{100 * result.verdicts[2].shown:.2g} % of the context shown"
    assert share in str(result.reason)
    assert share in result.pretty()
    assert share in json.dumps(result.to_promptfoo("all"))
    assert result.pretty().count("of the context shown") >= 2
    (_,) = (w for w in result.metadata["warnings"] if "to show everything takes" in w)


def test_a_contradiction_in_an_unlikely_part_is_missed_where_the_whole_context_shows_it():
    context = [MUSEUMS[0], *FILLER, LOCKED]
    result, _ = graded(MUSEUMS[:1], context)
    exact, _ = graded(MUSEUMS[:1], context, few_asks=ALL)
    assert (labels(result), labels(exact)) == (["supported"], ["contradicted"])


@pytest.mark.parametrize(
    "options",
    [{"inverse": True}, {"weights": {"supported": 1, "not_enough_info": 0.5, "contradicted": 0}}],
)
def test_where_what_nothing_supports_helps_everything_is_shown(options):
    result, judge = graded(MUSEUMS[:3], CONTEXT, **options)
    shown = {n for ask in judge.asked for n, _ in ask.payload.sentences}
    assert shown == set(range(1, len(CONTEXT) + 1))
    assert all(v.shown == 1 for v in result.verdicts)


def test_by_default_everything_is_shown_unless_that_takes_many_asks():
    _, few = graded(MUSEUMS[:3], CONTEXT, few_asks=FEW_ASKS)
    _, everything = graded(MUSEUMS[:3], CONTEXT, few_asks=ALL)
    assert len(few.asked) == len(everything.asked) <= FEW_ASKS
    longer = [f"{text} It was page {n}." for n in range(8) for text in CONTEXT]
    result, many = graded(MUSEUMS[:3], longer, few_asks=FEW_ASKS)
    assert len(many.asked) < 20
    assert all(v.shown < 1 for v in result.verdicts)


@pytest.mark.parametrize(
    "options",
    [
        {"split": "claims"},
        {"verify": "per_claim"},
        {"verify": "per_claim", "split": "claims", "reask_singly": True},
        {"controls": "enforce"},
    ],
)
def test_every_way_to_judge_statements_takes_the_likely_parts(options):
    result, judge = graded(MUSEUMS[:3], CONTEXT, **options)
    if "controls" not in options:
        assert labels(result) == ["supported", "contradicted", "not_enough_info"]
    assert all(v.shown < 1 for v in result.verdicts)
    assert max(sum(tokens(m["content"]) for m in ask.messages) for ask in judge.asked) <= 900


def test_a_huge_passage_without_a_sentence_end_is_cut_and_no_fact_is_cut_in_two():
    words = " and ".join(line.rstrip(".").lower() for line in FILLER)
    facts = [fact(name).rstrip(".") for name in NAMES]
    places = [len(words) * n // 5 for n in range(1, 5)]
    for place, text in reversed(list(zip(places, facts, strict=True))):
        start = words.index(" and ", place)
        words = f"{words[:start]} and {text}{words[start:]}"
    result, judge = graded([*MUSEUMS, fact("Oster")], [words])
    assert labels(result) == ["supported"] * 4 + ["not_enough_info"]
    assert max(sum(tokens(m["content"]) for m in ask.messages) for ask in judge.asked) <= 900


def test_a_judge_whose_window_is_smaller_than_thought_is_asked_anew():
    class Small(Knowing):
        def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
            if sum(tokens(m["content"]) for m in ask.messages) + ask.max_tokens > 1200:
                raise PromptTooLong("too long", window=1200)
            return super().ask(ask)

    judge = Small(Limits(prompt_tokens=4000))
    with likely_parts_from(0):
        result = grade(" ".join(MUSEUMS[:3]), " ".join(CONTEXT), judge=judge, controls="off")
    assert labels(result) == ["supported", "contradicted", "not_enough_info"]


# ---------------------------------------------------------------- it never inflates


@examples(25)
@given(
    known=st.lists(st.tuples(st.integers(0, 7), st.integers(0, 149), st.booleans()), max_size=8),
    size=st.integers(1, 8),
    room=st.integers(850, 1200),
    most=st.sampled_from([None, 1, 2]),
    policy=st.sampled_from(["default", "ragaliq", "promptfoo-plan"]),
)
def test_what_likely_parts_support_the_whole_context_does_not_leave_open(
    known, size, room, most, policy
):
    names = [f"{first}{last}" for first in ("Ash", "Corb", "Lind", "Mar") for last in ("ow", "ey")]
    context = FILLER[:150]
    for museum, place, is_open in known:
        context.insert(place, fact(names[museum], "open" if is_open else "shut"))
    statements = [fact(name) for name in names[:size]]
    limits = Limits(prompt_tokens=room, statements=most)
    result, judge = graded(statements, context, limits, policy=policy)
    exact, _ = graded(statements, context, limits, policy=policy, few_asks=ALL)
    opened = {museum for museum, _, is_open in known if is_open}
    assert [v.statement for v in result.verdicts] == statements
    for number, (verdict, whole) in enumerate(zip(result.verdicts, exact.verdicts, strict=True)):
        if verdict.label == "supported":
            assert number in opened
            assert whole.label != "not_enough_info"
        if number not in opened:
            assert verdict.label in ("not_enough_info", "contradicted")
    for ask in judge.asked:
        assert sum(tokens(m["content"]) for m in ask.messages) <= room
        assert len(ask.ids) <= (most or 99)
