"""A report in a real Chromium, opened from disk: what people click, press, see and print, and that nothing hostile runs.

Run by ``tox -e browser``.
"""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from attacks import PAYLOADS
from conftest import ROOT

from faithfulness_assert import grade_many
from faithfulness_assert.report import write_report

from .conftest import Opened

pytestmark = [pytest.mark.e2e, pytest.mark.filterwarnings("default")]

Window = Callable[..., Opened]
TALL = 4000  # so that all rows are in sight
LATE = "#case=late-train-refund"


def chosen(page: Any) -> str:
    """The chosen statement."""
    return page.locator(".selected .what").first.inner_text()


def lit(page: Any) -> list[str]:
    return page.locator(".lit").all_inner_texts()


def names(page: Any) -> list[str]:
    """The cases that are listed, in order."""
    return page.locator(".list .name").all_inner_texts()


def expect_names(page: Any, expected: list[str]) -> None:
    """Waits until these cases are listed: a link is followed a moment after the click."""
    _expect(page.locator(".list .name")).to_have_text(expected, use_inner_text=True)


def expect_first(page: Any, name: str) -> None:
    _expect(page.locator(".list .name").first).to_have_text(name, use_inner_text=True)


def expect_number(page: Any, expected: int) -> None:
    _expect(page.locator(".list .name")).to_have_count(expected)


def _expect(locator: Any) -> Any:
    from playwright.sync_api import expect  # the other tests run without playwright

    expect.set_options(timeout=30_000)
    return expect(locator)


def in_sight(page: Any, selector: str) -> bool:
    script = """(node) => {
      const inner = node.getBoundingClientRect();
      const outer = (node.closest('.context') ?? node).getBoundingClientRect();
      return inner.top >= Math.max(0, outer.top - 1) && inner.bottom <= Math.min(innerHeight, outer.bottom + 1);
    }"""
    page.wait_for_timeout(700)  # it scrolls smoothly
    return page.locator(selector).first.evaluate(script)


# ---------------------------------------------------------------- finding what is wrong


@pytest.mark.parametrize("size", [(1280, 900), (360, 760)], ids=["desk", "phone"])
def test_the_worst_statement_is_on_the_first_screen_and_a_click_shows_its_evidence(
    opened, example, size
):
    page = opened(*size).goto(example)
    first = page.locator(".worst li").first
    said = first.inner_text()
    assert "you get back the full price" in said
    assert "contradicted" in said
    assert "you get back half of the price" in said
    assert "The full price is only refunded from 60 minutes on." in said
    box = first.bounding_box()
    assert box["y"] + box["height"] <= size[1]
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    page.click(".worst li a")
    page.wait_for_selector("#case .selected")
    assert chosen(page) == "For a delay of 45 minutes you get back the full price of your ticket."
    assert lit(page) == [
        "If a train arrives 30 minutes late or more, you get back half of the price of your ticket."
    ]
    assert in_sight(page, ".lit") or size[0] == 360
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    page.click(".prose .mark >> nth=1")
    assert chosen(page) == "You can apply at any time within a year."
    assert lit(page) == ["Apply within 14 days, with the ticket and the form from the website."]
    assert in_sight(page, ".lit")
    assert page.locator(".mark[aria-pressed=true]").count() == 1


def test_a_case_tells_labels_without_colour_and_how_its_score_came_about(opened, example):
    page = opened().goto(example, LATE)
    marks = page.locator(".prose .mark")
    signs = marks.evaluate_all("(all) => all.map((mark) => mark.dataset.sign)")
    styles = marks.evaluate_all(
        "(all) => all.map((mark) => getComputedStyle(mark).textDecorationStyle)"
    )
    assert signs == ["✗", "✗", "✓"]
    assert styles == ["double", "double", "dotted"]
    assert marks.first.inner_text().startswith("contradicted:")
    text = page.locator("#case").inner_text()
    for said in ("score 0.333", "passes from 0.8", "/ 3 = 0.3333", "example-judge", "Question:"):
        assert said in text
    page = opened().goto(example, "#case=family-ticket&s=3")
    assert lit(page) == []
    assert "A day ticket costs 14 euros" in page.inner_text(".selected q")  # the nearest sentence


# ---------------------------------------------------------------- list, filters, search, links


