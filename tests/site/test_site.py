"""The documentation site builds without a warning, has every page and every docstring, and loads nothing from elsewhere."""

from __future__ import annotations

import inspect
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from importlib import import_module
from pathlib import Path

import pytest
from conftest import ROOT

import faithfulness_assert

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built in a copy of what it is built from."""
    folder = tmp_path_factory.mktemp("project")
    for name in ("docs", "faithfulness_assert"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "zensical.toml", folder)
    (folder / "tools").mkdir()
    shutil.copy(ROOT / "tools" / "grouped_names.py", folder / "tools")
    done = subprocess.run(
        [sys.executable, "-m", "zensical", "build", "--strict"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "griffe: " not in done.stdout + done.stderr  # a docstring and its signature differ
    return folder / "site"


class Loaded(HTMLParser):
    """What a page loads, and its text."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.ids: set[str] = set()
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.ids.add(given.get("id") or "")
        if tag in ("script", "img", "iframe"):
            self.addresses.append(given.get("src") or "")
        if tag == "link" and given.get("rel") in ("stylesheet", "icon", "preload", "preconnect"):
            self.addresses.append(given.get("href") or "")


def test_the_site_has_every_page_and_the_list_for_llms(site: Path) -> None:
    pages = {page.stem for page in (ROOT / "docs").glob("*.md")}
    assert {page.stem for page in site.glob("*.html")} >= pages
    assert (site / "llms.txt").read_text("utf-8") == (ROOT / "docs/llms.txt").read_text("utf-8")


def test_every_public_name_is_shown_with_its_docstring(site: Path) -> None:
    page = site / "api.html"
    ids, text = Loaded(page).ids, page.read_text("utf-8")
    assert [n for n in faithfulness_assert.__all__ if f"faithfulness_assert.{n}" not in ids] == []
    assert "Grades whether" in text
    assert ":::" not in text


def parameters_of(name: str) -> dict[str, inspect.Parameter]:
    """The parameters of a public function or class, by Python's own account."""
    module, _, last = f"faithfulness_assert.{name}".rpartition(".")
    return dict(inspect.signature(getattr(import_module(module), last)).parameters)


def test_only_parameters_without_a_default_are_called_required(site: Path) -> None:
    page = (site / "api.html").read_text("utf-8")
    parts = re.split(r'<h3 id="faithfulness_assert\.([\w.]+)"', page)
    shown = 0
    for name, body in zip(parts[1::2], parts[2::2], strict=True):
        for row in re.findall(r'<tr class="doc-section-item">(.*?)</tr>', body, re.DOTALL):
            parameter, *_, default = re.findall(r"<td>(.*?)</td>", row, re.DOTALL)
            known = parameters_of(name).get(re.sub(r"<[^>]+>|\s", "", parameter).strip("*"))
            if known is not None:
                needed = known.default is known.empty and known.kind not in (
                    known.VAR_KEYWORD,
                    known.VAR_POSITIONAL,
                )
                assert ("required" in default) == needed, (name, known)
                shown += 1
    assert shown > 100


def test_no_code_block_is_shown_as_prose(site: Path) -> None:
    assert [page.name for page in site.glob("*.html") if "```" in page.read_text("utf-8")] == []


def test_pages_load_nothing_from_elsewhere(site: Path) -> None:
    pages = list(site.glob("*.html"))
    assert len(pages) > 10
    for page in pages:
        loaded = Loaded(page).addresses
        assert loaded
        assert [address for address in loaded if re.match(r"(https?:)?//", address)] == []
