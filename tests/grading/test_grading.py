"""The public functions: a ConfigError for the caller's mistakes, a complete result for all else."""

import json
import math
import re
from dataclasses import replace
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import pytest
from fakes import ScriptedJudge, TruthfulJudge, failing, labelled, verdicts_json
from rows import rows

from faithfulness_assert import Ask, ConfigError, Grader, Policy, Reply, Usage, grade, grade_many
from faithfulness_assert.records.judge import Limits

CONTEXT = "The Eiffel Tower is 330 metres tall. It stands in Paris."
TALL = "The tower is tall."


@pytest.mark.usefixtures("defects")
@pytest.mark.parametrize("place", ["conclude.absent_numbers", "plan.split", "verdicts.settle"])
def test_a_defect_of_ours_costs_one_case_of_many_and_its_message_quotes_nothing(
    monkeypatch, caplog, place
):
    module, _, name = place.partition(".")
    before = getattr(import_module(f"faithfulness_assert.plan.{module}"), name)

    def broken(*given: object, **more: object) -> object:
        if "7 seas" in repr(given):
            raise IndexError("7 seas")
        return before(*given, **more)

    monkeypatch.setattr(f"faithfulness_assert.plan.{place}", broken)
    texts = ["It has 5 ships.", "It sails 7 seas.", "It has 6 sails."]
    judge = TruthfulJudge()
    first, defect, last = grade_many([{"answer": t, "context": t} for t in texts], judge=judge)
    assert (first.score, last.score) == (1.0, 1.0)
    assert defect.status == "invalid_input"
    assert defect.tokens_used.num_requests == (place != "plan.split")
    assert re.search(r"internal error IndexError at .*\.py:\d+", defect.reason or "")
    assert "IndexError" in caplog.text
    assert "7 seas" not in caplog.text + str(defect.reason)


WRONG = rows("wrong_options")
"""Options of a grade, and what the error must name. The judge ``any`` can do all that is asked."""


@pytest.mark.parametrize("row", WRONG, ids=lambda row: str(row["options"])[:60])
def test_a_mistake_of_the_caller_is_a_config_error_that_names_it_before_any_ask(row):
    options, judge = dict(row["options"]), TruthfulJudge()
    if options.get("judge") == "any":
        options["judge"] = judge
    with pytest.raises(ConfigError, match=row["named"]):
        grade(TALL, CONTEXT, **options)
    assert not judge.asked


BAD_DATA: list[tuple[str, dict[str, Any]]] = [
    *(
        ("answer", {"answer": answer, "context": CONTEXT})
        for answer in (None, 5, {"text": "x"}, "a" * 1_000_001, "a" * 10_000_000)
    ),
    *(
        ("context", {"answer": TALL, "context": context})
        for context in (None, 5, b"bytes", [5], [{"colour": "x"}], ["x" * 8_000_001])
    ),
    ("context", {"answer": TALL, "context": {f"key {i}": i for i in range(100_000)}}),
    ("question", {"answer": TALL, "context": CONTEXT, "question": "x" * 50_001}),
]


@pytest.mark.parametrize(("field", "case"), BAD_DATA, ids=range(len(BAD_DATA)))
def test_bad_data_is_invalid_input_that_names_the_field(field, case):
    result = grade(**case)
    assert (result.status, result.error and result.error.kind) == ("invalid_input", "input")
    assert not result.pass_
    assert field in result.reason
    assert len(result.reason) < 500


def test_grade_many_keeps_the_order_and_loses_no_case():
    cases = [
        {"answer": f"Item {i} is here.", "context": f"Item {i} is here.", "id": i}
        for i in range(50)
    ]
    cases[7] = {"answer": None, "context": "x", "id": 7}
    cases[8] = "no case"
    cases[9] = {"answer": "x", "context": "x", "contexts": "y", "id": 9}
    results = grade_many(cases, concurrency=4)
    assert [r.status for r in results[7:10]] == ["invalid_input"] * 3
    assert "contexts" in results[9].reason
    assert [r.case_id for r in results if r.case_id] == [str(i) for i in range(50) if i != 8]
    with pytest.raises(ConfigError, match="concurrency"):
        grade_many([], concurrency=0)
    for none in (None, 5, "case", {"answer": "x"}):
        with pytest.raises(ConfigError, match="cases"):
            grade_many(none)


