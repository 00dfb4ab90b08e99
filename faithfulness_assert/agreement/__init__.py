"""How far a judge can be trusted: its verdicts beside those of people."""

from .rates import MIN_LABELS, Rate, unfaithful_rate

__all__ = ["MIN_LABELS", "Rate", "unfaithful_rate"]
