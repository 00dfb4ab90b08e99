"""Reads JSON from files and from standard input."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from ..records.errors import ConfigError

LINE_FORMATS = (".jsonl", ".ndjson")


def read_cases(file: str) -> list[Any]:
    """The cases of a file: JSON (one case or a list), or one JSON object per line.

    Raises:
        ConfigError: the file cannot be read, is invalid JSON, or contains no cases.
    """
    text = _read_text(file)
    data = _lines(text, file) if Path(file).suffix in LINE_FORMATS else _json_or_lines(text, file)
    cases = data if isinstance(data, list) else [data]
    if not cases:
        raise ConfigError(f"{file}: contains no cases")
    return cases


def read_json(file: str) -> Any:
    """The JSON value in a file.

    Raises:
        ConfigError: the file cannot be read, or is invalid JSON.
    """
    return _parse(_read_text(file), file)


def _json_or_lines(text: str, file: str) -> Any:
    """Only standard input, which has no file name, may contain either."""
    try:
        return _parse(text, file)
    except ConfigError:
        if file != "-":
            raise
        return _lines(text, file)


def _lines(text: str, file: str) -> list[Any]:
    # Not splitlines(): it also splits at characters that may appear inside a JSON string.
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    return [_parse(line, f"{file}, line {number}") for number, line in lines]


def _read_text(file: str) -> str:
    try:
        content = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        return content.decode("utf-8-sig")
    except OSError as error:
        raise ConfigError(f"{file}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{file}: cannot be read: it is not UTF-8 text") from None


def _parse(text: str, name: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{name}: invalid JSON: {error}") from None
