"""The fields of a case under the names of other systems, and records of those systems."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from itertools import islice
from typing import Any

from ..records.errors import InputError, suggest
from ..text.strings import clean_text
from .systems import CASE_ALIASES

MAX_IGNORED = 100
"""Fields. Of more, the rest is neither listed nor compared with ours."""

_OUR_NAMES = {alias: name for name, aliases in CASE_ALIASES.items() for alias in aliases}
_KNOWN = (*CASE_ALIASES, "id", *_OUR_NAMES)
_NOT_A_TYPO = {"retrieved_context_ids"}  # a field of ragas
_SIMILAR = 0.8
_MISSING = {"NAType", "NaTType"}  # of pandas; they cannot be compared


def is_missing(value: object) -> bool:
    """Whether a value says that there is none: None, NaN, or pandas' ``NA`` and ``NaT``."""
    if value is None or type(value).__name__ in _MISSING:
        return True
    return isinstance(value, float) and value != value


def by_our_names(ours: Mapping[str, Any], named: Mapping[str, Any]) -> dict[str, Any]:
    """The given fields of a case under our names; a field that is missing (NaN too) is not given.

    Raises:
        InputError: a field is unknown, or given under two names.
    """
    given = {name: value for name, value in ours.items() if not is_missing(value)}
    used = {name: name for name in given}
    for alias, value in named.items():
        name = _OUR_NAMES.get(alias)
        if name is None:
            raise _unknown(alias)
        if is_missing(value):
            continue
        if name in given:
            raise InputError(f"{alias}: conflicts with {used[name]}; give only one of them")
        given[name], used[name] = value, alias
    return given


def names_question(named: Mapping[str, Any]) -> bool:
    """Whether a field of another system for the question is there, even if it is None."""
    return any(_OUR_NAMES.get(name) == "question" for name in named)


def split_record(record: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The fields of a case in a record, and the names of those that are ignored.

    A record may be of another system, with fields that are not part of a case.

    Raises:
        InputError: the name of an unknown field looks like a misspelled one.
    """
    fields, others = known_fields(record)
    for name in list(others)[:MAX_IGNORED]:
        if name not in CASE_ALIASES and _is_typo(name):
            raise _unknown(name)
    named = (clean_text(name)[:60] for name, value in others.items() if _has_content(value))
    return fields, tuple(islice(named, MAX_IGNORED))


def known_fields(record: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The fields of a case in a record, under its own names, and everything else in it."""
    fields = {str(name): value for name, value in record.items()}
    metrics = fields.get("metrics")  # a state of MASIS has its audit there
    audit = metrics.get("last_citation_audit") if isinstance(metrics, Mapping) else None
    if audit is not None:
        fields.setdefault("last_citation_audit", audit)
    others = [name for name in fields if name not in _KNOWN]
    of_deepeval = ("actual_output", "retrieval_context")
    if "context" in fields and all(fields.get(name) is not None for name in of_deepeval):
        others.insert(0, "context")  # the ideal context, not the retrieved one
    return fields, {name: fields.pop(name) for name in others}


@lru_cache(maxsize=1000)
def _is_typo(name: str) -> bool:
    """Whether a name looks like a misspelled one of ours; ``question_id`` does not."""
    if name in _NOT_A_TYPO or any(name.startswith(f"{known}_") for known in _KNOWN):
        return False
    import difflib  # only needed for unknown fields

    return bool(difflib.get_close_matches(name[:60], _KNOWN, 1, _SIMILAR))


def _has_content(value: object) -> bool:
    if isinstance(value, str | list | tuple | Mapping):
        return bool(value)
    return value is not None and value is not False


def _unknown(name: str) -> InputError:
    return InputError(f"{name:.60}: unknown field. {suggest(name[:60], _KNOWN)}")
