"""The options of judges behind an API: checked, and kept from showing secrets."""

from __future__ import annotations

import os
from urllib.parse import SplitResult, urlsplit

from ...records.errors import ConfigError


class Secret(str):
    """A string that does not show itself in a ``repr``."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "'[redacted]'"


def check_number(name: str, value: object, low: float, high: float, *, whole: bool = False) -> None:
    """Raises ``ConfigError`` where the option ``name`` is no (whole) number from ``low`` to ``high``."""
    kinds = int if whole else (int, float)
    if isinstance(value, bool) or not isinstance(value, kinds) or not low <= value <= high:
        raise ConfigError(
            f"{name}: must be a {'whole ' if whole else ''}number from {low:,} to {high:,}, got {value!r}"
        )


def check_text(name: str, value: object) -> str:
    """``value`` without blanks around it. Raises ``ConfigError`` where it is no string or is blank."""
    if not isinstance(value, str) or not value.strip():
        raise ConfigError(f"{name}: must be a string that is not blank, got {type(value).__name__}")
    return value.strip()


def split_url(url: str) -> SplitResult:
    """The parts of ``base_url``. Raises ``ConfigError`` where it is no address of HTTP; the message does not show it."""
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and parts.hostname and (parts.port or 0) >= 0
    except ValueError:
        usable = False
    if not usable:
        raise ConfigError("base_url: must be an address such as https://host/v1")
    return parts


def read_key(given: object, variable: str, *, needed: bool) -> Secret:
    """The key that was given, else that of the environment; an empty one where there is none and none is ``needed``.

    Raises:
        ConfigError: it is missing, or cannot be a key.
    """
    if given is not None and not isinstance(given, str):
        raise ConfigError(f"api_key: must be a string, got {type(given).__name__}")
    key = Secret((given or os.environ.get(variable) or "").strip())
    if not key and needed:
        raise ConfigError(
            f"api_key: none was given; set {variable} in the environment or pass api_key"
        )
    if any(not "!" <= c <= "~" for c in key):
        raise ConfigError(
            "api_key: holds a character that no key has (a blank, a line break, a letter beyond ASCII)"
        )
    return key
