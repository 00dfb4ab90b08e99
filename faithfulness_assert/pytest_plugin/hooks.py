"""The plugin of pytest: its options, its marker, and the fixture ``faithfulness``.

pytest imports this file at each start. What grades is imported when a test uses the fixture.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from . import running
from .session import CHECKS, NAME, SessionResults, pytest_addoption, read_settings

__all__ = ["pytest_addoption"]

if TYPE_CHECKING:
    from collections.abc import Generator

    from .fixture import Faithfulness

MARKER = (
    "faithfulness(**options): how the fixture `faithfulness` grades: options of grade() such as "
    "judge, policy, threshold"
)


def pytest_configure(config: pytest.Config) -> None:
    """Checks the options. Where results are collected, registers what collects them."""
    config.addinivalue_line("markers", MARKER)
    settings = read_settings(config)
    if not hasattr(config, "workerinput"):  # a worker of pytest-xdist sends its reports to another
        report = None if config.getoption("collectonly") else settings["report"]
        config.pluginmanager.register(SessionResults(report), NAME)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, Any, Any]:
    """While a test runs, ``assert_faithful`` grades as the fixture does."""

    def checks() -> Faithfulness:
        from .fixture import checks_of

        return checks_of(item)

    running.append(checks)
    try:
        return (yield)
    finally:
        running.remove(checks)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """A test that is run again begins anew."""
    item.stash[CHECKS] = None


@pytest.fixture
def faithfulness(request: pytest.FixtureRequest) -> Generator[Faithfulness]:
    """``faithfulness(answer, context)`` fails if the context does not support the answer.

    It takes the options of ``faithfulness_assert.grade``. Options that the call does not name come
    from the marker ``faithfulness``, the command line and the configuration.
    """
    from .fixture import make_fixture

    checks = make_fixture(request)
    yield checks
    if checks.unawaited:
        pytest.fail("faithfulness: acheck was called without await: nothing was graded", False)
