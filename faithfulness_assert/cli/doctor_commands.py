"""``doctor`` checks this machine, the settings and the judge, and says how to fix a problem."""

from __future__ import annotations

import os
import platform
import re
import secrets
import shutil
import subprocess
import sys
import time
from argparse import Namespace
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast

from .. import __version__
from ..asking.schema import json_schema
from ..grading import Grader
from ..judges.remote.endpoint import Endpoint
from ..judges.remote.remote_judge import RemoteJudge
from ..options import UNSTORED, check_names, hide_key
from ..records.errors import ConfigError, FaithfulnessError, JudgeError, without_keys
from ..records.judge import Ask, Payload, ReplyForm, judge_info
from ..records.model import Label
from ..settings import SETTING, Choice, choose
from .app import FAILED, PASSED
from .arguments import judge_options
from .promptfoo_commands import python_of_promptfoo
from .terminal import show_line

STYLES = {"ok": "bold green", "warn": "bold yellow", "fail": "bold red"}
CASE = ("The museum opens at nine.", "The museum opens at nine. The garden has 12 fountains.")
NODE_NEEDED = "promptfoo needs Node 22.22 or newer"
DEADLINE = 60.0  # seconds, for the grade and for the ask after it
_QUESTION = (
    'Is 2 more than 1? Answer only with JSON of this form: {"verdicts": [{"id": 1, "evidence": [], '
    '"label": "..."}]}'
)


class Check(NamedTuple):
    """What a check found: ``text`` says it, and how to fix a problem."""

    state: Literal["ok", "warn", "fail"]
    text: str


def run_doctor(arguments: Namespace) -> int:
    """Shows the outcome of each check."""
    options = judge_options(arguments)
    hide_key(options)
    outcomes = list(checks(**options))
    for check in outcomes:
        show_line(f"{check.state:5}", without_keys(check.text), style=STYLES[check.state])
    return FAILED if any(check.state == "fail" for check in outcomes) else PASSED


def checks(
    judge: str, policy: Any = None, threshold: Any = None, **options: Any
) -> Iterator[Check]:
    """All checks of a judge with these arguments of ``Grader``, in the order of the lines."""
    here = f"Python {platform.python_version()} at {sys.executable}"
    yield Check("ok", f"faithfulness-assert {__version__} on {here}")
    yield _promptfoo_python()
    yield _node()
    try:
        check_names(options)
        chosen = choose(judge, policy, threshold, options)
    except ConfigError as error:
        yield Check("fail", f"settings: {str(error).removeprefix('settings: ')}")
        return
    named = {"policy": policy, "threshold": threshold, **options}
    given = {name: "-o" for name, value in named.items() if value is not None}
    given |= {} if judge == SETTING else {"judge": "--judge"}
    yield from (Check("ok", line) for line in _settings(chosen, given))
    if "judge" not in {**chosen.sources, **given}:
        problem = "no judge is named, and the embedded one only compares words"
        elsewhere = "One that only pytest or promptfoo names in its configuration: give --judge"
        yield Check("warn", f"{problem}. {elsewhere}")
    yield from _judge_checks(str(chosen.judge), chosen)


# ---------------------------------------------------------------- this machine


def _promptfoo_python() -> Check:
    python = os.environ.get("PROMPTFOO_PYTHON") or python_of_promptfoo(Path())
    fix = f"Set it to {sys.executable}, in .env or the environment"
    if not python:
        problem = "PROMPTFOO_PYTHON is not set, so promptfoo runs the first python on PATH"
        return Check("warn", f"{problem}. {fix}")
    if os.path.realpath(python) == os.path.realpath(sys.executable):
        return Check("ok", f"PROMPTFOO_PYTHON is {python}")
    # It is not run to see what it has: a file of this folder may name any program.
    problem = f"PROMPTFOO_PYTHON is {python}, another Python, which needs faithfulness-assert too"
    return Check("warn", f"{problem}. {fix}")


def _node() -> Check:
    """Whether promptfoo runs on the Node of this machine. Nothing else needs it."""
    path = shutil.which("node")
    if path is None:
        return Check("warn", f"Node is not on PATH: {NODE_NEEDED}")
    version = ""
    with suppress(OSError, ValueError, subprocess.SubprocessError):
        done = subprocess.run(  # noqa: S603 - a program that the user chose, with fixed arguments
            [path, "--version"], capture_output=True, text=True, timeout=30, check=True
        )
        version = done.stdout.strip().removeprefix("v")
    numbers = re.match(r"(\d+)\.(\d+)", version)
    if numbers is None:
        return Check("warn", f"{path} does not start: {NODE_NEEDED}")
    if (int(numbers[1]), int(numbers[2])) < (22, 22):
        return Check("warn", f"Node {version} at {path}: {NODE_NEEDED}")
    return Check("ok", f"Node {version} at {path} runs promptfoo")


