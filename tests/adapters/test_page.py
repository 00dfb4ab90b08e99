"""The examples of docs/integrations.md print what the page says. Run by ``tox -e adapters``."""

import contextlib
import io
import re
from typing import Any

import pytest
from conftest import ROOT
from test_docs import openai_server  # noqa: F401

from .systems import Sample, langsmith_examples, package

pytestmark = [pytest.mark.e2e, pytest.mark.filterwarnings("ignore")]

PAGE = (ROOT / "docs" / "integrations.md").read_text(encoding="utf-8")
EXAMPLE = re.compile(
    r"^## (\w+)\n\n```python {\.adapters}\n(.*?)^```\n\n```text\n(.*?)^```",
    re.DOTALL | re.MULTILINE,
)
EXAMPLES = {system: (code, output) for system, code, output in EXAMPLE.findall(PAGE)}
PACKAGES = {"Inspect": "inspect_ai", "OpenTelemetry": "opentelemetry.sdk"}


@pytest.fixture
def _accounts_that_nobody_asks_for(monkeypatch: pytest.MonkeyPatch) -> None:
    values = {
        "LANGFUSE_PUBLIC_KEY": "pk",
        "LANGFUSE_SECRET_KEY": "sk",
        "LANGFUSE_BASE_URL": "http://127.0.0.1:9",
        "LANGFUSE_TRACING_ENABLED": "false",
        "LANGSMITH_ENDPOINT": "http://127.0.0.1:9",
        "LANGSMITH_API_KEY": "none",
    }
    for name, value in values.items():
        monkeypatch.setenv(name, value)


@pytest.mark.usefixtures("openai_server", "_accounts_that_nobody_asks_for")
@pytest.mark.parametrize("system", EXAMPLES)
def test_an_example_prints_what_the_page_says(system, monkeypatch):
    package(PACKAGES.get(system, system.lower()))
    names = {}
    if system == "LangSmith":
        names["examples"] = langsmith_examples([Sample("How tall is it?", "", "")])
    if system == "Inspect":  # its mock model counts tokens with a table that it would download
        monkeypatch.setattr("tiktoken.get_encoding", lambda name: Words())
    code, output = EXAMPLES[system]
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "integrations.md", "exec"), names)
    assert printed.getvalue().endswith(output)


class Words:
    """An encoding with a token for each word."""

    def encode(self, text: str, **_: Any) -> list[int]:
        return [0 for _ in text.split()]


def test_the_page_has_an_example_of_each_system_and_names_the_tested_version():
    pins = (ROOT / "requirements" / "adapters.txt").read_text(encoding="utf-8")
    newest = dict(re.findall(r"^([\w.-]+)==([\w.]+)", pins, re.MULTILINE))
    rows = dict(re.findall(r"^\| ([\w.-]+) \| (\d[\w.]+) \|$", PAGE, re.MULTILINE))
    assert len(rows) == len(EXAMPLES) == PAGE.count("```python {.adapters}") == 7
    assert rows == {name: newest[name] for name in rows}
