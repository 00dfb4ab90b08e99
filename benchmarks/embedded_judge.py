"""How often is the embedded judge right on statements that people labelled?

    python benchmarks/embedded_judge.py [../shared/labelled]

Reads files ``<set>.jsonl.gz`` of rows with ``context``, ``statement`` and ``label`` (1 supported, 0
not). The context is split into sentences as in a grade. AUC is the probability that a supported
statement has a higher score than one that is not supported; balanced accuracy uses the fixed
threshold. Both are in percent; guessing gives 50. "Strange" is the share of statements that are
supported by another context: that of the row half of the set away.

The rule's last changes were tuned on the sets of ``TUNED`` alone; its first form was chosen on all.
"""

from __future__ import annotations

import gzip
import json
import sys
from itertools import groupby
from pathlib import Path
from statistics import mean

from faithfulness_assert.judges.embedded import THRESHOLD, Index, support
from faithfulness_assert.text.sentences import sentence_spans

LABELLED = Path(__file__).parents[2] / "shared" / "labelled"
TUNED = (
    *("begin_wow", "q2_wow", "nli_snli_dev"),
    *("summedits_ectsum", "summedits_podcast", "summedits_samsum"),
)

Scored = tuple[float, int]  # score, label


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)] or [text]


def score_of(row: dict[str, str], other: dict[str, str]) -> float:
    """The score of a row's statement beside the context of another."""
    return support(row["statement"], Index(enumerate(sentences(other["context"]), 1))).score


def auc(pairs: list[Scored]) -> float:
    """The area under the ROC curve of (score, label) pairs, in percent; a tie counts half."""
    below = wins = 0.0
    for _, tied in groupby(sorted(pairs), key=lambda pair: pair[0]):
        labels = [label for _, label in tied]
        negatives = len(labels) - sum(labels)
        wins += sum(labels) * (below + negatives / 2)
        below += negatives
    return 100 * wins / (below * (len(pairs) - below))


def balanced_accuracy(pairs: list[Scored]) -> float:
    """The mean share of supported and of other statements that get the right label, in percent."""
    right: dict[int, list[bool]] = {0: [], 1: []}
    for score, label in pairs:
        right[label].append((score >= THRESHOLD) == bool(label))
    return 100 * mean(mean(hits) for hits in right.values())


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else LABELLED
    paths = sorted(folder.glob("*.jsonl.gz"))
    if not paths:
        sys.exit(f"{folder} contains no labelled sets (*.jsonl.gz): pass the folder that does")
    print(f"{'set':24}{'n':>8}{'AUC':>9}{'bal.acc':>9}{'strange':>9}")
    held_out = []
    for path in paths:
        name = path.name.split(".")[0]
        rows = [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]
        pairs = [(score_of(row, row), int(row["label"])) for row in rows]
        away = zip(rows, rows[len(rows) // 2 :] + rows, strict=False)
        others = [score_of(a, b) >= THRESHOLD for a, b in away if a["context"] != b["context"]]
        figures = auc(pairs), balanced_accuracy(pairs), 100 * mean(others)
        held_out += [] if name in TUNED else [figures[1]]
        print(f"{name:24}{len(rows):8,}" + "".join(f"{one:9.1f}" for one in figures), flush=True)
    if held_out:
        reach = f"{min(held_out):.0f} to {max(held_out):.0f} %"
        print(f"balanced accuracy on {len(held_out)} sets that it was not tuned on: {reach}")


if __name__ == "__main__":
    main()
