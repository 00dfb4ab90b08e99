"""The numbers of statements as judges write them in JSON."""

from __future__ import annotations

import re

_ID = re.compile(
    r"(?:(?:statement|claim|sentence|verdict|no|s|c|v|#)(?:[\s_.#]{0,3}|-))?(\d{1,9})[.):]?",
    re.IGNORECASE,
)
_CAP = 40  # characters


def read_id(value: object) -> int | None:
    """A statement's number: 3, "3", "S3", "statement_3". True is not a number."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if not isinstance(value, str) or len(value) >= _CAP:
        return None
    match = _ID.fullmatch(value.strip())
    return int(match[1]) if match else None
