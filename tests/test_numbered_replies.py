"""Lists of claims or truths: which of their numbers are trusted, and how long they may be."""

from __future__ import annotations

import json

import pytest

from faithfulness_assert import Reply, UnreadableReply, policies
from faithfulness_assert.asking.prompt import make_ask
from faithfulness_assert.plan.numbered_replies import check_count, is_chatter, read_entries
from faithfulness_assert.plan.state import Job
from faithfulness_assert.records.ask import Payload


def read(asked: tuple[int, ...], *numbers: int | None) -> tuple[list[int | None], int]:
    """The numbers of the entries of a reply that gives these numbers, and how many go astray."""
    payload = Payload(tuple((n, f"Sentence {n} is here.") for n in asked))
    job = Job(make_ask("claims", policies["ragas"], payload))
    said = [
        {"claims": ["It is here."]} if n is None else {"id": n, "claims": ["It is here."]}
        for n in numbers
    ]
    entries, astray = read_entries(job, Reply(json.dumps({"sentences": said})))
    assert {text for _, text in entries} | set(astray) <= {"It is here."}
    return [number for number, _ in entries], len(astray)


@pytest.mark.parametrize(
    ("asked", "given", "kept", "astray"),
    [
        ((1, 2, 3), (1, 2, 3), [1, 2, 3], 0),
        ((1, 2, 3), (3, 1), [3, 1], 0),
        ((1, 2, 3), (1, 2, 9), [1, 2], 1),
        ((4, 5), (4, 5, 9), [4, 5], 1),
        ((4, 5), (5, None), [5, None], 0),
        # from zero: the numbers are put in their place
        ((1, 2, 3), (0, 1, 2), [1, 2, 3], 0),
        # a number next to those that were asked: the judge may count claims
        ((1, 2, 3), (1, 2, 3, 4), [], 4),
        ((4, 5), (3, 4, 5), [], 3),
        ((4, 5), (4, 5, 6), [], 3),
        ((4, 5), (4, 5, 6, None), [None], 3),
        # another way of counting
        ((4, 5), (1, 2), [], 2),
        ((1, 2, 3), (2, 3, 4), [], 3),
    ],
)
def test_numbers_are_trusted_unless_the_judge_may_count_in_another_way(
    asked: tuple[int, ...], given: tuple[int | None, ...], kept: list[int | None], astray: int
) -> None:
    assert read(asked, *given) == (kept, astray)


def test_a_sentence_has_at_most_twenty_claims_on_average() -> None:
    check_count(20, 1)
    check_count(60, 3)
    for claims, sentences in ((21, 1), (61, 3)):
        with pytest.raises(UnreadableReply, match=f"{claims} claims for {sentences} sentences"):
            check_count(claims, sentences)


@pytest.mark.parametrize(
    ("said", "chatter"),
    [
        (["Sure, here they are."], True),
        (["All claims look fine to me.", "So do the answers."], True),
        (["Dogs may come in."], False),
        (["Sure, here they are.", "Dogs may come in."], False),
        ([], True),
    ],
)
def test_words_that_are_not_of_what_was_asked_about_are_chatter(
    said: list[str], chatter: bool
) -> None:
    entries = [(None, text) for text in said]
    assert is_chatter(entries, ((1, "Dogs are welcome: no claims."), (2, "It is."))) is chatter
    assert not is_chatter(entries, ((1, "It is."), (2, "He is.")))
