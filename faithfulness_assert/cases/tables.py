"""Tables in memory, of any library, as records: a mapping for each row.

They are known by their methods, so that no library needs to be installed: frames of pandas and
polars, tables of pyarrow, data sets of Hugging Face.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from ..records.errors import ConfigError, InputError
from .case import Case
from .fields import find_fields, read_record
from .plain_data import record_as_json

SAMPLE, SAMPLE_CHARS = 50, 20_000_000
"""Records, and characters in them, that are read to say which columns there are."""
MAX_COLUMNS = 10_000


def read_table(table: Any) -> tuple[list[str] | None, Iterator[dict[str, Any]]] | None:
    """The columns of a table, and its rows one at a time; None if it is no table.

    The columns are None if they show only in the rows, as in a stream. The index of a pandas frame
    is one, if it has a name: it may be the id.
    """
    rows: Iterable[Any]
    if isinstance(table, Mapping):
        return None
    if hasattr(table, "to_pylist") and hasattr(table, "schema"):  # a table or a batch of pyarrow
        columns = table.schema.names
        batches = table.to_batches() if hasattr(table, "to_batches") else (table,)
        rows = (row for batch in batches for row in batch.to_pylist())
    elif hasattr(table, "itertuples"):
        index = getattr(getattr(table, "index", None), "names", ())
        new = [name for name in index if name is not None and name not in table.columns]
        frame = table.reset_index(new) if new else table
        columns, values = frame.columns, frame.itertuples(index=False, name=None)
        rows = (dict(zip(map(str, columns), row, strict=True)) for row in values)
    elif hasattr(table, "iter_rows"):
        columns, rows = table.columns, table.iter_rows(named=True)
    elif hasattr(table, "column_names"):  # of Hugging Face; without a format, or rows are frames
        columns = table.column_names
        rows = table.with_format(None) if hasattr(table, "with_format") else table
    else:
        return None
    return (None if columns is None else list(map(str, columns))), iter(rows)


def items_of(source: Any) -> Iterator[Any]:
    """The items of a table or an iterable: records, such as a sample of ragas, as mappings, and
    what is none as it is.
    """
    table = read_table(source)
    for item in table[1] if table else source:
        if isinstance(item, Mapping):
            yield item
        elif hasattr(item, "keys"):
            yield dict(item)
        elif isinstance(item, tuple) and hasattr(item, "_asdict"):  # of pandas' itertuples()
            yield dict(item._asdict())
        else:  # pydantic
            record = dump() if callable(dump := getattr(item, "model_dump", None)) else None
            yield record if isinstance(record, Mapping) else item


def row_labels(source: Any) -> list[Any]:
    """The index of a pandas frame, by which what is made of its rows is put beside them again."""
    return list(source.index) if hasattr(source, "itertuples") else []


def head(records: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The first records, as JSON has them."""
    room, first = SAMPLE_CHARS, []
    for record in islice(records, SAMPLE):
        first.append(record_as_json(record)[0])
        room -= sum(len(value) for value in record.values() if isinstance(value, str))
        if room < 0:
            break
    return first


def check_columns(columns: Sequence[object], where: str) -> None:
    """Raises ``ConfigError`` if a table has too many columns, or two of them one name."""
    if len(columns) > MAX_COLUMNS:
        raise ConfigError(f"{where}: has {len(columns):,} columns, and {MAX_COLUMNS:,} are read")
    if twice := [name for name, times in Counter(columns).items() if times > 1]:
        raise ConfigError(f"{where}: two columns have the name {twice[0]!r}; rename one")


class Given:
    """What is graded, one at a time: ``Case`` records, mappings, or what is neither, as it is.

    A row of a table that cannot be read is the ``InputError`` that says why.

    ``notes`` tell which columns are read, where their names are not the usual ones.

    Args:
        source: a table, or any iterable of cases.
        keep: whether ``rows`` gets the columns of each case, as they were given.

    Raises:
        ConfigError: it is no iterable of cases, or a table lacks a column that a case needs.
    """

    def __init__(self, source: Any, *, keep: bool = False) -> None:
        self._source, self._keep = source, keep
        self.rows: list[Mapping[str, Any]] = []
        table = read_table(source)
        if not (table or isinstance(source, Iterable)) or isinstance(source, str | Mapping):
            got = type(source).__name__
            advice = "; `batch.run(FILE, DIR)` grades a file" if isinstance(source, str) else ""
            raise ConfigError(f"cases: must be an iterable of cases or a table, got {got}{advice}")
        columns, rows = table or (None, iter(()))  # a stream shows them only in its rows
        check_columns(columns or (), "cases")
        first = [] if columns is None else head(rows) or [dict.fromkeys(columns, "")]
        self._fields = find_fields(first) if table else None
        self.notes = [*self._fields.notes] if self._fields else []
        if self._fields and first and (field := self._fields.lacking()):
            problem, use = self._fields.refusal(field, first)
            is_object = " must be " in problem  # another name would not help
            rename = ". Rename the column that holds it" if use and not is_object else ""
            raise ConfigError(f"cases: {problem}{rename}")

    def __iter__(self) -> Iterator[object]:
        for number, item in enumerate(items_of(self._source), 1):
            if self._keep and isinstance(item, Case):
                own = {"id": item.id, "question": item.question, "answer": item.answer}
                self.rows.append({**own, "context": [passage.text for passage in item.context]})
            elif self._keep:
                self.rows.append(item if isinstance(item, Mapping) else {})
            if self._fields and isinstance(item, Mapping):
                fields, _, problem = read_record(item, self._fields)
                error = InputError(f"row {number}: {problem}")
                error.case_id = fields.get("id")
                yield error if problem else fields
            else:
                yield item
