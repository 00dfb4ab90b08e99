"""Every list of the worst ones has one order: that of ``records/result_list.py``."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from report_pages import read_page
from strategies import examples

from faithfulness_assert import GradingResult, Verdict
from faithfulness_assert.cli.terminal import WORST, show
from faithfulness_assert.records.model import GraderError
from faithfulness_assert.records.result_list import badness
from faithfulness_assert.report import write_report

COUNTS = {"contradicted": st.integers(0, 2), "not_enough_info": st.integers(0, 2)}


def result(number: int, outcome: str, score: float | None, counts: dict[str, int]) -> GradingResult:
    error = GraderError("timeout", "too late") if outcome == "ERROR" else None
    labels: list[Any] = [label for label, count in counts.items() for _ in range(count)]
    return GradingResult(
        pass_=outcome == "PASS",
        score=None if error else score,
        defined=not error and score is not None,
        status="judge_failed" if error else "graded",
        error=error,
        reason="r",
        threshold=0.8,
        policy="default",
        judge="j",
        counts=counts,
        verdicts=tuple(Verdict(n, f"{number}.{n}", label) for n, label in enumerate(labels, 1)),
        case_id=f"case-{number}",
    )


some = st.tuples(
    st.sampled_from(["PASS", "FAIL", "FAIL", "ERROR"]),
    st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]),
    st.fixed_dictionaries(COUNTS),
)


def in_report(results: Sequence[GradingResult], folder: Path) -> Iterator[list[str]]:
    """The order of the list of cases (``query.js`` sorts by this number), and of the worst statements of one label."""
    page = read_page(write_report(results, folder / "report.html").path)
    rows = [(row[0], row[9]) for row in page.rows]
    yield [name for name, _ in sorted(rows, key=lambda row: -row[1])]
    worst = re.search(r'class="worst.*?</ol>', page.source, re.DOTALL)
    cards = worst[0].split("<li")[1:] if worst else []
    for label in COUNTS:
        yield [re.findall(r"case-\d+", card)[0] for card in cards if f"label-{label}" in card]


@given(st.lists(some, min_size=1, max_size=12))
@examples(25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_terminal_and_report_agree_on_what_is_worst(tmp_path, capsys, drawn):
    results = [result(number, *fields) for number, fields in enumerate(drawn)]
    order = [one.case_id for one in sorted(results, key=badness, reverse=True)]
    outcomes = [one.outcome for one in sorted(results, key=badness, reverse=True)]
    assert outcomes == sorted(outcomes, key=["FAIL", "ERROR", "PASS"].index)
    cases, *statements = in_report(results, tmp_path)
    assert cases == order
    for of_label in statements:
        assert of_label == [name for name in order if name in of_label]
    capsys.readouterr()
    show(((one, None) for one in results), as_json=False, only_worst=True)
    shown = re.findall(r"^FAIL .*(case-\d+)", capsys.readouterr().out, re.MULTILINE)
    failed = {one.case_id for one in results if one.outcome == "FAIL"}
    assert shown == [name for name in order if name in failed][:WORST]
