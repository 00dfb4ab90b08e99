"""Drives one grader, in the grader's own environment, and prints JSON lines.

drive.py start GRADER URL                        imports, and the first grade
drive.py grade GRADER URL ALONE TOGETHER LEVEL ...
                                                 items one by one, and together at each LEVEL
drive.py faults GRADER URL TIMEOUT FAULT ...     {} when ready, then one grade with each fault
"""

from __future__ import annotations

import json
import logging
import math
import os
import resource
import sys
import time
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any
from urllib.request import Request, urlopen

from graders import GRADERS, QUIET, Grader
from items import Item, items

LATENCY = 0.2  # seconds of each reply of the judge
TIMEOUT = 60.0  # seconds that the grader waits for a reply
Record = dict[str, Any]


class Clock:
    """Wall and CPU seconds (user and system, all threads) since the last look."""

    def __init__(self) -> None:
        self.last = self._now()

    @staticmethod
    def _now() -> tuple[float, float]:
        spent = resource.getrusage(resource.RUSAGE_SELF)
        return time.perf_counter(), spent.ru_utime + spent.ru_stime

    def look(self) -> Record:
        before, self.last = self.last, self._now()
        return {"wall": self.last[0] - before[0], "cpu": self.last[1] - before[1]}


def peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def tell(root: str, latency: float, fault: str | None = None) -> None:
    """Tells the judge how to answer from now on."""
    body = json.dumps({"latency": latency, "fault": fault}).encode()
    urlopen(Request(f"{root}/control", body, {"content-type": "application/json"})).close()


def asked(root: str) -> Record:
    with urlopen(f"{root}/asked") as answer:
        record: Record = json.load(answer)
        return record


def start(kind: type[Grader], root: str) -> Record:
    clock = Clock()
    kind.imports()
    imported = clock.look()
    kind(f"{root}/v1", TIMEOUT).one(items(1)[0])
    return {"import": imported, "first": clock.look(), "peak_mb": peak_mb()}


def grade(kind: type[Grader], root: str, alone: str, together: str, *levels: str) -> Record:
    """No item is graded twice, so nothing that is remembered helps."""
    grader, count = kind(f"{root}/v1", TIMEOUT), int(together)
    tell(root, 0)
    grader.together(items(4, first=900), 4)  # not measured: imports, connections
    grader.one(*items(1, first=904))
    tell(root, LATENCY)
    by_itself = items(int(alone), first=800)
    record = measured(by_itself, lambda: [grader.one(item) for item in by_itself])
    record["levels"] = {}
    for place, level in enumerate(levels):
        given = items(count, first=place * count)
        tell(root, LATENCY)
        found = measured(given, partial(grader.together, given, int(level)))
        record["levels"][level] = {**found, **asked(root)}
    return {**record, "peak_mb": peak_mb()}


def measured(given: list[Item], work: Callable[[], list[float | None]]) -> Record:
    """Time of ``work`` for each item, and how many scores are right."""
    clock = Clock()
    scores = work()
    spent = clock.look()
    right = [is_right(score, item.score) for score, item in zip(scores, given, strict=True)]
    return {
        "wall_s": spent["wall"],
        "wall_ms": 1000 * spent["wall"] / len(given),
        "cpu_ms": 1000 * spent["cpu"] / len(given),
        "items": len(given),
        "right": sum(right),
    }


def is_right(score: float | None, right: float) -> bool:
    return score is not None and abs(score - right) < 1e-9


def known(score: float | None) -> float | None:
    """NaN, and trulens' -1, are no scores."""
    return None if score is None or math.isnan(score) or score < 0 else float(score)


def outcome(grader: Grader, root: str, fault: str) -> Record:
    """What a grade with this fault gives: a score, none, or an exception."""
    item = items(1)[0]
    tell(root, 0, fault)
    record: Record = {"fault": fault, "truth": item.score}
    try:
        record["score"] = known(grader.one(item))
    except BaseException as error:  # noqa: BLE001 - any exception counts, cancellation too
        record["exception"] = type(error).__name__
    seen = asked(root)
    return {**record, "calls": seen["calls"], "changed": seen["changed"]}


def main(mode: str, name: str, root: str, *rest: str) -> None:
    os.environ.update(QUIET)
    warnings.simplefilter("ignore")
    logging.disable()
    kind = GRADERS[name]
    out = os.fdopen(os.dup(1), "w")  # what graders print goes elsewhere
    os.dup2(2, 1)
    if mode == "faults":
        timeout, *faults = rest
        grader = kind(f"{root}/v1", float(timeout))
        tell(root, 0)
        grader.one(items(1)[0])
        print("{}", file=out, flush=True)  # ready: from now on, time counts
        for fault in faults:
            print(json.dumps(outcome(grader, root, fault)), file=out, flush=True)
    else:
        record = start(kind, root) if mode == "start" else grade(kind, root, *rest)
        print(json.dumps(record), file=out, flush=True)
    os._exit(0)  # some graders leave threads behind


if __name__ == "__main__":
    main(*sys.argv[1:])
