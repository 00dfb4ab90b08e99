"""Show what the rules of ``probe --contexts`` make of labelled contexts, to be read by hand.

``python tools/rule_samples.py KIND [N] [SEED]`` draws N contexts at random (default: 300) from
../shared/labelled in which the rule finds a sentence, and prints the sentence and what it became.
A statement that the context could support, or that a reader could argue about, is an error of the
rule: make the rule stricter.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

from faithfulness_assert.cases.case import Case
from faithfulness_assert.probe.contexts import MOST_CHARS, is_one
from faithfulness_assert.probe.rules import ALTERED, altered
from faithfulness_assert.text.evidence import number_sentences

LABELLED = Path(__file__).parents[2] / "shared" / "labelled"


def contexts() -> Iterator[str]:
    """Each different context, and how often it stands in the data makes no difference."""
    seen = set()
    for file in sorted(LABELLED.glob("*.jsonl.gz")):
        with gzip.open(file, "rt", encoding="utf-8") as lines:
            for line in lines:
                context = json.loads(line)["context"]
                text = context if isinstance(context, str) else "\n".join(map(str, context))
                if text not in seen and 0 < len(text) <= MOST_CHARS:
                    seen.add(text)
                    yield text


def main() -> None:
    """Prints the samples."""
    kind = sys.argv[1] if len(sys.argv) > 1 else ""
    if kind not in ALTERED:
        raise SystemExit(f"name a kind: {', '.join(ALTERED)}")
    wanted, seed = (
        int(sys.argv[2]) if len(sys.argv) > 2 else 300,
        int(sys.argv[3]) if len(sys.argv) > 3 else 1,
    )
    chance, all_contexts = Random(seed), list(contexts())
    chance.shuffle(all_contexts)
    shown = 0
    for text in all_contexts:
        sentences = [s.text for s in number_sentences(Case("-", text))]
        made = ((s, altered(kind, s, text, chance)) for s in sentences if is_one(s))
        found = next(((s, new) for s, new in made if new), None)
        if found:
            shown += 1
            print(f"{shown}\n  - {found[0]}\n  + {found[1]}")
            if shown == wanted:
                return
    print(f"only {shown} of {len(all_contexts):,} contexts have a sentence for it")


if __name__ == "__main__":
    main()