def test_the_list_has_the_worst_cases_first_and_filters_legends_and_searches_change_it(
    opened, example
):
    page = opened(height=TALL).goto(example)
    expect_number(page, 13)
    assert names(page)[:3] == ["late-train-refund", "dog-on-train", "airport"]
    page.get_by_label("Answer", exact=True).select_option("passed")
    assert set(names(page)) >= {"storm", "lost-phone"}
    assert "airport" not in names(page)
    page.get_by_label("Answer", exact=True).select_option("")
    page.get_by_label("Has a statement").select_option("partially_supported")
    expect_names(page, ["lost-umbrella"])
    assert "1 of 13 cases" in page.inner_text("#count")
    page.get_by_role("button", name="Clear").click()
    expect_number(page, 13)
    for words, found in (("umbrella", "lost-umbrella"), ("FAMILY ticket", "family-ticket")):
        page.fill("#search", words)
        expect_names(page, [found])
    page.fill("#search", "no such words")
    assert page.inner_text("#count") == "No case matches."
    page.click(".legend a:has-text('partially supported')")
    expect_names(page, ["lost-umbrella"])
    page.fill("#search", "umbrella")
    assert page.evaluate("location.hash") == "#q=umbrella&label=partially_supported"


def test_a_group_and_a_repeated_statement_lead_to_their_cases_and_enter_opens_the_first(
    opened, tmp_path
):
    cases = [
        {
            "id": f"case {number}",
            "answer": f"It opens at 9.{' A ticket  costs 12 euros.' if number % 3 else ''}",
            "context": "It opens at 9.",
            "by=model": ("a/b&c", "<i>\u202e")[number % 2],
        }
        for number in range(30)
    ]
    report = write_report(grade_many(cases), tmp_path / "report.html").path
    page = opened(height=TALL).goto(report)
    page.locator(".slices a", has_text="a/b&c").click()
    expect_number(page, 15)
    page.locator(".slices a", has_text="[U+202E]").click()
    expect_first(page, "case 1")
    expect_number(page, 15)
    page.locator(".repeats a").click()
    expect_number(page, 20)
    page.fill("#search", "case 23")
    page.press("#search", "Enter")
    page.wait_for_selector("#case h1")
    assert page.locator("#case h1").inner_text() == "Case case 23"


def test_a_link_opens_a_case_at_a_statement_and_going_back_returns_to_the_list(opened, example):
    page = opened(height=TALL).goto(example, f"{LATE}&s=3")
    assert page.evaluate("location.hash") == f"{LATE}&s=3"
    assert chosen(page) == "You need your ticket and the form from the website."
    page.click("text=← All cases")
    page.wait_for_selector("#overview:visible")
    page.click(".list a:has-text('storm')")
    page.wait_for_selector("#case h1:has-text('storm')")
    assert "#case=storm" in page.url
    page.go_back()
    page.wait_for_selector("#overview:visible")
    page.evaluate("location.hash = '#case=none'")
    page.wait_for_selector("#problem:visible")
    assert page.inner_text("#problem") == "This report has no case none."
    expect_number(page, 13)


# ---------------------------------------------------------------- keys


def test_everything_can_be_done_with_keys(opened, example):
    page = opened().goto(example)
    page.keyboard.press("?")
    assert "search" in page.inner_text("dialog")
    page.keyboard.press("Escape")
    assert not page.is_visible("dialog")
    for key in "jjk":
        page.keyboard.press(key)
    assert names(page)[0] in page.evaluate("document.activeElement.textContent")
    page.keyboard.press("ArrowDown")
    second = names(page)[1]
    assert second in page.evaluate("document.activeElement.textContent")
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"
    page.keyboard.press("Enter")
    page.wait_for_selector(f"#case h1:has-text('{second}')")
    before = chosen(page)
    page.keyboard.press("j")
    assert chosen(page) != before
    assert page.evaluate("document.activeElement.className").startswith("mark")
    page.keyboard.press("k")
    assert chosen(page) == before
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("#case .place:has-text('3 of 13')")
    page.keyboard.press("ArrowLeft")
    page.wait_for_selector("#case .place:has-text('2 of 13')")
    page.keyboard.press("Escape")
    page.wait_for_selector("#overview:visible")
    assert second in page.evaluate("document.activeElement.textContent")
    page.keyboard.press("/")
    page.wait_for_function("document.activeElement.id === 'search'")
    page.keyboard.type("jk?")
    assert page.input_value("#search") == "jk?"


# ---------------------------------------------------------------- for everyone, everywhere


@pytest.mark.parametrize("view", ["overview", "case", "compare", "compared case"])
def test_axe_finds_nothing(opened, example, comparison, axe, view):
    for scheme, width in (("light", 1280), ("dark", 360)):
        window = opened(width, color_scheme=scheme, bypass_csp=True)
        report = comparison if view.startswith("compare") else example
        place = {"case": LATE, "compared case": "#case=day-ticket"}.get(view, "")
        page = window.goto(report, place)
        page.evaluate(axe)
        found = page.evaluate("axe.run()")["violations"]
        assert [(each["id"], each["nodes"][0]["html"]) for each in found] == []


