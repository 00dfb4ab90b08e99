"""Makes an existing promptfoo project use our assertion, in place.

Only the text of the assertions changes: what else is in a config, with its comments and its order,
stays as it is to the last character. What a config means afterwards is read again and compared with
what it should mean, so a text that could not be changed safely is not changed but listed.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from ..files import new_file, open_file
from ..judges.remote.redaction import redact
from ..policy.files import parsed, read_file
from ..records.errors import ConfigError
from .migrate import MAX_ASSERTIONS, as_yaml, configured_assertions, is_built_in, migrate_config
from .promptfoo_yaml import Placed, Text, read_yaml

ADDED = ("faithfulness.py", "faithfulness.cjs")
_REST = re.compile(r"(?:[ \t]+#[^\r\n]*)?")
SECRET = re.compile(r"key|token|secret|passw|authorization|credential", re.IGNORECASE)
EXTENSIONS = """
# One process grades the whole eval, and prints at its end what was made up.
extensions:
  - file://faithfulness.py:beforeAll
  - file://faithfulness.py:afterAll
"""


@dataclass
class Adoption:
    """What would change in a project: for each file its text before (None: no file) and after."""

    changes: dict[Path, tuple[str | None, str]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    secrets: set[str] = field(default_factory=set)

    def diff(self) -> str:
        """The changes of files that exist, as a diff without keys, and the names of new files.

        Of ``.env`` it has only what is added, since the rest may be keys.
        """
        parts: list[str] = []
        for path, (before, after) in self.changes.items():
            if before is None and path.name in ADDED:
                parts.append(f"new file {path}")
                continue
            around = 0 if path.name == ".env" else 3
            pair = (before or "").splitlines(), after.splitlines()
            lines = list(difflib.unified_diff(*pair, str(path), str(path), n=around, lineterm=""))
            parts += lines
        text = redact("\n".join(parts))
        for secret in sorted(self.secrets, key=len, reverse=True):
            text = text.replace(secret, "[hidden]")
        return text

    def write(self) -> Iterator[Path]:
        """Writes the files, the config last. Raises ``OSError`` if one cannot be written."""
        for path, (_, after) in reversed(self.changes.items()):
            with new_file(path, private=path.name == ".env") as file:
                file.write(after.encode())
            yield path


def adopt(config: Path, templates: Path, python: str) -> Adoption:
    """What makes the project of a config use our assertion. Nothing is written.

    Args:
        config: promptfoo's config, in YAML or JSON.
        templates: where our files are that a project needs.
        python: the Python that has this package.

    Raises:
        ConfigError: the config cannot be read, or has nothing to replace.
    """
    suffix, text = read_file(str(config), "init", (".yaml", ".yml", ".json"))
    try:
        data = read_yaml(text, f"init: {config}")
    except ConfigError:
        if suffix != ".json":
            raise
        data = parsed(suffix, text, f"init: {config}")  # JSON with tabs is no YAML
    root: Any = {"tests": data} if isinstance(data, list) else data
    printed = migrate_config(root)
    adoption = Adoption(secrets=set(_secrets(root)))
    adoption.changes[config] = (text, _adopted(suffix, text, root, adoption.notes))
    if adoption.changes[config][1] == text:  # its own text tells nothing of where its parts are
        adoption.notes += printed.splitlines()
    advice = printed.rsplit("# Differences from the built-in:", 1)[1]
    adoption.notes += ["Differences from the built-in:"]
    adoption.notes += [line.removeprefix("# ") for line in advice.strip().splitlines()]
    for name in ADDED:
        _add(adoption, config.parent / name, templates / name)
    _name_python(adoption, config.parent / ".env", python)
    adoption.changes = {p: both for p, both in adoption.changes.items() if both[0] != both[1]}
    return adoption


def _secrets(value: Any, name: str = "") -> Iterator[str]:
    """The texts under names of keys and passwords."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _secrets(inner, str(key))
    elif isinstance(value, list):
        for inner in value:
            yield from _secrets(inner, name)
    elif isinstance(value, str) and len(value) > 3 and SECRET.search(name) and "{{" not in value:
        yield value


def _exact(path: Path) -> str | None:
    """A file's text with its line ends; None if there is no file."""
    try:
        with open_file(path) as file:
            return file.read().decode()
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise ConfigError(f"init: {path}: cannot be read: {error}") from None


