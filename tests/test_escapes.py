"""What is written for machines and spreadsheets has the same meaning, and starts nothing."""

import csv
import io
import json
import re
import unicodedata
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from faithfulness_assert import grade
from faithfulness_assert.batch.outputs import write_results
from faithfulness_assert.batch.rows import Line
from faithfulness_assert.report import write_report
from faithfulness_assert.report.page import shown_text
from faithfulness_assert.text.strings import visible, visible_json

COMMANDS = ["##[error]x", "a ##vso[task.complete]", "\\##[group]", "###[x]", "::error::x"]


@given(st.text() | st.sampled_from(COMMANDS))
@example("\\##[error]\U000e0041\u2028")
def test_json_for_a_log_means_the_same_and_starts_no_command(text):
    shown = visible_json(json.dumps({"##[error]": [text]}, ensure_ascii=False))
    assert json.loads(shown) == {"##[error]": [text]}
    assert not re.search(r"##\w*\[|^\s*::", shown)
    assert shown.isprintable()


SIGNS = ["=", "+", "-", "@", "＝", "﹦", "＋", "﹢", "－", "﹣", "＠", "﹫", "⁼", "₌", "−"]
BEFORE = [
    *("", " ", "\u00a0", "\u3000", "\u200b", "\ufeff", "\u2060", "\u200e", "\u00ad", "\u034f", "\ufe0f"),
    *("\u115f", "\u3164", "\uffa0", "\u2800", "\U000e0041", "\U000e0100", "\x00", "\x1b", "\x85"),
    *("\u2028", "\ue000", "\t", "\r", "\n", "\r\n", " \n", "\v", "\u200b \ufeff"),
]  # fmt: skip


def cells(tmp_path: Path, *texts: str) -> list[str]:
    result = grade("The sky is blue.", "The sky is blue.")
    lines = [Line(text, n, "", {"column": text}, result) for n, text in enumerate(texts, 1)]
    write_results(lines, tmp_path / "results.csv")
    with (tmp_path / "results.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["case_id"] for row in rows] == [row["column"] for row in rows]
    return [row["column"] for row in rows]


def test_no_cell_begins_with_a_formula_whatever_stands_before_it(tmp_path):
    texts = [f"{before}{sign}HYPERLINK(1)" for before in BEFORE for sign in SIGNS]
    for text, cell in zip(texts, cells(tmp_path, *texts), strict=True):
        assert cell.replace("'", "") == text.replace("\0", "\ufffd")
        assert cell.startswith("'")


def test_no_part_of_a_cell_begins_a_formula_where_another_separator_is_used(tmp_path):
    separators = (";", "\t", "\n", "\r\n", "; ", ';"', "\n \u200b", "\u2028")
    texts = [
        f"a{between}{sign}HYPERLINK(1){between}- a list" for between in separators for sign in SIGNS
    ]
    found = cells(tmp_path, *texts)
    assert [cell.replace("'", "") for cell in found] == texts
    content = (tmp_path / "results.csv").read_text(encoding="utf-8")
    for read_with in (";", "\t", "|"):  # as a spreadsheet of another country reads the file
        for row in csv.reader(io.StringIO(content, newline=""), delimiter=read_with):
            for cell in row:
                seen = unicodedata.normalize("NFKC", cell).replace('"', "").lstrip("\u200b \t")
                assert not seen.startswith(("=", "+HYP", "-HYP", "@", "\u2212"))


def test_other_cells_are_as_they_were(tmp_path):
    texts = ["a=1", " a", "-1.5", "+3,000", "-2e-7%", "a\n- b\n- c", "a; -1.5", "", "'x"]
    texts += ["\u3000全角", "*", "(=1)", "#"]
    assert cells(tmp_path, *texts) == texts


@pytest.mark.parametrize("code", [0xE0001, 0xE0020, 0xE0041, 0xE007F, 0xE0100, 0xE01EF])
def test_tag_characters_are_shown_by_their_names(code, tmp_path):
    text = f"a{chr(code)}b"
    assert visible(text) == f"a\\U{code:08x}b"
    assert shown_text(text) == f"a[U+{code:X}]b"
    page = write_report([grade(f"The sky {text}.", text, id=text)], tmp_path / "r.html").path
    assert chr(code) not in page.read_text("utf-8")
