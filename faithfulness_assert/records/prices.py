"""What tokens cost, as the caller says it."""

from __future__ import annotations

from collections.abc import Mapping

from .checks import check_mapping, is_number
from .errors import ConfigError, suggest

MAX_PRICE = 1e6
PRICE_NAMES = ("prompt", "completion", "cached")


def check_prices(value: object) -> Mapping[str, float] | None:
    """``value`` as prices per million tokens; None stays None."""
    if value is None:
        return None
    prices = check_mapping("prices", value)
    for name, price in prices.items():
        if name not in PRICE_NAMES:
            raise ConfigError(f"prices: unknown price {name!r}. {suggest(str(name), PRICE_NAMES)}")
        if not is_number(price) or not 0 <= price <= MAX_PRICE:
            allowed = f"a price per million tokens from 0 to {MAX_PRICE:,.0f}"
            raise ConfigError(f"prices: {name} must be {allowed}, got {price!r}")
    return prices