def _add(adoption: Adoption, path: Path, template: Path) -> None:
    wanted, found = _exact(template) or "", _exact(path)
    if found is None:
        adoption.changes[path] = (None, wanted)
    elif found != wanted:
        adoption.notes.append(f"{path.name} exists and is another file than ours; it stays.")


def _name_python(adoption: Adoption, path: Path, python: str) -> None:
    """promptfoo reads ``.env`` in the folder where it is started."""
    line = f"PROMPTFOO_PYTHON={json.dumps(python) if set(python) & set(' #') else python}\n"
    if (found := _exact(path)) is None:
        adoption.changes[path] = (None, line)
        adoption.notes.append(".env is of this machine: keep it out of version control.")
        return
    names = (entry.removeprefix("export ").split("=")[0].strip() for entry in found.splitlines())
    if "PROMPTFOO_PYTHON" not in names:
        end = "" if not found or found.endswith("\n") else "\n"
        adoption.changes[path] = (found, f"{found}{end}{line}")


# ---------------------------------------------------------------- the config


def _adopted(suffix: str, text: str, root: Mapping[str, Any], notes: list[str]) -> str:
    """The text of a config with our assertions in place of the built-in ones."""
    wanted: dict[int, set[str]] = {}
    built_in: dict[int, Placed] = {}
    for configured in islice(configured_assertions(root), MAX_ASSERTIONS):
        if is_built_in(configured.assertion):
            wanted.setdefault(id(configured.assertion), set()).add(as_yaml(configured))
            if isinstance(configured.assertion, Placed):
                built_in[id(configured.assertion)] = configured.assertion
    expected: dict[int, Any] = {}
    pieces, end = [], len(text)  # of the new text, from its end on
    source = Text(text) if built_in else None
    newline = next((sign for sign in ("\r\n", "\n", "\r") if sign in text), "\n")
    for key, assertion in sorted(built_in.items(), key=lambda item: -item[1].start):
        (block, *others) = wanted[key]
        span = source.span(assertion) if source and not others else None
        if span is None or source is None:
            notes.append("An assertion that is written with YAML anchors was left as it is. Ours:")
            notes += [line for one in (block, *others) for line in one.splitlines()]
            continue
        first, last = span
        in_braces = text[first] == "{"
        if in_braces:
            ours = read_yaml(block)[0]
            piece = json.dumps(ours, ensure_ascii=suffix == ".json")
            notes += [
                line.strip().removeprefix("# ") for line in block.splitlines() if "  # " in line
            ]
        else:
            piece = _indented(block, source.column(first), source.comments(first, last))
        expected[key] = read_yaml(block)[0]
        if not in_braces:  # a comment behind its last value is among those that are kept
            last += len(_REST.match(text, last)[0])  # type: ignore[index]
        pieces += [text[last:end], piece.replace("\n", newline)]
        end = first
    changed = "".join([text[:end], *reversed(pieces)])
    if suffix != ".json" and isinstance(root, Placed) and "extensions" not in root and expected:
        if text[root.start : root.start + 1] != "{":
            changed = changed.rstrip() + newline + EXTENSIONS.replace("\n", newline)
    elif expected:
        notes.append("For one process that grades the whole eval, see `extensions` in the docs.")
    if expected:
        _check_same(changed, root, expected)
    return changed


def _indented(block: str, column: int, comments: list[str]) -> str:
    """Our assertion in place of one that begins at a column, with the comments that were in it."""
    head, *rest = block.removeprefix("- ").split("\n")
    margin = " " * (column - 2) if column >= 2 else ""
    lines = [head, *(margin + line for line in rest)]
    lines += [" " * column + comment for comment in comments]
    return "\n".join(lines)


def _check_same(changed: str, root: Mapping[str, Any], expected: Mapping[int, Any]) -> None:
    """Raises ``ConfigError`` if a changed config means something else than it should."""

    def plain(value: Any) -> Any:
        if id(value) in expected:
            return expected[id(value)]
        if isinstance(value, dict):
            return {key: plain(inner) for key, inner in value.items()}
        return [plain(inner) for inner in value] if isinstance(value, list) else value

    after = read_yaml(changed)
    after = {"tests": after} if isinstance(after, list) else after
    if "extensions" not in root:
        after.pop("extensions", None)
    if repr(plain(root)) != repr(plain(after)):
        problem = "its assertions cannot be replaced in place; write it without YAML aliases"
        raise ConfigError(f"init: {problem}")
