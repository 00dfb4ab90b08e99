"""Two judges side by side, and the page of a card."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from command import here as run
from loopback import Loopback
from test_probe import PER_KIND, FaultyJudge, card_of

from faithfulness_assert import ConfigError
from faithfulness_assert.probe import Card, compare_cards
from faithfulness_assert.report import write_probe_report


@pytest.fixture(scope="module")
def cards() -> tuple[Card, Card]:
    return card_of(FaultyJudge()), card_of(FaultyJudge(lambda kind, *_: kind in ("unit", "role")))


def test_the_judge_that_errs_is_the_worse_one_on_the_kinds_on_which_it_errs(
    cards: tuple[Card, Card],
) -> None:
    compared = compare_cards(*cards)
    assert {k for k, pair in compared.kinds.items() if pair.better == "A"} == set()
    unit = compared.kinds["unit"]
    assert (unit.both, unit.first, unit.second) == (PER_KIND, 0, PER_KIND)
    assert (unit.only_first, unit.only_second) == (0, PER_KIND)
    # 2 * 0.5**8, the smallest of 18 tests; the second one times 17, but not below the first.
    assert unit.p == compared.kinds["role"].p == pytest.approx(18 * 2 * 0.5**PER_KIND)
    assert all(p.p == 1 for k, p in compared.kinds.items() if k not in ("unit", "role"))


def test_with_more_statements_the_better_one_is_named() -> None:
    honest = card_of(FaultyJudge(), per_kind=16)
    faulty = card_of(FaultyJudge(lambda kind, *_: kind == "cause"), per_kind=16)
    for pair, letter in (((honest, faulty), "A"), ((faulty, honest), "B")):
        compared = compare_cards(*pair)
        assert {k: p.better for k, p in compared.kinds.items() if p.better} == {"cause": letter}
        assert compared.note() == f"Better: {letter} on cause"


def test_cards_of_other_statements_cannot_be_compared(cards: tuple[Card, Card]) -> None:
    other = replace(cards[1], settings={**cards[1].settings, "draw": 2})
    with pytest.raises(ConfigError, match="same per_kind, draw and held_out"):
        compare_cards(cards[0], other)


def test_two_judges_on_the_command_line_and_on_a_page(tmp_path: Path) -> None:
    page = tmp_path / "probe.html"
    with Loopback(FaultyJudge(lambda kind, *_: kind == "unit")) as server:
        own = [f"base_url={server.url}", "api_key=sk-x", f"cache={tmp_path / 'store'}"]
        given = [part for option in own for part in ("--against-option", option)]
        done = run(
            *("probe", "--judge", "embedded", "--against", "openai:judge", *given),
            *("--per-kind", "2", "--draw", "1", "--json", "--report", str(page)),
        )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["a"]["judge"] == "embedded"
    assert told["b"]["kinds"]["unit"]["wrong"] == 2
    text = page.read_text(encoding="utf-8")
    assert text.count('class="share-bar') == 2 * 18
    assert "<script" not in text


def test_a_page_escapes_what_comes_from_outside(cards: tuple[Card, Card], tmp_path: Path) -> None:
    hostile = replace(cards[0], judge="<b>J</b>", failures={"server: <img src=x>": 1})
    text = write_probe_report(hostile, tmp_path / "card.html").read_text(encoding="utf-8")
    assert "<b>" not in text
    assert "<img" not in text
    assert "&lt;img src=x&gt;" in text
    with pytest.raises(ConfigError, match=r"must end in \.html"):
        write_probe_report(hostile, tmp_path / "card.txt")
