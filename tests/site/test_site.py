"""The documentation site builds without a warning, has every page and every docstring, and loads nothing from elsewhere."""

import re
import shutil
import subprocess
import sys
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


def addresses_in(page: Path) -> list[str]:
    """What a page loads."""
    text = page.read_text("utf-8")
    tags = re.findall(r"<(?:script|img|iframe)\b[^>]*\bsrc=[\"']?([^\"'\s>]+)", text)
    for link in re.findall(r"<link\b[^>]*>", text):
        if re.search(r"rel=[\"']?(?:stylesheet|icon|preload|preconnect)", link):
            tags += re.findall(r"href=[\"']?([^\"'\s>]+)", link)
    return tags


def test_the_site_has_every_page_as_prose_and_loads_nothing_from_elsewhere(site):
    assert {page.stem for page in site.glob("*.html")} >= {
        page.stem for page in (ROOT / "docs").glob("*.md")
    }
    assert (site / "llms.txt").read_text("utf-8") == (ROOT / "docs/llms.txt").read_text("utf-8")
    for page in site.glob("*.html"):
        assert "```" not in page.read_text("utf-8")
        assert addresses_in(page)
        assert [a for a in addresses_in(page) if re.match(r"(https?:)?//", a)] == []


def test_every_public_name_is_shown_with_its_docstring(site):
    page = (site / "api.html").read_text("utf-8")
    names = set(re.findall(r'id="?faithfulness_assert\.(\w+)', page))
    assert set(faithfulness_assert.__all__) <= names
    assert "Grades whether" in page
    assert ":::" not in page
