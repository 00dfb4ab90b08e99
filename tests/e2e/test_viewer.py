"""The data for promptfoo's viewer, totals and tables is complete and adds up."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from typing import Any

import pytest
from loopback import Loopback

from .promptfoo import Promptfoo, Run, init
from .viewer_example import ANSWERS, UNFAITHFUL, USAGE, config, judge

pytestmark = pytest.mark.e2e

FAITHFUL, _, DECLINES, REFUSED = ANSWERS


@dataclass(frozen=True)
class Seen:
    """One run of the example: what promptfoo wrote as JSON and as CSV."""

    run: Run
    table: dict[str, dict[str, str]]  # the CSV's lines by description

    def parts(self, name: str) -> list[dict[str, Any]]:
        """The components of a test: the assertion, then its statements."""
        found: list[dict[str, Any]] = self.run.results[name]["gradingResult"]["componentResults"]
        return found


@pytest.fixture(scope="module")
def seen(promptfoo: Promptfoo, tmp_path_factory: pytest.TempPathFactory) -> Seen:
    folder = tmp_path_factory.mktemp("viewer") / "example"
    init(folder)
    with Loopback(judge) as server:
        written = config(server.url)
        for test in written["tests"]:
            test["assert"][0]["metric"] = "grounded"
        (folder / "example.json").write_text(json.dumps(written), "utf-8")
        run = promptfoo.eval(
            folder / "example.json", "-o", "out.csv", OPENAI_API_KEY="none-is-needed"
        )
    with (folder / "out.csv").open(encoding="utf-8", newline="") as table:
        return Seen(run, {line["Description"]: line for line in csv.DictReader(table)})


def test_each_statement_is_a_row_with_its_verdict_and_the_evidence(seen: Seen) -> None:
    """The viewer shows pass, score, value and reason of each component."""
    shown = [
        (part["pass"], part["score"], part["assertion"]["value"], part["reason"])
        for part in seen.parts(UNFAITHFUL)[1:]
    ]
    assert shown == [
        (
            True,
            1,
            "The museum opens at ten.",
            "supported; evidence: [1:1] The museum opens at ten.",
        ),
        (
            False,
            0,
            "A ticket costs 35 euros.",
            (
                "contradicted; not in the evidence: “35”; the context says “9 euros”; "
                "judge: The context says another number; evidence: [1:3] A ticket costs 9 euros."
            ),
        ),
        (
            True,
            1,
            "Children under six go free.",
            "supported; evidence: [1:4] Children under six go free.",
        ),
        (
            False,
            0,
            "The garden has a pond.",
            "not enough info; judge: The context says nothing about it",
        ),
    ]


def test_a_statement_counts_as_an_assertion_and_has_no_metric(seen: Seen) -> None:
    """Only the assertion has the metric: statements change neither its sum nor its count."""
    metrics = seen.run.output["results"]["prompts"][0]["metrics"]
    assert metrics["namedScores"]["grounded"] == pytest.approx(1.5)
    assert metrics["namedScoresCount"]["grounded"] == len(ANSWERS)
    statements = [part for name in ANSWERS for part in seen.parts(name)[1:]]
    assert not any("metric" in part["assertion"] for part in statements)
    passed = sum(part["pass"] for name in ANSWERS for part in seen.parts(name))
    assert (metrics["assertPassCount"], metrics["assertFailCount"]) == (
        passed,
        len(statements) + len(ANSWERS) - passed,
    )


def test_our_named_scores_are_columns_without_ungraded_cases(seen: Seen) -> None:
    """A metric set on the assertion counts a grader error as 0; our own ``faithfulness`` has no value for it."""
    columns = ("Metric: grounded", "Metric: faithfulness", "Metric: coverage")
    figures = {name: tuple(line[column] for column in columns) for name, line in seen.table.items()}
    assert figures == {
        FAITHFUL: ("1.00", "1.00", "1.00"),
        UNFAITHFUL: ("0.50", "0.50", "1.00"),
        DECLINES: ("0.00", "", ""),
        REFUSED: ("0.00", "", ""),
    }


def test_a_grader_error_is_told_apart_from_a_failure(seen: Seen) -> None:
    """``metadata.graderError``, the status and the first words of the reason say so."""
    outcomes = {
        name: (part["metadata"]["graderError"], part["metadata"]["status"])
        for name in ANSWERS
        for part in seen.parts(name)[:1]
    }
    assert outcomes == {
        FAITHFUL: (False, "graded"),
        UNFAITHFUL: (False, "graded"),
        DECLINES: (False, "abstained"),
        REFUSED: (True, "judge_refused"),
    }
    assert [
        name
        for name, line in seen.table.items()
        if line["Grader Reason"].startswith("Not graded: ")
    ] == [REFUSED]


def test_a_reason_is_one_short_line(seen: Seen) -> None:
    """It fits into a cell of a table and has no line breaks."""
    for name in ANSWERS:
        for part in seen.parts(name):
            assert 0 < len(part["reason"]) < 300
            assert "\n" not in part["reason"]


def test_the_tokens_of_all_asks_are_in_the_totals(seen: Seen) -> None:
    """Three answers reached the judge, which refused one; the answer that declines needs no ask."""
    total = seen.run.output["results"]["stats"]["tokenUsage"]["assertions"]
    assert (total["prompt"], total["completion"], total["total"]) == tuple(
        3 * USAGE[name] for name in ("prompt_tokens", "completion_tokens", "total_tokens")
    )
    assert "Grading: 1,440 (1,236 prompt, 204 completion)" in seen.run.console
