"""Opens files and objects as sources of records."""

from __future__ import annotations

import atexit
import hashlib
import json
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...cases.case import Case
from ...records.errors import ConfigError
from ..parquet_files import parquet_columns, parquet_rows
from .csv_files import context_columns, csv_header, csv_records
from .data_set import SAMPLE, Record, Source
from .frames import frame_columns, frame_records, is_frame
from .json_files import json_lines, json_records
from .plain_values import plain_record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

SUFFIXES = (".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet")


# ---------------------------------------------------------------- files


def file_source(path: Path, mapping: dict[str, str]) -> Source:
    """The records of a file; ``-`` is standard input."""
    name = str(path)
    if name == "-":
        path, name = _standard_input(), "standard input"
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise ConfigError(f"{name}: unknown kind of file. Known: {', '.join(SUFFIXES)}")
    _check_readable(path, name)
    columns, records = _reading(path, suffix, mapping)
    if not any(True for _ in records()):
        raise ConfigError(f"{name}: contains no cases")
    return Source(name, records, _head(records), partial(_file_hash, path, mapping), columns)


def _reading(
    path: Path, suffix: str, mapping: dict[str, str]
) -> tuple[list[str] | None, Callable[[], Iterator[Record]]]:
    """The columns of a file, and what reads its records."""
    if suffix in (".csv", ".tsv"):
        columns = csv_header(path)
        lists = context_columns(columns, mapping)
        return columns, partial(csv_records, path, columns, lists)
    if suffix == ".parquet":
        return parquet_columns(path), partial(_parquet_records, path)
    return None, partial(json_records if suffix == ".json" else json_lines, path)


def _parquet_records(path: Path) -> Iterator[Record]:
    for number, row in enumerate(parquet_rows(path), 1):
        yield Record(f"row {number}", row)


def _check_readable(path: Path, name: str) -> None:
    try:
        with path.open("rb") as file:
            start = file.read(2)
    except OSError as error:
        raise ConfigError(f"{name}: cannot be read: {error.strerror}") from None
    if start in (b"\xff\xfe", b"\xfe\xff"):
        raise ConfigError(f"{name}: is UTF-16 text; save it as UTF-8")


def _standard_input() -> Path:
    """Standard input as a file, because a data set is read more than once."""
    folder = tempfile.TemporaryDirectory(prefix="faithfulness-assert-")
    atexit.register(folder.cleanup)
    path = Path(folder.name) / "input.json"
    with path.open("wb") as file:
        shutil.copyfileobj(sys.stdin.buffer, file)
    return path


def _file_hash(path: Path, mapping: Mapping[str, str]) -> str:
    digest = _new_hash(mapping)
    with path.open("rb") as file:
        while part := file.read(1 << 20):
            digest.update(part)
    return _hex(digest)


def _hex(digest: Any) -> str:
    return str(digest.hexdigest())


def _new_hash(mapping: Mapping[str, str]) -> Any:
    return hashlib.sha256(json.dumps(mapping, sort_keys=True).encode())


def _head(records: Callable[[], Iterator[Record]]) -> Callable[[], Iterator[Record]]:
    return lambda: islice(records(), SAMPLE)


# ---------------------------------------------------------------- objects


def object_source(source: Iterable[Any], mapping: Mapping[str, str]) -> Source:
    """The records of a table, or of any iterable."""
    name = type(source).__name__
    if is_frame(source):
        records = partial(frame_records, source)
        columns: list[str] | None = frame_columns(source)
    elif iter(source) is source:
        once = _Once(source)
        return Source(name, once.records, lambda: iter(once.head()), str)
    else:
        records, columns = partial(_records, source), None
    told = partial(_hash, source, records, mapping)
    return Source(name, records, _head(records), told, columns)


def _records(source: Iterable[Any]) -> Iterator[Record]:
    for number, item in enumerate(source, 1):
        place = f"row {number}"
        if isinstance(item, Case):
            yield Record(place, _case_fields(item))
        elif isinstance(item, Mapping) or hasattr(item, "keys"):
            yield Record(place, item if isinstance(item, Mapping) else dict(item))
        else:
            problem = f"must be a Case or a mapping, got {type(item).__name__}"
            yield Record(place, None, problem)


def _case_fields(case: Case) -> dict[str, Any]:
    fields = {name: getattr(case, name) for name in ("answer", "context", "citation_audit")}
    question = "input" if case.question_missing else "question"
    notes = {"notes": list(case.notes)} if case.notes else {}  # a column that is carried along
    return {**fields, question: case.question or None, "id": case.id or None, **notes}


class _Once:
    """An iterator, whose first record is read early, to be shown."""

    def __init__(self, source: Iterable[Any]) -> None:
        self._records = _records(source)
        self._first: list[Record] = []
        self._begun = self._taken = False

    def head(self) -> list[Record]:
        """The first record. Of more, nobody knows how long each takes."""
        if not self._begun:
            self._begun = True
            self._first = list(islice(self._records, 1))
        return self._first

    def records(self) -> Iterator[Record]:
        """All records. Raises ``ConfigError`` when called again."""
        if self._taken:
            raise ConfigError("data set: an iterator can be read only once; pass a list or a file")
        self._taken = True
        return chain(self.head(), self._records)


def _hash(
    source: object, records: Callable[[], Iterator[Record]], mapping: Mapping[str, str]
) -> str:
    """The hash of all records, if they are in memory. A Hugging Face data set has one already."""
    digest = _new_hash(mapping)
    known = getattr(source, "_fingerprint", None)
    if isinstance(known, str):
        digest.update(known.encode())
        return _hex(digest)
    if not (isinstance(source, Sequence) or is_frame(source)):
        return ""  # it may be a stream, of which reading it twice costs much
    for record in records():
        text = json.dumps([plain_record(record.values or {}), record.problem], sort_keys=True)
        digest.update(text.encode())
    return _hex(digest)
