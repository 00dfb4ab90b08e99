"""Read ratings: a number for each dimension, and suggestions. Also the reason for a score.

Only JSON is read, because prose is full of numbers. A rating that is missing, null, not a number,
or given twice with different values is left out.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

from ..records.errors import UnreadableReply
from ..text.strings import clean_text
from .contradictions import polarity
from .contradictions.remark_readers import prose_remarks, remarks_of
from .json_fixes import repair
from .json_values import ReplyParts, find_values, key_of, looks_like_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

MAX_SUGGESTIONS = 10
MAX_REASON_CHARS = 1000
MIDDLE = 0.5

_NUMBER = re.compile(r"[+-]?\d{1,6}(?:\.\d{1,20})?")
_VALUE_KEYS = ("score", "rating", "value")
_SUGGESTION_KEYS = ("suggestions", "improvementsuggestions", "improvements")


def ratings_in(parts: ReplyParts, names: Sequence[str]) -> dict[str, float]:
    """The finite ratings of ``names`` in a reply's JSON, unchanged."""
    given: dict[str, set[float | None]] = {name: set() for name in names}
    for value in _objects((*parts.values, *repair(parts.broken))):
        for name in names:
            if key_of(name) in value:
                given[name].add(_rating(value[key_of(name)]))
    # A rating that is given twice must be the same both times.
    return {
        name: rating
        for name, ratings in given.items()
        if len(ratings) == 1 and (rating := next(iter(ratings))) is not None
    }


def are_denied(parts: ReplyParts, ratings: Mapping[str, float]) -> bool:
    """Whether a reply denies its own rating of faithfulness.

    It says that judging failed; or it calls the whole answer unfaithful and rates it above the
    middle; or it names something that is not supported and gives the best rating.
    """
    scaled, _ = on_unit_scale({"it": ratings.get("faithfulness", max(ratings.values()))})
    said = [
        (key, value)
        for item in _objects(parts.values)
        for key, value in item.items()
        if key not in _SUGGESTION_KEYS and not any(key_of(name) in key for name in ratings)
    ]
    if any(polarity.is_failure(key) and polarity.says_something(value) for key, value in said):
        return True
    denied = any(_denies_whole(key, value) for key, value in said)
    doubted = any(remarks_of(key, value) for key, value in said if isinstance(value, str | list))
    prose = prose_remarks("\n".join(parts.around))
    return (scaled["it"] > MIDDLE and denied) or (scaled["it"] >= 1 and (doubted or bool(prose)))


def _denies_whole(key: str, value: Any) -> bool:
    """Whether {"verdict": "fail"} or {"faithful": false}. A low score may be of something else."""
    judges = polarity.kind_of(key) in ("affirming", "judging")
    return judges and isinstance(value, bool | str) and polarity.speaks_against(key, value, low=0)


def suggestions_in(parts: ReplyParts) -> tuple[str, ...]:
    """The suggestions for a better answer; () if there are none."""
    given = [
        value[key] for value in _objects(parts.values) for key in _SUGGESTION_KEYS if key in value
    ]
    listed = [item for items in given for item in (items if isinstance(items, list) else [items])]
    texts = [clean_text(item).strip() for item in listed if isinstance(item, str)]
    return tuple(text for text in texts if text)[:MAX_SUGGESTIONS]


def on_unit_scale(ratings: Mapping[str, float]) -> tuple[dict[str, float], tuple[str, ...]]:
    """The ratings in [0, 1], and a warning for each that was changed.

    Each rating above 1 is out of 100, as in MASIS. One that is then still out of range is set to
    the nearer end of [0, 1].
    """
    scaled = {name: value / 100 if value > 1 else value for name, value in ratings.items()}
    kept = {name: min(max(value, 0.0), 1.0) for name, value in scaled.items()}
    warnings = [
        f"the judge rated {name} {ratings[name]:g}; ratings above 1 are out of 100, so "
        f"{kept[name]:g} was used"
        if ratings[name] > 1
        else f"the judge rated {name} {ratings[name]:g}, which is out of range; "
        f"{kept[name]:g} was used"
        for name in ratings
        if kept[name] != ratings[name]
    ]
    return kept, tuple(warnings)


def reason_in(reply: str) -> str:
    """The reason that a reply gives, as JSON or in plain words.

    Raises:
        UnreadableReply: it gives none.
    """
    reasons = [
        value["reason"]
        for value in _objects(find_values(reply).values)
        if isinstance(value.get("reason"), str)
    ]
    text = reasons[0] if reasons else "" if looks_like_json(reply) else reply
    if not text.strip():
        raise UnreadableReply("the judge's reply contains no reason")
    return clean_text(text).strip()[:MAX_REASON_CHARS]


def _objects(values: Sequence[Any]) -> Iterator[dict[str, Any]]:
    """All objects in ``values``, at any depth."""
    for value in values:
        if isinstance(value, dict):
            yield value
            yield from _objects(list(value.values()))
        elif isinstance(value, list):
            yield from _objects(value)


def _rating(value: Any) -> float | None:
    if isinstance(value, dict):  # {"score": 0.9, "reason": "..."}
        value = next((value[key] for key in _VALUE_KEYS if key in value), None)
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        value = float(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)
