"""A clear reply is read in any format; one that needs a guess stays unresolved.

Each row of ``fixtures/clear_replies.jsonl`` has the labels of its statements; null is a statement
without a verdict.
"""

from __future__ import annotations

from typing import Any

import pytest
from reply_rows import graded, rows, score_of

from faithfulness_assert import UnreadableReply, read_verdicts
from faithfulness_assert.reading import parse_label, read

ROWS = rows("clear_replies")


def name_of(row: dict[str, Any]) -> str:
    return str(row["reply"])[:60]


@pytest.mark.parametrize("row", ROWS, ids=name_of)
def test_a_clear_reply_is_read_and_an_unclear_one_is_not(row: dict[str, Any]) -> None:
    try:
        labels = read_verdicts(row["reply"], len(row["labels"]))
    except UnreadableReply:
        labels = [None] * len(row["labels"])
    assert labels == row["labels"]


@pytest.mark.parametrize("row", ROWS, ids=name_of)
def test_a_whole_grade_has_the_score_of_these_labels(row: dict[str, Any]) -> None:
    result = graded(row["reply"], len(row["labels"]))
    assert result.score == pytest.approx(score_of(row["labels"]))


@pytest.mark.parametrize(
    ("text", "evidence"),
    [
        ("1: supported [1]\n2: contradicted [3, 4]", [(1,), (3, 4)]),
        ("1. Yes (evidence: 2)\n2. No []", [(2,), ()]),
        (
            "| id | label | evidence |\n|---|---|---|\n| 1 | yes | 1, 2 |\n| 2 | no | |",
            [(1, 2), ()],
        ),
        ('<verdict id="1"><evidence>1, 2</evidence><label>yes</label></verdict>', [(1, 2)]),
        ("- id: 1\n  evidence: [1, 2]\n  label: yes", [(1, 2)]),
        ("- id: 1\n  evidence:\n    - 1\n    - 2\n  label: yes", [(1, 2)]),
        ("id,label,evidence\n1,yes,3", [(3,)]),
        ("supported [5]. not supported [6]", [(5,), (6,)]),
        ("Statement 1: It is.\nVerdict: supported [2]", [(2,)]),
    ],
)
def test_evidence_is_read_in_every_format(text: str, evidence: list[tuple[int, ...]]) -> None:
    assert [entry.evidence for entry in read(text).verdicts] == evidence


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        ("| Statement | Verdict |\n|---|---|\n| It is \\| was. | yes |", "It is | was."),
        ('<claim id="1"><text>It is.</text><verdict>yes</verdict></claim>', "It is."),
        ('<statement id="1" label="yes">It is.</statement>', "It is."),
        ("- statement: It is.\n  label: yes\n  id: 1", "It is."),
        ("1. ✅ The roof.\n2. ❌ The door.", "The roof."),
    ],
)
def test_the_statement_is_read_in_every_format(text: str, statement: str) -> None:
    assert [entry.statement for entry in read(text).verdicts][:1] == [statement]


@pytest.mark.parametrize(
    ("said", "label"),
    [
        ("✅", "supported"),
        ("❌", "not_enough_info"),
        ("✅ Supported", "supported"),
        ("❌ Contradicted", "contradicted"),
        ("✅ It is stated in sentence 1", "supported"),
        ("❌ It is not there", "not_enough_info"),
        ("✅ No", None),
        ("❌ Yes", None),
        ("✅❌", None),
        ("✅ but not the date", None),
        ("⚠️", None),
        ("Supported [1, 2]", "supported"),
        ("Supported [1] (95%)", "supported"),
        ("supported (95 %)", "supported"),
        ("supported (89%)", None),
        ("supported with high confidence", "supported"),
        ("supported (confidence: 0.5)", "supported"),
        ("supported (confidence: 0.4)", None),
        ("[1] supported", None),
        ("Contradicted: No", None),
        ("Contradicted? No.", None),
        ("Contradicted: Yes", "contradicted"),
        ("Contradicted: the context says red", "contradicted"),
        ("Not supported: nothing says so", "not_enough_info"),
        ("Unsupported - none", None),
        ("Supported: No", None),
        ("Supported: Yes", "supported"),
        ("ＳＵＰＰＯＲＴＥＤ", "supported"),
        ("Ｙｅｓ，ｂｕｔ ｎｏｔ ａｌｌ", None),
        ("部分的に支持", "partially_supported"),
        ("Nicht belegt: der Kontext schweigt", "not_enough_info"),
        ("Belegt, aber nicht alles", None),
    ],
)
def test_a_word_with_marks_evidence_or_confidence_is_its_label(
    said: str, label: str | None
) -> None:
    assert parse_label(said) == label


@pytest.mark.parametrize(
    "text",
    [
        "<a>" * 40 + '<verdict id="1">yes</verdict>' + "</a>" * 40,
        '<verdict id="1">yes</verdict><b-x>',
        "a,b\n1,yes",
        'id,label\n1,"yes',
        "| id | id | label |\n|---|---|---|\n| 1 | 1 | yes |",
        "{'supported': [1], 'contradicted': ['x']}",
    ],
    ids=lambda text: text[:40],
)
def test_a_damaged_structure_is_not_read(text: str) -> None:
    with pytest.raises(UnreadableReply):
        read(text)
