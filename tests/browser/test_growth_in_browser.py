"""A browser takes no longer for a report than its texts are long: opening, choosing, clicking, printing, going back.

All shapes are cases of one report. The time is the CPU time of the page's main thread. Where a case of ``SIZE`` characters is
fast, it is fast enough; elsewhere half of it must take at least 1/2.6 of the time. The system ends a page after ``LIMIT`` seconds of CPU.
"""

import json
import resource
from pathlib import Path
from typing import Any

import pytest
from page_shapes import SHAPES
from report_pages import a_line

from faithfulness_assert.report import write_report

pytestmark = [pytest.mark.e2e, pytest.mark.filterwarnings("default")]

SIZE = 12_000
FAST = 0.8
"""Seconds of CPU."""
MOST = 2.6
LIMIT = 20

FRAME = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(document.body.offsetHeight))))"
CLICKS = """
for (const one of ['.mark', '.statements button', '.evidence-link', '.more', '.rest', 'summary']) document.querySelector(`#case ${one}`)?.click();
"""
SCROLL = """
for (const panel of [document.scrollingElement, ...document.querySelectorAll('.context')]) panel.scrollTop = panel.scrollHeight / 2;
"""


class Visit:
    """A report in a window of its own."""

    def __init__(self, chromium: Any, report: Path) -> None:
        self._before = renderers(chromium)
        self._chromium = chromium
        self._context = chromium.new_context(viewport={"width": 1280, "height": 900})
        self.page = self._context.new_page()
        self._cdp = self._context.new_cdp_session(self.page)
        self._cdp.send("Performance.enable", {"timeDomain": "threadTicks"})
        self.page.goto(report.as_uri())
        self.page.wait_for_selector("html[data-ready]", state="attached")

    def close(self) -> None:
        self._context.close()

    def _taken(self) -> float:
        metrics = self._cdp.send("Performance.getMetrics")["metrics"]
        return float({each["name"]: each["value"] for each in metrics}["TaskDuration"])

    def _limit(self) -> None:
        for pid, used in renderers(self._chromium).items():
            if pid not in self._before:
                most = int(used) + LIMIT
                resource.prlimit(pid, resource.RLIMIT_CPU, (most, resource.RLIM_INFINITY))

    def seconds(self, name: str) -> float:
        """The CPU time of all that people do with a case."""
        self._limit()
        page, began = self.page, self._taken()
        page.evaluate(f"location.hash = '#case=' + encodeURIComponent({json.dumps(name)})")
        page.wait_for_selector("#case:not([hidden])")
        page.evaluate(FRAME)
        for key in "jkw":
            page.keyboard.press(key)
        for script in (SCROLL, CLICKS, "dispatchEvent(new Event('beforeprint'))"):
            page.evaluate(script)
            page.evaluate(FRAME)
        for media in ("print", "screen"):
            page.emulate_media(media=media)
            page.evaluate(FRAME)
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        page.keyboard.press("Escape")
        page.wait_for_selector("#case", state="hidden")
        page.evaluate(FRAME)
        return self._taken() - began


def renderers(chromium: Any) -> dict[int, float]:
    """The processes that show pages, and the CPU time that each has used."""
    session = chromium.new_browser_cdp_session()
    processes = session.send("SystemInfo.getProcessInfo")["processInfo"]
    session.detach()
    return {each["id"]: each["cpuTime"] for each in processes if each["type"] == "renderer"}


def report_with(folder: Path, size: int) -> Path:
    """All shapes in one report."""
    folder.mkdir()
    shown = {name: shape(size) for name, shape in SHAPES.items()}
    lines = (a_line({"case_id": name, **each.result}, each.case) for name, each in shown.items())
    (folder / "results.jsonl").write_text("".join(lines), encoding="utf-8")
    return write_report(folder / "results.jsonl", folder / "report.html").path


def test_twice_a_text_takes_about_twice_the_time_in_a_browser(chromium, tmp_path):
    from playwright.sync_api import Error

    report = report_with(tmp_path / "whole", SIZE)
    slow, visit = [], Visit(chromium, report)
    for name in SHAPES:
        try:
            if (whole := visit.seconds(name)) < FAST:
                continue
        except Error as ended:
            slow.append(f"{name}: {str(ended).splitlines()[0]}")
            visit.close()
            visit = Visit(chromium, report)
            continue
        small = tmp_path / "half"
        if not small.exists():
            report_with(small, SIZE // 2)
        half = Visit(chromium, small / "report.html")
        least = min(half.seconds(name) for _ in range(2))
        half.close()
        whole = min(whole, visit.seconds(name))
        if whole > max(FAST, MOST * least):
            slow.append(f"{name}: {least:.2f} s, {whole:.2f} s")
    visit.close()
    assert slow == []
