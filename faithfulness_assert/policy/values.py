"""The values that the fields of a policy take: their types, and how each is said and checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import partial
from typing import Any, Literal, NamedTuple, get_args

from ..reading.rows import normalise
from ..records.checks import is_fraction, is_number, is_whole
from ..records.errors import ConfigError, suggest
from ..records.model import FLAGS, LABELS, Label
from ..text.strings import clean_text

Split = Literal["sentences", "claims"]
Verify = Literal["batch", "per_claim", "truths", "rubric"]
Ending = Literal["fail", "pass", "error"]
NothingToGrade = Literal["blank", "no_statements", "abstained", "no_context"]
Explain = Literal["ours", "judge", "none"]
Headline = Literal["supported", "made_up"]
Controls = Literal["auto", "off", "report", "enforce"]
OnMissing = Literal["unsupported", "error"]
Citations = Literal["off", "audit", "enforce"]
AuditFinding = Literal["invalid_citations", "hallucination", "uncited"]

ALL_FAIL: dict[NothingToGrade, Ending | float] = dict.fromkeys(get_args(NothingToGrade), "fail")
SCORED: tuple[Label, ...] = ("supported", "partially_supported", "not_enough_info", "contradicted")
DIMENSIONS = ("faithfulness", "relevance", "completeness", "reasoning_quality")
TOLERANCE = 1e-9
"""A score that misses the threshold by no more than this passes."""
MAX_GUIDANCE_CHARS = 20_000
MAX_WEIGHT = 1000


@dataclass(frozen=True, slots=True)
class ScoreCap:
    """The highest possible score if the citation audit has at least ``at_least`` of ``finding``.

    A cap never raises a score.
    """

    finding: AuditFinding
    ceiling: float
    at_least: int = 1


@dataclass(frozen=True, slots=True)
class Example:
    """A solved case for the judge, in the user's own words."""

    context: str
    statement: str
    label: Label

    def __post_init__(self) -> None:
        for name in ("context", "statement"):
            text = getattr(self, name)
            if not isinstance(text, str):
                raise ConfigError(f"examples: {name} must be a string, got {type(text).__name__}")
            object.__setattr__(self, name, clean_text(text))


SCORE_CAPS = (
    ScoreCap("invalid_citations", 0.4),
    ScoreCap("hallucination", 0.4),
    ScoreCap("uncited", 0.5, 5),
    ScoreCap("uncited", 0.3, 10),
)


class Values(NamedTuple):
    """The values that a field takes.

    Args:
        description: in words, as the tables of options show them.
        problem: what is wrong with a value, after the field's name and a colon; None if nothing is.
        from_data: the value that plain data (of a file, or of an option) stands for, given the
            value that it changes. What it cannot use stays as it is, for ``problem`` to find.
    """

    description: str
    problem: Callable[[Any], str | None]
    from_data: Callable[[Any, Any], Any] = lambda data, _: data


def _tuple(data: Any, _: object) -> Any:
    return tuple(data) if isinstance(data, list) else data


def _values(description: str, is_right: Callable[[Any], bool], what: str = "") -> Values:
    """Values that a test finds. ``what``: what a wrong one must be; default: ``description``."""

    def problem(value: Any) -> str | None:
        return None if is_right(value) else f"must be {what or description}, got {value!r:.80}"

    return Values(description, problem)


# ---------------------------------------------------------------- a word, a number, texts


def one_of(kind: Any) -> Values:
    """One of the words of a ``Literal``."""
    words = get_args(kind)
    description = ", ".join(words)

    def from_data(data: Any, _: object) -> Any:
        return "off" if data is False and "off" in words else data  # YAML reads off as false

    values = _values(description, lambda value: value in words, f"one of {description}")
    return values._replace(from_data=from_data)


def count(lowest: int, highest: int) -> Values:
    """A whole number of this range."""
    description = f"{lowest} to {highest}"
    return _values(
        description,
        lambda value: is_whole(value) and lowest <= value <= highest,
        f"a whole number from {description}",
    )


FLAG = _values("true or false", lambda value: isinstance(value, bool))
FRACTION = _values("0 to 1", is_fraction, "a number from 0 to 1")
COUNT_OR_ALL = _values(
    "whole number from 1, or null: all",
    lambda value: value is None or (is_whole(value) and value >= 1),
    "a whole number from 1, or None",
)
TEXT = _values("text", lambda value: isinstance(value, str), "a text")
NAME = _values(
    "printable text",
    lambda value: isinstance(value, str) and value != "" and value.isprintable(),
    "a printable text",
)
_LIMITED = f"text of at most {MAX_GUIDANCE_CHARS:,} characters"
GUIDANCE = _values(
    _LIMITED,
    lambda value: isinstance(value, str) and len(value) <= MAX_GUIDANCE_CHARS,
    f"a {_LIMITED}",
)
TEXTS = _values(
    "list of texts",
    lambda value: isinstance(value, tuple) and all(isinstance(text, str) for text in value),
    "a list of texts",
)._replace(from_data=_tuple)

# ---------------------------------------------------------------- labels, weights, and the like


def _unknown(kind: str, names: Any, allowed: Sequence[str]) -> str | None:
    """That one of these names is not known, with the nearest one that is."""
    unknown = next((name for name in names if name not in allowed), None)
    return unknown and f"unknown {kind} {unknown!r}. {suggest(str(unknown), allowed)}"


def _weights_problem(weights: object) -> str | None:
    if not isinstance(weights, Mapping) or "supported" not in weights:
        return f"must map labels ({', '.join(SCORED)}) to numbers and include 'supported'"
    if unknown := _unknown("label", weights, SCORED):
        return unknown
    for label, weight in weights.items():
        if not is_number(weight) or abs(weight) > MAX_WEIGHT:
            span = f"from -{MAX_WEIGHT} to {MAX_WEIGHT}"
            return f"{label} must be a finite number {span}, got {weight!r}"
    return None


