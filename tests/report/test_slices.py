"""A report shows which groups of cases fail, and which made-up statements stand in several answers."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from report_pages import Page, read_page

from faithfulness_assert import Results, grade_many
from faithfulness_assert.report import write_report
from faithfulness_assert.report.groups import (
    MOST_COLUMNS,
    MOST_LOOKED_AT,
    MOST_VALUES,
    Repeats,
    Slices,
)

OUTCOMES = ("passed", "failed", "not_graded")
VALUES = st.one_of(
    st.none(), st.text(max_size=100), st.integers(0, 5), st.booleans(), st.lists(st.text())
)
CASES = st.lists(
    st.tuples(st.dictionaries(st.sampled_from("abc"), VALUES), st.sampled_from(OUTCOMES)),
    max_size=40,
)


def case(model: str, *, good: bool, **more: Any) -> dict[str, Any]:
    answer = "It opens at 9." if good else "It opens at 9. A ticket costs 12 euros."
    return {"answer": answer, "context": "It opens at 9.", "model": model, **more}


def page_of(cases: list[dict[str, Any]], tmp_path: Path) -> Page:
    return read_page(write_report(grade_many(cases), tmp_path / "report.html").path)


@given(CASES)
def test_each_case_is_in_the_slice_of_its_value_and_in_no_other(
    cases: list[tuple[dict[str, Any], str]],
) -> None:
    slices = Slices()
    places = [slices.add(columns, outcome) for columns, outcome in cases]
    values = {name: (place, texts) for name, place, texts in slices.names()}
    for column in slices.columns():
        place, texts = values[column.name]
        told = {part.value: part for part in column.slices}
        expected: dict[str, Counter[str]] = {text: Counter() for text in texts}
        for (columns, outcome), row in zip(cases, places, strict=True):
            if column.name not in columns:
                assert row[place:] == [] or row[place] == -1
                continue
            value = columns[column.name]
            text = "(empty)" if value is None or value == "" else str(value)
            assert texts[row[place]] == text
            expected[text].update(["cases", outcome])
        assert len(told) == len(texts)
        for text, counts in expected.items():
            assert told[text].cases == counts["cases"]
            assert told[text].passed == counts["passed"]
            assert told[text].graded == counts["passed"] + counts["failed"]


def test_the_overview_has_the_rate_and_interval_of_each_group_the_lowest_first(
    tmp_path: Path,
) -> None:
    cases = [case("<b>one</b>", good=n < 8) for n in range(10)] + [case("two", good=False)] * 3
    text = page_of(cases, tmp_path).text
    assert text.index("two") < text.index("<b>one</b>")
    assert "80 %" in text
    assert "49 to 94 %" in text  # statsmodels: proportion_confint(8, 10, method="wilson")
    assert "0 to 56 %" in text  # proportion_confint(0, 3, method="wilson")


def test_a_column_with_one_value_with_lists_or_with_a_value_for_each_case_is_no_group(
    tmp_path: Path,
) -> None:
    cases = [
        case("same", good=True, number=n, tags=["x"], text="long " * 40, half=n % 2)
        for n in range(9)
    ]
    page = page_of(cases, tmp_path)
    assert [name for name, *_ in page.meta["slices"]] == ["half"]


def test_an_empty_cell_is_a_value_and_a_column_of_empty_cells_takes_no_room(tmp_path: Path) -> None:
    empty = {f"empty {n}": "" for n in range(MOST_COLUMNS)}
    cases = [case(model, good=True, **empty) for model in ("a", "", "a", "b")]
    assert [tuple(s) for s in page_of(cases, tmp_path).meta["slices"]] == [
        ("model", 0, ["a", "(empty)", "b"])
    ]
    columns = [{**empty, "late": value} for value in (1, None, 1)]
    slices = Slices()
    assert [slices.add(row, "passed")[-1] for row in columns] == [0, 1, 0]
    assert [column.name for column in slices.columns()] == ["late"]


def test_any_number_of_columns_and_values_is_bounded() -> None:
    slices = Slices()
    for number in range(3000):
        row = slices.add({f"c{number}": ["x"], f"d{number}": number % 2, "id": number}, "passed")
        assert len(row) <= MOST_LOOKED_AT
    assert len(list(slices.columns())) <= MOST_COLUMNS
    assert all(len(values) <= MOST_VALUES for _, _, values in slices.names())


def test_a_statement_of_several_answers_is_counted_once_for_each(tmp_path: Path) -> None:
    repeats = Repeats()
    for text in ("A ticket costs 12 euros.", "a ticket  costs 12 Euros.", "Other."):
        repeats.add([(text, "not_enough_info")] * 2)
    assert [(item.statement, item.answers) for item in repeats.most()] == [
        ("a ticket costs 12 Euros.", 2)
    ]
    page = page_of([case("a", good=False), case("b", good=False), case("c", good=True)], tmp_path)
    assert "in 2 answers" in page.text
    assert "It opens at 9." not in page.text.partition("Said in several answers")[2]


def test_results_without_rows_keep_the_ids_of_their_cases(tmp_path: Path) -> None:
    results = Results(list(grade_many([{"id": "x", **case("one", good=True)}])))
    page = read_page(write_report(results, tmp_path / "report.html").path)
    assert page.rows[0][0] == "x"


def test_the_report_of_graded_rows_has_their_texts_and_columns_as_long_as_it_knows_them(
    tmp_path: Path,
) -> None:
    results = grade_many([{"id": "x", **case("one", good=True)}, {"answer": 3}, {}])
    report = write_report(results, tmp_path / "report.html")
    page = read_page(report.path)
    assert [row[7] for row in page.rows] == ["It opens at 9.", None, None]
    assert page.rows[0][0] == "x"
    assert report.notes == ()
    report = write_report(list(results), tmp_path / "report.html")
    assert "The answers and contexts are not shown" in json.dumps(report.notes)
