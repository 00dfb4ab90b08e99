"""Writes a page: one HTML file that needs nothing else, and may run nothing but its own script.

Texts from results come into the page in two ways. The overview is written by jinja2, which escapes
them. Everything else is in compressed blocks, which the script shows as text nodes. The pages of
how far a judge can be trusted, its card, and it beside people, run no script.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from .. import __version__
from ..agreement import Agreement
from ..agreement.document import BLANK, facts, headline, tables
from ..batch.outputs import check_place, whole_file
from ..batch.summary import money
from ..files import as_text, open_file, read_text
from ..probe.card import Card
from ..records.errors import ConfigError
from ..text.strings import clean_text

SCRIPTS = (
    *("dom", "words", "long", "blocks", "model", "query", "virtual_list", "marks"),
    *("evidence", "differences", "statement_panel", "case_page", "compare_page"),
    *("overview", "keys", "main"),
)
"""The script's files, in the order in which they are put together."""
QUOTE = 400
"""Characters of a text on the overview."""
SUFFIXES = (".html", ".htm")
GENERATOR = '<meta name="generator" content="faithfulness-assert '
"""What begins every page, within ``HEAD`` bytes."""
HEAD = 2000
LOADING = "Loading the cases … (needs Chrome or Edge 93, Safari 16.4, Firefox 113, or newer)"


def check_report(path: str | os.PathLike[str]) -> Path:
    """The path, if a report can be written there, as far as one can tell before a run.

    Raises:
        ConfigError: it has another suffix, its folder does not exist or is read-only, or there is a
            page that is no report.
    """
    file = Path(path)
    if file.suffix.lower() not in SUFFIXES:
        raise ConfigError(f"{file}: the name of a report must end in .html")
    check_place(file)
    if file.exists():
        try:
            with open_file(file) as old:
                head = old.read(HEAD)
        except OSError as error:
            raise ConfigError(f"{file}: cannot be written: {error.strerror or error}") from None
        if head and GENERATOR.encode() not in head:
            raise ConfigError(f"{file}: exists, and is no report; choose another name")
    return file


def write_page(
    file: Path,
    template: str,
    values: Mapping[str, Any],
    blocks: Iterable[tuple[str, str]] = (),
    scripts: Sequence[str] = SCRIPTS,
) -> None:
    """Writes a page.

    Args:
        blocks: compressed data, each with the id of its element. They are taken one at a time.
        scripts: without any, nothing runs.
    """
    parts = [asset(f"{name}.js") for name in scripts]
    script = "\n(() => {\n'use strict';\n" + "\n".join(parts) + "\n})();\n" if parts else ""
    style = asset("report.css")
    page = (
        _environment()
        .get_template(template)
        .stream(
            **values,
            csp=policy_for(script, style),
            script=script,
            style=style,
            loading=LOADING,
            version=__version__,
            blocks=blocks,
        )
    )
    with whole_file(file) as part, as_text(part, errors="replace") as text:
        text.writelines(page)


def policy_for(script: str, style: str) -> str:
    """The Content-Security-Policy: this script and this style, and nothing else."""
    runs = f"'{_hash(script)}'" if script else "'none'"
    return (
        f"default-src 'none'; script-src {runs}; style-src '{_hash(style)}'; "
        "base-uri 'none'; form-action 'none'; "
        "require-trusted-types-for 'script'; trusted-types 'none'"
    )


def asset(name: str) -> str:
    """The text of a file of ours, with line feeds as a browser reads them."""
    text = read_text(Path(__file__).parent / "assets" / name)
    return text.replace("\r\n", "\n")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@cache
def _environment() -> Any:
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    environment = Environment(
        autoescape=True,
        loader=FunctionLoader(asset),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"shown": shown_text, "cut": cut, "money": money}
    return environment


def cut(text: str, most: int = QUOTE) -> str:
    """A text with its first characters only, if it is long."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


_HIDDEN = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff]"
)


def shown_text(text: str) -> str:
    """A text for the page itself: characters that hide or reorder text are named, as [U+202E]."""
    return _HIDDEN.sub(lambda match: f"[U+{ord(match[0]):04X}]", clean_text(text))


# ---------------------------------------------------------------- how far a judge can be trusted


MOST = 50
"""Disagreements that are shown."""


def write_agreement_report(agreement: Agreement, path: str | os.PathLike[str]) -> Path:
    """Writes the figures and disagreements as one HTML file, which needs no network.

    Raises:
        ConfigError: the name does not end in ``.html``, or the file cannot be written.
    """
    values = {
        "title": "Agreement with people",
        "sheet": agreement.sheet,
        "line": headline(agreement),
        "facts": list(facts(agreement)),
        "notes": [*([agreement.problem] if agreement.problem else []), *agreement.warnings],
        "judges": agreement.judges,
        "decided": agreement.decided,
        "blank": BLANK,
        "tables": list(tables(agreement)),
        "most": MOST,
    }
    return _written(path, "agreement", values)


def write_probe_report(card: Card, path: str | os.PathLike[str]) -> Path:
    """Writes a card as one HTML file.

    Raises:
        ConfigError: the file cannot be written, or its name does not end in .html.
    """
    title = f"Blind spots of {card.judge}"
    return _written(path, "probe", {"title": title, "card": card, "notes": card.notes()})


def _written(path: str | os.PathLike[str], template: str, values: Mapping[str, Any]) -> Path:
    file = check_report(path)
    write_page(file, f"{template}.html.jinja", values, scripts=())
    return file
