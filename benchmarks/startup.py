"""CPU time of a first use, as a ratio to an interpreter that does nothing.

    python benchmarks/startup.py

Each use is a process of its own. All processes take turns, so that other work on the machine slows
them alike, and each has run once before, so that its bytecode is written. The figures are user and
system time. The judge behind an API is a server in this process: it is not counted.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

sys.path.extend(str(Path(__file__).parents[1] / name) for name in ("tests", "tests/support"))
from loopback import Answer, Loopback, Request, completion
from true_server import text_of

ROOT = Path(__file__).parents[1]
ROUNDS = 9
GRADE = (
    "from faithfulness_assert import grade\n"
    "result = grade('The tower is 330 metres tall.', 'The tower is 330 metres tall.'%s)\n"
    "assert result.score == 1.0, result.reason"
)
NOTHING = "nothing"


def reply(request: Request) -> Answer:
    """As a server sends it that keeps to the JSON Schema and counts tokens, as most do.

    Any other needs jsonschema to say what is wrong, and tiktoken to count.
    """
    usage = {"prompt_tokens": len(text_of(request)) // 4, "completion_tokens": 20}
    return completion('{"verdicts":[{"evidence":[1],"label":"supported"}]}', usage=usage)


def uses(url: str) -> dict[str, list[str]]:
    """The arguments of each process."""
    api = f", judge='openai:m', base_url={url!r}, api_key='k'"
    return {
        NOTHING: ["-c", "pass"],
        "import": ["-c", "import faithfulness_assert"],
        "--version": ["-m", "faithfulness_assert", "--version"],
        "--help": ["-m", "faithfulness_assert", "--help"],
        "first embedded grade": ["-c", GRADE % ""],
        "first API grade": ["-c", GRADE % api],
    }


def cpu_ms(arguments: list[str], folder: str, environment: dict[str, str]) -> float:
    """User and system time of a process, which starts in a folder without a checkout."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, *arguments]
    subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000


def main() -> None:
    """Prints one line for each use."""
    with tempfile.TemporaryDirectory() as folder, Loopback(reply) as server:
        own = {"PYTHONPYCACHEPREFIX": folder, "PYTHONPATH": str(ROOT), "NO_PROXY": "127.0.0.1"}
        unwanted = ("PYTHONDONTWRITEBYTECODE", "FAITHFULNESS_ASSERT_JUDGE")
        kept = {name: value for name, value in os.environ.items() if name not in unwanted}
        wanted = uses(server.url)
        spent: dict[str, list[float]] = {name: [] for name in wanted}
        for _ in range(ROUNDS + 1):
            for name, arguments in wanted.items():
                spent[name].append(cpu_ms(arguments, folder, {**kept, **own}))
    for name, (_, *times) in spent.items():
        ratios = [pick(times) / pick(spent[NOTHING][1:]) for pick in (min, median)]
        print(
            f"{name:22}{min(times):7.1f} ms, ratio {ratios[0]:5.1f} (of medians {ratios[1]:5.1f})"
        )


if __name__ == "__main__":
    main()
