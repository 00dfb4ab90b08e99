"""How often is the embedded judge right on statements that people labelled?

    python benchmarks/embedded_judge.py [../shared/labelled]

Reads files ``<set>.jsonl.gz`` of rows with ``context``, ``statement`` and ``label`` (1 supported, 0
not). The context is split into sentences as in a grade. AUC is the probability that a supported
statement has a higher score than one that is not supported; balanced accuracy uses the fixed
threshold. Both are in percent; guessing gives 50. The last column is the share of statements that
are called supported beside the context of another row (of the first 500): it should be 0.

The rule's last three changes were tuned on the sets of ``TUNED`` alone. The first was measured once
on ``HELD_OUT``, the second five times, the third once. What followed the first three measurements
of the second was how much a word counts that is far from the evidence, for the last column; what
followed the fourth, that "isn't" is "not". The rule before them was chosen on all sets. A set of
another name is your own.

At the end come short statements of our own, half of which were used for tuning: in seven languages,
how many true ones are supported, and how many are not that differ from their context in a word or
two (``fixtures/embedded_swaps.jsonl``); and the same where a number or a name has another form in
the context, in four languages (``fixtures/embedded_forms.jsonl``).
"""

from __future__ import annotations

import gzip
import json
import statistics
import sys
from itertools import groupby
from pathlib import Path

from faithfulness_assert.judges.embedded import THRESHOLD
from faithfulness_assert.judges.embedded.index import build_index
from faithfulness_assert.judges.embedded.rule import support
from faithfulness_assert.text.sentences import sentence_spans

FIXTURES = Path(__file__).parents[1] / "fixtures"
LABELLED = Path(__file__).parents[2] / "shared" / "labelled"
# Statements that systems wrote, and those written or altered so that wording reveals little.
TUNED = {
    "natural": ("begin_wow", "q2_wow"),
    "edited": ("nli_snli_dev", "summedits_ectsum", "summedits_podcast", "summedits_samsum"),
}
HELD_OUT = {
    "natural": ("factcheckgpt", "wice_claim"),
    "edited": (
        *("fever_symmetric", "halueval_qa", "nli_fever_dev", "nli_snli_test"),
        *("summedits_qmsumm", "summedits_sales_call", "summedits_scitldr"),
    ),
}
GROUPS = {
    name: f"{part}, {kind}"
    for part, kinds in (("tuned", TUNED), ("held out", HELD_OUT))
    for kind, names in kinds.items()
    for name in names
}
OWN = "your own"

STRANGE = 500  # rows of a set that are also held against the context of another one

Scored = tuple[float, int]  # score, label


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)] or [text]


def scored(context: str, statement: str, label: int = 0) -> Scored:
    """The score of a statement, with its label."""
    index = build_index(enumerate(sentences(context), 1))
    return support(statement, index).score, label


def strange(rows: list[dict[str, str]]) -> float:
    """The share of statements that are supported by another row's context, in percent."""
    some, hits = rows[:STRANGE], []
    for row, other in zip(some, some[len(some) // 2 :] + some, strict=False):
        if row["context"] != other["context"]:
            hits.append(scored(other["context"], row["statement"])[0] >= THRESHOLD)
    return 100 * statistics.mean(hits) if hits else 0.0


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
    return 100 * statistics.mean(statistics.mean(hits) for hits in right.values())


def show(name: str, count: str, figures: tuple[float, ...]) -> None:
    print(f"{name:24}{count:>8}" + "".join(f"{figure:9.1f}" for figure in figures), flush=True)


def show_short() -> None:
    """How many of our own short statements get the right label, by part and kind."""
    for part in ("tuned", "held out"):
        for name in ("swaps", "forms"):
            rows = map(json.loads, (FIXTURES / f"embedded_{name}.jsonl").open(encoding="utf-8"))
            kinds: dict[str, list[dict[str, str]]] = {}
            for row in rows:
                language = "English" if row["language"] == "en" else "six other languages"
                if row["part"] == part:
                    kinds.setdefault(row.get("kind", f"swaps in {language}"), []).append(row)
            for kind, some in kinds.items():
                true = sum(scored(row["context"], row["true"])[0] >= THRESHOLD for row in some)
                false = sum(scored(row["context"], row["false"])[0] < THRESHOLD for row in some)
                print(f"{part}, {kind}: {false} of {len(some)} seen, {true} true ones supported")


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else LABELLED
    paths = sorted(folder.glob("*.jsonl.gz"))
    if not paths:
        sys.exit(f"{folder} contains no labelled sets (*.jsonl.gz): pass the folder that does")
    print(f"{'set':24}{'n':>8}{'AUC':>9}{'bal.acc':>9}{'strange':>9}")
    groups: dict[str, list[tuple[float, ...]]] = {}
    for path in paths:
        name = path.name.split(".")[0]
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            rows = [json.loads(line) for line in lines]
        pairs = [scored(row["context"], row["statement"], int(row["label"])) for row in rows]
        figures = auc(pairs), balanced_accuracy(pairs), strange(rows)
        groups.setdefault(GROUPS.get(name, OWN), []).append(figures)
        show(name, f"{len(rows):,}", figures)
    for group, sets in sorted(groups.items(), reverse=True):
        means = tuple(statistics.mean(column) for column in zip(*sets, strict=True))
        show(group, f"{len(sets)} sets", means)
    show_short()


if __name__ == "__main__":
    main()
