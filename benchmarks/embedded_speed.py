"""How fast is the embedded judge, and what does importing it cost?

    python benchmarks/embedded_speed.py [CHECKOUT]

Prints statements per second on contexts of 25, 1,400 and 160,000 words (1 MB), for one ask with
many statements and for one ask per statement (which reads the context again); and the seconds of
CPU for 10,000 list items that share most of their words, over the first 2,000 of them as context.
Then prints the milliseconds that importing the judge adds to importing
``faithfulness_assert.records.judge``. The words of the generated texts have the frequencies of a
language (Zipf); half of a statement's words come from one place in the context. Each figure is the
best of several runs, in CPU time.

With another checkout (such as one that ``git worktree add ../base main`` makes), both are measured
in turn, and the speed of this one is also shown as a share of the other's.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path

from faithfulness_assert import Ask
from faithfulness_assert.judges.embedded import EmbeddedJudge
from faithfulness_assert.records.ask import Payload, ReplyForm

FORM = ReplyForm("verdicts", ("supported", "not_enough_info"))
SENTENCE = 20  # words
SIZES = ((25, 2000, 2000), (1_400, 1000, 200), (160_000, 2000, 3))
IMPORT = """
import time, faithfulness_assert.records.judge
start = time.perf_counter()
import faithfulness_assert.judges.embedded
print(1000 * (time.perf_counter() - start))
"""

Numbered = tuple[tuple[int, str], ...]


def make_texts(context_words: int, statements: int) -> tuple[Numbered, Numbered]:
    """Numbered context sentences with this many words in all, and numbered statements."""
    source = random.Random(context_words)
    letters = "etaoinshrdlucmfgypwbvk"
    vocabulary = [
        "".join(source.choices(letters, k=min(2 + rank // 40, source.randint(3, 10))))
        for rank in range(20_000)
    ]
    words = source.choices(
        vocabulary, weights=[1 / (rank + 1) for rank in range(len(vocabulary))], k=context_words
    )
    context = [" ".join(words[at : at + SENTENCE]) + "." for at in range(0, len(words), SENTENCE)]
    made = []
    for _ in range(statements):
        at = source.randrange(max(len(words) - SENTENCE, 1))
        copied, other = words[at : at + SENTENCE // 2], source.choices(vocabulary, k=SENTENCE // 2)
        made.append(" ".join(copied + other) + ".")
    return tuple(enumerate(context, 1)), tuple(enumerate(made, 1))


def seconds(judge: EmbeddedJudge, context: Numbered, asked: list[Numbered]) -> float:
    start = time.process_time()
    for statements in asked:
        ids = tuple(number for number, _ in statements)
        judge.ask(Ask((), FORM, ids, 4096, Payload(statements, context)))
    return time.process_time() - start


def speeds() -> list[float]:
    """Statements per second for each size: in one ask, and in an ask each."""
    judge, found = EmbeddedJudge(), []
    for context_words, count, each in SIZES:
        context, statements = make_texts(context_words, count)
        single = [(one,) for one in statements[:each]]
        found.append(count / min(seconds(judge, context, [statements]) for _ in range(3)))
        found.append(each / min(seconds(judge, context, single) for _ in range(3)))
    return found


def speeds_of(checkout: str) -> list[float]:
    """Those of the package in another checkout, in a process of its own."""
    command = [sys.executable, "-P", __file__, "--figures"]
    environment = {**os.environ, "PYTHONPATH": str(Path(checkout).resolve())}
    done = subprocess.run(command, env=environment, capture_output=True, check=True)
    return list(map(float, done.stdout.split()))


def seconds_for_list_items() -> float:
    """The CPU time for 10,000 list items, of which every fifth is in the context."""
    items = [
        f"The item number {n} costs {n % 97} euros and stands in hall {n % 13}."
        for n in range(10_000)
    ]
    statements = tuple(enumerate(items, 1))
    ids = tuple(number for number, _ in statements)
    ask = Ask((), FORM, ids, 4096, Payload(statements, statements[:2_000]))
    start = time.process_time()
    EmbeddedJudge().ask(ask)
    return time.process_time() - start


def import_ms() -> float:
    command = [sys.executable, "-c", IMPORT]
    return float(subprocess.run(command, capture_output=True, check=True).stdout)


def main() -> None:
    if sys.argv[1:] == ["--figures"]:
        print(*speeds())
        return
    here, base = str(Path(__file__).parents[1]), sys.argv[1] if len(sys.argv) > 1 else None
    rounds = [(speeds_of(here), speeds_of(base) if base else None) for _ in range(3)]
    own = [max(column) for column in zip(*(one for one, _ in rounds), strict=True)]
    heads = f"{'context words':>14}{'statements':>12}{'one ask':>12}{'an ask each':>14}"
    print(f"{heads}   (statements per second)")
    for (words, count, _), one, each in zip(SIZES, own[::2], own[1::2], strict=True):
        print(f"{words:>14,}{count:>12,}{one:>12,.0f}{each:>14,.1f}")
    if base:
        others = [max(column) for column in zip(*(two for _, two in rounds if two), strict=True)]
        shares = [f"{mine / other:.2f}" for mine, other in zip(own, others, strict=True)]
        print(f"as a share of the speed in {base}, in the same order: {', '.join(shares)}")
    print(f"10,000 list items: {min(seconds_for_list_items() for _ in range(3)):.2f} s of CPU")
    runs = sorted(import_ms() for _ in range(9))
    print(
        f"import: {runs[0]:.1f} ms more than faithfulness_assert.records.judge "
        f"(median {runs[4]:.1f} ms)"
    )


if __name__ == "__main__":
    main()
