"""``grade`` grades the cases of a file; ``demo`` grades the cases of ``demo.json``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..grading import Grader
from ..judges import judge_forms
from ..records.errors import ConfigError
from .input_files import read_cases
from .terminal import show

if TYPE_CHECKING:
    from collections.abc import Iterable

FORMS = judge_forms()
DEMO = Path(__file__).parent / "demo.json"
DEMO_NOTE = """
The embedded judge compares words. Use it for a first look and for smoke tests: on swapped names and
negations it is little better than chance. It gets the last case wrong: it misses the negation.
For real grading, name an LLM judge: faithfulness-assert grade FILE --judge openai:MODEL"""

CasesArgument = Annotated[
    str,
    typer.Argument(
        help="A .json file (one case or a list of cases), a .jsonl file (one case per line), or "
        "- for standard input. A case has answer and context, and may have question and id."
    ),
]
JudgeOption = Annotated[
    str,
    typer.Option(
        help=f"The judge: {', '.join(FORMS[:-1])} or {FORMS[-1]}.",
        envvar="FAITHFULNESS_ASSERT_JUDGE",
    ),
]
PolicyOption = Annotated[
    str, typer.Option(help="A preset or a policy file; see `faithfulness-assert policies`.")
]
ThresholdOption = Annotated[
    float | None,
    typer.Option(help="The score from 0 to 1 that passes. By default, the policy's."),
]
OtherOptions = Annotated[
    list[str] | None,
    typer.Option(
        "--option",
        "-o",
        metavar="NAME=VALUE",
        help="Set an option of the list below. VALUE is JSON or text. May be repeated.",
    ),
]
ConcurrencyOption = Annotated[int, typer.Option(help="How many cases to grade at once.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print each result as one line of JSON.")]


def demo(as_json: JsonOption = False) -> None:
    """Grade five example cases with the embedded judge. Needs no key and no network."""
    show(Grader().grade_many(json.loads(DEMO.read_text(encoding="utf-8"))), as_json=as_json)
    if not as_json:
        typer.echo(DEMO_NOTE)


def grade(
    file: CasesArgument,
    judge: JudgeOption = "embedded",
    policy: PolicyOption = "default",
    threshold: ThresholdOption = None,
    option: OtherOptions = None,
    concurrency: ConcurrencyOption = 8,
    as_json: JsonOption = False,
) -> None:
    """Grade the cases of a file."""
    named = {"judge": judge, "policy": policy, "threshold": threshold}
    grader = Grader(**{**named, **_parse_options(option or [])})
    tally = show(grader.grade_many(read_cases(file), concurrency=concurrency), as_json=as_json)
    raise typer.Exit(tally.exit_code)


def _parse_options(given: Iterable[str]) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for item in given:
        name, sign, value = item.partition("=")
        if not sign:
            raise ConfigError(f"--option: must be NAME=VALUE, got {item!r}")
        try:
            parsed = json.loads(value)
        except ValueError:
            parsed = value
        options[name.strip().replace("-", "_")] = parsed
    return options