def test_the_threshold_and_the_fields_of_the_policy_are_options():
    judge = ScriptedJudge([verdicts_json({1: "supported", 2: "not_enough_info"})])
    answer = "The tower is tall. The tower is green."
    assert not grade(answer, CONTEXT, judge=judge).pass_
    assert grade(answer, CONTEXT, judge=judge, threshold=0.5).pass_
    lenient = grade(answer, CONTEXT, judge=judge, weights={"not_enough_info": 0.8})
    assert (lenient.score, lenient.threshold) == (0.9, 0.8)
    assert (
        grade(answer, CONTEXT, judge=judge, policy=Policy(name="mine", threshold=0.1)).policy
        == "mine"
    )
    assert grade(answer, CONTEXT, judge=judge, policy_options={}).policy == "default"


@pytest.mark.parametrize(
    ("prices", "tokens", "cost"),
    [
        ({"prompt": 10, "completion": 100}, (100, 20, 0), 100 * 10 + 20 * 100),
        ({"prompt": 10, "cached": 1}, (1000, 10, 400), 600 * 10 + 400 * 1),
        ({"prompt": 10}, (1000, 10, 400), 1000 * 10),
        ({"cached": 1}, (1000, 10, 400), 400 * 1),
        ({"completion": 100}, (1000, 10, 400), 10 * 100),
        ({"prompt": 10, "cached": 1}, (100, 0, 400), 400 * 1),  # never less than nothing
    ],
)
def test_each_token_is_billed_once_at_its_own_price_and_nothing_without_prices(
    prices, tokens, cost
):
    prompt, completion, cached = tokens
    usage = Usage(prompt=prompt, completion=completion, cached=cached, num_requests=1)
    judge = ScriptedJudge([Reply(verdicts_json({1: "supported"}), usage=usage)])
    assert grade(TALL, TALL, judge=judge, prices=prices).cost == pytest.approx(cost / 1e6)
    assert grade(TALL, TALL, judge=judge).cost is None


def test_any_exception_and_any_wrong_return_value_of_a_judge_is_a_grader_error():
    for script in (ValueError("sk-secret-key"), RecursionError(), failing("server"), KeyError("x")):
        result = grade(TALL, CONTEXT, judge=ScriptedJudge([script]))
        assert (result.status, result.metadata["graderError"]) == ("judge_failed", True)
        assert "sk-secret" not in result.model_dump_json()

    odd = ScriptedJudge([lambda _: {"verdicts": []}])
    assert "dict, not a Reply" in grade(TALL, CONTEXT, judge=odd).reason


def test_a_judge_that_makes_a_reply_with_wrong_types_gives_a_grader_error():
    wrong = {"refusal": 5, "usage": {"prompt": 1}, "warnings": None, "text": 5}
    for name, value in (*wrong.items(), ("finish_reason", None)):
        fields = {"text": "x", name: value}
        judge = ScriptedJudge([lambda _, fields=fields: Reply(**fields)])
        assert grade(TALL, CONTEXT, judge=judge).status == "judge_failed"
    unknown_kind = grade(TALL, CONTEXT, judge=ScriptedJudge([failing("quota")]))
    assert unknown_kind.error.kind == "transport"


def test_a_judge_may_have_no_limits_and_wrong_limits_are_a_config_error():
    judge = TruthfulJudge()
    judge.limits = None
    assert grade(TALL, CONTEXT, judge=judge).score == 1.0
    with pytest.raises(ConfigError, match="limits"):
        Limits(prompt_tokens="x")
    judge.limits = 5
    with pytest.raises(ConfigError, match="limits"):
        grade(TALL, CONTEXT, judge=judge)
    judge.limits = Limits(prompt_tokens=100)
    with pytest.raises(ConfigError, match="max_prompt_tokens"):
        grade(TALL, CONTEXT, judge=judge)