def test_dark_mode_is_dark_and_print_leaves_out_controls_and_shows_all(opened, example):
    page = opened().goto(example, LATE)
    colours = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        colours.append(page.evaluate("getComputedStyle(document.body).backgroundColor"))
    light, dark = (sum(map(int, re.findall(r"\d+", colour)[:3])) for colour in colours)
    assert light > 700
    assert dark < 150
    page.emulate_media(media="print")
    assert not page.is_visible(".case-head nav")
    assert page.is_visible(".statements li >> nth=2")
    for panel in page.locator(".panel").all():
        assert panel.evaluate("(node) => node.scrollHeight <= node.clientHeight + 1")
    assert page.pdf().startswith(b"%PDF")
    page.emulate_media(media="screen")
    page.keyboard.press("Escape")
    page.wait_for_selector("#overview:visible")
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator(".list.all li").count() == 13
    assert not page.is_visible("#filters")


def test_two_runs_are_side_by_side_by_their_names_and_their_parts_at_the_same_height(
    opened, comparison
):
    page = opened().goto(comparison)
    assert page.locator(".both thead th").all_inner_texts() == ["assistant-v1", "assistant-v2"]
    assert set(names(page)) == {"day-ticket", "bike-rush-hour"}
    page.get_by_label("Change", exact=True).select_option("regressed")
    expect_names(page, ["day-ticket"])
    page.click(".list a")
    page.wait_for_selector("#case h2:has-text('Run B')")
    heads = page.locator(".column h2").all_inner_texts()
    assert [head for head in heads if head.startswith("Run ")] == [
        "Run A: assistant-v1",
        "Run B: assistant-v2",
    ]
    for name in ("Answer", "Context"):
        panels = page.locator(f".panel[aria-label^='{name} in ']")
        tops = [panels.nth(side).bounding_box()["y"] for side in (0, 1)]
        assert tops[0] == tops[1]
    assert "family ticket" in page.locator(".column >> nth=1").inner_text()
    assert "family ticket" not in page.locator(".column >> nth=0").inner_text()
    page.click(".column >> nth=1 >> .mark >> nth=0")
    assert (
        page.locator(".selected .what").all_inner_texts()
        == ["It is valid on all lines until 3 a.m. of the next day."] * 2
    )


def test_a_browser_without_scripts_or_inflating_has_the_overview_and_says_what_is_missing(
    opened, example, report_of
):
    page = opened(java_script_enabled=False).page
    page.goto(example.as_uri())
    text = page.locator("body").inner_text()
    assert "7 of 13 answers fail" in text
    assert "need JavaScript" in text
    page = opened().page
    page.goto(report_of().as_uri())
    assert "There are no results" in page.inner_text("#overview")
    page.add_init_script("delete window.DecompressionStream")
    page.goto(example.as_uri())
    assert "lacks DecompressionStream" in page.inner_text("#problem")
    assert page.is_visible("text=7 of 13 answers fail")


def test_a_report_that_is_damaged_or_cut_off_says_so(opened, example, tmp_path):
    text, page = example.read_text("utf-8"), opened().page
    broken = {re.sub(r'(id="rows-0">)[^<]{40}', r"\1AAAA", text): "This report is damaged"}
    for last in ('id="rows-0">', 'id="details-0">', 'id="passages-0">'):
        before, opening, after = text.partition(last)
        broken[before + opening + after[:50]] = "the file was perhaps cut off"
    for content, said in broken.items():
        (file := tmp_path / "broken.html").write_text(content, "utf-8")
        page.goto(file.as_uri())
        page.wait_for_selector("#problem:visible")
        assert said in page.inner_text("#problem")
        assert page.inner_text("#count") == "The cases cannot be shown."
        assert page.is_visible("text=7 of 13 answers fail")


# ---------------------------------------------------------------- hostile texts

MARKUP = "<script>alert(1)</script><img src=x onerror=alert(2)><svg onload=alert(3)>\"'><a href='javascript:alert(4)'>x</a>"


def hostile(id: str, payload: str) -> dict[str, Any]:
    """A result with this text in every place that can have one."""
    evidence = {"sentence": 1, "passage": payload, "start": 0, "end": 4, "text": payload}
    verdict = {
        "id": 1,
        "statement": payload,
        "reason": payload,
        "evidence": [evidence],
        "label": "contradicted",
        "flags": [payload],
    }
    return {
        "case_id": id, "score": 0.1, "status": "graded", "pass": False, "reason": payload,
        "policy": payload, "judge": payload, "verdicts": [verdict, verdict],
        "skipped": [{"start": 0, "end": 2, "reason": payload}],
        "error": {"kind": "server", "message": payload},
        "citations": {"invalid_citations": [payload], "uncited_sentences": [payload]},
        "columns": {payload: payload},
        "metadata": {"warnings": [payload], "calculation": payload, "suggestions": [payload], payload: payload},
    }  # fmt: skip


