"""The examples of docs/integrations.md print what the page says. Run by ``tox -e adapters``."""

from __future__ import annotations

import contextlib
import io
import re
from typing import Any

import pytest
from conftest import ROOT
from e2e import judge as simulated
from loopback import Loopback, completion

from .systems import Sample, langsmith_examples, package

pytestmark = [pytest.mark.e2e, pytest.mark.filterwarnings("ignore")]

PAGE = (ROOT / "docs" / "integrations.md").read_text(encoding="utf-8")
EXAMPLE = re.compile(
    r"^## (\w+)\n\n```python {\.adapters}\n(.*?)^```\n\n```text\n(.*?)^```",
    re.DOTALL | re.MULTILINE,
)
EXAMPLES = {system: (code, output) for system, code, output in EXAMPLE.findall(PAGE)}
PACKAGES = {"Inspect": "inspect_ai", "OpenTelemetry": "opentelemetry.sdk"}


def test_every_example_is_found() -> None:
    assert len(EXAMPLES) == PAGE.count("```python {.adapters}") == 7


@pytest.fixture
def _surroundings(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A judge, and accounts that nobody asks for."""
    usage = {"prompt_tokens": 700, "completion_tokens": 100}
    with Loopback(lambda request: completion(simulated.reply(request), usage=usage)) as server:
        values = {
            "OPENAI_BASE_URL": server.url,
            "OPENAI_API_KEY": "sk-simulated",
            "LANGFUSE_PUBLIC_KEY": "pk",
            "LANGFUSE_SECRET_KEY": "sk",
            "LANGFUSE_BASE_URL": "http://127.0.0.1:9",
            "LANGFUSE_TRACING_ENABLED": "false",
            "LANGSMITH_ENDPOINT": "http://127.0.0.1:9",
            "LANGSMITH_API_KEY": "none",
        }
        for name, value in values.items():
            monkeypatch.setenv(name, value)
        yield


@pytest.mark.usefixtures("_surroundings")
@pytest.mark.parametrize("system", EXAMPLES)
def test_an_example_prints_what_the_page_says(system: str, monkeypatch: pytest.MonkeyPatch) -> None:
    package(PACKAGES.get(system, system.lower()))
    names: dict[str, Any] = {}
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


def test_the_page_names_the_tested_versions() -> None:
    pins = (ROOT / "requirements" / "adapters.txt").read_text(encoding="utf-8")
    newest = dict(re.findall(r"^([\w.-]+)==([\w.]+)", pins, re.MULTILINE))
    rows = dict(re.findall(r"^\| ([\w.-]+) \| (\d[\w.]+) \|$", PAGE, re.MULTILINE))
    assert len(rows) == 7
    assert rows == {name: newest[name] for name in rows}
