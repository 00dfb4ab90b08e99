"""The page that shows what two runs say of a cascade of their judges. It runs no script."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..batch.outputs.files import whole_file
from ..files import as_text
from .building import check_report
from .curve import curve_of
from .page import write_page

if TYPE_CHECKING:
    import os
    from pathlib import Path

    from ..batch.certifying import Certified


def write_certify_page(found: Certified, path: str | os.PathLike[str]) -> Path:
    """Writes the curve as one HTML file, which needs no network; also without a certificate.

    Raises:
        ConfigError: the name does not end in ``.html``, or the file cannot be written.
    """
    file = check_report(path)
    limits = found.certificate.limits if found.certificate else None
    values = {
        "title": "Where the first judge is enough",
        "found": found,
        "curve": curve_of(found.curve, found.agree, found.cases, limits),
    }
    with whole_file(file) as part, as_text(part, errors="replace") as text:
        write_page(text, "certify.html.jinja", values, scripts=())
    return file
