"""The procedure, tested with next and send: what is asked, what becomes of every outcome, and that it always ends in a result."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from fakes import USAGE, failing, verdicts_json

from faithfulness_assert import Ask, Case, GradingResult, Policy, Reply, policies
from faithfulness_assert.plan.plan import grade_plan
from faithfulness_assert.records.ask import Outcome
from faithfulness_assert.records.judge import Limits

CONTEXT = ["The museum opens at nine. It is closed on Mondays.", "Adults pay 14 euros."]
TWO = Case("The museum opens at nine. Adults pay 14 euros.", CONTEXT)
DEFAULT = policies["default"]


def drive(
    case: Case, policy: Policy, *outcomes: Outcome | Callable[[Ask], Outcome], **options: Any
) -> tuple[GradingResult, list[Ask]]:
    """Sends each outcome in turn (the last one again and again) and returns the result and all asks."""
    plan = grade_plan(case, policy, **options)
    asked: list[Ask] = []
    try:
        asks = next(plan)
        while True:
            answers: list[Outcome] = []
            for ask in asks:
                outcome = outcomes[min(len(asked), len(outcomes) - 1)]
                asked.append(ask)
                answers.append(outcome(ask) if callable(outcome) else outcome)
            asks = plan.send(tuple(answers))
    except StopIteration as stop:
        return stop.value, asked


def said(text: str, **details: Any) -> Reply:
    return Reply(text, usage=USAGE, **details)


ALL_GOOD = said(verdicts_json({1: "supported", 2: "supported"}))


# ---------------------------------------------------------------- asking


def test_one_ask_covers_all_statements_and_numbers_the_context_once() -> None:
    result, asked = drive(TWO, DEFAULT, ALL_GOOD)
    assert (result.status, result.score, result.pass_, len(asked)) == ("graded", 1.0, True, 1)
    payload = asked[0].payload
    assert payload.sentences == (
        (1, "The museum opens at nine."),
        (2, "It is closed on Mondays."),
        (3, "Adults pay 14 euros."),
    )
    assert asked[0].ids == (1, 2)
    assert asked[0].max_tokens == 256 + 96 * 2


def test_an_unresolved_statement_is_asked_again_once_under_its_own_number() -> None:
    result, asked = drive(
        TWO,
        DEFAULT,
        said(verdicts_json({1: "supported"})),
        said(verdicts_json({2: "contradicted"})),
    )
    assert [ask.ids for ask in asked] == [(1, 2), (2,)]
    assert [v.label for v in result.verdicts] == ["supported", "contradicted"]
    assert (result.score, result.pass_) == (0.5, False)


def test_what_stays_unresolved_counts_as_unsupported_and_shows_as_unverified() -> None:
    result, asked = drive(TWO, DEFAULT, said(verdicts_json({1: "supported"})), said(""))
    assert len(asked) == 2
    assert (result.status, result.score, result.coverage) == ("graded", 0.5, 0.5)
    assert result.verdicts[1].unresolved == "missing"
    assert result.counts["unresolved"] == 1
    assert "unverified" in result.reason.lower()


def test_without_reasks_nothing_is_asked_again() -> None:
    _, asked = drive(TWO, replace(DEFAULT, reasks=0), said(verdicts_json({1: "supported"})))
    assert len(asked) == 1


def test_exact_repeats_are_asked_once_and_count_once() -> None:
    case = Case("The museum opens at nine. " * 5 + "Adults pay 15 euros.", CONTEXT)
    result, asked = drive(
        case, DEFAULT, said(verdicts_json({1: "supported", 6: "not_enough_info"}))
    )
    assert asked[0].ids == (1, 6)
    assert (result.score, len(result.verdicts), result.counts["supported"]) == (0.5, 6, 1)
    assert [v.repeat_of for v in result.verdicts] == [None, 1, 1, 1, 1, None]


# ---------------------------------------------------------------- endings without a judge


@pytest.mark.parametrize("answer", ["", "  \n\t", "\u200b\ufeff\u00a0", ":", "...", "\x00"])
def test_a_blank_answer_has_no_statements_and_asks_nothing(answer: str) -> None:
    result, asked = drive(Case(answer, CONTEXT), DEFAULT)
    assert (result.status, result.defined, result.pass_, result.score, asked) == (
        "no_statements",
        False,
        False,
        0.0,
        [],
    )


@pytest.mark.parametrize("context", [[], "", " \u200b", ["", "\n"]])
def test_an_empty_context_asks_nothing_and_never_passes(context: Any) -> None:
    result, asked = drive(Case("The museum opens at nine.", context), DEFAULT)
    assert (result.status, result.defined, result.pass_, asked) == ("no_context", False, False, [])


def test_an_answer_that_only_declines_is_abstained_and_the_policy_decides() -> None:
    case = Case("I'm sorry, but I can't answer that.", CONTEXT)
    result, asked = drive(case, DEFAULT)
    assert (result.status, result.pass_, result.defined, asked) == ("abstained", False, False, [])
    result, _ = drive(case, replace(DEFAULT, on_abstained="pass"))
    assert (result.status, result.pass_, result.score, result.defined) == (
        "abstained",
        True,
        1.0,
        True,
    )


def test_a_decline_beside_something_skipped_is_not_the_whole_answer() -> None:
    case = Case("I can't answer that.\n\n```python\nprint('Aspirin cures cancer')\n```", CONTEXT)
    result, asked = drive(
        case, replace(DEFAULT, on_abstained="pass"), said(verdicts_json({1: "not_enough_info"}))
    )
    assert (result.status, result.pass_, len(asked)) == ("graded", False, 1)


@pytest.mark.parametrize(
    "answer",
    [
        "Sorry. I can't help with that.",
        "I can't answer that. Is there anything else I can help you with?",
    ],
)
def test_regret_and_offers_beside_a_decline_are_part_of_it(answer: str) -> None:
    assert drive(Case(answer, CONTEXT), DEFAULT)[0].status == "abstained"


def test_a_claim_about_the_silence_of_the_context_is_graded() -> None:
    result, asked = drive(
        Case("The contract doesn't mention a fee.", CONTEXT),
        DEFAULT,
        said(verdicts_json({1: "supported"})),
    )
    assert (result.status, len(asked)) == ("graded", 1)


def test_an_answer_of_greetings_only_is_no_statements_when_the_judge_says_so() -> None:
    result, _ = drive(
        Case("Hope this helps!", CONTEXT), DEFAULT, said(verdicts_json({1: "not_a_claim"}))
    )
    assert (result.status, result.defined, result.pass_) == ("no_statements", False, False)


# ---------------------------------------------------------------- what a judge can do


ENDINGS: list[tuple[str, Outcome, str, str, int]] = [
    ("a refusal field", Reply("", refusal="I can't help."), "judge_refused", "refusal", 1),
    (
        "refusal wording",
        said("I'm sorry, but I can't assist with that request."),
        "judge_refused",
        "refusal",
        1,
    ),
    (
        "a content filter",
        Reply('{"verdicts":[{"id":1,', finish_reason="content_filter"),
        "judge_refused",
        "content_filter",
        1,
    ),
    (
        "a cut reply that would read well",
        said(ALL_GOOD.text, finish_reason="length"),
        "unreadable",
        "truncated",
        1,
    ),
    ("no verdict at all", said("Hello there"), "unreadable", "unreadable", 2),
    ("an empty list", said('{"verdicts":[]}'), "unreadable", "unreadable", 2),
    (
        "only unknown words",
        said('{"verdicts":[{"id":1,"label":"perhaps"},{"id":2,"label":"maybe"}]}'),
        "unreadable",
        "unreadable",
        2,
    ),
    (
        "a reply that an error broke off",
        said(ALL_GOOD.text, finish_reason="failed"),
        "judge_failed",
        "server",
        1,
    ),
    (
        "a reply cut in another provider's words",
        said(ALL_GOOD.text, finish_reason="MAX_TOKENS"),
        "unreadable",
        "truncated",
        1,
    ),
    ("a transport failure", failing("transport", retryable=True), "judge_failed", "transport", 1),
    ("a wrong key", failing("auth"), "judge_failed", "auth", 1),
    ("a timeout", failing("timeout", retryable=True), "judge_failed", "timeout", 1),
    ("a rate limit", failing("rate_limit", retryable=True), "judge_failed", "rate_limit", 1),
    ("a server error", failing("server", retryable=True), "judge_failed", "server", 1),
]


@pytest.mark.parametrize(
    ("outcome", "status", "kind", "asks"),
    [row[1:] for row in ENDINGS],
    ids=[row[0] for row in ENDINGS],
)
def test_each_failure_of_the_judge_has_its_own_status_and_kind(
    outcome: Outcome, status: str, kind: str, asks: int
) -> None:
    result, asked = drive(TWO, DEFAULT, outcome)
    assert (result.status, result.error and result.error.kind) == (status, kind)
    assert (result.pass_, result.defined, result.score, result.metadata["graderError"]) == (
        False,
        False,
        0.0,
        True,
    )
    assert len(asked) == asks


def test_a_failed_call_is_paid_for_too() -> None:
    result, _ = drive(TWO, DEFAULT, failing("server", usage=USAGE))
    assert result.tokens_used == USAGE


def test_usage_is_estimated_and_said_to_be_where_the_judge_is_silent() -> None:
    result, _ = drive(TWO, DEFAULT, Reply(ALL_GOOD.text))
    assert result.tokens_used.estimated
    assert result.tokens_used.prompt > 100
    assert result.tokens_used.num_requests == 1


def test_a_reference_that_does_not_exist_is_flagged_and_strict_evidence_lowers_it() -> None:
    reply = said(verdicts_json({1: "supported", 2: "supported"}, evidence=[99]))
    result, _ = drive(TWO, DEFAULT, reply)
    assert result.verdicts[0].flags == ("no_such_evidence",)
    assert result.score == 1.0
    result, _ = drive(TWO, replace(DEFAULT, strict_evidence=True), reply)
    assert [v.label for v in result.verdicts] == ["not_enough_info", "not_enough_info"]
    assert result.score == 0.0


def test_a_sentence_that_a_window_did_not_show_is_no_evidence() -> None:
    case = Case("The museum opens at nine.", [FILLER, "The museum opens at nine.", FILLER])

    def cites_the_first(ask: Ask) -> Reply:
        return said(verdicts_json(dict.fromkeys(ask.ids, "supported"), evidence=[1]))

    result, _ = drive(case, replace(DEFAULT, strict_evidence=True), cites_the_first, limits=NARROW)
    assert "no_such_evidence" in result.verdicts[0].flags or [
        e.sentence for e in result.verdicts[0].evidence
    ] == [1]
    late = Case("The museum opens at nine.", ["The museum opens at nine."])
    result, _ = drive(
        late,
        replace(DEFAULT, strict_evidence=True),
        said(verdicts_json({1: "supported"}, evidence=[2])),
    )
    assert (result.verdicts[0].label, result.verdicts[0].flags) == (
        "not_enough_info",
        ("no_such_evidence", "lowered"),
    )


def test_a_quote_is_resolved_to_the_sentences_that_hold_it_and_flagged_where_none_does() -> None:
    def quoting(*quotes: str) -> Reply:
        return said(
            json.dumps(
                {
                    "verdicts": [
                        {"id": 1, "evidence": list(quotes), "label": "supported"},
                        {"id": 2, "label": "supported"},
                    ]
                }
            )
        )

    strict = replace(DEFAULT, strict_evidence=True)
    result, _ = drive(TWO, strict, quoting("opens at  NINE. It is closed", "“adults pay 14 euros”"))
    assert [e.sentence for e in result.verdicts[0].evidence] == [1, 2, 3]
    assert (result.verdicts[0].label, result.verdicts[0].flags) == ("supported", ())
    result, _ = drive(TWO, strict, quoting("adults pay 14 euros", "children pay 3 euros"))
    assert (result.verdicts[0].label, result.verdicts[0].flags) == (
        "not_enough_info",
        ("no_such_quote", "lowered"),
    )


def test_a_repeat_that_was_judged_alone_is_no_repeat() -> None:
    case = Case("Adults pay 14 euros. Adults pay 14 euros.", CONTEXT)
    result, _ = drive(
        case,
        replace(DEFAULT, dedupe=False),
        said(verdicts_json({1: "supported", 2: "contradicted"})),
    )
    assert [v.repeat_of for v in result.verdicts] == [None, None]
    assert [v.label for v in result.problems()] == ["contradicted"]


def test_evidence_is_resolved_to_passage_and_span() -> None:
    result, _ = drive(
        TWO, DEFAULT, said(verdicts_json({1: "supported", 2: "supported"}, evidence=[3]))
    )
    found = result.verdicts[1].evidence[0]
    assert (found.passage, found.text) == ("2", "Adults pay 14 euros.")
    assert CONTEXT[1][found.start : found.end] == found.text


def test_on_missing_error_makes_an_unresolved_statement_a_grader_error() -> None:
    result, _ = drive(
        TWO, replace(DEFAULT, on_missing="error"), said(verdicts_json({1: "supported"})), said("")
    )
    assert (result.status, result.metadata["graderError"]) == ("unreadable", True)
    assert "1 of 2 statements" in result.reason
    result, _ = drive(TWO, replace(DEFAULT, on_missing="error", reasks=0), failing("server"))
    assert (result.status, result.error and result.error.kind) == ("judge_failed", "server")


# ---------------------------------------------------------------- windows


def window_judge(words: dict[str, str]) -> Callable[[Ask], Reply]:
    """Labels all statements by the first word of ``words`` that the shown context holds."""

    def answer(ask: Ask) -> Reply:
        shown = " ".join(text for _, text in ask.payload.sentences)
        label = next((label for word, label in words.items() if word in shown), "not_enough_info")
        number = next(
            (n for n, text in ask.payload.sentences if any(word in text for word in words)), 0
        )
        return said(
            verdicts_json(dict.fromkeys(ask.ids, label), evidence=[number] if number else [])
        )

    return answer


FILLER = "The river runs past the old mill and on to the sea. " * 120
NARROW = Limits(prompt_tokens=1500)


def test_a_context_that_is_too_long_is_shown_in_windows_and_one_support_is_enough() -> None:
    case = Case("The museum opens at nine.", [FILLER, "The museum opens at nine.", FILLER])
    result, asked = drive(case, DEFAULT, window_judge({"museum": "supported"}), limits=NARROW)
    assert len(asked) > 2
    assert (result.score, result.metadata["windows"]) == (1.0, len(asked))
    shown = {number for ask in asked for number, _ in ask.payload.sentences}
    assert shown == set(range(1, 242))
    assert all(sum(len(m["content"]) for m in ask.messages) / 4 <= 1500 for ask in asked)


def test_windows_that_disagree_are_settled_by_an_ask_with_the_evidence_of_both() -> None:
    case = Case(
        "The museum opens at nine.",
        ["The museum opens at nine.", FILLER, "Since May the museum opens at ten."],
    )
    judge = window_judge({"Since May": "contradicted", "museum": "supported"})
    result, asked = drive(case, DEFAULT, judge, limits=NARROW)
    assert [text for _, text in asked[-1].payload.sentences] == [
        "The museum opens at nine.",
        "Since May the museum opens at ten.",
    ]
    assert result.verdicts[0].label == "contradicted"


def test_a_failed_window_leaves_a_statement_unresolved_unless_another_window_supports_it() -> None:
    judge = window_judge({"museum": "supported"})

    def first_window_fails(ask: Ask) -> Outcome:
        return failing("server") if ask.payload.sentences[0][0] == 1 else judge(ask)

    there = Case("The museum opens at nine.", [FILLER, "The museum opens at nine."])
    result, _ = drive(there, DEFAULT, first_window_fails, limits=NARROW)
    assert (result.status, result.score) == ("graded", 1.0)
    elsewhere = Case("The museum opens at nine.", [FILLER, FILLER])
    result, _ = drive(elsewhere, DEFAULT, first_window_fails, limits=NARROW)
    assert (result.status, result.error and result.error.kind) == ("judge_failed", "server")


def test_many_statements_go_out_in_several_asks_at_once() -> None:
    case = Case(" ".join(f"Room {i} is open." for i in range(95)), CONTEXT)
    plan = grade_plan(case, DEFAULT, limits=Limits(statements=40))
    asks = next(plan)
    assert [len(ask.ids) for ask in asks] == [40, 40, 15]
    plan.close()


def test_the_ask_that_settles_conflicts_keeps_to_the_limits_too() -> None:
    facts = " ".join(f"Room {i} is open." for i in range(12))
    case = Case(facts, [facts, FILLER, facts.replace("is open", "was closed")])

    def torn(ask: Ask) -> Reply:
        label = (
            "contradicted"
            if any("closed" in text for _, text in ask.payload.sentences)
            else "supported"
        )
        near = [n for n, text in ask.payload.sentences if "Room" in text]
        return said(
            verdicts_json(
                dict.fromkeys(ask.ids, label if near else "not_enough_info"), evidence=near
            )
        )

    _, asked = drive(case, DEFAULT, torn, limits=Limits(prompt_tokens=1500, statements=3))
    assert all(len(ask.ids) <= 3 for ask in asked)
    assert all(sum(len(m["content"]) for m in ask.messages) / 4 <= 1500 for ask in asked)


def test_a_question_that_leaves_no_room_is_invalid_input() -> None:
    result, asked = drive(Case("It rains.", CONTEXT, "why " * 2000), DEFAULT, limits=NARROW)
    assert (result.status, asked) == ("invalid_input", [])
    assert "question" in result.reason


def test_a_statement_that_no_ask_can_hold_is_invalid_input() -> None:
    result, asked = drive(Case("word " * 5000, CONTEXT), DEFAULT, limits=NARROW)
    assert (result.status, asked) == ("invalid_input", [])
    assert "max_prompt_tokens" in result.reason


# ---------------------------------------------------------------- claims


RAGAS = policies["ragas"]


def claims(found: dict[int, list[str]]) -> Reply:
    return said(
        json.dumps({"sentences": [{"id": n, "claims": texts} for n, texts in found.items()]})
    )


def test_claims_are_extracted_then_judged_in_two_calls() -> None:
    extracted = claims(
        {1: ["The museum opens at nine."], 2: ["Adults pay.", "The price is 14 euros."]}
    )
    result, asked = drive(
        TWO,
        RAGAS,
        extracted,
        said(verdicts_json({1: "supported", 2: "supported", 3: "not_enough_info"})),
    )
    assert [ask.kind for ask in asked] == ["claims", "verdicts"]
    assert [v.statement for v in result.verdicts] == [
        "The museum opens at nine.",
        "Adults pay.",
        "The price is 14 euros.",
    ]
    assert result.score == pytest.approx(2 / 3)
    assert result.verdicts[2].span == (26, 46)


def test_a_sentence_with_a_number_that_yields_no_claim_is_graded_as_it_stands() -> None:
    extracted = claims({1: ["The museum opens at nine."], 2: []})
    result, _ = drive(
        TWO, RAGAS, extracted, said(verdicts_json({1: "supported", 2: "not_enough_info"}))
    )
    assert [v.statement for v in result.verdicts] == [
        "The museum opens at nine.",
        "Adults pay 14 euros.",
    ]


def test_a_sentence_that_the_judge_leaves_out_is_asked_for_again_and_then_graded_as_it_stands() -> (
    None
):
    case = Case("The museum opens at nine. Every visitor gets a free car.", CONTEXT)
    left_out = claims({1: ["The museum opens at nine."]})
    verdicts = said(verdicts_json({1: "supported", 2: "not_enough_info"}))
    result, asked = drive(case, RAGAS, left_out, claims({2: ["Visitors get a car."]}), verdicts)
    assert [(ask.kind, ask.ids) for ask in asked] == [
        ("claims", (1, 2)),
        ("claims", (2,)),
        ("verdicts", (1, 2)),
    ]
    assert [v.statement for v in result.verdicts] == [
        "The museum opens at nine.",
        "Visitors get a car.",
    ]
    result, _ = drive(case, RAGAS, left_out, said("{"), verdicts)
    assert [v.statement for v in result.verdicts] == [
        "The museum opens at nine.",
        "Every visitor gets a free car.",
    ]
    assert result.score == 0.5


def test_a_sentence_that_is_said_to_claim_nothing_is_reported_as_skipped() -> None:
    case = Case("Here you go! The museum opens at nine.", CONTEXT)
    result, _ = drive(
        case,
        RAGAS,
        claims({1: [], 2: ["The museum opens at nine."]}),
        said(verdicts_json({1: "supported"})),
    )
    assert [v.statement for v in result.verdicts] == ["The museum opens at nine."]
    assert [(s.start, s.end, s.reason) for s in result.skipped] == [
        (0, 12, "the judge finds no claim in it")
    ]


def test_a_claim_for_a_number_that_was_not_asked_is_ignored_with_a_warning() -> None:
    case = Case("The museum opens at nine. It has 500 rooms.", CONTEXT)
    extracted = claims({1: ["The museum opens at nine."], 2: [], 9: ["It is old."]})
    result, _ = drive(
        case, RAGAS, extracted, said(verdicts_json({1: "supported", 2: "not_enough_info"}))
    )
    assert [v.statement for v in result.verdicts] == [
        "The museum opens at nine.",
        "It has 500 rooms.",
    ]
    assert any("1 entries" in warning for warning in result.metadata["warnings"])


def test_a_plain_list_of_claims_is_taken_as_it_is() -> None:
    result, asked = drive(
        TWO,
        RAGAS,
        said('{"claims": ["It opens at nine.", "Adults pay 14 euros."]}'),
        said(verdicts_json({1: "supported", 2: "supported"})),
    )
    assert [v.statement for v in result.verdicts] == ["It opens at nine.", "Adults pay 14 euros."]
    assert len(asked) == 2


def test_an_extraction_refusal_is_a_grader_error_and_never_a_score() -> None:
    result, asked = drive(
        TWO, policies["promptfoo"], said("I apologize, but I cannot help with that request.")
    )
    assert (result.status, result.score, result.pass_, len(asked)) == (
        "judge_refused",
        0.0,
        False,
        1,
    )


def test_unreadable_claims_are_asked_for_again_once() -> None:
    result, asked = drive(TWO, RAGAS, said("{"), said("{"))
    assert (result.status, len(asked)) == ("unreadable", 2)
    assert [ask.kind for ask in asked] == ["claims", "claims"]


JOINT = replace(RAGAS, joint=True)


def test_joint_extracts_and_judges_in_one_call() -> None:
    entries = [
        {"id": 1, "claim": "The museum opens at nine.", "evidence": [1], "label": "supported"},
        {"id": 2, "claim": "Adults pay.", "evidence": [3], "label": "supported"},
        {"id": 2, "claim": "It is 14 euros.", "evidence": [3], "label": "not_enough_info"},
    ]
    result, asked = drive(TWO, JOINT, said(json.dumps({"verdicts": entries})))
    assert [ask.kind for ask in asked] == ["claims_and_verdicts"]
    assert result.score == pytest.approx(2 / 3)


def test_a_claim_that_a_joint_reply_judges_both_ways_is_unresolved() -> None:
    entries = [
        {"id": 1, "claim": "It opens at nine.", "evidence": [1], "label": "supported"},
        {"id": 2, "claim": "It opens at nine.", "evidence": [1], "label": "contradicted"},
    ]
    result, _ = drive(
        TWO, replace(JOINT, dedupe=True), said(json.dumps({"verdicts": entries})), said("")
    )
    assert [v.unresolved for v in result.verdicts] == ["duplicate", "missing"]
    assert result.verdicts[1].statement == "Adults pay 14 euros."
    assert not result.pass_


FALSE = Case("Bob stole 5 dollars. The sky is blue.", ["The sky is blue."])


def test_a_joint_reply_that_counts_from_zero_is_put_in_its_place_or_not_believed() -> None:
    theft = {"id": 0, "claim": "Bob stole 5 dollars.", "label": "contradicted"}
    sky = {"id": 1, "claim": "The sky is blue.", "label": "supported"}
    result, _ = drive(FALSE, JOINT, said(json.dumps({"verdicts": [theft, sky]})))
    assert [(v.statement, v.label) for v in result.verdicts] == [
        ("Bob stole 5 dollars.", "contradicted"),
        ("The sky is blue.", "supported"),
    ]
    result, asked = drive(FALSE, JOINT, said(json.dumps({"verdicts": [theft]})))
    assert (result.status, len(asked)) == ("unreadable", 2)


def test_a_joint_reply_cannot_set_a_sentence_aside_in_words_of_its_own() -> None:
    entries = [
        {"id": 1, "claim": "ok", "label": "not_a_claim"},
        {"id": 2, "claim": "The sky is blue.", "label": "supported"},
    ]
    result, _ = drive(FALSE, JOINT, said(json.dumps({"verdicts": entries})), said(""))
    assert (result.score, result.verdicts[0].label) == (0.5, None)


def test_a_flood_of_claims_is_not_believed() -> None:
    flood = [{"id": 2, "claim": f"The sky is blue {i}.", "label": "supported"} for i in range(500)]
    result, _ = drive(
        FALSE,
        JOINT,
        said(json.dumps({"verdicts": [*flood, {"id": 1, "claim": "x", "label": "contradicted"}]})),
    )
    assert result.status == "unreadable"
    result, _ = drive(FALSE, RAGAS, claims({2: [f"The sky is blue {i}." for i in range(500)]}))
    assert result.status == "unreadable"


def test_a_plain_list_of_claims_loses_no_number_and_no_name() -> None:
    case = Case("The sky is blue. Cows weigh 900 kg.", ["The sky is blue."])
    result, _ = drive(
        case,
        RAGAS,
        said('["The sky is blue."]'),
        said(verdicts_json({1: "supported", 2: "not_enough_info"})),
    )
    assert [v.statement for v in result.verdicts] == ["The sky is blue.", "Cows weigh 900 kg."]
    assert [v.span for v in result.verdicts] == [(0, 16), (17, 35)]


def test_claims_that_count_from_zero_are_put_under_their_own_sentences() -> None:
    extracted = claims({0: ["The museum opens at nine."], 1: ["Adults pay 14 euros."]})
    result, _ = drive(TWO, RAGAS, extracted, said(verdicts_json({1: "supported", 2: "supported"})))
    assert [v.span for v in result.verdicts] == [(0, 25), (26, 46)]


def test_a_joint_ask_and_the_windows_agree_on_what_fits() -> None:
    for repeats in range(40, 110, 5):
        case = Case("The museum opens at nine.", ["The river runs past the old mill. " * repeats])
        limits = Limits(prompt_tokens=1500)
        result, asked = drive(case, JOINT, said("{}"), limits=limits)
        assert all(sum(len(m["content"]) for m in ask.messages) / 4 <= 1500 for ask in asked)
        assert ("windows" in result.metadata) == (
            asked[0].kind == "claims"
        ) or result.status == "unreadable"


def test_a_sentence_that_a_joint_reply_leaves_out_is_asked_again_as_it_stands() -> None:
    entries = [
        {"id": 1, "claim": "The museum opens at nine.", "evidence": [1], "label": "supported"}
    ]
    result, asked = drive(TWO, JOINT, said(json.dumps({"verdicts": entries})), said(""))
    assert [(ask.kind, ask.ids) for ask in asked] == [
        ("claims_and_verdicts", (1, 2)),
        ("verdicts", (2,)),
    ]
    assert (result.score, result.verdicts[1].statement, result.verdicts[1].label) == (
        0.5,
        "Adults pay 14 euros.",
        None,
    )


# ---------------------------------------------------------------- the end


def test_a_skipped_span_is_reported_with_its_reason() -> None:
    result, _ = drive(
        Case("# Prices\n\nAdults pay 14 euros.", CONTEXT),
        DEFAULT,
        said(verdicts_json({1: "supported"})),
    )
    assert [s.reason for s in result.skipped] == ["heading"]


def test_the_calculation_and_how_replies_were_read_are_told() -> None:
    result, _ = drive(TWO, DEFAULT, said(verdicts_json({1: "supported", 2: "partially_supported"})))
    assert result.metadata["calculation"] == "(1 × 1 + 1 × 0.5) / 2 = 0.75"
    assert result.metadata["replies"] == {"schema": 1}
    result, _ = drive(TWO, DEFAULT, said("1. yes\n2. no"))
    assert result.metadata["replies"] == {"text": 1}
