"""Takes the screenshot of a report that the pages show: a case of the example run.

    apt-get install chromium; pip install playwright
    python tools/report_screenshot.py [TARGET.png] [--chromium PATH] [--keep FOLDER]

``--keep`` keeps the report and pictures of its other views: light and dark, screen and phone.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / name) for name in (".", "tests", "tests/support")]
from report_example import example_run  # noqa: E402

from faithfulness_assert.report import write_report  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator

CASE = "#case=night-tuesday&s=2"
SIZE = {"width": 1240, "height": 840}
PHONE = {"width": 360, "height": 760}


def views(folder: Path) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """A name, an address and the options of a window for each other view."""
    for scheme in ("light", "dark"):
        for device, size in (("screen", SIZE), ("phone", PHONE)):
            window = {"viewport": size, "color_scheme": scheme}
            for name, file, place in (
                ("overview", "report.html", ""),
                ("list", "report.html", "#cases"),
                ("case", "report.html", CASE),
                ("compare", "compare.html", ""),
                ("compared-case", "compare.html", "#case=day-ticket"),
            ):
                yield f"{name}-{device}-{scheme}", (folder / file).as_uri() + place, window


def main() -> None:
    parser = argparse.ArgumentParser(description="the screenshot of a report")
    parser.add_argument("target", type=Path, nargs="?", default=ROOT / "docs" / "report.png")
    parser.add_argument("--chromium", default=shutil.which("chromium") or "/usr/bin/chromium")
    parser.add_argument("--keep", type=Path)
    arguments = parser.parse_args()
    target = arguments.target.resolve()
    with tempfile.TemporaryDirectory() as scratch:
        folder = (arguments.keep or Path(scratch)).resolve()
        os.chdir(folder)  # so that the page names its data set as people do
        first, second = example_run(Path()), example_run(Path(), improved=True)
        report = write_report(first, folder / "report.html").path
        write_report(first, folder / "compare.html", other=second)
        shoot(report, target, arguments.chromium, folder if arguments.keep else None)


def shoot(report: Path, target: Path, chromium: str, others: Path | None) -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-dev-shm-usage"]
        )

        def take(address: str, file: Path, window: dict[str, Any]) -> None:
            page = browser.new_page(**window)
            page.goto(address)
            page.wait_for_selector("html[data-ready]", state="attached")
            page.wait_for_timeout(500)
            page.screenshot(path=file)
            page.close()

        take(report.as_uri() + CASE, target, {"viewport": SIZE, "color_scheme": "light"})
        for name, address, window in views(others) if others else ():
            take(address, others / f"{name}.png", window)
        browser.close()


if __name__ == "__main__":
    main()
