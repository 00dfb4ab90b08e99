"""Parquet files, with pyarrow (the extra ``parquet``)."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from ..records.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

ROWS = 200
"""Rows that are read at once."""
WRITTEN = 10_000
"""Rows that are written at once."""


def parquet_columns(file: Path) -> list[str]:
    """The names of the columns. Raises ``ConfigError`` if the file cannot be read."""
    with _open(file) as table:
        return list(table.schema_arrow.names)


def parquet_rows(file: Path) -> Iterator[dict[str, Any]]:
    """The rows, a few at a time. Raises ``ConfigError`` if the file cannot be read."""
    with _open(file) as table:
        for batch in table.iter_batches(batch_size=ROWS):
            yield from batch.to_pylist()


def write_parquet(
    rows: Iterable[Mapping[str, Any]], columns: Mapping[str, type], file: Path
) -> None:
    """Writes rows to a new file. ``columns`` has the type of each: str, int, float or bool."""
    pyarrow = load_pyarrow()
    types = {str: "string", int: "int64", float: "float64", bool: "bool"}
    schema = pyarrow.schema([(name, types[kind]) for name, kind in columns.items()])
    waiting = iter(rows)
    with pyarrow.parquet.ParquetWriter(file, schema) as writer:
        while part := list(islice(waiting, WRITTEN)):
            writer.write_batch(pyarrow.RecordBatch.from_pylist(part, schema=schema))


def load_pyarrow() -> Any:
    """The package. Raises ``ConfigError`` if it is not installed."""
    try:
        import pyarrow.parquet
    except ImportError:
        raise ConfigError(
            "Parquet files need pyarrow. Run: pip install faithfulness-assert[parquet]"
        ) from None
    return pyarrow


def _open(file: Path) -> Any:
    pyarrow = load_pyarrow()
    try:
        return pyarrow.parquet.ParquetFile(file)
    except (OSError, pyarrow.ArrowException) as error:
        problem = str(error).splitlines()[0]
        raise ConfigError(f"{file}: is not a Parquet file that can be read: {problem}") from None
