"""Answers as people have them: each verdict is about a thing that a reader would check."""

import gzip
import json

import pytest
from fakes import ScriptedJudge, TruthfulJudge, labelled
from hypothesis import given
from hypothesis import strategies as st
from rows import rows, summary_of

from faithfulness_assert import GradingResult, grade, split_statements
from faithfulness_assert.records.model import VERBATIM_FLAG
from faithfulness_assert.text.talk import claims_nothing, declines

ROWS = rows("answers")


def graded(answer: str) -> GradingResult:
    """The result of a judge that supports all that it is asked about."""
    return grade(answer, ["It is so."], judge=TruthfulJudge(), controls="off")


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


YES = "Of course|No problem!|Everyone!|Natürlich.|Bien sûr !|当然。|可以。|Go ahead"


def set_aside(answer: str, question: str = "") -> int:
    """How many statements a judge sets aside that wants to set all aside."""

    def judge(ask):
        label = "not_a_claim" if "not_a_claim" in ask.form.labels else "not_enough_info"
        return labelled(*[label] * len(ask.ids))(ask)

    context, scripted = ["It is so."], ScriptedJudge([judge])
    result = grade(answer, context, question=question, judge=scripted, controls="off")
    return result.counts["not_a_claim"]


@pytest.mark.parametrize("yes", YES.split("|"))
@pytest.mark.parametrize("before", ["Can I smoke in here? ", "# Is it free?\n", "Q: Is it?\nA: "])
def test_what_answers_a_question_of_the_answer_is_not_set_aside(before, yes):
    assert set_aside(f"It is so.\n\n{before}{yes}") == (before[0] != "#")


@pytest.mark.parametrize("yes", ["Absolutely, no problem!", "Sí, claro.", "Kein Problem!"])
def test_a_yes_to_the_question_is_not_set_aside_nor_does_it_decline(yes):
    for question in ("Can I bring my cat?", "Darf ich rauchen?"):
        assert not set_aside(f"{yes} It is so.", question)
    for question in ("How do I pay?", "Can you tell me about the pool?"):
        assert set_aside(f"{yes} It is so.", question) == 1
    assert not declines(yes)


@pytest.mark.parametrize(("answer", "asked", "skipped"), ROWS)
def test_an_answer_is_asked_about_as_its_row_says(answer, asked, skipped):
    result = graded(answer)
    assert [v.statement for v in result.verdicts] == asked
    assert [[answer[s.start : s.end], s.reason] for s in result.skipped] == skipped


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


LINES = """# Dose|## Approved for children|Safe for children:|**Note:**|- [1]|- dental care
|Thank you!|It is 5.|The plan covers:||```\nx = 1\n```""".replace("\n|", "|").split("|")


@given(st.lists(st.sampled_from(LINES), max_size=7))
def test_what_a_heading_or_lead_in_says_is_shown_with_a_statement(lines):
    answer = "\n".join(lines)
    result = graded(answer)
    skipped = [s for s in result.skipped if s.reason in ("heading", "lead-in")]
    named = [answer[s.start : s.end].strip("*# ") for s in skipped]
    shown = [any(name in v.statement for v in result.verdicts) for name in named]
    assert all(
        is_shown or claims_nothing(name) for name, is_shown in zip(named, shown, strict=True)
    )


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
