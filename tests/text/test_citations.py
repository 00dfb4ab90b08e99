"""The citation audit: which cited ids do not exist, and which claims have no citation."""

import json
import time

import pytest
from conftest import ROOT
from fakes import TruthfulJudge
from hypothesis import example, given
from hypothesis import strategies as st
from strategies import answers

from faithfulness_assert import CitationAudit, ConfigError, audit_citations, grade

GOLDEN = json.loads((ROOT / "fixtures" / "golden" / "citations.json").read_text("utf-8"))
# What we find if the source's finding is a defect, as its ``ours_instead`` says.
OURS = {
    "decimal point splits sentence": {"confidence": 0.9},
    "grouped ids are one invalid id": {"confidence": 0.9},
}
STYLES = json.loads((ROOT / "fixtures" / "citations.json").read_text("utf-8"))
CLEAN = {
    "needs_retry": False,
    "invalid_citations": [],
    "uncited_claim_count": 0,
    "hallucination_detected": False,
}


@pytest.mark.parametrize("row", GOLDEN, ids=lambda row: row["case"])
def test_the_audit_agrees_with_the_golden_rows(row):
    expected = row["expected"] if row["carry"] else CLEAN | OURS[row["case"]]
    audit = audit_citations(row["inputs"]["answer"], row["inputs"]["evidence_ids"])
    assert audit.confidence(row["inputs"]["llm"]["confidence"]) == pytest.approx(
        expected["confidence"]
    )
    assert list(audit.invalid_citations) == expected["invalid_citations"]
    assert (
        audit.uncited_claim_count == expected["uncited_claim_count"] == len(audit.uncited_sentences)
    )
    assert audit.needs_retry is expected["needs_retry"]
    assert audit.hallucination_detected is expected["hallucination_detected"]


@pytest.mark.parametrize("row", STYLES, ids=lambda row: row["case"])
def test_citations_are_found_in_every_style_and_by_the_shape_of_their_ids_and_hedges_need_none(row):
    own = {"hedges": row["hedges"]} if "hedges" in row else {}
    audit = audit_citations(row["answer"], row["ids"], **own)
    assert list(audit.invalid_citations) == row["invalid"]
    assert audit.uncited_claim_count == row["uncited"]


def test_an_id_that_looks_like_a_range_is_one_id_beside_ids_of_very_many_shapes():
    others = [f"{'a_' * words}{number}" for words in range(1, 60) for number in (1, 2)]
    assert audit_citations("It is so [1-3].", [*others, "1-3"]).invalid_citations == ()


@given(
    st.lists(st.text(max_size=30), max_size=5), st.sampled_from(["[{}]", "【{}】", "(Source: {})"])
)
def test_an_id_that_exists_is_never_invalid(ids, style):
    for name in ids:
        audit = audit_citations(f"It is so {style.format(name)}.", ids)
        assert name not in audit.invalid_citations


def test_many_different_ids_are_compared_in_linear_time():
    ids = [f"doc_{i}_chunk_{i * 7}" for i in range(10_000)]
    answer = " ".join(f"It is so [doc_{i}_chunk_{i}]." for i in range(10_000))
    started = time.process_time()
    assert len(audit_citations(answer, ids).invalid_citations) == 9_999
    assert time.process_time() - started < 15


@example("It is so [: a].", [])
@given(answers | st.text("[]():,†#1as ").map("Source {}".format), st.lists(st.text(max_size=5)))
def test_any_answer_gives_a_consistent_audit(answer, ids):
    audit = audit_citations(answer, ids)
    assert audit.hallucination_detected is bool(audit.invalid_citations)
    assert audit.needs_retry is (audit.hallucination_detected or audit.uncited_claim_count >= 5)
    assert len(set(audit.invalid_citations)) == len(audit.invalid_citations)
    assert not set(audit.invalid_citations) & set(ids)
    assert 0 <= audit.confidence(1.0) <= 1


@pytest.mark.parametrize("wrong", ["c1", None, 5, b"c1", [1], ["c1", None], {"c1"}])
def test_ids_and_hedges_that_are_not_strings_are_the_callers_mistake(wrong):
    with pytest.raises(ConfigError, match=r"^ids: "):
        audit_citations("It is so.", wrong)
    with pytest.raises(ConfigError, match=r"^hedges: "):
        audit_citations("It is so.", [], hedges=wrong)


def test_an_answer_or_a_language_that_is_not_a_string_is_the_callers_mistake():
    with pytest.raises(ConfigError, match=r"^answer: "):
        audit_citations(None, [])
    with pytest.raises(ConfigError, match="language: must be a string, got NoneType"):
        audit_citations("It is so.", ["c1"], language=None)


@pytest.mark.parametrize(
    ("base", "expected"),
    [(0, 0), (0.4, 0.4), (1, 1), (1.5, 1), (2, 0.02), (85, 0.85), (250, 1), (-3, 0)],
)
def test_confidence_reads_shares_and_percentages(base, expected):
    assert CitationAudit().confidence(base) == pytest.approx(expected)


def test_the_audit_of_masis_takes_the_hedges_of_masis():
    answer = "The data is not provided. It may rise [c1]. It may fall. Perhaps it stays."
    context = [{"id": "c1", "text": "It may rise."}]
    uncited = {
        policy: audit.uncited_claim_count
        for policy in ("default", "masis")
        if (
            audit := grade(
                answer, context, judge=TruthfulJudge(), policy=policy, citations="audit"
            ).citations
        )
    }
    assert uncited == {"default": 0, "masis": 2}
