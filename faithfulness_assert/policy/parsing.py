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
MAX_PROBLEM = 300
SUFFIXES = (".toml", ".yaml", ".yml", ".json")


def read_data(
    file: str, what: str, suffixes: Sequence[str] = SUFFIXES, loader: type[SafeLoader] | None = None
) -> object:
    """The data in a file, of YAML by ``loader``. ``what`` is the first word of each error.

    Raises:
        ConfigError: the file cannot be read, is too large, has another ending or another format, or
            numbers or aliases that are too large.
    """
    suffix = next(filter(file.lower().endswith, suffixes), "")
    if not suffix:
        raise ConfigError(f"{what}: {file}: must end in {', '.join(suffixes)}")
    try:
        text = read_text(file, "utf-8-sig", most=MAX_FILE_BYTES)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ConfigError(f"{what}: {file}: cannot be read: {reason}") from None
    try:
        data = _parsed(suffix, text, loader)
        repr(data)  # as a message shows it: some numbers have too many digits for that
    except Exception as error:  # noqa: BLE001 - for values of YAML, such as `!!bool x`, it is any
        invalid = f"{what}: {file}: invalid {suffix[1:].upper()}"
        raise ConfigError(f"{invalid}: {_problem(error)}") from None
    return data


def _parsed(suffix: str, text: str, loader: type[SafeLoader] | None) -> object:
    """The data in ``text``. Each parser is imported only for a file of its format."""
    if suffix == ".json":
        import json

        return json.loads(text)
    if suffix == ".toml":
        if sys.version_info >= (3, 11):
            import tomllib
        else:
            import tomli as tomllib
        return tomllib.loads(text)
    import yaml

    document = (loader or yaml.SafeLoader)(text)
    root = document.get_single_node()
    if root is None:
        return None
    _check_size(root)
    return document.construct_document(root)


def _check_size(root: Node) -> None:
    """Raises ``ValueError`` if a document is too large once its aliases are expanded.

    A few nested or recursive aliases can mean billions of values, or a long text very many times.
    So nodes and characters are counted before any value is made: they may be no more than those of
    a file without aliases.
    """
    waiting, size = [root], 0
    while waiting:
        node = waiting.pop()
        if isinstance(node, tuple):  # a key and its value
            waiting += node
            continue
        size += len(node.value)
        if size > MAX_FILE_BYTES:
            raise ValueError("too many values in its aliases")
        waiting += () if isinstance(node.value, str) else node.value


def _problem(error: Exception) -> str:
    """What is wrong with a text, where a parser's own words may be about the parser."""
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if isinstance(error, LookupError | TypeError | AttributeError | ArithmeticError):
        return "a value does not fit its tag, such as `!!int` or `!!timestamp`"
    return clip(str(error), MAX_PROBLEM)
