"""The values that the fields of a policy take: their types, and how each is said and checked."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal, NamedTuple, get_args

from ..reading.rows import normalise
from ..records.checks import as_share, is_fraction, is_number, is_whole
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


# ---------------------------------------------------------------- what a field takes


def _unchanged(data: Any, _: object) -> Any:
    return data


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
    from_data: Callable[[Any, Any], Any] = _unchanged


def _values(
    description: str,
    is_right: Callable[[Any], bool],
    must_be: str = "",
    from_data: Callable[[Any, Any], Any] = _unchanged,
) -> Values:
    """Values that a test finds. ``must_be``: what a wrong one must be; else the description."""

    def problem(value: Any) -> str | None:
        return None if is_right(value) else f"must be {must_be or description}, got {value!r:.80}"

    return Values(description, problem, from_data)


def one_of(kind: Any) -> Values:
    """One of the words of a ``Literal``."""
    words = get_args(kind)
    description = ", ".join(words)

    def from_data(data: Any, _: object) -> Any:
        return "off" if data is False and "off" in words else data  # YAML reads off as false

    return _values(description, lambda value: value in words, f"one of {description}", from_data)


def count(lowest: int, highest: int) -> Values:
    """A whole number of this range."""
    description = f"{lowest} to {highest}"

    def is_right(value: Any) -> bool:
        return is_whole(value) and lowest <= value <= highest

    return _values(description, is_right, f"a whole number from {description}")


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _as_tuple(data: Any, _: object) -> Any:
    return tuple(data) if isinstance(data, list) else data


FLAG = _values("true or false", lambda value: isinstance(value, bool))
FRACTION = _values("0 to 1", is_fraction, "a number from 0 to 1", lambda data, _: as_share(data))
COUNT_OR_ALL = _values(
    "whole number from 1, or null: all",
    lambda value: value is None or (is_whole(value) and value >= 1),
    "a whole number from 1, or None",
)
TEXT = _values("a text", _is_text)
NAME = _values("a printable text", lambda value: _is_text(value) and value and value.isprintable())
TEXTS = _values(
    "list of texts",
    lambda value: isinstance(value, tuple) and all(map(_is_text, value)),
    "a list of texts",
    _as_tuple,
)
GUIDANCE = _values(
    f"a text of at most {MAX_GUIDANCE_CHARS:,} characters",
    lambda value: _is_text(value) and len(value) <= MAX_GUIDANCE_CHARS,
)


# ---------------------------------------------------------------- lists


def unknown_name(kind: str, names: Iterable[Any], allowed: Collection[str]) -> str | None:
    """That one of these names is not known, with the nearest one that is."""
    for name in names:
        if name not in allowed:
            return f"unknown {kind} {name!r:.80}. {suggest(str(name)[:60], allowed)}"
    return None


def _names(kind: str, allowed: Sequence[str], example: str, description: str) -> Values:
    def problem(names: Any) -> str | None:
        if isinstance(names, str) or not isinstance(names, Sequence):
            return f'must be a list of {kind}s such as ["{example}"], got {names!r:.80}'
        return unknown_name(kind, names, allowed)

    return Values(description, problem, _as_tuple)


FLAG_LIST = _names("flag", FLAGS, FLAGS[0], f"list of: {', '.join(FLAGS)}")
LABEL_LIST = _names("label", LABELS, "contradicted", "list of labels")


def _records(kind: type, name: str) -> Values:
    """A list of records of one kind, which check themselves. In plain data they are mappings."""
    takes = ", ".join(f.name for f in fields(kind))

    def is_right(records: Any) -> bool:
        return isinstance(records, list | tuple) and all(isinstance(r, kind) for r in records)

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

    description = f"list of mappings with {takes}"
    return _values(description, is_right, f"a {description}", from_data)


@dataclass(frozen=True, slots=True)
class ScoreCap:
    """The highest possible score if the citation audit has at least ``at_least`` of ``finding``.

    A cap never raises a score.
    """

    finding: AuditFinding
    ceiling: float
    at_least: int = 1

    def __post_init__(self) -> None:
        takes = {"finding": one_of(AuditFinding), "ceiling": FRACTION, "at_least": _FROM_ZERO}
        for name, values in takes.items():
            if problem := values.problem(getattr(self, name)):
                raise ConfigError(f"score_caps: {name} {problem}")


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
        if problem := LABEL_LIST.problem((self.label,)):
            raise ConfigError(f"examples: {problem}")


_FROM_ZERO = _values("", lambda value: is_whole(value) and value >= 0, "a whole number from 0")
SCORE_CAPS = (
    ScoreCap("invalid_citations", 0.4),
    ScoreCap("hallucination", 0.4),
    ScoreCap("uncited", 0.5, 5),
    ScoreCap("uncited", 0.3, 10),
)
CAPS = _records(ScoreCap, "score_caps")
EXAMPLES = _records(Example, "examples")


# ---------------------------------------------------------------- mappings


def _mapping(
    content: str, kind: str, names: Sequence[str], each: Values, needed: str = ""
) -> Values:
    """Values by names of a kind. Plain data changes those that it has, and keeps the others.

    Args:
        content: which names it maps to what.
        each: what each name takes.
        needed: the name that it must have.
    """

    def problem(given: Any) -> str | None:
        if not isinstance(given, Mapping) or (needed and needed not in given):
            also = f", with {needed!r}" if needed else ""
            return f"must be a mapping of {content}{also}, got {given!r:.80}"
        if unknown := unknown_name(kind, given, names):
            return unknown
        problems = (f"{n} {wrong}" for n, value in given.items() if (wrong := each.problem(value)))
        return next(problems, None)

    def from_data(data: Any, current: Mapping[Any, Any]) -> Any:
        return {**current, **data} if isinstance(data, Mapping) else data

    return Values(f"mapping of {content}", problem, from_data)


_WEIGHT = _values(
    f"a finite number from -{MAX_WEIGHT} to {MAX_WEIGHT}",
    lambda value: is_number(value) and abs(value) <= MAX_WEIGHT,
)
_ENDING = _values(
    f"one of {', '.join(get_args(Ending))} or a score from 0 to 1",
    lambda value: is_fraction(value) or (isinstance(value, str) and value in get_args(Ending)),
)
_TO_NUMBERS = f"labels to numbers from -{MAX_WEIGHT} to {MAX_WEIGHT}"
_TO_ENDINGS = f"{', '.join(ALL_FAIL)} to fail, pass, error, or a score from 0 to 1"
WEIGHTS = _mapping(_TO_NUMBERS, "label", SCORED, _WEIGHT, needed="supported")
ENDINGS = _mapping(_TO_ENDINGS, "key", tuple(ALL_FAIL), _ENDING)
SHARES = _mapping("dimensions to shares", "dimension", DIMENSIONS, FRACTION)
SHARES = SHARES._replace(from_data=_unchanged)  # data replaces all of them


def _judge_words_problem(words: object) -> str | None:
    if not isinstance(words, Mapping):
        return f"must be a mapping of words to labels, got {words!r:.80}"
    if not all(isinstance(word, str) and normalise(word) for word in words):
        return "each word must be a string with a letter or a digit"
    return LABEL_LIST.problem(list(words.values()))


JUDGE_WORDS = Values("mapping of words to labels", _judge_words_problem)


# ---------------------------------------------------------------- fields


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
