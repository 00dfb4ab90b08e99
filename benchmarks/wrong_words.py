"""Are the words right that a false statement is said to have, and what the context is said to say?

    python benchmarks/wrong_words.py [../shared/labelled] [--show]

Takes pairs of a true and a false statement about one context that differ in one run of words, from
labelled sets as ``embedded_judge.py`` reads them. The words in which the false one differs are what
is wrong. The evidence is the sentence of the context that shares the rarest words with the false
statement, as no judge names one here.

It prints, for each set: pairs; those whose words are named; of the numbers and of the names among
these words how many are in the run that differs; and, where one or two words with a value are
replaced by others, for how many a value of the context is shown, and how many of these are in the
true statement. ``--show`` prints what is not right.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
from collections import Counter, defaultdict
from difflib import SequenceMatcher
from pathlib import Path
from typing import TYPE_CHECKING

from embedded_judge import LABELLED, sentences

from faithfulness_assert.asking.ranking import Ranking
from faithfulness_assert.text.numbers import numbers_of
from faithfulness_assert.text.wrong_words import says_instead, wrong_words

if TYPE_CHECKING:
    from collections.abc import Iterator

HEADS = ("pairs", "named", "numbers", "share", "names", "share", "shown", "right", "share")
VALUE = re.compile(r"(?<![\d,.])\d[\d.,:]*(?<![.,])(?!\s?'?s\b|th|st)")
LONGEST = 6
"""Words in which the statements of a pair may differ."""


def pairs(path: Path) -> Iterator[tuple[str, str, str]]:
    """Context, true and false statement, which differ in one place."""
    by_context: dict[str, dict[int, list[str]]] = defaultdict(lambda: {0: [], 1: []})
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            by_context[row["context"]][int(row["label"])].append(row["statement"])
    for context, found in by_context.items():
        for false in found[0][:40]:
            near = [true for true in found[1][:40] if changed(false, true) is not None]
            if near:
                yield context, near[0], false


def changed(false: str, true: str) -> tuple[str, str] | None:
    """The words in which two statements differ, if that is one short run of words."""
    one, two = false.split(), true.split()
    if abs(len(one) - len(two)) > LONGEST:
        return None
    blocks = SequenceMatcher(None, one, two, autojunk=False).get_opcodes()
    different = [block for block in blocks if block[0] != "equal"]
    if len(different) != 1 or different[0][2] - different[0][1] > LONGEST:
        return None
    _, a, b, c, d = different[0]
    return " ".join(one[a:b]), " ".join(two[c:d])


def judged(context: str, true: str, false: str, show: bool) -> Counter[str]:
    difference = changed(false, true) or ("", "")
    lines = sentences(context)
    ranking = Ranking(lines, [range(n, n + 1) for n in range(1, len(lines) + 1)])
    evidence = [lines[place] for place in ranking.best(false, "", 1)]
    wrong = wrong_words(false, evidence, numbers_of(context))
    says = says_instead(false, wrong, evidence)
    right = [word for word in wrong if any(part in difference[0] for part in word.split())]
    names = [word for word in wrong if not any(char.isdigit() for char in word)]
    sizes = {len(text.split()) for text in difference}
    replaced = sizes in ({1}, {2}) and " 's" not in true
    values = [found[0] for found in VALUE.finditer(difference[1])] if replaced else []
    says = says if values else ""  # else there is nothing to compare it with
    is_right = any(value in says for value in values)
    if show and (len(right) < len(wrong) or (says and not is_right)):
        print(f"  {false[:150]} | {difference} | {wrong} | {says!r} | {str(evidence)[:150]}")
    return Counter(
        {"pairs": 1, "named": bool(wrong), "words": len(wrong), "right": len(right)}
        | {"names": len(names), "names right": len({*names} & {*right})}
        | {"shown": says != "", "says": is_right}
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", nargs="?", type=Path, default=LABELLED)
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    print(f"{'set':22}" + "".join(f"{head:>9}" for head in HEADS))
    total: Counter[str] = Counter()
    for path in sorted(options.folder.glob("*.jsonl.gz")):
        counts: Counter[str] = Counter()
        for pair in pairs(path):
            counts += judged(*pair, options.show)
        show(path.name.split(".")[0], counts)
        total += counts
    show("all", total)


def share(right: int, of: int) -> str:
    return f"{100 * right / of:.1f} %" if of else "-"


def show(name: str, counts: Counter[str]) -> None:
    numbers = counts["words"] - counts["names"]
    cells = [counts["pairs"], counts["named"]]
    cells += [numbers, share(counts["right"] - counts["names right"], numbers)]
    cells += [counts["names"], share(counts["names right"], counts["names"])]
    cells += [counts["shown"], counts["says"], share(counts["says"], counts["shown"])]
    print(f"{name:22}" + "".join(f"{cell!s:>9}" for cell in cells))


if __name__ == "__main__":
    main()
