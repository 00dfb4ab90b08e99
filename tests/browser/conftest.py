"""Chromium for the session, and reports that are open in it. Without Chromium the tests are skipped; with ``CI=true`` they fail."""

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from e2e.promptfoo import UnavailableError, installed
from page_shapes import with_ids
from report_example import example_run
from report_pages import a_line

from faithfulness_assert.report import write_report

AXE = "axe-core-4.10.3"
NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")


def unavailable(what: str) -> Any:
    if os.environ.get("CI") == "true":
        pytest.fail(what)
    pytest.skip(what)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """A headless Chromium: the system's, because playwright's own may not be there to download."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        unavailable("playwright is not installed")
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        unavailable("there is no Chromium: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=path, args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def axe() -> str:
    """The script of axe-core, which checks whether people with disabilities can use a page."""
    try:
        return (installed(AXE) / "node_modules/axe-core/axe.min.js").read_text("utf-8")
    except (UnavailableError, OSError) as missing:
        unavailable(f"no axe-core: {missing}")
        raise


class Opened:
    """A page in a browser, and everything in it that should not happen."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.problems: list[str] = []
        page.on("console", lambda message: self.problems.append(message.text))
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("dialog", lambda dialog: (self.problems.append("dialog"), dialog.dismiss()))
        page.on("popup", lambda _: self.problems.append("popup"))
        page.on("request", self._requested)

    def _requested(self, request: Any) -> None:
        if not request.url.startswith(("file:", "blob:")):
            self.problems.append(f"request: {request.url}")

    def goto(self, report: Path, place: str = "") -> Any:
        """Opens a report at a place, as from a link."""
        self.page.goto("about:blank")
        self.page.goto(report.as_uri() + place)
        self.page.wait_for_selector("html[data-ready]", state="attached")
        return self.page


@pytest.fixture
def opened(chromium: Any) -> Iterator[Callable[..., Opened]]:
    """Opens windows. At the end, nothing may have gone wrong in any."""
    windows: list[tuple[Any, Opened]] = []

    def window(width: int = 1280, height: int = 900, **options: Any) -> Opened:
        size = {"width": width, "height": height}
        context = chromium.new_context(viewport=size, **options)
        windows.append((context, Opened(context.new_page())))
        return windows[-1][1]

    yield window
    for context, made in windows:
        context.close()
        assert made.problems == []


@pytest.fixture(scope="session")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of the example run."""
    folder = tmp_path_factory.mktemp("example")
    return write_report(example_run(folder), folder / "report.html").path


@pytest.fixture(scope="session")
def comparison(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example run beside a second one."""
    folder = tmp_path_factory.mktemp("comparison")
    first, second = example_run(folder), example_run(folder, improved=True)
    return write_report(first, folder / "report.html", other=second).path


@pytest.fixture
def report_of(tmp_path: Path) -> Callable[..., Path]:
    """Writes the report of these results, of cases in ``data``. Verdicts without a number get one."""

    def write(*records: dict[str, Any], data: Sequence[Any] = ()) -> Path:
        results = tmp_path / "results.jsonl"
        told = [{**record, "verdicts": with_ids(record.get("verdicts", ()))} for record in records]
        results.write_text("".join(map(a_line, told, [*data, *[None] * len(told)])))
        return write_report(results, tmp_path / "report.html").path

    return write
