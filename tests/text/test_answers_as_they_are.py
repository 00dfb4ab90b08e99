"""Answers as people have them: each verdict is about a thing that a reader would check."""

import gzip
import json
from collections.abc import Callable
from typing import Any

import pytest
from fakes import ScriptedJudge, TruthfulJudge, labelled
from hypothesis import given
from hypothesis import strategies as st
from rows import rows, summary_of

from faithfulness_assert import Ask, GradingResult, Reply, grade, split_statements
from faithfulness_assert.records.model import VERBATIM_FLAG
from faithfulness_assert.text.talk import claims_nothing, declines

ROWS = rows("answers")


def aside(ask: Ask) -> Reply:
    """Sets everything aside, as long as it may."""
    label = "not_a_claim" if "not_a_claim" in ask.form.labels else "not_enough_info"
    return labelled(*[label] * len(ask.ids))(ask)


def graded(answer: str, label: Callable[[str], str] | None = None) -> tuple[GradingResult, Any]:
    judge = TruthfulJudge(label) if label else ScriptedJudge([aside])
    return grade(answer, ["It is so."], judge=judge, controls="off"), judge


def test_what_people_wrote_of_contexts_hardly_ever_has_the_form_of_no_claim(shared):
    """Real statements, true and false, but not of chats: one in two hundred is set aside at most."""
    texts = [
        json.loads(line)["statement"]
        for file in sorted((shared / "labelled").glob("*.jsonl.gz"))
        if "wow" not in file.name
        for line in gzip.decompress(file.read_bytes()).decode().splitlines()[::10]
    ]
    assert sum(map(declines, texts)) <= len(texts) / 400
    assert sum(map(claims_nothing, texts)) <= len(texts) / 200


@pytest.mark.parametrize(
    "claim",
    [
        "The drug cures cancer.",
        "It costs 40 euros.",
        "Ann leads the team.",
        "Take 50 mg daily.",
        "Of course, dogs are welcome.",
        "- Free parking",
        "Status: rejected",
        "Did you know that the drug cures cancer?",
        "Soll ich die Massage für 95 Euro buchen?",
        "As the hotel confirmed in 2019:\n\nThank you for your question!",
    ],
)
def test_a_claim_that_is_set_aside_is_asked_about_without_that_label(claim):
    result, judge = graded(f"{claim}\n\nKind regards,\nHelena Marsh")
    assert result.verdicts[0].label == "not_enough_info"
    assert result.counts["unresolved"] == 0
    first, again = judge.asked
    assert "not_a_claim" in first.form.labels
    assert "not_a_claim" not in again.form.labels
    assert "set aside" in again.messages[-1]["content"]
    assert len(again.payload.items) == 1


def test_what_claims_nothing_is_set_aside_in_one_ask():
    answer = (
        "Hello Ms Okafor!\n\nThe fee is 5 euros. Do you want a copy for 2024?\n\nConfidence: 95%"
    )
    result, judge = graded(answer, lambda text: "supported" if "fee" in text else "not_a_claim")
    assert len(judge.asked) == 1
    assert result.counts["not_a_claim"] == 3
    assert result.score == 1.0


@pytest.mark.parametrize(("answer", "asked", "skipped"), ROWS)
def test_an_answer_is_asked_about_as_its_row_says(answer, asked, skipped):
    result, _ = graded(answer, lambda _: "supported")
    assert [v.statement for v in result.verdicts] == asked
    assert [[answer[s.start : s.end], s.reason] for s in result.skipped] == skipped


def test_thinking_is_skipped_with_a_warning():
    result, _ = graded("<think>The fee is 9.</think>\n\nThe fee is 5.", lambda _: "supported")
    assert [v.statement for v in result.verdicts] == ["The fee is 5."]
    assert any("thought" in warning for warning in result.warnings)
    assert result.skipped[0].reason == "thinking"


def test_a_statement_that_the_context_has_word_for_word_is_marked_where_it_is_not_supported():
    said = "The fee for adults is 9.50 euros."
    context = [f"It opens at nine. {said} Children pay nothing."]
    judge = TruthfulJudge(lambda _: "not_enough_info")
    result = grade(f"{said} Dogs pay nothing.", context, judge=judge, controls="off")
    assert [VERBATIM_FLAG in v.flags for v in result.verdicts] == [True, False]
    assert "the context has this word for word: check the judge" in result.pretty()
    assert summary_of(result).count("check the judge") == 1
    judge = TruthfulJudge(lambda _: "supported")
    assert not grade(said, context, judge=judge, controls="off").verdicts[0].flags


def test_a_statement_that_the_context_denies_word_for_word_is_no_copy():
    judge = TruthfulJudge(lambda _: "contradicted")
    said = "Take this medicine during pregnancy."
    result = grade(said, f"Do not {said.lower()} Rest.", judge=judge, controls="off")
    assert result.verdicts[0].flags == ()


