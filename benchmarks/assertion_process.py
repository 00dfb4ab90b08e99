"""What one assertion costs as a process: promptfoo starts a fresh Python for each.

    python benchmarks/assertion_process.py [RUNS]

Comparisons, each interleaved, so that a busy machine slows both sides alike: the hook with the embedded judge against an assertion that
does nothing, alone and with a warm worker, and ``import faithfulness_assert`` against a bare interpreter. Then the heavy packages that
the hook imported, if any, and what a worker's memory does over ``LONG_RUN`` assertions. Nothing is timed before every side has run once
and its bytecode is written.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parents[1]
TEMPLATES = ROOT / "faithfulness_assert" / "promptfoo" / "templates"
WRAPPERS = ".e2e/promptfoo-*/node_modules/promptfoo/dist/src/python/wrapper.py"

HEAVY = (
    "openai",
    "pydantic",
    "jsonschema",
    "markdown_it",
    "tiktoken",
    "json_repair",
    "typer",
    "rich",
)
HOOK_TARGET = 2.5
WORKER_TARGET = 1.2
IMPORT_TARGET = 1.3
LONG_RUN, SETTLED, GROWTH_TARGET = (
    1000,
    100,
    20,
)  # assertions, those before memory is first read, MB

MINIMAL = """
def get_assert(output, context):
    return {"pass": True, "score": 1.0, "reason": "nothing was checked"}
"""

# What promptfoo's wrapper does, for where promptfoo is not installed: load the file, call the function, write what it returned.
WRAPPER = """
import asyncio, importlib.util, inspect, json, os, sys
script, method, given, written = sys.argv[1:]
sys.path.insert(0, os.path.dirname(script))
spec = importlib.util.spec_from_file_location("script", script)
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
function = getattr(module, method)
with open(given, encoding="utf-8") as file:
    data = json.load(file)
result = asyncio.run(function(*data)) if inspect.iscoroutinefunction(function) else function(*data)
with open(written, "w", encoding="utf-8") as file:
    json.dump({"type": "final_result", "data": result}, file, ensure_ascii=False)
"""

# Asks this process's worker as often as it is told, each time for another answer, and prints the worker's memory on the way, in kB.
LOAD = """
import json, sys
from faithfulness_assert.promptfoo import client
given, pid, times, settled = sys.argv[1], *map(int, sys.argv[2:])
with open(given, encoding="utf-8") as file:
    answer, context = json.load(file)
for number in range(1, times + 1):
    assert "result" in client.ask(f"{answer} It was built in {number}.", context)
    if number in (settled, times):
        with open(f"/proc/{pid}/status", encoding="ascii") as status:
            print(next(line.split()[1] for line in status if line.startswith("VmRSS:")))
"""

MODULES = """
import json, sys
from faithfulness_assert.promptfoo import get_assert
with open(sys.argv[1], encoding="utf-8") as file:
    get_assert(*json.load(file))
