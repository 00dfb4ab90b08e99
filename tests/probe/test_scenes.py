"""What a rule can tell of the scenes: that they are sound, whatever their slots are filled with."""

import json
import re
from collections import Counter
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import pytest
from rows import rows

import faithfulness_assert
from faithfulness_assert import split_statements
from faithfulness_assert.probe.scenes import (
    FALSE_KINDS,
    KINDS,
    all_scenes,
    fill,
    filled,
    in_the_middle,
    make_probes,
)

FOLDER = Path(faithfulness_assert.__file__).parent / "probe" / "scenes"
SCENES = all_scenes()
SEEDS = range(5)
each_scene = pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene["name"])


def texts_of(scene: Any, seed: int) -> tuple[str, dict[str, str], set[str]]:
    """The filled context, its statements, and the sentences of the context."""
    one = fill(scene, KINDS, Random(seed))
    sentences = {s for passage in one.context for s in split_statements(passage)}
    return "\n".join(one.context), dict(one.statements), sentences


def test_there_are_a_hundred_scenes_and_a_quarter_is_held_out():
    assert len(SCENES) == len({scene["name"] for scene in SCENES}) == 100
    assert sum(scene.get("held_out", False) for scene in SCENES) == 25
    assert len({scene["genre"] for scene in SCENES}) > 60


@each_scene
def test_a_scene_is_sound_with_any_values(scene):
    assert list(scene["statements"]) == list(KINDS)
    for seed in SEEDS:
        context, statements, sentences = texts_of(scene, seed)
        assert 40 <= len(context.split()) <= 150
        assert not re.search(r"[{}|\[\]]", context + " ".join(statements.values()))
        assert len({text.casefold() for text in statements.values()}) == len(KINDS)
        assert split_statements("\n\n".join(statements.values())) == list(statements.values())
        for kind, text in statements.items():
            assert (text in sentences) == (kind == "verbatim"), text
            if kind in FALSE_KINDS:
                assert text.rstrip(".!").casefold() not in context.casefold(), text


def test_scenes_are_texts_of_their_own():
    """No two share a run of eight words, and few share one of five: they are no skeleton."""
    runs = {n: {s["name"]: runs_of(s, n) for s in SCENES} for n in (5, 8)}
    for one, other in combinations(SCENES, 2):
        pair = one["name"], other["name"]
        assert not runs[8][pair[0]] & runs[8][pair[1]], pair
        assert len(runs[5][pair[0]] & runs[5][pair[1]]) <= 3, pair


def runs_of(scene: Any, length: int) -> set[tuple[str, ...]]:
    texts = [*scene["context"], *scene["statements"].values()]
    found: set[tuple[str, ...]] = set()
    for text in texts:
        words = re.findall(r"\w+", re.sub(r"\{(\w)[^}]*\}", r"\1", text.casefold()))
        found |= {tuple(words[n : n + length]) for n in range(len(words) - length + 1)}
    return found


@pytest.mark.parametrize("held_out", [False, True])
def test_each_statement_of_a_kind_is_of_another_scene_until_scenes_run_out(held_out):
    most = 20 if held_out else 60
    probes = make_probes(most, 7, held_out=held_out)
    kinds = Counter(kind for one in probes for kind, _ in one.statements)
    assert set(kinds.values()) == {most}
    pairs = Counter((one.scene, kind) for one in probes for kind, _ in one.statements)
    assert set(pairs.values()) == {1}
    assert max(len(one.statements) for one in probes) <= 16
    more = make_probes(most * 2, 7, held_out=held_out)
    scenes = Counter((one.scene, kind) for one in more for kind, _ in one.statements)
    assert max(scenes.values()) <= 3


def test_the_same_draw_asks_the_same_and_another_one_other_scenes():
    assert make_probes(5, 1) == make_probes(5, 1)
    assert {one.scene for one in make_probes(5, 1)} != {one.scene for one in make_probes(5, 2)}
    apart = {one.scene for one in make_probes(20, 1, held_out=True)}
    assert not apart & {one.scene for one in make_probes(60, 1)}


@pytest.mark.parametrize("held_out", [False, True])
def test_a_probe_stands_in_the_middle_of_a_long_context_without_a_name_of_its_own(held_out):
    names = json.loads((FOLDER / "names.json").read_text("utf-8"))
    words = {word for pool in names.values() for name in pool for word in name.split()}
    for one in make_probes(20, 1, held_out=held_out):
        long = in_the_middle(one, 1, held_out=held_out)
        assert long == in_the_middle(one, 1, held_out=held_out)
        assert long.statements == one.statements
        start = long.context.index(one.context[0])
        end = start + len(one.context)
        assert long.context[start:end] == one.context
        before, behind = " ".join(long.context[:start]), " ".join(long.context[end:])
        assert 1500 <= len(" ".join(long.context).split()) < 1700
        assert min(len(before.split()), len(behind.split())) > 500
        own = set(re.findall(r"\w+", " ".join([*one.context, *(t for _, t in one.statements)])))
        assert not own & words & set(re.findall(r"\w+", f"{before} {behind}"))
        for _, text in one.statements:
            assert text.rstrip(".!").casefold() not in f"{before} {behind}".casefold(), text


@each_scene
def test_what_is_computed_is_right(scene):
    values = filled(scene, json.loads((FOLDER / "names.json").read_text("utf-8")), Random(1))
    for slot, given in scene["slots"].items():
        if isinstance(given, str):
            first, sign, second = re.split(r"([-+*])", given)
            one, other = int(values[first]), int(values.get(second, second))
            assert values[slot] == {"+": one + other, "-": one - other, "*": one * other}[sign]


def test_the_verdicts_of_a_real_llm_are_of_the_probes_as_they_are_now():
    told = [
        (row["scene"], [said[:2] for said in row["verdicts"]]) for row in rows("probe_verdicts")
    ]
    probes = [(one.scene, list(map(list, one.statements))) for one in make_probes(20, 43)]
    assert told == probes
