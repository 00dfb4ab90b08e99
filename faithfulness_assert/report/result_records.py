"""Reads results from wherever they are, line by line, and passes over what cannot be read.

Unlike ``batch.rows``, it takes results that are damaged, or of another version: the page shows
what is there.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import IO, Any

from ..batch.data_sets import open_data_set
from ..batch.outputs import SUFFIXES
from ..batch.rows import Line, digest
from ..batch.store import StoredRows, reading
from ..files import open_file
from ..records.errors import ConfigError
from ..records.result import GradingResult
from ..records.result_list import Results as ResultList
from ..text.strings import clip
from .record import Record, mapping_of, record_of, text_of


class Results:
    """Results as JSON lines in a file, which may be a temporary one.

    Attributes:
        name: for people.
        source: for people: what was graded, if that is known.
        about: what the run says about itself, if there is one.
        notes: what a reader should know. Those on single lines are complete after a full read.
        data: the data set, if it came along with the results.
    """

    def __init__(self, name: str, file: IO[bytes], about: Mapping[str, Any] | None = None) -> None:
        self.name, self.about = name, about or {}
        self.source = name
        self.notes: list[str] = []
        self.data: Any = None
        self._file = file

    def close(self) -> None:
        """Closes the file. A temporary one is deleted."""
        self._file.close()

    def records(self) -> Iterator[tuple[int, Record]]:
        """Each result and where its line begins.

        Raises:
            ConfigError: there are lines, but none is a result.
        """
        first, damaged, read, place = "", 0, False, 0
        self._file.seek(0)
        for number, line in enumerate(self._file, 1):
            begin, place = place, place + len(line)
            if not line.strip():
                continue
            try:
                record = parsed(line, number)
            except ValueError as problem:
                damaged += 1
                first = first or f"line {number}: {problem}"
                continue
            read = True
            yield begin, record
        if not damaged:
            return
        if not read:
            raise ConfigError(f"{self.name}: contains no results: {first}")
        left = f"{damaged:,} lines are left out, because they are not results. The first: {first}"
        one = f"1 line is left out, because it is not a result: {first}"
        note = one if damaged == 1 else left
        if note not in self.notes:  # of an earlier read
            self.notes.append(note)

    def at(self, place: int) -> Record:
        """The result whose line begins there."""
        self._file.seek(place)
        return parsed(self._file.readline())


def parsed(line: bytes, number: int | None = None) -> Record:
    """The result on a line, which has this number. Raises ``ValueError`` if it is not one."""
    try:
        data: Mapping[str, Any] = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"invalid JSON: {clip(str(error), 100)}") from None
    if not is_result(data):
        raise ValueError("it has no score, status or verdicts")
    return record_of({"row": number, **data})


def is_result(data: object) -> bool:
    """Whether this looks like a result of any version."""
    one_of = {"status", "verdicts", "pass", "pass_"}
    return isinstance(data, dict) and "score" in data and bool(data.keys() & one_of)


def open_results(source: Any) -> Results:
    """The results in a run directory, a file, or an iterable of results.

    Raises:
        ConfigError: there are none that can be read.
    """
    if isinstance(source, str | PathLike):
        path = Path(source)
        return _of_directory(path) if path.is_dir() else _of_file(path)
    if isinstance(source, GradingResult | Line | Mapping):
        source = [source]
    if not isinstance(source, Iterable) or isinstance(source, bytes):
        raise ConfigError(f"results: must be a path or results, got {type(source).__name__}")
    if isinstance(source, ResultList) and len(source.rows) == len(source):
        return _with_rows(source)
    return _spooled("results", (as_record(item) for item in source))


def _with_rows(given: ResultList) -> Results:
    """Results that know the columns of their cases."""
    rows = open_data_set(given.rows).rows()
    lines = (
        Line(row.case_id, row.number, digest(row), row.columns, result)
        for row, result in zip(rows, given, strict=True)
    )
    results = _spooled("results", map(as_record, lines))
    results.data = given.rows
    return results


def as_record(item: object) -> Mapping[str, Any]:
    """A result, or a line of results, as its JSON.

    Raises:
        ConfigError: it is neither.
    """
    if isinstance(item, Line):
        data: dict[str, Any] = json.loads(item.to_json())
        return data
    if isinstance(item, GradingResult):
        return item.model_dump(mode="json", by_alias=True)
    if isinstance(item, Mapping) and is_result(dict(item)):
        return item
    raise ConfigError(f"results: an item must be a GradingResult, got {type(item).__name__}")


def _of_directory(path: Path) -> Results:
    """A run, which has the texts that it graded."""
    data = StoredRows(path)
    with reading(path) as store:
        about = store.about() or {}
        results = _spooled(str(path), map(as_record, store.lines()))
    results.about, results.data = about, data
    results.source = text_of(mapping_of(results.about.get("input")).get("name")) or results.source
    return results


def _of_file(path: Path) -> Results:
    if str(path) == "-":
        file: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - Results closes it
        shutil.copyfileobj(sys.stdin.buffer, file)
        return Results("standard input", file)
    suffix = path.suffix.lower()
    if suffix in SUFFIXES and suffix != ".jsonl":
        raise ConfigError(f"{path}: a report needs the run directory, or results as .jsonl")
    file = _opened(path)
    if suffix == ".json":
        return _of_document(file, path)
    return Results(str(path), file)


def _opened(path: Path) -> IO[bytes]:
    try:
        return open_file(path)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None


def _of_document(file: IO[bytes], path: Path) -> Results:
    """The results in a JSON document: one, a list of them, or JSON lines after all."""
    try:
        data = json.load(file)
    except (ValueError, RecursionError):
        return Results(str(path), file)
    with file:
        items = data if isinstance(data, list) else [data]
        found = [item for item in items if is_result(item)]
        if items and not found:
            raise ConfigError(f"{path}: contains no results: a result has a score and a status")
        results = _spooled(str(path), found)
        if left := len(items) - len(found):
            what = "1 item is" if left == 1 else f"{left:,} items are"
            results.notes.append(f"{what} left out: a result has a score and a status.")
        return results


def _spooled(name: str, records: Iterable[Mapping[str, Any]]) -> Results:
    results = Results(name, tempfile.TemporaryFile())  # noqa: SIM115 - Results closes it
    try:
        for record in records:
            text = json.dumps(record, ensure_ascii=True, default=str)
            results._file.write(text.encode() + b"\n")
    except BaseException:
        results.close()
        raise
    return results
