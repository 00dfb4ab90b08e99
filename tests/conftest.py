"""Where things are: the project's own fixtures, and the shared material that may or may not lie beside the checkout."""

import importlib
import logging
import os
import pkgutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.database import DirectoryBasedExampleDatabase

from faithfulness_assert.judges.secret import SIZE, process_secret

ROOT = Path(__file__).parents[1]

# Properties try the same examples each time, and how fast a machine is says nothing about what holds. `few` is for runs that repeat
# what another one does, on another Python or for a mutant. `fuzz` draws anew, and keeps what it finds: see tools/draw_anew.py.
settings.register_profile(
    "same",
    max_examples=50,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("few", settings.get_profile("same"), max_examples=25)
settings.register_profile(
    "fuzz",
    settings.get_profile("same"),
    max_examples=100,
    derandomize=False,
    database=DirectoryBasedExampleDatabase(ROOT / ".hypothesis" / "found"),
    print_blob=True,
)
settings.load_profile("same")

# Controls are drawn from a secret of the process. Here it is a known one, so that a test that fails does so again.
# `FAITHFULNESS_TESTS_SECRET=7` is for runs that look for tests that hold only under some secrets.
with pytest.MonkeyPatch.context() as patch:
    byte = int(os.environ.get("FAITHFULNESS_TESTS_SECRET", "0"))
    patch.setattr(os, "urandom", lambda size: bytes([byte]) * size)
    assert process_secret() == bytes([byte]) * SIZE

# The settings of a developer are none of ours, and no proxy stands before a server of a test. Processes that tests start inherit it.
for name in ("API_KEY", "AUTH_TOKEN", "BASE_URL", "CUSTOM_HEADERS", "ORG_ID", "PROJECT_ID"):
    os.environ.pop(f"OPENAI_{name}", None)
    os.environ.pop(f"ANTHROPIC_{name}", None)
os.environ.pop("FAITHFULNESS_ASSERT_JUDGE", None)
os.environ["NO_PROXY"] = "127.0.0.1"

# pytest rewrites the modules of a plugin when they are imported. In a thread of a test that may fail: the ast module of Python
# 3.11 is not made for threads. So what grades import only when they need it is imported before.
for room in ("text", "reading", "asking", "judges", "plan", "drive", "policy"):
    folder = Path(__file__).parents[1] / "faithfulness_assert" / room
    for module in pkgutil.walk_packages([str(folder)], f"faithfulness_assert.{room}."):
        importlib.import_module(module.name)


class RaiseDefects(logging.Handler):
    """An error of ours ends one case only, as a result: no test may take that for a right one."""

    def emit(self, record: logging.LogRecord) -> None:
        assert "internal error" not in record.getMessage()


LOG = logging.getLogger("faithfulness_assert")
LOG.addHandler(RaiseDefects())


@pytest.fixture
def defects(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests of what becomes of an error of ours."""
    monkeypatch.setattr(LOG, "handlers", [])


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """``-n auto``: more than there are cores, because many tests wait for servers and processes."""
    return 2 * (os.cpu_count() or 1)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The shared material; tests that want it skip, visibly, without it."""
    path = ROOT.parent / "shared"
    if not path.is_dir():
        pytest.skip("needs the shared material beside the checkout (../shared)")
    return path
