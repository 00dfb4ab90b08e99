"""Replies of a real small model, judging without a grammar, are read as a careful human reads them, or not at all.

The rows were recorded with SmolLM2 by llama.cpp. ``human`` was labelled by hand for each reply that ended by itself. The rules: an
entry counts for its own number; the word of a verdict counts, whatever reason comes before it; a word in the place of evidence is not
a verdict; where a text and the list after it differ, neither counts; a list that fits neither the statements nor the text is not read.
``readable`` is a reply that has a label and is not in doubt as a whole: no verdict is damaged, it does not contradict itself, its
numbers contain those that were asked for, and it does not repeat the example of the ask.
"""

from __future__ import annotations

from typing import Any, get_args

import pytest
from fakes import ScriptedJudge

from faithfulness_assert import Reply, UnreadableReply, grade
from faithfulness_assert.reading.reconcile import MISSING, read, settle
from faithfulness_assert.records.model import Status

from .reply_rows import rows

ROWS = rows("small_model_replies")
LABELLED = [row for row in ROWS if "human" in row]
RANK = {
    None: 0,
    "contradicted": 0,
    "not_enough_info": 0,
    "partially_supported": 1,
    "supported": 2,
    "not_a_claim": 2,
}


def labels_of(row: dict[str, Any], read_by_human: bool = True) -> list[tuple[str | None, str]]:
    """The labels of a row's reply, each with the one that a human reads, if that is one."""
    statements = dict(zip(row["ids"], row["statements"], strict=True))
    try:
        findings = settle(read(row["reply"], single=len(statements) == 1), statements).findings
    except UnreadableReply:
        findings = dict.fromkeys(statements, MISSING)
    pairs = zip(findings.values(), row["human"], strict=True)
    return [(finding.label, human) for finding, human in pairs if human or not read_by_human]


def is_in_our_form(row: dict[str, Any]) -> bool:
    """Whether a reply has the numbers of its ask, and not a list of another length as well."""
    try:
        numbers = {entry.number for entry in read(row["reply"]).rows}
    except UnreadableReply:
        return False
    return numbers <= set(row["ids"])


@pytest.mark.parametrize("row", LABELLED, ids=lambda row: row["id"])
def test_no_label_is_more_positive_than_a_human_reads_it(row: dict[str, Any]) -> None:
    pairs = labels_of(row, read_by_human=False)
    assert [(ours, human) for ours, human in pairs if RANK[ours] > RANK[human]] == []


def test_most_verdicts_are_read_at_once_if_the_reply_has_the_numbers_of_its_ask() -> None:
    """Any other reply is asked for again: a quarter of what this model says without a grammar."""
    readable = [row for row in LABELLED if row["readable"]]
    assert len(readable) >= 70
    for rows_, share in ((filter(is_in_our_form, LABELLED), 0.85), (readable, 0.9)):
        pairs = [pair for row in rows_ for pair in labels_of(row)]
        assert sum(ours == human for ours, human in pairs) >= share * len(pairs) >= 50


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
    assert result.score is None or 0 <= result.score <= 1
    assert row["finish_reason"] == "stop" or result.error.kind == "truncated"
