"""The card says of a judge what it was built with. The judges are real HTTP servers.

The oracle shares no code with the package: it reads the scenes itself, and counts what it said.
"""

from __future__ import annotations

import json
import math
import re
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from datetime import datetime
from functools import cache
from pathlib import Path
from random import Random
from typing import Any
from zlib import crc32

import pytest
from command import run
from loopback import Answer, Loopback, Request, completion, good_reply, refusal_to
from true_server import block, text_of

import faithfulness_assert
from faithfulness_assert.probe import Card, KindCard, Repeat, probe
from faithfulness_assert.probe.card import interval
from faithfulness_assert.probe.scenes import make_probes

FOLDER = Path(faithfulness_assert.__file__).parent / "probe" / "scenes"
TRUE = {"verbatim", "paraphrase", "format", "arithmetic", "several"}
PER_KIND = 8


def form(template: str) -> re.Pattern[str]:
    """Matches the template with any values, the same for the same slot; of an edit what is false."""
    seen: set[str] = set()
    false = re.sub(r"\[([^]|]*)\|([^]|]*)\]", r"\2", template)

    def group(match: re.Match[str]) -> str:
        name, shown = match[1], match[2]
        if shown is not None:
            return r"\w+" if shown == "last" else r"[\w:, -]+?"
        again = name in seen
        seen.add(name)
        value = {"p": r"\w+ \w+", "d": r"\d+ \w+ \d+", "h": r"\d\d:\d\d"}.get(
            name[0] * name[1:2].isdigit(), r"\w+"
        )
        return f"(?P={name})" if again else f"(?P<{name}>{value})"

    pieces = re.split(r"(\{\w+(?::[^}]*)?\})", false)
    slot = re.compile(r"\{(\w+)(?::([^}]*))?\}")
    return re.compile("".join(slot.sub(group, p) if p[:1] == "{" else re.escape(p) for p in pieces))


SCENE_ROWS = [
    scene
    for file in sorted(FOLDER.glob("*.json"))
    if file.name != "names.json"
    for scene in json.loads(file.read_text(encoding="utf-8"))["scenes"]
]
FORMS = [
    (form(" ".join(scene["context"])), {k: form(t) for k, t in scene["statements"].items()}, scene)
    for scene in SCENE_ROWS
]


def shown_as(name: str, how: str, slots: dict[str, str], scene: dict[str, Any]) -> str:
    """A pattern for the value of a slot in a true statement, worked out from the context."""
    computed = scene["slots"].get(name)
    if isinstance(computed, str):
        first, sign, second = re.split(r"([-+*])", computed)
        one, other = (
            int(slots[first].replace(",", "")),
            int(slots.get(second, second).replace(",", "")),
        )
        value = str({"+": one + other, "-": one - other, "*": one * other}[sign])
        return f"{int(value):,}" if how == "," else value
    value = slots[name]
    if how == "last":
        return value.split()[-1]
    if how in ("iso", "us"):
        day = datetime.strptime(value, "%d %B %Y")
        return day.strftime("%Y-%m-%d" if how == "iso" else f"%B {day.day}, %Y")
    if how == "12":
        return datetime.strptime(value, "%H:%M").strftime("%I:%M %p").lstrip("0").lower()
    return "[a-z]+(?:-[a-z]+)?" if how == "words" else value


def true_form(template: str, slots: dict[str, str], scene: dict[str, Any]) -> re.Pattern[str]:
    pieces = re.split(r"(\{\w+(?::[^}]*)?\})", template)
    slot = re.compile(r"\{(\w+)(?::([^}]*))?\}")
    found = ((slot.fullmatch(piece), piece) for piece in pieces)
    return re.compile(
        "".join(
            shown_as(m[1], m[2] or "", slots, scene) if m else re.escape(piece)
            for m, piece in found
        )
    )


