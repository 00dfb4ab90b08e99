"""The records that travel through the house: frozen, plain, and free of behaviour beyond checking themselves.

They are standard-library dataclasses and not pydantic models because a promptfoo assertion is a fresh Python process:
building pydantic models would double what it costs. Pydantic reads dataclasses all the same (``pydantic.TypeAdapter(Verdict)``).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

from ..text.strings import clean_text
from .errors import ConfigError, JudgeErrorKind

Label = Literal[
    "supported", "partially_supported", "not_enough_info", "contradicted", "not_a_claim"
]
Unresolved = Literal["missing", "duplicate", "invalid"]
Status = Literal[
    "graded",
    "no_statements",
    "abstained",
    "no_context",
    "judge_refused",
    "unreadable",
    "judge_failed",
    "invalid_input",
]
ErrorKind = Literal[JudgeErrorKind, "input"]

LABELS: tuple[Label, ...] = get_args(Label)


# ---------------------------------------------------------------- what is graded


@dataclass(frozen=True, slots=True)
class Statement:
    """One checkable unit of the answer. ``start`` and ``end`` are its character span there, where it has one."""

    id: int
    text: str
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True)
class Skipped:
    """A span of the answer that is no statement, with the reason: never dropped in silence."""

    start: int
    end: int
    reason: str


# ---------------------------------------------------------------- what a judge is asked and says


# ---------------------------------------------------------------- what comes out


@dataclass(frozen=True, slots=True)
class Evidence:
    """A context sentence that a verdict points at: its number, its passage, its character span there, its text."""

    sentence: int
    passage: str
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the judge said of one statement.

    ``label`` is None where no valid verdict came, even after the re-ask; ``unresolved`` then says why. ``span`` is the statement's
    character span in the answer. ``repeat_of`` names the first statement with the same text. ``flags`` hold what did not check out
    (``no_such_evidence``, ``lowered``).
    """

    id: int
    statement: str
    label: Label | None
    unresolved: Unresolved | None = None
    evidence: tuple[Evidence, ...] = ()
    reason: str = ""
    span: tuple[int, int] | None = None
    repeat_of: int | None = None
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GraderError:
    """Why a case could not be graded. It says nothing about the answer."""

    kind: ErrorKind
    message: str
    retryable: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "message", clean_text(self.message))


@dataclass(frozen=True, slots=True)
class CitationAudit:
    """What the citations of an answer show, found without a judge.

    Args:
        invalid_citations: cited ids that no passage has, each once, in order.
        uncited_claim_count: how many sentences claim something without a citation.
        uncited_sentences: those sentences.
        hallucination_detected: whether anything was cited that does not exist.
        needs_retry: whether the answer should be written again: an invalid citation, or five uncited sentences.
    """

    invalid_citations: tuple[str, ...] = ()
    uncited_claim_count: int = 0
    uncited_sentences: tuple[str, ...] = ()
    hallucination_detected: bool = False
    needs_retry: bool = False

    def confidence(self, base: float) -> float:
        """A judge's confidence ``base`` lowered by the findings: halved by an invalid citation, 3 % less for each uncited sentence.

        The sentences take 40 % at most; the result is in [0, 1]. ``base`` is in [0, 1]; 2 and more is a percentage, what lies between
        1 and 2 is 1, and what is below 0 is 0.

        Raises:
            ConfigError: ``base`` is no finite number.
        """
        if isinstance(base, bool) or not isinstance(base, int | float) or not math.isfinite(base):
            raise ConfigError(f"base: must be a finite number, got {base!r:.50}")
        share = min(max(base / 100 if base >= 2 else base, 0.0), 1.0)
        halved = 0.5 if self.invalid_citations else 1.0
        return share * halved * (1 - min(0.4, 0.03 * self.uncited_claim_count))
