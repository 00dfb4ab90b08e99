"""A reply that denies in its words or numbers credits nothing, and no fact hides in a lead-in, an advice or a decline."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from fakes import ScriptedJudge

from faithfulness_assert import Reply, grade

FIRST, SECOND = "The tower was opened by the mayor.", "The bridge was painted green."
Says = Callable[[list[int], str], str]


def verdicts(ids: list[int], key: str, *more: dict[str, Any], label: str = "supported") -> str:
    rows = [{"id": n, "evidence": [1], "label": label} for n in ids]
    for row, fields in zip(rows, more, strict=False):
        row |= fields
    return json.dumps({"ask": key, "verdicts": rows})


def listed(ids: list[int], _: str = "") -> str:
    return json.dumps([{"id": n, "label": "supported"} for n in ids])


DENIALS: dict[str, Says] = {
    "a score of what is made up": lambda i, k: verdicts(i, k, {"hallucination_score": 0.9}),
    "a probability of a contradiction": lambda i, k: verdicts(
        i, k, {"contradiction_probability": 1}
    ),
    "a reason that speaks of both": lambda i, k: verdicts(
        i, k, {}, {"label": "contradicted", "reason": "Both statements are contradicted."}
    ),
    "a reason that says none": lambda i, k: verdicts(
        i, k, {}, {"label": "not_enough_info", "reason": "None of these statements is there."}
    ),
    "the thinking behind the end": lambda i, k: (
        f"<|channel|>final<|message|>{verdicts(i, k, label='contradicted')}"
        f"<|channel|>analysis<|message|>{verdicts(i, k)}"
    ),
    "a final list before thinking ends": lambda i, k: (
        f"Final verdict for each statement in order: No. No.\n</think>\n{listed(i)}"
    ),
    "what stands between thinking and verdicts": lambda i, k: (
        f"Let me see.\n</think>\nBoth are wrong.\n{verdicts(i, k)}"
    ),
    "the answer before a channel of thinking": lambda i, k: (
        f"Both are wrong.\n<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant"
        f"<|channel|>final<|message|>{verdicts(i, k)}"
    ),
    "a line of a label behind the verdicts": lambda i, k: (
        f"{i[0]}. Contradicted\n{i[1]}. Supported\n\nContradicted"
    ),
    "a sign in the statement that a line repeats": lambda i, k: (
        f"{i[0]}. ❌ {FIRST}: supported\n{i[1]}. {SECOND} ❌: supported"
    ),
    "two labels in a line": lambda i, k: (
        f"{i[0]}. {FIRST} Label: supported. Verdict: contradicted\n{i[1]}. Supported: no"
    ),
    "a rating of what is not there": lambda i, k: verdicts(
        i, k, {"not_supported_score": 0.9}, {"uncertainty": 0.9}
    ),
    "the other statement is denied": lambda i, k: verdicts(
        i[::-1], k, {}, {"statement": SECOND, "label": "contradicted"}
    ),
}


@pytest.mark.parametrize("says", DENIALS.values(), ids=DENIALS)
def test_a_statement_that_its_reply_denies_is_not_credited(says):
    judge = ScriptedJudge([lambda ask: Reply(says(list(ask.ids), ask.echo)), ""])
    result = grade(f"{FIRST} {SECOND}", "It is old.", judge=judge, controls="off")
    assert not result.pass_
    assert result.counts.get("supported", 0) < 2


@pytest.mark.parametrize(
    "reason",
    [
        *("It is made up.", "mistaken", "baseless", "It is at odds with the context.", "inexact"),
        *("The context says red rather than green.", "The colour was changed.", "C'est faux."),
        *("Das ist erfunden.", "Der Preis weicht ab.", "rot statt blau", "falso", "inesatto"),
    ],
)
def test_a_reason_in_plain_words_of_denial_is_heard(reason):
    reply = json.dumps([{"id": 1, "evidence": [1], "reason": reason, "label": "supported"}])
    judge = ScriptedJudge([reply, ""])
    assert grade(FIRST, "It is old.", judge=judge, controls="off", reasons="all").score != 1.0


def test_json_that_a_broken_reply_quotes_is_no_verdict():
    judge = ScriptedJudge(["{'label':'idk','reason':'it quotes {\"label\":\"supported\"}'}"])
    assert not grade(FIRST, "It is old.", judge=judge, controls="off").defined


@pytest.mark.parametrize(
    "fact",
    [
        "Keep in mind this is safe for children.",
        "Please take two tablets a day.",
        "Remember this is poison for pregnant women.",
        "You can see that this is the responsibility of the landlord.",
        "I can confirm the drug cures cancer.",
        "I am happy to say that it is legal.",
        "You are welcome to bring dogs.",
        "Thanks to the vaccine, infections fell.",
        "Ask the nurse for water before surgery.",
        "Gracias a la vacuna bajaron los contagios.",
        "您需要签证。",
        "Send me 50 euros.",
    ],
)
def test_a_fact_that_the_reader_is_told_to_keep_in_mind_is_a_claim(fact):
    assert grade(fact, "It is old.").status == "graded"


@pytest.mark.parametrize(
    "fact",
    [
        "The contract has no data clause.",
        "Details of his bribery are not in the document.",
        "Keine Auskunft ohne Ausweis.",
        "资料没有泄露。",
        "The document states that dogs are not allowed.",
        "Laut Dokument sind Hunde nicht erlaubt.",
        "El documento dice que no se permite.",
        "The cause could not be determined by the investigators.",
        "We do not sell tickets.",
        "No documents are required for entry.",
    ],
)
def test_what_is_said_of_data_and_details_does_not_decline(fact):
    assert grade(fact, "It is old.").status == "graded"


def test_a_claim_above_a_table_is_judged():
    table = "| Day | Opening |\n|---|---|\n| Monday | nine |"
    result = grade(
        f"The mayor was convicted of fraud in Lisbon:\n\n{table}", "It opens Monday at nine."
    )
    assert any("mayor" in verdict.statement for verdict in result.verdicts)
