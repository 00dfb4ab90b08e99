"""Reads tables in memory, of pandas and polars. They are known by their methods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .data_set import Record

if TYPE_CHECKING:
    from collections.abc import Iterator


def is_frame(source: Any) -> bool:
    """Whether a source is a table with columns."""
    return hasattr(source, "itertuples") or hasattr(source, "iter_rows")


def frame_columns(frame: Any) -> list[str]:
    """The names of its columns."""
    return [str(name) for name in _with_index(frame).columns]


def frame_records(frame: Any) -> Iterator[Record]:
    """The rows of a table."""
    columns = frame_columns(frame)
    if hasattr(frame, "itertuples"):
        rows = _with_index(frame).itertuples(index=False, name=None)
    else:
        rows = frame.iter_rows()
    for number, values in enumerate(rows, 1):
        yield Record(f"row {number}", dict(zip(columns, values, strict=True)))


def _with_index(frame: Any) -> Any:
    """A pandas frame whose index, where it has a name, is a column too: it may be the id."""
    names = getattr(getattr(frame, "index", None), "names", ())
    new = [name for name in names if name is not None and name not in frame.columns]
    return frame.reset_index(new) if new else frame
