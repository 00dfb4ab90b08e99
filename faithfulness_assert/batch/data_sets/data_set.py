"""A data set: rows from any source, one at a time; and the limits that all text files have."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import islice
from typing import Any, NamedTuple

from ...cases.as_json import record_as_json
from ...cases.locate import has_column, locate, read_record, split_columns
from ...cases.systems import COLUMN_FIELDS, FROM, names
from ...cases.tables import check_unique, meant_column
from ...files import temporary_database
from ...records.errors import ConfigError
from ...records.option_names import option
from ..rows import Row

MAX_NOTES = 20
"""Notes of a kind. Of more, only the number is told."""
MAX_SHOWN_COLUMNS = 40
SAMPLE = 50
"""Records that are read to say which columns there are."""
MAX_RECORD = 40_000_000
"""Bytes or characters of a record: room for the largest case, at four bytes a character."""

NOT_UTF8 = "not UTF-8 text"
"""How the problem of a record begins that is in another encoding."""
_NOT_UTF8 = re.compile("[\udc80-\udcff]")


Known = Callable[[int], object]
"""Whether the record with a number is known already."""


Taken = Callable[[str], object]
"""Whether an id is that of a record that is known."""


def unknown(_: object) -> bool:
    """That no record is known."""
    return False


class Record(NamedTuple):
    """What a source gives for a row: its values, or why it cannot be read.

    ``place`` says where it is, such as ``line 7``.
    """

    place: str
    values: Mapping[str, Any] | None
    problem: str = ""


class Source(NamedTuple):
    """Where records come from.

    Args:
        name: for people: the file, or the kind of object.
        rest: starts reading, from the first record on each time, with None for records whose
            number (from 1) is known, which then need not be read.
        fingerprint: changes when the content changes; "" if that cannot be known.
        columns: those that every record has; None where each record has its own.
        size: the bytes of the source; 0 if that is no file.
        began_with: whether the source begins with so many bytes that had this fingerprint, and
            what follows them are more records.
        note: what a person should know about how it is read.
    """

    name: str
    rest: Callable[[Known], Iterator[Record | None]]
    fingerprint: Callable[[], str] = str
    columns: Sequence[str] | None = None
    size: Callable[[], int] = int
    began_with: Callable[[int, str], bool] = lambda *_: False
    note: str = ""

    def records(self) -> Iterator[Record]:
        """All records."""
        return filter(None, self.rest(unknown))

    def head(self) -> Iterator[Record]:
        """The first records, for showing the columns. Not for an iterator."""
        return islice(self.records(), SAMPLE)


def hint() -> str:
    """What to do about a file that is not UTF-8 text."""
    named = option("encoding", "cp1252")
    return f"Save the file as UTF-8, or name its encoding: {named} is that of Excel in the West"


class UnreadableError(ValueError):
    """A record that cannot be read."""


def check_utf8(text: str) -> None:
    """Raises ``UnreadableError`` if a byte was not UTF-8 (text decoded with surrogateescape)."""
    if not text.isascii() and (found := _NOT_UTF8.search(text)):
        raise UnreadableError(f"{NOT_UTF8}: byte 0x{ord(found[0]) & 0xFF:x}")


class DataSet:
    """The rows of a source.

    Attributes:
        name: for people: the file, or the kind of object.
        notes: what a person should know about the rows, such as ids that are not unique. They are
            complete when the rows have been read to the end.
        hints: those of them that say what to do about the source as a whole.
    """

    def __init__(self, source: Source, mapping: Mapping[str, str]) -> None:
        self.name = source.name
        self.notes: list[str] = []
        self.hints: list[str] = []
        self._source = source
        self._mapping = mapping

    def rows(self, known: Known = unknown, taken: Taken = unknown) -> Iterator[Row]:
        """The rows, one at a time. Only an iterator's rows cannot be read again.

        Each has a ``case_id`` that no other has: its own ``id``; the row's number if it has none;
        and with ``#2`` if an earlier row has the same. ``fields`` has no ``id``.

        Args:
            known: which rows, by their numbers, are left out.
            taken: whether one of those has this ``case_id``.
        """
        with closing(_Ids(self.notes, taken)) as ids:
            self.hints = [self._source.note] if self._source.note else []
            not_utf8 = 0
            for number, record in enumerate(self._source.rest(known), 1):
                if record is None or known(number):
                    continue
                not_utf8 += record.problem.startswith(NOT_UTF8)
                id, fields, columns, problem = self._read(record)
                yield Row(number, ids.take(number, id), fields, columns, problem)
            ids.end()
            if not_utf8:
                self.hints.append(_not_utf8(not_utf8))
            self.notes += self.hints

    def numbers(self) -> Iterator[int]:
        """The numbers of the rows, which takes less time than the rows. Not for an iterator."""
        return (number for number, _ in enumerate(self._source.rest(lambda _: True), 1))

    def _read(self, record: Record) -> tuple[str, dict[str, Any], dict[str, Any], str]:
        """Id, fields, columns and problem of a record."""
        if record.values is None:
            return "", {}, {}, f"{record.place}: {record.problem}"
        fields, columns, problem = read_record(record.values, self._mapping)
        if problem:
            return "", {}, {}, f"{record.place}: {problem}"
        id = fields.pop("id", None)
        return "" if id is None else str(id), fields, columns, ""

    def fingerprint(self) -> str:
        """Changes when the content or the mapping changes; "" if that cannot be known."""
        return self._source.fingerprint()

    def size(self) -> int:
        """The bytes that the fingerprint is of; 0 if that is not a file."""
        return self._source.size()

    def began_with(self, size: int, fingerprint: str) -> bool:
        """Whether it begins with so many bytes that had this fingerprint, and more rows follow."""
        return self._source.began_with(size, fingerprint)

    def described(self) -> str:
        """Which column is taken for which field, and which are only carried along."""
        found, carried = self._sample()
        lines = [f"  {field:15} {_either(found[field])}" for field in COLUMN_FIELDS]
        shown = ", ".join(carried[:MAX_SHOWN_COLUMNS])
        more = len(carried) - MAX_SHOWN_COLUMNS
        rest = f" and {more} more" if more > 0 else ""
        bad = sum(record.problem.startswith(NOT_UTF8) for record in self._source.head())
        told = [note for note in (self._source.note, _not_utf8(bad) if bad else "") if note]
        notes = [f"  note            {note}" for note in told]
        return "\n".join([self.name, *lines, f"  carried along   {shown or '-'}{rest}", *notes])

    def check(self) -> None:
        """Raises ``ConfigError`` if two columns have the same name, or a case needs one more.

        Only where all rows have the same columns; what is missing, only where it is no export.
        """
        columns = self._source.columns
        if columns is None:
            return
        check_unique(columns, self.name)
        needed = () if has_column(columns, "messages", self._mapping) else ("answer", "context")
        for field in (*needed, *(name for name in self._mapping if name != FROM)):
            if not has_column(columns, field, self._mapping):
                looked = self._mapping.get(field) or ", ".join(names(field))
                meant = meant_column(names(field), columns[:MAX_SHOWN_COLUMNS])
                use = option("mapping", {field: meant or "COLUMN"})
                chat = option("mapping", {"messages": "COLUMN"})
                more = "" if field in self._mapping else f", or {chat} for chats"
                has = ", ".join(map(_quoted, columns[:MAX_SHOWN_COLUMNS])) or "none"
                raise ConfigError(
                    f"{self.name}: no column for {field}. Looked for {looked}; it has {has}. "
                    f"Use {use}{more}"
                )

    def _sample(self) -> tuple[dict[str, list[str]], list[str]]:
        """The columns that the first records have for each field, and the others."""
        found: dict[str, dict[str, None]] = {field: {} for field in COLUMN_FIELDS}
        carried: dict[str, None] = {}
        for record in self._source.head():
            values, _ = record_as_json(record.values or {})
            paths = locate(values, self._mapping).paths
            for field in COLUMN_FIELDS:
                found[field] |= dict.fromkeys(paths[n] for n in names(field) if n in paths)
            carried |= dict.fromkeys(split_columns(values, self._mapping)[1])
        return {field: list(paths) for field, paths in found.items()}, list(carried)


def _quoted(column: str) -> str:
    """A name, in quotes where it would not be seen as one."""
    return repr(column) if "," in column else column


def _either(columns: list[str]) -> str:
    if len(columns) < 2:
        return columns[0] if columns else "-"
    says = f"{option('mapping')} says which one counts"
    return f"{' or '.join(columns)} (a row must not have both; {says})"


def _not_utf8(rows: int) -> str:
    return f"{rows:,} row{' is' if rows == 1 else 's are'} {NOT_UTF8}. {hint()}"


class _Ids:
    """Gives each id once: the second ``a`` becomes ``a#2``. Notes tell what is missing or changed.

    The ids are in a temporary database that SQLite moves to disk when it grows, because a set of a
    hundred million ids does not fit into memory.
    """

    def __init__(self, notes: list[str], taken: Taken = unknown) -> None:
        self._notes, self._taken = notes, taken
        notes.clear()
        self._missing = self._doubled = 0
        self._db = temporary_database("seen (id TEXT PRIMARY KEY, times INTEGER) WITHOUT ROWID")

    def take(self, number: int, id: str) -> str:
        """The id of a row, or with a number if it was taken before."""
        self._missing += not id
        wanted = unique = id or str(number)
        while not self._add(unique):
            unique = f"{wanted}#{self._count(wanted)}"
        if unique != wanted:
            self._doubled += 1
            if self._doubled <= MAX_NOTES:
                self._notes.append(f"row {number}: the id {wanted} is taken; it is {unique} now")
        return unique

    def end(self) -> None:
        """Tells the totals."""
        if self._doubled > MAX_NOTES:
            self._notes.append(f"{self._doubled - MAX_NOTES} more rows have ids that are taken")
        if self._missing:
            rows = "1 row has" if self._missing == 1 else f"{self._missing} rows have"
            self._notes.append(f"{rows} no id; the number of the row is its id")

    def close(self) -> None:
        """Deletes the database."""
        self._db.close()

    def _add(self, id: str) -> bool:
        new = self._db.execute("INSERT OR IGNORE INTO seen VALUES (?, 1)", (id,)).rowcount == 1
        return new and not self._taken(id)

    def _count(self, id: str) -> int:
        """How often this id was asked for, this time included."""
        self._db.execute("UPDATE seen SET times = times + 1 WHERE id = ?", (id,))
        (times,) = self._db.execute("SELECT times FROM seen WHERE id = ?", (id,)).fetchone()
        return int(times)
