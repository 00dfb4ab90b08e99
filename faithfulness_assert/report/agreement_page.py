"""The page that shows how judges agree with people. It runs no script."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..agreement.views import facts, headline, tables
from ..batch.outputs.files import whole_file
from ..files import as_text
from .building import check_report
from .page import write_page

if TYPE_CHECKING:
    import os
    from pathlib import Path

    from ..agreement import Agreement

MOST = 50
"""Disagreements that are shown."""


def write_agreement_page(found: Agreement, path: str | os.PathLike[str]) -> Path:
    """Writes the figures and disagreements as one HTML file, which needs no network.

    Raises:
        ConfigError: the name does not end in ``.html``, or the file cannot be written.
    """
    file = check_report(path)
    values = {
        "title": "Agreement with people",
        "sheet": found.sheet,
        "line": headline(found),
        "facts": list(facts(found)),
        "notes": [*([found.problem] if found.problem else []), *found.warnings],
        "judges": found.judges,
        "tables": list(tables(found)),
        "most": MOST,
    }
    with whole_file(file) as part, as_text(part, errors="replace") as text:
        write_page(text, "agreement.html.jinja", values, scripts=())
    return file
