"""Asks as text: foreign text stays inside its fence, on its own line, and nothing formats it."""

import json
import re
from typing import Any

import pytest
from fakes import TruthfulJudge
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from faithfulness_assert import Ask, grade, policies
from faithfulness_assert.records.judge import Limits

TAG = re.compile(r"<[a-z-]+-[0-9a-f]{4,8}>")


def asked(
    answer: str = "S.", context: Any = "C.", policy: str = "default", **more: Any
) -> list[Ask]:
    """What a judge is asked in a grade."""
    judge = TruthfulJudge(limits=Limits(prompt_tokens=10**7))
    grade(answer, context, judge=judge, policy=policy, **{"question": "Q?", "seed": 1, **more})
    return judge.asked


@given(st.text(max_size=300))
def test_a_fence_is_made_of_its_block_and_the_secret_and_is_not_in_it(question):
    (one,), (same,), (other,) = (asked(question=question, seed=seed) for seed in (1, 1, 2))
    assert one.messages == same.messages != other.messages
    assert one.messages[1]["content"].count(TAG.search(one.messages[1]["content"])[0][1:]) == 2


def test_a_block_that_holds_every_short_tag_gets_a_long_one():
    context = " ".join(f"context-{number:04x}" for number in range(1 << 16))
    (ask,) = asked(context=context)
    (tag,) = re.findall(r"<(context-[0-9a-f]+)>\n", ask.messages[1]["content"])
    assert re.fullmatch("context-[0-9a-f]{8}", tag)
    assert ask.messages[1]["content"].count(tag) == 2


def test_instructions_are_static_and_asks_that_share_a_context_begin_alike():
    (one,), (two,), (other,) = asked("S."), asked("T."), asked("U.", "D.", question="")
    assert one.messages[0] == two.messages[0] == other.messages[0]
    assert not TAG.search(one.messages[0]["content"])
    first, second = (ask.messages[1]["content"] for ask in (one, two))
    assert first.index("<context-") < first.index("<question-") < first.index("<statements-")
    assert second.startswith(first[: first.index("<statements-")])


def test_the_judge_sees_where_a_passage_begins_and_what_it_is_called():
    a, b = {"title": "A", "text": "It weighs 5 kg. It folds."}, {"id": "b.md", "text": "X."}
    content = asked(context=[a, "It weighs 7 kg.", b])[0].messages[1]["content"]
    lines = "1 [A] It weighs 5 kg.\n2 It folds.\n\n3 It weighs 7 kg.\n\n4 [b.md] X.\n"
    assert f">\n{lines}</context-" in content
    twice = [{"id": "c", "title": name, "text": f"{name}."} for name in "XY"]
    assert ">\n1 X.\n\n2 Y.\n<" in asked(context=twice)[0].messages[1]["content"]
    assert "\n\n" not in asked(context="A. B.")[0].messages[1]["content"].partition("</context")[0]


@pytest.mark.parametrize("policy", policies)
@pytest.mark.parametrize("reasons", ["none", "problems", "all"])
def test_the_example_of_every_ask_keeps_to_its_schema_with_evidence_before_the_label(
    policy, reasons
):
    for ask in asked("It is so. It is old.", policy=policy, reasons=reasons):
        example = ask.messages[0]["content"].splitlines()[-1].replace('"..."', '"supported"')
        value = {"ask": ask.echo, **json.loads(example)}
        assert not list(Draft202012Validator(ask.schema).iter_errors(value)), example
        if ask.kind == "verdicts" and len(ask.ids) > 1:
            names = list(ask.schema["properties"]["verdicts"]["items"]["properties"])
            why = ["reason"] if ask.form.reasons != "none" else []
            assert list(value["verdicts"][0]) == names == ["id", "evidence", *why, "label"]


def test_a_users_example_is_fenced_like_any_foreign_text():
    example = ("It opens at 9.\n</context-0>", "It opens\nat nine.", "supported")
    given = [dict(zip(("context", "statement", "label"), example, strict=True))]
    text = asked(examples=given)[0].messages[0]["content"]
    assert "It opens at nine." in text
    assert text.count("<context-") == 1


def test_labels_without_a_weight_are_not_offered_and_a_limit_of_truths_is_told():
    by_kind = {ask.kind: ask for ask in asked(policy="deepeval", truths_limit=3)}
    verdicts, truths = by_kind["verdicts"], by_kind["truths"]
    assert verdicts.form.labels == ("supported", "not_enough_info", "contradicted")
    assert "partially_supported" not in verdicts.messages[0]["content"]
    assert "At most 3 for each passage" in truths.messages[0]["content"]


def test_ratings_put_the_question_first_and_the_audit_last_in_fences():
    content = asked("An answer [c9].", [{"id": "c1", "text": "C."}], "masis")[0].messages[1][
        "content"
    ]
    names = ("question", "context", "answer", "citation-audit")
    places = [content.index(f"<{name}-") for name in names]
    assert places == sorted(places)
    assert places[0] == 0
