"""Where things are: the project's own fixtures, and the shared material that may or may not lie beside the checkout."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def shared() -> Path:
    """The shared material; tests that want it skip, visibly, without it."""
    path = ROOT.parent / "shared"
    if not path.is_dir():
        pytest.skip("needs the shared material beside the checkout (../shared)")
    return path
