"""A result as promptfoo expects it from a ``python`` assertion."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Literal, get_args

from ..text.strings import clip, one_line, visible
from .described import described
from .errors import ConfigError

if TYPE_CHECKING:
    from .model import Verdict
    from .result_fields import ResultFields
    from .usage import Usage

Components = Literal["problems", "all", "none"]
MAX_COMPONENTS = 20


def promptfoo_view(result: ResultFields, components: Components) -> dict[str, Any]:
    """The result in camelCase, with nothing null among its components.

    Raises:
        ConfigError: unknown ``components``.
    """
    if components not in get_args(Components):
        known = ", ".join(get_args(Components))
        raise ConfigError(f"components: must be one of {known}, got {components!r}")
    return {
        "pass": result.pass_,
        "score": result.score if result.defined else 0.0,
        "reason": visible(one_line(short_reason(result))),
        "namedScores": dict(result.named_scores),
        "tokensUsed": _tokens(result.tokens_used),
        "metadata": _metadata(result),
        "componentResults": [_component(v) for v in _shown(result, components)],
    }


def short_reason(result: ResultFields) -> str:
    """The reason as a string; a short one if the caller asked for none."""
    if result.reason is not None:
        return result.reason
    return f"faithfulness {result.score:.2f}, threshold {result.threshold:g}"


def _tokens(usage: Usage) -> dict[str, int]:
    return {
        "total": usage.total,
        "prompt": usage.prompt,
        "completion": usage.completion,
        "cached": usage.cached,
        "numRequests": usage.num_requests,
    }


def _metadata(result: ResultFields) -> dict[str, Any]:
    own = {
        "status": result.status,
        "defined": result.defined,
        "policy": result.policy,
        "judge": result.judge,
        "threshold": result.threshold,
        "counts": dict(result.counts),
        "coverage": result.coverage,
    }
    optional = {
        "skipped": [asdict(span) for span in result.skipped] or None,
        "citations": asdict(result.citations) if result.citations else None,
        "error": asdict(result.error) if result.error else None,
        "cost": result.cost,
    }
    present = {name: value for name, value in optional.items() if value is not None}
    return {**result.metadata, **own, **present}


def _shown(result: ResultFields, components: Components) -> list[Verdict]:
    """The verdicts that promptfoo shows, and counts, as assertions of their own."""
    # promptfoo would count each statement that was never judged as a failed assertion.
    if components == "none" or result.error:
        return []
    if components == "all":
        return list(result.verdicts)
    problems = {v.id for v in result.problems()}
    return [v for v in result.verdicts if v.id in problems or v.flags][:MAX_COMPONENTS]


def _component(verdict: Verdict) -> dict[str, Any]:
    passed = verdict.label in ("supported", "not_a_claim")
    half = 0.5 if verdict.label == "partially_supported" else 0.0
    cited = " | ".join(f"[{e.passage}:{e.sentence}] {clip(e.text)}" for e in verdict.evidence)
    parts = (described(verdict), verdict.reason, cited and f"evidence: {cited}")
    return {
        "pass": passed,
        "score": 1.0 if passed else half,
        "reason": visible(one_line("; ".join(part for part in parts if part))),
        "assertion": {"type": "python", "value": visible(clip(verdict.statement, 500))},
    }
