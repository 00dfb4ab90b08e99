"""An ask that names itself: its token is its own, its schema wants it, and no reader sees it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from remote import ASK, FORM, TEXT

from faithfulness_assert.asking.schema import echoing, schema_errors, token_of, without_echo
from faithfulness_assert.judges.openai import OpenAIJudge

NUMBERS = st.integers(0, 10**6)
TOKEN = token_of("run", 1, 1)


@given(st.lists(st.tuples(NUMBERS, NUMBERS), unique=True, max_size=50))
def test_other_asks_have_other_tokens_and_the_same_ask_has_the_same(
    places: list[tuple[int, int]],
) -> None:
    tokens = [token_of("run", *place) for place in places]
    assert len(set(tokens)) == len(tokens)
    assert tokens == [token_of("run", *place) for place in places]
    assert all(token.isascii() and token.isalpha() for token in tokens)


def test_the_prompt_is_as_it_was_but_for_one_line_at_its_end() -> None:
    ask = echoing(ASK, TOKEN)
    assert ask.messages[:-1] == ASK.messages[:-1]
    before, now = ASK.messages[-1]["content"], ask.messages[-1]["content"]
    assert now.startswith(before)
    assert TOKEN in now[len(before) :]
    assert (ask.form, ask.ids, ask.payload) == (ASK.form, ASK.ids, ASK.payload)


def test_every_schema_that_is_sent_wants_the_token_first() -> None:
    for base_url in ("https://api.openai.com/v1", "http://127.0.0.1:9/v1"):
        judge = OpenAIJudge("m", base_url=base_url, api_key="none")
        steps = dict.fromkeys(judge.provider.fallbacks, 0)
        for ask, first in ((ASK, "verdicts"), (echoing(ASK, TOKEN), "ask")):
            schema = judge.request(ask, steps)["response_format"]["json_schema"]["schema"]
            assert next(iter(schema["properties"])) == schema["required"][0] == first
            Draft202012Validator.check_schema(schema)


@given(
    st.sampled_from(
        [
            f'{{"ask":"{TOKEN}",',
            f'{{ "ask" : "{TOKEN}" , ',
            f'```json\n{{"ask":"{TOKEN}",',
        ]
    )
)
def test_without_the_token_a_reply_is_what_it_would_be_online(start: str) -> None:
    text = start + TEXT[1:]
    assert TOKEN in text
    left = without_echo(text, TOKEN)
    assert left.replace(" ", "").removeprefix("```json\n") == TEXT
    assert TOKEN not in left


@pytest.mark.parametrize("place", [0, 1, 2])
def test_the_token_may_also_come_later(place: int) -> None:
    entries = [*json.loads(TEXT).items()]
    text = json.dumps(dict([*entries[:place], ("ask", TOKEN), *entries[place:]]))
    assert schema_errors(text, FORM)
    assert not schema_errors(without_echo(text, TOKEN), FORM)


def test_the_token_of_another_ask_is_not_repeated() -> None:
    assert TOKEN not in (f'{{"ask":"{token_of("run", 1, 2)}",{TEXT[1:]}')


def test_another_entry_of_the_same_name_is_left_alone() -> None:
    text = f'{{"ask":"who","x":1,"ask":"{TOKEN}","y":2}}'
    assert without_echo(text, TOKEN) == '{"ask":"who","x":1,"y":2}'
