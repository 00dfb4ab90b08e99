"""``init`` writes a promptfoo example, or converts the assertions of a promptfoo config."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from ..policy.files import read_data
from ..promptfoo.migrate import migrate_config
from ..records.errors import ConfigError
from .node import FOR_NODE_22, NEEDED, find_node, promptfoo_for

TEMPLATES = Path(__file__).parents[1] / "promptfoo" / "templates"

FolderArgument = Annotated[Path, typer.Argument(help="Where to write the example.")]
ForceOption = Annotated[bool, typer.Option(help="Overwrite existing files.")]
FromOption = Annotated[
    Path | None,
    typer.Option(
        "--from",
        help="Convert a promptfoo config: print `python` assertions that replace its "
        "context-faithfulness assertions. No file is written.",
    ),
]


def init(
    folder: FolderArgument = Path(), force: ForceOption = False, from_: FromOption = None
) -> None:
    """Write a working promptfoo example.

    One of its tests passes, the other fails on a made-up price.
    """
    if from_ is not None:
        typer.echo(migrate_config(read_data(str(from_), "init")), nl=False)
        return
    for path in _write_example(folder, force=force):
        typer.echo(f"wrote {path}")
    package = promptfoo_for(find_node())
    command = f"PROMPTFOO_PYTHON={sys.executable} npx {package or FOR_NODE_22} eval"
    typer.echo(f"\nNow run: cd {folder} && {command}")
    if package != FOR_NODE_22:
        typer.echo(f"{NEEDED}.")


def _write_example(folder: Path, *, force: bool) -> list[Path]:
    """Copies the templates into ``folder``; the paths of the copies."""
    templates = sorted(path for path in TEMPLATES.iterdir() if path.is_file())
    copies = [folder / template.name for template in templates]
    try:
        existing = ", ".join(copy.name for copy in copies if copy.exists())
        if existing and not force:
            advice = "Choose another folder, or use --force to overwrite them"
            raise ConfigError(f"init: {folder} already contains {existing}. {advice}")
        folder.mkdir(parents=True, exist_ok=True)
        for template, copy in zip(templates, copies, strict=True):
            copy.write_bytes(template.read_bytes())
    except OSError as error:
        raise ConfigError(f"init: cannot write to {folder}: {error.strerror}") from None
    return copies
