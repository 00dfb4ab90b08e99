"""Where a first judge agrees with a second one, from two runs over the same cases: a certificate.

The second judge counts as right: nobody labels anything. The cases are split in two by their ids.
On the one half, rules are chosen that accept more and more of the first judge's results: each has a
least certainty for results that pass, and one for those that fail. On the other half, rules are
tested in that order, from the most promising one on, each by the exact binomial test that accepted
cases agree as often as promised, until one fails (fixed-sequence testing, as in Angelopoulos et al.
2021, "Learn then test"). So all tests together err with the chance of one, and what was chosen well
by luck on the first half is found out on the second. 59 accepted cases without a difference are
enough for 95 %.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from hashlib import sha256
from itertools import accumulate, product
from math import ceil, log
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..judges.certificate import LEVEL, OUTCOMES, Certificate, certainty, is_sound, outcome_of
from ..policy.as_json import without_controls
from ..records.errors import ConfigError
from ..text.strings import text_key
from .comparison import lines_of
from .paired_tests import at_most
from .run_directory import RunDirectory

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from os import PathLike

AGREE = 0.95
RULES = 20
"""So many rules are tried, from one that accepts few cases to one that accepts all."""
LIMITS = 24
"""Of the certainty, tried for each outcome."""


class Judged(NamedTuple):
    """What the first judge said of a case, beside the second one.

    Args:
        outcome: which of ``OUTCOMES`` the first result is.
        certainty: of the first judge; None where its result never stands.
        agrees: whether the second judge said the same of each statement and of the case.
    """

    outcome: str
    certainty: float | None
    agrees: bool


class Rule(NamedTuple):
    """Which results of the first judge are accepted, and what came of it on the second half.

    Args:
        limits: as ``Certificate`` has them.
        accepted: how many cases.
        differing: in how many of them the second judge differs.
        chance: of so few, where the judges agree less often than promised.
    """

    limits: Mapping[str, float]
    accepted: int
    differing: int
    chance: float


@dataclass(frozen=True, slots=True)
class Certified:
    """What two runs show of two judges.

    Args:
        certificate: None if they do not show that the first judge is enough anywhere.
        curve: all rules, from one that accepts few cases to one that accepts all.
        cases: how many cases they were tested on.
        left_out: how many cases are not in both runs, could not be graded by the second judge, or
            have other texts.
    """

    certificate: Certificate | None
    curve: tuple[Rule, ...]
    cases: int
    left_out: int


def certify(
    first: str | PathLike[str], second: str | PathLike[str], agree: float = AGREE
) -> Certified:
    """Where the judge of the first run agrees with that of the second one.

    Args:
        first, second: the directories of runs over the same cases, under the same policy.
        agree: the share of accepted cases, over 0 and under 1, in which both must agree.

    Raises:
        ConfigError: ``agree`` is out of range, a directory has no run, the runs have another policy
            or other prompts, or have no case in common.
    """
    if not 0 < agree < 1:
        raise ConfigError(f"agree: must be a share over 0 and under 1, got {agree!r}")
    told = [_about(path) for path in (first, second)]
    for name in ("policy", "prompts"):
        if told[0][name] != told[1][name]:
            raise ConfigError(f"{second}: the runs were graded with other {name}; grade both alike")
    halves, left_out = _halves(first, second)
    if not halves[0] or not halves[1]:
        raise ConfigError("certify: fewer than two cases were graded in both runs with one text")
    curve, rule = best_rule(Counted(halves[0]), Counted(halves[1]), agree)
    certificate = rule and Certificate(
        judges=(told[0]["judge"], told[1]["judge"]),
        policy=told[0]["policy"],
        prompts=told[0]["prompts"],
        agree=agree,
        limits=rule.limits,
        cases=len(halves[1]),
        accepted=rule.accepted,
        differing=rule.differing,
    )
    return Certified(certificate, curve, len(halves[1]), left_out)


def needed(differing: int, agree: float) -> int:
    """How many accepted cases are enough, so many of which differ."""
    cases = ceil(log(1 - LEVEL) / log(agree))
    while at_most(differing, cases, 1 - agree) > 1 - LEVEL:
        cases += 1
    return cases


# ---------------------------------------------------------------- rules


class Counted:
    """Cases, of which it is quickly known how many limits accept, and how many of them differ."""

    def __init__(self, cases: Sequence[Judged]) -> None:
        self.cases = len(cases)
        self._known = {o: sorted(_of_outcome(cases, o)) for o in OUTCOMES}
        # How many differ of those that are as certain as the n-th one, or more.
        self._differing = {
            o: list(accumulate((not agrees for _, agrees in reversed(known)), initial=0))[::-1]
            for o, known in self._known.items()
        }

    def accepted(self, limits: Mapping[str, float]) -> tuple[int, int]:
        """How many cases these limits accept, and in how many of them the judges differ."""
        counts = [(0, 0)]
        for outcome, limit in limits.items():
            known = self._known[outcome]
            place = bisect_left(known, (limit, False))
            counts.append((len(known) - place, self._differing[outcome][place]))
        cases, differing = map(sum, zip(*counts, strict=True))
        return cases, differing

    def some_limits(self, outcome: str) -> list[float | None]:
        """Certainties to try as a limit, and None: no case with this outcome is accepted."""
        known = [certainty for certainty, _ in self._known[outcome]]
        places = (round(n * (len(known) - 1) / (LIMITS - 1)) for n in range(LIMITS))
        return [None, *sorted({known[place] for place in places} if known else (), reverse=True)]


def _of_outcome(cases: Sequence[Judged], outcome: str) -> Iterator[tuple[float, bool]]:
    for case in cases:
        if case.outcome == outcome and case.certainty is not None:
            yield case.certainty, case.agrees


def _chosen(counted: Counted) -> Iterator[Mapping[str, float]]:
    """For more and more of these cases, the limits that accept so many and differ least."""
    tried = []
    for pair in product(*map(counted.some_limits, OUTCOMES)):
        limits = {o: limit for o, limit in zip(OUTCOMES, pair, strict=True) if limit is not None}
        tried.append((*counted.accepted(limits), limits))
    before: Mapping[str, float] = {}
    for step in range(1, RULES + 1):
        enough = [one for one in tried if one[0] >= max(1, step / RULES * counted.cases)]
        if not enough:
            return
        _, _, limits = min(enough, key=lambda one: (one[1] / one[0], -one[0]))
        if limits != before:
            yield limits
        before = limits


def best_rule(
    first: Counted, second: Counted, agree: float
) -> tuple[tuple[Rule, ...], Rule | None]:
    """All rules as the second half shows them, and the one that accepts most of those that hold.

    The tests begin with the rule for which the first half speaks most, and go on to those that
    accept more, until one fails: which ones are tested has nothing to do with what they find.
    """
    rules = tuple(_chosen(first))
    before = [_tested(limits, first, agree).chance for limits in rules]
    curve = tuple(_tested(limits, second, agree) for limits in rules)
    held = None
    for rule in curve[before.index(min(before)) :] if rules else ():
        if rule.chance > 1 - LEVEL:
            break
        held = rule
    return curve, held


def _tested(limits: Mapping[str, float], counted: Counted, agree: float) -> Rule:
    """What comes of a rule on these cases."""
    accepted, differing = counted.accepted(limits)
    chance = at_most(differing, accepted, 1 - agree) if accepted else 1.0
    return Rule(limits, accepted, differing, chance)


# ---------------------------------------------------------------- runs


class _Said(NamedTuple):
    """What is kept of a result."""

    fingerprint: str
    outcome: str
    certainty: float | None
    statements: int  # a hash of their texts
    fine: tuple[bool, ...]


def _halves(
    first: str | PathLike[str], second: str | PathLike[str]
) -> tuple[tuple[list[Judged], list[Judged]], int]:
    """The cases of both runs, in two halves, and how many are left out."""
    old = dict(_said(first))
    halves: tuple[list[Judged], list[Judged]] = ([], [])
    for id, new in _said(second):
        then = old.get(id)
        if then is None or then.fingerprint != new.fingerprint or new.outcome not in OUTCOMES:
            continue
        del old[id]
        if then.statements or new.statements:  # else nobody was asked
            judged = Judged(then.outcome, then.certainty, _agree(then, new))
            halves[sha256(id.encode()).digest()[0] % 2].append(judged)
    return halves, len(old)


def _agree(one: _Said, other: _Said) -> bool:
    """Whether both say the same of the case, and of each statement if they are the same ones."""
    same = one.statements == other.statements
    return one.outcome == other.outcome and (not same or one.fine == other.fine)


def _said(run: str | PathLike[str]) -> Iterator[tuple[str, _Said]]:
    for line in lines_of(run)():
        result = line.result
        sure = certainty(result) if result.error is None and is_sound(result) else None
        outcome = "error" if result.error else outcome_of(result)
        keys = tuple(text_key(verdict.statement) for verdict in result.verdicts)
        fine = tuple(verdict.is_fine for verdict in result.verdicts)
        yield line.case_id, _Said(line.input, outcome, sure, hash(keys) if keys else 0, fine)


def _about(path: str | PathLike[str]) -> dict[str, Any]:
    """The judge, policy and prompts of a run, as a certificate has them."""
    about = RunDirectory(path).about() if Path(path).is_dir() else None
    judge, policy = (about or {}).get("judge"), (about or {}).get("policy")
    if about is None or not isinstance(judge, dict) or not isinstance(policy, dict):
        raise ConfigError(f"{path}: must be the directory of a run, which says how it was graded")
    told = {name: value for name, value in judge.items() if name != "base_url"}
    return {"judge": told, "policy": without_controls(policy), "prompts": about.get("prompts")}
