"""Which statements have a number that is nowhere in the context, and are they true?

    python benchmarks/numbers_in_context.py [../shared/labelled] [--every N] [--half 0|1] [--show N]

Reads labelled sets as ``embedded_judge.py`` does. Of the statements that people call true, and of
the others, it prints how many have a digit and get the flag; then the share of the true ones that
get it, and how many of 100 flags are at false ones. The evidence, which is computed with, shares
the rarest words with the statement. A question with its answer has the question's numbers there.

``--every N`` takes each Nth statement. ``--half`` takes the statements of one half of the contexts:
rules are chosen on half 0 alone. ``--show`` prints N flags, drawn at random, to be read.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

from embedded_judge import LABELLED, sentences

from faithfulness_assert.asking.ranking import Ranking
from faithfulness_assert.text.absent_numbers import absent_numbers
from faithfulness_assert.text.context_numbers import Numbers

HEADS = ("true", "digits", "flagged", "share", "false", "digits", "flagged", "precision")


def rows_of(path: Path, every: int, half: int | None) -> Iterator[dict[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for place, line in enumerate(lines):
            row = json.loads(line)
            if place % every == 0 and half in (None, crc32(row["context"].encode()) % 2):
                yield row


def flagged(row: dict[str, str]) -> tuple[str, ...]:
    """The numbers of a statement that are nowhere in its context."""
    context, statement = row["context"], row["statement"]
    lines = sentences(context)
    ranking = Ranking(lines, [range(n, n + 1) for n in range(1, len(lines) + 1)])
    evidence = "\n".join(lines[place] for place in ranking.best(statement, "", 1))
    question = row.get("question") or statement[: statement.rfind("?") + 1]
    return absent_numbers(statement, Numbers(context), Numbers(question), evidence)


def cells(counts: Counter[str]) -> list[str]:
    def share(part: int, whole: int) -> str:
        return f"{100 * part / whole:.2f} %" if whole else "-"

    names = ("true", "true digits", "true flagged")
    others = ("false", "false digits", "false flagged")
    flags = counts["true flagged"] + counts["false flagged"]
    return [
        *(f"{counts[name]:,}" for name in names),
        share(counts["true flagged"], counts["true"]),
        *(f"{counts[name]:,}" for name in others),
        share(counts["false flagged"], flags),
    ]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", nargs="?", type=Path, default=LABELLED)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--half", type=int, choices=(0, 1))
    parser.add_argument("--show", type=int, default=0)
    options = parser.parse_args()
    print(f"{'set':22}" + "".join(f"{head:>10}" for head in HEADS))
    total: Counter[str] = Counter()
    flags: list[tuple[str, ...]] = []
    for path in sorted(options.folder.glob("*.jsonl.gz")):
        name, counts = path.name.split(".")[0], Counter[str]()
        for row in rows_of(path, options.every, options.half):
            kind = "true" if int(row["label"]) else "false"
            found = flagged(row) if re.search(r"\d", row["statement"]) else None
            counts += Counter({kind: 1, f"{kind} digits": found is not None})
            if found:
                counts[f"{kind} flagged"] += 1
                near = " | ".join(re.findall(r"[^.\n]{0,30}\d[^.\n]{0,20}", row["context"])[:20])
                flags.append((name, kind, row["statement"][:300], f"absent: {found}", near[:700]))
        print(f"{name:22}" + "".join(f"{cell:>10}" for cell in cells(counts)), flush=True)
        total.update(counts)
    print(f"{'all':22}" + "".join(f"{cell:>10}" for cell in cells(total)))
    for flag in random.Random(0).sample(flags, min(options.show, len(flags))):
        print("\n" + "\n  ".join(flag))


if __name__ == "__main__":
    main()
