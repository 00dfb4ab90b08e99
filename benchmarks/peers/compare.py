"""Compares this package with ragas, deepeval, autoevals and trulens on one machine, in one run.

    python benchmarks/peers/compare.py [--write]
    python benchmarks/peers/compare.py --renew          pins the newest versions first
    python benchmarks/peers/compare.py ragas trulens --repeat 1

Each grader has an environment of its own (``.peers/``, made on first use) with the versions of
``pins/``. All of them grade the same items with the same judge: a server on this machine, in its
own process, that is always right and replies after 200 ms. Each repetition measures one grader
after the other, in new processes. Then each grader meets a judge with one fault after another.
``--write`` puts the tables into docs/benchmarks.md. Not for Windows.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from threading import Timer
from typing import Any

from environments import HERE, OURS, ROOT, Environment, provide, renew
from faults import PROTOCOL, TEXT
from tables import best_level, put, report

GRADERS = (OURS, "ragas", "deepeval", "autoevals", "trulens")
LEVELS = ("10", "25", "50")  # concurrency. The first repetition tries all, the others the best one
ALONE = 10  # items that are graded one by one
FAULTS = (*TEXT, *PROTOCOL)
SILENCE = 60.0  # seconds without a result after which a grade with a fault counts as hanging
START = 900.0  # seconds until the first result: imports, and all grades where time is measured
SHARES = 6  # of the faults, which are tried at the same time: some graders wait long between tries
TIMEOUTS = {"hold": "2"}  # seconds that a grader waits for a reply with this fault; "30" for others
AT_ONCE = 8  # processes, where time is not measured
Record = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("graders", nargs="*", metavar="GRADER", help=f"of {', '.join(GRADERS)}")
    parser.add_argument("--repeat", type=int, default=3, help="repetitions (default: 3)")
    parser.add_argument("--items", type=int, default=50, help="items together, 250 at most")
    parser.add_argument("--environments", type=Path, default=ROOT / ".peers", metavar="FOLDER")
    parser.add_argument("--renew", action="store_true", help="pin the newest versions first")
    parser.add_argument("--write", action="store_true", help="write the tables into the docs")
    given = parser.parse_args()
    names = given.graders or list(GRADERS)
    if unknown := {*names} - {*GRADERS}:
        parser.error(f"unknown: {', '.join(unknown)}")
    if given.items > 250:
        parser.error("--items: 250 at most")
    if given.write and given.graders:
        parser.error("--write needs all graders")
    folder = given.environments.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    if given.renew:
        for name in (*names, "judge"):
            renew(name, folder)
    judge = provide("judge", folder)
    environments = [provide(name, folder) for name in names]
    results = {"date": str(date.today()), "machine": machine(), "repetitions": given.repeat}
    results["graders"] = measured(environments, judge, given.repeat, given.items)
    (folder / "results.json").write_text(json.dumps(results, indent=1), encoding="utf-8")
    text = report(results)
    print(text)
    if given.write:
        put(ROOT / "docs" / "benchmarks.md", text)


def machine() -> Record:
    """What may be said about this machine: no paths, no names."""
    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        fields = (line.partition(":") for line in cpuinfo.read_text().splitlines())
        model = next((value.strip() for key, _, value in fields if "model name" in key), model)
    return {
        "cpu": model,
        "cores": os.cpu_count(),
        "system": platform.system(),
        "python": platform.python_version(),
    }


def measured(
    environments: Sequence[Environment], judge: Environment, repeat: int, items: int
) -> dict[str, Record]:
    records: dict[str, Record] = {
        e.name: {
            "version": e.version,
            "packages": e.packages,
            "megabytes": e.megabytes,
            "starts": [],
            "runs": [],
        }
        for e in environments
    }
    with judging(judge) as root:
        for number in range(repeat):
            for e in environments:
                say(f"repetition {number + 1} of {repeat}: {e.name}")
                record = records[e.name]
                levels = [best_level(record["runs"])] if record["runs"] else LEVELS
                record["starts"].append(drive(e, "start", root))
                record["runs"].append(drive(e, "grade", root, str(ALONE), str(items), *levels))
    say(f"{len(FAULTS)} faults with each")
    with ThreadPoolExecutor(AT_ONCE) as pool:
        patient = [fault for fault in FAULTS if fault not in TIMEOUTS]
        shares = [[fault] for fault in TIMEOUTS]
        shares += [patient[start::SHARES] for start in range(SHARES)]
        tasks = [(e, share) for e in reversed(environments) for share in shares]  # slowest first
        for (e, _), found in zip(tasks, pool.map(lambda t: faulty(*t, judge), tasks), strict=True):
            records[e.name].setdefault("faults", {}).update(found)
    return records


def faulty(environment: Environment, faults: Sequence[str], judge: Environment) -> Record:
    """What came of a grade with each fault."""
    found: dict[str, Record] = {}
    timeout = TIMEOUTS.get(faults[0], "30")
    with judging(judge) as root:
        while left := [fault for fault in faults if fault not in found]:
            end = {"changed": True, "exception": "the process ended"}
            try:
                for record in driven(environment, "faults", root, timeout, *left):
                    found |= {record["fault"]: record} if record else {}
            except TimeoutError:
                end = {"changed": True, "hang": True}
            found |= dict.fromkeys([f for f in left if f not in found][:1], end)
    return found


# ---------------------------------------------------------------- processes


@contextmanager
def judging(judge: Environment) -> Iterator[str]:
    """A judge in a process of its own; its address."""
    command = [str(judge.python), str(HERE / "fake_judge.py")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        try:
            yield f"http://127.0.0.1:{process.stdout.readline().strip()}"
        finally:
            process.kill()


def drive(environment: Environment, mode: str, *arguments: str) -> Record:
    """The one record that the driver prints."""
    for record in driven(environment, mode, *arguments):
        return record
    sys.exit(f"{environment.name}: {mode} gave no result")


def driven(environment: Environment, mode: str, *arguments: str) -> Iterator[Record]:
    """The records that the driver prints. TimeoutError: it was silent for too long."""
    command = [environment.python, HERE / "drive.py", mode, environment.name, *arguments]
    own = ("OPENAI_", "PYTHON", "DEEPEVAL_", "TRULENS_")
    variables = {name: value for name, value in os.environ.items() if not name.startswith(own)}
    with (
        tempfile.TemporaryDirectory() as folder,
        subprocess.Popen(
            list(map(str, command)),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            cwd=folder,
            env={**variables, "NO_PROXY": "127.0.0.1", "HOME": folder},
        ) as process,
    ):
        assert process.stdout
        patience = START
        while line := _next_line(process, patience):
            yield json.loads(line)
            patience = SILENCE
        if process.wait() < 0:
            raise TimeoutError(f"{environment.name}: {mode}")


def _next_line(process: subprocess.Popen[str], patience: float) -> str:
    """The next line; "" at the end of the process, which is killed after ``patience`` seconds."""
    timer = Timer(patience, process.kill)
    timer.start()
    try:
        return process.stdout.readline() if process.stdout else ""
    finally:
        timer.cancel()


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
