"""A result in a notebook: escaped HTML without scripts, told apart without colour."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from attacks import FIXTURES, load, text_of
from fakes import ScriptedJudge, failing, verdicts_json
from hypothesis import given
from strategies import texts

from faithfulness_assert import GradingResult, grade

TAGS = {"div", "p", "b", "table", "thead", "tbody", "tr", "th", "td"}
STYLE = re.compile(r"[a-z-]+:[#\w. %]+(;[a-z-]+:[#\w. %]+)*")
"""Declarations without a URL, an expression or an escape."""


class Page(HTMLParser):
    """What a browser sees: the texts, and whether tags are closed and allowed."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.texts: list[str] = []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in TAGS
        for name, value in attrs:
            assert name == "style" or (name, value) == ("class", "tex2jax_ignore mathjax_ignore")
            assert name != "style" or STYLE.fullmatch(value or "")
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")

    handle_decl = handle_pi = unknown_decl = handle_comment

    @property
    def text(self) -> str:
        return " ".join(self.texts)


def page(result: GradingResult) -> Page:
    return Page(result._repr_html_())


def test_a_result_shows_outcome_labels_statements_and_evidence_in_words() -> None:
    labels: dict[int, str | None] = {1: "supported", 2: "contradicted", 3: None}
    result = grade(
        "It is old. It is big. It is red.",
        {"id": "walls", "text": "It is old and small."},
        id="a tower",
        judge=ScriptedJudge([verdicts_json(labels)]),
    )
    text = page(result).text
    assert "FAIL" in text
    assert "score 0.33, threshold 0.80 (graded)" in text
    assert "a tower" in text
    for words in ("+\xa0supported", "x\xa0contradicted", "!\xa0unverified: missing verdict"):
        assert words in text
    assert "2. It is big." in text
    assert "walls:1  It is old and small." in text
    assert "judge scripted" in text


def test_a_list_of_results_can_be_read() -> None:
    result = grade(f"It is old. {'It is red. ' * 50}", "It is old.", id="a")
    assert repr([result]) == (
        "[GradingResult(pass_=False, score=0.5, status='graded', reason='1 of 2 statements "
        "supported (1 not enough info): score 0.50 < threshold 0.8. Not enough info: “It i…', "
        "case_id='a')]"
    )
    assert len(repr(grade("x" * 9999, id="\n" * 9999))) < 300


def test_outcomes_are_words() -> None:
    assert "PASS" in page(grade("It is old.", "It is old.")).text
    error = page(grade("It is old.", "It is old.", judge=ScriptedJudge([failing("transport")])))
    assert "ERROR" in error.text
    assert "no score, threshold 0.80 (judge_failed)" in error.text
    assert "no score" in page(grade("", "It is old.")).text


@pytest.mark.parametrize(
    "payload",
    [
        *[text_of(row) for row in load(FIXTURES / "attacks.jsonl") if row["channel"] == "answer"],
        "<script>alert(1)</script>",
        '"><img src=x onerror=alert(1)>',
        "</td></table></div><h1>PASS",
        "<!-- -->&lt;b&gt;<![CDATA[x]]><?php ?>",
        "$\\href{javascript:alert(1)}{x}$",
        "a\u202eb\x1b[31m\x00c",
    ],
)
def test_hostile_texts_are_shown_as_text_everywhere(payload: str) -> None:
    verdict = {"id": 1, "evidence": [1], "reason": payload, "label": "contradicted"}
    result = grade(
        payload,
        [{"id": payload, "text": payload}],
        id=payload,
        judge=ScriptedJudge([json.dumps({"verdicts": [verdict]})]),
        reasons="all",
    )
    shown = page(replace(result, reason=payload, judge=payload, metadata={"warnings": [payload]}))
    kept = str.maketrans("", "", "\xa0\u200c\u200d")
    assert all(text.translate(kept).isprintable() for text in shown.texts)


@given(texts, texts)
def test_any_text_gives_whole_html(answer: str, context: str) -> None:
    page(grade(answer, context, id=answer))


def test_of_many_statements_those_with_problems_are_shown_and_the_rest_is_counted() -> None:
    context = " ".join(f"Room {n} has {n} chairs." for n in range(1, 1001))
    shown = page(grade(f"{context} It is old.", context))
    assert "and 901 more statements" in shown.text
    assert "1001. It is old." in shown.text
    assert len(grade(context * 10, context)._repr_html_()) < 100_000


def test_ratings_and_citations_are_shown() -> None:
    ratings = {"faithfulness": 0.9, "relevance": 0.8, "completeness": 0.7, "reasoning_quality": 0.6}
    judge = ScriptedJudge([json.dumps({**ratings, "suggestions": []})])
    result = grade("It is old [c9].", "It is old.", policy="masis", judge=judge)
    text = page(result).text
    assert "reasoning_quality: 0.6" in text
    assert "cited, but not there: c9" in text
