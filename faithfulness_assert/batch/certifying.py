"""Where a first judge agrees with a second one, from two runs over the same cases: a certificate.

The second judge counts as right: nobody labels anything. The cases are split in two by their ids:
one half is for making the rules, the other for testing them (``cascade_rules``).
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

from ..cases.systems import CASE_ALIASES
from ..judges.certificate import (
    OUTCOMES,
    Certificate,
    Rule,
    certainty,
    differing,
    is_sound,
    outcome_of,
    was_judged,
)
from ..policy.as_json import without_controls
from ..records.errors import ConfigError
from ..text.strings import text_key
from .cascade_rules import Counted, Judged, best_rule, chance, least_agreement, needed
from .finished_runs import described_run, lines_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from os import PathLike

    from .rows import Line

AGREE = 0.95
CONTEXT_NAMES = {"context", *CASE_ALIASES["context"]}


@dataclass(frozen=True, slots=True)
class Certified:
    """What two runs show of two judges.

    Args:
        judges: the names of both.
        agree: the share of accepted cases in which they must agree.
        certificate: None if the runs do not show that the first judge is enough anywhere.
        curve: all rules, from one that accepts few cases to one that accepts all.
        cases: how many cases they were tested on.
        contexts: how many different contexts these have. The test takes cases that share one for
            trials of their own, so what it shows is for answers over these contexts.
        left_out: how many cases are not in both runs, could not be graded by the second judge,
            have other texts, or repeat a case.
    """

    judges: tuple[str, str]
    agree: float
    certificate: Certificate | None
    curve: tuple[Rule, ...]
    cases: int
    contexts: int
    left_out: int

    @property
    def verdict(self) -> str:
        """What the certificate promises and saves, or what is lacking for one."""
        if self.certificate is None:
            return _lacking(self.curve, self.agree)
        saved = self.certificate.accepted / self.cases
        return f"{self.certificate.promise}; it saves {saved:.0%} of the calls"


def certify(
    first: str | PathLike[str], second: str | PathLike[str], agree: float = AGREE
) -> Certified:
    """Where the judge of the first run agrees with that of the second one.

    Args:
        first, second: the directories of runs over the same cases, under the same policy. Only
            the first one may have more ``samples`` than one.
        agree: the share of accepted cases, over 0 and under 1, in which both must agree.

    Raises:
        ConfigError: ``agree`` is out of range, a directory has no run, the runs have another policy
            other prompts or options, or have no case in common.
    """
    if not 0 < agree < 1:
        raise ConfigError(f"agree: must be a share over 0 and under 1, got {agree!r}")
    told = [_about(path) for path in (first, second)]
    once = [{**one, "policy": {**one["policy"], "samples": 1}} for one in told]
    for name in ("policy", "prompts", "options"):
        then, now = (one[name] for one in once)
        if then != now:
            other = f"{name} ({differing(then, now)})" if name != "prompts" else name
            raise ConfigError(f"{second}: was graded with other {other}; grade both alike")
    if (samples := told[1]["policy"].get("samples", 1)) != 1:
        problem = f"graded with samples={samples}, and the second judge of a cascade is asked once"
        raise ConfigError(f"{second}: was {problem}; grade it with samples=1")
    halves, contexts, left_out = _halves(first, second)
    if not halves[0] or not halves[1]:
        raise ConfigError("certify: fewer than two cases were graded in both runs with one text")
    rules, rule = best_rule(Counted(halves[0]), Counted(halves[1]), agree)
    curve = tuple(one._replace(least=least_agreement(one)) for one in rules)
    certificate = rule and Certificate(
        judges=(told[0]["judge"], told[1]["judge"]),
        policy=told[0]["policy"],
        prompts=told[0]["prompts"],
        options=told[0]["options"],
        agree=agree,
        limits=rule.limits,
        cases=len(halves[1]),
        accepted=rule.accepted,
        differing=rule.differing,
        curve=curve,
    )
    judges = (str(told[0]["judge"].get("name")), str(told[1]["judge"].get("name")))
    return Certified(judges, agree, certificate, curve, len(halves[1]), contexts, left_out)


def _lacking(curve: Sequence[Rule], agree: float) -> str:
    best = min(curve, key=lambda rule: chance(rule, agree), default=None)
    if best is None or not best.accepted:
        return "No certificate: the first judge is sure of no case; give more cases"
    said = f"the best rule accepts {best.accepted:,} cases, of which {best.differing:,} differ"
    if best.agreement is not None and best.agreement <= agree:
        fix = f"More cases do not help where the judges agree in no more than {agree:.1%}"
        return f"No certificate: {said}. {fix}: take another first judge, or lower --agree"
    wanted = f"{needed(best.differing, agree):,} would be enough for {agree:.1%}"
    return f"No certificate: {said}; {wanted}. Grade more cases with both, or lower --agree"


# ---------------------------------------------------------------- runs


class _Said(NamedTuple):
    """What is kept of a result."""

    fingerprint: str
    content: int  # a hash of all that is graded; cases that repeat each other have the same
    context: int
    outcome: str
    certainty: float | None
    judged: bool  # whether it is a judge's, and not what any of them would get
    statements: int  # a hash of their texts
    fine: tuple[bool, ...]


def _halves(
    first: str | PathLike[str], second: str | PathLike[str]
) -> tuple[tuple[list[Judged], list[Judged]], int, int]:
    """The cases of both runs in two halves, the contexts of the second, and how many are left out.

    Of cases that repeat each other one counts: more of them show no more, and the test takes each
    case as drawn anew.
    """
    old, seen, contexts = dict(_said(first)), set[int](), set[int]()
    halves: tuple[list[Judged], list[Judged]] = ([], [])
    for id, new in _said(second):
        then = old.get(id)
        if then is None or then.fingerprint != new.fingerprint or new.outcome not in OUTCOMES:
            continue
        if new.content in seen:
            continue
        seen.add(new.content)
        del old[id]
        if then.judged or new.judged:
            judged = Judged(then.outcome, then.certainty, _agree(then, new))
            half = sha256(id.encode()).digest()[0] % 2
            halves[half].append(judged)
            if half:
                contexts.add(new.context)
    return halves, len(contexts), len(old)


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
        content, context = _contents(line)
        judged, statements = was_judged(result), hash(keys)
        said = _Said(line.input, content, context, outcome, sure, judged, statements, fine)
        yield line.case_id, said


def _contents(line: Line) -> tuple[int, int]:
    """A hash of all that is graded in a case, and one of its context, if that is told apart."""
    told = {name: str(digest) for name, digest in line.fields.items() if name != "id"}
    context = {name: digest for name, digest in told.items() if name in CONTEXT_NAMES} or told
    own, shared = (hash(tuple(sorted(one.items())) or line.case_id) for one in (told, context))
    return own, shared


def _about(path: str | PathLike[str]) -> dict[str, Any]:
    """The judge, policy, prompts and options of a run, as a certificate has them."""
    _, about = described_run(path)
    judge = {name: value for name, value in about["judge"].items() if name != "base_url"}
    if "members" in judge:
        problem = f"{judge.get('name')} graded it, and a cascade asks single judges"
        raise ConfigError(f"{path}: {problem}; give a run of each")
    policy, options = without_controls(about["policy"]), about.get("options")
    if not options:
        problem = "an earlier version graded it, and did not say in which language"
        raise ConfigError(f"{path}: {problem}; grade it anew")
    return {
        "judge": judge,
        "policy": policy,
        "prompts": about.get("prompts"),
        "options": options,
    }
