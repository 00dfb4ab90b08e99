"""Runs over a provider's batch API, at half the price: submit, leave, and collect later.

The directory of the run has all that it needs to go on, but no key: on another machine the key
comes from the environment there.
"""

from .rounds import Standing
from .runs import FILES, SERVICES, collect, import_answers, is_begun, submit
from .store import KeptRows

__all__ = [
    "FILES",
    "SERVICES",
    "KeptRows",
    "Standing",
    "collect",
    "import_answers",
    "is_begun",
    "submit",
]