print(json.dumps(sorted(sys.modules)))
"""

ANSWER = (
    "The Harbour Line ferry runs between Alder Quay and Port Senna from April to October. The crossing takes 40 minutes. "
    "An adult ticket costs 18 euros. Children under six travel free. Bicycles are carried at no charge."
)

Command = list[str]


@dataclass(frozen=True)
class Bench:
    """Where the processes run: a folder of their own, so that Python finds the installed package and not a neighbour."""

    folder: Path
    runs: int

    def run(self, command: Command) -> str:
        """The standard output of ``command``. Bytecode is kept in the folder, as an installed package keeps it beside its files."""
        return subprocess.run(
            command,
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            check=True,
            text=True,
        ).stdout

    @property
    def environment(self) -> dict[str, str]:
        unwanted = ("PYTHONDONTWRITEBYTECODE", "FAITHFULNESS_ASSERT_JUDGE")
        kept = {key: value for key, value in os.environ.items() if key not in unwanted}
        return {
            **kept,
            "PYTHONPYCACHEPREFIX": str(self.folder / "bytecode"),
            "TMPDIR": str(self.folder),
        }

    @contextmanager
    def worker(self) -> Iterator[subprocess.Popen[str]]:
        """A worker for what this process starts."""
        command = [sys.executable, "-m", "faithfulness_assert", "worker", "--pid", str(os.getpid())]
        with subprocess.Popen(
            command, cwd=self.folder, env=self.environment, stdout=subprocess.PIPE, text=True
        ) as process:
            try:
                while not list(self.folder.glob(f"*/{os.getpid()}.*")):
                    if process.poll() is not None:
                        sys.exit("the worker does not start")
                    time.sleep(0.01)
                yield process
            finally:
                process.terminate()

    def seconds(self, command: Command) -> float:
        """How long ``command`` takes, from start to exit."""
        start = time.perf_counter()
        self.run(command)
        return time.perf_counter() - start

    def compare(self, base: tuple[str, Command], other: tuple[str, Command], target: float) -> None:
        """Runs both in turn and prints medians, minima and their ratios."""
        (base_name, base_command), (name, command) = base, other
        self.run(base_command)
        self.run(command)
        pairs = [(self.seconds(base_command), self.seconds(command)) for _ in range(self.runs)]
        print(f"{name} against {base_name}, {self.runs} runs each")
        for title, pick in (("median", median), ("minimum", min)):
            low, high = (pick(side) * 1000 for side in zip(*pairs, strict=True))
            print(
                f"  {title:8}{low:7.1f} ms {high:7.1f} ms   ratio {high / low:.2f}, at most {target} wanted"
            )


def main() -> None:
    """Prints the figures of one interleaved run."""
    with tempfile.TemporaryDirectory() as name:
        bench = Bench(Path(name), int(sys.argv[1]) if len(sys.argv) > 1 else 20)
        given = _prepare(bench.folder)
        minimal, hook = (
            _assertion(bench.folder, script, given) for script in ("minimal.py", "faithfulness.py")
        )
        bench.compare(
            ("a minimal assertion", minimal), ("the hook, embedded judge", hook), HOOK_TARGET
        )
        _with_worker(bench, minimal, hook, given)
        result = json.loads((bench.folder / "faithfulness.py.out").read_text("utf-8"))["data"]
        print(
            f"  the hook said: pass {result['pass']}, score {result['score']}: {result['reason'].splitlines()[0]}"
        )
        bare, package = (
            [sys.executable, "-c", code] for code in ("pass", "import faithfulness_assert")
        )
        bench.compare(
            ("a bare interpreter", bare), ("import faithfulness_assert", package), IMPORT_TARGET
        )
        loaded = json.loads(bench.run([sys.executable, "-c", MODULES, str(given)]))
        print(f"modules loaded by the hook: {len(loaded)}")
        for module in HEAVY:
            print(f"  {module:12}{'IMPORTED' if module in loaded else 'no'}")


def _with_worker(bench: Bench, minimal: Command, hook: Command, given: Path) -> None:
    with bench.worker() as process:
        bench.compare(
            ("a minimal assertion", minimal), ("the hook with a warm worker", hook), WORKER_TARGET
        )
        if Path("/proc/self/status").exists():
            load = [
                sys.executable,
                "-c",
                LOAD,
                str(given),
                str(process.pid),
                str(LONG_RUN),
                str(SETTLED),
            ]
            settled, last = (int(line) / 1024 for line in bench.run(load).split())
            print(
                f"{LONG_RUN} assertions: the worker has {settled:.1f} MB after {SETTLED}, {last:.1f} MB after all",
                end="",
            )
            print(f", growth {last - settled:.1f} MB, at most {GROWTH_TARGET} wanted")
        process.terminate()
        said, _ = process.communicate(timeout=10)
        print(
            f"  of itself the worker says: {said.splitlines()[-1]}; it ended, and left {len(list(bench.folder.glob('*/*.sock')))} sockets"
        )


def _prepare(folder: Path) -> Path:
    """Writes both assertions, the wrapper, and the arguments that promptfoo would hand over; returns the file with the arguments."""
    shutil.copy(TEMPLATES / "faithfulness.py", folder)
    (folder / "minimal.py").write_text(MINIMAL, "utf-8")
    wrapper = max(ROOT.glob(WRAPPERS), default=None)
    (folder / "wrapper.py").write_text(wrapper.read_text("utf-8") if wrapper else WRAPPER, "utf-8")
    print(
        f"wrapper: {wrapper.relative_to(ROOT).parts[1] if wrapper else 'our own equivalent, as promptfoo is not installed under .e2e'}"
    )
    config = {"judge": "embedded", "policy": "default"}
    variables = {
        "context": (TEMPLATES / "context.txt").read_text("utf-8"),
        "query": "What does the ferry cost?",
    }
    test = {
        "vars": variables,
        "assert": [{"type": "python", "value": "file://faithfulness.py", "config": config}],
    }
    context = {
        "prompt": "",
        "vars": variables,
        "test": test,
        "config": config,
        "providerResponse": {"output": ANSWER},
    }
    given = folder / "input.json"
    given.write_text(json.dumps([ANSWER, context]), "utf-8")
    return given


def _assertion(folder: Path, script: str, given: Path) -> Command:
    return [
        sys.executable,
        str(folder / "wrapper.py"),
        str(folder / script),
        "get_assert",
        str(given),
        str(folder / f"{script}.out"),
    ]


if __name__ == "__main__":
    main()
