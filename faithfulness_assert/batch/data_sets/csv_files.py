"""Reads CSV and TSV files."""

from __future__ import annotations

import csv
import json
import re
from ast import literal_eval
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ...cases.locate import has_column, names_in
from ...cases.systems import COLUMN_FIELDS, NAMES_INSIDE
from ...files import open_text
from ...records.errors import ConfigError
from .data_set import MAX_RECORD, Known, Record, UnreadableError, check_utf8, hint

# A text as Python writes it: what its repr() would escape makes a cell no list of such texts.
_ESCAPED = r"""\\(?:['"\\nrt]|x[0-9a-f]{2}|u[0-9a-f]{4}|U00(?:0[0-9a-f]|10)[0-9a-f]{4})"""
_QUOTED = (
    rf"""'[^'\\\x00-\x1f]*(?:{_ESCAPED}[^'\\\x00-\x1f]*)*'"""
    rf"""|"[^"\\\x00-\x1f]*(?:{_ESCAPED}[^"\\\x00-\x1f]*)*\""""
)
_STRING = re.compile(_QUOTED)
_SEPARATOR = re.compile(r"sep=(.)\s*", re.IGNORECASE)
_PYTHON_LIST = re.compile(rf"\[(?:{_QUOTED})(?:,\s*(?:{_QUOTED}))*\]")


class Form(NamedTuple):
    """How a file is written: what separates its cells, and its columns.

    ``skipped``: whether the first line is Excel's ``sep=;`` and no row.
    """

    delimiter: str
    columns: Sequence[str]
    skipped: bool = False


def csv_form(file: Path, mapping: Mapping[str, str]) -> Form:
    """The form of a file, whatever its name: the one in which it has the columns of a case.

    If none has, or several have, the one with more columns, else commas (in TSV tabs). A column
    without a name is called ``column 3``, by its place.

    Raises:
        ConfigError: the first row cannot be read.
    """
    csv.field_size_limit(max(csv.field_size_limit(), MAX_RECORD))  # the module's own, for all
    usual = "\t,;" if file.suffix.lower() == ".tsv" else ",;\t"
    with open_text(file, "utf-8-sig", "surrogateescape", "") as text:
        told = _SEPARATOR.fullmatch(text.readline(10))
    forms, problems = [], []
    for delimiter in told[1] if told else usual:
        try:
            header: list[str] = next(_reader(file, Form(delimiter, (), bool(told))), [])
            check_utf8("".join(header))
        except (csv.Error, UnreadableError) as error:
            advice = f". {hint()}" if isinstance(error, UnreadableError) else ""
            problems.append(f"{error}{advice}")
            continue
        columns = [name.strip() or f"column {place}" for place, name in enumerate(header, 1)]
        forms.append(Form(delimiter, columns, bool(told)))
    if not forms:
        raise ConfigError(f"{file}: the first row cannot be read: {problems[0]}")
    return max(forms, key=lambda form: (_fields(form.columns, mapping), len(form.columns)))


def _fields(columns: Sequence[str], mapping: Mapping[str, str]) -> int:
    """How many fields of a case these columns have."""
    return sum(has_column(columns, field, mapping) for field in COLUMN_FIELDS)


def csv_records(
    file: Path, form: Form, context: frozenset[str], known: Known
) -> Iterator[Record | None]:
    """The records of a file, with None for those that are known.

    A row that cannot be read, or has another number of cells than there are columns, is a problem.
    A cell of a column in ``context`` may be a list of passages, see ``passages``.
    """
    rows, number, more = _reader(file, form), 0, 1 + form.skipped
    next(rows, None)
    while True:
        first = rows.line_num + more
        try:
            cells = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            open_quote = str(error) == "unexpected end of data"
            problem = "a quote is opened and never closed" if open_quote else error
            number += 1
            place = _place(first, rows.line_num + more - 1)
            yield Record(place, None, f"invalid CSV: {problem}")
            continue
        if cells:
            number += 1
            place = _place(first, rows.line_num + more - 1)
            yield None if known(number) else _record(place, cells, form.columns, context)


def _reader(file: Path, form: Form) -> Any:
    """Strict, so that a text after a closing quote, or a quote that stays open, is an error."""
    lines = _lines(file)
    if form.skipped:
        next(lines)
    return csv.reader(lines, delimiter=form.delimiter, strict=True)


def _lines(file: Path) -> Iterator[str]:
    with open_text(file, "utf-8-sig", "surrogateescape", "") as text:
        while line := text.readline(MAX_RECORD):
            yield line


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
    known, own = NAMES_INSIDE["context"], mapping.get("context", "")
    quoted = [*names_in(own)]
    return frozenset(
        name for name in columns if name == own or [name] == quoted or name.split(".")[-1] in known
    )


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
