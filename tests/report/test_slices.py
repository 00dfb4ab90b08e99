"""A report shows which groups of cases fail, and which made-up statements stand in several answers."""

import json
from pathlib import Path
from typing import Any

from report_pages import Page, read_page

from faithfulness_assert import Results, grade_many
from faithfulness_assert.report import write_report


def case(model: str, *, good: bool, **more: Any) -> dict[str, Any]:
    answer = "It opens at 9." if good else "It opens at 9. A ticket costs 12 euros."
    return {"answer": answer, "context": "It opens at 9.", "model": model, **more}


def page_of(cases: list[dict[str, Any]], tmp_path: Path) -> Page:
    return read_page(write_report(grade_many(cases), tmp_path / "report.html").path)


def test_the_overview_has_the_rate_and_interval_of_each_group_the_lowest_first(tmp_path):
    cases = [case("<b>one</b>", good=n < 8) for n in range(10)] + [case("two", good=False)] * 3
    text = page_of(cases, tmp_path).text
    assert text.index("two") < text.index("<b>one</b>")
    assert "80 %" in text
    assert "49 to 94 %" in text  # statsmodels: proportion_confint(8, 10, method="wilson")
    assert "0 to 56 %" in text  # proportion_confint(0, 3, method="wilson")


def test_a_column_with_one_value_with_lists_or_with_a_value_for_each_case_is_no_group(tmp_path):
    cases = [
        case("same", good=True, number=n, tags=["x"], text="long " * 40, half=n % 2)
        for n in range(9)
    ]
    page = page_of(cases, tmp_path)
    assert [name for name, *_ in page.meta["slices"]] == ["half"]


def test_an_empty_cell_is_a_value_and_of_very_many_columns_a_few_are_groups(tmp_path):
    many = {f"empty {n}": "" for n in range(3000)}
    cases = [case(model, good=True, **many) for model in ("a", "", "a", "b")]
    slices = page_of(cases, tmp_path).meta["slices"]
    assert [tuple(s) for s in slices] == [("model", 0, ["a", "(empty)", "b"])]
    cases = [case("a", good=True, **{f"c{n}": i % 2 for n in range(3000)}) for i in range(4)]
    assert 1 < len(page_of(cases, tmp_path).meta["slices"]) < 20


def test_a_statement_of_several_answers_is_counted_once_for_each(tmp_path):
    answers = [case("a", good=False), case("b", good=False), case("c", good=True)]
    answers[0]["answer"] += " a ticket  costs 12 Euros."
    page = page_of(answers, tmp_path)
    assert "in 2 answers" in page.text
    assert "It opens at 9." not in page.text.partition("Said in several answers")[2]


def test_results_without_rows_keep_the_ids_of_their_cases(tmp_path):
    results = Results(list(grade_many([{"id": "x", **case("one", good=True)}])))
    page = read_page(write_report(results, tmp_path / "report.html").path)
    assert page.rows[0][0] == "x"


def test_the_report_of_graded_rows_has_their_texts_and_columns_as_long_as_it_knows_them(tmp_path):
    results = grade_many([{"id": "x", **case("one", good=True)}, {"answer": 3}, {}])
    report = write_report(results, tmp_path / "report.html")
    page = read_page(report.path)
    assert [row[7] for row in page.rows] == ["It opens at 9.", None, None]
    assert page.rows[0][0] == "x"
    assert report.notes == ()
    report = write_report(list(results), tmp_path / "report.html")
    assert "The answers and contexts are not shown" in json.dumps(report.notes)
