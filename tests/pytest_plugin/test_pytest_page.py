"""``docs/pytest.md`` is true: each command that starts with pytest is run, and prints what the page says.

A ``python {.pytest}`` block is a file, whose name is its first line. A ``text`` block below a command has
lines of its output, in order; ``*`` stands for any text, a line ``...`` for any lines.
"""

import re
import shlex

import pytest
from conftest import ROOT
from plugin_runs import PLUGIN
from test_docs import FENCE, openai_server  # noqa: F401

pytest_plugins = ["pytester"]

PAGE = (ROOT / "docs" / "pytest.md").read_text(encoding="utf-8")


def expected(text: str) -> list[str]:
    """The lines as patterns: each with anything after it, and without what ``...`` stands for."""
    lines = [line for line in text.splitlines() if line.strip() and line != "..."]
    return [line.replace("[", "[[]") + "*" for line in lines]


@pytest.mark.usefixtures("openai_server")
def test_each_command_prints_what_the_page_says(pytester):
    result, commands = None, 0
    for language, text in FENCE.findall(PAGE):
        name = re.match(r"# (\S+)\n", text)
        if language in ("python {.pytest}", "toml") and name:
            (pytester.path / name[1]).write_text(text, encoding="utf-8")
        elif language == "console" and text.startswith("pytest"):
            result = pytester.runpytest_inprocess(*PLUGIN, *shlex.split(text)[1:])
            commands += 1
            continue
        elif language == "text" and result is not None:
            result.stdout.fnmatch_lines(expected(text))
        result = None
    assert commands == PAGE.count("```console\npytest") > 5
    assert (pytester.path / "report.html").is_file()
