"""A report shows what results say, whatever they contain, and a page that can run nothing else. ``tests/browser`` opens it."""

import json
import re
import shutil
import subprocess
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import test_docs
from attacks import PAYLOADS
from command import here
from conftest import ROOT
from hypothesis import given
from hypothesis import strategies as st
from report_pages import Page, a_line, hash_of, read_page
from rows import changed_database, rows
from strategies import examples

from faithfulness_assert import ConfigError, Results, grade
from faithfulness_assert.batch import run
from faithfulness_assert.batch.outputs import write_results
from faithfulness_assert.batch.store import lines_of
from faithfulness_assert.report import building, write_report
from faithfulness_assert.report.case_view import Offsets

RECORDS: list[dict[str, Any]] = [
    {
        "id": "tall",
        "answer": "The tower is 300 m tall. It is made of cheese.",
        "context": [{"id": "doc", "text": "The tower is 300 m tall. Its colour is red."}],
        "question": "How tall?",
    },
    {"id": "red", "answer": "Its colour is red.", "context": ["Its colour is red."]},
]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "cases.jsonl"
    path.write_text("".join(f"{json.dumps(record)}\n" for record in RECORDS), encoding="utf-8")
    return path


@pytest.fixture
def finished(tmp_path: Path, data: Path) -> Path:
    return run(data, tmp_path / "run", progress=False).path


def lines(tmp_path: Path, text: str | bytes, name: str = "results.jsonl") -> Path:
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def page_of(results: Any, tmp_path: Path, **given: Any) -> Page:
    return read_page(write_report(results, tmp_path / "report.html", **given).path)


# ---------------------------------------------------------------- what it shows


@pytest.mark.parametrize("row", rows("report_overviews"), ids=lambda row: row["what"])
def test_an_overview_says_what_its_row_says(row, tmp_path):
    page = page_of(lines(tmp_path, "".join(map(a_line, row["results"]))), tmp_path)
    text = " ".join(page.text.split())
    assert page.meta["cases"] == len(row["results"])
    assert [said for said in row["says"] if said not in text] == []
    assert [said for said in row.get("never", ()) if said in text] == []
    if "facts" in row:
        assert row["facts"].items() <= page.details[0]["facts"].items()
    assert not {"\0", "\u202e"} & set(page.source)


@pytest.mark.parametrize("size", [1, 1_000_000])
def test_every_case_has_its_answer_statements_evidence_and_passages_in_blocks_of_any_size(
    size, finished, tmp_path, monkeypatch
):
    for kind in ("ROWS", "DETAILS", "PASSAGES"):
        monkeypatch.setattr(building, f"{kind}_SIZE", size)
    page = page_of(finished, tmp_path)
    assert page.meta["cases"] == len(page.rows) == len(page.details) == 2
    tall, detail = page.rows[0], page.details[0]
    assert (tall[0], tall[6], tall[7]) == ("tall", "How tall?", RECORDS[0]["answer"])
    assert [statement[0] for statement in tall[8]] == ["supported", "not_enough_info"]
    assert [tall[7][start:end] for _, start, end, *_ in tall[8]] == [
        "The tower is 300 m tall.",
        "It is made of cheese.",
    ]
    assert detail["passages"] == [["doc", 0]]
    assert page.passages == [RECORDS[0]["context"][0]["text"], RECORDS[1]["context"][0]]
    assert detail["verdicts"][0]["e"] == [[0, 0, 24]]
    assert "It is made of cheese." in page.text
    assert "1 of 2 answers fails" in page.text
    assert "embedded" in page.text


