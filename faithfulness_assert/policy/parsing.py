"""Reads the user's TOML, YAML and JSON files as plain data. Nothing in them is ever evaluated."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from ..files import read_text
from ..records.errors import ConfigError
from ..text.strings import clip

if TYPE_CHECKING:
    from collections.abc import Sequence

    from yaml import Node, SafeLoader

MAX_FILE_BYTES = 1 << 20
MAX_DIGITS, MAX_BITS = 300, 1000
MAX_PROBLEM = 300
_TOO_LONG = f"a number has more than {MAX_DIGITS} digits"
SUFFIXES = (".toml", ".yaml", ".yml", ".json")


def read_data(file: str, what: str) -> object:
    """The data in a file. ``what`` is the first word of each error. Raises as the parts do."""
    suffix, text = read_file(file, what)
    return parse(suffix, text, f"{what}: {file}")


def read_file(file: str, what: str, suffixes: Sequence[str] = SUFFIXES) -> tuple[str, str]:
    """The ending of a file that can have data, and its text.

    Raises:
        ConfigError: the file cannot be read, is too large, or has another ending.
    """
    from pathlib import Path  # only where there is a file

    path = Path(file)
    suffix = path.suffix.lower()
    if suffix not in suffixes:
        raise ConfigError(f"{what}: {file}: must end in {', '.join(suffixes)}")
    try:
        text = read_text(path, "utf-8-sig", most=MAX_FILE_BYTES)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ConfigError(f"{what}: {file}: cannot be read: {reason}") from None
    return suffix, text


def parse(suffix: str, text: str, where: str, loader: type[SafeLoader] | None = None) -> object:
    """The data in ``text``, of YAML by ``loader``. ``where`` is the beginning of each error.

    Each parser is imported only for a file of its format.

    Raises:
        ConfigError: the text has another format, or numbers or aliases that are too large.
    """
    try:
        if suffix == ".json":
            import json

            return _check_numbers(json.loads(text))
        if suffix == ".toml":
            if sys.version_info >= (3, 11):
                import tomllib
            else:
                import tomli as tomllib
            return _check_numbers(tomllib.loads(text))
        import yaml

        return _check_numbers(_yaml((loader or yaml.SafeLoader)(text)))
    except Exception as error:  # noqa: BLE001 - for values of YAML, such as `!!bool x`, it is any
        raise ConfigError(f"{where}: invalid {suffix[1:].upper()}: {_problem(error)}") from None


def _problem(error: Exception) -> str:
    """What is wrong with a text, where a parser's own words may be about the parser."""
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if isinstance(error, LookupError | TypeError | AttributeError):
        return "a value does not fit its tag, such as `!!int` or `!!timestamp`"
    problem = clip(str(error), MAX_PROBLEM)
    is_too_long = isinstance(error, OverflowError) or "integer string conversion" in problem
    return _TOO_LONG if is_too_long else problem


def _check_numbers(data: object) -> object:
    """The data. Raises ``ValueError`` if a number in it is too large for a float."""
    waiting = [data]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            waiting += [*value, *value.values()]
        elif isinstance(value, list | tuple | set):
            waiting += value
        elif isinstance(value, int) and value.bit_length() > MAX_BITS:
            raise ValueError(_TOO_LONG)
    return data


def _yaml(loader: SafeLoader) -> object:
    root = loader.get_single_node()
    if root is None:
        return None
    _check_size(root)
    return loader.construct_document(root)


def _check_size(root: Node) -> None:
    """Raises ``ValueError`` if a document is too large once its aliases are expanded.

    A few nested or recursive aliases can mean billions of values, or a long text very many times.
    So nodes and characters are counted before any value is made: they may be no more than those of
    a file without aliases.
    """
    waiting, count, characters = [root], 1, 0
    while waiting:
        node = waiting.pop()
        parts = _parts(node)
        count += len(parts)
        characters += 0 if parts else len(node.value)
        if max(count, characters) > MAX_FILE_BYTES:
            raise ValueError("too many values in its aliases")
        waiting += parts


def _parts(node: Node) -> list[Node]:
    """The items of a list; the keys and values of a mapping; nothing of a scalar."""
    if not isinstance(node.value, list):
        return []
    pairs = (item if isinstance(item, tuple) else (item,) for item in node.value)
    return [part for pair in pairs for part in pair]
