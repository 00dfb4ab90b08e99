"""Data sets of any size: read, graded in runs that can go on, compared.

Parts: ``data_sets/`` reads rows from files, frames and exports of other systems; ``store`` keeps
rows and results in one SQLite file; the engines (this machine, a provider's batch API, Ray) grade
the rest.
"""

from .derived_runs import merge, rescore
from .local_run import RunOutcome, run

__all__ = ["RunOutcome", "merge", "rescore", "run"]
