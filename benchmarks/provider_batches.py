"""A run over a batch API whose provider makes mistakes: nothing lost, nothing credited to another.

    python benchmarks/provider_batches.py [--cases 100000] [--faults 0.05] [--via openai-batch]

The provider is a loopback server in a process of its own. It answers truthfully, and gives a reason
that repeats the statement. A share of the lines of its outputs is expired, missing, doubled, under
the id of another ask, or a 429; all lines come in any order. Every case has texts of its own, so
that a reason that belongs to another case shows. The largest memory is that of this process.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.extend(str(Path(__file__).parents[1] / name) for name in ("tests", "tests/support"))

from faithfulness_assert.batch.data_sets import open_data_set
from faithfulness_assert.batch.provider_batches import collect, submit
from faithfulness_assert.batch.rows import Line
from faithfulness_assert.batch.run_directory import RunDirectory

KEY = "key-0123456789abcdef"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--faults", type=float, default=0.05)
    parser.add_argument("--via", default="openai-batch")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        serve(given.faults)
        return
    command = [sys.executable, __file__, "--serve", "--faults", str(given.faults)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as it:
        assert it.stdin is not None
        assert it.stdout is not None
        root = it.stdout.readline().strip()
        with tempfile.TemporaryDirectory() as folder:
            measure(given.cases, given.via, root, RunDirectory(Path(folder) / "run"))
        it.stdin.close()
        print(it.stdout.read().strip())


def serve(faults: float) -> None:
    from batch_server import BatchServer, Faults

    with BatchServer(faults=Faults(faults)) as server:
        print(server.root, flush=True)
        sys.stdin.read()
        print(f"asks that the provider answered: {server.billed['asks']:,}")
        happened = ", ".join(f"{n:,} {kind}" for kind, n in sorted(server.faults.happened.items()))
        print(f"faults: {happened}")


def measure(count: int, via: str, root: str, directory: RunDirectory) -> None:
    provider = via.partition("-")[0]
    base_url = f"{root}/v1" if provider == "openai" else root
    wanted = {"judge": f"{provider}:model-1", "base_url": base_url, "reasons": True}
    began, cpu = time.monotonic(), time.process_time()
    standing = submit(open_data_set(cases(count)), directory, via, api_key=KEY, **wanted)
    rounds = 0
    while True:
        for said in standing.said:
            print(said, flush=True)
        if standing.finished:
            break
        time.sleep(0.02 * min(rounds, 50))
        standing = collect(directory, api_key=KEY)
        rounds += 1
    seconds, used = time.monotonic() - began, time.process_time() - cpu
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    found = Counter(word for line in directory.lines() for word in checked(line))
    twice = found["lines"] - len({line.row for line in directory.lines()})
    lost = count - (found["lines"] - twice)
    print(f"{count:,} cases: {lost} lost, {twice} twice, {found['wrong']} wrong", end=", ")
    print(f"{found['foreign']} with a verdict of another case, {found['failed']} not graded")
    print(f"{seconds:.0f} s, CPU of this process {used:.0f} s, largest memory {memory:.0f} MB")
    assert (lost, twice, found["wrong"], found["foreign"]) == (0, 0, 0, 0)


def cases(count: int) -> Iterator[dict[str, Any]]:
    """Cases of which no two have the same texts; every third has a statement without backing."""
    for number in range(1, count + 1):
        second = f"Shop {number} sells bread." if number % 3 else f"Shop {number} has 7 rooms."
        yield {
            "id": str(number),
            "answer": f"Shop {number} is open on Sundays. {second}",
            "context": [f"Shop {number} is open on Sundays. Shop {number} sells bread."],
        }


def checked(line: Line) -> Iterator[str]:
    """What a line of the results is, in words to count."""
    yield "lines"
    if line.result.status != "graded":
        yield "failed"
        return
    expected = 1.0 if int(line.case_id) % 3 else 0.5
    if line.result.score != expected or len(line.result.verdicts) != 2:
        yield "wrong"
    own = f"Shop {line.case_id} "
    if not all(own in (verdict.reason or "") for verdict in line.result.verdicts):
        yield "foreign"


if __name__ == "__main__":
    main()
