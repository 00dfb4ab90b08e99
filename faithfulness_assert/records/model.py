"""The records that the rooms pass on: statements, evidence, verdicts, errors, the citation audit.

They are dataclasses and not pydantic models: a promptfoo assertion is a fresh Python process, and
building pydantic models would double its time. Pydantic reads dataclasses all the same
(``pydantic.TypeAdapter(Verdict)``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from ..records.checks import is_number
from ..text.strings import clean_text
from .errors import ConfigError, JudgeErrorKind

MAX_ANSWER_CHARS = 1_000_000

Label = Literal[
    "supported", "partially_supported", "not_enough_info", "contradicted", "not_a_claim"
]
Unresolved = Literal["missing", "duplicate", "invalid", "split"]
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
MARKED = "marked"
"""The flag of a verdict with words that the judge marks; the context may have them elsewhere."""
SET_ASIDE = "set_aside"
"""The flag of a statement that the judge calls no claim, though it claims something."""
EVIDENCE_FLAGS = ("no_such_evidence", "no_such_quote")
"""What is wrong with the evidence that a judge names."""
NUMBER_FLAG = "number_not_found"
VERBATIM_FLAG = "verbatim_in_context"
"""The flag of a statement that is not supported, though the context has it word for word."""
CODE_SKIPPED = "Check the code in the answer"
THOUGHT_SKIPPED = "Check what the model thought"
NEW_LINK, NEW_SOURCE = "Check the link", "Check the source"
NOT_JUDGED = (CODE_SKIPPED, THOUGHT_SKIPPED, NEW_LINK, NEW_SOURCE)
"""How warnings begin of what no judge is shown, and a person should check. A run counts them."""
WHOLE_ANSWER = "the context has the whole answer, word for word"
"""The words of a warning that a run counts."""
FLAGS = (*EVIDENCE_FLAGS, NUMBER_FLAG)
"""The flags that a judge's verdict may have."""
FINE_LABELS: tuple[Label | None, ...] = ("supported", "not_a_claim")
"""Those of statements with which nothing is wrong."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One checkable unit of the answer, with its character span in the answer if it has one.

    ``is_item``: it is an item of a list or a row of a table, so a name alone says something.
    ``shown``: its text with the headers of its table, or what else names a value, if there is any.
    ``heading``, ``lead_in``: of its part of the answer, and of its list; they are shown before it.
    All that is judged; the span is that of the text alone.
    ``list_number``: its place, if its list counts, else 0. The judge sees it: it may be a rank.
    """

    id: int
    text: str
    start: int | None = None
    end: int | None = None
    is_item: bool = False
    shown: str = ""
    heading: str = ""
    lead_in: str = ""
    list_number: int = 0


@dataclass(frozen=True, slots=True)
class Skipped:
    """A span of the answer that is not judged, with the reason."""

    start: int
    end: int
    reason: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """A sentence of the context: its number, passage, character span in the passage, and text.

    Where verdicts rest on truths, ``text`` is the truth, and the span is what it was found in.
    """

    sentence: int
    passage: str
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the judge said about one statement.

    Args:
        id, statement: the statement's number and text.
        label: None if no valid verdict came, even after asking again.
        unresolved: why there is no label; ``split`` if no majority of samples agrees.
        evidence: the sentences of the context that the judge points at or quotes.
        reason: the judge's reason, if the policy asks for one; of a ``split``, who said what.
        span: the statement's characters in the answer.
        repeat_of: the first statement with the same text and label, where repeats count once.
        flags: what is wrong with the evidence (``no_such_evidence``, ``no_such_quote``);
            ``lowered`` if ``strict_evidence`` lowered the label for it; ``marked`` if the judge
            marks words of the statement; ``set_aside`` if the judge calls what claims something no
            claim, so that it has no label; ``number_not_found`` if a supported statement has a
            number or unit that is nowhere in the context; and ``verbatim_in_context`` if the
            context has a statement word for word that is not supported.
        confidence: how probable the judge finds the label, or with ``samples`` the share of them
            that gave it, from 0 to 1; None if the judge does not say.
        shown: the share of the context, by characters, that the judge was shown with it; less than
            1 only where the context is long.
        wrong: the words of the statement, as it writes them, that the evidence lacks (numbers,
            dates, units, names, what the judge's reason quotes, and the words that the judge
            marks); of a supported one the numbers and units that are nowhere in the context.
        says: the one value of the same kind that the evidence has in place of a wrong number, as
            the context writes it; "" where that is not clear.
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
    shown: float = 1.0
    wrong: tuple[str, ...] = ()
    says: str = ""
    confidence: float | None = None

    @property
    def is_fine(self) -> bool:
        """Whether nothing is wrong with the statement: it is supported, or claims nothing."""
        return self.label in FINE_LABELS


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
    """What is wrong with the citations of an answer, found without a judge.

    Args:
        invalid_citations: cited ids that no passage has, each once, in order.
        uncited_claim_count: how many sentences claim something without a citation.
        uncited_sentences: those sentences.
        hallucination_detected: whether anything was cited that does not exist.
        needs_retry: whether the answer should be written again: it has an invalid citation, or
            five uncited sentences.
    """

    invalid_citations: tuple[str, ...] = ()
    uncited_claim_count: int = 0
    uncited_sentences: tuple[str, ...] = ()
    hallucination_detected: bool = False
    needs_retry: bool = False

    def confidence(self, base: float) -> float:
        """A judge's confidence, lowered by the findings, in [0, 1].

        An invalid citation halves it. Each uncited sentence takes 3 %, all together at most 40 %.

        Args:
            base: in [0, 1]. 2 and more is a percentage; between 1 and 2 counts as 1, below 0 as 0.

        Raises:
            ConfigError: ``base`` is not a finite number.
        """
        if not is_number(base):
            raise ConfigError(f"base: must be a finite number, got {base!r:.50}")
        share = min(max(base / 100 if base >= 2 else base, 0.0), 1.0)
        halved = 0.5 if self.invalid_citations else 1.0
        return share * halved * (1 - min(0.4, 0.03 * self.uncited_claim_count))
