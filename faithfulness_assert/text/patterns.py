"""Regular expressions that are compiled on first use.

Python needs up to 3 ms to compile one. A promptfoo assertion may be a fresh process, and most texts
never need most patterns: those that only some texts need are made here.
"""

from __future__ import annotations

import re
from typing import Any, cast


def lazy_pattern(text: str, flags: int = 0) -> re.Pattern[str]:
    """As ``re.compile``, but the pattern is compiled when one of its methods is used."""
    return cast("re.Pattern[str]", _Pattern(text, flags))


class _Pattern:
    def __init__(self, text: str, flags: int) -> None:
        self._given = text, flags

    def __getattr__(self, name: str) -> Any:
        # Called once for each method: the next use finds what is set here.
        value = getattr(re.compile(*self._given), name)
        setattr(self, name, value)
        return value