def _names_problem(kind: str, allowed: Sequence[str], example: str, names: object) -> str | None:
    if isinstance(names, str) or not isinstance(names, Sequence):
        return f'must be a list of {kind}s such as ["{example}"], got {names!r:.80}'
    return _unknown(kind, names, allowed)


_labels_problem = partial(_names_problem, "label", LABELS, "contradicted")
_flags_problem = partial(_names_problem, "flag", FLAGS, FLAGS[0])


def _judge_words_problem(words: object) -> str | None:
    if not isinstance(words, Mapping):
        return f"must map words to labels, got {words!r}"
    if not all(isinstance(word, str) and normalise(word) for word in words):
        return "each word must be a string with a letter or a digit"
    return _labels_problem(list(words.values()))


def _dimensions_problem(shares: object) -> str | None:
    if not isinstance(shares, Mapping):
        return "must map dimensions to shares if verify='rubric', else be empty"
    if unknown := _unknown("dimension", shares, DIMENSIONS):
        return unknown
    if any(not is_fraction(share) for share in shares.values()):
        return f"each must be a number from 0 to 1, got {dict(shares)!r}"
    if shares and ("faithfulness" not in shares or abs(sum(shares.values()) - 1) > TOLERANCE):
        return "must include faithfulness and add up to 1"
    return None


def _endings_problem(endings: object) -> str | None:
    words, cases = (", ".join(get_args(kind)) for kind in (Ending, NothingToGrade))
    if not isinstance(endings, Mapping):
        return f"must map {cases} to how each ends, got {endings!r:.80}"
    if unknown := _unknown("key", endings, get_args(NothingToGrade)):
        return unknown
    for name, ending in endings.items():
        if not (is_fraction(ending) or (isinstance(ending, str) and ending in get_args(Ending))):
            return f"{name} must be one of {words} or a score from 0 to 1, got {ending!r:.80}"
    return None


def _over(data: Any, current: Mapping[Any, Any]) -> Any:
    return {**current, **data} if isinstance(data, Mapping) else data


WEIGHTS = Values("mapping of labels to numbers from -1000 to 1000", _weights_problem, _over)
ENDINGS = Values(
    f"mapping of {', '.join(ALL_FAIL)} to fail, pass, error, or a score from 0 to 1",
    _endings_problem,
    _over,
)
FLAG_LIST = Values(f"list of: {', '.join(FLAGS)}", _flags_problem, _tuple)
LABEL_LIST = Values("list of labels", _labels_problem, _tuple)
JUDGE_WORDS = Values("mapping of words to labels", _judge_words_problem)
SHARES = Values(
    "mapping of dimensions to numbers from 0 to 1, with a sum of 1", _dimensions_problem
)

# ---------------------------------------------------------------- records


def _is_list_of(kind: type, values: Any) -> bool:
    return isinstance(values, list | tuple) and all(isinstance(value, kind) for value in values)


def _caps_problem(caps: Any) -> str | None:
    if not _is_list_of(ScoreCap, caps):
        return "must be a list of ScoreCap"
    findings = get_args(AuditFinding)
    for cap in caps:
        if cap.finding not in findings:
            return f"finding must be one of {', '.join(findings)}, got {cap.finding!r}"
        if not is_fraction(cap.ceiling):
            return f"ceiling must be a number from 0 to 1, got {cap.ceiling!r}"
        if not is_whole(cap.at_least) or cap.at_least < 0:
            return f"at_least must be a whole number from 0, got {cap.at_least!r}"
    return None


def _examples_problem(examples: Any) -> str | None:
    if not _is_list_of(Example, examples):
        return "must be a list of examples, each with context, statement and label"
    return _labels_problem([example.label for example in examples])


def _records(kind: type, problem: Callable[[Any], str | None], name: str) -> Values:
    """A list of records of one kind. In plain data each is a mapping of its fields."""
    takes = ", ".join(f.name for f in fields(kind))

    def record(item: object) -> object:
        if not isinstance(item, Mapping):
            return item
        try:
            return kind(**item)
        except TypeError:
            got = ", ".join(map(str, item))
            raise ConfigError(f"{name}: each takes {takes}, got {got}") from None

    def from_data(data: Any, _: object) -> Any:
        return tuple(map(record, data)) if isinstance(data, list | tuple) else data

    return Values(f"list of mappings with {takes}", problem, from_data)


CAPS = _records(ScoreCap, _caps_problem, "score_caps")
EXAMPLES = _records(Example, _examples_problem, "examples")


def prompt_field(
    meaning: str,
    default: Any,
    takes: Any = FLAG,
    *,
    keeps_prompts: Callable[[Any, Any], bool] | None = None,
) -> Any:
    """A field of a policy, with all that there is to say of it.

    Args:
        meaning: in one line.
        takes: its ``Values``, or a ``Literal`` of words; without any, it is true or false.
        keeps_prompts: whether two policies ask the same, and read the replies alike, as far as this
            field goes; None: only if it is equal in both.
    """
    values = takes if isinstance(takes, Values) else one_of(takes)
    metadata = {"meaning": meaning, "takes": values, "keeps_prompts": keeps_prompts}
    if isinstance(default, dict):
        return field(default_factory=lambda: default, hash=False, metadata=metadata)
    return field(default=default, metadata=metadata)


def scoring_field(meaning: str, default: Any, takes: Any = FLAG) -> Any:
    """A field that says what becomes of verdicts: whatever it is, the judge is asked the same."""
    return prompt_field(meaning, default, takes, keeps_prompts=lambda *_: True)
