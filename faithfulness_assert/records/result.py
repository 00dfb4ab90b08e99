"""What leaves the grader: ``GradingResult``."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

from ..text.strings import clean_text, clip
from .errors import ConfigError
from .model import CitationAudit, GraderError, Skipped, Status, Verdict
from .usage import Usage
from .views import Components, lost_points, notebook_view, promptfoo_view, terminal_view

if TYPE_CHECKING:
    from pydantic import TypeAdapter


@dataclass(frozen=True, slots=True, repr=False)
class GradingResult:
    """The outcome of grading one case. It is always complete, without NaN or infinite numbers.

    Args:
        pass_: whether it passes (``pass`` in JSON). Only a ``defined`` result can.
        score: in [0, 1]; None where it is not ``defined``, whatever is given, so that no mean
            counts it as 0.
        defined: whether the score means anything.
        status: what happened: ``graded``, ``no_statements``, ``abstained``, ``no_context``,
            ``judge_refused``, ``unreadable``, ``judge_failed`` or ``invalid_input``.
        reason: what happened, for a person; None only for a graded case under a policy that wants
            no reason.
        threshold: the score that passes.
        policy, judge: what it was graded with.
        error: for a grader error, its kind, message and whether a retry may help. It says nothing
            about the answer.
        verdicts: one for each statement, in the answer's order.
        skipped: spans of the answer that are not judged, with reasons.
        counts: how many statements have each label, and how many are ``unresolved``.
        coverage: the share of the statements that have a valid verdict, in [0, 1]; 0 without
            statements.
        named_scores: scores by name. A rubric policy has its dimensions here, after the score
            caps, and ``overall``.
        citations: the citation audit, if there is one.
        tokens_used: tokens and requests of every ask, failed ones too.
        cost: in the currency of the given prices; None without prices.
        latency_ms: wall time from the first ask to the end.
        metadata: JSON with camelCase keys: ``graderError``, ``warnings``, ``scoreCaps`` and more.
        case_id: the caller's name for the case.

    Raises:
        ValueError: a number is out of range, a defined result has no score, or an undefined
            result passes.
    """

    pass_: bool
    score: float | None
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
        if not self.defined:
            object.__setattr__(self, "score", None)
        elif self.score is None:
            raise ValueError("a defined result must have a score")
        for name in ("score", "coverage", "latency_ms", "cost"):
            most = 1.0 if name in ("score", "coverage") else math.inf
            value = getattr(self, name) or 0.0
            if not (math.isfinite(value) and 0 <= value <= most):
                raise ValueError(f"{name} must be finite and in [0, {most}], got {value!r}")
        if self.pass_ and not self.defined:
            raise ValueError("an undefined result cannot pass")
        for name in ("reason", "judge", "case_id"):
            if text := getattr(self, name):
                object.__setattr__(self, name, clean_text(text))
        if not isinstance(self.metadata, _CleanMetadata):
            object.__setattr__(self, "metadata", _clean(self.metadata))

    def __bool__(self) -> NoReturn:
        """Raises ``ConfigError``: ``assert grade(...)`` would pass, whatever the result is."""
        raise ConfigError(
            "a GradingResult is neither true nor false: write result.pass_ (or result.score); "
            "assert_faithful and the fixture faithfulness fail by themselves, without assert"
        )

    # ------------------------------------------------------------ what every view says

    def problems(self) -> list[Verdict]:
        """The verdicts that are not ``supported`` or ``not_a_claim``, without repeats.

        Of a case that fails without any, those with a flag.
        """
        distinct = [v for v in self.verdicts if v.repeat_of is None]
        wrong = [v for v in distinct if not v.is_fine]
        return wrong or [v for v in distinct if v.flags and not self.pass_]

    @property
    def outcome(self) -> str:
        """``PASS``, ``FAIL``, or ``ERROR`` where the case could not be graded."""
        return "PASS" if self.pass_ else "ERROR" if self.error else "FAIL"

    @property
    def short_reason(self) -> str:
        """The reason; a short one if the caller asked for none."""
        if self.reason is not None:
            return self.reason
        score = "undefined" if self.score is None else f"{self.score:.2f}"
        return f"faithfulness {score}, threshold {self.threshold:g}"

    @property
    def warnings(self) -> list[str]:
        """What a reader should know beside the reason."""
        return [str(warning) for warning in self.metadata.get("warnings", ())]

    def ratings(self) -> Iterator[tuple[str, float, float]]:
        """Of a rubric policy: each dimension, its rating after the score caps, and the judge's."""
        for name, given in self.metadata.get("rawRatings", {}).items():
            yield name, self.named_scores.get(name, given), given

    # ------------------------------------------------------------ views

    def to_promptfoo(self, components: Components = "problems") -> dict[str, Any]:
        """The result as promptfoo expects it from a ``python`` assertion.

        Args:
            components: which statements show as components; promptfoo counts each as an assertion
                that passed or failed. ``problems``: the first 20 that are not supported, or whose
                evidence is wrong. With ``none``, the same 20 are lines of
                ``metadata.graderOutputs``, which promptfoo's viewer shows below the reason.

        Raises:
            ConfigError: unknown ``components``.
        """
        return promptfoo_view(self, components)

    def pretty(self) -> str:
        """The result for a terminal: plain text without control characters."""
        return terminal_view(self)

    def __repr__(self) -> str:
        """The outcome, and first what is wrong, so that a list of results can be read.

        ``model_dump()`` has all.
        """
        reason = (self.error is None and lost_points(self)) or self.reason or ""
        name = f", case_id={clip(self.case_id, 60)!r}" if self.case_id else ""
        score = self.score if self.score is None else f"{self.score:.4g}"
        fields = f"pass_={self.pass_}, score={score}, status={self.status!r}"
        return f"{type(self).__name__}({fields}, reason={clip(reason, 100)!r}{name})"

    def _repr_html_(self) -> str:
        """The result for a notebook: a fragment of HTML without scripts."""
        return notebook_view(self)

    # ------------------------------------------------------------ JSON
    # These four have pydantic's names, but pydantic is loaded only when one is called: a promptfoo
    # assertion does not need it.

    def model_dump(self, **options: Any) -> dict[str, Any]:
        """The result as a dict; options as pydantic's (``mode="json"``, ``by_alias=True`` ...)."""
        data: dict[str, Any] = _adapter().dump_python(self, **options)
        return data

    def model_dump_json(self, **options: Any) -> str:
        """The result as JSON text, with ``pass``; options as pydantic's (``indent`` ...)."""
        return _adapter().dump_json(self, **{"by_alias": True, **options}).decode()

    @classmethod
    def model_validate(cls, data: object) -> GradingResult:
        """A result from its dict. Raises ``pydantic.ValidationError``."""
        return _adapter().validate_python(data)

    @classmethod
    def model_validate_json(cls, text: str | bytes) -> GradingResult:
        """A result from its JSON. Raises ``pydantic.ValidationError``."""
        return _adapter().validate_json(text)


class _CleanMetadata(dict[str, Any]):
    """Metadata without lone surrogates. A changed copy of their result need not look again."""


def _clean(value: Any) -> Any:
    """Metadata without lone surrogates."""
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, list | tuple):
        return [_clean(item) for item in value]
    if value is None or isinstance(value, int | float) or not isinstance(value, Mapping):
        return value
    return _CleanMetadata({clean_text(str(n)): _clean(item) for n, item in value.items()})


@cache
def _adapter() -> TypeAdapter[GradingResult]:
    from pydantic import TypeAdapter

    return TypeAdapter(GradingResult)