def test_offsets_count_as_javascript_counts():
    text = "a😀b😀c"
    offsets = Offsets(text)
    utf16 = [len(text[:place].encode("utf-16-le")) // 2 for place in range(len(text) + 1)]
    assert [offsets(place) for place in range(len(text) + 1)] == utf16


def test_a_run_has_its_texts_and_a_page_says_that_a_file_of_results_has_none(
    finished, data, tmp_path
):
    data.unlink()
    assert page_of(finished, tmp_path).rows[0][7] == RECORDS[0]["answer"]
    write_results(lines_of(finished), tmp_path / "all.jsonl")
    page = page_of(tmp_path / "all.jsonl", tmp_path)
    assert [row[7] for row in page.rows] == [None, None]
    assert "The answers and contexts are not shown" in page.text
    detail = page.details[0]
    assert (detail["verdicts"][0]["e"], detail["passages"]) == ([[0, 0, 24]], [["doc", 0]])
    assert "complete" not in detail
    assert page.passages[0] == "The tower is 300 m tall."


OPENED = """
import sys
from faithfulness_assert.report import write_report
opened = []
sys.addaudithook(lambda event, given: event == "open" and opened.append(str(given[0])))
write_report(*sys.argv[1:3], other=sys.argv[3])
print([path for path in opened if path.rpartition("/")[2].startswith(("cases", "named"))])
"""


def test_a_file_that_only_a_run_names_is_not_opened(finished, data, tmp_path):
    other = Path(shutil.copytree(finished, tmp_path / "other"))
    for place in (tmp_path, finished, other):
        (place / "named.csv").write_text("password of the user\n")
    for one, name in ((finished, data), (other, "named.csv")):
        changed_database(
            one,
            f"UPDATE run SET value = json_set(value, '$.input.name', '{name}') WHERE name = 'about'",
        )
    command = [sys.executable, "-c", OPENED, finished, tmp_path / "page.html", other]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
    assert "password" not in read_page(tmp_path / "page.html").source


def test_a_report_reads_no_link_of_a_run(finished, tmp_path):
    (finished / "run.sqlite").rename(tmp_path / "elsewhere")
    (finished / "run.sqlite").symlink_to(tmp_path / "elsewhere")
    for use in (lambda: page_of(finished, tmp_path), lambda: list(lines_of(finished))):
        with pytest.raises(ConfigError, match="it is a link to another file"):
            use()


def test_texts_in_columns_are_shown_only_if_they_are_what_was_graded(tmp_path):
    fine = json.loads(a_line({"case_id": "a"}, {"answer": "It is red.", "context": "It is red."}))
    changed = {**fine, "columns": {**fine["columns"], "answer": "It is blue."}}
    file = lines(tmp_path, "".join(f"{json.dumps(line)}\n" for line in (fine, changed)))
    assert [row[7] for row in page_of(file, tmp_path).rows] == ["It is red.", None]


def test_two_runs_side_by_side_show_what_flipped(finished, tmp_path, data):
    second = tmp_path / "second.jsonl"
    second.write_text(
        data.read_text("utf-8").replace("It is made of cheese.", "Its colour is red.")
    )
    other = run(second, tmp_path / "run2", progress=False).path
    page = page_of(finished, tmp_path, other=other)
    assert page.meta["mode"] == "compare"
    ((kind, before, after, flips),) = page.rows
    assert (kind, before[0], after[0], flips) == (2, "tall", "tall", [])
    assert before[7] != after[7]
    assert "run2 is not worse than run" in page.text
    assert "are not shown" not in page.text


# ---------------------------------------------------------------- a page that can do no harm


def test_the_page_allows_its_own_script_and_style_and_nothing_else(finished, tmp_path):
    page = page_of(finished, tmp_path)
    assert page.policy.startswith("default-src 'none'; ")
    assert f"script-src '{hash_of(page.program)}'" in page.policy
    assert f"style-src '{hash_of(page.styles[0])}'" in page.policy
    assert "unsafe" not in page.policy
    assert len(page.styles) == 1
    for tag, attributes in page.tags:
        assert tag not in {"link", "img", "iframe", "object", "embed", "base"}
        assert not [name for name in attributes if name.startswith("on") or name == "style"]
        assert "src" not in attributes
        assert attributes.get("href", "#").startswith("#")


def test_the_script_makes_no_markup_from_texts():
    page = "\n".join(
        path.read_text("utf-8")
        for path in (ROOT / "faithfulness_assert/report/assets").glob("*.js")
    )
    banned = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function|fetch\(|XMLHttp|import\("
    assert re.findall(banned, page) == []


TAGS = {"html", "head", "meta", "title", "style", "body", "a", "header", "button", "kbd", "noscript", "p", "main", "section", "h1", "h2"}  # fmt: skip
TAGS |= {"dl", "dt", "dd", "div", "ul", "ol", "li", "svg", "rect", "line", "text", "span", "bdi", "q", "form", "dialog", "footer", "script", "after"}  # fmt: skip


def test_an_attack_is_a_text_wherever_it_stands(tmp_path):
    result = grade("It is made of cheese.", "Its colour is red.")
    tail = "</script><script>alert(1)</script><img src=x onerror=alert(1)>"
    hostile, cases = [], []
    for said in (f"{attack}{tail}" for attack in PAYLOADS):
        verdict = replace(result.verdicts[0], statement=said, reason=said, flags=(said,))
        texts = dict.fromkeys(("reason", "judge", "policy", "case_id"), said)
        hostile.append(replace(result, verdicts=(verdict,), **texts))
        cases.append({"answer": said, "context": said})
    page = page_of(Results(hostile, cases), tmp_path)
    assert {tag for tag, _ in page.tags} <= {*TAGS, "title"}
    assert page.program.count("alert") == 0
    assert {detail["reason"] for detail in page.details} == {one.reason for one in hostile}


# ---------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    "text",
    ["not json\n", '{"answer": "a", "context": "b"}\n', "[1, 2]\n", '{"score": 1}\n', "\0\0\0", "[" * 100_000],
)  # fmt: skip
def test_what_is_not_results_is_a_message_that_names_the_line(tmp_path, text):
    for before in ("", a_line({})):
        number = 2 if before else 1
        with pytest.raises(ConfigError, match=f"line {number}: not results of a run"):
            page_of(lines(tmp_path, before + text), tmp_path)
    assert not (tmp_path / "report.html").exists()
    assert list(tmp_path.glob(".*part")) == []


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
FIELDS = "case_id row input pass score defined status reason threshold policy judge error verdicts skipped counts coverage named_scores citations tokens_used cost latency_ms metadata columns".split()
VERDICT = (
    "id statement label unresolved evidence reason span repeat_of flags shown wrong says passage start end text"
).split()
verdicts = st.lists(st.dictionaries(st.sampled_from(VERDICT), json_values))
METADATA = "warnings calculation controls suggestions rawRatings inverse".split()
metadata = st.dictionaries(
    st.sampled_from(METADATA),
    json_values | st.dictionaries(st.sampled_from(["asked", "failed"]), json_values),
)
records = st.dictionaries(st.sampled_from(FIELDS), json_values | verdicts) | st.builds(
    lambda told: {"metadata": told}, metadata
)


@examples(60)
@given(records)
def test_whatever_fields_contain_there_is_a_page_or_a_message(tmp_path_factory, found):
    folder = tmp_path_factory.mktemp("any")
    texts = {"answer": "a", "context": "b"}
    for record in (found, {"metadata": found.get("metadata")}):
        with suppress(ConfigError):
            line = a_line({"score": 1, **record}, None if "columns" in record else texts)
            page = page_of(lines(folder, line), folder)
            assert page.meta["cases"] == len(page.rows) == 1


# ---------------------------------------------------------------- the command


def test_a_run_that_is_not_finished_is_called_so_on_the_screen_and_on_the_page(finished, tmp_path):
    changed_database(finished, "DELETE FROM results WHERE row = 1")
    told, target = "the run is not finished: it has results for 1 of 2 cases", tmp_path / "r.html"
    for command in (
        ["report", finished, "-o", target],
        ["export", finished, "-o", tmp_path / "out.jsonl"],
    ):
        assert told in here(*command).stderr.casefold()
    page = read_page(target)
    assert told in page.text.casefold()
    assert "0 of 1 failed, run not finished" in page.source


def test_a_page_counts_what_was_spent_on_results_that_others_replaced(finished, tmp_path):
    spent = "UPDATE earlier SET requests = 7, cost = 2.25"
    changed_database(finished, "INSERT INTO earlier SELECT * FROM results", spent)
    assert re.search(r"requests\s+14\s.*cost\s+4\.50", page_of(finished, tmp_path).text, re.DOTALL)


def test_grade_and_batch_write_a_report_too(data, tmp_path):
    target = tmp_path / "page.html"
    for words in (["grade", data], ["batch", data, "--run", tmp_path / "r"]):
        nowhere = here(*words, "--report", tmp_path / "no" / "page.html")
        assert (nowhere.returncode, nowhere.stdout) == (2, ""), "said before anything is graded"
        assert not (tmp_path / "r").exists()
        assert here(*words, "--report", target).returncode == 1
        page = read_page(target)
        assert [row[7] for row in page.rows] == [record["answer"] for record in RECORDS]
        assert "Notes" not in page.text
        assert str(data) in page.text
        target.unlink()


def test_the_examples_of_the_page_print_what_it_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    examples = test_docs.blocks(test_docs.ROOT / "docs" / "report.md", "python {.report}")
    assert examples
    for block in examples:
        assert test_docs.run(block.text, "report.md", {}) == block.output
    assert read_page(tmp_path / "report.html").meta["cases"] == 2
