"""CPU time of a first use, as a ratio to an interpreter that does nothing.

    python benchmarks/startup.py                   this checkout
    python benchmarks/startup.py --beside FOLDER   another checkout too

Each use is a process of its own. All processes of a run take turns, so that other work on the
machine slows them alike, and each has run once before, so that its bytecode is written. The figures
are user and system time. The judge behind an API is a server in this process: it is not counted.
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

ROUNDS = 9
VERDICT = '{"verdicts":[{"id":1,"evidence":[1],"label":"supported"}]}'
GRADE = (
    "from faithfulness_assert import grade\n"
    "result = grade('The tower is 330 metres tall.', 'The tower is 330 metres tall.'%s)\n"
    "assert result.score == 1.0, result.reason"
)
NOTHING = "nothing"


def uses(url: str) -> dict[str, tuple[list[str], str]]:
    """The arguments of each process, and what is aimed at."""
    api = f", judge='openai:m', base_url={url!r}, api_key='k'"
    return {
        NOTHING: (["-c", "pass"], ""),
        "import": (["-c", "import faithfulness_assert"], "<= 1.3"),
        "--version": (["-m", "faithfulness_assert", "--version"], "<= 3"),
        "--help": (["-m", "faithfulness_assert", "--help"], "<= 3"),
        "first embedded grade": (["-c", GRADE % ""], "<= 8"),
        "first API grade": (["-c", GRADE % api], ""),
    }


def cpu_ms(arguments: list[str], folder: str, environment: dict[str, str]) -> float:
    """User and system time of a process, which starts in a folder without a checkout."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, *arguments]
    subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000


def environments(folders: dict[str, str], bytecode: str) -> dict[str, dict[str, str]]:
    """The environment of the processes of each checkout."""
    unwanted = ("PYTHONDONTWRITEBYTECODE", "FAITHFULNESS_ASSERT_JUDGE")
    kept = {name: value for name, value in os.environ.items() if name not in unwanted}
    kept |= {"PYTHONPYCACHEPREFIX": bytecode, "NO_PROXY": "127.0.0.1"}
    return {place: {**kept, "PYTHONPATH": folder} for place, folder in folders.items()}


def main() -> None:
    """Prints one line for each use and checkout."""
    here = {"here": str(Path(__file__).parents[1])}
    beside = {"there": str(Path(sys.argv[2]).resolve())} if sys.argv[1:2] == ["--beside"] else {}
    with tempfile.TemporaryDirectory() as bytecode, Loopback(_supported) as server:
        wanted = uses(server.url)
        spent: dict[tuple[str, str], list[float]] = {}
        for number in range(ROUNDS + 1):
            for place, environment in environments({**beside, **here}, bytecode).items():
                for name, (arguments, _) in wanted.items():
                    took = cpu_ms(arguments, bytecode, environment)
                    if number:
                        spent.setdefault((name, place), []).append(took)
    for (name, place), times in sorted(
        spent.items(), key=lambda item: list(wanted).index(item[0][0])
    ):
        ratios = [pick(times) / pick(spent[NOTHING, place]) for pick in (min, median)]
        figures = f"{min(times):7.1f} ms, ratio {ratios[0]:5.1f} (of medians {ratios[1]:5.1f})"
        print(f"{name:22}{place:6}{figures}  {wanted[name][1]}")


def _supported(_: Request) -> Answer:
    return completion(VERDICT)


if __name__ == "__main__":
    main()
