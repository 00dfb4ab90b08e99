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
    shown = seen.parts(UNFAITHFUL)[1:]
    assert " ".join(part["assertion"]["value"] for part in shown) == ANSWERS[UNFAITHFUL]
    assert [part["pass"] for part in shown] == [True, False, True, False]
    assert [part["score"] for part in shown] == [1, 0, 1, 0]
    assert [part["reason"] for part in shown] == [
        "supported; evidence: passage 1: The museum opens at ten.",
        (
            "contradicted; not in the evidence: “35”; the context says “9 euros”; "
            "judge: The context says another number; evidence: passage 1: A ticket costs 9 euros."
        ),
        "supported; evidence: passage 1: Children under six go free.",
        "not enough info; judge: The context says nothing about it",
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


def test_the_tokens_of_all_asks_are_in_the_totals(seen: Seen) -> None:
    """Three answers reached the judge, which refused one; the answer that declines needs no ask."""
    total = seen.run.output["results"]["stats"]["tokenUsage"]["assertions"]
    assert (total["prompt"], total["completion"], total["total"]) == tuple(
        3 * USAGE[name] for name in ("prompt_tokens", "completion_tokens", "total_tokens")
    )
    assert "Grading: 1,440 (1,236 prompt, 204 completion)" in seen.run.console
