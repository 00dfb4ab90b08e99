"""What the work on the largest texts that are allowed costs, before the first ask.

    python benchmarks/largest_texts.py

CPU seconds of one core for an answer of 1,000,000 and a context of 8,000,000 characters, of kinds
of text that are quick and slow to read. ``deadline`` is looked at between the stages before the
first ask, so ``stage`` is how long a grade may go on after its deadline.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import count, islice

from faithfulness_assert import Case, JudgeError, policies
from faithfulness_assert.cases.case import MAX_CONTEXT_CHARS
from faithfulness_assert.plan.plan import grade_plan
from faithfulness_assert.records.errors import FaithfulnessError
from faithfulness_assert.records.model import MAX_ANSWER_CHARS

KINDS = {
    "different sentences": "Tower {n} of Paris is {n} metres tall and was built in 1889. ",
    "the same sentence": "The tower of Paris is 330 metres tall. ",
    "short sentences": "Fee {n}. ",
    "Chinese": "塔高{n}米。",
    "very short sentences": "好。",
    "Markdown": "- *Fee* `{n}` [{n}](a) **b** [1]\n",
    "short lines": "{n}\n",
    "brackets": "[1-20]",
    "emphasis": "*a_b**c ",
    "links": "[a](b) ![c](d) <e> ",
    "lists in lists": "- " * 8 + "Fee {n}\n",
    "tables": "| a | {n} |\n|---|---|\n| b | c |\n\n",
}
SHORT = "The tower of Paris is 330 metres tall."


def text(kind: str, size: int) -> str:
    """A text of a kind."""
    pieces = (KINDS[kind].format(n=n) for n in count())
    return "".join(islice(pieces, size // len(KINDS[kind].format(n=0)) + 1))[:size]


def measured(case: Case) -> tuple[float, float]:
    """The seconds until the first ask, and those of the longest stage before it."""
    stages = [began := time.process_time()]

    def overdue() -> JudgeError | None:
        stages.append(time.process_time())
        return None

    plan = grade_plan(case, policies["default"], overdue=overdue)
    next(plan, None)
    ends = time.process_time()
    plan.close()
    longest = max(b - a for a, b in zip(stages, [*stages[1:], ends], strict=True))
    return ends - began, longest


def rows() -> Iterator[tuple[str, str, float, float]]:
    """Each kind, as the answer and as the context."""
    for kind in KINDS:
        for part, size in (("answer", MAX_ANSWER_CHARS), ("context", MAX_CONTEXT_CHARS)):
            made = text(kind, size)
            pair = (made, SHORT) if part == "answer" else (SHORT, made)
            try:
                yield kind, part, *measured(Case(*pair))
            except FaithfulnessError as error:
                print(f"{kind:24} {part:8} {error}")


def main() -> None:
    print(f"{'kind':24} {'part':8} {'all':>7} {'stage':>7}")
    for kind, part, seconds, longest in rows():
        print(f"{kind:24} {part:8} {seconds:6.1f}s {longest:6.1f}s", flush=True)


if __name__ == "__main__":
    main()
