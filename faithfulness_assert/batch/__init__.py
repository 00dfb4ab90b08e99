"""Data sets of any size: read, graded in runs that can go on, compared.

``store`` keeps rows and results in one SQLite file; the engines (this machine, a provider's batch
API, Ray) grade the rest.
"""

from ..cases.sources import open_data_set
from .derived_runs import merge, rescore
from .local_run import RunOutcome, run

__all__ = ["RunOutcome", "merge", "open_data_set", "rescore", "run"]