@cache
def forms_of(context: str) -> dict[str, re.Pattern[str]]:
    """The forms of the statements about this context; the true ones with its values."""
    whole, forms, scene = next(row for row in FORMS if row[0].fullmatch(context))
    found = whole.fullmatch(context)
    assert found is not None
    true = {k: true_form(scene["statements"][k], found.groupdict(), scene) for k in TRUE}
    return {**forms, **true}


def kind_of(statement: str, context: list[str]) -> str:
    """The kind of a statement; ``verbatim`` for what stands in the context, or ``""``."""
    if statement in context:
        return "verbatim"
    forms = forms_of(" ".join(context))
    return next((kind for kind, one in forms.items() if one.fullmatch(statement)), "")


class FaultyJudge:
    """Knows the truth, and grants or denies wrongly what ``errs`` says of it."""

    def __init__(self, errs: Callable[[str, str, int], bool] = lambda *_: False) -> None:
        self.errs = errs
        self.said: dict[tuple[str, str], list[str]] = defaultdict(list)

    def __call__(self, request: Request) -> Answer:
        return good_reply(request, self.text(request))

    def text(self, request: Request) -> str:
        shown = text_of(request)
        context = list(block("context", shown).values())
        verdicts = []
        for place, (number, line) in enumerate(block("statements", shown).items()):
            kind = kind_of(line, context)
            good = (kind in TRUE) is not self.errs(kind, line, place)
            label = "supported" if good else "not_enough_info"
            self.said["\n".join(context), line].append(label)
            evidence = [1] if good else []
            verdicts.append({"id": number, "evidence": evidence, "label": label})
        return json.dumps({"verdicts": verdicts})


def asked_about(per_kind: int = PER_KIND) -> list[tuple[str, str]]:
    """What stands in the probes, as kinds and texts."""
    return [row for one in make_probes(per_kind, 1) for row in one.statements]


def card_of(answer: Any, **options: Any) -> Card:
    """Under a fixed secret, so that no control happens to be a statement of the probes."""
    given: dict[str, Any] = {"per_kind": PER_KIND, "draw": 1, "seed": 7, "max_retries": 0}
    with Loopback(answer) as server:
        given |= {"base_url": server.url, "api_key": "sk-x"}
        return probe("openai:judge", **{**given, **options})


def wrong(card: Card) -> dict[str, int]:
    return {name: kind.wrong for name, kind in card.kinds.items() if kind.wrong}


def test_an_honest_judge_gets_a_clean_card() -> None:
    card = card_of(FaultyJudge())
    assert wrong(card) == {}
    assert card.blind == []
    assert {kind.asked for kind in card.kinds.values()} == {PER_KIND}
    assert card.again == card.reversed == Repeat(18 * PER_KIND, 0)
    assert card.controls["asked"] == card.controls["passed"] > 0
    assert card.is_whole


@pytest.mark.parametrize("blind", [{"negation"}, {"role", "unit"}, {"format", "arithmetic"}])
def test_the_card_names_exactly_the_kinds_to_which_a_judge_is_blind(blind: set[str]) -> None:
    card = card_of(FaultyJudge(lambda kind, *_: kind in blind))
    assert wrong(card) == dict.fromkeys(blind, PER_KIND)
    assert set(card.blind) == blind


def test_a_judge_that_errs_sometimes_is_counted_as_often_as_it_erred() -> None:
    errs = lambda kind, line, _: kind == "cause" and crc32(line.encode()) % 2 == 0  # noqa: E731
    expected = sum(errs(kind, line, 0) for kind, line in asked_about())
    assert wrong(card_of(FaultyJudge(errs))) == {"cause": expected}
    assert 0 < expected < PER_KIND


def test_a_rubber_stamp_is_blind_to_all_that_is_false() -> None:
    card = card_of(FaultyJudge(lambda kind, *_: kind not in TRUE))
    assert wrong(card) == {k: PER_KIND for k in card.kinds if k not in TRUE}
    assert card.controls["passed"] * 2 == card.controls["asked"]


def test_a_judge_that_denies_everything_rejects_all_that_is_true() -> None:
    card = card_of(FaultyJudge(lambda kind, *_: kind in TRUE))
    assert wrong(card) == dict.fromkeys(TRUE, PER_KIND)


