"""``grade`` grades the cases of a file, ``demo`` five examples; ``estimate`` says what it will use,
and ``policies`` how scores are made.
"""

from __future__ import annotations

import json
import tempfile
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from itertools import chain, islice
from pathlib import Path

from ..batch.estimate import estimate_run
from ..batch.rows import Line, Row, grade_rows
from ..batch.run_description import describe_run
from ..batch.store import writing
from ..cases.case import Case
from ..files import read_text
from ..grading import MAX_CONCURRENCY, Grader
from ..policy import describe
from ..policy.load import find_policy, policies
from ..records.checks import check_number
from ..records.errors import InputError
from ..records.result import GradingResult
from .app import PASSED
from .arguments import check_report_argument, grading_options, named_data_set
from .terminal import (
    print_json,
    say_notes,
    show,
    show_line,
    show_lines,
    show_paragraph,
    show_table,
)

DEMO = Path(__file__).parent / "demo.json"
NOTE = (
    "The embedded judge compares words. Use it for a first look and for smoke tests: on words that "
    "are swapped it is no better than chance, and it gets the last case wrong. For real grading, "
    "name an LLM judge:"
)
HOW = "faithfulness-assert grade FILE --judge openai:MODEL"
FEW = 8
"""Cases that `grade` shows one by one."""

# ---------------------------------------------------------------- demo


def run_demo(arguments: Namespace) -> int:
    """Grades the example cases. It needs no key and no network."""
    cases = [Case.of(record) for record in json.loads(read_text(DEMO))]
    results = Grader("embedded", "default").grade_many(cases)
    show(zip(results, cases, strict=True), as_json=arguments.json)
    if not arguments.json:
        show_paragraph(NOTE)
        show_line(HOW)
    return PASSED


# ---------------------------------------------------------------- grade


def run_grade(arguments: Namespace) -> int:
    """Grades the cases, and shows each result as soon as it and those before it are there.

    Of more than ``FEW`` cases it shows the worst ones, at the end.
    """
    options = grading_options(arguments)
    grader = Grader(**options)
    check_number("concurrency", arguments.concurrency, 1, MAX_CONCURRENCY, whole=True)
    check_report_argument(arguments)
    data_set = named_data_set(arguments)
    given = data_set.rows()
    first = list(islice(given, FEW + 1))
    rows, only_worst = chain(first, given), len(first) > FEW and not arguments.all
    graded = partial(_graded, grader, arguments.concurrency, with_cases=not arguments.json)
    shown = partial(show, as_json=arguments.json, only_worst=only_worst)
    if arguments.report is None:
        code = shown(graded(rows))
    else:  # it is of a run, which is kept meanwhile
        from ..report import write_report

        with tempfile.TemporaryDirectory(prefix="faithfulness-assert-") as folder:
            with writing(folder) as store:
                store.keep("about", describe_run(grader, data_set.name))
                code = shown(graded(rows, store.add_rows, store.add))
            write_report(folder, arguments.report)
    say_notes(data_set.notes)
    return code


def _graded(
    grader: Grader,
    concurrency: int,
    rows: Iterable[Row],
    add_rows: Callable[[list[Row]], object] = bool,
    append: Callable[[Line], object] = bool,
    *,
    with_cases: bool = True,
) -> Iterator[tuple[GradingResult, Case | None]]:
    """The results in the order of the rows, each with its case, if that is asked for and can be
    read; otherwise None.
    """
    rows_by_number: dict[int, Row] = {}

    def taken() -> Iterator[Row]:
        for row in rows:
            rows_by_number[row.number] = row
            add_rows([row])
            yield row

    for line in grade_rows(taken(), grader, concurrency=concurrency, in_order=True):
        append(line)
        row = rows_by_number.pop(line.row)
        case = None
        if with_cases and not row.problem:
            with suppress(InputError):
                case = Case.of(row.fields, grader.evidence_roles)
        yield line.result, case


# ---------------------------------------------------------------- estimate


def run_estimate(arguments: Namespace) -> int:
    """Shows what the run will use."""
    options = {**grading_options(arguments), "sample": arguments.sample}
    data_set = named_data_set(arguments)
    estimate = estimate_run(data_set, **options)
    say_notes(data_set.notes)
    if arguments.json:
        print_json(json.dumps(asdict(estimate)))
        return PASSED
    show_lines(str(estimate))
    return PASSED


# ---------------------------------------------------------------- policies


def run_policies(arguments: Namespace) -> int:
    """Lists the presets, or shows the policy that was named."""
    if arguments.NAME is None:
        show_table(describe.HEAD, map(describe.row, policies.values()))
        show_line("To show one in full: faithfulness-assert policies NAME")
        return PASSED
    policy = find_policy(arguments.NAME, {}, {})
    show_line(policy.name, policy.summary, style="bold")
    for line in describe.in_full(policy):
        show_line(f"  {line}")
    return PASSED
