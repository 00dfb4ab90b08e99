"""Results out: JSON lines, CSV, Parquet, JUnit XML, and annotations for GitHub."""

from __future__ import annotations

from .files import SUFFIXES, check_output, write_results
from .github import github_annotations
from .input_order import in_input_order

__all__ = ["SUFFIXES", "check_output", "github_annotations", "in_input_order", "write_results"]