LINES = (
    "# Dose",
    "## Approved for children",
    "Safe for children:",
    "**Note:**",
    "- [1]",
    "- dental care",
    "Thank you!",
    "It is 5.",
)


@given(st.lists(st.sampled_from((*LINES, "The plan covers:", "", "```\nx = 1\n```")), max_size=7))
def test_what_a_heading_or_lead_in_says_is_shown_with_a_statement(lines):
    answer = "\n".join(lines)
    result, _ = graded(answer, lambda _: "supported")
    skipped = [s for s in result.skipped if s.reason in ("heading", "lead-in")]
    named = [answer[s.start : s.end].strip("*# ") for s in skipped]
    assert all(any(name in v.statement for v in result.verdicts) for name in named)


def test_a_lead_in_may_be_set_aside_where_what_stands_under_it_repeats_it():
    said = "The mayor was convicted of fraud for:\n\n- the bridge\n- the harbour"
    result, judge = graded(said, lambda text: "not_a_claim" if text[-1] == ":" else "supported")
    assert len(judge.asked) == 1
    assert [v.statement for v in result.verdicts if v.label == "supported"] == [
        "The mayor was convicted of fraud for: the bridge",
        "The mayor was convicted of fraud for: the harbour",
    ]


# ---------------------------------------------------------------- contexts


def test_runs_of_very_short_lines_are_numbered_together():
    table = "\n".join(str(1000 + place) for place in range(60))
    judge = TruthfulJudge(lambda _: "supported")
    grade("It is so.", [f"{table}\nIt is so, and it was so for a long time."], judge=judge)
    lines = [text for _, text in judge.asked[0].payload.sentences]
    assert len(lines) <= 6
    assert " ".join(" ".join(lines).split()).startswith("1000 1001 1002")
    assert lines[-1] == "It is so, and it was so for a long time."


@pytest.mark.parametrize(
    "context",
    [["[object Object]"], "{{context}}", "${context}", "undefined", ["nan", "None", "#N/A"], "n/a"],
)
def test_what_a_broken_pipeline_leaves_is_no_context(context):
    result = grade("It is so.", context)
    assert result.status == "invalid_input"
    assert "where it read none. Pass the text itself" in result.error.message
    assert grade("It is so.", [*context, "It is so."]).status == "graded"


@pytest.mark.parametrize("passage", ["", {"text": ""}, {"chunkText": ""}, {"sentences": []}])
def test_an_empty_passage_is_an_empty_context_in_any_form(passage):
    assert grade("It is so.", [passage]).status == "no_context"
    assert grade("It is so.", passage).status == "no_context"


def test_a_passage_whose_text_is_none_is_told_what_it_is():
    error = grade("It is so.", [{"text": 3}]).error
    assert error.message == "context: passage 1 must have a string 'text', text is 3."
    assert grade("It is so.", [{"text": "", "content": "It is so."}]).status == "graded"


PASSAGES = ["The pump runs for 14 hours.", "Its warranty lasts three years.", "It weighs 4.2 kg."]
OWN = json.dumps({"answer": "It ships with a free case.", "sources": [*PASSAGES, {"text": "x y"}]})


@pytest.mark.parametrize(
    "answer",
    [
        OWN,
        f"```json\n{OWN}\n```",
        f"Here is the JSON:\n{OWN}",
        f"This is it: {OWN}\n\nThe pump is blue.",
        OWN[:-1],
        OWN[:-25],
        OWN.replace(', "s', '}\n{"s'),
        OWN.replace('"It ships with a free case."', "null"),
        OWN.replace("sources", "sourceDocuments"),
    ],
)
def test_a_context_in_json_beside_an_answer_is_skipped_and_reported(answer):
    result = grade(answer, PASSAGES, judge="embedded")
    assert not any(verdict.label == "supported" for verdict in result.verdicts)
    assert not result.pass_
    assert "context" in {span.reason for span in result.skipped}
    assert "repeats a context" in " ".join(result.warnings)
    spans = [(span.start, span.end) for span in result.skipped]
    spans += [verdict.span for verdict in result.verdicts if verdict.span]
    covered = {at for span in spans for at in range(*span)}
    assert not any(c.isalnum() and at not in covered for at, c in enumerate(answer))
    assert len(covered) == sum(end - start for start, end in spans)


def test_words_behind_json_that_is_cut_off_are_statements_of_their_own():
    cut = '{"advice": [{"id": 2, "text": "The pump is bl'
    said = split_statements(f"{cut}\n\nIt weighs 4.2 kg. It is made in Turin.")
    assert said[-2:] == ["It weighs 4.2 kg.", "It is made in Turin."]
    assert "advice, text: The pump is bl" in said
