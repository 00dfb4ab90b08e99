"""Verdicts in a table: Markdown with "|", or CSV with commas, semicolons or tabs.

A table counts if it has a column of labels, and each row has as many cells as the header. Its rows
become JSON objects, with the header's words as keys, so that the rules for JSON apply to them.
"""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING, Any

from ..json_replies import json_keys as keys
from ..json_values import ReplyParts, key_of
from ..labels import exact_label
from ..statement_ids import read_id

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ...records.model import Label

    Labels = Mapping[str, Label] | None
    Row = list[str]

_RULE = re.compile(r"[\s|:+=\-]+")
_ESCAPED_PIPE = re.compile(r"(?<!\\)\|")
_DELIMITERS = ("|", "\t", ";", ",")
_NUMBER_HEADS = frozenset(("#", "№", "nr", "nr.", "no.", "n°", "id", "s#"))
_MARKUP = "*_` \t"


def table_parts(text: str, labels: Labels = None) -> ReplyParts | None:
    """The tables of verdicts in ``text`` as lists of objects, and the prose around them."""
    if not any(mark in text for mark in _DELIMITERS):
        return None
    blocks = list(_blocks(text))
    is_alone = sum(any(map(str.strip, block)) for block in blocks) == 1
    values: list[Any] = []
    around: list[list[str]] = [[]]
    for block in blocks:
        if values and not around[-1] and read_id(block[0]) is not None:
            return None  # a number without its cells: the table is cut off
        rows = _objects(block) or (_without_header(block, labels) if is_alone else [])
        if rows:
            values.append({"verdicts": rows})
            around.append([])
        else:
            around[-1] += block
    return ReplyParts(tuple(values), tuple(map("\n".join, around)), ()) if values else None


def _blocks(text: str) -> Iterator[list[str]]:
    """Runs of lines that are all rows of a table, or all not."""
    block: list[str] = []
    kind = ""
    for line in text.split("\n"):
        mark = next((mark for mark in _DELIMITERS if mark in line), "")
        if mark != kind and block:
            yield block
            block = []
        kind = mark
        block.append(line)
    yield block


def _objects(block: list[str]) -> list[dict[str, Any]]:
    """The rows of a table of verdicts as objects; [] if the lines are not such a table."""
    rows = _rows(block)
    if len(rows) < 2 or read_id(rows[0][0]) is not None:
        return []
    names = [_name(cell) for cell in rows[0]]
    if keys.LABEL_KEYS.isdisjoint(names) or len(set(names)) < len(names):
        return []
    # A sentence with a comma looks like a row of CSV, and may take back what the rows say.
    if read_id(rows[1][0]) is not None and any(read_id(row[0]) is None for row in rows[1:]):
        return []
    return [dict(zip(names, row, strict=True)) for row in rows[1:]]


def _rows(block: list[str]) -> list[Row]:
    """The cells of each line; [] if there are not as many in each line, or fewer than two."""
    mark = next((mark for mark in _DELIMITERS if mark in block[0]), "")
    lines = [line for line in block if not (_RULE.fullmatch(line) and "-" in line)]
    rows = [_cells(line, mark) for line in lines] if mark else []
    width = len(rows[0]) if rows else 0
    return [] if width < 2 or any(len(row) != width for row in rows) else rows


def _without_header(block: list[str], labels: Labels) -> list[dict[str, Any]]:
    """Rows of a number, a label in words, and perhaps evidence; [] if there are others."""
    objects = []
    for number, label, *evidence in _rows(block):
        in_words = exact_label(label, labels) and not label.strip(_MARKUP).isdecimal()
        if read_id(number) is None or not in_words or len(evidence) > 1:
            return []
        objects.append({"id": number, "label": label, "evidence": "".join(evidence)})
    return objects


def _name(cell: str) -> str:
    return "id" if cell.casefold() in _NUMBER_HEADS else key_of(cell)


def _cells(line: str, mark: str) -> Row:
    """The cells of a line; [] if its quotes are not closed."""
    if mark == "|":
        cells = _ESCAPED_PIPE.split(line.strip().removeprefix("|").removesuffix("|"))
        return [cell.replace("\\|", "|").strip(_MARKUP) for cell in cells]
    if line.count('"') % 2:
        return []
    try:
        (cells,) = csv.reader([line.strip()], delimiter=mark, skipinitialspace=True)
    except (csv.Error, ValueError):
        return []
    return [cell.strip(_MARKUP) for cell in cells]
