"""A result as promptfoo expects it from a ``python`` assertion.

promptfoo counts each component as an assertion that passed or failed, in its totals and in each
cell of its viewer. Whoever does not want that asks for none: what is wrong stands in
``metadata.graderOutputs`` in any case, which the viewer shows below the reason.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Literal, get_args

from ..text.strings import clip, one_line, visible
from .errors import ConfigError
from .verdict_words import in_words, wrong_in_words

if TYPE_CHECKING:
    from .model import Verdict
    from .result import GradingResult

Components = Literal["problems", "all", "none"]
MAX_SHOWN = 20


def promptfoo_view(result: GradingResult, components: Components) -> dict[str, Any]:
    """The result in camelCase, with nothing null among its components.

    promptfoo needs a number: a result without a score has 0 there, and fails.

    Raises:
        ConfigError: unknown ``components``.
    """
    if components not in get_args(Components):
        known = ", ".join(get_args(Components))
        raise ConfigError(f"components: must be one of {known}, got {components!r}")
    usage = result.tokens_used
    return {
        "pass": result.pass_,
        "score": result.score or 0.0,
        "reason": visible(one_line(result.short_reason)),
        "namedScores": dict(result.named_scores),
        "tokensUsed": {
            "total": usage.total,
            "prompt": usage.prompt,
            "completion": usage.completion,
            "cached": usage.cached,
            "numRequests": usage.num_requests,
        },
        "metadata": _metadata(result),
        "componentResults": [_component(v) for v in _shown(result, components)],
    }


def _metadata(result: GradingResult) -> dict[str, Any]:
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
        "graderOutputs": _problems(result),
    }
    present = {name: value for name, value in optional.items() if value is not None}
    return {**result.metadata, **own, **present}


def _shown(result: GradingResult, components: Components) -> list[Verdict]:
    """The verdicts that promptfoo shows, and counts, as assertions of their own."""
    # promptfoo would count each statement that was never judged as a failed assertion.
    if components == "none" or result.error:
        return []
    return list(result.verdicts) if components == "all" else _wrong(result)[:MAX_SHOWN]


def _wrong(result: GradingResult) -> list[Verdict]:
    """The verdicts on statements that are not supported, or whose evidence is wrong."""
    return [v for v in result.verdicts if v.flags or not (v.is_fine or v.repeat_of)]


def _problems(result: GradingResult) -> dict[str, str] | None:
    """A line for each of the first statements that are wrong."""
    wrong = [] if result.error else _wrong(result)
    lines = [
        f"“{_line(verdict.statement, 300)}” ({_line(_reason(verdict), 300)})"
        for verdict in wrong[:MAX_SHOWN]
    ]
    if len(wrong) > MAX_SHOWN:
        lines.append(f"… and {len(wrong) - MAX_SHOWN:,} more")
    return {"statements": "\n".join(lines)} if lines else None


def _component(verdict: Verdict) -> dict[str, Any]:
    half = 0.5 if verdict.label == "partially_supported" else 0.0
    return {
        "pass": verdict.is_fine,
        "score": 1.0 if verdict.is_fine else half,
        "reason": visible(one_line(_reason(verdict))),
        "assertion": {"type": "python", "value": visible(clip(verdict.statement, 500))},
    }


def _reason(verdict: Verdict) -> str:
    """Label, reason and evidence of a verdict."""
    cited = " | ".join(f"[{e.passage}:{e.sentence}] {clip(e.text)}" for e in verdict.evidence)
    parts = (
        in_words(verdict),
        wrong_in_words(verdict),
        verdict.reason,
        cited and f"evidence: {cited}",
    )
    return "; ".join(part for part in parts if part)


def _line(text: str, most: int) -> str:
    return visible(clip(text, most))
