"""The end of a plan: what is known becomes a ``GradingResult``. Every status, reason and count of a result is decided here."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from zlib import crc32

from .evidence import Quotable, resolve
from .model import GraderError, Verdict
from .policy import SCORED, TOLERANCE, Policy, passes, score
from .result import GradingResult, clip, described
from .state import State, status_of
from .verdicts import distinct, finding

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .errors import JudgeError
    from .model import CitationAudit, ErrorKind, Label, Statement, Status
    from .policy import Score
    from .reconcile import Finding

MAX_NAMED = 3  # problem statements that a reason quotes

REASONS: dict[Status, str] = {
    "no_statements": "Nothing to check",
    "abstained": "The answer only declines to answer: it makes no claim that could be checked.",
    "no_context": "The context is empty: retrieval found nothing, so nothing can back the answer.",
    "judge_refused": "Not graded",
    "unreadable": "Not graded",
    "judge_failed": "Not graded",
    "invalid_input": "Not graded",
}

FIXES: dict[ErrorKind, str] = {
    "refusal": "Try another judge model, or give it guidance on what the texts are.",
    "content_filter": "Loosen the provider's filter for evaluations, or try another judge model.",
    "truncated": "Use a judge with a larger reply limit, or grade the answer in parts.",
    "unreadable": "Try a judge model that follows JSON instructions.",
    "unreliable_judge": "Try another judge model.",
    "transport": "Check base_url and the network.",
    "auth": "Check the API key.",
    "rate_limit": "Wait, or lower the concurrency.",
    "timeout": "Raise timeout or deadline.",
    "server": "Try again later.",
}


def conclude(state: State) -> GradingResult:
    """The result of a plan that has ended."""
    if state.ending:
        return _ended(state, state.ending)
    verdicts = _verdicts(state)
    if not any(v.label for v in verdicts):
        return _ended(state, status_of(state.errors), verdicts)
    missing = sum(v.label is None for v in verdicts)
    if missing and state.policy.on_missing == "error":
        told = replace(state, problem=f"{missing} of {len(verdicts)} statements got no valid verdict")
        return _ended(told, status_of(state.errors), verdicts)
    audit = _audit(state)
    outcome = score(state.policy, verdicts, audit)
    if outcome is None:
        told = replace(state, problem="the judge finds no claim in the answer")
        return _ended(told, "no_statements", verdicts)
    return _graded(state, verdicts, outcome, audit)


def invalid_input(problem: str, policy: Policy, case_id: str = "") -> GradingResult:
    """The result for data that is no case at all."""
    reason = f"{REASONS['invalid_input']}: {clip(problem, 1000).rstrip('.')}."
    error = GraderError("input", reason)
    return GradingResult(
        False,
        0.0,
        False,
        "invalid_input",
        reason,
        policy.threshold,
        policy.name,
        error=error,
        metadata={"graderError": True},
        case_id=case_id,
    )


# ---------------------------------------------------------------- verdicts


def _verdicts(state: State) -> tuple[Verdict, ...]:
    firsts = {statement.text: statement.id for statement in distinct(state.statements)} if state.policy.dedupe else {}
    found = [(s, finding(state, firsts.get(s.text, s.id))) for s in state.statements]
    quotable = Quotable.of(state.sentences) if any(finding.quote for _, finding in found) else None
    return tuple(_verdict(state, s, firsts.get(s.text, s.id), finding, quotable) for s, finding in found)


def _verdict(state: State, statement: Statement, first: int, found: Finding, quotable: Quotable | None) -> Verdict:
    evidence, flags = resolve(found, state.sentences, quotable)
    label: Label | None = found.label
    if state.policy.strict_evidence and label == "supported" and (flags or not evidence):
        label, flags = "not_enough_info", (*flags, "lowered")
    span = None if statement.start is None or statement.end is None else (statement.start, statement.end)
    return Verdict(
        statement.id,
        statement.text,
        label,
        found.unresolved,
        evidence,
        found.reason,
        span,
        first if first != statement.id else None,
        flags,
    )


def _audit(state: State) -> CitationAudit | None:
    if state.policy.citations == "off":
        return None
    from .citations import audit_citations  # its patterns need not be compiled for a policy without an audit

    return audit_citations(state.case.answer, [passage.id for passage in state.case.context], language=state.language)


# ---------------------------------------------------------------- results


def _graded(state: State, verdicts: Sequence[Verdict], outcome: Score, audit: CitationAudit | None) -> GradingResult:
    policy, counted = state.policy, _counted(state.policy, verdicts)
    passed = passes(policy, outcome.value, verdicts)
    coverage = sum(v.label is not None for v in counted) / len(counted)
    metadata: dict[str, Any] = {"calculation": calculation(policy, counted, outcome)}
    if outcome.clamps:
        metadata["rawScore"] = outcome.raw
        metadata["clamps"] = [{"finding": c.finding, "ceiling": c.ceiling, "atLeast": c.at_least} for c in outcome.clamps]
    return replace(
        _base(state, verdicts, metadata),
        pass_=passed,
        score=outcome.value,
        defined=True,
        status="graded",
        reason=_reason(policy, counted, outcome, passed=passed),
        coverage=coverage,
        named_scores={"faithfulness": outcome.value, "coverage": coverage},
        citations=audit,
    )


def _base(state: State, verdicts: Sequence[Verdict] = (), extra: dict[str, Any] | None = None) -> GradingResult:
    """What every result of a plan carries."""
    counted = _counted(state.policy, verdicts)
    counts: Counter[str] = Counter(v.label or "unresolved" for v in counted)
    return GradingResult(
        pass_=False,
        score=0.0,
        defined=False,
        status="unreadable",
        reason="",
        threshold=float(state.policy.threshold),
        policy=state.policy.name,
        verdicts=tuple(verdicts),
        skipped=state.skipped,
        counts={name: counts[name] for name in (*SCORED, "not_a_claim", "unresolved")} if verdicts else {},
        tokens_used=state.usage,
        metadata=_metadata(state, verdicts, counted, extra or {}),
        case_id=state.case.id,
    )


def _metadata(state: State, verdicts: Sequence[Verdict], counted: Sequence[Verdict], extra: dict[str, Any]) -> dict[str, Any]:
    told = [
        *state.warnings,
        *(f"an ask failed ({error.kind}): {error.message}" for error in state.errors if any(v.label for v in verdicts)),
    ]
    statuses = [error.http_status for error in state.errors if error.http_status]
    said = {
        "warnings": list(dict.fromkeys(told)),
        "windows": len(state.windows) if len(state.windows) > 1 else None,
        "replies": dict(Counter(state.forms)),
        "repeats": len(verdicts) - len(counted),
        "httpStatus": statuses[0] if statuses else None,
        "guidance": _fingerprint(state.policy),
    }
    return {"graderError": False, **{name: value for name, value in said.items() if value}, **extra}


def _fingerprint(policy: Policy) -> str | None:
    """Tells two runs with other guidance or examples apart."""
    if not policy.guidance and not policy.examples:
        return None
    return f"{crc32(repr((policy.guidance, policy.examples)).encode('utf-8', 'replace')):08x}"


def _counted(policy: Policy, verdicts: Sequence[Verdict]) -> list[Verdict]:
    return [v for v in verdicts if not (policy.dedupe and v.repeat_of is not None)]


def _ended(state: State, status: Status, verdicts: Sequence[Verdict] = ()) -> GradingResult:
    """A result without a mean of verdicts: a grader error, or what the policy makes of nothing to check."""
    base = replace(_base(state, verdicts), status=status)
    endings = {
        "no_statements": state.policy.on_no_statements,
        "abstained": state.policy.on_abstained,
        "no_context": state.policy.on_no_context,
    }
    ending = endings.get(status, "error")
    reason = _problem(state, status)
    if ending == "error":
        error = _error(state, status, reason)
        return replace(base, error=error, reason=error.message, metadata={**base.metadata, "graderError": True})
    if ending == "fail":
        return replace(base, reason=reason)
    value = 1.0 if ending == "pass" else float(ending)
    passed = ending == "pass" or passes(state.policy, value, ())
    told = f"{reason} The policy {state.policy.name!r} scores that {value:g}."
    return replace(base, pass_=passed, score=value, defined=True, reason=told, named_scores={"faithfulness": value})


def _problem(state: State, status: Status) -> str:
    text = REASONS[status]
    detail = state.problem or (state.errors[0].message if state.errors else "")
    if text.endswith("."):
        return text
    return f"{text}: {detail or 'no statement got a valid verdict'}".rstrip(".") + "."


def _error(state: State, status: Status, reason: str) -> GraderError:
    if status in ("invalid_input", "no_statements", "abstained", "no_context"):
        return GraderError("input", reason)
    first: JudgeError | None = state.errors[0] if state.errors else None
    kind: ErrorKind = first.kind if first else "unreadable"
    fix = first.fix if first and first.fix else FIXES[kind]
    return GraderError(kind, f"{reason} {fix}", first.retryable if first else True)


# ---------------------------------------------------------------- words


def calculation(policy: Policy, counted: Sequence[Verdict], outcome: Score) -> str:
    """How the score came about, as a line: ``(3 × 1 + 1 × 0.5) / 5 = 0.7``."""
    counts = Counter(v.label for v in counted)
    terms = [f"{counts[label]} × {policy.weights[label]:g}" for label in SCORED if counts[label] and policy.weights[label]]
    line = f"({' + '.join(terms) or '0'}) / {outcome.counted} = {outcome.raw:.4g}"
    line += "".join(f"; {c.finding} ≤ {c.ceiling:g}" for c in outcome.clamps)
    return f"{line}; 1 - score = {outcome.value:.4g}" if policy.inverse else line


def _reason(policy: Policy, counted: Sequence[Verdict], outcome: Score, *, passed: bool) -> str:
    good = sum(v.label == "supported" for v in counted)
    sign = ">=" if outcome.value >= policy.threshold - TOLERANCE else "<"
    value = f"{outcome.value:.2f}"
    if sign == "<" and float(value) >= policy.threshold:
        value = f"{outcome.value:.6g}"  # rounded, it would seem to reach the threshold
    parts = [f"{good} of {outcome.counted} statements supported: score {value} {sign} threshold {policy.threshold:g}."]
    barred = next((label for label in policy.fail_on if any(v.label == label for v in counted)), None)
    if barred and not passed and sign == ">=":
        parts.append(f"It fails all the same: a statement has the label {barred}.")
    parts += [f"Clamped to {c.ceiling:g}: {c.finding.replace('_', ' ')}." for c in outcome.clamps]
    problems = [v for v in counted if v.label not in ("supported", "not_a_claim")]
    parts += [f"{described(v).capitalize()}: “{clip(v.statement, 160)}”." for v in problems[:MAX_NAMED]]
    if len(problems) > MAX_NAMED:
        parts.append(f"And {len(problems) - MAX_NAMED} more.")
    return " ".join(parts)
