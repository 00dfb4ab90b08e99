"""Contexts that we wrote, and statements about them of which it is known whether they are true.

``scenes.json`` has the scenes: a context and a statement of each kind, with slots for names, dates
and numbers, which a seed fills. So a judge that remembers one filling does not know the next.
"""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from ..cases.case import Case
from ..files import read_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

SCENES = Path(__file__).parent / "scenes.json"
FALSE_KINDS: Mapping[str, str] = {
    "number": "another number",
    "date": "another year",
    "unit": "another unit",
    "name": "a name that is there, swapped",
    "role": "who and whom, swapped",
    "negation": "not, added",
    "quantifier": "some made all",
    "modality": "may made will",
    "comparison": "comparison turned round",
    "cause": "cause and effect swapped",
    "merged": "two facts made one",
    "subject": "of the wrong subject",
    "absent": "plausible, but not there",
}
TRUE_KINDS: Mapping[str, str] = {
    "verbatim": "word for word",
    "paraphrase": "in other words",
    "format": "a date in another format",
    "arithmetic": "a sum of two numbers",
    "several": "from two sentences",
}
KINDS = (*FALSE_KINDS, *TRUE_KINDS)
PER_ASK = 16
MONTHS = (
    "January February March April May June July August September October November December".split()
)


class Probe(NamedTuple):
    """A context, and statements about it: the kind and the text of each."""

    context: tuple[str, ...]
    statements: tuple[tuple[str, str], ...]

    def case(self, *, reverse: bool = False) -> Case:
        """What is graded: an answer that consists of the statements, in this order or backwards."""
        texts = [text for _, text in self.statements]
        return Case("\n\n".join(reversed(texts) if reverse else texts), self.context)


def make_probes(per_kind: int, seed: int, *, held_out: bool = False) -> list[Probe]:
    """So many statements of each kind, ``PER_ASK`` to a context, or fewer in the last one.

    Args:
        seed: decides how slots are filled, which kinds stand together, and in which order.
        held_out: take the scenes that are kept apart, to see whether a prompt was tuned on others.
    """
    chance = Random(f"probe {seed} {held_out}")  # noqa: S311 - not used for security
    data = json.loads(read_text(SCENES))
    scenes = [scene for scene in data["scenes"] if scene.get("held_out", False) is held_out]
    left = dict.fromkeys(KINDS, per_kind)
    probes: list[Probe] = []
    while any(left.values()):
        # Those with most left first, so that no kind is asked about twice in one context.
        order = sorted(KINDS, key=lambda kind: (-left[kind], chance.random()))
        kinds = [kind for kind in order if left[kind]][:PER_ASK]
        chance.shuffle(kinds)
        scene, slots = scenes[len(probes) % len(scenes)], _filled(data, chance)
        statements = ((kind, scene["statements"][kind].format_map(slots)) for kind in kinds)
        context = (passage.format_map(slots) for passage in scene["context"])
        probes.append(Probe(tuple(context), tuple(statements)))
        for kind in kinds:
            left[kind] -= 1
    return probes


def _filled(data: Mapping[str, Any], chance: Random) -> dict[str, str]:
    """A value for each slot. No two are the same, and what is false stands nowhere else."""
    people, towns = chance.sample(data["people"], 2), chance.sample(data["towns"], 2)
    opened = date(chance.randint(1900, 1929), chance.randint(1, 12), chance.randint(13, 28))
    first, second = chance.randint(31, 49), chance.randint(61, 99)
    numbers = {
        "day": opened.day,
        "y1": opened.year,
        "y2": chance.randint(1930, 1959),
        "y4": chance.randint(1960, 1989),
        "a": first,
        "b": second,
        "sum": first + second,
        "c": chance.randint(151, 199),
        "w": chance.randint(201, 299),
    }
    names = dict(_named("p", people)) | dict(_named("t", towns))
    shown = {name: str(number) for name, number in numbers.items()}
    return {**names, **shown, "month": MONTHS[opened.month - 1], "iso": opened.isoformat()}


def _named(letter: str, values: list[str]) -> Iterator[tuple[str, str]]:
    return ((f"{letter}{place}", value) for place, value in enumerate(values, 1))
