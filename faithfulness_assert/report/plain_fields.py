"""Takes fields out of JSON that nobody has checked: results may be old, damaged or hostile.

Each function returns something of its type, whatever it is given.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from ..text.strings import clean_text

MAX_NUMBER = 1e15


def text_of(value: object) -> str:
    """A text without lone surrogates; "" for None. Other values as Python writes them."""
    if isinstance(value, str):
        return clean_text(value)
    return "" if value is None else clean_text(str(value))


def mapping_of(value: object) -> Mapping[str, Any]:
    """The mapping itself, or an empty one."""
    return value if isinstance(value, Mapping) else {}


def list_of(value: object) -> list[Any]:
    """The items of a list, or none."""
    return list(value) if isinstance(value, list | tuple) else []


def number_of(value: object) -> float | None:
    """A finite number of a size that a page can show; None for everything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if not -MAX_NUMBER < value < MAX_NUMBER or math.isnan(value):
        return None
    return float(value)


def share_of(value: object) -> float | None:
    """A number in [0, 1]; None for everything else."""
    number = number_of(value)
    return number if number is not None and 0 <= number <= 1 else None


def whole_of(value: object) -> int | None:
    """A whole number from 0; None for everything else."""
    number = number_of(value)
    return int(number) if number is not None and number >= 0 and number == int(number) else None


def span_of(start: object, end: object, size: int) -> tuple[int, int] | None:
    """A span inside a text of this size that is not empty; None for everything else."""
    first, last = whole_of(start), whole_of(end)
    if first is None or last is None or not first < last <= size:
        return None
    return first, last


_HIDDEN = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]"
)


def shown_text(text: str) -> str:
    """A text for the page itself: characters that hide or reorder text are named, as [U+202E]."""
    return _HIDDEN.sub(lambda found: f"[U+{ord(found[0]):04X}]", clean_text(text))
