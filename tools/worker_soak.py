"""1,000 assertions of one real promptfoo eval in one worker: its memory, and processes left behind.

    python tools/worker_soak.py [TESTS]

The resident set of the worker is read ten times a second. "Warm" is its peak in the first tenth of
the run. It must not grow by more than 20 MB after that, and no worker may be left. Linux only;
promptfoo is installed on first use, as in the e2e tests.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path

import faithfulness_assert

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))
TEMPLATES = Path(faithfulness_assert.__file__).parent / "promptfoo" / "templates"
MAX_GROWTH = 20.0  # MB
WARM_UP = 0.1  # of the run's time

Sample = tuple[float, int, float]  # seconds, pid, MB


def config(tests: int) -> dict[str, object]:
    """An eval whose prompts are its answers; each has its own number, so that no grade repeats."""
    answer = "Room {{number}} opens at nine. A ticket for it costs 14 euros."
    ours = {"type": "python", "value": "file://faithfulness.py", "config": {"judge": "embedded"}}
    return {
        "prompts": [answer],
        "providers": ["echo"],
        "extensions": ["file://faithfulness.py:beforeAll", "file://faithfulness.py:afterAll"],
        "defaultTest": {"assert": [ours]},
        "tests": [
            {"vars": {"number": n, "context": f"Room {n} opens at nine. A ticket costs 14 euros."}}
            for n in range(tests)
        ],
    }


def resident(pid: int) -> float:
    """The resident set of a process, in MB."""
    lines = Path(f"/proc/{pid}/status").read_text("utf-8").splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS"))


def watch(folder: str, done: threading.Event, samples: list[Sample]) -> None:
    """Appends (seconds, pid, MB) for each worker in ``folder``, ten times a second."""
    from processes import workers

    begun = time.monotonic()
    while not done.wait(0.1):
        with suppress(OSError, StopIteration):  # it ended after it was found
            now = time.monotonic() - begun
            samples += [(now, pid, resident(pid)) for pid in workers(folder)]


def soak(tests: int) -> tuple[dict[str, int], list[Sample], list[int]]:
    """Runs the eval. Returns promptfoo's counts, the samples, and the workers left behind."""
    from e2e.promptfoo import provide
    from processes import workers

    samples: list[Sample] = []
    done = threading.Event()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        shutil.copy(TEMPLATES / "faithfulness.py", folder)
        (folder / "promptfooconfig.json").write_text(json.dumps(config(tests)), encoding="utf-8")
        watcher = threading.Thread(target=watch, args=(scratch, done, samples))
        watcher.start()
        try:
            run = provide().eval(folder / "promptfooconfig.json", TMPDIR=scratch)
        finally:
            done.set()
            watcher.join()
        return run.output["results"]["stats"], samples, workers(scratch)


def main() -> None:
    tests = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    stats, samples, left = soak(tests)
    end = samples[-1][0] if samples else 0.0
    warm = max((size for at, _, size in samples if at <= WARM_UP * end), default=0.0)
    peak = max((size for *_, size in samples), default=0.0)
    growth = peak - warm
    pids = {pid for _, pid, _ in samples}
    counts = ", ".join(f"{stats[name]} {name}" for name in ("successes", "failures", "errors"))
    print(f"{tests} tests in {end:.0f} s: {counts}")
    print(f"workers seen: {len(pids)}, left behind: {len(left)}")
    limit = f"target {MAX_GROWTH:+.0f}"
    print(f"memory {warm:.1f} MB when warm, {peak:.1f} MB at its peak ({growth:+.1f}; {limit})")
    complete = stats["successes"] + stats["failures"] == tests and not stats["errors"]
    sys.exit(0 if complete and len(pids) == 1 and growth <= MAX_GROWTH and not left else 1)


if __name__ == "__main__":
    main()
