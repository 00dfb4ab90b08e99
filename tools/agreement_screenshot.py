"""Takes the picture of docs/agreement.md: does what the page says, and opens what that writes.

apt-get install chromium; pip install playwright
python tools/agreement_screenshot.py [TARGET.png] [--chromium PATH] [--dark]
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"^```(python \{\.agreement\}|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SIZE = {"width": 1240, "height": 640}


def main() -> None:
    parser = argparse.ArgumentParser(description="the picture of the page on agreement")
    parser.add_argument("target", type=Path, nargs="?", default=ROOT / "docs" / "agreement.png")
    parser.add_argument("--chromium", default=shutil.which("chromium") or "/usr/bin/chromium")
    parser.add_argument("--dark", action="store_true")
    arguments = parser.parse_args()
    target = arguments.target.resolve()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        follow((ROOT / "docs" / "agreement.md").read_text(encoding="utf-8"))
        scheme = "dark" if arguments.dark else "light"
        take(Path("agreement.html").resolve().as_uri(), target, arguments.chromium, scheme)


def follow(page: str) -> None:
    """Runs the scripts and commands of the page, until the page with plots is there."""
    for kind, text in BLOCK.findall(page):
        if kind != "console":
            subprocess.run([sys.executable, "-c", text], check=True)
            continue
        for _, *command in map(shlex.split, text.splitlines()):
            if command[0] != "probe" and not Path("agreement.html").exists():
                program = [sys.executable, "-m", "faithfulness_assert", *command]
                subprocess.run(program, check=False, stdout=subprocess.DEVNULL)


def take(address: str, target: Path, chromium: str, scheme: str) -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as browsers:
        browser = browsers.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        window = browser.new_page(viewport=SIZE, color_scheme=scheme)
        window.goto(address)
        window.screenshot(path=target)
        browser.close()


if __name__ == "__main__":
    main()
