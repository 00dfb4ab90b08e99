"""Contexts that we wrote, and statements about them of which it is known whether they are true.

Each file in ``scenes/`` has scenes: a context and a statement of each kind, with slots for names,
dates and numbers, which a seed fills. So a judge that remembers one filling does not know the next.
Where a false statement differs from the context in a word only, it is written ``[true|false]``.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from ..cases.case import Case
from ..files import read_text
from .slots import filled

FOLDER = Path(__file__).parent / "scenes"
NAMES = "names.json"
FALSE_KINDS: Mapping[str, str] = {
    "number": "another number",
    "date": "another date or year",
    "unit": "another unit",
    "name": "a name that is there, swapped",
    "role": "who and whom, swapped",
    "negation": "the opposite, by a not",
    "quantifier": "some made all, or none",
    "modality": "may made will, and the like",
    "comparison": "comparison turned round",
    "cause": "cause and effect swapped",
    "merged": "two facts made one",
    "subject": "of the wrong subject",
    "absent": "plausible, but not there",
}
TRUE_KINDS: Mapping[str, str] = {
    "verbatim": "word for word",
    "paraphrase": "in other words",
    "format": "a date, time or number in another form",
    "arithmetic": "a sum or difference",
    "several": "two facts put together",
}
KINDS = (*FALSE_KINDS, *TRUE_KINDS)
PER_ASK = 16

_EDIT = re.compile(r"\[([^]|]*)\|([^]|]*)\]")


class Probe(NamedTuple):
    """A context, and statements about it: the kind and the text of each. ``scene``: its name."""

    scene: str
    context: tuple[str, ...]
    statements: tuple[tuple[str, str], ...]

    def case(self, *, reverse: bool = False) -> Case:
        """What is graded: an answer that consists of the statements, in this order or backwards."""
        texts = [text for _, text in self.statements]
        return Case("\n\n".join(reversed(texts) if reverse else texts), self.context)


@cache
def all_scenes() -> tuple[Mapping[str, Any], ...]:
    """All scenes, in the order of their files and within these."""
    files = (path for path in sorted(FOLDER.glob("*.json")) if path.name != NAMES)
    return tuple(scene for path in files for scene in json.loads(read_text(path))["scenes"])


def make_probes(per_kind: int, seed: int, *, held_out: bool = False) -> list[Probe]:
    """So many statements of each kind, ``PER_ASK`` to a context, or fewer in the last one.

    Every context is of another scene, until all scenes have been asked about; so the statements of
    a kind are independent of each other, while there are more scenes than contexts.

    Args:
        seed: decides which scenes are taken, how slots are filled, which kinds stand together, and
            in which order.
        held_out: take the scenes that are kept apart, to see whether a prompt was tuned on others.
    """
    chance = Random(f"probe {seed} {held_out}")  # noqa: S311 - not used for security
    scenes = [scene for scene in all_scenes() if scene.get("held_out", False) is held_out]
    chance.shuffle(scenes)
    left, probes = dict.fromkeys(KINDS, per_kind), list[Probe]()
    asked: dict[str, Counter[str]] = {scene["name"]: Counter() for scene in scenes}
    while any(left.values()):
        scene = scenes[len(probes) % len(scenes)]
        before = asked[scene["name"]]
        # First what was not asked about this scene, then those with most left.
        order = sorted(KINDS, key=lambda kind: (before[kind], -left[kind], chance.random()))
        kinds = [kind for kind in order if left[kind]][:PER_ASK]
        chance.shuffle(kinds)
        probes.append(fill(scene, kinds, chance))
        before.update(kinds)
        for kind in kinds:
            left[kind] -= 1
    return probes


def fill(scene: Mapping[str, Any], kinds: Sequence[str], chance: Random) -> Probe:
    """A context of a scene and its statements of these kinds, with values for the slots."""
    values = filled(scene, _names(), chance)
    statements = ((kind, shown(scene["statements"][kind], values)) for kind in kinds)
    context = (passage.format_map(values) for passage in scene["context"])
    return Probe(scene["name"], tuple(context), tuple(statements))


def shown(template: str, values: Mapping[str, Any]) -> str:
    """A statement with its values, and with what is false of ``[true|false]``."""
    return _EDIT.sub(r"\2", template).format_map(values)


@cache
def _names() -> Mapping[str, Any]:
    data: Mapping[str, Any] = json.loads(read_text(FOLDER / NAMES))
    return data
