"""Are the words right that a false statement is said to have, and what the context is said to say?

    python benchmarks/wrong_words.py [../shared/labelled] [--show] [--real N]

Takes false statements whose wrong words are known, about contexts of labelled sets as
``embedded_judge.py`` reads them:

- pairs: a true and a false statement about one context that differ in one run of words. What
  differs is wrong;
- made: a true statement, with one number, name, month or day of the week that its context has, too,
  replaced by one of the same kind that its context lacks. What was replaced is wrong, and what
  stood there is right.

The evidence is the sentence of the context that shares the rarest words with the false statement,
as no judge names one here. So it may be another than the one that speaks of it.

For each set it prints: false statements; how many of the numbers (with months and days of the week)
and names that are called wrong are in the wrong words; and, where the right value is known, for how
many a value of the context is shown, how many of these are right, and the lower end of the exact
95 % interval. Where a decade is wrong, each year of the right one is right: 1941 for "1940s". The
same is printed for each half of the contexts. Errors of both halves were seen while the rules were
made, so none is held out.

``--show`` prints what is not right. ``--real N`` prints N of the real false statements with a shown
value, drawn at random, to be read. All 291 were read one by one: for 285, the value is what the
context says of the statement's matter; for the others, it is of another matter.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
from collections import Counter, defaultdict
from difflib import SequenceMatcher
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from embedded_judge import LABELLED, sentences

from faithfulness_assert.asking.ranking import Ranking
from faithfulness_assert.probe.card import interval
from faithfulness_assert.text.absent_numbers import absent_numbers, own_numbers
from faithfulness_assert.text.numbers import numbers_of
from faithfulness_assert.text.values import Kind, date_of, dates_in, kind_of, names_in, plain_words
from faithfulness_assert.text.wrong_words import difference

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from faithfulness_assert.text.numbers import Numbers

Row = dict[str, str]
HEADS = ("false", "numbers", "right", "names", "right", "shown", "right", "share", "at least")
NUMBER = re.compile(r"\d[\d.,:]*(?<![.,])")
DECADE = re.compile(r"\b\d{3}0(?= ?['’]?s\b)")
LONGEST = 6
"""Words in which the statements of a pair may differ."""
MOST = 40
"""Statements of one context that are compared with each other."""
TRIES = 20
"""Values that are tried until one is nowhere in the context."""


class Altered(NamedTuple):
    """A false statement, its wrong words, what would be right, and the kind of value, if known."""

    context: str
    statement: str
    wrong: str
    right: str
    kind: str = "pairs"


class Found(NamedTuple):
    """What our code says of a statement."""

    evidence: list[str]
    wrong: tuple[str, ...]
    says: str


# ---------------------------------------------------------------- false statements


def pairs(rows: Iterable[Row]) -> Iterator[Altered]:
    """Of each false statement that differs in one place from a true one."""
    by_context: dict[str, dict[int, list[str]]] = defaultdict(lambda: {0: [], 1: []})
    for row in rows:
        by_context[row["context"]][int(row["label"])].append(row["statement"])
    for context, found in by_context.items():
        for false in found[0][:MOST]:
            near = (changed(false, true) for true in found[1][:MOST])
            if difference := next(filter(None, near), None):
                yield Altered(context, false, *difference)


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


def made(rows: Iterable[Row], dice: random.Random) -> Iterator[Altered]:
    """Of each true statement with a value that its context has: that with another such value."""
    true = {(row["context"], row["statement"]): None for row in rows if int(row["label"])}
    pool: dict[Kind, list[str]] = defaultdict(list)
    for _, statement in true:
        for said, kind in values(statement):
            pool[kind].append(said)
    for context, statement in true:
        known = numbers_of(context)
        for said, kind in values(statement):
            others = (dice.choice(pool[kind]) for _ in range(TRIES))
            if statement.count(said) != 1 or not stands_in(said, context):
                continue
            if other := next((one for one in others if is_absent(one, known)), ""):
                false = statement.replace(said, other)
                yield Altered(context, false, other, said, kind[0] or "other number")


def values(text: str) -> Iterator[tuple[str, Kind]]:
    """The digits, dates and names of a text with their kinds; all names are of one kind here."""
    for number, blank in own_numbers(text):
        yield text[number.start : number.end], kind_of(blank, number)
    for date in dates_in(text):
        yield date.text, date.kind
    for name in names_in(text):
        yield name.text, ("name", "")


def stands_in(said: str, context: str) -> bool:
    return re.search(rf"(?<![\w.,]){re.escape(said)}(?!\w|[.,]\d)", context) is not None


def is_absent(said: str, known: Numbers) -> bool:
    if said[0].isdigit():
        return bool(absent_numbers(said, known))
    if date := date_of(said):
        return date not in map(date_of, known.words)
    return plain_words(said).isdisjoint(plain_words(" ".join(known.words)))


# ---------------------------------------------------------------- what is said of them


def evidence_of(context: str, statement: str) -> list[str]:
    """The sentence of the context that shares the rarest words with a statement."""
    lines = sentences(context)
    ranking = Ranking(lines, [range(n, n + 1) for n in range(1, len(lines) + 1)])
    return [lines[place] for place in ranking.best(statement, "", 1)]


def found_in(context: str, statement: str) -> Found:
    evidence = evidence_of(context, statement)
    return Found(evidence, *difference(statement, evidence, numbers_of(context)))


def counted(false: Altered, show: bool) -> Counter[str]:
    found = found_in(false.context, false.statement)
    right = [word for word in found.wrong if any(part in false.wrong for part in word.split())]
    names = [word for word in found.wrong if not NUMBER.search(word) and not date_of(word)]
    is_shown = found.says != "" and has_value(false, found.says)
    is_right = is_shown and any(part in found.says for part in known_values(false, found.says))
    if show and (len(right) < len(found.wrong) or is_shown > is_right):
        print(f"  {false[1:]} | {found.wrong} {found.says!r} | {str(found.evidence)[:300]}")
    return Counter(
        {"false": 1, "shown": is_shown, "shown right": is_right, "names": len(names)}
        | {"names right": len({*names} & {*right}), "numbers": len(found.wrong) - len(names)}
        | {"numbers right": len({*right} - {*names})}
    )


def known_values(false: Altered, says: str) -> list[str]:
    """The values that would be right, of the sort of the one that is shown: digits, or dates."""
    if not NUMBER.search(says):
        return [date.text for date in dates_in(false.right)]
    is_decade = any(decade in false.wrong for decade in DECADE.findall(false.statement))
    return [digits[:-1] if is_decade else digits for digits in NUMBER.findall(false.right)]


def has_value(false: Altered, says: str) -> bool:
    """Whether one or two words stand in the place of others, so that it is known what is right."""
    sizes = {len(text.split()) for text in (false.wrong, false.right)}
    is_replaced = false.kind != "pairs" or (sizes in ({1}, {2}) and "'" not in false.right)
    return is_replaced and bool(known_values(false, says))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", nargs="?", type=Path, default=LABELLED)
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--real", type=int, default=0)
    options = parser.parse_args()
    print(f"{'':30}" + "".join(f"{head:>9}" for head in HEADS))
    totals: dict[str, Counter[str]] = defaultdict(Counter)
    real: list[tuple[str, str, Found]] = []
    for path in sorted(options.folder.glob("*.jsonl.gz")):
        name = path.name.split(".")[0]
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            rows = [json.loads(line) for line in lines]
        for source in (pairs(rows), made(rows, random.Random(0))):
            for false in source:
                counts = counted(false, options.show)
                kind = "pairs" if false.kind == "pairs" else "made"
                half = (
                    "tuned" if sha256(false.context.encode()).digest()[0] % 2 == 0 else "other half"
                )
                for group in {
                    f"{kind}, {name}",
                    f"{kind}, {half}",
                    f"{false.kind}, all",
                    f"{kind}, all",
                }:
                    totals[group] += counts
        if options.real:
            real += [(name, row["statement"], found) for row, found in shown(rows)]
    for group in sorted(totals, key=lambda name: (name.endswith("all"), name)):
        print(f"{group:30}" + "".join(f"{cell!s:>9}" for cell in cells(totals[group])))
    for name, statement, found in random.Random(0).sample(real, min(options.real, len(real))):
        print(f"\n{name}: {statement}\n  {found.wrong} {found.says!r}\n  {found.evidence}")
    if options.real:
        print(f"\n{len(real)} real false statements with a shown value")


def shown(rows: Iterable[Row]) -> Iterator[tuple[Row, Found]]:
    """The false statements for which a value is shown."""
    for row in rows:
        if not int(row["label"]):
            found = found_in(row["context"], row["statement"])
            if found.says:
                yield row, found


def cells(counts: Counter[str]) -> list[str | int]:
    return [
        counts["false"],
        *(counts["numbers"], share(counts["numbers right"], counts["numbers"])),
        *(counts["names"], share(counts["names right"], counts["names"])),
        *(counts["shown"], counts["shown right"], share(counts["shown right"], counts["shown"])),
        f"{100 * interval(counts['shown right'], counts['shown'])[0]:.1f} %",
    ]


def share(right: int, of: int) -> str:
    return f"{100 * right / of:.1f} %" if of else "-"


if __name__ == "__main__":
    main()
