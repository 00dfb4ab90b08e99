"""What it takes to grade a long answer over a very long context, with a judge that knows the truth.

    python benchmarks/long_inputs.py [--tokens N] [--statements N] [--ask N] [--likely-only]

Once with the whole context shown to each statement, once with the default, for
a context of many sentences and for one huge passage without a sentence end. Prints the calls, their
prompt tokens, and the share of statements with the same label. The target: at most 300 calls with
at least 98 % of the labels.

The context lists what people built, sold or closed, where, when and for how much. Every word of it
stands there many times; only together they make a fact. Statements tell facts in other words and
another order (half of their words are not in the fact), change a year, invent what is nowhere, tell
two facts of which one is nowhere, or tell what one page says and another one denies. The judge
finds the facts that an ask shows, and nothing else.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from faithfulness_assert import Ask, Grader, GradingResult, Reply, Usage
from faithfulness_assert.asking.tokens import estimate_tokens, exact_counter
from faithfulness_assert.plan import likely_windows
from faithfulness_assert.plan.likely_windows import FEW_ASKS
from faithfulness_assert.records.judge import Limits

CALLS_TARGET, LABELS_TARGET = 300, 0.98
TOKENS_PER_SENTENCE = 22
count = exact_counter() or estimate_tokens

FIRST = (
    "Ada Bruno Carla Dario Elena Fabian Greta Hugo Ines Jonas Karin Luca Marta Nils Olga".split()
)
ENDS = ("berg", "ton", "mann", "ville", "stad", "field", "wood", "ow")
STEMS = "Ash Brand Corn Dal Ell Fen Grim Hart Ing Kess Lind Mar Nord Oster Pem Rath Sel Tor".split()
SURNAMES = [stem + end for stem in STEMS for end in ("er", "sen", "ini", "ley", "ova", "wick")]
PLACES = [stem + end for stem in STEMS for end in ENDS]
THINGS = """bridge mill harbour library theatre foundry chapel station brewery garden hospital
orchard lighthouse observatory bakery vineyard dockyard museum reservoir quarry tannery warehouse
printworks school""".split()
DEEDS = (  # in the context, and in the answer
    ("built", "erected"),
    ("sold", "disposed of"),
    ("closed", "shut down"),
    ("restored", "renovated"),
    ("bought", "acquired"),
    ("leased", "rented out"),
)
FILLER = (
    "The weather of that season was noted with care but led to no decision.",
    "Several letters on the matter were lost when the archive moved to its new rooms.",
    "A second copy of the register is kept in the cellar and may be seen on request.",
    "The clerk adds that the figures of the year before were counted in another way.",
    "Nothing else was recorded on that day, as the council did not meet.",
)
SHARES = {"supported": 55, "contradicted": 15, "not_enough_info": 20, "half": 5, "torn": 5}


@dataclass(frozen=True)
class Fact:
    """Who did what with which thing, where, when and for how much."""

    first: str
    surname: str
    deed: int
    thing: str
    place: str
    year: int
    price: int

    def __str__(self) -> str:
        who, deed = f"{self.first} {self.surname}", DEEDS[self.deed][0]
        what = f"{deed} the {self.thing} of {self.place}"
        return f"{who} {what} in {self.year} for {self.price} crowns"

    def told(self) -> str:
        """The same in other words."""
        deed = DEEDS[self.deed][1]
        return f"it was in {self.year} that {self.surname} {deed} {self.place}'s {self.thing}"


def a_fact(dice: random.Random) -> Fact:
    return Fact(
        *(dice.choice(FIRST), dice.choice(SURNAMES), dice.randrange(len(DEEDS))),
        *(dice.choice(THINGS), dice.choice(PLACES), dice.randrange(1700, 1950)),
        dice.randrange(10, 9999),
    )


@dataclass(frozen=True)
class Told:
    """A statement, with the facts that back it and those that contradict it."""

    text: str
    back: tuple[str, ...]
    deny: tuple[str, ...] = ()
    missing: bool = False


class World:
    """A context of about so many tokens, and an answer of so many statements about it."""

    def __init__(self, tokens: int, statements: int, seed: int) -> None:
        dice = random.Random(seed)
        facts: list[Fact] = list({str(f): f for f in _facts(dice, tokens)}.values())
        self.told: dict[str, Told] = {}
        later: list[str] = []
        kinds = [kind for kind, share in SHARES.items() for _ in range(share)]
        for number, fact in enumerate(dice.sample(facts, statements)):
            told = self._statement(kinds[number % len(kinds)], fact, dice)
            self.told[told.text] = told
            later += told.deny if kinds[number % len(kinds)] == "torn" else ()
        sentences = [str(fact) for fact in facts]
        for sentence in later:
            sentences.insert(dice.randrange(len(sentences)), sentence)
        self.sentences = [text for sentence in sentences for text in _with_filler(sentence, dice)]

    def _statement(self, kind: str, fact: Fact, dice: random.Random) -> Told:
        changed = _changed(fact, dice)
        if kind == "supported":
            return Told(_sentence(fact.told()), (str(fact),))
        if kind == "contradicted":
            return Told(_sentence(changed.told()), (), (str(fact),))
        if kind == "torn":
            return Told(_sentence(fact.told()), (str(fact),), (str(changed),))
        other = a_fact(dice)
        if kind == "half":
            return Told(
                f"{_sentence(fact.told())[:-1]}, and {other.told()}.", (str(fact),), (), True
            )
        return Told(_sentence(other.told()), ())

    @property
    def answer(self) -> str:
        return " ".join(self.told)

    @property
    def context(self) -> str:
        return " ".join(f"{sentence.strip('.')}." for sentence in self.sentences)

    @property
    def passage(self) -> str:
        """The same without any sentence end."""
        return " and ".join(s.strip(".")[:1].lower() + s.strip(".")[1:] for s in self.sentences)


def _facts(dice: random.Random, tokens: int) -> Iterator[Fact]:
    yield from (a_fact(dice) for _ in range(tokens // (TOKENS_PER_SENTENCE + 8)))


def _changed(fact: Fact, dice: random.Random) -> Fact:
    year = dice.choice([y for y in range(1700, 1950) if y != fact.year])
    return Fact(fact.first, fact.surname, fact.deed, fact.thing, fact.place, year, fact.price)


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def _with_filler(sentence: str, dice: random.Random) -> Iterator[str]:
    yield sentence
    if dice.random() < 0.5:
        yield dice.choice(FILLER)


class Judge:
    """Says of each statement what the facts say that an ask shows."""

    name = "simulated"

    def __init__(self, world: World, ask_tokens: int) -> None:
        self.limits = Limits(prompt_tokens=ask_tokens)
        self.told = {text.casefold(): told for text, told in world.told.items()}
        self.calls = self.prompt_tokens = self.largest = 0

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        """The verdicts; evidence is where each fact begins."""
        self.calls += 1
        size = sum(count(message["content"]) for message in ask.messages)
        self.prompt_tokens += size
        self.largest = max(self.largest, size)
        shown = Shown(ask.payload.sentences)
        entries = []
        for number, text in ask.payload.statements:
            told = self.told[text.casefold()]
            back, deny = shown.lines_of(told.back), shown.lines_of(told.deny)
            label = "contradicted" if deny else "supported" if back else "not_enough_info"
            label = "partially_supported" if label == "supported" and told.missing else label
            entries.append({"id": number, "evidence": [*back, *deny], "label": label})
        return Reply(json.dumps({"verdicts": entries}), usage=Usage(prompt=size, num_requests=1))


class Shown:
    """The context of an ask as one text, to find facts in that may go over several lines."""

    def __init__(self, sentences: Sequence[tuple[int, str]]) -> None:
        texts = [" ".join(text.split()) + " " for _, text in sentences]
        self.text = "".join(texts).casefold()
        self.starts = [0, *accumulate(len(text.casefold()) for text in texts)]
        self.numbers = [number for number, _ in sentences]

    def lines_of(self, facts: Sequence[str]) -> list[int]:
        """The numbers of the lines in which those of these facts begin that are shown."""
        places = [self.text.find(fact.casefold()) for fact in facts]
        return [self.numbers[bisect_right(self.starts, p) - 1] for p in places if p >= 0]


@dataclass(frozen=True)
class Run:
    """A grade and what it took."""

    result: GradingResult
    judge: Judge
    seconds: float

    def labels(self) -> dict[str, str]:
        return {v.statement: str(v.label or v.unresolved) for v in self.result.verdicts}


def graded(world: World, context: str, ask_tokens: int, few_asks: int) -> Run:
    likely_windows.FEW_ASKS = few_asks
    judge = Judge(world, ask_tokens)
    grader = Grader(judge, deadline=None)
    begun = time.process_time()
    result = grader.grade(world.answer, context)
    return Run(result, judge, time.process_time() - begun)


def told(name: str, run: Run) -> None:
    """Prints what a grade took."""
    labels = ", ".join(f"{n} {label}" for label, n in Counter(run.labels().values()).most_common())
    print(
        f"{name}: {run.judge.calls:,} calls, {run.judge.prompt_tokens / 1e6:.2f} M prompt tokens"
        f" (at most {run.judge.largest:,} in one), {run.seconds:.0f} s of CPU; {labels}"
    )


def compared(likely: Run, everything: Run) -> float:
    """The share of equal labels; prints which ones differ."""
    ours, theirs = likely.labels(), everything.labels()
    differ = Counter((theirs[text], ours[text]) for text in ours if ours[text] != theirs[text])
    for (label, own), times in differ.most_common():
        print(f"  {times} x {label} is {own}")
    share = 1 - differ.total() / len(ours)
    print(f"  {share:.1%} of the labels are those of all")
    return share


def main() -> int:
    parser = argparse.ArgumentParser()
    for name, default in (
        ("tokens", 1_000_000),
        ("statements", 1_000),
        ("ask", 8_000),
        ("seed", 7),
    ):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--likely-only", action="store_true")
    options = parser.parse_args()
    world = World(options.tokens, options.statements, options.seed)
    print(f"{count(world.context):,} tokens of context, {len(world.told):,} statements")
    fine = True
    for name, context in (("sentences", world.context), ("one passage", world.passage)):
        likely = graded(world, context, options.ask, FEW_ASKS)
        told(f"{name}, default", likely)
        fine &= likely.judge.calls <= CALLS_TARGET
        if not options.likely_only:
            everything = graded(world, context, options.ask, 10**9)
            told(f"{name}, all", everything)
            fine &= compared(likely, everything) >= LABELS_TARGET
        for warning in likely.result.metadata.get("warnings", ()):
            print(f"  {warning}")
    print("reached" if fine else "missed")
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
