"""Results out: JSON lines, CSV, Parquet and JUnit XML, and annotations for GitHub.

Files are written whole or not at all.
"""

from __future__ import annotations

import csv
import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryFile
from typing import IO, Any, BinaryIO
from unicodedata import category, normalize
from xml.etree.ElementTree import Element, SubElement, tostring

from ..cases.tables import load_pyarrow, write_parquet
from ..files import as_text, new_file
from ..records.errors import ConfigError
from ..records.result import GradingResult
from ..records.result_list import COLUMNS, values_of
from ..text.strings import clip, visible
from .rows import Line
from .summary import Summary

_FORMULA = frozenset("=+-@\u2212")
_UNSEEN = frozenset('"\u034f\u115f\u1160\u2800\u3164\uffa0\ufffd')
"""Characters that show nothing, though Unicode takes them for letters, symbols or marks; and that
around a cell."""
_NUMBER = re.compile(r"[+-]?[\d.,]+(?:[eE][+-]?\d+)?%?")
_SEPARATED = re.compile(r"(?=[;\t\r\n\v\f\x85\u2028\u2029])")
_ITEM = re.compile(r"[-+] [^(|!=@]*\Z")
OWN: Mapping[str, type] = {"case_id": str, "row": int, **COLUMNS}
"""Our columns of a table, with their types. ``error`` is the kind and the message."""
OTHERS = "columns_of_later_rows"
_JUNIT = '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n<testsuite name="faithfulness"'
MOST_ANNOTATIONS = 10
"""Annotations of a kind that GitHub shows for a step."""


def write_results(lines: Iterable[Line], path: str | os.PathLike[str]) -> None:
    """Writes results to a file, in a format by its suffix.

    The file is there only when it is complete; an older one stays until then. Memory does not grow
    with the number of lines.

    Args:
        lines: the results, in the order in which they stand there.
        path: the file, with one of ``SUFFIXES``. JSON lines have the whole results; the others
            their main parts.

    Raises:
        ConfigError: an unknown suffix; the file cannot be written; or pyarrow is missing.
    """
    file = check_output(path)
    write = _WRITERS[file.suffix.lower()]
    with whole_file(file) as part:
        write(lines, part)


def check_output(path: str | os.PathLike[str]) -> Path:
    """The path, if results can be written there, as far as one can tell before a run.

    Raises:
        ConfigError: an unknown suffix, no such folder, a read-only folder, or pyarrow is missing.
    """
    file = Path(path)
    if file.suffix.lower() not in SUFFIXES:
        raise ConfigError(f"{file}: unknown kind of file. Known: {', '.join(SUFFIXES)}")
    check_place(file)
    if file.suffix.lower() == ".parquet":
        load_pyarrow()
    return file


def check_place(file: Path) -> None:
    """Raises ``ConfigError`` if a file cannot be made there, as far as one can tell before."""
    if not file.parent.is_dir():
        raise ConfigError(f"{file}: cannot be written: there is no folder {file.parent}")
    if file.is_dir() or not os.access(file.parent, os.W_OK):
        raise ConfigError(f"{file}: cannot be written: it is a folder, or in a read-only one")


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """A file that takes the place of ``path`` at the end; see ``new_file``.

    Raises:
        ConfigError: the file cannot be written.
    """
    try:
        with new_file(path) as file:
            yield file
    except OSError as error:
        raise ConfigError(f"{path}: cannot be written: {error.strerror or error}") from None


# ---------------------------------------------------------------- JSON lines, CSV, Parquet


def _write_lines(lines: Iterable[Line], file: IO[bytes]) -> None:
    with as_text(file) as text:
        text.writelines(f"{line.to_json()}\n" for line in lines)


def _write_parquet(lines: Iterable[Line], file: IO[bytes]) -> None:
    names, rows = flat_rows(lines)
    write_parquet(rows, {**OWN, **dict.fromkeys(names, str)}, file)


def _write_csv(lines: Iterable[Line], file: IO[bytes]) -> None:
    """Writes the main parts of each result. Missing values are empty cells."""
    names, rows = flat_rows(lines)
    with as_text(file, newline="") as text:
        columns = [*OWN, *names]
        csv.writer(text).writerow(map(safe_cell, columns))
        writer = csv.DictWriter(text, columns)
        writer.writerows({name: safe_cell(value) for name, value in row.items()} for row in rows)


