"""The results of ``compare.py`` as Markdown, and their place in a page."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any

BEGIN, END = "<!-- written by benchmarks/peers/compare.py -->", "<!-- end -->"
WRITTEN = re.compile(f"{BEGIN}\n\n(.*?)\n\n{END}", re.DOTALL)
Record = dict[str, Any]
OURS = "faithfulness-assert"
OUTCOMES = ("right", "error", "exception", "too low", "too high", "hang")


# ---------------------------------------------------------------- one grader's figures


def best_level(runs: Sequence[Record]) -> str:
    """The concurrency at which all items together took the least time."""
    fastest: dict[str, float] = {}
    for run in runs:
        for level, found in run["levels"].items():
            fastest[level] = min(found["wall_s"], fastest.get(level, found["wall_s"]))
    return min(fastest, key=lambda level: fastest[level])


def together(record: Record) -> list[Record]:
    """The runs of all items at the best concurrency."""
    level = best_level(record["runs"])
    return [run["levels"][level] for run in record["runs"]]


def per_item(record: Record, what: str) -> float:
    """Calls or tokens. Each repetition begins with the same items together."""
    run = next(iter(record["runs"][0]["levels"].values()))
    return float(run[what] / run["items"])


def right_scores(record: Record) -> str:
    """How many grades had the right score, in all repetitions."""
    runs = [run for whole in record["runs"] for run in (whole, *whole["levels"].values())]
    return f"{sum(run['right'] for run in runs)} of {sum(run['items'] for run in runs)}"


# ---------------------------------------------------------------- the table of costs


def costs(record: Record) -> dict[str, float]:
    """What a grade costs. A measured figure is the median of its repetitions."""
    runs, starts, alone = together(record), record["starts"], record["runs"]
    first = [start["import"]["wall"] + start["first"]["wall"] for start in starts]
    return {
        "judge calls per item": per_item(record, "calls"),
        "prompt tokens per item": per_item(record, "prompt_tokens"),
        "prompt tokens with schemas and tools": (
            per_item(record, "prompt_tokens") + per_item(record, "schema_tokens")
        ),
        "completion tokens per item": per_item(record, "completion_tokens"),
        "one item at a time, ms per item": median(run["wall_ms"] for run in alone),
        f"{runs[0]['items']} items together, s": median(run["wall_s"] for run in runs),
        "CPU per item, together, ms": median(run["cpu_ms"] for run in runs),
        "CPU per item, one at a time, ms": median(run["cpu_ms"] for run in alone),
        "import, s": median(start["import"]["wall"] for start in starts),
        "import and first grade, s": median(first),
        "import and first grade, CPU s": median(
            start["import"]["cpu"] + start["first"]["cpu"] for start in starts
        ),
        "peak memory, MB": median(run["peak_mb"] for run in alone),
        "packages installed": record["packages"],
        "installed, MB": record["megabytes"],
    }


def figure(value: float) -> str:
    """Three digits, and all digits before the point."""
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.3g}"


def cost_table(graders: dict[str, Record]) -> str:
    columns = {name: costs(record) for name, record in graders.items()}
    levels = [best_level(record["runs"]) for record in graders.values()]
    rows = [
        [what, *(figure(column[what]) for column in columns.values())]
        for what in next(iter(columns.values()))
    ]
    rows.insert(6, ["… at this concurrency", *levels])
    rows.insert(0, ["right scores", *map(right_scores, graders.values())])
    return table(["", *(f"{name} {graders[name]['version']}" for name in graders)], rows)


def not_best(graders: dict[str, Record]) -> Iterator[str]:
    """Each figure in which another grader beats ours."""
    columns = {name: costs(record) for name, record in graders.items()}
    for what, own in columns[OURS].items():
        best = min(columns, key=lambda name, what=what: columns[name][what])
        if columns[best][what] < own:
            yield f"{what} ({best}: {figure(columns[best][what])}, ours: {figure(own)})"


# ---------------------------------------------------------------- the table of faults


def outcome(found: Record) -> str:
    """What came of a grade with a fault: one of ``OUTCOMES``, or "" if no reply had the fault."""
    for kind in ("hang", "exception"):
        if kind in found:
            return kind
    if found["score"] is None:
        return "error"
    difference = found["score"] - found["truth"]
    if abs(difference) < 1e-9:
        return "right" if found["changed"] else ""
    return "too high" if difference > 0 else "too low"


def outcome_counts(graders: dict[str, Record]) -> dict[str, Counter[str]]:
    return {
        name: Counter(map(outcome, record["faults"].values())) for name, record in graders.items()
    }


def fault_summary(graders: dict[str, Record]) -> str:
    counts = outcome_counts(graders)
    rows = [[what, *(str(counts[name][what]) for name in graders)] for what in OUTCOMES]
    rows.append(["–", *(str(counts[name][""]) for name in graders)])
    return table(["", *graders], rows)


# ---------------------------------------------------------------- texts


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    first, *others = (f"| {' | '.join(line)} |" for line in (head, *rows))
    return "\n".join([first, "|---" * len(head) + "|", *others])


def measured_on(results: Record) -> str:
    machine = results["machine"]
    return (
        f"Measured on {results['date']}: {machine['cpu']}, {machine['cores']} cores, "
        f"{machine['system']}, Python {machine['python']}; repetitions: {results['repetitions']}."
    )


def worst(graders: dict[str, Record]) -> str:
    """The figures in which ours is not the best, as a sentence."""
    found = list(not_best(graders)) if OURS in graders else []
    return f"Ours is not the best in: {'; '.join(found)}." if found else ""


def report(results: Record) -> str:
    """The part of docs/benchmarks.md that the command writes."""
    graders = results["graders"]
    parts = (
        measured_on(results),
        cost_table(graders),
        worst(graders),
        fault_summary(graders),
    )
    return "\n\n".join(part for part in parts if part)


def put(page: Path, text: str) -> None:
    """Writes ``text`` into a page, over what an earlier run wrote."""
    new, count = WRITTEN.subn(lambda _: f"{BEGIN}\n\n{text}\n\n{END}", page.read_text("utf-8"))
    if count != 1:
        raise ValueError(f"{page.name}: {count} places for the results, where one was expected")
    page.write_text(new, encoding="utf-8")
