"""The card says of a judge what it was built with. The judges are real HTTP servers."""

import json
import re
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from random import Random
from typing import Any

import pytest
from loopback import Answer, Loopback, Request, completion, good_reply, refusal_to
from true_server import block, text_of

from faithfulness_assert import ConfigError
from faithfulness_assert.probe import Card, KindCard, Repeat, probe
from faithfulness_assert.probe.scenes import in_the_middle, make_probes
from faithfulness_assert.report import write_probe_report
from faithfulness_assert.statistics import at_least

TRUE = {"verbatim", "paraphrase", "format", "arithmetic", "several", "omission"}
COUNT = 20
PER_KIND = 4
SIZES = (2, PER_KIND, 33)


@cache
def kinds() -> dict[tuple[str, str], str]:
    """The kind of each statement of the probes of this file, by its context and text."""
    first = [one for size in SIZES for one in make_probes(size, 1)]
    probes = [*first, *(in_the_middle(one, 1) for one in first)]
    return {(" ".join(p.context), text): kind for p in probes for kind, text in p.statements}


def kind_of(statement: str, context: list[str]) -> str:
    """The kind of a statement; ``verbatim`` for what stands in the context, or ``""``."""
    return "verbatim" if statement in context else kinds().get((" ".join(context), statement), "")


class FaultyJudge:
    """Knows the truth by the sentences that it ``reads``, and says otherwise where it ``errs``."""

    def __init__(
        self,
        errs: Callable[[str, str, int], bool] = lambda *_: False,
        reads: Callable[[list[str]], list[str]] = list,
    ) -> None:
        self.errs, self.reads = errs, reads
        self.said: dict[tuple[str, str], list[str]] = defaultdict(list)

    def __call__(self, request: Request) -> Answer:
        return good_reply(request, self.text(request))

    def text(self, request: Request) -> str:
        shown = text_of(request)
        context = self.reads(list(block("context", shown).values()))
        verdicts = []
        for place, (number, line) in enumerate(block("statements", shown).items()):
            kind = kind_of(line, context)
            good = (kind in TRUE) is not self.errs(kind, line, place)
            label = "supported" if good else "not_enough_info"
            self.said["\n".join(context), line].append(label)
            evidence = [1] if good else []
            verdicts.append({"id": number, "evidence": evidence, "label": label})
        return json.dumps({"verdicts": verdicts})


def card_of(answer: Any, **options: Any) -> Card:
    """Under a fixed secret, so that no control happens to be a statement of the probes."""
    given: dict[str, Any] = {"per_kind": PER_KIND, "draw": 1, "seed": 7, "max_retries": 0}
    with Loopback(answer) as server:
        given |= {"base_url": server.url, "api_key": "sk-x"}
        return probe("openai:judge", **{**given, **options})


def wrong(card: Card) -> dict[str, int]:
    return {name: kind.wrong for name, kind in card.kinds.items() if kind.wrong}


def test_an_honest_judge_gets_a_clean_card():
    card = card_of(FaultyJudge())
    assert wrong(card) == {}
    assert card.blind == []
    assert {kind.asked for kind in card.kinds.values()} == {PER_KIND}
    assert card.again == card.reversed == card.middle == Repeat(COUNT * PER_KIND, 0)
    assert card.is_whole


@pytest.mark.parametrize("blind", [{"negation"}, {"role", "unit"}, TRUE])
def test_the_card_names_exactly_the_kinds_to_which_a_judge_is_blind(blind):
    card = card_of(FaultyJudge(lambda kind, *_: kind in blind))
    assert wrong(card) == dict.fromkeys(blind, PER_KIND)
    assert set(card.blind) == blind


def test_a_rubber_stamp_is_blind_to_all_that_is_false():
    card = card_of(FaultyJudge(lambda kind, *_: kind not in TRUE))
    assert wrong(card) == {k: PER_KIND for k in card.kinds if k not in TRUE}
    assert "called every statement" not in " ".join(card_of(FaultyJudge()).notes())


def test_a_judge_that_goes_by_the_place_changes_its_labels_in_reverse_order_alone():
    card = card_of(FaultyJudge(lambda kind, _, place: place < 4 and kind not in TRUE))
    assert card.again == card.middle == Repeat(COUNT * PER_KIND, 0)
    assert card.reversed.changed > PER_KIND