def flat_rows(lines: Iterable[Line]) -> tuple[list[str], Iterator[dict[str, Any]]]:
    """The names of the columns of a data set, as the first line has them, and all rows.

    A column with the name of one of ours is called ``input.NAME``. Columns that only later lines
    have are together in ``columns_of_later_rows``, as JSON. Values that are no texts are JSON, too.
    """
    rest = iter(lines)
    first = next(rest, None)
    if first is None:
        return [], iter(())
    named = {name: f"input.{name}" if name in OWN else name for name in first.columns}
    every = chain([first], rest)
    return [*named.values(), OTHERS], (_flat(line, named) for line in every)


def _flat(line: Line, named: Mapping[str, str]) -> dict[str, Any]:
    carried = {new: _text(line.columns.get(name)) for name, new in named.items()}
    others = {name: value for name, value in line.columns.items() if name not in named}
    place = {"case_id": line.case_id, "row": line.row}
    return {**place, **values_of(line.result), **carried, OTHERS: _text(others or None)}


def _text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, default=str)


def safe_cell(value: Any) -> Any:
    """A cell that no spreadsheet runs as a formula: texts of others may begin with ``=``.

    Where ``;`` or a tab separates cells, or a line break inside one ends a row, a part of it begins
    a cell of its own; there an item of a list stays as it is.
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str):
        return value
    first, *others = _SEPARATED.split(value.replace("\0", "\ufffd"))
    parts = ["'" * _may_be_formula(value) + first]
    for part in others:
        is_safe = _ITEM.match(part[1:].replace('"', "").strip()) or not _may_be_formula(part[1:])
        parts.append(part if is_safe else f"{part[0]}'{part[1:]}")
    return "".join(parts)


def _may_be_formula(text: str) -> bool:
    """Whether a spreadsheet may run a text: some pass over spaces, some take full-width signs."""
    seen = (char for char in text if char not in _UNSEEN and category(char)[0] not in "ZCM")
    sign = normalize("NFKC", next(seen, ""))
    return sign in _FORMULA and not _NUMBER.fullmatch(text.replace('"', "").strip())


# ---------------------------------------------------------------- JUnit


def _write_junit(lines: Iterable[Line], file: IO[bytes]) -> None:
    """Writes a test case for each result. A case that does not pass is a failure; a grader error,
    which says nothing about the answer, is an error.
    """
    summary, seconds = Summary(), 0.0
    with TemporaryFile("w+", encoding="utf-8") as cases, as_text(file) as text:
        for line in lines:
            summary.add(line.result)
            seconds += line.result.latency_ms / 1000
            cases.write(_test_case(line.case_id, line.result))
        cases.seek(0)
        text.write(
            f'{_JUNIT} tests="{summary.cases}" failures="{summary.failed}" '
            f'errors="{summary.not_graded}" time="{seconds:.3f}">\n'
        )
        copyfileobj(cases, text)
        text.write("</testsuite>\n</testsuites>\n")


def _test_case(case_id: str, result: GradingResult) -> str:
    """XML cannot express control characters, so they are written as escapes."""
    seconds = f"{result.latency_ms / 1000:.3f}"
    case = Element("testcase", classname="faithfulness", name=visible(case_id), time=seconds)
    if not result.pass_:
        tag, kind = ("error", result.error.kind) if result.error else ("failure", result.status)
        problem = SubElement(case, tag, type=visible(kind), message=visible(result.short_reason))
        problem.text = visible(result.pretty())
    return tostring(case, "unicode") + "\n"


_WRITERS: dict[str, Callable[[Iterable[Line], IO[bytes]], None]] = {
    ".jsonl": _write_lines,
    ".csv": _write_csv,
    ".parquet": _write_parquet,
    ".xml": _write_junit,
}
SUFFIXES = tuple(_WRITERS)


# ---------------------------------------------------------------- annotations for GitHub


def github_annotations(lines: Iterable[Line], failed: str = "error") -> Iterator[str]:
    """Workflow commands, one a line, for standard output.

    ``failed`` is the kind for a case that does not pass. A grader error, which says nothing about
    the answer, is a warning. Of each, the first ten are told.
    """
    shown = Counter[str]()
    for line in lines:
        result = line.result
        kind = failed if result.error is None else "warning"
        if not result.pass_ and shown[kind] < MOST_ANNOTATIONS:
            shown[kind] += 1
            what: str = "failed" if result.status == "graded" else result.status
            yield annotation(kind, f"{what}: {clip(line.case_id)}", result.short_reason)


def annotation(kind: str, title: str, message: str) -> str:
    """The workflow command for an ``error`` or a ``warning``."""
    title = _data(title).replace(":", "%3A").replace(",", "%2C")
    return f"::{kind} title={title}::{_data(message)}"


def _data(text: str) -> str:
    """A text as the runner reads it: it takes ``%``, and ends a command at a line break."""
    return visible(text).replace("%", "%25").replace("\n", "%0A")
