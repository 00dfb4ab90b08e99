"""A promptfoo for the session. If it cannot be installed, the tests are skipped; with ``CI=true`` they fail."""

import os

import pytest

from .promptfoo import Promptfoo, UnavailableError, provide


@pytest.fixture(scope="session")
def promptfoo() -> Promptfoo:
    """A real promptfoo, installed on first use."""
    try:
        return provide()
    except UnavailableError as missing:
        if os.environ.get("CI") == "true":
            pytest.fail(f"no promptfoo: {missing}")
        pytest.skip(f"no promptfoo: {missing}")