def test_no_attack_runs_anything_and_all_show_as_text(opened, report_of):
    """The window's end checks that there was no dialog, request, violation or error."""
    payloads = [*PAYLOADS, MARKUP, "\0\u202eevil\u202c\ud800", "</script>" * 3]
    corpus = ROOT.parent / "shared" / "corpora" / "attacks.jsonl"
    for path in [corpus] if corpus.exists() else []:
        rows = [json.loads(line)["payload"] for line in path.read_text("utf-8").splitlines()]
        payloads += [row if isinstance(row, str) else row["text"] for row in rows]
    report = report_of(
        *(hostile(f"case {n}", payload) for n, payload in enumerate(payloads)),
        hostile(MARKUP, MARKUP),
        data=[
            {"id": f"case {n}", "answer": payload or "x", "context": [payload]}
            for n, payload in enumerate(payloads)
        ],
    )
    page = opened().goto(report)
    for place in range(len(payloads) + 1):
        page.evaluate(f"location.hash = '#n={place}'")
        page.wait_for_function(
            "(place) => document.querySelector('#case').dataset.place === place", arg=str(place)
        )
        assert page.locator("#case img, #case script, #case iframe, #case svg").count() == 0
    page.evaluate(f"location.hash = '#case=' + encodeURIComponent({json.dumps(MARKUP)})")
    page.wait_for_selector("#case h1:has-text('<script>alert(1)</script>')")
    assert MARKUP in page.locator("#case").inner_text()


# ---------------------------------------------------------------- large and odd


def test_ten_thousand_statements_and_the_begin_of_five_megabytes_can_be_read(opened, report_of):
    sentences = [f"Statement {n} says that {n} is a number 😀." for n in range(10_000)]
    answer, verdicts, start = " ".join(sentences), [], 0
    for n, sentence in enumerate(sentences):
        label = "contradicted" if n == 9_000 else "supported"
        span = [start, start + len(sentence)]
        verdicts.append({"id": n + 1, "statement": sentence, "label": label, "span": span})
        start += len(sentence) + 1
    many = {"case_id": "many", "score": 0.5, "status": "graded", "verdicts": verdicts}
    long = {"case_id": "long", "score": 0, "status": "invalid_input", "defined": False}
    report = report_of(
        many,
        long,
        data=[
            {"id": "many", "answer": answer, "context": ["x"]},
            {"id": "long", "answer": "word " * 1_000_000, "context": ["x"]},
        ],
    )
    page = opened().goto(report, "#case=many")
    assert chosen(page) == sentences[9_000]
    assert page.locator(".prose .mark").count() >= 10_000
    page.keyboard.press("w")
    assert in_sight(page, ".mark[aria-pressed=true]")
    page.get_by_role("button", name="Show more").click()
    assert page.locator(".statements li").count() == 400
    page.evaluate("location.hash = '#case=long'")
    page.wait_for_selector("#case h1:has-text('long')")
    assert page.evaluate("document.querySelector('.prose').textContent.length") > 990_000


def test_long_texts_and_lists_show_their_rest_on_demand(opened, report_of):
    reason, unbroken = "because " * 500, "\u0645" * 3000
    evidence = {"sentence": 1, "passage": "p150", "start": 0, "end": 4, "text": "It i"}
    verdict = {"statement": unbroken, "label": "contradicted", "evidence": [evidence]}
    record = {
        "case_id": "a", "score": 0.5, "status": "graded", "reason": reason, "verdicts": [verdict],
        "metadata": {"warnings": [f"warning {n}" for n in range(300)]},
    }  # fmt: skip
    context = [{"id": f"p{n}", "text": "It is."} for n in range(200)]
    report = report_of(record, data=[{"id": "a", "answer": "x", "context": context}])
    page = opened().goto(report, "#case=a")
    assert page.locator(".lit").all_text_contents() == ["It i"]  # it may be out of sight
    assert page.locator(".passage").count() == 101
    assert page.locator(".passage h3").all_inner_texts()[99:] == ["Passage p99", "Passage p150"]
    page.locator(".context .more").click()
    _expect(page.locator(".passage h3").last).to_have_text("Passage p199")
    assert page.locator(".passage h3").all_inner_texts()[-2:] == ["Passage p198", "Passage p199"]
    assert page.locator(".case-head .notes li").count() == 200
    page.locator(".case-head .more").click()
    _expect(page.locator(".case-head .notes li")).to_have_count(300)
    assert reason.strip() not in page.inner_text(".case-head")
    page.locator(".case-head .rest").click()
    _expect(page.locator(".case-head")).to_contain_text(reason.strip())
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator(".rest").count() == 0
    assert page.locator(".what").text_content() == unbroken


