"""``docs/pytest.md`` is true: each command that starts with pytest is run, and prints what the page says.

A ``python {.pytest}`` block is a file, whose name is its first line. A ``text`` block below a command has
lines of its output, in order; ``*`` stands for any text, a line ``...`` for any lines.
"""

from __future__ import annotations

import re
import shlex

import pytest
from conftest import ROOT
from e2e import judge as simulated
from loopback import Loopback, completion
from plugin_runs import PLUGIN
from remote import bare_environment

pytest_plugins = ["pytester"]

PAGE = (ROOT / "docs" / "pytest.md").read_text(encoding="utf-8")
FENCE = re.compile(r"^```(.*)\n((?:(?!```).*\n)*)```$", re.MULTILINE)


def expected(text: str) -> list[str]:
    """The lines as patterns: each with anything after it, and without what ``...`` stands for."""
    lines = [line for line in text.splitlines() if line.strip() and line != "..."]
    return [line.replace("[", "[[]") + "*" for line in lines]


def test_each_command_prints_what_the_page_says(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare_environment(monkeypatch)
    usage = {"prompt_tokens": 700, "completion_tokens": 100}
    result, commands = None, 0
    with Loopback(lambda request: completion(simulated.reply(request), usage=usage)) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-simulated")
        for language, text in FENCE.findall(PAGE):
            name = re.match(r"# (\S+)\n", text)
            if language in ("python {.pytest}", "toml") and name:
                (pytester.path / name[1]).write_text(text, encoding="utf-8")
            elif language == "console" and text.startswith("pytest"):
                arguments = shlex.split(text)[1:]
                result = pytester.runpytest_inprocess(*PLUGIN, *arguments)
                commands += 1
            elif language == "text" and result is not None:
                result.stdout.fnmatch_lines(expected(text))
            if language != "console":
                result = None
    assert commands == PAGE.count("```console\npytest")
    assert (pytester.path / "report.html").is_file()
