"""The card of a judge's blind spots: what it says of statements whose truth is known, no labels."""

from .asking import probe, probe_estimate
from .card import Card, KindCard, Repeat

__all__ = ["Card", "KindCard", "Repeat", "probe", "probe_estimate"]
