"""The command line. Exit codes: 0 all passed, 1 some failed, 2 wrong use, 3 some could not be graded."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from .errors import ConfigError
from .grading import Grader
from .policy import SCORED, Policy, score
from .presets import find_policy, policies
from .result import GradingResult, visible

if TYPE_CHECKING:
    from collections.abc import Iterable

PASSED, FAILED, WRONG_USE, NOT_GRADED = 0, 1, 2, 3
STYLES = {
    "PASS": "bold green",
    "FAIL": "bold red",
    "ERROR": "bold yellow",
    "+": "green",
    "x": "red",
    "?": "red",
    "~": "yellow",
    "!": "yellow",
}

app = typer.Typer(help=__doc__, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)

JudgeOption = Annotated[str, typer.Option(help="embedded, openai:MODEL or tape:DIR.", envvar="FAITHFULNESS_ASSERT_JUDGE")]
PolicyOption = Annotated[str, typer.Option(help="A preset; see `faithfulness-assert policies`.")]
ThresholdOption = Annotated[float | None, typer.Option(help="The score in [0, 1] that passes; the policy's own if not given.")]
JsonOption = Annotated[bool, typer.Option("--json", help="One JSON result a line.")]


def main() -> None:
    """Runs the command line; the caller's own mistakes end as one line and exit code 2."""
    try:
        app()
    except ConfigError as error:
        typer.echo(f"faithfulness-assert: {visible(str(error))}", err=True)
        raise SystemExit(WRONG_USE) from None


@app.command()
def demo(as_json: JsonOption = False) -> None:
    """Grade a bundled set with the embedded judge: no key, no network."""
    text = (Path(__file__).parent / "demo.json").read_text(encoding="utf-8")
    results = list(Grader().grade_many(json.loads(text)))
    _show(results, as_json=as_json)
    if not as_json:
        typer.echo(
            "\nThe embedded judge compares words: good for a first look and for smoke tests, near chance on swapped names and negations"
        )
        typer.echo("(the last case is wrong, and says so of itself). Name an LLM judge for real grading: --judge openai:MODEL")


@app.command()
def grade(
    file: Annotated[
        str, typer.Argument(help="Cases with answer, context, question, id: a .json file (one or a list), a .jsonl file, - for stdin.")
    ],
    judge: JudgeOption = "embedded",
    policy: PolicyOption = "default",
    threshold: ThresholdOption = None,
    option: Annotated[
        list[str] | None, typer.Option("--option", "-o", help="Any option of grade(), as NAME=VALUE (VALUE as JSON or text).")
    ] = None,
    concurrency: Annotated[int, typer.Option(help="How many cases at once.")] = 8,
    as_json: JsonOption = False,
) -> None:
    """Grade the cases of a file."""
    grader = Grader(**{"judge": judge, "policy": policy, "threshold": threshold, **_options(option or [])})
    results = list(grader.grade_many(_cases(file), concurrency=concurrency))
    _show(results, as_json=as_json)
    raise typer.Exit(_exit_code(results))


@app.command("policies")
def policies_(name: Annotated[str | None, typer.Argument(help="One preset, in full.")] = None) -> None:
    """List the presets, or explain one."""
    console = Console(highlight=False, markup=False, emoji=False)
    if name is not None:
        _explain(console, find_policy(name, {}, {}))
        return
    table = Table("preset", "split", "weights: " + ", ".join(SCORED), "threshold", "fails on", "what it is")
    for policy in policies.values():
        weights = ", ".join(f"{policy.weights[label]:g}" for label in SCORED)
        table.add_row(policy.name, policy.split, weights, f"{policy.threshold:g}", ", ".join(policy.fail_on) or "-", policy.summary)
    console.print(table)


@app.command()
def init(
    folder: Annotated[Path, typer.Argument(help="Where to write the example.")] = Path(),
    force: Annotated[bool, typer.Option(help="Overwrite files that are there.")] = False,
) -> None:
    """Write a working promptfoo example: one test passes, one fails on a made-up number."""
    templates = sorted(path for path in (Path(__file__).parent / "promptfoo" / "templates").iterdir() if path.is_file())
    there = [t.name for t in templates if (folder / t.name).exists()]
    if there and not force:
        raise ConfigError(f"init: {', '.join(there)} exists in {folder}; choose another folder, or --force")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for template in templates:
            (folder / template.name).write_bytes(template.read_bytes())
    except OSError as error:
        raise ConfigError(f"init: cannot write to {folder}: {error.strerror}") from None
    for template in templates:
        typer.echo(f"wrote {folder / template.name}")
    typer.echo(f"\nNow: cd {folder} && PROMPTFOO_PYTHON={sys.executable} npx promptfoo@latest eval")


