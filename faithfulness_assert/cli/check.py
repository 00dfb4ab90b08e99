"""The outcome of a check of ``doctor``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Check:
    """What a check found: ``text`` says it, and how to fix a problem."""

    state: Literal["ok", "warn", "fail"]
    text: str
