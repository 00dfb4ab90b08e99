"""The command line. Exit codes: 0 all passed, 1 some failed, 2 wrong use, 3 some could not be graded."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import faithfulness_assert

from ..grading import Grader
from ..policy import describe as policy_table
from ..policy.files import read_data
from ..policy.load import find_policy
from ..policy.policy import SCORED, Policy
from ..policy.presets import policies
from ..promptfoo.migrate import migrated
from ..promptfoo.worker_process.protocol import IDLE
from ..records.errors import ConfigError
from ..text.strings import visible
from .terminal import FAILED, PASSED, STYLES, WRONG_USE, show, show_line, show_table

if TYPE_CHECKING:
    from collections.abc import Iterable

app = typer.Typer(
    help=__doc__,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

JudgeOption = Annotated[
    str,
    typer.Option(
        help="embedded, openai:MODEL, anthropic:MODEL or tape:DIR.",
        envvar="FAITHFULNESS_ASSERT_JUDGE",
    ),
]
PolicyOption = Annotated[
    str, typer.Option(help="A preset or a policy file; see `faithfulness-assert policies`.")
]
ThresholdOption = Annotated[
    float | None,
    typer.Option(help="The score in [0, 1] that passes; the policy's own if not given."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="One JSON result a line.")]


def main() -> None:
    """Runs the command line; the caller's own mistakes end as one line and exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]  # a terminal need not know every character
    try:
        app()
    except ConfigError as error:
        typer.echo(f"faithfulness-assert: {visible(str(error))}", err=True)
        raise SystemExit(WRONG_USE) from None


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"faithfulness-assert {faithfulness_assert.__version__}")
        raise typer.Exit


VersionOption = Annotated[
    bool,
    typer.Option(
        "--version", help="Print the version and exit.", callback=_print_version, is_eager=True
    ),
]


@app.callback()
def _common(version: VersionOption = False) -> None: ...


@app.command()
def demo(as_json: JsonOption = False) -> None:
    """Grade a bundled set with the embedded judge: no key, no network."""
    text = (Path(__file__).parent / "demo.json").read_text(encoding="utf-8")
    show(Grader().grade_many(json.loads(text)), as_json=as_json)
    if not as_json:
        typer.echo(
            "\nThe embedded judge compares words: good for a first look and for smoke tests, near chance on swapped names and negations"
        )
        typer.echo(
            "(the last case is wrong, and says so of itself). Name an LLM judge for real grading: --judge openai:MODEL"
        )


@app.command()
def grade(
    file: Annotated[
        str,
        typer.Argument(
            help="Cases with answer, context, question, id: a .json file (one or a list), a .jsonl file, - for stdin."
        ),
    ],
    judge: JudgeOption = "embedded",
    policy: PolicyOption = "default",
    threshold: ThresholdOption = None,
    option: Annotated[
        list[str] | None,
        typer.Option(
            "--option", "-o", help="Any option of grade(), as NAME=VALUE (VALUE as JSON or text)."
        ),
    ] = None,
    concurrency: Annotated[int, typer.Option(help="How many cases at once.")] = 8,
    as_json: JsonOption = False,
) -> None:
    """Grade the cases of a file."""
    grader = Grader(
        **{"judge": judge, "policy": policy, "threshold": threshold, **_options(option or [])}
    )
    tally = show(grader.grade_many(_cases(file), concurrency=concurrency), as_json=as_json)
    raise typer.Exit(tally.exit_code)


@app.command("policies")
def policies_(
    name: Annotated[
        str | None,
        typer.Argument(help="One in full: a preset, or a policy file (.toml, .yaml, .json)."),
    ] = None,
) -> None:
    """List the presets, or explain one."""
    if name is not None:
        policy = find_policy(name, {}, {})
        _show_policy(policy, policy_table.in_full(policy))
        return
    show_table(policy_table.HEAD, [policy_table.row(policy) for policy in policies.values()])
    show_line(f"weights: {', '.join(SCORED)}")
    for policy in policies.values():
        _show_policy(policy, (f"differs: {deviation}" for deviation in policy.deviations))


