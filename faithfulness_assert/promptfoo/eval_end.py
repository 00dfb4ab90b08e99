"""What an eval says at its end: per test what was made up, and what could not be graded.

promptfoo's terminal shows no reasons. Its hook ``afterAll`` gets all results, and passes on what is
written to standard error.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

from ..cases.systems import NAMES_INSIDE
from ..policy.scoring import CHECK
from ..records.checks import as_mapping, mappings_in
from ..records.judge import PROMPT_CUT
from ..records.model import NOT_JUDGED
from ..records.result_list import controls_in, controls_in_words, is_unreliable, untested_in_words
from ..records.views import SETUP
from ..text.strings import clip, lazy_pattern, one_line, visible

IN_CI, ELSEWHERE = 20, 200
"""The most lines about statements that were made up."""
MADE_UP, PASSED = "made up: ", "passed; "
FAITHFUL = "the answer is faithful, but a not- assertion wants a made-up one"
UNCHECKED = "nothing was checked ({}): endings pass it, so a not- assertion fails; set 0 there"
MOST_OF_SETUP = 5
MAX_CHARS = 600
EXPANDED = (
    SETUP + "promptfoo made one test of each element of vars.{}, so that an answer was graded "
    "against one passage alone: give the test options: {{disableVarExpansion: true}}"
)
OF_TEST = ("options", "vars")
"""What a test has, or takes from the default test."""
CHECKS = (CHECK, *NOT_JUDGED)
"""How warnings begin that are told of tests that pass."""
_NOT_GRADED = lazy_pattern(r"Not graded:[^\n]*")


def lines_of(given: Any) -> list[str]:
    """The lines for a hook's arguments, one of which is its context."""
    most = IN_CI if os.environ.get("CI") else ELSEWHERE
    found = (_at(one, "results") for one in given)
    results: list[Any] = next((one for one in found if isinstance(one, list)), [])
    sides = zip(results, _sides(results), strict=True)
    names = [clip(_name(result), 80) + side for result, side in sides]
    grades = [mappings_in(_at(result, "gradingResult", "componentResults")) for result in results]
    tests: dict[tuple[str, ...], list[str]] = {}  # by all that is said of them
    for name, own in zip(names, grades, strict=True):
        tests.setdefault(tuple(dict.fromkeys(_of_test(own))), []).append(name)
    told = [(said, _line(said, named)) for all_said, named in tests.items() for said in all_said]
    told.sort(key=lambda one: one[0].startswith(PASSED))
    made_up = [line for said, line in told if said.startswith(MADE_UP)]
    others = [line for said, line in told if not said.startswith(MADE_UP)]
    lines = [*_first(made_up, most), *_first(others, most // 2)]
    lines += [*_of_vars(given), *_of_setup(names, grades), *_of_judge([*chain(*grades)])]
    return [visible(one_line(line)) for line in lines]


def _line(said: str, names: Iterable[str]) -> str:
    """What is said of a test, or of several at once."""
    first, *more = names
    return f"{first}{f' and {len(more):,} more' if more else ''}: {said}"


def _first(lines: list[str], most: int) -> list[str]:
    left = len(lines) - most + 1
    cut = [*lines[: most - 1], f"… and {left:,} more; run `promptfoo view` for all"]
    return lines if len(lines) <= most else cut


def _of_vars(given: Any) -> list[str]:
    """Which contexts promptfoo took apart: it does so with each list, unless a test forbids it."""
    apart: dict[str, None] = {}
    for suite in (_at(one, "suite") for one in given):
        default = _at(suite, "defaultTest")
        for test in (*mappings_in(_at(suite, "tests")), default):
            options, values = (
                {**as_mapping(_at(default, name)), **as_mapping(_at(test, name))}
                for name in OF_TEST
            )
            for name in NAMES_INSIDE["context"]:
                is_apart = isinstance(values.get(name), list) and len(values[name]) > 1
                if is_apart and not options.get("disableVarExpansion"):
                    apart[name] = None
    return [EXPANDED.format(name) for name in apart]


def _of_setup(names: list[str], grades: list[list[Mapping[str, Any]]]) -> list[str]:
    """Each warning about an assertion itself, once, with its tests if it is not of all; that of a
    prompt that was cut in one line.
    """
    told: dict[str, list[str]] = {}
    cut: list[str] = []
    for name, own in zip(names, grades, strict=True):
        warnings = dict.fromkeys(one for grade in own for one in _warnings(grade))
        cut += [f"{SETUP}{one}" for one in warnings if PROMPT_CUT in one]
        for one in warnings:
            if one.startswith(SETUP):
                told.setdefault(clip(one, MAX_CHARS), []).append(name)
    lines = [one if len(named) == len(names) else _line(one, named) for one, named in told.items()]
    return [*cut[:1], *lines][:MOST_OF_SETUP]


def _of_judge(grades: list[Mapping[str, Any]]) -> Iterator[str]:
    """A line on a judge that failed too many controls, or on an eval without controls."""
    counts: Counter[str] = Counter()
    for grade in grades:
        counts.update(controls_in(grade.get("metadata")))
    if is_unreliable(counts):
        yield controls_in_words(counts)
    untested = sum(bool(_at(grade, "metadata", "untested")) for grade in grades)
    if untested and not counts["asked"]:
        cases = sum("graderError" in as_mapping(grade.get("metadata")) for grade in grades)
        yield untested_in_words(untested, cases)


def _of_test(grades: list[Mapping[str, Any]]) -> Iterator[str]:
    """What is said of each statement that was made up, or of an assertion that says no more."""
    for grade in grades:
        metadata, assertion = grade.get("metadata"), grade.get("assertion")
        negated = str(_at(assertion, "type")).startswith("not-")
        reason = str(grade.get("reason"))
        if negated and (raised := _NOT_GRADED.search(reason)):  # else promptfoo would invert it
            yield clip(raised[0], MAX_CHARS)
            continue
        if not isinstance(metadata, Mapping) or "graderError" not in metadata:
            continue  # not one of ours
        if metadata["graderError"] or not metadata.get("defined"):
            yield clip(reason, MAX_CHARS)  # which begins with "Not graded"
            continue
        passes = grade.get("pass")
        if _at(assertion, "weight") == 0:  # always true then
            passes = metadata.get("passed") is not negated
        listed = _at(metadata, "graderOutputs", "statements")
        lines = listed.split("\n") if isinstance(listed, str) else []
        lines = [f"{MADE_UP * line.startswith(('“', '…'))}{line}" for line in lines]
        if passes:
            told = [line for line in lines if line.startswith(MADE_UP) and not negated]
            told += [one for one in _warnings(grade) if one.startswith(CHECKS)]
            yield from (f"{PASSED}{clip(one, MAX_CHARS)}" for one in told)
        elif negated:
            is_graded = metadata.get("status") == "graded"
            yield FAITHFUL if is_graded else UNCHECKED.format(metadata.get("status"))
        else:
            yield from (clip(line, MAX_CHARS) for line in lines or [f"failed: {reason}"])


def _sides(results: list[Any]) -> list[str]:
    """The provider and the prompt of each result, where an eval has several of them."""
    providers = [_at(result, "provider") for result in results]
    columns = [
        [str(_at(one, "label") or _at(one, "id") or "") for one in providers],
        [str(_at(result, "prompt", "label") or "") for result in results],
    ]
    told = [column for column in columns if len(set(column)) > 1]
    sides = (", ".join(clip(side, 60) for side in row if side) for row in zip(*told, strict=True))
    return [f" ({side})" if side else "" for side in sides] or [""] * len(results)


def _name(result: Any) -> str:
    """What a reader knows a test by."""
    described = _at(result, "testCase", "description")
    query = _at(result, "vars", "query") or _at(result, "vars", "question")
    place = _at(result, "testIdx")
    return str(described or query or f"test {place + 1 if isinstance(place, int) else '?'}")


def _warnings(grade: Any) -> list[str]:
    found = _at(grade, "metadata", "warnings")
    return list(map(str, found)) if isinstance(found, list) else []


def _at(value: Any, *names: str) -> Any:
    """What is inside of mappings; None if there is nothing."""
    for name in names:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value
