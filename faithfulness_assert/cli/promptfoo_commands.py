"""``init`` writes a promptfoo example, or prints what replaces the assertions of a config."""

from __future__ import annotations

import os
import re
import sys
from argparse import Namespace
from pathlib import Path
from shlex import quote

from ..files import append_file, new_file, open_file, read_text
from ..records.errors import ConfigError
from .app import PASSED
from .terminal import show_line, show_lines

TEMPLATES = Path(__file__).parents[1] / "promptfoo" / "templates"
CONFIG = "promptfooconfig.yaml"
ENDINGS = "yaml yml json cjs cts js mjs mts ts".split()
"""Those of a config, in promptfoo's order: it reads the first that is there."""
ENVIRONMENT, MOST_ENVIRONMENT = ".env", 1 << 20
PYTHON = re.compile(r"^(?:export )?PROMPTFOO_PYTHON=(['\"]?)(.*)\1\s*$", re.MULTILINE)


def run_init(arguments: Namespace) -> int:
    """Writes the example, or prints what replaces the assertions of a config."""
    config, folder = vars(arguments)["from"], Path(arguments.FOLDER or "")
    if config is not None:
        example = {"FOLDER": folder != Path(), "--force": arguments.force}
        for name, given in example.items():
            if given:
                raise ConfigError(f"{name}: not with --from, which writes no example")
        _convert(config, arguments.output)
        return PASSED
    if arguments.output is not None:
        raise ConfigError("--output: only with --from")
    for path in _write_example(folder, force=arguments.force):
        show_line(f"wrote {path}")
    show_line("")
    if (python := python_of_promptfoo(folder)) not in (None, sys.executable):
        problem = f"{folder / ENVIRONMENT} names {python} for promptfoo"
        show_line(f"{problem}, and is left as it is. Here it is {sys.executable}")
    where = f"cd {quote(str(folder))} && " if folder != Path() else ""
    show_line(f"Now run: {where}npx promptfoo@latest eval")
    show_line("It needs Node 22.22 or newer; faithfulness-assert doctor says whether it is here.")
    return PASSED


def _convert(config: str, output: str | None) -> None:
    """Prints what replaces the assertions of a config, or writes it to a new file."""
    from ..promptfoo.migrate import migrate_file

    text = migrate_file(config)
    if output is None:
        show_lines(text.rstrip())
        return
    if os.path.lexists(output):
        raise ConfigError(f"--output: {output} exists; name a new file")
    try:
        with new_file(output) as file:
            file.write(text.encode())
    except OSError as error:
        raise ConfigError(f"--output: cannot write {output}: {error.strerror}") from None
    show_line(f"wrote {output}: assertions to paste in place of yours; it is no config by itself")


def _write_example(folder: Path, *, force: bool) -> list[Path]:
    """Copies the templates into ``folder``, and names this Python in its ``.env``.

    ``force``: over files that are there. A config is the user's, and is never lost; nor is what
    stands in a ``.env``. Returns the paths of what was written.
    """
    copies = [folder / path.name for path in sorted(TEMPLATES.iterdir()) if path.is_file()]
    try:
        configs = [folder / f"promptfooconfig.{ending}" for ending in ENDINGS]
        configs = [path for path in configs if os.path.lexists(path)]
        copies = [copy for copy in copies if copy.name != CONFIG or not configs]
        existing = [path.name for path in (*copies, *configs) if os.path.lexists(path)]
        if existing and not force:
            advice = (
                "Choose another folder, or use --force, which writes over faithfulness.cjs and "
                "faithfulness.py, leaves a config as it is, and adds one line to .env"
            )
            advice += f". Its assertions are converted by --from {configs[0]}" if configs else ""
            raise ConfigError(f"init: {folder} already contains {', '.join(existing)}. {advice}")
        folder.mkdir(parents=True, exist_ok=True)
        for copy in copies:
            template = TEMPLATES / copy.name
            with open_file(template) as source, new_file(copy) as file:
                file.write(source.read())
        if python_of_promptfoo(folder) is None:
            copies.append(folder / ENVIRONMENT)
            with append_file(copies[-1]) as lines:
                if lines.tell() and not _environment(folder).endswith("\n"):
                    lines.write(b"\n")
                lines.write(f"PROMPTFOO_PYTHON='{sys.executable}'\n".encode())
    except OSError as error:
        raise ConfigError(f"init: cannot write to {folder}: {error.strerror}") from None
    return copies


def python_of_promptfoo(folder: Path) -> str | None:
    """The Python that a ``.env`` names for promptfoo, which reads it in the folder of an eval."""
    match = PYTHON.search(_environment(folder))
    return match and match[2]


def _environment(folder: Path) -> str:
    """The text of a ``.env``; "" if there is none that can be read."""
    try:
        return read_text(folder / ENVIRONMENT, most=MOST_ENVIRONMENT)
    except (OSError, ValueError):
        return ""
