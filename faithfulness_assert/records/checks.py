"""What is a number, and the checks of values that every room shares."""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, TypeGuard

from .errors import ConfigError, suggest

MAX_PRICE = 1e6
PRICE_NAMES = ("prompt", "completion", "cached")


def is_whole(value: object) -> TypeGuard[int]:
    """Whether ``value`` is a whole number: True and False are not."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_number(value: object) -> TypeGuard[float]:
    """Whether ``value`` is a finite number and not a bool."""
    if not is_whole(value) and not isinstance(value, float):
        return False
    return abs(value) < 1e300 and math.isfinite(value)


def is_fraction(value: object) -> TypeGuard[float]:
    """Whether ``value`` is a number in [0, 1] and not a bool."""
    return is_number(value) and 0 <= value <= 1


def as_mapping(value: object) -> Mapping[str, Any]:
    """The mapping itself, or an empty one in place of anything else."""
    return value if isinstance(value, Mapping) else {}


def mappings_in(value: object) -> list[Mapping[str, Any]]:
    """The mappings in a list; none in anything else."""
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []


def as_share(value: object) -> object:
    """The number of a text such as ``80%`` or ``0.8``; any other value as it is."""
    number, sign, rest = value.partition("%") if isinstance(value, str) else ("", "", "")
    with suppress(ValueError):
        return value if rest else float(number) / (100 if sign else 1)
    return value


def check_number(
    name: str,
    value: object,
    low: float,
    high: float,
    *,
    whole: bool = False,
    optional: bool = False,
) -> None:
    """Raises ``ConfigError`` if the option is not a (whole) number from ``low`` to ``high``.

    ``optional``: None is right, too.
    """
    if value is None and optional:
        return
    if not is_number(value) or (whole and not is_whole(value)) or not low <= value <= high:
        kind = "whole number" if whole else "number"
        raise ConfigError(f"{name}: must be a {kind} from {low:,} to {high:,}, got {value!r:.80}")


def check_text(name: str, value: object) -> str:
    """``value`` without blanks around it. Raises ``ConfigError`` unless it is non-blank text."""
    if not isinstance(value, str) or not value.strip():
        raise ConfigError(f"{name}: must be a non-blank string, got {type(value).__name__}")
    return value.strip()


def check_mapping(name: str, value: object) -> Mapping[str, Any]:
    """``value`` as a mapping; an empty one for None."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        kind = type(value).__name__
        raise ConfigError(f'{name}: must be a mapping, as JSON {{"name": value}}, got {kind}')
    return value


def check_prices(value: object) -> Mapping[str, float] | None:
    """``value`` as prices per million tokens; None stays None."""
    if value is None:
        return None
    prices = check_mapping("prices", value)
    for name, price in prices.items():
        if name not in PRICE_NAMES:
            raise ConfigError(f"prices: unknown price {name!r}. {suggest(str(name), PRICE_NAMES)}")
        check_number(f"prices: {name}", price, 0, MAX_PRICE)
    return prices
