"""A certificate: in which cases the first judge of a cascade agrees with the second, and how often.

It is made from two runs over the same cases (``batch/certifying.py``), and holds for the judges,
the prompts and the policy of these runs. A case is accepted if the first judge is certain enough of
its outcome: passing and failing cases have a limit each.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any, NamedTuple

from ..files import read_text
from ..records.errors import ConfigError

if TYPE_CHECKING:
    from ..records.result import GradingResult

FORMAT = "faithfulness-assert certificate 1"
MAX_FILE_BYTES = 8 << 20
OUTCOMES = ("passes", "fails")
KEPT = ("agree", "limits", "cases", "accepted", "differing", "curve")
LEVEL = 0.95
"""The certainty that a certificate is right: of 100 such certificates, at most 5 are not."""


class Rule(NamedTuple):
    """Which results of the first judge are accepted, and what came of it in the tested cases.

    Args:
        limits: as ``Certificate`` has them.
        accepted: how many cases.
        differing: in how many of them the second judge differs.
        least: the share in which the judges agree at least, with the certainty ``LEVEL``.
    """

    limits: Mapping[str, float]
    accepted: int
    differing: int
    least: float = 0.0

    @property
    def agreement(self) -> float | None:
        """The share of the accepted cases in which the judges agree; None if there are none."""
        return 1 - self.differing / self.accepted if self.accepted else None


@dataclass(frozen=True, slots=True)
class Certificate:
    """What two runs have shown of two judges.

    Args:
        judges: the first and the second one, as their runs describe them.
        policy: of both runs, as they describe it.
        prompts: the fingerprint of all that judges are told.
        options: with which texts were read: ``language`` and ``evidence_roles``.
        agree: the share of accepted cases, from 0 to 1, in which both judges agree at least.
        limits: for each of ``OUTCOMES`` the certainty that is enough; none is enough where it has
            no entry.
        cases: how many cases it was tested on.
        accepted: how many of them the first judge would have answered alone.
        differing: in how many of these the second judge differs.
        curve: all rules that were tried, for those who look at it; older ones have none.
    """

    judges: tuple[Mapping[str, Any], Mapping[str, Any]]
    policy: Mapping[str, Any]
    prompts: str
    options: Mapping[str, Any]
    agree: float
    limits: Mapping[str, float]
    cases: int
    accepted: int
    differing: int
    curve: tuple[Rule, ...] = ()

    def accepts(self, result: GradingResult) -> bool:
        """Whether this result of the first judge stands.

        Where no judge was needed, as for a blank answer, the second one would say the same. What
        the first one could not grade or left open, or got a control wrong in, never stands.
        """
        if result.error is not None:
            return False
        if not was_judged(result):
            return True
        limit = self.limits.get(outcome_of(result))
        return limit is not None and is_sound(result) and certainty(result) >= limit

    @property
    def promise(self) -> str:
        """What it says, in words."""
        tested = f"{self.differing:,} of {self.accepted:,} tested ones differ"
        share = f"in at least {self.agree:.1%} of the cases that it answers".replace(".0%", "%")
        return f"the first judge agrees with the second {share} ({LEVEL:.0%} certain: {tested})"

    def to_json(self) -> dict[str, Any]:
        """As its file has it."""
        curve = [rule._asdict() for rule in self.curve]
        return {"format": FORMAT, **asdict(self), "curve": curve}

    def shown(self) -> dict[str, Any]:
        """As a run keeps it, which names the judges, the policy and the prompts itself."""
        told = self.to_json()
        return {name: told[name] for name in KEPT}


NAMES = [field.name for field in fields(Certificate) if field.name != "curve"]


def outcome_of(result: GradingResult) -> str:
    """Which of ``OUTCOMES`` a result is."""
    return OUTCOMES[0] if result.pass_ else OUTCOMES[1]


def was_judged(result: GradingResult) -> bool:
    """Whether a reply of a judge is in it, be it that the answer makes no claim, or ratings."""
    return bool(result.verdicts or result.metadata.get("replies"))


def is_sound(result: GradingResult) -> bool:
    """Whether every statement has a verdict, and the judge passed all controls."""
    controls = result.metadata.get("controls") or {}
    wrong = controls.get("failed", 0) + controls.get("unanswered", 0)
    return result.defined and result.coverage == 1 and not wrong


def certainty(result: GradingResult) -> float:
    """How certain a judge is of a result, from 0 to 1.

    The least confidence of its verdicts, where the judge states one for each; else how far the
    score is from the threshold.
    """
    stated = [v.confidence for v in result.verdicts if v.repeat_of is None]
    known = [confidence for confidence in stated if confidence is not None]
    if known and len(known) == len(stated):
        return min(known)
    return 0.0 if result.score is None else abs(result.score - result.threshold)


def read_certificate(given: object) -> Certificate:
    """The certificate itself, that in a file, or that in the content of one.

    Raises:
        ConfigError: it cannot be read, or is none.
    """
    if isinstance(given, Certificate):
        return given
    if given is None:
        make = "faithfulness-assert certify RUN_OF_A RUN_OF_B -o FILE"
        give = "and pass it as certificate=FILE"
        raise ConfigError(f"certificate: a cascade needs one; make it with `{make}`, {give}")
    name = "certificate" if isinstance(given, Mapping) else f"certificate: {given}"
    data = given if isinstance(given, Mapping) else _read(given, name)
    if data.get("format") != FORMAT:
        raise ConfigError(f"{name}: is no certificate that `faithfulness-assert certify` wrote")
    if "options" not in data:
        silent = "which did not say with which language and evidence_roles"
        problem = f"is of an earlier version, {silent}"
        raise ConfigError(f"{name}: {problem}; write it again with `certify`, from the same runs")
    try:
        told = {name: data[name] for name in NAMES}
        first, second = told["judges"]
        told |= {"judges": (dict(first), dict(second)), "curve": read_curve(data)}
        certificate = Certificate(**told)
        _check(certificate)
    except (KeyError, TypeError, ValueError):
        raise ConfigError(f"{name}: is damaged; write it again with `certify`") from None
    return certificate


def read_curve(data: Mapping[str, Any]) -> tuple[Rule, ...]:
    """The curve of a certificate, or of what a run keeps of it; empty if it has none.

    Raises:
        KeyError, TypeError, ValueError: it is damaged.
    """
    rules = tuple(Rule(**one) for one in data.get("curve", ()))
    for rule in rules:
        _check_rule(rule, data["cases"], rule.least, data["agree"])
    return rules


def _check(certificate: Certificate) -> None:
    rule = Rule(certificate.limits, certificate.accepted, certificate.differing)
    _check_rule(rule, certificate.cases, certificate.agree)
    dict(certificate.policy), dict(certificate.options), str(certificate.prompts)


def _check_rule(rule: Rule, cases: int, *shares: float) -> None:
    limits, counts = dict(rule.limits), [rule.differing, rule.accepted, cases]
    if not all(0 <= number <= 1 for number in (*shares, *limits.values())):
        raise ValueError("a share or a limit is out of range")
    if not all(type(count) is int for count in counts) or sorted([0, *counts]) != [0, *counts]:
        raise ValueError("a count is out of range")
    if not set(limits) <= set(OUTCOMES):
        raise ValueError("a limit has no outcome")


def _read(path: object, name: str) -> Mapping[str, Any]:
    if not isinstance(path, str | os.PathLike):
        raise ConfigError(f"certificate: must be the path of a file, got {type(path).__name__}")
    try:
        data = json.loads(read_text(path, most=MAX_FILE_BYTES))
    except OSError as error:
        raise ConfigError(f"{name}: cannot be read: {error.strerror or error}") from None
    except (ValueError, RecursionError):
        raise ConfigError(f"{name}: is no JSON") from None
    return data if isinstance(data, Mapping) else {}


def check_fits(certificate: Certificate, told: Mapping[str, Any]) -> None:
    """Raises ``ConfigError`` if the certificate is of other judges, prompts, options or policy.

    ``told``: ``judges``, ``policy``, ``prompts`` and ``options`` of now, as a certificate has them.
    """
    if certificate.prompts != told["prompts"]:
        raise ConfigError(_other("other prompts"))
    for name, other in (("policy", "another policy"), ("options", "other options")):
        then, now = getattr(certificate, name), told[name]
        if then != now:
            raise ConfigError(_other(f"{other} ({differing(then, now)})"))
    for which, old, new in zip(
        ("first", "second"), certificate.judges, told["judges"], strict=True
    ):
        if old != new:
            raise ConfigError(_other(f"another {which} judge ({differing(old, new)})"))


def differing(then: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """What of a description is otherwise now, with both values."""
    names = [n for n in {**then, **now} if then.get(n) != now.get(n)]
    return ", ".join(f"{n}: was {then.get(n)!r:.60}, is {now.get(n)!r:.60}" for n in names[:3])


def _other(what: str) -> str:
    fix = "use these as they were, or make one for them with `faithfulness-assert certify`"
    return f"certificate: it is of {what}; {fix}"