def _show_policy(policy: Policy, lines: Iterable[str]) -> None:
    show_line(f"\n{policy.name}", policy.summary, style="bold")
    for line in lines:
        show_line(f"  {line}")


@app.command()
def init(
    folder: Annotated[Path, typer.Argument(help="Where to write the example.")] = Path(),
    force: Annotated[bool, typer.Option(help="Overwrite files that are there.")] = False,
    from_: Annotated[
        Path | None,
        typer.Option(
            "--from",
            help="A promptfoo config: print its context-faithfulness assertions as ours, and write nothing.",
        ),
    ] = None,
) -> None:
    """Write a working promptfoo example: one test passes, one fails on a made-up number."""
    if from_ is not None:
        typer.echo(migrated(read_data(str(from_), "init")), nl=False)
        return
    templates = sorted(
        path
        for path in (Path(__file__).parents[1] / "promptfoo" / "templates").iterdir()
        if path.is_file()
    )
    try:
        there = [t.name for t in templates if (folder / t.name).exists()]
        if there and not force:
            raise ConfigError(
                f"init: {', '.join(there)} exists in {folder}; choose another folder, or --force"
            )
        folder.mkdir(parents=True, exist_ok=True)
        for template in templates:
            (folder / template.name).write_bytes(template.read_bytes())
    except OSError as error:
        raise ConfigError(f"init: cannot write to {folder}: {error.strerror}") from None
    for template in templates:
        typer.echo(f"wrote {folder / template.name}")
    typer.echo(f"\nNow: cd {folder} && PROMPTFOO_PYTHON={sys.executable} npx promptfoo@latest eval")


@app.command()
def worker(
    pid: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="The process whose descendants it serves, and with which it ends; the shell that runs this.",
        ),
    ] = None,
    idle: Annotated[
        float,
        typer.Option(
            min=0.1, max=86_400, help="It also ends after so many seconds without an assertion."
        ),
    ] = IDLE,
) -> None:
    """Keep judges warm for the promptfoo evals of this shell. The extension in `faithfulness.py` does this for each eval by itself."""
    from ..promptfoo.worker_process.server import serve

    owner = os.getppid() if pid is None else pid
    typer.echo(f"serving the promptfoo evals started by process {owner}")
    typer.echo(f"graded {serve(owner, idle)} assertions")


@app.command()
def doctor(
    judge: JudgeOption = "embedded",
    context: Annotated[
        Path | None,
        typer.Option(
            help="A promptfoo assertion context as JSON: shows what it holds and which keys are taken."
        ),
    ] = None,
) -> None:
    """Check this machine: interpreter, versions, whether the judge answers, what a promptfoo context holds."""
    from .doctor import checks, context_report

    given = None if context is None else _load_json(_read(str(context)), str(context))
    found = list(checks(judge))
    for check in found:
        show_line(
            f"{check.state:5}", check.text, style=STYLES.get(check.state.upper(), "bold green")
        )
    if context is not None:
        show_line(context_report(given))
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
    text = _read(file)
    if Path(file).suffix in (".jsonl", ".ndjson"):
        data = _load_lines(text, file)
    else:
        try:
            data = _load_json(text, file)
        except ConfigError:
            if file != "-":
                raise
            data = _load_lines(text, file)
    found = data if isinstance(data, list) else [data]
    if not found:
        raise ConfigError(f"{file}: holds no case")
    return found


def _load_lines(text: str, file: str) -> list[Any]:
    # Only a line feed ends a line: the others that `splitlines` knows may stand inside a JSON string.
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    return [_load_json(line, f"{file}, line {number}") for number, line in lines]


def _read(file: str) -> str:
    try:
        content = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        return content.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file}: cannot be read: {error}") from None


def _load_json(text: str, name: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{name}: is no JSON: {error}") from None