def test_a_judge_that_obeys_orders_in_the_data_is_not_found_as_the_page_says() -> None:
    honest = FaultyJudge()
    grants = FaultyJudge(lambda kind, *_: kind not in TRUE)

    def obedient(request: Request) -> Answer:
        is_ordered = any(
            "supported" in line for line in block("context", text_of(request)).values()
        )
        return (grants if is_ordered else honest)(request)

    assert wrong(card_of(obedient)) == {}
    assert not grants.said


def test_the_card_says_what_was_paid() -> None:
    judge, usage = FaultyJudge(), {"prompt_tokens": 1000, "completion_tokens": 100}
    card = card_of(
        lambda request: good_reply(request, judge.text(request), usage=usage),
        per_kind=2,
        prices={"prompt": 1.0, "completion": 10.0},
    )
    asks = 3 * math.ceil(2 * 18 / 16)
    assert (card.usage.num_requests, card.usage.prompt) == (asks, 1000 * asks)
    assert card.cost == pytest.approx(asks * 0.002)


def test_a_judge_that_goes_by_the_place_changes_its_labels_in_reverse_order_alone() -> None:
    card = card_of(FaultyJudge(lambda kind, _, place: place < 4 and kind not in TRUE))
    assert card.again == Repeat(18 * PER_KIND, 0)
    assert card.reversed.changed > PER_KIND


def test_a_judge_that_throws_dice_changes_its_labels_in_the_same_words_too() -> None:
    dice = Random(1)
    card = card_of(FaultyJudge(lambda *_: dice.random() < 0.5))
    for repeat in (card.again, card.reversed):
        assert 0.35 < repeat.changed / repeat.compared < 0.65
    assert all(0 < kind.wrong < PER_KIND for kind in card.kinds.values())


def test_a_judge_that_reads_the_first_passage_only_is_too_strict() -> None:
    """It grants what is true and has most of its words in the first passage, and nothing else."""
    unread = {
        (kind, text)
        for one in make_probes(33, 1)
        for kind, text in one.statements
        if kind in TRUE and shared(text, one.context[0]) < shared(text, one.context[1])
    }
    card = card_of(FaultyJudge(lambda kind, text, _: (kind, text) in unread), per_kind=33)
    assert wrong(card) == dict(Counter(kind for kind, _ in unread))
    assert "paraphrase" in card.blind
    assert set(card.blind) < TRUE


def shared(text: str, passage: str) -> int:
    """How many words of a text stand in a passage."""
    return len(set(re.findall(r"\w{4,}", text)) & set(re.findall(r"\w{4,}", passage)))


@pytest.mark.parametrize("dress", ["```json\n{}\n```", "{}\n\n", "<think>Let me look.</think>\n{}"])
def test_a_verbose_judge_gets_the_card_of_what_it_says(dress: str) -> None:
    judge = FaultyJudge(lambda kind, *_: kind == "subject")
    card = card_of(lambda request: good_reply(request, dress.replace("{}", judge.text(request))))
    assert wrong(card) == {"subject": PER_KIND}


def test_a_slow_judge_is_waited_for() -> None:
    judge = FaultyJudge()

    def slowly(request: Request) -> Answer:
        time.sleep(0.02)
        return judge(request)

    card = card_of(slowly, per_kind=2)
    assert card.is_whole
    assert wrong(card) == {}


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (refusal_to(500, "it *broke*\n<b>"), "server"),
        (lambda request: good_reply(request, "I am a teapot."), "unreadable"),
        (completion(None, refusal="I can't help with that."), "refusal"),
    ],
)
def test_a_judge_without_verdicts_earns_nothing(answer: Any, kind: str) -> None:
    card = card_of(answer, per_kind=2)
    assert all(one == KindCard(0, 0, 2, 0) for one in card.kinds.values())
    assert not card.is_whole
    assert card.blind == []
    assert any(reason.startswith(kind) for reason in card.failures), card.failures
    assert "<b>" not in card.to_markdown()
    assert "*broke*" not in card.to_markdown()
    assert "Too few verdicts to find a blind spot: number, date, unit" in "\n".join(card.notes())


