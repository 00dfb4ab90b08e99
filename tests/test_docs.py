"""The pages are true: examples print what the page says, configs are accepted, links and files exist, tables match the code.

A ``python`` block is run after those above it on its page, and must print exactly the ``text`` block right below it (or nothing).
``openai:`` judges are answered by a simulated judge on the loopback device. A block of data that starts with ``# NAME`` is a file that
the examples may use. ``python {.not-run}`` marks the code of another system, which is not installed here.
"""

import ast
import asyncio
import contextlib
import inspect
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from command import here
from conftest import ROOT
from e2e import judge as simulated
from loopback import Loopback, completion

import faithfulness_assert
from faithfulness_assert import Grader, policies
from faithfulness_assert.cases.systems import CASE_ALIASES, SYSTEMS
from faithfulness_assert.options import OPTIONS
from faithfulness_assert.policy import describe
from faithfulness_assert.policy.load import SOURCE_OPTIONS
from faithfulness_assert.policy.values import SCORED
from faithfulness_assert.promptfoo.hook import PATHS, read_config

README, CONTRIBUTING = ROOT / "README.md", ROOT / "CONTRIBUTING.md"
DOCS = sorted((ROOT / "docs").glob("*.md"))
API, BENCHMARKS, MIGRATING, POLICIES, PYTHON = (
    ROOT / "docs" / f"{n}.md" for n in ("api", "benchmarks", "migrating", "policies", "python")
)
PAGES = [README, CONTRIBUTING, ROOT / "CHANGELOG.md", *DOCS]

FENCE = re.compile(r"^```(.*)\n((?:(?!```).*\n)*)```$", re.MULTILINE)
OUTPUT = re.compile(r"\n\n```text\n((?:(?!```).*\n)*)```$", re.MULTILINE)


class Block(NamedTuple):
    """A fenced block of a page. ``output`` is the ``text`` block right below it, or an empty string."""

    language: str
    text: str
    output: str


def blocks(page: Path, *languages: str) -> list[Block]:
    """The fenced blocks of a page in these languages, in order."""
    source = page.read_text(encoding="utf-8")
    return [
        Block(
            fence[1], fence[2], output[1] if (output := OUTPUT.match(source, fence.end())) else ""
        )
        for fence in FENCE.finditer(source)
        if fence[1] in languages
    ]


def prose(page: Path) -> str:
    """The page without its fenced blocks."""
    return FENCE.sub("", page.read_text(encoding="utf-8"))


def plain(page: Path) -> str:
    """The page with each run of white space as one space."""
    return " ".join(page.read_text(encoding="utf-8").split())


