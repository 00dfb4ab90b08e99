"""How far a judge can be trusted: its verdicts beside those of people.

``write_sheet`` draws answers of a run that people label, ``measure`` holds judges against the
labels, and ``unfaithful_rate`` gives the share of unfaithful answers from labels alone.
"""

from .drawing import unfaithful_rate
from .figures import ac1, kappa
from .measuring import Agreement, measure
from .sheets import write_sheet

__all__ = ["Agreement", "ac1", "kappa", "measure", "unfaithful_rate", "write_sheet"]