@app.command()
def doctor(
    judge: JudgeOption = "embedded",
    context: Annotated[
        Path | None, typer.Option(help="A promptfoo assertion context as JSON: shows what it holds and which keys are taken.")
    ] = None,
) -> None:
    """Check this machine: interpreter, versions, whether the judge answers, what a promptfoo context holds."""
    from .doctor import checks, context_report

    found = list(checks(judge))
    console = Console(highlight=False, markup=False, emoji=False)
    for check in found:
        console.print(Text(f"{check.state:5}", STYLES.get(check.state.upper(), "bold green")), Text(visible(check.text)), soft_wrap=True)
    if context is not None:
        console.print(Text(visible(context_report(_load_json(context.read_text(encoding="utf-8"), str(context))))), soft_wrap=True)
    raise typer.Exit(FAILED if any(check.state == "fail" for check in found) else PASSED)


# ---------------------------------------------------------------- in


def _options(given: Iterable[str]) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for item in given:
        name, sign, value = item.partition("=")
        if not sign:
            raise ConfigError(f"--option: must be NAME=VALUE, got {item!r}")
        try:
            options[name.strip().replace("-", "_")] = json.loads(value)
        except ValueError:
            options[name.strip().replace("-", "_")] = value
    return options


def _cases(file: str) -> list[Any]:
    try:
        text = sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file}: cannot be read: {error}") from None
    if Path(file).suffix in (".jsonl", ".ndjson") or (file == "-" and not text.lstrip().startswith("[")):
        lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
        found = [_load_json(line, f"{file}, line {number}") for number, line in lines]
    else:
        data = _load_json(text, file)
        found = data if isinstance(data, list) else [data]
    if not found:
        raise ConfigError(f"{file}: holds no case")
    return found


def _load_json(text: str, name: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{name}: is no JSON: {error}") from None


# ---------------------------------------------------------------- out


def _show(results: list[GradingResult], *, as_json: bool) -> None:
    if as_json:
        for result in results:
            sys.stdout.write(result.model_dump_json(by_alias=True) + "\n")
        return
    console = Console(highlight=False, markup=False, emoji=False)
    for number, result in enumerate(results, 1):
        console.print(Text(f"\n{visible(result.case_id or f'case {number}')}", "bold"), soft_wrap=True)
        for line in result.pretty().splitlines():
            console.print(_coloured(line), soft_wrap=True)
    console.print(Text(f"\n{summary(results)}", "bold"), soft_wrap=True)


def _coloured(line: str) -> Text:
    mark = line.split(maxsplit=1)[0] if line.strip() else ""
    text = Text(line)
    if mark in STYLES:
        text.stylize(STYLES[mark], line.index(mark), line.index(mark) + len(mark))
    return text


def summary(results: list[GradingResult]) -> str:
    """One line on many results. The mean is over what is defined."""
    defined = [r.score for r in results if r.defined]
    mean = f"mean score {sum(defined) / len(defined):.2f} over {len(defined)} defined" if defined else "no score is defined"
    errors = sum(r.error is not None for r in results)
    passed = sum(r.pass_ for r in results)
    return f"{len(results)} cases: {passed} passed, {len(results) - passed - errors} failed, {errors} not graded; {mean}"


def _exit_code(results: list[GradingResult]) -> int:
    if any(r.error is not None for r in results):
        return NOT_GRADED
    return PASSED if all(r.pass_ for r in results) else FAILED


def _explain(console: Console, policy: Policy) -> None:
    from dataclasses import fields

    from .model import Verdict

    console.print(Text(policy.name, "bold"), Text(policy.summary), soft_wrap=True)
    for field in fields(policy):
        value = getattr(policy, field.name)
        if field.name not in ("name", "summary", "deviations") and value not in ("", (), {}):
            console.print(f"  {field.name}: {dict(value) if field.name in ('weights', 'labels') else value}", soft_wrap=True)
    worked = [Verdict(i, "", label) for i, label in enumerate(("supported", *SCORED), 1)]
    outcome = score(policy, worked)
    if outcome is not None:
        total = " + ".join(f"{policy.weights[v.label]:g}" for v in worked if v.label)
        console.print(
            f"  example: two supported and one of each other label: ({total}) / {outcome.counted} = {outcome.value:.4g}", soft_wrap=True
        )
    for deviation in policy.deviations:
        console.print(f"  differs: {deviation}", soft_wrap=True)