def test_lone_surrogates_never_reach_a_result():
    odd = "\ud800"
    judges = [ScriptedJudge([failing("server")]), ScriptedJudge([Reply("x", warnings=(odd,))])]
    judges[0].script[0].message = odd
    results = [
        Grader().grade(None, "x", id=odd),
        *grade_many([{"answer": "x", "context": "x", odd: 1}]),
    ]
    results += [grade(TALL, CONTEXT, judge=judge) for judge in judges]
    results += [grade(TALL, [{"text": CONTEXT, "id": odd}], judge=TruthfulJudge())]
    examples = [{"context": odd, "statement": odd, "label": "supported"}]
    results += [grade(TALL, CONTEXT, judge=TruthfulJudge(), guidance=odd, examples=examples)]
    for result in results:
        result.model_dump_json().encode("utf-8")
        json.dumps(result.to_promptfoo("all"), ensure_ascii=False).encode("utf-8")
    with pytest.raises(ConfigError, match="name"):
        Policy(name=odd)


def test_labels_of_a_policy_are_read_in_any_case_and_such_replies_are_stored(tmp_path):
    judge = ScriptedJudge(['{"verdicts":[{"id":1,"label":"OK!"}]}'])
    judge.identity = {"judge": "scripted"}
    for _ in range(2):
        result = grade(TALL, CONTEXT, judge=judge, labels={"Ok": "supported"}, cache=tmp_path)
        assert result.score == 1.0
    assert len(judge.asked) == 1


def test_an_unreadable_reply_is_not_stored(tmp_path):
    judge = ScriptedJudge(["nonsense", labelled("supported")])
    judge.identity = {"judge": "scripted"}
    assert grade(TALL, CONTEXT, judge=judge, cache=tmp_path).score == 1.0
    assert len(judge.asked) == 2


def test_the_judge_sees_the_question_but_it_is_never_evidence():
    judge = TruthfulJudge()
    grade(TALL, CONTEXT, question="Is the tower tall?", judge=judge)
    assert judge.asked[0].payload.question == "Is the tower tall?"
    assert grade("It has 99 floors.", CONTEXT, question="Does it have 99 floors?").score == 0.0


def test_an_impossible_result_is_a_value_error():
    possible = grade("It is red.", "It is red.")
    for options in ({"score": math.nan}, {"score": 1.5}, {"coverage": -1.0}, {"defined": False}):
        with pytest.raises(ValueError, match=r"must be|cannot pass"):
            replace(possible, **options)


def test_a_result_is_neither_true_nor_false():
    """``assert grade(...)`` would pass whatever the judge says, and ``assert not`` a failed grade."""
    for result in (grade("It is red.", "It is red."), grade("It is red.", "It is blue.")):
        with pytest.raises(ConfigError, match=r"result\.pass_.*assert_faithful"):
            assert result


@pytest.mark.parametrize("key", ["text", "content", "page_content"])
def test_a_document_of_a_retriever_is_a_passage_like_the_mapping_that_it_dumps(key):
    """LangChain's and Haystack's documents have such attributes, LlamaIndex' nodes a text, too."""
    document = SimpleNamespace(**{key: CONTEXT, "metadata": {}}, id="d1")
    for context in (document, [document], [vars(document)], [{"node": vars(document), "score": 1}]):
        result = grade(TALL, context)
        assert (result.status, result.score) == ("graded", 1.0), result.reason
        assert result.verdicts[0].evidence[0].passage == "d1"
    for other in (SimpleNamespace(body="x"), SimpleNamespace(text=5), object(), type):
        result = grade(TALL, [other])
        assert result.status == "invalid_input"
        assert "context: passage 1 must be a string" in result.reason


def test_what_a_judge_of_ones_own_raises_is_named_without_its_text():
    class Broken:
        def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
            raise KeyError("sk-secret-key")

    reason = str(grade("It is red.", "It is red.", judge=Broken()).reason)
    assert "the judge raised KeyError, not a JudgeError" in reason
    assert "sk-secret" not in reason
    with pytest.raises(
        ConfigError, match=r"an object \(no class\) with an 'ask' method; got Broken"
    ):
        grade("It is red.", "It is red.", judge=Broken)
