"""Files of plain data that a user points at: TOML, YAML or JSON, by their ending. Nothing in them is ever evaluated."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ..records.errors import ConfigError

if TYPE_CHECKING:
    from yaml import Node, SafeLoader

MAX_FILE_BYTES = 1 << 20
SUFFIXES = (".toml", ".yaml", ".yml", ".json")


def read_data(file: str, what: str) -> object:
    """The data in a file. ``what`` it is for begins each error.

    Raises:
        ConfigError: the file cannot be read, is too large, or is not what its ending says.
    """
    path = Path(file)
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise ConfigError(f"{what}: {file}: must end in {', '.join(SUFFIXES)}")
    try:
        with path.open("rb") as stream:
            content = stream.read(MAX_FILE_BYTES + 1)
        text = content.decode("utf-8-sig")
    except (OSError, ValueError) as error:
        raise ConfigError(f"{what}: {file}: cannot be read: {error}") from None
    if len(content) > MAX_FILE_BYTES:
        raise ConfigError(f"{what}: {file}: is larger than {MAX_FILE_BYTES >> 20} MB")
    return _parsed(suffix, text, f"{what}: {file}")


def _parsed(suffix: str, text: str, where: str) -> object:
    """Each format's parser is loaded only for a file of it."""
    problems: tuple[type[Exception], ...] = (ValueError, RecursionError)
    try:
        if suffix == ".json":
            import json

            return json.loads(text)
        if suffix == ".toml":
            return _toml(text)
        import yaml

        problems = (*problems, yaml.YAMLError)
        return _yaml(yaml.SafeLoader(text))
    except problems as error:
        raise ConfigError(
            f"{where}: is no {suffix[1:].upper()}: {' '.join(str(error).split())[:300]}"
        ) from None


def _yaml(loader: SafeLoader) -> object:
    try:
        root = loader.get_single_node()
        if root is None:
            return None
        _check_size(root)
        return loader.construct_document(root)
    finally:
        loader.dispose()


def _check_size(root: Node) -> None:
    """Raises ``ValueError`` where a document is larger, with its aliases written out, than a file may be.

    A few lines of them, nested, merged or inside themselves, can mean billions of values: so they are counted before any is made.
    """
    waiting, count = [root], 1
    while waiting:
        inner = waiting.pop().value
        parts = (
            [part for item in inner for part in (item if isinstance(item, tuple) else (item,))]
            if isinstance(inner, list)
            else []
        )
        count += len(parts)
        if count > MAX_FILE_BYTES:
            raise ValueError("too many values behind its aliases")
        waiting += parts


def _toml(text: str) -> object:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    return tomllib.loads(text)
