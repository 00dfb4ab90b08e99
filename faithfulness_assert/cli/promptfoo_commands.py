"""``init`` writes a promptfoo example, or converts the assertions of a promptfoo config; ``worker``
runs a worker in the foreground, for all promptfoo evals of a shell.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ..files import new_file, open_file
from ..promptfoo.worker_process.protocol import IDLE
from ..records.errors import ConfigError
from .exit_codes import PASSED
from .node import FOR_NODE_22, NEEDED, find_node, promptfoo_for

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

TEMPLATES = Path(__file__).parents[1] / "promptfoo" / "templates"
MAX_IDLE = 86_400.0  # seconds

# ---------------------------------------------------------------- init


def add_init_arguments(parser: ArgumentParser) -> None:
    """The arguments of ``init``."""
    parser.epilog = "One test of the example passes, the other fails on a made-up price."
    parser.add_argument(
        "folder",
        metavar="FOLDER",
        type=Path,
        nargs="?",
        default=Path(),
        help="where to write the example (default: here)",
    )
    parser.add_argument("--force", action="store_true", help="overwrite existing files")
    parser.add_argument(
        "--from",
        metavar="CONFIG",
        dest="config",
        help="convert a promptfoo config: print `python` assertions that replace its "
        "context-faithfulness assertions; no file is written",
    )


def run_init(arguments: Namespace) -> int:
    """Writes the example, or prints what replaces the assertions of a config."""
    if arguments.config is not None:
        from ..policy.files import read_data
        from ..promptfoo.migrate import migrate_config

        print(migrate_config(read_data(arguments.config, "init")), end="")
        return PASSED
    for path in _write_example(arguments.folder, force=arguments.force):
        print(f"wrote {path}")
    package = promptfoo_for(find_node())
    command = f"PROMPTFOO_PYTHON={sys.executable} npx {package or FOR_NODE_22} eval"
    print(f"\nNow run: cd {arguments.folder} && {command}")
    if package != FOR_NODE_22:
        print(f"{NEEDED}.")
    return PASSED


def _write_example(folder: Path, *, force: bool) -> list[Path]:
    """Copies the templates into ``folder``; the paths of the copies."""
    templates = sorted(path for path in TEMPLATES.iterdir() if path.is_file())
    copies = [folder / template.name for template in templates]
    try:
        existing = ", ".join(copy.name for copy in copies if os.path.lexists(copy))
        if existing and not force:
            advice = "Choose another folder, or use --force to overwrite them"
            raise ConfigError(f"init: {folder} already contains {existing}. {advice}")
        folder.mkdir(parents=True, exist_ok=True)
        for template, copy in zip(templates, copies, strict=True):
            with open_file(template) as source, new_file(copy) as file:
                file.write(source.read())
    except OSError as error:
        raise ConfigError(f"init: cannot write to {folder}: {error.strerror}") from None
    return copies


# ---------------------------------------------------------------- worker


def add_worker_arguments(parser: ArgumentParser) -> None:
    """The arguments of ``worker``."""
    parser.epilog = (
        "You rarely need it: the extension in `faithfulness.py` starts a worker for each eval."
    )
    parser.add_argument(
        "--pid",
        type=int,
        help="serve this process and all processes that it starts, and end with it (default: the "
        "shell that runs this command)",
    )
    parser.add_argument(
        "--idle",
        type=float,
        default=IDLE,
        help=f"end after this many seconds without an assertion (default: {IDLE:g})",
    )


def run_worker(arguments: Namespace) -> int:
    """Serves until it is stopped, nothing is asked for a while, or the owner is gone."""
    if arguments.pid is not None and arguments.pid < 1:
        raise ConfigError(f"--pid: must be a number from 1, got {arguments.pid}")
    if not 0.1 <= arguments.idle <= MAX_IDLE:
        raise ConfigError(f"--idle: must be from 0.1 to {MAX_IDLE:g}, got {arguments.idle:g}")
    from ..promptfoo.worker_process.server import serve  # slow to load

    owner = os.getppid() if arguments.pid is None else arguments.pid
    print(f"serving the promptfoo evals that process {owner} starts; stop with Ctrl+C", flush=True)
    print(f"assertions graded: {serve(owner, arguments.idle)}")
    return PASSED
