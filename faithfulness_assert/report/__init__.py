"""HTML reports for people: what a run found, and why; or what changed between two runs.

``building`` puts a report together from results with their texts (``results``) and counts
(``overview``). ``assets/`` has the page's template, style and script. ``page`` also shows what
``probe`` and ``agreement`` found.
"""

from __future__ import annotations

from .building import Report, write_report
from .page import check_report, write_probe_report

__all__ = ["Report", "check_report", "write_probe_report", "write_report"]
