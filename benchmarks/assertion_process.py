"""What one assertion costs as a process: promptfoo starts a new Python for each ``python`` one.

    python benchmarks/assertion_process.py [RUNS]

It compares the hook, with the embedded judge and with one behind an API, to an assertion that does
nothing, and ``import faithfulness_assert`` to a bare interpreter. The two sides of each comparison
take turns, so that other work on the machine slows both alike, and both run once before the timing
starts, so that their bytecode is written.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

sys.path.extend(str(Path(__file__).parents[1] / name) for name in ("tests", "tests/support"))
from loopback import Loopback
from true_server import answered

MINIMAL = """
def get_assert(output, context):
    return {"pass": True, "score": 1.0, "reason": "nothing was checked"}
"""
HOOK = "from faithfulness_assert.promptfoo import get_assert\n"

# As promptfoo's own wrapper does: it loads the file, calls the function and writes the result.
WRAPPER = """
import importlib.util, json, os, sys
script, given, written = sys.argv[1:]
sys.path.insert(0, os.path.dirname(script))
spec = importlib.util.spec_from_file_location("script", script)
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
with open(given, encoding="utf-8") as file:
    data = json.load(file)
result = module.get_assert(*data)
with open(written, "w", encoding="utf-8") as file:
    json.dump({"type": "final_result", "data": result}, file, ensure_ascii=False)
"""
ANSWER = (
    "The Harbour Line ferry runs between Alder Quay and Port Senna from April to October. "
    "The crossing takes 40 minutes. An adult ticket costs 18 euros. "
    "Children under six travel free. Bicycles are carried at no charge."
)
CONTEXT = f"{ANSWER} The ferry was built in 1987."


@dataclass(frozen=True)
class Bench:
    """Runs processes in a folder of their own, which keeps their bytecode."""

    folder: Path
    runs: int

    def seconds(self, command: list[str]) -> float:
        """The seconds that ``command`` takes, from start to exit."""
        environment = {
            **os.environ,
            "PYTHONPYCACHEPREFIX": str(self.folder / "bytecode"),
            "OPENAI_API_KEY": "none",
        }
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        start = time.perf_counter()
        subprocess.run(command, cwd=self.folder, env=environment, check=True)
        return time.perf_counter() - start

    def compare(self, base: list[str], name: str, command: list[str]) -> None:
        """Runs both in turns and prints medians, minima and their ratios."""
        self.seconds(base)
        self.seconds(command)
        pairs = [(self.seconds(base), self.seconds(command)) for _ in range(self.runs)]
        print(f"{name}, {self.runs} runs each")
        for title, pick in (("median", median), ("minimum", min)):
            low, high = (pick(side) * 1000 for side in zip(*pairs, strict=True))
            print(f"  {title:8}{low:7.1f} ms {high:7.1f} ms   ratio {high / low:.2f}")

    def assertion(self, name: str, script: str, config: dict[str, str]) -> list[str]:
        """The command of an assertion, with the context that promptfoo passes to it."""
        variables = {"context": CONTEXT, "query": "What does the ferry cost?"}
        assertion = {"type": "python", "value": f"file://{name}.py", "config": config}
        test = {"vars": variables, "assert": [assertion]}
        context = {"prompt": "", "vars": variables, "test": test, "config": config}
        files = [self.folder / f"{name}{ending}" for ending in (".py", ".in.json", ".out.json")]
        files[0].write_text(script, "utf-8")
        files[1].write_text(json.dumps([ANSWER, context]), "utf-8")
        return [sys.executable, str(self.folder / "wrapper.py"), *map(str, files)]

    def result(self, name: str) -> str:
        found = json.loads((self.folder / f"{name}.out.json").read_text("utf-8"))["data"]
        return f"  its result: pass {found['pass']}, score {found['score']}: {found['reason']}"


def main() -> None:
    """Prints the figures of one run."""
    with tempfile.TemporaryDirectory() as folder, Loopback(answered) as server:
        bench = Bench(Path(folder), int(sys.argv[1]) if len(sys.argv) > 1 else 20)
        (bench.folder / "wrapper.py").write_text(WRAPPER, "utf-8")
        minimal = bench.assertion("minimal", MINIMAL, {})
        for name, config in {
            "embedded": {"judge": "embedded"},
            "api": {"judge": "openai:gpt-4o-mini", "base_url": server.url},
        }.items():
            hook = bench.assertion(name, HOOK, config)
            bench.compare(minimal, f"the hook, judge: {name}, against a minimal assertion", hook)
            print(bench.result(name))
        bare = [sys.executable, "-c", "pass"]
        code = "import faithfulness_assert"
        bench.compare(bare, f"{code} against a bare interpreter", [*bare[:2], code])


if __name__ == "__main__":
    main()
