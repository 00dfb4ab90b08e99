"""The gate: a label that earns something counts only if nothing in its reply may deny it."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from reading_replies import GOOD, PLACES, SHOP, is_inflated, is_read, labels_of
from rows import FIXTURES, rows

from faithfulness_assert.reading.gate import MOST_CHARS, denies
from faithfulness_assert.reading.reconcile import read, settle

from .reply_rows import CREDITED

UNKNOWN = ("",) * 3
DOGS = "Dogs are welcome inside."
REMARKS = rows("remarks")
"""Our own; those of the shared corpora may lie beside the checkout."""


def credited(reply: str, number: int = 2, texts: Sequence[str] = SHOP) -> bool:
    """Whether a statement earns something by a reply."""
    return labels_of(reply, texts)[number - 1] in CREDITED


def reasoned(reason: str, statement: str, label: str = "supported") -> bool:
    """Whether a statement earns something by an entry with this reason."""
    return credited(json.dumps([{"id": 1, "reason": reason, "label": label}]), 1, [statement])


# ---------------------------------------------------------------- remarks that nobody tuned it to


@pytest.fixture(params=["fixtures", "shared"])
def folder(request: pytest.FixtureRequest) -> Path:
    """The folder with remarks and replies: ours, and the shared corpora."""
    own = request.param == "fixtures"
    return FIXTURES if own else request.getfixturevalue("shared") / "corpora"


def remarks_of(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "remarks.json").read_text("utf-8"))


@pytest.mark.parametrize("place", PLACES)
def test_a_remark_that_denies_a_statement_in_words_takes_its_credit(place, folder):
    """A sentence in a key of the entry is a reason, for which there are fewer words."""
    remarks = remarks_of(folder)["remarks_denying_2"]
    for texts in (SHOP, UNKNOWN):
        credited_ones = [r for r in remarks if credited(PLACES[place](r), 2, texts)]
        share = 0.4 if place == "in its entry" else 0.05
        assert len(credited_ones) <= share * len(remarks), credited_ones
    assert len(remarks) >= 25


@pytest.mark.parametrize("statement", [*SHOP, ""])
def test_a_reason_that_denies_in_words_takes_the_credit_of_its_entry(statement, folder):
    reasons = remarks_of(folder)["reasons_denying"]
    assert [reason for reason in reasons if reasoned(reason, statement)] == []
    assert len(reasons) >= 13


def test_most_remarks_and_reasons_that_agree_cost_nothing(folder):
    """Else every judge that says a word more than it must would be asked twice."""
    data = remarks_of(folder)
    silent = [r for r in data["remarks_harmless"] if all(labels_of(PLACES["after"](r), SHOP))]
    assert len(silent) >= 0.7 * len(data["remarks_harmless"])
    for name, label, share in (
        ("reasons_of_negative_statements", "supported", 0.75),
        ("reasons_harmless", "supported", 0.85),
        ("reasons_partial", "partially_supported", 0.7),
    ):
        agreeing = [row for row in data.get(name, []) if isinstance(row, dict)]
        quiet = [r for r in agreeing if reasoned(r["reason"], r["statement"], label)]
        assert len(quiet) >= share * len(agreeing), name


def real_reasons(shared: Path) -> Iterator[dict[str, Any]]:
    """The reasons in English that real judges wrote, which must lie beside the checkout."""
    for row in rows(shared / "corpora" / "real" / "reasons.jsonl"):
        said = row["statement"] + row["reason"]
        if row["statement"] and len(said) < 1700 and sum(c > "\x7f" for c in said) < len(said) / 20:
            yield row


def test_real_judges_are_believed_and_their_denials_heard(shared):
    """Of what agrees at most 6 % is asked again, of what denies in words at least 95 % is heard."""
    agreeing, denying = [], []
    for row in real_reasons(shared):
        denied = denies(row["reason"], row["statement"])
        if row["kind"] == "harmless":
            (agreeing if row["label"] == "supported" else denying).append(denied)
        elif row["sub"] in ("explicit", "partial"):
            denying.append(denied)
    assert sum(agreeing) <= 0.06 * len(agreeing)
    assert sum(denying) >= 0.95 * len(denying)
    assert len(agreeing) > 800
    assert len(denying) > 500


# A reply that takes its verdict back in its thinking: that is never read.
IN_ITS_THINKING = {"held-t-023"}


@pytest.mark.parametrize("known", [True, False], ids=["texts known", "texts unknown"])
def test_a_realistic_reply_earns_what_a_careful_human_grants_or_is_asked_again(known, folder):
    replies = rows(folder / "realistic_replies.jsonl")
    inflated, misread, at_once = set(), set(), 0
    for row in replies:
        texts = (*row.get("statements", SHOP), *UNKNOWN * 3) if known else UNKNOWN * 3
        labels = labels_of(row["raw"], texts[: row["n_statements"]])
        pairs = list(zip(labels, row["expect"], strict=True))
        if not row.get("wordless"):
            inflated |= {row["id"] for label, human in pairs if is_inflated(label, human)}
        if "-c-" in row["id"]:  # a clear one
            misread |= {row["id"] for label, human in pairs if label and not is_read(label, human)}
            at_once += all(is_read(label, human) for label, human in pairs)
    assert inflated <= IN_ITS_THINKING
    assert misread == set()
    assert at_once >= 0.85 * sum("-c-" in row["id"] for row in replies)


# ---------------------------------------------------------------- wherever it stands

DENIALS = """
Not supported.
false
However, sentence 2 says something else.
Only partly.
This is contradicted by sentence 2.
The context says nothing about it.
Wait, no.
Nicht im Kontext.
It is a guess.
I cannot help with that.
The price isn't 14 euros.
unsupported: 1
""".strip().split("\n")
SIGNS = ("❌", "✗", "👎", "≠", "??", "☒", "🟥", "不符", "N/A")
ENTRY = '{"id": 2, "evidence": [2], "label": "supported"}'
FINAL = "Final verdict for each statement in order: Yes. Yes. Yes."
# "@" is what is said, "$" the same as a string of JSON.
IN_THE_ENTRY = (
    ENTRY[:-1] + ", $: true}",
    ENTRY[:-1] + ', "verdict": $}',
    ENTRY[:-1] + ', "reason": $}',
    ENTRY[:-1] + ', "reason": "It is so.", "rationale": $}',
    ENTRY[:-1] + ', "statement": $}',
    ENTRY[:-2] + ', @"}',
    f"/* @ */ {ENTRY}",
    f"// @\n{ENTRY}",
)
AS_A_LABEL = (
    "1. supported\n2. supported @\n3. supported",
    "1. supported\n2. supported\n   @\n3. supported",
)
PLACED = (
    *(GOOD.replace(ENTRY, entry) for entry in IN_THE_ENTRY),
    GOOD[:-1] + ', "review": {"final": [$]}}',
    GOOD[:-1] + ", $: true}",
    GOOD + '{"note": $}',
    json.dumps({"name": "submit", "arguments": GOOD})[:-1] + ', "note": $}',
    *(place("@") for place in PLACES.values()),
    "1. supported\n2. supported – @\n3. supported",
    "1. supported\n2. supported, @\n3. supported",
    *AS_A_LABEL,
    "1. supported\n2. supported\n- @\n3. supported",
    "1. supported\n2. supported\n@\n3. supported",
    "1. supported\n2. supported\n2. @\n3. supported",
    "@\n1. supported\n2. supported\n3. supported",
    "1. supported\n2. supported\n3. supported\n\n@",
    "| 1 | yes | |\n| 2 | yes | @ |\n| 3 | yes | |",
    "1. supported\n2. @ -> supported\n3. supported",
    "1. yes\n2. Explanation: @ Verdict: yes\n3. yes",
    "1. yes\n2. Verdict: yes. @\n3. yes",
    "supported\nsupported\n@\nsupported",
    f"@\n{FINAL}",
    f"{FINAL} @",
    f"{FINAL}\n\n@",
)


def filled(place: str, said: str) -> str:
    """A reply with something said in its place. Known texts hold no quotation marks."""
    return place.replace("$", json.dumps(said)).replace("@", said)


@pytest.mark.parametrize("place", PLACED, ids=lambda place: place[-40:])
def test_a_denial_takes_the_credit_wherever_it_stands(place):
    assert [said for said in (*DENIALS, *SIGNS) if credited(filled(place, said))] == []


@pytest.mark.parametrize("said", REMARKS["denying_in_any_language"])
def test_a_denial_in_this_or_another_language_is_heard(said):
    assert not reasoned(said, DOGS)
    assert not any(credited(PLACES[place](said)) for place in PLACES)


def test_what_denies_nothing_costs_no_credit_but_in_place_of_a_label():
    costly = {place for place in PLACED if not credited(filled(place, "See sentence 2."))}
    in_entries = {GOOD.replace(ENTRY, IN_THE_ENTRY[index]) for index in (1, 4)}
    assert costly == {*in_entries, AS_A_LABEL[0], f"{FINAL} @"}
    quiet = (GOOD, FINAL, "1. yes\n2. yes\n3. yes", "yes\nyes\nyes", f"{GOOD}\nI hope this helps!")
    assert all(map(credited, quiet))


def test_words_of_a_statement_neither_hide_a_denial_nor_make_one():
    """Its negations, numbers, names and what repeats it; in any language."""
    denying, agreeing = (
        [row["reason"] for row in REMARKS[name] if reasoned(**row)]
        for name in ("reasons_denying_their_statement", "reasons_agreeing_with_their_statement")
    )
    assert denying == []
    assert agreeing == [row["reason"] for row in REMARKS["reasons_agreeing_with_their_statement"]]


def test_only_labels_that_earn_something_pass_the_gate():
    reply = json.dumps([{"id": 1, "label": "no", "reason": "It is false."}])
    said = [
        settle(read(reply), {1: DOGS}, credited=credited).findings[1].label
        for credited in ({"supported"}, {"supported", "not_enough_info"})
    ]
    assert said == ["not_enough_info", None]


def test_a_remark_of_great_length_is_never_quiet():
    remark = "It is stated. " * MOST_CHARS
    assert credited(PLACES["after"](remark[:1000]))
    assert not any(credited(PLACES[place](remark)) for place in PLACES)


# ---------------------------------------------------------------- partial support


@pytest.mark.parametrize(
    ("reason", "earns"),
    [
        ("The need for a guide is not in the context.", True),
        ("Only the price is backed.", True),
        ("Dogs are welcome, but no fee is mentioned.", True),
        ("Not supported.", False),
        ("The context does not mention this.", False),
        ("The context does not say that dogs need a guide and pay a fee.", False),
        ("The context contradicts the fee.", False),
        ("Nothing of it is stated.", False),
        ("Dogs are mentioned, but this is false.", False),
    ],
)
def test_the_reason_of_a_partial_label_may_deny_a_part(reason, earns):
    statement = "Dogs need a guide and pay a fee."
    assert reasoned(reason, statement, "partially_supported") is earns
    assert not reasoned(reason, statement)
