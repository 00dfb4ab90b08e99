"""What a first use costs: a command, a first grade, an assertion of promptfoo.

    python benchmarks/startup.py [ROUNDS]

Each use is a process of its own: promptfoo starts a new Python for each ``python`` assertion. All
processes take turns, so that other work on the machine slows them alike, and each has run once
before, so that its bytecode is written. Each use is compared with one that does nothing: a bare
interpreter, or an assertion that checks nothing. The judge behind an API is a server in this
process: its CPU time is not counted.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.extend(str(Path(__file__).parents[1] / name) for name in ("tests", "tests/support"))
from loopback import Loopback
from true_server import answered

ROOT = Path(__file__).parents[1]
GRADE = (
    "from faithfulness_assert import grade\n"
    "text = 'The tower is 330 metres tall. Its lift has glass walls.'\n"
    "result = grade(text, text%s)\n"
    "assert result.score == 1.0, result.reason"
)
NOTHING, NO_CHECK = "nothing", "assertion that checks nothing"
MINIMAL = "def get_assert(output, context):\n    return {'pass': True, 'score': 1, 'reason': ''}\n"
HOOK = "from faithfulness_assert.promptfoo import get_assert\n"
# As promptfoo's own wrapper does: it loads the file, calls the function and writes the result.
# That wrapper loads asyncio for functions that are coroutines.
WRAPPER = """
import asyncio, importlib.util, inspect, json, os, sys
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
assert result["pass"], result["reason"]
"""
ANSWER = (
    "The Harbour Line ferry runs between Alder Quay and Port Senna from April to October. "
    "The crossing takes 40 minutes. An adult ticket costs 18 euros. "
    "Children under six travel free. Bicycles are carried at no charge."
)
CONTEXT = f"{ANSWER} The ferry was built in 1987."


def uses(folder: Path, url: str) -> dict[str, list[str]]:
    """The arguments of each process."""
    (folder / "wrapper.py").write_text(WRAPPER, "utf-8")
    api = {"judge": "openai:gpt-4o-mini", "base_url": url}
    options = "".join(f", {name}={value!r}" for name, value in api.items())
    return {
        NOTHING: ["-c", "pass"],
        "import": ["-c", "import faithfulness_assert"],
        "--version": ["-m", "faithfulness_assert", "--version"],
        "--help": ["-m", "faithfulness_assert", "--help"],
        "first embedded grade": ["-c", GRADE % ""],
        "first API grade": ["-c", GRADE % options],
        NO_CHECK: assertion(folder / "minimal", MINIMAL, {}),
        "embedded assertion": assertion(folder / "embedded", HOOK, {"judge": "embedded"}),
        "API assertion": assertion(folder / "api", HOOK, api),
    }


def assertion(stem: Path, script: str, config: dict[str, str]) -> list[str]:
    """The arguments of an assertion, with the context that promptfoo passes to it."""
    variables = {"context": CONTEXT, "query": "What does the ferry cost?"}
    test = {"vars": variables, "assert": [{"type": "python", "value": "x.py", "config": config}]}
    context = {"prompt": "", "vars": variables, "test": test, "config": config}
    files = [stem.with_suffix(ending) for ending in (".py", ".in.json", ".out.json")]
    files[0].write_text(script, "utf-8")
    files[1].write_text(json.dumps([ANSWER, context]), "utf-8")
    return [str(stem.parent / "wrapper.py"), *map(str, files)]


def spent_by(arguments: list[str], folder: Path, environment: dict[str, str]) -> tuple[float, ...]:
    """Milliseconds of a process in a folder without a checkout: user and system time, wall time."""
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    command = [sys.executable, *arguments]
    subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, check=True)
    wall, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu * 1000, wall * 1000


def main() -> None:
    """Prints one line for each use."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 9
    with tempfile.TemporaryDirectory() as name, Loopback(answered) as server:
        folder = Path(name)
        own = {"PYTHONPYCACHEPREFIX": name, "PYTHONPATH": str(ROOT), "NO_PROXY": "127.0.0.1"}
        unwanted = ("PYTHONDONTWRITEBYTECODE", "FAITHFULNESS_ASSERT_JUDGE")
        kept = {name: value for name, value in os.environ.items() if name not in unwanted}
        wanted = uses(folder, server.url)
        spent: dict[str, list[tuple[float, ...]]] = {use: [] for use in wanted}
        for _ in range(rounds + 1):
            for use, arguments in wanted.items():
                environment = {**kept, **own, "OPENAI_API_KEY": "none"}
                spent[use].append(spent_by(arguments, folder, environment))
    print(f"{'least of ' + str(rounds):32}{'CPU ms':>8}{'ratio':>7}{'wall ms':>9}{'ratio':>7}")
    base = NOTHING
    for use, (_, *times) in spent.items():
        base = NO_CHECK if use == NO_CHECK else base
        least = [min(side) for side in zip(*times, strict=True)]
        nothing = [min(side) for side in zip(*spent[base][1:], strict=True)]
        cells = zip(least, nothing, (8, 9), strict=True)
        print(f"{use:32}" + "".join(f"{ms:{width}.1f}{ms / of:7.1f}" for ms, of, width in cells))


if __name__ == "__main__":
    main()