def test_a_case_shows_skipped_spans_flags_citations_warnings_and_unresolved_statements(
    opened, report_of
):
    answer = "# Title\nThe tower is red [9]. It is tall."
    verdicts = [
        {"statement": "The tower is red [9].", "label": "supported", "span": [8, 29], "flags": ["no_such_quote"]},
        {"statement": "It is tall.", "label": None, "unresolved": "missing", "span": [30, 41]},
    ]  # fmt: skip
    record = {
        "case_id": "a", "score": 0.5, "status": "graded", "verdicts": verdicts, "pass": False,
        "skipped": [{"start": 2, "end": 7, "reason": "heading"}],
        "citations": {"invalid_citations": ["9"], "uncited_claim_count": 1, "uncited_sentences": ["It is tall."]},
        "metadata": {"warnings": ["Something is odd."], "calculation": "(1 × 1) / 2 = 0.5", "controls": {"asked": 2, "failed": 1}},
    }  # fmt: skip
    page = opened().goto(
        report_of(record, data=[{"id": "a", "answer": answer, "context": ["x"]}]), "#case=a"
    )
    assert page.locator(".skipped").inner_text() == "Title"
    why = "getComputedStyle(document.querySelector('.skipped'), '::after').content"
    assert "heading" in page.evaluate(f"document.querySelector('.skipped').dataset.why + {why}")
    assert "the verdict is missing, also after asking again" in page.inner_text(".selected")
    page.locator(".mark").first.focus()
    page.keyboard.press("Enter")
    assert "quotes what the context does not contain" in page.inner_text(".selected")
    text = page.inner_text("#case")
    for said in ("Something is odd.", "not a passage: 9", "1 sentence without a citation", "1 of 2", "= 0.5"):  # fmt: skip
        assert said in text
    page.keyboard.press("Escape")
    page.get_by_label("Flag", exact=True).select_option("no_such_quote")
    expect_names(page, ["a"])


WRONG = [
    ("The museum closes at 22:00 on Mondays.", ["22:00"], "17:00"),
    ("It closes at 22:00 with 1,400 guests.", ["22:00", "1,400"], "17:00"),
    ("המוזיאון נסגר בשעה 22:00 ביום 3 במאי.", ["22:00", "3"], "17:00"),
    ("يغلق المتحف الساعة ٢٢:٠٠.", ["٢٢:٠٠"], "١٧:٠٠"),
    ("It closes at **22:00** on `Monday`.", ["**22:00**", "`Monday`"], "**17:00**"),
    (f"The {'donau' * 400} is wide.", ["donau" * 400], "rhein" * 400),
    (f"It says {MARKUP} twice.", [MARKUP], MARKUP),
]


@pytest.mark.parametrize("width", [1280, 360])
def test_wrong_words_are_marked_one_by_one_as_they_stand_in_the_statement(opened, report_of, width):
    """Where the judge names no evidence, the context is what lacks them."""
    results, data = [], []
    for number, (statement, wrong, says) in enumerate(WRONG):
        verdict = {"statement": statement, "label": "contradicted", "wrong": wrong, "says": says}
        evidence = {"sentence": 1, "passage": "1", "start": 0, "end": len(says), "text": says}
        for name, named in (("context", []), ("evidence", [evidence])):
            id = f"{name}{number}"
            told = {"status": "graded", "verdicts": [{**verdict, "evidence": named}]}
            results.append({"case_id": id, "score": 0, **told})
            data.append({"id": id, "answer": statement, "context": says})
    page = opened(width).goto(report_of(*results, data=data))
    for number, (_, wrong, says) in enumerate(WRONG):
        for where in ("context", "evidence"):
            page.evaluate(f"location.hash = '#case={where}{number}'")
            page.wait_for_selector(f"#case h1:has-text('{where}{number}')")
            assert page.locator(".selected .what .differs").all_text_contents() == wrong
            row = page.locator(f".selected dl > div:has(dt:text-is('Not in the {where}')) dd")
            assert row.text_content() == ", ".join(f"“{word}”" for word in wrong)
            assert says in page.locator(".selected").text_content() or where == "context"
            assert page.evaluate("document.documentElement.scrollWidth") <= width
