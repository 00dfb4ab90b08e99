"""Asks a judge about the probes, as a real grade does, and counts what it says."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Any

from .. import options as table
from ..batch.estimate import estimate_run
from ..batch.rows import Row
from ..grading import Grader
from ..judges.remote.settings import check_number
from ..records.errors import ConfigError
from ..records.usage import Usage
from ..text.strings import clip, one_line
from .card import Card, KindCard
from .scenes import FALSE_KINDS, KINDS, make_probes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..batch.estimate import Estimate
    from ..records.judge import Judge
    from ..records.result import GradingResult
    from .scenes import Probe

PER_KIND = 33
"""Finds a kind on which a judge is wrong half of the time with 99 % (30 % of the time from 100)."""
REPEATED = 30
MAX_PER_KIND = 1000
DRAW = 20261124
WORDING = {"controls", "guidance", "examples", "max_prompt_tokens", "max_statements"}
"""What may change how statements are asked. Other fields of a policy change what is asked."""


def probe(
    judge: str | Judge | None = None,
    *,
    per_kind: int = PER_KIND,
    draw: int = DRAW,
    held_out: bool = False,
    concurrency: int = 8,
    **options: Any,
) -> Card:
    """The card of a judge's blind spots. Statements are asked as in a real grade, 16 to an ask.

    Thirty asks, or all if there are fewer, are made again with the statements in reverse order.

    Args:
        judge, options: as for ``Grader``, under the policy ``default``; of the fields of a policy
            only those that word an ask.
        per_kind: statements of each of the 18 kinds, 1 to 1000.
        draw: which names, dates and numbers the probes have; the same draw asks the same.
        held_out: ask about the scenes that are kept apart for checking a tuned prompt.
        concurrency: how many asks are under way at once, 1 to 1000.

    Raises:
        ConfigError: as for ``Grader``, a number is out of range, or an option changes what is
            asked.
    """
    probes = _probes(per_kind, draw, options, held_out=held_out)
    grader = Grader(judge, "default", **options)
    cases = [p.case() for p in probes] + [p.case(reverse=True) for p in probes[:REPEATED]]
    results = list(grader.grade_many(cases, concurrency=concurrency))
    labels = [_labels(result) for result in results]
    compared, changed = _compared(probes, labels[: len(probes)], labels[len(probes) :])
    controls, failures = Counter[str](), Counter[str]()
    usage = Usage()
    for result in results:
        controls.update(result.metadata.get("controls") or {})
        usage += result.tokens_used
        if result.error is not None:
            failures[clip(one_line(f"{result.error.kind}: {result.error.message}"))] += 1
    costs = [result.cost for result in results if result.cost is not None]
    return Card(
        judge=grader.judge_name,
        kinds=_kinds(probes, labels),
        compared=compared,
        changed=changed,
        controls=controls,
        failures=failures,
        usage=usage,
        cost=math.fsum(costs) if costs else None,
        settings={"per_kind": per_kind, "draw": draw, "held_out": held_out},
    )


def probe_estimate(
    judge: str | Judge | None = None,
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
    probes = _probes(per_kind, draw, options, held_out=held_out)
    cases = [p.case() for p in probes] + [p.case(reverse=True) for p in probes[:REPEATED]]
    rows = (
        Row(n, str(n), {"answer": case.answer, "context": [p.text for p in case.context]})
        for n, case in enumerate(cases, 1)
    )
    return estimate_run(rows, judge=judge, policy="default", **options)


def _probes(per_kind: int, draw: int, options: Iterable[str], *, held_out: bool) -> list[Probe]:
    check_number("per_kind", per_kind, 1, MAX_PER_KIND, whole=True)
    check_number("draw", draw, 0, 2**63, whole=True)
    named = table.names_taken_by("policy")
    changing = {*named, "policy", "threshold", "policy_options"} - WORDING
    for name in options:
        if name in changing:
            problem = "changes what is asked, or only how it is scored"
            raise ConfigError(f"{name}: {problem}; leave it out of a probe")
    return make_probes(per_kind, draw, held_out=held_out)


def _labels(result: GradingResult) -> dict[str, str | None]:
    """The label of each statement, None without a verdict. A grader error has no verdicts."""
    if result.error is not None:
        return {}
    return {verdict.statement: verdict.label for verdict in result.verdicts}


def _kinds(probes: Sequence[Probe], labels: Sequence[dict[str, str | None]]) -> dict[str, KindCard]:
    """What was said, by kind. ``labels``: those of each probe, in their order; more are ignored."""
    asked, wrong, unanswered = Counter[str](), Counter[str](), Counter[str]()
    for one, said in zip(probes, labels, strict=False):
        for kind, text in one.statements:
            label = said.get(text)
            if label is None:
                unanswered[kind] += 1
                continue
            asked[kind] += 1
            granted = label in ("supported", "not_a_claim")
            wrong[kind] += granted if kind in FALSE_KINDS else label != "supported"
    return {kind: KindCard(asked[kind], wrong[kind], unanswered[kind]) for kind in KINDS}


def _compared(
    probes: Sequence[Probe],
    first: Sequence[dict[str, str | None]],
    second: Sequence[dict[str, str | None]],
) -> tuple[int, int]:
    """How many statements have a verdict in both asks, and how many another label."""
    pairs = [
        (one[text], other[text])
        for probe, one, other in zip(probes, first, second, strict=False)
        for _, text in probe.statements
        if one.get(text) is not None and other.get(text) is not None
    ]
    return len(pairs), sum(one != other for one, other in pairs)
