"""Replies of a real small model, judging without a grammar, are read as a careful human reads them, or not at all.

The rows come from ``benchmarks/small_model.py``. ``human`` was labelled by hand for each reply that ended by itself. The rules: an
entry counts for its own number; the word of a verdict counts, whatever reason comes before it; a word in the place of evidence is not
a verdict; where a text and the list after it differ, neither counts; a list that fits neither the statements nor the text is not read.
``readable`` is a reply that has a label and is not in doubt as a whole: no verdict is damaged, it does not contradict itself, its
numbers are those that were asked for, and it does not repeat the example of the ask.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import pytest
from fakes import ScriptedJudge

from faithfulness_assert import Reply, grade
from faithfulness_assert.reading import read
from faithfulness_assert.reading.reconcile import align
from faithfulness_assert.records.errors import UnreadableReply
from faithfulness_assert.records.model import Status

ROWS = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "fixtures" / "small_model_replies.jsonl")
    .read_text("utf-8")
    .splitlines()
]
LABELLED = [row for row in ROWS if "human" in row]
RANK = {
    None: 0,
    "contradicted": 0,
    "not_enough_info": 0,
    "partially_supported": 1,
    "supported": 2,
    "not_a_claim": 2,
}


def reading(row: dict[str, Any]) -> list[str | None]:
    """The labels read from a row's reply, in the order of its statements."""
    try:
        findings, _ = align(
            read(row["reply"]).verdicts, dict(zip(row["ids"], row["statements"], strict=True))
        )
    except UnreadableReply:
        return [None] * len(row["ids"])
    return [findings[number].label for number in row["ids"]]


@pytest.mark.parametrize("row", LABELLED, ids=lambda row: row["id"])
def test_no_label_is_more_positive_than_a_human_reads_it(row: dict[str, Any]) -> None:
    pairs = list(zip(reading(row), row["human"], strict=True))
    assert [(ours, human) for ours, human in pairs if RANK[ours] > RANK[human]] == []


def test_nearly_all_readable_replies_are_read_correctly() -> None:
    readable = [row for row in LABELLED if row["readable"]]
    some_label = [row for row in LABELLED if any(row["human"])]
    wrong = {row["id"] for row in some_label if reading(row) != row["human"]}
    assert len(readable) >= 70
    assert len(wrong & {row["id"] for row in readable}) <= 0.05 * len(readable), wrong
    assert len(wrong) <= 0.15 * len(some_label), wrong


def test_the_fixture_has_the_expected_size() -> None:
    assert len(ROWS) == 200
    assert len(LABELLED) >= 100
    assert len({row["id"] for row in ROWS}) == 200
    assert {row["licence"] for row in ROWS} == {"Apache-2.0"}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_every_reply_ends_in_a_valid_result(row: dict[str, Any]) -> None:
    judge = ScriptedJudge([Reply(row["reply"], finish_reason=row["finish_reason"])])
    result = grade(
        " ".join(row["statements"]), "Nothing else is known.", judge=judge, controls="off"
    )
    assert result.status in get_args(Status)
    assert 0 <= result.score <= 1
    assert row["finish_reason"] == "stop" or result.error.kind == "truncated"
