"""An ask has a short key that its reply repeats: the reply to another ask earns nothing."""

import json
from dataclasses import replace
from functools import cache

import pytest
from fakes import ScriptedJudge, TruthfulJudge
from hypothesis import given
from hypothesis import strategies as st
from remote import ASK, FORM, TEXT
from strategies import examples

from faithfulness_assert import Ask, Reply, grade
from faithfulness_assert.asking.fences import key_of
from faithfulness_assert.asking.schema import json_schema, schema_errors
from faithfulness_assert.asking.windows import exact_counter
from faithfulness_assert.judges.openai import OpenAIJudge
from faithfulness_assert.reading.rows import KEY_CHARS, KEY_LETTERS

SECRETS, TEXTS = st.binary(max_size=8), st.text(max_size=20)
KEYS = st.text(KEY_LETTERS, min_size=KEY_CHARS, max_size=KEY_CHARS)
ANSWER = "The shop is open daily. Dogs are welcome inside."
DRESSES = (
    '{"ask":"%s",',
    '{ "ask" : "%s" , ',
    '```json\n{"ask":"%s",',
    '<think>So.</think>{"ask":"%s",',
)


@given(SECRETS, TEXTS, TEXTS)
def test_the_same_ask_has_the_same_key_and_other_asks_nearly_always_have_others(secret, one, other):
    key = key_of(secret, one, other)
    assert key == key_of(secret, one, other)
    assert len(key) == KEY_CHARS
    assert set(key) <= set(KEY_LETTERS)
    assert len({key_of(secret, one, str(n)) for n in range(50)}) > 45


def keyed(dress: str, key: str | None) -> ScriptedJudge:
    """A judge that repeats a key, or that of its ask, in front of each reply."""

    def reply(ask: Ask) -> Reply:
        said = TruthfulJudge().ask(ask)
        start = dress.replace("%s", ask.echo if key is None else key)
        return replace(said, text=start + said.text[1:])

    return ScriptedJudge([reply])


@pytest.mark.parametrize("policy", ["default", "promptfoo", "deepeval", "masis"])
@pytest.mark.parametrize("dress", DRESSES)
def test_a_reply_with_its_key_is_read_as_one_without(policy, dress):
    with_key, without = (
        grade(ANSWER, ANSWER, question="Why?", judge=judge, policy=policy, seed=1)
        for judge in (keyed(dress, None), TruthfulJudge())
    )
    assert with_key.status == "graded"
    assert with_key.verdicts == without.verdicts
    assert with_key.score == without.score
    assert with_key.tokens_used.num_requests == without.tokens_used.num_requests


@examples(60)
@given(KEYS, st.sampled_from(DRESSES))
def test_another_key_earns_nothing_and_is_told(key, dress):
    judge = keyed(dress, key)
    result = grade(ANSWER, ANSWER, judge=judge, policy="promptfoo-plan", controls="off")
    if len(set(key)) == 1:  # it stands for any key
        return
    near = [sum(a != b for a, b in zip(ask.echo, key, strict=True)) < 2 for ask in judge.asked]
    assert len(near) == 2 - near[0]  # it is asked once more
    earned = any(verdict.label for verdict in result.verdicts)
    assert earned == any(near)
    told = " ".join([*result.warnings, result.reason or ""])
    assert ("repeats the key of another ask" in told) is not near[0]


@pytest.mark.parametrize(
    "key", ["", "...", "xxxx", "1", "who", "statements", "k7f2k7f2", "BCDF GH"]
)
def test_what_is_no_key_is_read_as_none(key):
    judge = keyed(DRESSES[0], key)
    result = grade(ANSWER, ANSWER, judge=judge, controls="off")
    assert (result.score, len(judge.asked)) == (1.0, 1)


def test_what_a_judge_says_in_place_of_a_key_is_heard():
    judge = keyed(DRESSES[0], "Statement 1 is made up")
    assert grade(ANSWER, ANSWER, judge=judge, controls="off", reasks=0).score == 0.5


def test_a_cache_that_answers_by_likeness_raises_no_score():
    """It gives the first reply to each ask that is like the first."""
    first = cache(lambda: keyed(DRESSES[0], None).ask(judge.asked[0]))
    judge = ScriptedJudge([lambda _: first()])
    right, wrong = (
        grade(text, ANSWER, judge=judge) for text in (ANSWER, ANSWER.replace("s ", "t "))
    )
    assert (right.score, wrong.error.kind) == (1.0, "unreadable")


def test_every_schema_that_is_sent_wants_the_key_first_and_the_prompt_ends_with_it():
    judge = ScriptedJudge([TEXT])
    grade(ANSWER, ANSWER, judge=judge, reasks=0)
    [ask] = judge.asked
    assert ask.messages[-1]["content"].rpartition("\n")[2].count(f'"ask":"{ask.echo}"') == 1
    assert '"ask"' not in ask.messages[0]["content"]
    for base_url in ("https://api.openai.com/v1", "http://127.0.0.1:9/v1"):
        remote = OpenAIJudge("m", base_url=base_url, api_key="none")
        schema = remote.request(ask, remote.needs.steps)["response_format"]["json_schema"]["schema"]
        assert next(iter(schema["properties"])) == schema["required"][0] == "ask"


def test_a_key_costs_twenty_tokens_in_the_mean():
    count = exact_counter()
    keys = [key_of(b"secret", str(n)) for n in range(200)]
    shown = [f'\n\nThe JSON begins with "ask":"{key}"."ask":"{key}",' for key in keys]
    assert sum(map(count, shown)) <= 20 * len(keys)


@given(KEYS, st.sampled_from([{}, {"x": 1}]))
def test_a_schema_is_kept_with_and_without_the_key(key, more):
    value = {**json.loads(TEXT), **more}
    for text in (json.dumps(value), json.dumps({"ask": key, **value})):
        assert bool(schema_errors(text, FORM)) == bool(more)
    assert json_schema(FORM) == ASK.schema
