"""The card of a judge's blind spots: what it says of statements whose truth is known, no labels."""

from .asking import probe, probe_estimate
from .card import Card, KindCard

__all__ = ["Card", "KindCard", "probe", "probe_estimate"]
