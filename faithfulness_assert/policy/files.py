"""Reads the user's TOML, YAML and JSON files as plain data. Nothing in them is ever evaluated."""

from __future__ import annotations

import itertools
import sys
from typing import TYPE_CHECKING, Any

from ..files import read_text
from ..records.errors import ConfigError
from ..text.strings import clip, lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Sequence

    from yaml import Node, SafeLoader

MAX_FILE_BYTES = 1 << 20
MAX_TOML_BYTES = 1 << 18
MAX_YAML_VALUES = 100_000
"""Its parser takes up to 30 microseconds for each value, and a value may have two characters."""
MAX_KEYS = 20
"""Names that a dotted key of TOML joins: the parser takes quadratic time and memory for them."""
_BARE = r"[A-Za-z0-9_-]+"
_LONG_KEY = lazy_pattern(rf"(?<![A-Za-z0-9_-]){_BARE}(?:[ \t]*\.[ \t]*{_BARE}){{{MAX_KEYS}}}")
_QUOTED_PART = lazy_pattern(r"""["'][ \t]*\.|\.[ \t]*["']""")
MAX_DIGITS, MAX_BITS = 300, 1000
MAX_PROBLEM = 300
_TOO_LONG = f"a number has more than {MAX_DIGITS} digits"
_NUMBERS = ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float")
SUFFIXES = (".toml", ".yaml", ".yml", ".json")


def read_data(file: str, what: str) -> object:
    """The data in a file. ``what`` is the first word of each error. Raises as the parts do."""
    suffix, text = read_file(file, what)
    return parsed(suffix, text, f"{what}: {file}")


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


def parsed(suffix: str, text: str, where: str, loader: type[SafeLoader] | None = None) -> object:
    """The data in ``text``, of YAML by ``loader``. ``where`` is the beginning of each error.

    Each parser is imported only for a file of its format.

    Raises:
        ConfigError: the text has another format, or numbers or aliases that are too large.
    """
    try:
        if suffix == ".json":
            import json

            return _checked(json.loads(text))
        if suffix == ".toml":
            if sys.version_info >= (3, 11):
                import tomllib
            else:
                import tomli as tomllib
            _check_toml(text)
            return _checked(tomllib.loads(text))
        import yaml

        return _checked(_yaml((loader or yaml.SafeLoader)(text)))
    except Exception as error:  # noqa: BLE001 - for values of YAML, such as `!!bool x`, it is any
        raise ConfigError(f"{where}: invalid {suffix[1:].upper()}: {_problem(error)}") from None


def _problem(error: Exception) -> str:
    """What is wrong with a text, where a parser's own words may be about the parser."""
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if isinstance(error, LookupError | TypeError | AttributeError):
        return "a value does not fit its tag, such as `!!int` or `!!timestamp`"
    problem = clip(str(error), MAX_PROBLEM)
    return _TOO_LONG if "integer string conversion" in problem else problem


def _check_toml(text: str) -> None:
    """Raises ``ValueError`` for a text that the parser may need very long for.

    It is looked at without regard to quotes and comments, so nothing in them can hide a key.
    """
    if len(text) > MAX_TOML_BYTES:
        raise ValueError(f"is larger than {MAX_TOML_BYTES >> 10} kB")
    quoted = any(len(_QUOTED_PART.findall(line)) > MAX_KEYS for line in text.split("\n"))
    if quoted or _LONG_KEY.search(text):
        raise ValueError(f"more than {MAX_KEYS} names are joined by dots")


def _checked(data: object) -> object:
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
    compose, made = loader.compose_node, itertools.count(1)

    def counted(*place: Any) -> Node | None:
        if next(made) > MAX_YAML_VALUES:
            raise ValueError(f"it has more than {MAX_YAML_VALUES} values")
        return compose(*place)

    loader.compose_node = counted  # type: ignore[method-assign, assignment]
    try:
        root = loader.get_single_node()
        if root is None:
            return None
        _check_size(root)
        return loader.construct_document(root)
    finally:
        loader.dispose()


def _check_size(root: Node) -> None:
    """Raises ``ValueError`` if a document is too large once its aliases are expanded.

    A few nested or recursive aliases can mean billions of values, or a long text very many times.
    So nodes and characters are counted before any value is made: they may be no more than those of
    a file without aliases.
    """
    waiting, count, characters = [root], 1, 0
    while waiting:
        node = waiting.pop()
        if node.tag in _NUMBERS and len(node.value) > MAX_DIGITS:  # before it is computed
            raise ValueError(_TOO_LONG)
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
