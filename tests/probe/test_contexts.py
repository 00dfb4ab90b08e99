"""Statements that rules make of a user's own contexts: beyond doubt, or not at all."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest
from command import run

from faithfulness_assert import ConfigError
from faithfulness_assert.probe import probe
from faithfulness_assert.probe.contexts import own_probes
from faithfulness_assert.probe.rules import altered

SENTENCES = {
    "date": "The bridge of Arlen was opened by the mayor on 14 March 1850.",
    "number": "The old bridge of Arlen rests on 16 pillars made of stone.",
    "unit": "The market square of Arlen lies 411 metres from the old bridge.",
    "negation": "The old bridge of Arlen is covered with grey slate.",
    "comparison": "The tower of the castle is the highest building of Arlen.",
}
CONTEXT = " ".join(SENTENCES.values())


@pytest.mark.parametrize("kind", SENTENCES)
def test_a_rule_changes_one_word_of_a_plain_sentence(kind: str) -> None:
    old = SENTENCES[kind].split()
    for seed in range(5):
        new = altered(kind, SENTENCES[kind], CONTEXT, Random(seed))
        assert new is not None
        assert new != SENTENCES[kind]
        assert new not in CONTEXT
        assert len(set(new.split()) - set(old)) == 1


@pytest.mark.parametrize(
    ("kind", "sentence", "beside"),
    [
        ("number", "The bridge of Arlen has at least 14 pillars made of stone.", ""),
        ("number", "The bridge of Arlen was built 14 years ago by the mayor.", ""),
        ("number", SENTENCES["number"], "Pillars that were counted with the others: 16."),
        ("date", "The bridge of Arlen was built between the wars, in 1921.", ""),
        ("date", "The bridge of Arlen was opened in 1921 and closed in 1950.", ""),
        ("unit", SENTENCES["unit"], "It is 3 kilometres to the harbour."),
        ("unit", "The ship that came to Arlen was there for 17 years.", ""),
        ("negation", "It is covered with grey slate on the side of Arlen.", ""),
        ("negation", "The old bridge of Arlen is barely covered with grey slate.", ""),
        ("negation", SENTENCES["negation"], "Slate of a grey kind has covered it."),
        ("comparison", "The tower is the second highest building of the town of Arlen.", ""),
        ("comparison", SENTENCES["comparison"], "The lowest building is the mill."),
        ("date", "Das Museum der Stadt wurde am 14. März 1921 von ihm gebaut.", ""),
    ],
)
def test_what_is_in_doubt_is_left_out(kind: str, sentence: str, beside: str) -> None:
    context = f"{sentence} {beside}"
    assert all(altered(kind, sentence, context, Random(seed)) is None for seed in range(5))


def test_a_number_is_raised_to_one_that_the_context_does_not_say_in_words_either() -> None:
    words = "Seventeen, eighteen, nineteen, twenty, twenty-one and thirty others."
    for seed in range(20):
        new = altered("number", SENTENCES["number"], f"{SENTENCES['number']} {words}", Random(seed))
        assert new is None or not any(number in new for number in ("17", "18", "19", "20"))


def test_own_contexts_are_a_block_of_the_card(tmp_path: Path) -> None:
    data = tmp_path / "cases.jsonl"
    rows = [{"answer": "x", "context": [CONTEXT, f"Row {n} is another one."]} for n in range(3)]
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = run("probe", "--judge", "embedded", "--json", "--per-kind", "2", "--contexts", str(data))
    assert done.returncode == 0, done.stderr
    card = json.loads(done.stdout)
    assert {name: kind["asked"] for name, kind in card["contexts"].items()} == {
        **dict.fromkeys(SENTENCES, 2),
        "verbatim": 2,
    }
    assert card["contexts"]["verbatim"]["wrong"] == 0
    assert card["contexts"]["number"]["scenes"] == 2
    assert set(card["kinds"]) > {"number", "several"}


def test_kinds_that_contexts_do_not_give_are_named_on_the_card() -> None:
    card = probe("embedded", per_kind=2, contexts=[{"context": SENTENCES["date"], "answer": "x"}])
    note = "Your own contexts have no sentence for: number, unit, negation, comparison"
    assert any(line.startswith(note) for line in card.notes())


@pytest.mark.parametrize(
    ("text", "named"),
    [("", "contains no cases"), ('{"answer": "x", "context": ["Nothing here."]}\n', "no rule")],
)
def test_a_file_without_usable_contexts_is_an_error(tmp_path: Path, text: str, named: str) -> None:
    data = tmp_path / "cases.jsonl"
    data.write_text(text)
    with pytest.raises(ConfigError, match=named):
        own_probes(str(data), 2, 1)


def test_a_run_stands_for_its_data_set_as_long_as_that_is_the_same(tmp_path: Path) -> None:
    data, graded = tmp_path / "cases.jsonl", tmp_path / "june"
    data.write_text(json.dumps({"answer": "Yes it is.", "context": [CONTEXT]}) + "\n")
    assert run("batch", str(data), "--run", str(graded), "--judge", "embedded").returncode in (0, 1)
    assert own_probes(str(graded), 1, 1).probes == own_probes(str(data), 1, 1).probes
    data.write_text(json.dumps({"answer": "Yes it is.", "context": [CONTEXT + " No."]}) + "\n")
    with pytest.raises(ConfigError, match="has changed since the run"):
        own_probes(str(graded), 1, 1)
    with pytest.raises(ConfigError, match="no run is in this folder"):
        own_probes(str(tmp_path), 1, 1)
