"""Parquet files, with pyarrow (the extra ``parquet``)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from itertools import islice
from pathlib import Path
from typing import IO, Any

from ..files import open_file
from ..records.errors import ConfigError, pip_install

ROWS = 200
"""Rows that are read at once."""
WRITTEN = 10_000
"""Rows that are written at once."""


def parquet_columns(file: Path) -> list[str]:
    """The names of the columns. Raises ``ConfigError`` if the file cannot be read."""
    with _opened(file) as table:
        return list(table.schema_arrow.names)


def parquet_rows(file: Path) -> Iterator[dict[str, Any]]:
    """The rows, a few at a time. Raises ``ConfigError`` if the file cannot be read."""
    with _opened(file) as table:
        for batch in table.iter_batches(batch_size=ROWS):
            yield from batch.to_pylist()


def write_parquet(
    rows: Iterable[Mapping[str, Any]], columns: Mapping[str, type], file: IO[bytes]
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
            f"Parquet files need pyarrow. Run: {pip_install(extra='parquet')}"
        ) from None
    return pyarrow


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    pyarrow = load_pyarrow()
    with ExitStack() as stack:
        try:
            file = stack.enter_context(open_file(path))
            table = stack.enter_context(pyarrow.parquet.ParquetFile(file))
        except (OSError, pyarrow.ArrowException) as error:
            problem = getattr(error, "strerror", None) or str(error).partition("\n")[0]
            said = f"is not a Parquet file that can be read: {problem}"
            raise ConfigError(f"{path}: {said}") from None
        yield table
