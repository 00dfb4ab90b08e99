"""How fast is the embedded judge, and what does importing it cost?

    python benchmarks/embedded_speed.py

Prints statements per second on contexts of 25, 1,400 and 160,000 words (1 MB), for one ask with
many statements and for one ask per statement (which reads the context again); and the seconds of
CPU for 10,000 list items that share most of their words, over the first 2,000 of them as context.
Then prints the milliseconds that importing the judge adds to importing
``faithfulness_assert.records.judge``. The words of the generated texts have the frequencies of a
language (Zipf); half of a statement's words come from one place in the context. Each figure is the
best of several runs.
"""

from __future__ import annotations

import random
import subprocess
import sys
import time

from faithfulness_assert import Ask
from faithfulness_assert.judges.embedded import EmbeddedJudge
from faithfulness_assert.records.ask import Payload, ReplyForm

FORM = ReplyForm("verdicts", ("supported", "not_enough_info"))
SENTENCE = 20  # words
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
    start = time.perf_counter()
    for statements in asked:
        ids = tuple(number for number, _ in statements)
        judge.ask(Ask((), FORM, ids, 4096, Payload(statements, context)))
    return time.perf_counter() - start


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
    judge = EmbeddedJudge()
    heads = f"{'context words':>14}{'statements':>12}{'one ask':>12}{'an ask each':>14}"
    print(f"{heads}   (statements per second)")
    for context_words, count, each in ((25, 2000, 2000), (1_400, 1000, 200), (160_000, 2000, 3)):
        context, statements = make_texts(context_words, count)
        single = [(one,) for one in statements[:each]]
        together = min(seconds(judge, context, [statements]) for _ in range(3))
        apart = min(seconds(judge, context, single) for _ in range(3))
        print(f"{context_words:>14,}{count:>12,}{count / together:>12,.0f}{each / apart:>14,.1f}")
    print(f"10,000 list items: {min(seconds_for_list_items() for _ in range(3)):.2f} s of CPU")
    runs = sorted(import_ms() for _ in range(9))
    print(
        f"import: {runs[0]:.1f} ms more than faithfulness_assert.records.judge "
        f"(median {runs[4]:.1f} ms)"
    )


if __name__ == "__main__":
    main()
