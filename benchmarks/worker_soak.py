"""1,000 assertions of one real promptfoo eval through one warm worker: its memory along the way, and what is left behind.

    python benchmarks/worker_soak.py [TESTS]

The resident set of the worker is read ten times a second; "warm" is its greatest when a tenth of the tests is done. It must not grow by
more than 20 MB from there, and no worker may be left. Linux only; promptfoo is installed on first use, as the e2e tests do.
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
MOST_GROWTH = 20.0  # MB
WARM = 0.1  # of the tests


def config(tests: int) -> dict[str, object]:
    """An eval whose prompts are its answers, each with a number of its own, so that no grade repeats another."""
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


def watch(place: str, done: threading.Event, seen: list[tuple[float, int, float]]) -> None:
    """Appends (seconds, pid, MB) for each worker under ``place``, ten times a second."""
    from processes import workers

    begun = time.monotonic()
    while not done.wait(0.1):
        with suppress(OSError, StopIteration):  # it has ended between two looks
            seen += [(time.monotonic() - begun, pid, resident(pid)) for pid in workers(place)]


def main() -> None:
    from e2e.promptfoo import provide
    from processes import workers

    tests = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    seen: list[tuple[float, int, float]] = []
    done = threading.Event()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        shutil.copy(TEMPLATES / "faithfulness.py", folder)
        (folder / "promptfooconfig.json").write_text(json.dumps(config(tests)), encoding="utf-8")
        watcher = threading.Thread(target=watch, args=(scratch, done, seen))
        watcher.start()
        try:
            run = provide().eval(folder / "promptfooconfig.json", TMPDIR=scratch)
        finally:
            done.set()
            watcher.join()
        left = workers(scratch)
    stats = run.output["results"]["stats"]
    end = seen[-1][0] if seen else 0.0
    warm = max((size for at, _, size in seen if at <= WARM * end), default=0.0)
    most = max((size for *_, size in seen), default=0.0)
    pids = {pid for _, pid, _ in seen}
    counts = ", ".join(f"{stats[name]} {name}" for name in ("successes", "failures", "errors"))
    print(
        f"{tests} tests in {end:.0f} s: {counts}; workers seen: {len(pids)}, left behind: {len(left)}"
    )
    print(
        f"memory {warm:.1f} MB when warm, {most:.1f} MB at most ({most - warm:+.1f}; target {MOST_GROWTH:+.0f})"
    )
    whole = stats["successes"] + stats["failures"] == tests and not stats["errors"]
    sys.exit(0 if whole and len(pids) == 1 and most - warm <= MOST_GROWTH and not left else 1)


if __name__ == "__main__":
    main()
