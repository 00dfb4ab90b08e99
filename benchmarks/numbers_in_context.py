"""Which statements have a number that is nowhere in the context, and are they true?

    python benchmarks/numbers_in_context.py [../shared/labelled] [--sample N]

Reads labelled sets as ``embedded_judge.py`` does. For the statements that people call true, and for
the others, it prints how many have a number in digits, and how many get the flag; then, how many of
the true ones that ``wrong_words.py`` makes false by another number get it. "There" counts the
flagged numbers whose digits, without separators, do stand in the context. The evidence, whose sums
and differences count, is the sentence that shares the rarest words with the statement. With
``--sample``, it also prints N flagged statements with the context's numbers, drawn at random, to be
read. What the rule leaves out was chosen on the sets of ``TUNED`` alone. A statement that is a
question and its answer has the numbers of its question from there.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
from collections import Counter
from pathlib import Path

from embedded_judge import LABELLED
from wrong_words import evidence_of, made

from faithfulness_assert.text.absent_numbers import absent_numbers
from faithfulness_assert.text.numbers import numbers_of

TUNED = {
    *("begin_wow", "q2_wow", "nli_fever_dev", "fever_symmetric", "nli_snli_dev"),
    *("summedits_ectsum", "summedits_podcast", "summedits_samsum"),
}
HEADS = (
    "true",
    "digits",
    "flagged",
    "share",
    "false",
    "digits",
    "flagged",
    "share",
    *("made", "flagged", "share", "there"),
)


def digits_in(text: str) -> set[str]:
    """The numbers of a text without separators: an oracle that shares nothing with the rule."""
    joined = re.sub(r"(?<=\d) ?[,.'’\u00a0\u202f] ?(?=\d{3})", "", text)
    return set(re.findall(r"\d+", joined)) | set(re.findall(r"\d+", text))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", nargs="?", type=Path, default=LABELLED)
    parser.add_argument("--sample", type=int, default=0)
    options = parser.parse_args()
    print(f"{'set':22}" + "".join(f"{head:>9}" for head in HEADS))
    totals: dict[str, Counter[str]] = {}
    flags: list[tuple[str, ...]] = []
    for path in sorted(options.folder.glob("*.jsonl.gz")):
        name = path.name.split(".")[0]
        counts: Counter[str] = Counter()
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            rows = [json.loads(line) for line in lines]
        for row in rows:
            counts += counted(row, name, flags)
        for false in made(rows, random.Random(0)):
            if false.wrong[0].isdigit():
                is_flagged = false.wrong in absent(false.context, false.statement)
                counts += Counter({"made": 1, "made flagged": is_flagged})
        show(name, counts)
        totals.setdefault("tuned" if name in TUNED else "held out", Counter()).update(counts)
    for group, counts in totals.items():
        show(group, counts)
    held_out = [flag for flag in flags if flag[0] not in TUNED]
    for flag in random.Random(0).sample(held_out, min(options.sample, len(held_out))):
        print("\n" + "\n  ".join(flag))


def counted(row: dict[str, str], name: str, flags: list[tuple[str, ...]]) -> Counter[str]:
    """What a row adds to the counts. What is flagged is added to ``flags``."""
    kind = "true" if int(row["label"]) else "false"
    counts = Counter({kind: 1})
    if not re.search(r"\d", row["statement"]):
        return counts
    found = absent(row["context"], row["statement"])
    there = digits_in(row["context"])
    literally = [a for a in found if re.sub(r"[ ,.'’]", "", a) in there]
    numbers = ", ".join(sorted(there)[:60])
    if found:
        flags.append((name, kind, f"{row['statement'][:300]}", f"absent: {found}", numbers))
    return counts + Counter(
        {f"{kind} digits": 1, f"{kind} flagged": bool(found), "there": len(literally)}
    )


def absent(context: str, statement: str) -> tuple[str, ...]:
    question = statement[: statement.rfind("?") + 1]
    evidence = "\n".join(evidence_of(context, statement))
    return absent_numbers(statement, numbers_of(context), numbers_of(question), evidence)


def show(name: str, counts: Counter[str]) -> None:
    cells = []
    for kind in ("true", "false"):
        share = 100 * counts[f"{kind} flagged"] / max(counts[kind], 1)
        shown = (counts[kind], counts[f"{kind} digits"], counts[f"{kind} flagged"])
        cells += [*(f"{count:,}" for count in shown), f"{share:.2f} %"]
    share = 100 * counts["made flagged"] / max(counts["made"], 1)
    cells += [f"{counts['made']:,}", f"{counts['made flagged']:,}", f"{share:.1f} %"]
    print(f"{name:22}" + "".join(f"{cell:>9}" for cell in [*cells, str(counts["there"])]))


if __name__ == "__main__":
    main()
