"""What an eval says at its end: per test what was made up, and what could not be graded.

promptfoo's terminal shows no reasons. Its hook ``afterAll`` gets all results, and passes on what is
written to standard error.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from ..cases.systems import NAMES_INSIDE
from ..policy.scoring import CHECK
from ..records.result_list import controls_in, controls_in_words, is_unreliable
from ..records.views import SETUP
from ..text.strings import clip, lazy_pattern, one_line, visible

IN_CI, ELSEWHERE = 20, 200
"""The most lines."""
MOST_OF_SETUP = 5
MAX_CHARS = 600
EXPANDED = (
    SETUP + "promptfoo made one test of each element of vars.{}, so that an answer was graded "
    "against one passage alone: give the test options: {{disableVarExpansion: true}}"
)
_NOT_GRADED = lazy_pattern(r"Not graded:[^\n]*")


def lines_of(given: Any) -> list[str]:
    """The lines for a hook's arguments, one of which is its context."""
    most = IN_CI if os.environ.get("CI") else ELSEWHERE
    results: list[Any] = next((one["results"] for one in given if _has_results(one)), [])
    # The same case may be tested by several assertions and providers.
    lines = list(dict.fromkeys(line for result in results for line in _of_test(result)))
    grades = [g for r in results for g in _items(r, "gradingResult", "componentResults")]
    if len(lines) > most:
        left = len(lines) - most + 1
        lines[most - 1 :] = [f"… and {left:,} more; run `promptfoo view` for all"]
    lines += [*_of_vars(given), *_of_setup(grades), *_of_judge(grades)]
    return [visible(one_line(line)) for line in lines]


def _of_vars(given: Any) -> list[str]:
    """Which contexts promptfoo took apart: it does so with each list, unless a test forbids it."""
    suites = [one.get("suite") for one in given if isinstance(one, Mapping)]
    apart: dict[str, None] = {}
    for suite in suites:
        default = suite.get("defaultTest") if isinstance(suite, Mapping) else None
        for test in (*_items(suite, "tests"), default):
            options, values = (
                {**_mapping(default, name), **_mapping(test, name)} for name in ("options", "vars")
            )
            for name in NAMES_INSIDE["context"]:
                value = values.get(name)
                if isinstance(value, list) and len(value) > 1:
                    apart |= {} if options.get("disableVarExpansion") else {name: None}
    return [EXPANDED.format(name) for name in apart]


def _mapping(value: Any, name: str) -> Mapping[str, Any]:
    inner = value.get(name) if isinstance(value, Mapping) else None
    return inner if isinstance(inner, Mapping) else {}


def _of_setup(grades: list[dict[str, Any]]) -> list[str]:
    """Each warning about an assertion itself, once."""
    warnings = [str(one) for grade in grades for one in _list(grade, "metadata", "warnings")]
    told = dict.fromkeys(one for one in warnings if one.startswith(SETUP))
    return [clip(one, MAX_CHARS) for one in told][:MOST_OF_SETUP]


def _of_judge(grades: list[dict[str, Any]]) -> Iterator[str]:
    """A line about a judge that failed so many controls that its scores mean little."""
    counts: Counter[str] = Counter()
    for grade in grades:
        counts.update(controls_in(grade.get("metadata")))
    if is_unreliable(counts):
        yield controls_in_words(counts)


def _has_results(given: Any) -> bool:
    return isinstance(given, Mapping) and isinstance(given.get("results"), list)


def _of_test(result: Any) -> Iterator[str]:
    """A line for each statement that was made up, or for each assertion that says no more."""
    name = clip(_name(result), 80)
    for grade in _items(result, "gradingResult", "componentResults"):
        metadata, assertion = grade.get("metadata"), grade.get("assertion")
        negated = isinstance(assertion, Mapping) and str(assertion.get("type")).startswith("not-")
        reason = str(grade.get("reason"))
        if negated and (raised := _NOT_GRADED.search(reason)):  # else promptfoo would invert it
            yield f"{name}: {clip(raised[0], MAX_CHARS)}"
            continue
        if not isinstance(metadata, Mapping) or "graderError" not in metadata:
            continue  # not one of ours
        if metadata["graderError"] or not metadata.get("defined"):
            yield f"{name}: {clip(reason, MAX_CHARS)}"  # which begins with "Not graded"
            continue
        passes = grade.get("pass")
        if isinstance(assertion, Mapping) and assertion.get("weight") == 0:  # always true then
            passes = metadata.get("passed") is not negated
        if passes:
            warnings = metadata.get("warnings")
            for warning in warnings if isinstance(warnings, list) else ():
                if str(warning).startswith(CHECK):
                    yield f"{name}: passed; {clip(str(warning), MAX_CHARS)}"
            continue
        if negated:
            yield f"{name}: the answer is faithful, but a not- assertion wants a made-up one"
            continue
        outputs = metadata.get("graderOutputs")
        lines = outputs.get("statements") if isinstance(outputs, Mapping) else None
        for line in lines.split("\n") if isinstance(lines, str) else ():
            yield f"{name}: made up: {clip(line, MAX_CHARS)}"
        if not lines:
            yield f"{name}: failed: {clip(reason, MAX_CHARS)}"


def _name(result: Any) -> str:
    """What a reader knows a test by."""
    if not isinstance(result, Mapping):
        return "?"
    test = result.get("testCase")
    described = test.get("description") if isinstance(test, Mapping) else None
    asked = result.get("vars")
    query = asked.get("query") or asked.get("question") if isinstance(asked, Mapping) else None
    place = result.get("testIdx")
    number = place + 1 if isinstance(place, int) else "?"
    return str(described or query or f"test {number}")


def _items(value: Any, *names: str) -> list[dict[str, Any]]:
    """The mappings in a list inside of mappings."""
    return [one for one in _list(value, *names) if isinstance(one, dict)]


def _list(value: Any, *names: str) -> list[Any]:
    for name in names:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value if isinstance(value, list) else []
