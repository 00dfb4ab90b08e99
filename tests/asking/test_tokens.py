"""Token counts: those that the judge reports, else an estimate that says so."""

from __future__ import annotations

import pytest

from faithfulness_assert import Grader, Reply
from faithfulness_assert.asking.tokens import estimate_tokens
from faithfulness_assert.records.judge import Limits


@pytest.mark.parametrize(
    ("text", "tokens"), [("", 0), ("a" * 400, 100), ("four.", 2), ("déjà", 3), ("東京", 2)]
)
def test_four_ascii_characters_are_a_token_and_so_is_any_other_one(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens


class Silent:
    """A judge that does not say what it used."""

    name = "openai:gpt-4"
    remote = True
    limits = Limits(prompt_tokens=4000)

    def ask(self, ask: object, /, *, deadline: float | None = None) -> Reply:
        return Reply('{"verdicts":[{"id":1,"evidence":[1],"label":"supported"}]}')


def test_usage_that_a_server_does_not_report_is_estimated_and_marked() -> None:
    used = Grader(Silent()).grade("The museum opens at nine.", "The museum opens at nine.")
    assert used.tokens_used.completion == estimate_tokens(Silent().ask(None).text)
    assert used.tokens_used.num_requests == 1
    assert used.tokens_used.estimated
