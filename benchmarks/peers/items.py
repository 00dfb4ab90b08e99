"""Made-up items to grade: an answer of 5 sentences over 3 passages of about 100 words each.

A sentence that is labelled true is in a passage, word for word. One that is labelled false gives
another figure than the passage. The items are the same on every machine.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

TOWNS = (
    "Arvika Belmora Cindral Dunvale Estrin Farrow Galdis Hethel Ivrea Jastow "
    "Kelmin Lorvik Mandal Norrin Ostrel Pavane Quillon Rosmar Sandrel Tovik"
).split()
FIRMS = (
    "Altern Brightwell Corvane Deltric Enfield Fennimore Garrick Halden Isotek Juniper"
).split()
FILLING = (
    "The surrounding district is known for its mixed forests, its long winters and the small "
    "harbour that served fishing boats for generations . Visitors usually arrive by the regional "
    "railway, which runs along the river and stops at every village on the way to the coast . "
    "Local archives keep letters, maps and council minutes that describe how the settlement "
    "changed as trade routes moved and new bridges were built . "
).split()
WORDS = 100  # of a passage
SHARE_OF_TRUE = 0.7
FIRST_LABELS = (True, True, False, True, False)  # so that both labels are in the first item


@dataclass(frozen=True)
class Item:
    """A question, its passages, and an answer whose sentences have known labels."""

    question: str
    contexts: tuple[str, ...]
    sentences: tuple[str, ...]
    labels: tuple[bool, ...]

    @property
    def answer(self) -> str:
        return " ".join(self.sentences)

    @property
    def score(self) -> float:
        """The score of a judge that is always right."""
        return sum(self.labels) / len(self.labels)


def items(count: int, first: int = 0) -> list[Item]:
    """``count`` items, from number ``first`` on."""
    return [_item(number) for number in range(first, first + count)]


def labels_of(given: list[Item]) -> dict[str, bool]:
    """The label of each sentence."""
    return {
        sentence: label
        for item in given
        for sentence, label in zip(item.sentences, item.labels, strict=True)
    }


def _item(number: int) -> Item:
    dice = random.Random(1000 + number)
    town = TOWNS[number % len(TOWNS)]
    town += f" {number // len(TOWNS)}" if number >= len(TOWNS) else ""
    firm = FIRMS[number % len(FIRMS)]
    year, people = dice.randrange(1200, 1900), dice.randrange(3, 90) * 1000
    height, staff = dice.randrange(20, 180), dice.randrange(12, 400)
    distance = dice.randrange(5, 95)
    true = _facts(town, firm, year, people, height, staff, distance)
    false = _facts(town, firm, year + 111, people * 3, height + 77, staff + 500, distance + 200)
    labels = tuple(dice.random() < SHARE_OF_TRUE for _ in true) if number else FIRST_LABELS
    return Item(
        question=f"What should a visitor know about {town}?",
        sentences=tuple(t if label else f for t, f, label in zip(true, false, labels, strict=True)),
        labels=labels,
        contexts=tuple(_passage(dice, facts) for facts in (true[0:2], true[2:4], true[4:5])),
    )


def _facts(
    town: str, firm: str, year: int, people: int, height: int, staff: int, distance: int
) -> tuple[str, ...]:
    return (
        f"{town} was founded in {year} beside the river Osk.",
        f"The town of {town} has {people} inhabitants.",
        f"The clock tower in {town} is {height} metres tall.",
        f"The company {firm} employs {staff} people in {town}.",
        f"A ferry links {town} with an island {distance} kilometres away.",
    )


def _passage(dice: random.Random, facts: tuple[str, ...]) -> str:
    """The facts, then filling text from a random place."""
    start, missing = dice.randrange(len(FILLING)), WORDS - len(" ".join(facts).split())
    words = (FILLING[(start + place) % len(FILLING)] for place in range(missing))
    text = " ".join(words).replace(" .", ".").strip()
    return " ".join(facts) + " " + text[:1].upper() + text[1:]
