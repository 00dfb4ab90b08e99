"""Asks a judge about the probes, as a real grade does, and counts what it says."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from os import fspath
from pathlib import Path
from typing import Any

from .. import options as table
from ..batch.estimate import Estimate, estimate_run
from ..cases.case import Case
from ..grading import Grader
from ..records.checks import check_number
from ..records.errors import ConfigError
from ..records.judge import Judge
from ..records.result import GradingResult
from ..records.usage import Usage
from ..settings import SETTING
from ..text.strings import clip, one_line
from .card import Card, KindCard, Repeat
from .scenes import FALSE_KINDS, KINDS, Probe, in_the_middle, make_probes

Labels = Mapping[str, str | None]
"""The label of each statement, None without a verdict. A grader error has no verdicts."""

PER_KIND = 33
"""Finds a kind on which a judge is wrong half of the time with 99 % (30 % of the time from 100)."""
REPEATED = 30
MAX_PER_KIND = 1000
DRAW = 20261124
AGAIN = "again"
"""The folder in a store where the replies to repeated asks are, as the first ones answer them."""
WORDING = {"controls", "guidance", "examples", "max_prompt_tokens", "max_statements"}
"""What may change how statements are asked. Other fields of a policy change what is asked."""


def probe(
    judge: str | Judge = SETTING,
    *,
    per_kind: int = PER_KIND,
    draw: int = DRAW,
    held_out: bool = False,
    concurrency: int = 8,
    **options: Any,
) -> Card:
    """The card of a judge's blind spots. Statements are asked as in a real grade, 16 to an ask.

    Thirty asks, or all if there are fewer, are made again three times: in the same words, with the
    statements in reverse order, and with the context in the middle of a long one. A ``cache``
    answers none of these from the first asks.

    Args:
        judge, options: as for ``Grader``, under the policy ``default``; of the fields of a policy
            only those that word an ask.
        per_kind: statements of each of the 20 kinds, 1 to 1000. Up to 60 (20 with ``held_out``)
            are each of another scene.
        draw: which scenes, names, dates and numbers the probes have; the same draw asks the same.
        held_out: ask about the scenes that are kept apart for checking a tuned prompt.
        concurrency: how many asks are under way at once, 1 to 1000.

    Raises:
        ConfigError: as for ``Grader``, a number is out of range, or an option changes what is
            asked.
    """
    probes, cases = _asked(per_kind, draw, options, held_out=held_out)
    grader = Grader(judge, "default", **options)
    again, folder = grader, options.get("cache")
    if folder is not None:  # what is asked in the same words must not be answered by the first
        past_the_store = {**options, "cache": Path(fspath(folder)) / AGAIN}
        again = Grader(judge, "default", **past_the_store).ask_as(grader)
    first = len(probes)
    results = list(grader.grade_many(cases[:first], concurrency=concurrency))
    results += again.grade_many(cases[first:], concurrency=concurrency)
    settings = {"per_kind": per_kind, "draw": draw, "held_out": held_out}
    return _card(probes, grader.judge_name, results, settings)


def _card(
    probes: Sequence[Probe],
    judge: str,
    results: Sequence[GradingResult],
    settings: Mapping[str, Any],
) -> Card:
    """The card from the results of the probes, and of the first ones asked again and again."""
    labels = [{v.statement: v.label for v in r.verdicts if r.error is None} for r in results]
    errors = (result.error for result in results if result.error)
    failures = Counter(clip(one_line(f"{error.kind}: {error.message}")) for error in errors)
    repeated = probes[:REPEATED]
    again, backwards, middle = (
        _repeat(repeated, labels, labels[start:])
        for start in range(len(probes), len(labels), len(repeated))
    )
    costs = [result.cost for result in results if result.cost is not None]
    return Card(
        judge=judge,
        kinds={kind: _kind(kind, probes, labels) for kind in KINDS},
        again=again,
        reversed=backwards,
        middle=middle,
        failures=failures,
        usage=sum((result.tokens_used for result in results), Usage()),
        cost=math.fsum(costs) if costs else None,
        settings=settings,
    )


def probe_estimate(
    judge: str | Judge = SETTING,
    *,
    per_kind: int = PER_KIND,
    draw: int = DRAW,
    held_out: bool = False,
    **options: Any,
) -> Estimate:
    """What ``probe`` with these arguments will use. Nothing is sent, and no key is needed.

    Raises:
        ConfigError: as ``probe``.
    """
    _, cases = _asked(per_kind, draw, options, held_out=held_out)
    return estimate_run(cases, judge=judge, policy="default", **options)


def _asked(
    per_kind: int, draw: int, options: Iterable[str], *, held_out: bool
) -> tuple[list[Probe], list[Case]]:
    """The probes, and all that is asked, in this order: these, and the first ones thrice again."""
    check_number("per_kind", per_kind, 1, MAX_PER_KIND, whole=True)
    check_number("draw", draw, 0, 2**63, whole=True)
    named = table.names_taken_by("policy")
    changing = {*named, "policy", "threshold", "policy_options"} - WORDING
    for name in options:
        if name in changing:
            problem = "changes what is asked, or only how it is scored"
            raise ConfigError(f"{name}: {problem}; leave it out of a probe")
    probes = make_probes(per_kind, draw, held_out=held_out)
    again = probes[:REPEATED]
    backwards = [one.case(reverse=True) for one in again]
    middle = [in_the_middle(one, draw, held_out=held_out).case() for one in again]
    return probes, [*(one.case() for one in (*probes, *again)), *backwards, *middle]


def _kind(kind: str, probes: Sequence[Probe], labels: Sequence[Labels]) -> KindCard:
    """What was said of a kind of statement. ``labels``: of each probe, and more."""
    said = [
        answer.get(text)
        for one, answer in zip(probes, labels, strict=False)
        for its_kind, text in one.statements
        if its_kind == kind
    ]
    asked = [label for label in said if label is not None]
    granted = ("supported", "not_a_claim") if kind in FALSE_KINDS else ("supported",)
    wrong = sum((label in granted) is (kind in FALSE_KINDS) for label in asked)
    return KindCard(len(asked), wrong, len(said) - len(asked))


def _repeat(probes: Sequence[Probe], first: Sequence[Labels], second: Sequence[Labels]) -> Repeat:
    """How many statements have a verdict in both asks, and how many another label."""
    pairs = [
        (one[text], other[text])
        for probe, one, other in zip(probes, first, second, strict=False)
        for _, text in probe.statements
        if one.get(text) is not None and other.get(text) is not None
    ]
    return Repeat(len(pairs), sum(one != other for one, other in pairs))
