"""What one assertion costs as a process: promptfoo starts a new Python for each.

    python benchmarks/assertion_process.py [RUNS]

It compares the hook with the embedded judge to an assertion that does nothing, and ``import
faithfulness_assert`` to a bare interpreter. The two sides of each comparison take turns, so that
other work on the machine slows both alike, and both run once before the timing starts, so that
their bytecode is written. Then it prints the heavy packages that the hook imported, if any, and how
the memory of the one process of ``faithfulness.cjs`` grows over ``LONG_RUN`` assertions.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from subprocess import PIPE

import yaml

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
    "rich",
)
HOOK_TARGET = 2.5
IMPORT_TARGET = 1.3
LONG_RUN = 1000  # assertions
SETTLED = 100  # assertions before the memory is read for the first time
GROWTH_TARGET = 20  # MB

MINIMAL = """
def get_assert(output, context):
    return {"pass": True, "score": 1.0, "reason": "nothing was checked"}
"""

# The same as promptfoo's wrapper, if promptfoo is not installed: it loads the file, calls the
# function and writes the result.
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
is_async = inspect.iscoroutinefunction(function)
result = asyncio.run(function(*data)) if is_async else function(*data)
with open(written, "w", encoding="utf-8") as file:
    json.dump({"type": "final_result", "data": result}, file, ensure_ascii=False)
"""

MODULES = """
import json, sys
from faithfulness_assert.promptfoo import get_assert
with open(sys.argv[1], encoding="utf-8") as file:
    get_assert(*json.load(file))
print(json.dumps(sorted(sys.modules)))
"""

ANSWER = (
    "The Harbour Line ferry runs between Alder Quay and Port Senna from April to October. "
    "The crossing takes 40 minutes. An adult ticket costs 18 euros. "
    "Children under six travel free. Bicycles are carried at no charge."
)

Command = list[str]


@dataclass(frozen=True)
class Bench:
    """Runs processes in a folder of their own, where Python finds only the installed package."""

    folder: Path
    runs: int

    def run(self, command: Command) -> str:
        """The standard output of ``command``. The folder keeps its bytecode."""
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
        return {**kept, "PYTHONPYCACHEPREFIX": str(self.folder / "bytecode")}

    def seconds(self, command: Command) -> float:
        """The seconds that ``command`` takes, from start to exit."""
        start = time.perf_counter()
        self.run(command)
        return time.perf_counter() - start

    def compare(self, base: tuple[str, Command], other: tuple[str, Command], target: float) -> None:
        """Runs both in turns and prints medians, minima and their ratios."""
        (base_name, base_command), (name, command) = base, other
        self.run(base_command)
        self.run(command)
        pairs = [(self.seconds(base_command), self.seconds(command)) for _ in range(self.runs)]
        print(f"{name} against {base_name}, {self.runs} runs each")
        for title, pick in (("median", median), ("minimum", min)):
            low, high = (pick(side) * 1000 for side in zip(*pairs, strict=True))
            ratio = f"ratio {high / low:.2f}, target <= {target}"
            print(f"  {title:8}{low:7.1f} ms {high:7.1f} ms   {ratio}")


def main() -> None:
    """Prints the figures of one run."""
    with tempfile.TemporaryDirectory() as name:
        bench = Bench(Path(name), int(sys.argv[1]) if len(sys.argv) > 1 else 20)
        given = _prepare(bench.folder)
        minimal = _assertion(bench.folder, "minimal.py", given)
        hook = _assertion(bench.folder, "faithfulness.py", given)
        base = ("a minimal assertion", minimal)
        bench.compare(base, ("the hook, embedded judge", hook), HOOK_TARGET)
        _report_memory(bench, given)
        _report_result(bench)
        _compare_import(bench)
        _report_modules(bench, given)


def _report_memory(bench: Bench, given: Path) -> None:
    """Prints how one process for many assertions grows; nothing where the system hides it."""
    if not Path("/proc/self/status").exists():
        return
    answer, context = json.loads(given.read_text("utf-8"))
    command = [sys.executable, "-m", "faithfulness_assert.promptfoo"]
    sizes = []
    with subprocess.Popen(
        command, cwd=bench.folder, env=bench.environment, stdin=PIPE, stdout=PIPE
    ) as process:
        for number in range(1, LONG_RUN + 1):
            asked = json.dumps({"grade": [f"{answer} It was built in {number}.", context]})
            process.stdin.write(json.dumps([number, asked]).encode() + b"\n")
            process.stdin.flush()
            while b"result" not in process.stdout.readline():
                pass
            if number in (SETTLED, LONG_RUN):
                status = Path(f"/proc/{process.pid}/status").read_text("ascii")
                kilobytes = next(x for x in status.splitlines() if x.startswith("VmRSS:"))
                sizes.append(int(kilobytes.split()[1]) / 1024)
        process.stdin.close()
    settled, last = sizes
    print(f"{LONG_RUN} assertions in one process: {settled:.1f} MB after {SETTLED}", end=", ")
    print(f"{last:.1f} MB after all", end=", ")
    print(f"growth {last - settled:.1f} MB, target <= {GROWTH_TARGET}")


def _report_result(bench: Bench) -> None:
    result = json.loads((bench.folder / "faithfulness.py.out").read_text("utf-8"))["data"]
    reason = result["reason"].splitlines()[0]
    print(f"  the hook's result: pass {result['pass']}, score {result['score']}: {reason}")


def _compare_import(bench: Bench) -> None:
    bare = ("a bare interpreter", [sys.executable, "-c", "pass"])
    code = "import faithfulness_assert"
    bench.compare(bare, (code, [sys.executable, "-c", code]), IMPORT_TARGET)


def _report_modules(bench: Bench, given: Path) -> None:
    loaded = json.loads(bench.run([sys.executable, "-c", MODULES, str(given)]))
    print(f"modules loaded by the hook: {len(loaded)}")
    for module in HEAVY:
        print(f"  {module:12}{'IMPORTED' if module in loaded else 'no'}")


def _prepare(folder: Path) -> Path:
    """Writes both assertions, the wrapper, and a file with the arguments; returns that file."""
    shutil.copy(TEMPLATES / "faithfulness.py", folder)
    (folder / "minimal.py").write_text(MINIMAL, "utf-8")
    wrapper = max(ROOT.glob(WRAPPERS), default=None)
    (folder / "wrapper.py").write_text(wrapper.read_text("utf-8") if wrapper else WRAPPER, "utf-8")
    ours = "our own copy, because promptfoo is not installed under .e2e"
    print(f"wrapper: {wrapper.relative_to(ROOT).parts[1] if wrapper else ours}")
    given = folder / "input.json"
    given.write_text(json.dumps([ANSWER, _context()]), "utf-8")
    return given


def _context() -> dict[str, object]:
    """The context that promptfoo passes to an assertion."""
    config = {"judge": "embedded", "policy": "default"}
    example = yaml.safe_load((TEMPLATES / "promptfooconfig.yaml").read_text("utf-8"))
    context = example["defaultTest"]["vars"]["context"]
    variables = {"context": context, "query": "What does the ferry cost?"}
    assertion = {"type": "python", "value": "file://faithfulness.py", "config": config}
    return {
        "prompt": "",
        "vars": variables,
        "test": {"vars": variables, "assert": [assertion]},
        "config": config,
        "providerResponse": {"output": ANSWER},
    }


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
