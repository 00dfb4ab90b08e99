"""``demo`` grades the cases of ``demo.json``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from ..cases.case import Case
from ..grading import Grader
from .exit_codes import PASSED
from .terminal import show, show_line, show_paragraph

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

DEMO = Path(__file__).parent / "demo.json"
NOTE = (
    "The embedded judge compares words. Use it for a first look and for smoke tests: on swapped "
    "names and negations it is little better than chance. It gets the last case wrong: it misses "
    "the negation. For real grading, name an LLM judge:"
)
HOW = "faithfulness-assert grade FILE --judge openai:MODEL"


def add_arguments(parser: ArgumentParser) -> None:
    """The arguments of ``demo``."""
    parser.add_argument("--json", action="store_true", help="print each result as a line of JSON")


def run(arguments: Namespace) -> int:
    """Grades the example cases. It needs no key and no network."""
    cases = [Case.of(record) for record in json.loads(DEMO.read_text("utf-8"))]
    results = Grader().grade_many(cases)
    show(results, as_json=arguments.json, case_of=lambda number: cases[number - 1])
    if not arguments.json:
        show_paragraph(NOTE)
        show_line(HOW)
    return PASSED
