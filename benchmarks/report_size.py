"""Measures reports of many cases: what they take to build, and in Chromium, in CPU time.

    apt-get install chromium; pip install playwright
    python benchmarks/report_size.py [--cases 10000] [--chromium PATH] [--keep FOLDER]

A case is an answer of five sentences over three passages of about 100 words, as in docs/scale.md.
The passages come from a collection of 2,000 that cases share, as retrieval gives them;
``--own-passages`` gives each case its own. Their words are drawn from 8,000 made-up words with the
frequencies of a natural language (Zipf). Each case has two columns, by which the report groups.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from faithfulness_assert.batch.rows import Line, Row, digest  # noqa: E402
from faithfulness_assert.records.model import Evidence, Verdict  # noqa: E402
from faithfulness_assert.records.result import GradingResult  # noqa: E402
from faithfulness_assert.records.usage import Usage  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator

LABELS = ("supported", "supported", "supported", "partially_supported", "not_enough_info")
PASSAGES, SENTENCES, VOCABULARY = 2000, 7, 8000


class Words:
    """Sentences of made-up words, of which few are frequent, as in a natural language."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        syllables = [a + b for a, b in itertools.product("bdfgklmnprstvz", "aeiou")]
        draw = self.random.choices
        self.words = ["".join(draw(syllables, k=1 + n % 4)) for n in range(VOCABULARY)]
        self.weights = list(itertools.accumulate(1 / (n + 2) for n in range(VOCABULARY)))

    def sentence(self) -> str:
        count = self.random.randint(10, 18)
        words = self.random.choices(self.words, cum_weights=self.weights, k=count)
        return " ".join(words).capitalize() + "."

    def passage(self) -> str:
        return " ".join(self.sentence() for _ in range(SENTENCES))


def write_run(folder: Path, cases: int, *, own_passages: bool) -> None:
    """A run directory and its data set."""
    words = Words(1)
    shared = [words.passage() for _ in range(PASSAGES)]
    data = folder / "cases.jsonl"
    with data.open("w") as texts, (folder / "results.jsonl").open("w") as results:
        for number in range(1, cases + 1):
            chosen = [
                words.passage() if own_passages else words.random.choice(shared) for _ in range(3)
            ]
            context = [{"id": f"doc-{n}", "text": text} for n, text in enumerate(chosen, 1)]
            answer = " ".join(words.sentence() for _ in range(5))
            fields = {"answer": answer, "context": context, "question": words.sentence()}
            texts.write(json.dumps({"id": f"case-{number:06}", **fields}) + "\n")
            row = Row(number, f"case-{number:06}", fields)
            results.write(_line(row, words).to_json() + "\n")
    about = {"format": 1, "input": {"name": str(data)}, "judge": {"name": "benchmark"}}
    (folder / "run.json").write_text(json.dumps({**about, "policy": {"name": "default"}}))


def _line(row: Row, words: Words) -> Line:
    verdicts = tuple(_verdicts(row, words))
    score = statistics.mean(1.0 if v.label == "supported" else 0.0 for v in verdicts)
    result = GradingResult(
        pass_=score >= 0.8,
        score=score,
        defined=True,
        status="graded",
        reason=f"{score:.0%} of 5 statements are supported, the threshold is 0.8.",
        threshold=0.8,
        policy="default",
        judge="benchmark",
        verdicts=verdicts,
        counts={"supported": round(score * 5)},
        coverage=1.0,
        tokens_used=Usage(690, 96, num_requests=1),
        metadata={"calculation": f"({score * 5:g} × 1) / 5 = {score:g}", "graderError": False},
        case_id=row.case_id,
        latency_ms=words.random.random() * 2000,
    )
    columns = {"model": f"model {row.number % 3}", "topic": f"topic {row.number % 12}"}
    return Line(row.case_id, row.number, digest(row), columns, result)


def _verdicts(row: Row, words: Words) -> Iterator[Verdict]:
    answer, start = row.fields["answer"], 0
    for id, sentence in enumerate(answer.split(". "), 1):
        text = sentence if sentence.endswith(".") else f"{sentence}."
        label: Any = words.random.choice(LABELS)
        evidence = () if label == "not_enough_info" else (_evidence(row, words),)
        span = (start, start + len(text))
        yield Verdict(id, text, label, evidence=evidence, span=span)
        start += len(text) + 1


def _evidence(row: Row, words: Words) -> Evidence:
    passage = words.random.choice(row.fields["context"])
    sentence = words.random.choice(passage["text"].split(". "))
    start = passage["text"].index(sentence)
    return Evidence(1, passage["id"], start, start + len(sentence), sentence)


# ---------------------------------------------------------------- in a browser

FILTER = """async ([selector, value]) => {
  const field = document.querySelector(selector);
  field.value = value;
  field.dispatchEvent(new Event('input', {bubbles: true}));
  await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  return document.querySelector('#count').textContent;
}"""


def browse(report: Path, chromium: str) -> dict[str, Any]:
    """The CPU time that the page takes to be ready, to filter, search and show a case.

    That of the page's process until it is ready, then that of its main thread.
    """
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        page = browser.new_page()
        page.set_default_timeout(300_000)
        session = page.context.new_cdp_session(page)
        session.send("Performance.enable")

        def spent(name: str = "ThreadTime") -> float:
            metrics = session.send("Performance.getMetrics")["metrics"]
            return float(next(one["value"] for one in metrics if one["name"] == name))

        page.goto(report.as_uri())
        page.wait_for_selector("html[data-ready]")
        figures: dict[str, Any] = {"ready, CPU s": spent("ProcessTime")}
        for name, selector, value in (
            ("first search, CPU ms", "#search", "bada"),
            ("search, CPU ms", "#search", "000123"),
            ("search for nothing, CPU ms", "#search", "no such words"),
            ("clear, CPU ms", "#search", ""),
            ("filter by label, CPU ms", "select:has(> [value=not_enough_info])", "not_enough_info"),
        ):
            began = spent()
            said = page.evaluate(FILTER, [selector, value])
            figures[name] = 1000 * (spent() - began)
            print(f"    {name}: {said}", file=sys.stderr)
        began = spent()
        page.evaluate("location.hash = '#n=' + 77")
        page.wait_for_selector("#case .mark")
        figures["open a case, CPU ms"] = 1000 * (spent() - began)
        browser.close()
    return figures


def build(folder: Path, report: Path) -> dict[str, float]:
    """Time and memory of a process that builds the report."""
    command = [sys.executable, "-m", "faithfulness_assert", "report", str(folder)]
    command += ["--data", str(folder / "cases.jsonl"), "-o", str(report)]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return {
        "build, CPU s": cpu,
        "memory, MB": after.ru_maxrss / 1024,
        "size, MB": report.stat().st_size / 1e6,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="reports of many cases")
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--own-passages", action="store_true")
    parser.add_argument("--chromium", default=shutil.which("chromium") or "/usr/bin/chromium")
    parser.add_argument("--keep", type=Path, help="a folder for the run and its report")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.keep or Path(scratch)
        folder.mkdir(exist_ok=True)
        write_run(folder, arguments.cases, own_passages=arguments.own_passages)
        figures = build(folder, folder / "report.html")
        figures |= browse(folder / "report.html", arguments.chromium)
    print(f"{arguments.cases:,} cases")
    for name, value in figures.items():
        print(f"  {name:24} {value:10.2f}")


if __name__ == "__main__":
    main()
