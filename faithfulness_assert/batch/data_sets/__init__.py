"""Data sets in: files, frames, exports of other systems, and iterables, as rows."""

from .data_set import DataSet
from .sources import open_data_set

__all__ = ["DataSet", "open_data_set"]
