"""Recorded replies are read as a careful human reads them, or asked for again; none is inflated.

A row of ``clear_replies`` and ``contradictory_replies`` has the labels that a human reads; null is
a statement without one. ``again`` marks a clear reply that is asked for again all the same, because
its form is none of ours, or because it says more than its verdicts. ``wordless`` marks a reply that
denies by its content alone, which is not heard; ``miss`` says why a row is misread.

``small_model_replies`` were recorded with SmolLM2 by llama.cpp, which judged without a grammar. ``human`` was labelled by hand for
each reply that ended by itself. The rules: an entry counts for its own number; the word of a verdict counts, whatever reason comes
before it; a word in the place of evidence is not a verdict; where a text and the list after it differ, neither counts; a list that
fits neither the statements nor the text is not read. ``readable`` is a reply that has a label and is not in doubt as a whole: no
verdict is damaged, it does not contradict itself, its numbers contain those that were asked for, and it does not repeat the example.
"""

from typing import Any

import pytest
from fakes import ScriptedJudge
from reading_replies import EARN, labels_of
from rows import rows

from faithfulness_assert import GradingResult, Reply, grade

from .reply_rows import CREDITED, SENTENCES, graded, malformed, score_of


def params(*names: str) -> list[Any]:
    """The rows of fixtures, of which those with a ``miss`` are expected to fail."""
    return [
        pytest.param(
            row,
            id=f"{name}-{number}",
            marks=[pytest.mark.xfail(reason=row["miss"])] if "miss" in row else (),
        )
        for name in names
        for number, row in enumerate(rows(name), 1)
        if "wordless" not in row
    ]


HUMAN = params("clear_replies", "contradictory_replies")


@pytest.mark.parametrize("row", HUMAN)
def test_a_reply_is_read_as_a_human_reads_it_or_stays_open(row):
    for texts in (SENTENCES, [""] * 10):
        labels = labels_of(row["reply"], texts[: len(row["labels"])])
        pairs = zip(labels, row["labels"], strict=True)
        assert [(ours, human) for ours, human in pairs if ours not in (None, human)] == []


def test_a_clear_reply_is_read_at_once_unless_it_is_marked():
    clear = [row for row in rows("clear_replies") if "miss" not in row]
    late = [r for r in clear if labels_of(r["reply"], SENTENCES[: len(r["labels"])]) != r["labels"]]
    assert late == [row for row in clear if row.get("again")]
    assert len(late) <= 0.45 * len(clear)


@pytest.mark.parametrize("row", HUMAN)
def test_a_judge_that_replies_with_json_when_it_is_asked_again_is_graded_right(row):
    human = [label if label != "not_a_claim" else None for label in row["labels"]]
    result = graded(row["reply"], len(human), human)
    assert [verdict.label for verdict in result.verdicts] == human
    assert result.score == (pytest.approx(score_of(human)) if any(human) else None)
    assert result.status == ("graded" if any(human) else "unreadable")


@pytest.mark.parametrize("row", params("hostile_replies"))
def test_a_reply_that_denies_quotes_or_retracts_supports_nothing(row):
    result = graded(row["raw"], row["n"])
    supported = {verdict.id for verdict in result.verdicts if verdict.label == "supported"}
    assert supported.isdisjoint(row["never_supported"])
    assert not result.pass_


def test_a_hostile_reply_supports_nothing_where_no_statement_is_known():
    hostile = [row for row in rows("hostile_replies") if "miss" not in row]
    assert [
        r["raw"]
        for r in hostile
        for k in r["never_supported"]
        if labels_of(r["raw"], [""] * r["n"])[k - 1] == "supported"
    ] == []


@pytest.mark.parametrize("row", params("verdict_outputs"))
def test_a_recorded_output_is_read_right_or_has_an_open_statement(row):
    labels = labels_of(row["raw"], [""] * row["n_statements"])
    said = [label and label == "supported" for label in labels]
    if row["expect"] == "error":
        assert None in said
    elif row.get("again"):
        assert all(ours in (None, right) for ours, right in zip(said, row["expect"], strict=True))
    else:
        assert said == row["expect"]


def test_malformed_json_is_read_or_unreadable(shared):
    replies = [malformed(row) for row in rows(shared / "corpora" / "malformed_json.jsonl")]
    for reply in replies:
        assert len(labels_of(reply, SENTENCES[:3])) == 3
    assert len(replies) > 500


def test_an_attack_in_a_reply_earns_nothing_that_was_not_said(shared):
    attacks = rows(shared / "corpora" / "attacks.jsonl")
    for row in (row for row in attacks if row["channel"] == "judge_reply"):
        said = row["payload"]
        reply = said if isinstance(said, str) else said["text"] * said["n"]
        credited = [label for label in labels_of(reply, SENTENCES[:3]) if label in CREDITED]
        assert len(credited) <= reply[:1000].count('"verdict":"yes"'), row["id"]


SMALL = rows("small_model_replies")
LABELLED = [row for row in SMALL if "human" in row]


def pairs_of(row: dict[str, Any]) -> list[tuple[str | None, str | None]]:
    """The labels of a row's reply, each with the one that a human reads."""
    labels = labels_of(row["reply"], row["statements"], row["ids"])
    return list(zip(labels, row["human"], strict=True))


@pytest.mark.parametrize("row", LABELLED, ids=lambda row: row["id"])
def test_no_label_of_a_small_model_is_more_positive_than_a_human_reads_it(row):
    pairs = pairs_of(row)
    assert [(o, h) for o, h in pairs if EARN.get(o or "", 0) > EARN.get(h or "", 0)] == []


def test_most_verdicts_of_a_small_model_are_read_at_once_if_its_reply_is_not_in_doubt():
    """Any other reply is asked for again: a quarter of what this model says without a grammar."""
    pairs = [pair for row in LABELLED if row["readable"] for pair in pairs_of(row) if pair[1]]
    assert sum(ours == human for ours, human in pairs) >= 0.9 * len(pairs) >= 140


@pytest.mark.parametrize("row", SMALL, ids=lambda row: row["id"])
def test_every_reply_of_a_small_model_ends_in_a_valid_result(row):
    judge = ScriptedJudge([Reply(row["reply"], finish_reason=row["finish_reason"])])
    result = grade(
        " ".join(row["statements"]), "Nothing else is known.", judge=judge, controls="off"
    )
    assert GradingResult.model_validate(result.model_dump()) == result
    assert result.score is None or 0 <= result.score <= 1
    assert row["finish_reason"] == "stop" or result.error.kind == "truncated"
