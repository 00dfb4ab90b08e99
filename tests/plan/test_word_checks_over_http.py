"""What code sees reaches every place where people look, with a judge behind real HTTP."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from loopback import Loopback, completion
from plugin_runs import Runs, output

from faithfulness_assert.batch import run
from faithfulness_assert.promptfoo import get_assert
from faithfulness_assert.report import write_report

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytest_plugins = ["pytester"]

CONTEXT = "The museum closes at 17:00 on Mondays. It has 3 halls."
ABSENT, FALSE = "It has 14 rooms.", "The museum closes at 22:00 on Mondays."
FLAG = "nowhere in the context: “14”"
SAID = "not in the evidence: “22:00”; the context says “17:00”"


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """The first statement is supported, the second one contradicted, each by the first sentence."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-simulated")
    labels = ["supported", "contradicted"]
    rows = [{"id": n, "evidence": [1], "label": label} for n, label in enumerate(labels, 1)]
    usage = {"prompt_tokens": 9, "completion_tokens": 9}

    def reply(request: Any) -> Any:
        asked = sum(text in json.dumps(request.body) for text in (ABSENT, FALSE))
        return completion(json.dumps({"verdicts": rows[:asked]}), usage=usage)

    with Loopback(reply) as server:
        yield {"judge": "openai:m", "base_url": server.url, "controls": "off"}


def test_promptfoo_batch_and_report_show_it(judge: dict[str, Any], tmp_path: Path) -> None:
    answer = f"{ABSENT} {FALSE}"
    shown = json.dumps(
        get_assert(answer, {"vars": {"context": CONTEXT}, "config": judge}), ensure_ascii=False
    )
    assert FLAG in shown
    assert SAID in shown
    data = tmp_path / "data.jsonl"
    data.write_text(json.dumps({"answer": answer, "context": CONTEXT}), "utf-8")
    done = run(str(data), tmp_path / "run", progress=False, **judge).directory.path
    (line,) = (done / "results.jsonl").read_text("utf-8").splitlines()
    first, second = json.loads(line)["verdicts"]
    assert (first["wrong"], first["flags"]) == (["14"], ["number_not_found"])
    assert (second["wrong"], second["says"]) == (["22:00"], "17:00")
    page = write_report(done, tmp_path / "page.html", data=str(data)).path.read_text("utf-8")
    assert "22:00" in page
    assert "17:00" in page


def test_a_test_that_fails_shows_it(judge: dict[str, Any], pytester: pytest.Pytester) -> None:
    options = {"answer": f"{ABSENT} {FALSE}", "context": CONTEXT, **judge}
    runs = Runs(pytester)
    runs.write(f"def test_it(faithfulness):\n    faithfulness(**{options!r})\n")
    shown = " ".join(output(runs.run()).split())
    assert FLAG in shown
    assert SAID in shown