def test_a_judge_that_reads_both_ends_only_changes_its_labels_in_the_middle_alone():
    card = card_of(FaultyJudge(reads=lambda lines: lines[:20] + lines[20:][-20:]))
    assert card.again == card.reversed == Repeat(COUNT * PER_KIND, 0)
    assert card.middle == Repeat(COUNT * PER_KIND, len(TRUE) * PER_KIND)
    assert card.to_json()["repeated"]["middle"]["changed"] == card.middle.changed
    told = f"Asked again in the middle of a long context, it changed {card.middle.changed}"
    assert told in " ".join(card.notes())
    assert wrong(card) == {}


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (refusal_to(500, "it *broke*\n<b>"), "server"),
        (lambda request: good_reply(request, "I am a teapot."), "unreadable"),
        (completion(None, refusal="I can't help with that."), "refusal"),
    ],
)
def test_a_judge_without_verdicts_earns_nothing(answer, kind):
    card = card_of(answer, per_kind=2)
    assert all(one == KindCard(0, 0, 2) for one in card.kinds.values())
    assert not card.is_whole
    assert card.blind == []
    assert any(reason.startswith(kind) for reason in card.failures), card.failures
    assert "Too few verdicts to find a blind spot: number, date, unit" in "\n".join(card.notes())
    assert "Blind: not known, of too few verdicts" in card.notes()


def test_what_has_no_verdict_is_neither_right_nor_wrong():
    judge = FaultyJudge()

    def silent_about_units(request: Request) -> Answer:
        said = json.loads(judge.text(request))
        lines = block("statements", text_of(request))
        context = list(block("context", text_of(request)).values())
        said["verdicts"] = [
            v for v in said["verdicts"] if kind_of(lines[v["id"]], context) != "unit"
        ]
        return good_reply(request, json.dumps(said))

    card = card_of(silent_about_units)
    assert card.kinds["unit"] == KindCard(0, 0, PER_KIND)
    assert card.kinds["number"] == KindCard(PER_KIND, 0)
    assert not card.is_whole


# ---------------------------------------------------------------- the command


def test_the_card_of_the_embedded_judge_needs_no_key_and_is_unflattering():
    card = probe("embedded").to_json()
    assert card["kinds"]["name"]["wrong"] == card["kinds"]["name"]["asked"] == 33
    assert {"role", "modality", "paraphrase", "arithmetic"} <= set(card["blind"])
    assert card["kinds"]["verbatim"]["wrong"] == 0
    with pytest.raises(ConfigError, match="concurrency"):
        probe("embedded", per_kind=1, concurrency=0)


def test_a_page_shows_each_kind_runs_nothing_and_escapes_what_comes_from_outside(tmp_path):
    card = probe("embedded", per_kind=2)
    hostile = replace(card, judge="<b>J</b>", failures={"server: <img src=x>": 1})
    text = write_probe_report(hostile, tmp_path / "card.html").read_text(encoding="utf-8")
    assert text.count('class="share-bar') == COUNT
    assert "Asked again in the middle of a long context" in text
    assert not re.search("<b>|<img|<script", text)
    assert "&lt;img src=x&gt;" in text
    with pytest.raises(ConfigError, match=r"must end in \.html"):
        write_probe_report(hostile, tmp_path / "card.txt")


def test_a_store_makes_the_second_card_free_and_does_not_answer_what_is_asked_again(tmp_path):
    dice = Random(2)
    with Loopback(FaultyJudge(lambda *_: dice.random() < 0.5)) as server:
        given = {"base_url": server.url, "api_key": "sk-x", "cache": tmp_path}
        first = probe("openai:judge", per_kind=4, draw=1, **given)
        asked = len(server.requests)
        second = probe("openai:judge", per_kind=4, draw=1, **given)
        assert len(server.requests) == asked
    assert first.again.changed > 0
    assert first.usage.num_requests == asked
    assert (second.again, second.kinds) == (first.again, first.kinds)


# ---------------------------------------------------------------- the numbers


def test_the_limit_that_decides_is_shown_beside_the_interval(tmp_path):
    almost, card = KindCard(33, 8), probe("embedded", per_kind=2)
    assert almost.interval[0] > 0.1 > almost.limit
    shown = replace(card, kinds=dict.fromkeys(card.kinds, almost))
    assert shown.blind == []
    page = write_probe_report(shown, tmp_path / "card.html").read_text(encoding="utf-8")
    assert page.count("<td>11 to 42 %</td><td>&gt; 7 %</td>") == COUNT
    assert {row[3:6] for row in shown.document().parts[0].rows} == {("24%", "11% to 42%", "> 7%")}


def test_the_power_is_what_the_page_promises():
    def power(asked: int, share: float) -> float:
        least = next(n for n in range(asked + 1) if KindCard(asked, n).is_blind)
        return at_least(least, asked, share)

    assert power(33, 0.4) > 0.905
    assert power(33, 0.5) > 0.985
    assert power(100, 0.3) > 0.985
    assert COUNT * power(33, 0.1) < 0.05
