"""Reads CSV and TSV files."""

from __future__ import annotations

import csv
import json
import re
from ast import literal_eval
from typing import TYPE_CHECKING, Any

from ...cases.systems import NAMES_INSIDE
from ...files import open_file, open_text
from ...records.errors import ConfigError
from .data_set import MAX_RECORD, Record, UnreadableError, check_utf8, unknown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from .data_set import Known

_QUOTED = r"""'[^'\\]*(?:\\.[^'\\]*)*'|"[^"\\]*(?:\\.[^"\\]*)*\""""
_STRING = re.compile(_QUOTED, re.DOTALL)
_PYTHON_LIST = re.compile(rf"\[(?:{_QUOTED})(?:,\s*(?:{_QUOTED}))*\]", re.DOTALL)


def csv_header(file: Path) -> list[str]:
    """The columns of a file. One without a name is called ``column 3``, by its place."""
    try:
        header: list[str] = next(_reader(file), [])
        check_utf8("".join(header))
    except (csv.Error, UnreadableError) as error:
        raise ConfigError(f"{file}: the first row cannot be read: {error}") from None
    return [name.strip() or f"column {place}" for place, name in enumerate(header, 1)]


def csv_records(file: Path, columns: Sequence[str], context: frozenset[str]) -> Iterator[Record]:
    """The records of a file.

    A row that cannot be read, or has another number of cells than there are columns, is a problem.
    A cell of a column in ``context`` may be a list of passages, see ``passages``.
    """
    return filter(None, other_csv_records(file, columns, context, unknown))


def other_csv_records(
    file: Path, columns: Sequence[str], context: frozenset[str], known: Known
) -> Iterator[Record | None]:
    """The same, with None for the records that are known."""
    csv.field_size_limit(max(csv.field_size_limit(), MAX_RECORD))  # the module's own, for all
    rows, number = _reader(file), 0
    next(rows, None)
    while True:
        before = rows.line_num
        try:
            cells = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            open_quote = str(error) == "unexpected end of data"
            problem = "a quote is opened and never closed" if open_quote else error
            number += 1
            yield Record(_place(before + 1, rows.line_num), None, f"invalid CSV: {problem}")
            continue
        if cells:
            number += 1
            place = _place(before + 1, rows.line_num)
            yield None if known(number) else _record(place, cells, columns, context)


def _reader(file: Path) -> Any:
    """Strict, so that a text after a closing quote, or a quote that stays open, is an error."""
    return csv.reader(_lines(file), delimiter=_delimiter(file), strict=True)


def _lines(file: Path) -> Iterator[str]:
    with open_text(file, "utf-8-sig", "surrogateescape", "") as text:
        while line := text.readline(MAX_RECORD):
            yield line


def _delimiter(file: Path) -> str:
    """A tab in TSV; a semicolon where the first line has one and no comma; else a comma."""
    if file.suffix.lower() == ".tsv":
        return "\t"
    with open_file(file) as lines:
        first = lines.readline(1 << 20)
    return ";" if b";" in first and b"," not in first else ","


def _place(first: int, last: int) -> str:
    return f"line {first}" if last <= first else f"lines {first} to {last}"


def _record(
    place: str, cells: list[str], columns: Sequence[str], context: frozenset[str]
) -> Record:
    if len(cells) != len(columns):
        return Record(place, None, f"{len(cells)} cells, but the file has {len(columns)} columns")
    try:
        check_utf8("".join(cells))
    except UnreadableError as error:
        return Record(place, None, str(error))
    values = dict(zip(columns, cells, strict=True))
    return Record(place, {n: passages(v) if n in context else v for n, v in values.items()})


def context_columns(columns: Sequence[str], mapping: Mapping[str, str]) -> frozenset[str]:
    """Those columns whose cells may be lists of passages."""
    known, own = NAMES_INSIDE["context"], mapping.get("context")
    return frozenset(name for name in columns if name == own or name.split(".")[-1] in known)


def passages(cell: str) -> Any:
    """A cell of the context: a list of passages, or the text itself.

    It is a list only if the whole cell is a JSON list of strings or of objects with a text, or a
    list of strings as Python (and so pandas) writes it: ``['first', "second"]``.
    """
    text = cell.strip()
    if not (text.startswith("[") and text.endswith("]")):
        return cell
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        if not _PYTHON_LIST.fullmatch(text):
            return cell
        return [literal_eval(string) for string in _STRING.findall(text)]
    strings = all(isinstance(item, str) for item in found)
    objects = all(isinstance(item, dict) for item in found)
    return found if strings or objects else cell
