"""How good verdicts are with a real LLM, beside ragas' way of asking: counts, and exact intervals.

    python tools/real_judge.py [../shared/corpora/real]

Reads what one capable LLM said of answers whose truth is known: ``hard.jsonl``, subtle edits of
summaries (SummEdits), once asked with our prompt and once with the two prompts of ragas; and the
probes in ``llm_judge.jsonl`` and in ``fixtures/probe_verdicts.jsonl``, whose twenty kinds it was
asked about with the prompt of today (``make_probes(20, 43)``).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from faithfulness_assert.probe.scenes import TRUE_KINDS
from faithfulness_assert.statistics import exact_interval, exact_share, figures_of

ROOT = Path(__file__).parents[1]
FOLDER = ROOT.parent / "shared" / "corpora" / "real"


def rows_of(file: Path) -> Iterator[dict[str, Any]]:
    with file.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def passes_by_ours(row: dict[str, Any]) -> bool:
    """Whether all statements of the answer are supported; controls are none of it."""
    answer = "".join(row["answer"].split())
    own = [v["label"] for v in row["verdicts"] if "".join(v["statement"].split()) in answer]
    return all(label in ("supported", "not_a_claim") for label in own)


def show(name: str, rows: list[dict[str, Any]], passes: Callable[[dict[str, Any]], bool]) -> None:
    right = [
        [passes(row) is bool(label) for row in rows if row["label"] == label] for label in (0, 1)
    ]
    shares = [exact_share(sum(told), len(told)) for told in right]
    (found,) = figures_of(lambda s: {"": (s[0] + s[1]) / 2}, shares).values()
    value, low, high = (100 * (number or 0) for number in found)
    told = f"{value:.1f} % ({low:.0f} to {high:.0f})"
    edits = f"{sum(right[0])} of {len(right[0])} edits found"
    print(f"{name}: balanced accuracy {told}, {sum(map(sum, right))} of {len(rows)} right, {edits}")


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    if not folder.is_dir():
        sys.exit(f"{folder} is not there: name the folder with hard.jsonl and llm_judge.jsonl")
    rows = list(rows_of(folder / "hard.jsonl"))
    show("our prompt, one call", rows, passes_by_ours)
    show("two calls as ragas", rows, lambda row: all(v["verdict"] for v in row["two_calls"]))
    right: dict[tuple[str, str], bool] = {}
    for row in rows_of(folder / "llm_judge.jsonl"):
        kinds = {text: kind for kind, text in row.get("probe", ())}
        for text, kind in kinds.items():
            said = {v["label"] == "supported" for v in row["verdicts"] if v["statement"] == text}
            key = row["context"][0], text  # asked twice: for reasons, and for none
            right[key] = right.get(key, True) and said == {kind in TRUE_KINDS}
    for row in rows_of(ROOT / "fixtures" / "probe_verdicts.jsonl"):
        for kind, text, label in row["verdicts"]:
            right[row["scene"], text] = (label == "supported") is (kind in TRUE_KINDS)
    low, _ = exact_interval(sum(right.values()), len(right))
    print(f"probes: {sum(right.values())} of {len(right)} right, at least {100 * low:.1f} %")


if __name__ == "__main__":
    main()
