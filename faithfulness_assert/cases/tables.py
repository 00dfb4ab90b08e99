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
from .locate import Fields, find_fields, read_record
from .plain_data import record_as_json

SAMPLE, SAMPLE_CHARS = 50, 20_000_000
"""Records, and characters in them, that are read to say which columns there are."""
MAX_COLUMNS = 10_000


def is_table(source: object) -> bool:
    """Whether a source is a table: iterating over it may give columns instead of rows."""
    if isinstance(source, Mapping):
        return False
    marks = ("itertuples", "iter_rows", "column_names")
    return _is_arrow(source) or any(hasattr(source, mark) for mark in marks)


def table_columns(table: Any) -> list[str] | None:
    """The names of the columns; None if they show only in the rows, as in a stream.

    The index of a pandas frame is one, if it has a name.
    """
    if _is_arrow(table):
        columns = table.schema.names
    else:
        named = _with_index(table)
        columns = named.columns if hasattr(named, "columns") else table.column_names
    return None if columns is None else [str(name) for name in columns]


def items_of(source: Any) -> Iterator[Any]:
    """The items of a table or an iterable: records, such as a sample of ragas, as mappings, and
    what is none as it is.
    """
    for item in _table_rows(source) if is_table(source) else source:
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
        self.notes: list[str] = []
        self._fields: Fields | None = None
        if is_table(source):
            self._fields = self._fields_of(source)
            self.notes = [*self._fields.notes]
        elif not isinstance(source, Iterable) or isinstance(source, str | Mapping):
            got = type(source).__name__
            advice = "; `batch.run(FILE, DIR)` grades a file" if isinstance(source, str) else ""
            raise ConfigError(f"cases: must be an iterable of cases or a table, got {got}{advice}")

    def __iter__(self) -> Iterator[object]:
        for number, item in enumerate(items_of(self._source), 1):
            if self._keep and isinstance(item, Case):
                own = {"id": item.id, "question": item.question, "answer": item.answer}
                self.rows.append({**own, "context": [passage.text for passage in item.context]})
            elif self._keep:
                self.rows.append(item if isinstance(item, Mapping) else {})
            if self._fields and isinstance(item, Mapping):
                fields, _, problem = read_record(item, self._fields)
                yield InputError(f"row {number}: {problem}") if problem else fields
            else:
                yield item

    @staticmethod
    def _fields_of(table: Any) -> Fields:
        """Where the fields are in a table: they are found as in a file, by the first rows."""
        columns = table_columns(table)
        if columns is None:  # they show only in the rows, which a stream gives once
            return find_fields((), takes_mapping=False)
        check_columns(columns, "cases")
        first = head(_table_rows(table)) or [dict.fromkeys(columns, "")]
        fields = find_fields(first, takes_mapping=False)
        if field := fields.lacking():
            problem, use = fields.refusal(field, first)
            rename = ". Rename the column that holds it" if use else ""
            raise ConfigError(f"cases: {problem}{rename}")
        return fields


def _table_rows(table: Any) -> Iterator[dict[str, Any]]:
    """The rows, one at a time."""
    columns = table_columns(table) or ()
    if _is_arrow(table):
        for batch in table.to_batches() if hasattr(table, "to_batches") else (table,):
            yield from batch.to_pylist()
    elif hasattr(table, "itertuples"):
        for values in _with_index(table).itertuples(index=False, name=None):
            yield dict(zip(columns, values, strict=True))
    elif hasattr(table, "iter_rows"):
        for values in table.iter_rows():
            yield dict(zip(columns, values, strict=True))
    else:  # of Hugging Face; without a format, or its rows are frames
        yield from table.with_format(None) if hasattr(table, "with_format") else table


def _is_arrow(table: Any) -> bool:
    """Whether it is a table or a batch of records of pyarrow."""
    return hasattr(table, "to_pylist") and hasattr(table, "schema")


def _with_index(frame: Any) -> Any:
    """A pandas frame whose index, where it has a name, is a column too: it may be the id."""
    index = getattr(getattr(frame, "index", None), "names", ())
    new = [name for name in index if name is not None and name not in frame.columns]
    return frame.reset_index(new) if new else frame
