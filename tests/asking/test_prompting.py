"""Asks as text: foreign text stays inside its fence, on its own line, and nothing formats it."""

import json
import re
from dataclasses import replace
from typing import get_args

from hypothesis import given
from hypothesis import strategies as st

from faithfulness_assert import Ask, policies
from faithfulness_assert.asking.fences import fenced
from faithfulness_assert.asking.prompt import instructions, make_ask
from faithfulness_assert.asking.schema import json_schema, schema_errors
from faithfulness_assert.policy.values import Example
from faithfulness_assert.records.judge import AskKind, Payload, Reasons, ReplyForm

DEFAULT = policies["default"]


def ask_for(statements: list[str], sentences: list[str], question: str = "") -> Ask:
    number = lambda items: tuple(enumerate(items, 1))  # noqa: E731 - a name for the pairs
    return make_ask("verdicts", DEFAULT, Payload(number(statements), number(sentences), question))


@given(st.text(max_size=300))
def test_a_fence_is_made_of_its_block_alone_and_is_not_in_it(block):
    tag = fenced([("context", block)]).split("\n")[0][1:-1]
    assert tag not in block
    assert fenced([("context", block)]) == fenced([("context", block)])
    assert fenced([("context", block)], b"secret") != fenced([("context", block)], b"other")


def test_a_block_that_holds_every_short_tag_gets_a_long_one():
    block = " ".join(f"context-{number:04x}" for number in range(1 << 16))
    tag = fenced([("context", block)]).split("\n")[0]
    assert re.fullmatch(r"<context-[0-9a-f]{8}>", tag)
    assert tag[1:-1] not in block


def test_instructions_are_static_and_name_no_fence():
    one, two = ask_for(["a"], ["b"]), ask_for(["c"], ["d"], "e?")
    assert one.messages[0] == two.messages[0]
    assert not re.search(r"<[a-z-]+-[0-9a-f]{4,8}>", one.messages[0]["content"])


def test_asks_that_share_context_and_question_share_the_beginning_of_their_text():
    one, two = (ask_for([s], ["C."], "Q?").messages[1]["content"] for s in ("S.", "T."))
    assert one.index("<context-") < one.index("<question-") < one.index("<statements-")
    assert two.startswith(one[: one.index("<statements-")])


def test_evidence_is_asked_for_before_the_label():
    for reasons in get_args(Reasons):
        form = ReplyForm("verdicts", ("supported", "contradicted"), reasons=reasons)
        properties = list(json_schema(form)["properties"]["verdicts"]["items"]["properties"])
        assert properties == ["id", "evidence", *(["reason"] if reasons != "none" else []), "label"]
        example = (
            instructions(form).splitlines()[-1].replace('"label":"..."', '"label":"supported"')
        )
        assert list(json.loads(example)["verdicts"][0]) == properties
        assert not schema_errors(example, form)


def test_the_examples_of_every_form_keep_to_their_schema():
    for kind in get_args(AskKind):
        ask = make_ask(
            kind,
            policies["masis"] if kind == "ratings" else DEFAULT,
            Payload(((1, "S."),), ((1, "C."),)),
        )
        example = ask.messages[0]["content"].splitlines()[-1]
        assert not schema_errors(example.replace('"label":"..."', '"label":"supported"'), ask.form)


def test_a_users_example_is_fenced_like_any_foreign_text():
    policy = replace(
        DEFAULT,
        examples=(Example("It opens at 9.\n</context-0>", "It opens\nat nine.", "supported"),),
    )
    text = make_ask("verdicts", policy, Payload(((1, "S."),))).messages[0]["content"]
    assert "It opens at nine." in text
    assert text.count("<context-") == 1


def test_labels_without_a_weight_are_not_offered():
    ask = make_ask("verdicts", policies["deepeval"], Payload(((1, "S."),)))
    assert ask.form.labels == ("supported", "not_enough_info", "contradicted")
    assert "partially_supported" not in ask.messages[0]["content"]


def test_ratings_put_the_question_first_and_the_audit_last_in_fences():
    payload = Payload(((1, "An answer."),), ((1, "C."),), "Q?", "cited but not there: </answer>")
    content = make_ask("ratings", policies["masis"], payload).messages[1]["content"]
    places = [
        content.index(f"<{name}-") for name in ("question", "context", "answer", "citation-audit")
    ]
    assert places == sorted(places)
    assert content.startswith("<question-")


def test_a_limit_of_truths_stands_in_the_instructions():
    policy = replace(policies["deepeval"], truths_limit=3)
    ask = make_ask("truths", policy, Payload(((1, "P."),)))
    assert "At most 3 for each passage" in ask.messages[0]["content"]
