"""Takes the screenshot of promptfoo's viewer that docs/promptfoo.md shows.

    apt-get install chromium; pip install playwright
    python tools/viewer_screenshot.py [TARGET.png] [--chromium PATH] [--table TABLE.png]

It runs an eval of four tests with a truthful judge on the loopback address, opens it with the real
``promptfoo view`` in a headless Chromium, and takes the details of the unfaithful answer.
``--table`` also takes the page with all tests.
"""

from __future__ import annotations

import argparse
import json
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.extend(str(Path(__file__).parents[1] / name) for name in ("tests", "tests/support"))
from e2e.promptfoo import Promptfoo, clean_environment, provide
from e2e.viewer_example import UNFAITHFUL, config, judge
from loopback import Loopback

import faithfulness_assert

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]
TEMPLATES = Path(faithfulness_assert.__file__).parent / "promptfoo" / "templates"
SIZE = {"width": 1360, "height": 520}


@contextmanager
def viewer(promptfoo: Promptfoo, folder: Path) -> Iterator[str]:
    """The address of a running ``promptfoo view``."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    with (folder / "view.log").open("w") as log:
        command = promptfoo.command("view", "--port", str(port), "--no")
        server = subprocess.Popen(
            command, cwd=folder, env=clean_environment(folder), stdout=log, stderr=log
        )
    try:
        wait_for(f"{address}/health", time.monotonic() + 60)
        yield address
    finally:
        server.terminate()
        server.wait(20)


def wait_for(address: str, until: float) -> None:
    while time.monotonic() < until:
        with suppress(OSError):
            return urllib.request.urlopen(address, timeout=5).close()
        time.sleep(0.2)
    sys.exit(f"{address} does not answer")


def shoot(address: str, chromium: str, target: Path, table: Path | None) -> None:
    """Takes the details of the unfaithful answer, and the table if a file is given for it."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium)
        page = browser.new_page(viewport=SIZE, color_scheme="light")
        page.goto(f"{address}/eval", wait_until="networkidle")
        page.get_by_text("The garden has a pond").first.wait_for()
        reminder = page.get_by_role("button", name="Remind me later")  # to update Node
        if reminder.is_visible():
            reminder.click()
        if table:
            page.screenshot(path=table, full_page=True)
        row = page.get_by_role("row").filter(has_text=UNFAITHFUL)
        row.get_by_role("button", name="View output and test details").click()
        page.get_by_role("tab", name="Evaluation").click()
        page.get_by_role("cell", name="contradicted", exact=False).last.wait_for()
        page.wait_for_timeout(500)  # the panel slides in
        target.parent.mkdir(exist_ok=True)
        page.screenshot(path=target)
        browser.close()


def main() -> None:
    """Runs the eval and takes the pictures."""
    parser = argparse.ArgumentParser(description="the screenshot of promptfoo's viewer")
    parser.add_argument("target", type=Path, nargs="?", default=ROOT / "docs" / "viewer.png")
    parser.add_argument("--chromium", default=shutil.which("chromium") or "/usr/bin/chromium")
    parser.add_argument("--table", type=Path)
    arguments = parser.parse_args()
    promptfoo = provide()
    with tempfile.TemporaryDirectory() as scratch, Loopback(judge) as server:
        folder = Path(scratch)
        shutil.copy(TEMPLATES / "faithfulness.py", folder)
        (folder / "c.json").write_text(json.dumps(config(server.url)), "utf-8")
        promptfoo.eval(folder / "c.json", OPENAI_API_KEY="none-is-needed")
        with viewer(promptfoo, folder) as address:
            shoot(address, arguments.chromium, arguments.target, arguments.table)


if __name__ == "__main__":
    main()