def test_what_has_no_verdict_is_neither_right_nor_wrong() -> None:
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
    assert card.kinds["number"] == KindCard(PER_KIND, 0, 0, PER_KIND)
    assert not card.is_whole


# ---------------------------------------------------------------- the command


def test_the_card_of_the_embedded_judge_needs_no_key_and_is_unflattering() -> None:
    done = run("probe", "--judge", "embedded", "--json")
    assert done.returncode == 0, done.stderr
    card = json.loads(done.stdout)
    assert card["kinds"]["name"]["wrong"] == card["kinds"]["name"]["asked"] == 33
    assert {"role", "modality", "paraphrase", "arithmetic"} <= set(card["blind"])
    assert card["kinds"]["verbatim"]["wrong"] == 0
    assert set(card["kinds"]["date"]) >= {"asked", "wrong", "low", "high", "blind"}


@pytest.mark.parametrize(
    ("given", "named"),
    [
        (["--per-kind", "0"], "per_kind"),
        (["--draw", "-1"], "draw"),
        (["-o", "split=claims"], "split"),
        (["-o", "nonsense=1"], "nonsense"),
        (["--judge", "nobody:x"], "nobody"),
        (["--json", "--markdown"], "--markdown"),
        (["--concurrency", "0"], "concurrency"),
    ],
)
def test_a_mistake_is_one_line_that_names_it(given: list[str], named: str) -> None:
    done = run("probe", *given)
    assert done.returncode == 2
    assert named.strip("-") in done.stderr.replace("-", "_") or named in done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr


def test_a_store_makes_the_second_card_free(tmp_path: Path) -> None:
    with Loopback(FaultyJudge()) as server:
        given = ["probe", "--judge", "openai:judge", "--json", "--per-kind", "2"]
        given += ["-o", f"base_url={server.url}", "-o", "api_key=sk-x", "-o", f"cache={tmp_path}"]
        first = run(*given)
        asked = len(server.requests)
        second = run(*given)
        assert len(server.requests) == asked > 0
    cards = [json.loads(done.stdout) for done in (first, second)]
    assert cards[0]["kinds"] == cards[1]["kinds"]
    assert cards[0]["usage"]["requests"] == asked
    assert "asks" in first.stderr


def test_a_store_does_not_answer_what_is_asked_again(tmp_path: Path) -> None:
    dice = Random(2)
    with Loopback(FaultyJudge(lambda *_: dice.random() < 0.5)) as server:
        given: dict[str, Any] = {"base_url": server.url, "api_key": "sk-x", "cache": tmp_path}
        first = probe("openai:judge", per_kind=4, draw=1, **given)
        asked = len(server.requests)
        second = probe("openai:judge", per_kind=4, draw=1, **given)
        assert len(server.requests) == asked
    assert first.again.changed > 0
    assert (second.again, second.kinds) == (first.again, first.kinds)


# ---------------------------------------------------------------- the numbers


def test_the_power_is_what_the_page_promises() -> None:
    def power(asked: int, share: float) -> float:
        found = (n for n in range(asked + 1) if KindCard(asked, n).is_blind)
        return sum(math.comb(asked, n) * share**n * (1 - share) ** (asked - n) for n in found)

    assert power(33, 0.5) > 0.985
    assert power(100, 0.3) > 0.985
    assert 18 * power(33, 0.1) < 0.05


@pytest.mark.parametrize(
    ("wrong", "asked", "low", "high"),
    [
        (0, 33, 0, 0.10576),
        (33, 33, 0.89424, 1),
        (5, 10, 0.18709, 0.81291),
        (0, 5000, 0, 0.000737),
        (2500, 5000, 0.48604, 0.51396),
    ],
)
def test_intervals_are_those_of_the_tables(wrong: int, asked: int, low: float, high: float) -> None:
    assert interval(wrong, asked) == pytest.approx((low, high), abs=1e-5)
