"""What it takes to grade a long answer over a very long context, with a judge that knows the truth.

    python benchmarks/long_inputs.py [--tokens N] [--statements N] [--ask N]

Once as the default policy does it, and once as a policy that must show each statement the whole
context (``inverse``), for a context of many sentences and for one huge passage without a sentence
end. Prints the calls, their prompt tokens, and the share of statements with the same label.

The context lists what people built, sold or closed, where, when and for how much. Every word of it
stands there many times; only together they make a fact. Statements tell facts in other words and
another order (half of their words are not in the fact), change a year, invent what is nowhere, or
tell what one page says and another one denies. The judge finds the facts that an ask shows.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from faithfulness_assert import Ask, Grader, GradingResult, Reply, Usage
from faithfulness_assert.asking.windows import estimate_tokens
from faithfulness_assert.records.judge import Limits

TOKENS_OF_A_FACT = 30

FIRST = "Ada Bruno Carla Dario Elena Fabian Greta Hugo Ines Jonas Karin Luca Marta Nils".split()
STEMS = "Ash Brand Corn Dal Ell Fen Grim Hart Ing Kess Lind Mar Nord Oster Pem Rath Sel Tor".split()
SURNAMES = [stem + end for stem in STEMS for end in ("er", "sen", "ini", "ley", "ova", "wick")]
PLACES = [stem + end for stem in STEMS for end in ("berg", "ton", "mann", "ville", "field", "wood")]
THINGS = """bridge mill harbour library theatre foundry chapel station brewery garden hospital
orchard lighthouse bakery vineyard dockyard museum quarry tannery warehouse school""".split()
DEEDS = {  # in the context, and in the answer
    "built": "erected",
    "sold": "disposed of",
    "closed": "shut down",
    "restored": "renovated",
    "bought": "acquired",
}
FILLER = (
    "The weather of that season was noted with care but led to no decision.",
    "A second copy of the register is kept in the cellar and may be seen on request.",
    "Nothing else was recorded on that day, as the council did not meet.",
)
KINDS = ["supported"] * 55 + ["contradicted"] * 20 + ["not_enough_info"] * 20 + ["torn"] * 5


@dataclass(frozen=True)
class Fact:
    """Who did what with which thing, where, when and for how much."""

    first: str
    surname: str
    deed: str
    thing: str
    place: str
    year: int
    price: int

    def __str__(self) -> str:
        what = f"{self.deed} the {self.thing} of {self.place}"
        return f"{self.first} {self.surname} {what} in {self.year} for {self.price} crowns"

    def told(self) -> str:
        """The same in other words."""
        what = f"{DEEDS[self.deed]} {self.place}'s {self.thing}"
        return f"It was in {self.year} that {self.surname} {what}."


def a_fact(dice: random.Random) -> Fact:
    names = (FIRST, SURNAMES, list(DEEDS), THINGS, PLACES)
    return Fact(*map(dice.choice, names), dice.randrange(1700, 1950), dice.randrange(10, 9999))


class World:
    """A context of about so many tokens, and what backs and what denies each statement about it."""

    def __init__(self, tokens: int, statements: int, seed: int) -> None:
        dice = random.Random(seed)
        facts = [a_fact(dice) for _ in range(tokens // TOKENS_OF_A_FACT)]
        self.told: dict[str, tuple[list[str], list[str]]] = {}
        sentences = [str(fact) for fact in facts]
        for number, fact in enumerate(dice.sample(facts, statements)):
            kind, other = KINDS[number % len(KINDS)], replace(fact, year=fact.year + 61)
            if kind == "torn":
                sentences.insert(dice.randrange(len(sentences)), str(other))
            text, backs, denies = {
                "supported": (fact, [fact], []),
                "contradicted": (other, [], [fact]),
                "torn": (fact, [fact], [other]),
                "not_enough_info": (a_fact(dice), [], []),
            }[kind]
            self.told[text.told()] = list(map(str, backs)), list(map(str, denies))
        between = [dice.choice((*FILLER, "", "", "")) for _ in sentences]
        lines = [text for pair in zip(sentences, between, strict=True) for text in pair if text]
        self.answer = " ".join(self.told)
        self.context = " ".join(f"{line.strip('.')}." for line in lines)
        self.passage = " and ".join(line.strip(".") for line in lines)
        """The same without any sentence end."""


class Judge:
    """Says of each statement what the facts say that an ask shows."""

    name = "simulated"

    def __init__(self, world: World, ask_tokens: int) -> None:
        self.limits = Limits(prompt_tokens=ask_tokens)
        self.told = {text.casefold(): facts for text, facts in world.told.items()}
        self.calls = self.prompt_tokens = 0

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        """The verdicts; evidence is where each fact begins, which may go over several lines."""
        self.calls += 1
        size = sum(estimate_tokens(message["content"]) for message in ask.messages)
        self.prompt_tokens += size
        texts = [" ".join(text.split()).casefold() + " " for _, text in ask.payload.sentences]
        shown, starts = "".join(texts), [0, *accumulate(map(len, texts))]

        def lines_of(facts: Sequence[str]) -> list[int]:
            places = [shown.find(fact.casefold()) for fact in facts]
            return [
                ask.payload.sentences[bisect_right(starts, place) - 1][0]
                for place in places
                if place >= 0
            ]

        entries = []
        for number, text in ask.payload.items:
            back, deny = map(lines_of, self.told[text.casefold()])
            label = "contradicted" if deny else "supported" if back else "not_enough_info"
            entries.append({"id": number, "evidence": [*back, *deny], "label": label})
        return Reply(json.dumps({"verdicts": entries}), usage=Usage(prompt=size, num_requests=1))


def graded(name: str, world: World, context: str, ask_tokens: int, inverse: bool) -> GradingResult:
    """The result; prints what it took."""
    judge = Judge(world, ask_tokens)
    begun = time.process_time()
    result = Grader(judge, inverse=inverse, deadline=None).grade(world.answer, context)  # type: ignore[arg-type]
    labels = Counter(labels_of(result).values()).most_common()
    print(
        f"{name}: {judge.calls:,} calls, {judge.prompt_tokens / 1e6:.2f} M prompt tokens, "
        f"{time.process_time() - begun:.0f} s of CPU; {', '.join(f'{n} {x}' for x, n in labels)}"
    )
    return result


def labels_of(result: GradingResult) -> dict[str, str]:
    return {v.statement: str(v.label or v.unresolved) for v in result.verdicts}


def main() -> None:
    parser = argparse.ArgumentParser()
    for name, default in (("tokens", 1_000_000), ("statements", 1_000), ("ask", 8_000)):
        parser.add_argument(f"--{name}", type=int, default=default)
    options = parser.parse_args()
    world = World(options.tokens, options.statements, seed=7)
    print(f"{estimate_tokens(world.context):,} tokens of context, {len(world.told):,} statements")
    for name, context in (("sentences", world.context), ("one passage", world.passage)):
        likely = labels_of(graded(name, world, context, options.ask, inverse=False))
        shown = graded(f"{name}, all shown", world, context, options.ask, inverse=True)
        everything = labels_of(shown)
        differ = Counter(
            (everything[text], own) for text, own in likely.items() if own != everything[text]
        )
        for (label, own), times in differ.most_common():
            print(f"  {times} x {label} is {own}")
        print(f"  {1 - differ.total() / len(likely):.1%} of the labels are the same")


if __name__ == "__main__":
    main()
