"""What a command costs together with every process that it starts. Linux only."""

from __future__ import annotations

import ctypes
import os
import re
import resource
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36  # of Linux's prctl


def adopt_orphans() -> None:
    """From now on processes that outlive their parent become our children, so that they count."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def cost(
    command: list[str], folder: Path, environment: dict[str, str]
) -> tuple[float, float, float]:
    """Wall seconds of ``command``; CPU seconds and peak megabytes of it and its descendants."""
    before, start = cpu_of_children(), time.perf_counter()
    peak = 0.0
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=log)
        while process.poll() is None:
            peak = max(peak, sum(map(memory_of_tree, children(os.getpid()))))
            time.sleep(0.1)
    wall = time.perf_counter() - start
    reap(time.monotonic() + 30)
    return wall, cpu_of_children() - before, peak


def reap(until: float) -> None:
    """Waits for orphaned processes: only then does our CPU time include theirs."""
    with suppress(ChildProcessError):  # no process is left
        while time.monotonic() < until:
            if os.waitpid(-1, os.WNOHANG) == (0, 0):
                time.sleep(0.05)
    if children(os.getpid()):
        sys.exit("a process that promptfoo left behind is still running")


def cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def memory_of_tree(pid: int) -> float:
    return memory_of(pid) + sum(map(memory_of_tree, children(pid)))


def children(pid: int) -> list[int]:
    try:
        return [
            int(child)
            for task in Path(f"/proc/{pid}/task").iterdir()
            for child in (task / "children").read_text().split()
        ]
    except OSError:
        return []  # the process has ended


def memory_of(pid: int) -> float:
    """The proportional set of one process, in megabytes: shared memory counts in equal parts."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0.0  # the process has ended
    size = re.search(r"^Pss:\s+(\d+) kB", text, re.MULTILINE)
    return int(size[1]) / 1024 if size else 0.0
