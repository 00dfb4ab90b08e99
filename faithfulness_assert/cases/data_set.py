"""A data set: rows from any source, one at a time."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, islice
from pathlib import Path
from typing import Any, NamedTuple

from ..conversations.conversation import read_conversation
from ..conversations.events import EVIDENCE_ROLES
from ..conversations.plain_data import as_json
from ..files import open_file
from ..records.errors import ConfigError, InputError, option
from ..text.strings import counted, names_of
from .fields import HELD, NOTHING, WORDS, application_error, find_fields, read_record
from .paths import value_at
from .systems import COLUMN_FIELDS, names
from .written_lists import seems_list

SAMPLE, SAMPLE_CHARS = 50, 20_000_000
"""Records, and characters in them, that are read to say where the fields of a case are."""
MAX_SHOWN_COLUMNS = 40
MAX_COLUMNS = 10_000
MAX_RECORD = 40_000_000
"""Bytes or characters of a record: room for the largest case, at four bytes a character."""
CHUNK = 1 << 20
"""Bytes of a file that are read at once for its fingerprint."""
_TAKEN = "got a number after the id"
_WRITTEN = "with a context that looks like a list or a mapping of a program, taken as a text"
_NOT_UTF8 = re.compile("[\udc80-\udcff]")


class Record(NamedTuple):
    """What a source gives for a row.

    Args:
        place: where it is, such as ``line 7``.
        values: as JSON has them.
        problem: why it cannot be read; "" if it can.
        item: what it was made of, where that is no file.
    """

    place: str
    values: dict[str, Any]
    problem: str = ""
    item: Any = None


def record_of(place: str, item: Any, problem: str = "") -> Record:
    """The record of an item, if there is no problem and it is a mapping."""
    if not problem and not isinstance(item, Mapping):
        problem = f"must be an object with the fields of a case, got {type(item).__name__}"
    if not problem and len(item) > MAX_COLUMNS:
        problem = f"has more than {MAX_COLUMNS:,} names"
    values = {} if problem else as_json(item)
    kinds = WORDS["a step"] & {str(value_at(values, path)) for path in WORDS["kind of a span"]}
    if kinds and values.keys().isdisjoint(names("answer")):
        problem = f"a span of kind {kinds.pop()} has no answer; give those of the LLM or its chain"
    if {"dataset_id", "source_run_id", "outputs"} <= values.keys():
        problem = "an example of a data set, whose outputs are what is expected; give runs"
    return Record(place, {} if problem else values, problem)


class Source(NamedTuple):
    """Where records come from.

    Args:
        name: for people: the file, or the kind of object.
        records: starts reading, from the first record each time.
        columns: those that every record has; None where each record has its own.
        notes: what a person should know about how it is read.
        again: whether reading may start anew without cost.
        lines: the file of which each line is a record, if it is one. More may be added to it, and
            ``records`` takes how many first ones to pass over.
    """

    name: str
    records: Callable[..., Iterator[Record]]
    columns: Sequence[str] | None = None
    notes: tuple[str, ...] = ()
    again: bool = True
    lines: Path | None = None


class Row(NamedTuple):
    """A row of a data set.

    Args:
        number: its place in the data set, from 1.
        case_id: unique in the data set; the user's, or the number where there is none.
        fields: the fields of its case under names that a ``Case`` knows; empty if there is a
            ``problem``. As JSON has them.
        columns: what the data set has beside them. It is carried along into the result.
        problem: why the row cannot be read, with its place ("line 7: ..."); "" if it can.
    """

    number: int
    case_id: str
    fields: Mapping[str, Any] = NOTHING
    columns: Mapping[str, Any] = NOTHING
    problem: str = ""


class DataSet:
    """The rows of a source.

    Attributes:
        name: that of the ``Source``.
        notes: what a person should know about the rows, such as ids that are not unique. They are
            complete when the rows have been read to the end.
        fields: where the fields of a case are.
        mapping: those that were given.
    """

    def __init__(self, source: Source, mapping: Mapping[str, str], advice: str = "") -> None:
        """Chooses the columns that hold the fields of a case.

        ``advice``: what to do about one that is missing, where nobody can map columns.

        Raises:
            ConfigError: a case needs one more column, where all rows have the same ones, or several
                may be one that it needs. For other rows, see ``check_cases``.
        """
        self.name = source.name
        self.mapping, self._source, self._advice = mapping, source, advice
        first = list(islice(source.records(), SAMPLE)) if source.again else []
        self._problems = [f"{one.place}: {one.problem}" for one in first if one.problem]
        read = [one.values for one in first if not one.problem]
        sizes = accumulate(sum(len(v) for v in one.values() if isinstance(v, str)) for one in read)
        room = sum(size < SAMPLE_CHARS for size in sizes)
        self._head = read[: room + 1]  # as many as there is room for
        if source.columns is not None and not first:
            self._head = [dict.fromkeys(source.columns, "")]
        self.fields = find_fields(self._head, mapping)
        self._first_notes = [*source.notes, *self.fields.notes]
        self.notes = self._first_notes
        lacks = self.fields.lacking()
        is_wrong = lacks in self.fields.unclear or (lacks in mapping and self._head)
        if source.columns is not None or is_wrong:
            self.check_cases()

    def check_cases(self) -> None:
        """Raises ``ConfigError`` if no record has an answer, a context or a field of the mapping.

        It names the keys that are there, and what would do. So it does if nothing can be read.
        """
        if self._problems and not self._head:
            problem = f"none of the first {len(self._problems)} records can be read"
            raise ConfigError(f"{self.name}: {problem}. {self._problems[0]}")
        failed = [application_error(one, self.fields.split(one)[0]) for one in self._head]
        if not all(failed) and (field := self.fields.lacking()):
            problem = self.fields.refusal(field, self._head, self._advice)
            raise ConfigError("; ".join((f"{self.name}: {problem}", *self._source.notes)))
        wrong = [] if any(failed) else [self._problem_of(record) for record in self._head]
        if wrong and all(wrong):
            problem = f"{self.name}: no record can be graded. {wrong[0]}"
            raise ConfigError("; ".join((problem, *self._source.notes)))

    def _problem_of(self, record: dict[str, Any]) -> str:
        """Why a record, or the conversation in it, is no case; "" if it may be one."""
        fields, _, problem = read_record(record, self.fields)
        if not problem and fields.get("messages") and "answer" not in fields:
            try:
                read_conversation(fields["messages"], EVIDENCE_ROLES)
            except InputError as error:
                return str(error)
        return problem

    def fingerprints(self, first: int = 0, before: str = "") -> tuple[str, str]:
        """Of so many first records, and of all: they change when these or the mapping change.

        "" where that cannot be known, or there are not so many. Of lines, the first is of what was
        read for the fingerprint ``before``, if lines were added behind that.
        """
        if not self._source.again:
            return "", ""
        digest, start = hashlib.sha256(json.dumps(self.mapping, sort_keys=True).encode()), ""
        if self._source.lines:
            size = before.partition(" ")[0]
            return _of_bytes(self._source.lines, digest, int(size) if size.isdecimal() else 0)
        for number, record in enumerate(self._source.records(), 1):
            digest.update(json.dumps([record.values, record.problem], sort_keys=True).encode())
            start = digest.hexdigest() if number == first else start
        return start, digest.hexdigest()

    def read(
        self, after: int = 0
    ) -> Iterator[tuple[Record, Mapping[str, Any], Mapping[str, Any], str]]:
        """Each record with the fields of its case, its other columns, and what is wrong or "",
        with its place.
        """
        records = self._source.records
        for record in records(after) if self._source.lines else islice(records(), after, None):
            if not (self._source.again or self._head or record.problem):  # the first of a stream
                alone = Source(self.name, [record].__iter__)
                self.fields = DataSet(alone, self.mapping, self._advice).fields
                self._head = [record.values]
            fields, columns, problem = NOTHING, NOTHING, record.problem
            if not problem:
                fields, columns, problem = read_record(record.values, self.fields)
            yield record, fields, columns, problem and f"{record.place}: {problem}"

    def rows(self, after: int = 0, taken_ids: Iterable[str] = ()) -> Iterator[Row]:
        """The rows, one at a time. Only an iterator's rows cannot be read again.

        ``after``: so many first rows are passed over, which have the ids that are taken.

        Each has a ``case_id`` that no other has: its own ``id``; the row's number if it has none;
        and with ``#2`` if an earlier row has the same. ``fields`` has no ``id``.
        """
        told: dict[str, tuple[int, str]] = {}  # how many rows, and the first

        def tell(what: str, first: str) -> None:
            count, first = told.get(what, (0, first))
            told[what] = count + 1, first

        taken = Counter(taken_ids)
        for number, (_, fields, columns, problem) in enumerate(self.read(after), after + 1):
            context = fields.get("context")
            if any(map(seems_list, context if isinstance(context, list) else [context])):
                tell(_WRITTEN, f"row {number}")
            id = fields.get("id")
            unique = wanted = str(number) if id is None or id == "" else str(id)
            while unique in taken:
                taken[wanted] += 1
                unique = f"{wanted}#{taken[wanted]}"
            taken[unique] += 1
            if unique != wanted:
                tell(_TAKEN, f"row {number} is {unique}, as {wanted} is taken")
            fields = {name: value for name, value in fields.items() if name != "id"}
            yield Row(number, unique, fields, columns, problem)
        rows = (f"{counted(n, 'row')} {what}: {first}" for what, (n, first) in told.items())
        self.notes = [*self._first_notes, *rows]

    def described(self) -> str:
        """Which column is taken for which field, and which are only carried along."""
        paths: dict[str, dict[str, None]] = {field: {} for field in COLUMN_FIELDS}
        columns: set[str] = set()
        for record in self._head:
            for field, (path, _) in self.fields.read(record).items():
                paths[field][path] = None
            columns |= self.fields.split(record)[1].keys()
        shown = [field for field in COLUMN_FIELDS if paths[field] or field in HELD]
        lines = [f"  {field:15} {' or '.join(paths[field]) or '-'}" for field in shown]
        lines.append(f"  carried along   {names_of(columns, MAX_SHOWN_COLUMNS)}")
        notes = [f"  note            {note}" for note in self._first_notes]
        return "\n".join([self.name, *lines, *notes])


def _of_bytes(file: Path, digest: Any, first: int) -> tuple[str, str]:
    """The fingerprints of so many first bytes, "" if a line goes on behind them, and of all."""
    start, read, ends = "", 0, True
    with open_file(file) as content:
        while chunk := content.read(min(first - read, CHUNK) if read < first else CHUNK):
            start = start if read != first or ends or chunk[:1] in b"\r\n" else ""
            digest.update(chunk)
            read, ends = read + len(chunk), chunk[-1:] == b"\n"
            start = f"{read} {digest.hexdigest()}" if read == first else start
    return start, f"{read} {digest.hexdigest()}"


def not_utf8(text: str) -> str:
    """What is wrong with a text of which a byte was not UTF-8 (decoded with surrogateescape)."""
    if text.isascii() or not (byte := _NOT_UTF8.search(text)):
        return ""
    use = f"{option('encoding', 'cp1252')} is that of Excel in the West"
    advice = f"Save the file as UTF-8, or name its encoding: {use}"
    return f"not UTF-8 text: byte 0x{ord(byte[0]) & 0xFF:x}. {advice}"