# ---------------------------------------------------------------- settings


def _settings(chosen: Choice, given: Mapping[str, str]) -> Iterator[str]:
    """Each setting, and where its value comes from; ``given``: the options that gave one."""
    values = {"judge": chosen.judge, "policy": chosen.policy, "threshold": chosen.threshold}
    values |= {name: chosen.options.get(name) for name in ("cache", "base_url")}
    sources = {**chosen.sources, **given}
    variable = f"{str(chosen.judge).partition(':')[0].upper()}_BASE_URL"
    if values["base_url"] is None and os.environ.get(variable):
        values["base_url"], sources["base_url"] = os.environ[variable], variable
    if (address := values["base_url"]) is not None:
        values["base_url"] = "not an HTTP address"
        with suppress(ConfigError):
            values["base_url"] = Endpoint(str(address)).public_url  # without a password
    for name, value in values.items():
        unset = {"threshold": "that of the policy", "cache": "none"}.get(name, "that of the judge")
        source = sources.get(name, "the default")
        yield f"setting {name}: {unset if value is None else value} (from {source})"


# ---------------------------------------------------------------- the judge


def _judge_checks(name: str, chosen: Choice) -> Iterator[Check]:
    """Grades one case: a real grade would get the same answer or error from the judge."""
    # Without a store, or nobody would be asked.
    options: dict[str, Any] = {"deadline": DEADLINE, **chosen.options, **UNSTORED}
    try:
        grader = Grader(name, chosen.policy, chosen.threshold, **options)
        result = grader.grade(*CASE)
    except FaithfulnessError as error:
        yield Check("fail", f"judge {name}: {error}")
        return
    if result.error is None:
        score = "undefined" if result.score is None else f"{result.score:.2f}"
        cost = f"{result.latency_ms:.0f} ms, {result.tokens_used.total} tokens"
        answers = f"judge {name} answers: score {score} in {cost}"
        problem = "an answer that the context has word for word does not pass; see probe"
        yield Check("ok", answers) if result.pass_ else Check("warn", f"{answers}: {problem}")
        if result.metadata.get("controls", {}).get("failed"):
            problem = "it gave a statement whose verdict is known another one; see probe"
            yield Check("warn", f"judge {name}: failed a control: {problem}")
    else:
        yield Check("fail", f"judge {name}: {result.reason}")
    judge = grader.judge
    model = judge_info(judge).identity or {}
    if model.get("judge") == "local":  # for the eye: nothing else shows a wrong order
        means = f"family {model['family']}, its outputs mean {', '.join(model['labels'])}"
        reads = f"it reads {model['tokens']:,} tokens, by {model['runtime']}"
        yield Check("ok", f"model: {means}; {reads}")
    if isinstance(judge, RemoteJudge) and result.error is None:
        yield from _server_checks(judge)


def _server_checks(judge: RemoteJudge) -> Iterator[Check]:
    """What the server takes of a request, in which form it replies, and how much it reads.

    Labels that only the schema names show whether it is kept to: a model cannot guess them.
    """
    labels = cast("tuple[Label, ...]", (f"a{secrets.token_hex(4)}", f"b{secrets.token_hex(4)}"))
    form = ReplyForm("verdicts", labels)
    ask = Ask(
        messages=({"role": "user", "content": _QUESTION},),
        form=form,
        ids=(1,),
        max_tokens=352,
        payload=Payload(((1, "2 is more than 1."),)),
        schema=json_schema(form),
    )
    try:
        reply = judge.ask(ask, deadline=time.monotonic() + DEADLINE)
    except JudgeError as error:
        yield Check("warn", f"structured output: could not be tested: {error}")
    else:
        for warning in reply.warnings:
            yield Check("warn", f"left out: {warning}")
        if not reply.warnings:
            yield Check("ok", "left out: nothing")
        if any(label in reply.text for label in labels):
            yield Check("ok", "structured output: the server keeps to the JSON Schema")
        else:
            problem = "the server keeps to no JSON Schema; replies are read as they come"
            yield Check("warn", f"structured output: {problem}")
    sent = f"Prompts have at most {judge.info.limits.prompt_tokens:,} tokens"
    learned = "fewer once the server finds one too long"
    yield Check("ok", f"context window: not known. {sent}, {learned}")
