"""The card of a judge's blind spots: what it says of statements whose truth is known, no labels."""

from .asking import probe, probe_estimate
from .card import Card, Comparison, KindCard, Paired, Repeat, compare_cards

__all__ = [
    "Card",
    "Comparison",
    "KindCard",
    "Paired",
    "Repeat",
    "compare_cards",
    "probe",
    "probe_estimate",
]