def table(page: Path, first: str) -> list[list[str]]:
    """The rows of the table whose first column is named ``first``, its head included; cells without code marks."""
    source = page.read_text(encoding="utf-8")
    match = re.search(rf"^\| {first} \|.*?(?=^\n|\Z)", source, re.DOTALL | re.MULTILINE)
    lines = [line for line in match[0].replace("`", "").splitlines() if not line.startswith("|--")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def each_page(pages: list[Path]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("page", pages, ids=lambda page: page.stem)


@pytest.fixture
def openai_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """``openai:`` judges reach a simulated judge, which supports what the context says word for word."""
    usage = {"prompt_tokens": 700, "completion_tokens": 100}
    with Loopback(lambda request: completion(simulated.reply(request), usage=usage)) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-simulated")
        monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", server.root)
        yield


# ---------------------------------------------------------------- examples


def run(code: str, name: str, names: dict[str, Any]) -> str:
    """Runs an example, and then each test function that it defines; returns what was printed."""
    before = set(names)
    program = compile(code, name, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        outcome = eval(program, names)
        if inspect.iscoroutine(outcome):
            asyncio.run(outcome)
        for test in sorted(set(names) - before):
            if test.startswith("test_"):
                names[test]()
    return printed.getvalue()


@each_page([page for page in PAGES if blocks(page, "python")])
def test_every_example_prints_what_the_page_says(page, tmp_path, monkeypatch, openai_server):
    monkeypatch.chdir(tmp_path)
    for block in blocks(page, "toml", "yaml", "json"):
        if named := re.match(r"# (\S+\.\w+)\n", block.text):
            Path(named[1]).write_text(block.text, encoding="utf-8")
    names = {}
    for block in blocks(page, "python"):
        assert run(block.text, page.name, names) == block.output


def test_only_the_code_of_other_systems_is_not_run():
    """Ray's is run by ``tests/cluster``, pytest's by ``test_pytest_page.py``, that of reports by ``test_report.py``, that of labels by ``test_tutorial.py``, others by ``tests/adapters``."""
    known = {"python", "text", "console", "yaml", "toml", "json", "dockerfile"}
    elsewhere = ("not-run", "ray", "pytest", "report", "adapters", "agreement")
    known |= {f"python {{.{name}}}" for name in elsewhere}
    assert {
        fence[1] for page in PAGES for fence in FENCE.finditer(page.read_text("utf-8"))
    } <= known
    for page in PAGES:
        for block in blocks(page, "python {.not-run}"):
            compile(block.text, page.name, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
            assert page == MIGRATING
            assert "faithfulness_assert" not in block.text


def python_assertions(data: object) -> Iterator[dict[str, Any]]:
    """The ``python`` assertions anywhere in a promptfoo config or a part of one."""
    if isinstance(data, dict) and data.get("type") in ("python", "not-python"):
        yield data
    for value in (
        data.values() if isinstance(data, dict) else data if isinstance(data, list) else ()
    ):
        yield from python_assertions(value)


@each_page([page for page in PAGES if blocks(page, "yaml")])
def test_every_yaml_block_parses_and_the_hook_accepts_its_config(
    page, tmp_path, monkeypatch, openai_server
):
    monkeypatch.chdir(tmp_path)
    for assertion in python_assertions([yaml.safe_load(b.text) for b in blocks(page, "yaml")]):
        config = read_config({"config": assertion["config"]})
        Grader(**{key: config[key] for key in config.keys() - {"components", *PATHS.values()}})


# ---------------------------------------------------------------- links, files, commands


def anchors(page: Path) -> set[str]:
    """The anchors that GitHub gives to the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@each_page(PAGES)
def test_every_link_leads_to_a_file_and_a_heading_and_every_script_exists(page):
    links = re.findall(r"\]\((?!https?://)([^)#\s]*)(?:#([^)\s]*))?\)", prose(page))
    for path, anchor in links:
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), path
        assert not anchor or anchor in anchors(target), f"{path}#{anchor}"
    scripts = re.findall(r"python ((?:benchmarks|tests|tools)/[\w/.-]+)", plain(page))
    assert [script for script in scripts if not (ROOT / script).is_file()] == []
    unquoted = re.findall(r"pip install [^'`\n]*\w\[", page.read_text("utf-8"))
    assert unquoted == []  # in zsh, ``[...]`` without quotes is a pattern


def test_every_benchmark_command_and_option_is_on_a_page_and_no_other():
    listed = re.findall(r"^\| `python benchmarks/(\S+\.py)", prose(BENCHMARKS), re.MULTILINE)
    programs = {path.name for path in (ROOT / "benchmarks").glob("*.py")} | {"peers/compare.py"}
    assert set(listed) == programs
    pages = "\n".join(page.read_text("utf-8") for page in PAGES)
    known = re.findall(r"^    ([a-z]+)(?: |$)", here("--help").stdout, re.MULTILINE)
    named = re.findall(r"(?:`|bin/|^)faithfulness-assert ([a-z]+)", pages, re.MULTILINE)
    assert set(named) == set(known)
    for command in known:
        options = re.findall(r"^  (?:-\w\b.*?, )?(--[a-z-]+)", here(command, "--help").stdout, re.M)
        assert [option for option in options if option not in pages] in ([], ["--help"]), command


def test_where_to_change_what_names_one_or_two_files_that_exist():
    rows = table(CONTRIBUTING, "you want to change")[1:]
    assert 20 < len(rows) <= 35
    assert len({task for task, _ in rows}) == len(rows)
    roots = (ROOT, ROOT / "faithfulness_assert")
    for task, files in rows:
        assert len(files.split(", ")) <= 2, task
        for name in files.split(", "):
            assert any((root / name).exists() for root in roots), name
    quoted = re.findall(r"`([\w./-]+/[\w./-]*)`", prose(CONTRIBUTING))
    files = [name for name in quoted if not re.search(r"NAME|^\.\./", name)]
    assert [name for name in files if not any((root / name).exists() for root in roots)] == []


def test_the_pages_are_no_longer_than_a_reader_in_a_hurry_takes():
    words = sum(len(page.read_text("utf-8").split()) for page in (README, *DOCS))
    assert words <= 28_000
    assert len(README.read_text("utf-8").splitlines()) <= 150


def test_the_start_page_the_navigation_and_the_list_for_llms_have_every_page():
    pages = {page.name for page in DOCS} - {"index.md"}
    start, for_llms, site = (
        (ROOT / name).read_text(encoding="utf-8")
        for name in ("docs/index.md", "docs/llms.txt", "zensical.toml")
    )
    assert "docs/index.md" in README.read_text(encoding="utf-8")
    assert set(re.findall(r"\]\((\S+\.md)\)", start)) == pages
    assert set(re.findall(r"\]\((\S+\.md)\)", for_llms)) == pages
    assert set(re.findall(r'"(\S+\.md)"', site)) == pages | {"index.md"}
    shown = re.findall(r"^::: faithfulness_assert\.(\w+)$", prose(API), re.MULTILINE)
    assert sorted(shown) == sorted(faithfulness_assert.__all__)


# ---------------------------------------------------------------- tables


def test_the_page_on_policies_lists_every_policy_with_the_golden_rows_that_it_passes():
    _, *rows = table(POLICIES, "policy")
    assert [name for name, *_ in rows] == list(policies)
    for name, _, *cells, passed in rows:
        policy = policies[name]
        weights = [f"{policy.weights[x]:g}" if x in policy.weights else "-" for x in SCORED]
        fails = f"; any {' or '.join(policy.fail_on)} fails" if policy.fail_on else ""
        told = "by dimension" if policy.dimensions else ", ".join(weights) + fails
        shown = describe.asks(policy), told, describe.nothing_to_check(policy)
        assert cells == [*shown, f"{policy.passes_at:g}"]
        assert passed == (golden(name) if name != "default" else "")
    assert f"The citation audit passes {golden('citations')}" in plain(POLICIES)


def golden(policy: str) -> str:
    """How many rows the golden test holds a policy to. That test fails where one is not passed."""
    rows = json.loads((ROOT / "fixtures" / "golden" / f"{policy}.json").read_text(encoding="utf-8"))
    return f"{len(rows)} of {len(rows)}"


@pytest.mark.parametrize(
    ("page", "first", "parts"),
    [(PYTHON, "option", {"judge", "grader"}), (POLICIES, "field", {"policy"})],
    ids=["python", "policies"],
)
def test_the_tables_of_options_are_those_of_the_code(page, first, parts):
    options = [option for option in OPTIONS.values() if option.taken_by in parts]
    assert table(page, first)[1:] == [[o.name, o.meaning, o.values] for o in options]


def test_the_page_on_migrating_lists_the_options_and_names_that_are_kept():
    kept = {
        name: cells[-1]
        for cells in table(MIGRATING, "you have")[1:]
        for name in policies
        if re.search(rf"(?<![\w-]){name}(?![\w-])", cells[1])
    }
    assert set(kept) == set(policies) - {"default"}
    for name, options in kept.items():
        known = SOURCE_OPTIONS.get(name, {"threshold": None})
        assert options == (", ".join(known) or "none, as in ragas")
    aliases = {cells[0]: tuple(cells[1].split(", ")) for cells in table(MIGRATING, "field")[1:]}
    assert aliases == dict(CASE_ALIASES)


def test_the_page_on_exports_names_each_system():
    page = (ROOT / "docs" / "many-answers.md").read_text("utf-8")
    (listed,) = re.findall(r"^Names: (.*)\.$", page, re.MULTILINE)
    assert re.findall(r"`([a-z]+)`", listed) == list(SYSTEMS)
