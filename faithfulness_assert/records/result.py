"""What leaves the grader: ``GradingResult``, and its two renderings, for promptfoo and for a terminal."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

from ..text.strings import clean_text, clip, one_line, visible
from .errors import ConfigError
from .model import CitationAudit, GraderError, Label, Skipped, Status, Verdict
from .usage import Usage

if TYPE_CHECKING:
    from pydantic import TypeAdapter

Components = Literal["problems", "all", "none"]
MAX_COMPONENTS = 20


@dataclass(frozen=True, slots=True)
class GradingResult:
    """The outcome of grading one case; always complete, and nothing in it is NaN, infinite or negative.

    Args:
        pass_: whether it passes (``pass`` in JSON). Never true for a result that is not ``defined``.
        score: in [0, 1]; 0 where it is not ``defined`` (or the policy's ``on_unreadable``).
        defined: whether the score means anything.
        status: what happened: ``graded``, ``no_statements``, ``abstained``, ``no_context``, ``judge_refused``, ``unreadable``,
            ``judge_failed`` or ``invalid_input``.
        error: for a grader error, its kind, message and whether a retry may help; it says nothing about the answer.
        reason: what happened, for a person; None only for a graded case under a policy that wants no reason.
        threshold, policy, judge: what it was graded with; the threshold is the score that passes.
        verdicts: one for each statement, in the answer's order.
        skipped: spans of the answer that are no statements, with reasons.
        counts: how many statements have each label, and how many are ``unresolved``.
        coverage: the part of the statements that has a valid verdict, in [0, 1]; 0 where there is no statement.
        named_scores: further figures by name; under a rubric policy its dimensions after the score_caps, and ``overall``.
        citations: the citation audit, where the policy asked for it.
        tokens_used: of every call, also of failed ones.
        cost: in the currency of the prices given; None without prices.
        latency_ms: wall time from the first ask to the end.
        metadata: JSON with camelCase keys: ``graderError``, ``warnings``, ``windows``, score_caps, and more.
        case_id: the caller's name for the case.
    """

    pass_: bool
    score: float
    defined: bool
    status: Status
    reason: str | None
    threshold: float
    policy: str
    judge: str = ""
    error: GraderError | None = None
    verdicts: tuple[Verdict, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    coverage: float = 0.0
    named_scores: Mapping[str, float] = field(default_factory=dict)
    citations: CitationAudit | None = None
    tokens_used: Usage = field(default_factory=Usage)
    cost: float | None = None
    latency_ms: float = 0.0
    metadata: Mapping[str, Any] = field(default_factory=dict)
    case_id: str = ""

    __pydantic_config__: ClassVar[dict[str, Any]] = {
        "alias_generator": lambda name: name.rstrip("_"),
        "populate_by_name": True,
    }

    def __post_init__(self) -> None:
        for name, value, most in (
            ("score", self.score, 1),
            ("coverage", self.coverage, 1),
            ("latency_ms", self.latency_ms, math.inf),
        ):
            if not math.isfinite(value) or not 0 <= value <= most:
                raise ValueError(f"{name} must be finite and in [0, {most}], got {value!r}")
        if self.cost is not None and not 0 <= self.cost < math.inf:
            raise ValueError(f"cost must be finite and not negative, got {self.cost!r}")
        if self.pass_ and not self.defined:
            raise ValueError("an undefined result cannot pass")
        for name in ("reason", "judge", "case_id", "metadata"):
            object.__setattr__(self, name, _clean(getattr(self, name)))

    # pydantic's own names for these four, but pydantic is loaded only when one is called: a promptfoo assertion needs none.

    def model_dump(self, **options: Any) -> dict[str, Any]:
        """The result as a dict; options as pydantic's (``mode="json"``, ``by_alias=True`` for ``pass``, ``exclude`` ...)."""
        data: dict[str, Any] = _adapter().dump_python(self, **options)
        return data

    def model_dump_json(self, **options: Any) -> str:
        """The result as JSON text; options as pydantic's (``indent``, ``by_alias=True`` for ``pass`` ...)."""
        return _adapter().dump_json(self, **options).decode()

    @classmethod
    def model_validate(cls, data: object) -> GradingResult:
        """A result from its dict. Raises ``pydantic.ValidationError``."""
        return _adapter().validate_python(data)

    @classmethod
    def model_validate_json(cls, text: str | bytes) -> GradingResult:
        """A result from its JSON. Raises ``pydantic.ValidationError``."""
        return _adapter().validate_json(text)

    def to_promptfoo(self, components: Components = "problems") -> dict[str, Any]:
        """The result as promptfoo wants it from a ``python`` assertion: camelCase, and nothing null among the components.

        Args:
            components: which statements show as components; promptfoo counts each as an assertion. ``problems`` are the first 20 that
                are not supported.

        Raises:
            ConfigError: ``components`` is none of these.
        """
        if components not in get_args(Components):
            raise ConfigError(
                f"components: must be one of {', '.join(get_args(Components))}, got {components!r}"
            )
        usage = self.tokens_used
        return {
            "pass": self.pass_,
            "score": self.score if self.defined else 0.0,
            "reason": visible(one_line(self._short_reason())),
            "namedScores": dict(self.named_scores),
            "tokensUsed": {
                "total": usage.total,
                "prompt": usage.prompt,
                "completion": usage.completion,
                "cached": usage.cached,
                "numRequests": usage.num_requests,
            },
            "metadata": self._promptfoo_metadata(),
            "componentResults": [_component(v) for v in self._shown(components)],
        }

    def _short_reason(self) -> str:
        """The reason as promptfoo needs it, a string."""
        return (
            f"faithfulness {self.score:.2f}, threshold {self.threshold:g}"
            if self.reason is None
            else self.reason
        )

    def _promptfoo_metadata(self) -> dict[str, Any]:
        error = {"error": asdict(self.error)} if self.error else {}
        about = {
            "status": self.status,
            "defined": self.defined,
            "policy": self.policy,
            "judge": self.judge,
            "threshold": self.threshold,
        }
        cost = {} if self.cost is None else {"cost": self.cost}
        citations = {} if self.citations is None else {"citations": asdict(self.citations)}
        skipped = {"skipped": [asdict(span) for span in self.skipped]} if self.skipped else {}
        counts = {"counts": dict(self.counts), "coverage": self.coverage}
        return {**self.metadata, **about, **counts, **skipped, **citations, **error, **cost}

    def _shown(self, components: Components) -> list[Verdict]:
        if (
            components == "none" or self.error
        ):  # promptfoo would count each statement that was never judged as a failed assertion
            return []
        return list(self.verdicts) if components == "all" else self.problems()[:MAX_COMPONENTS]

    def problems(self) -> list[Verdict]:
        """The verdicts that are not ``supported`` (and not set aside as ``not_a_claim``), repeats left out."""
        return [
            v
            for v in self.verdicts
            if v.label not in ("supported", "not_a_claim") and v.repeat_of is None
        ]

    def pretty(self) -> str:
        """The result for a terminal: plain text without control characters, whatever the texts hold."""
        verdict = "PASS" if self.pass_ else "ERROR" if self.error else "FAIL"
        head = f"{verdict}  score {self.score:.2f}  threshold {self.threshold:.2f}  [{self.status}]  policy {self.policy}, judge {self.judge}"
        lines = [
            head if self.defined else head.replace(f"score {self.score:.2f}", "score undefined"),
            f"  {visible(self._short_reason())}",
        ]
        lines += (
            [f"  = {self.metadata['calculation']}"]
            if "calculation" in self.metadata and self.defined
            else []
        )
        for v in self.verdicts:
            lines.append(
                f"  {MARKS[v.label]} {v.id}. {visible(clip(v.statement))}  [{described(v)}]"
            )
            lines += [
                f"       {e.passage}:{e.sentence} {visible(clip(e.text))}" for e in v.evidence
            ]
        lines += [*self._ratings_shown(), *self._audit_shown()]
        lines += [f"  - skipped {s.start}-{s.end}: {visible(s.reason)}" for s in self.skipped]
        lines += [f"  ! {visible(str(warning))}" for warning in self.metadata.get("warnings", ())]
        return "\n".join(visible(line.replace("\n", " ")) for line in lines)

    def _ratings_shown(self) -> list[str]:
        """A rubric policy's ratings, with what the judge said where that was changed, and its suggestions."""
        shown = []
        for name, said in self.metadata.get("rawRatings", {}).items():
            held = self.named_scores[name]
            shown.append(
                f"  {name.replace('_', ' ')} {held:g}"
                + (f" (the judge: {said:g})" if said != held else "")
            )
        return [
            *shown,
            *(
                f"  > {visible(clip(str(suggestion)))}"
                for suggestion in self.metadata.get("suggestions", ())
            ),
        ]

    def _audit_shown(self) -> list[str]:
        """The citation audit, where there is one."""
        if self.citations is None:
            return []
        invalid, uncited = self.citations.invalid_citations, self.citations.uncited_claim_count
        told = [f"not there: {', '.join(invalid)}"] if invalid else []
        told += [f"sentences without one: {uncited}"] if uncited else []
        return [f"  citations: {visible(clip('; '.join(told) or 'nothing to note'))}"]


@cache
def _adapter() -> TypeAdapter[GradingResult]:
    from pydantic import TypeAdapter

    return TypeAdapter(GradingResult)


MARKS: dict[Label | None, str] = {
    "supported": "+",
    "partially_supported": "~",
    "not_enough_info": "?",
    "contradicted": "x",
    "not_a_claim": " ",
    None: "!",
}


def _clean(value: Any) -> Any:
    """Metadata and texts without lone surrogates, whoever wrote them."""
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, Mapping):
        return {clean_text(str(name)): _clean(item) for name, item in value.items()}
    return [_clean(item) for item in value] if isinstance(value, list | tuple) else value


def described(verdict: Verdict) -> str:
    """A verdict's label in words; an unresolved one is "unverified" with the reason."""
    words = (
        verdict.label.replace("_", " ")
        if verdict.label
        else f"unverified: {verdict.unresolved} verdict"
    )
    return f"{words}, repeats {verdict.repeat_of}" if verdict.repeat_of else words


def _component(verdict: Verdict) -> dict[str, Any]:
    ok = verdict.label in ("supported", "not_a_claim")
    evidence = " | ".join(f"[{e.passage}:{e.sentence}] {clip(e.text)}" for e in verdict.evidence)
    said = "; ".join(
        part
        for part in (described(verdict), verdict.reason, evidence and f"evidence: {evidence}")
        if part
    )
    return {
        "pass": ok,
        "score": 1.0 if ok else 0.5 if verdict.label == "partially_supported" else 0.0,
        "reason": visible(one_line(said)),
        "assertion": {"type": "python", "value": visible(clip(verdict.statement, 500))},
    }
