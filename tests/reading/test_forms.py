"""JSON in its dresses, limits and errors. Other forms: see ``test_recorded_replies.py``."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from reading_replies import labels_of

from faithfulness_assert import UnreadableReply
from faithfulness_assert.reading.lists_and_ratings import read_lists
from faithfulness_assert.reading.reconcile import read
from faithfulness_assert.reading.unwrapping import MAX_DEPTH, REPAIR_CHARS

YES, NO, AGAINST = "supported", "not_enough_info", "contradicted"
TEXTS = ("The tower is tall.", "It is blue.", "It has 3 floors.", "It stands in Rome.")
SAID = (YES, AGAINST, YES, NO)
WORDS = {YES: "yes", AGAINST: "contradicted", NO: "no"}

# Our form; ragas' with the statements repeated; deepeval's without numbers.
ENTRIES: dict[str, list[dict[str, Any]]] = {
    "ours": [{"id": n, "evidence": [n], "label": label} for n, label in enumerate(SAID, 1)],
    "ragas": [
        {"statement": text, "reason": "Sentence 1 says so.", "verdict": WORDS[label]}
        for text, label in zip(TEXTS, SAID, strict=True)
    ],
    "deepeval": [{"reason": "It is in sentence 2.", "verdict": WORDS[label]} for label in SAID],
}
DRESSES = {
    "plain": "@",
    "indented": "\n  @\n",
    "fenced": "```json\n@\n```",
    "fenced in prose": "Here are the verdicts:\n```\n@\n```\nLet me know if you need anything else.",
    "wrapped": '{"result": @}',
    "a list": '{"output": [@]}',
    "a tool call": '<tool_call>{"name": "submit_verdicts", "arguments": @}</tool_call>',
    "thought about": '<think>Is it {"id": 1, "label": "contradicted"}? No.</think>@',
    "after thinking": 'It is no {"id": 2, "label": "supported"}.</think>@',
    "in a channel": "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>@<|return|>",
    "with a byte order mark": "\ufeff@",
    "twice": "@\n@",
}  # fmt: skip
MENDED = {
    "trailing commas": lambda text: re.sub(r"([\]}])", r",\1", text),
    "single quotes": lambda text: repr(json.loads(text)),
    "comments": lambda text: text.replace("}, ", "}, // verdict\n"),
    "escaped underscores": lambda text: text.replace("_", "\\_"),
    "an unclosed list": lambda text: text[:-2],
    "in a string": json.dumps,
    "arguments in a string": lambda text: json.dumps({"name": "verdict", "arguments": text}),
    "a bare list": lambda text: json.dumps(json.loads(text)["verdicts"]),
    "one object on each line": lambda text: "\n".join(
        map(json.dumps, json.loads(text)["verdicts"])
    ),
    "other keys": lambda text: text.replace('"verdicts"', '"items"').replace('"label"', '"Verdict"'),
    "no indentation": lambda text: json.dumps(json.loads(text), separators=(",", ":")),
}  # fmt: skip


@pytest.mark.parametrize("form", ENTRIES)
def test_json_is_read_in_every_dress(form: str) -> None:
    plain = json.dumps({"verdicts": ENTRIES[form]})
    dressed = {name: dress.replace("@", plain) for name, dress in DRESSES.items()}
    dressed |= {name: mend(plain) for name, mend in MENDED.items()}
    if form != "ours":
        del dressed["twice"]  # eight verdicts without numbers for four statements
    read = {name: labels_of(text, TEXTS) for name, text in dressed.items()}
    assert {name: labels for name, labels in read.items() if labels != list(SAID)} == {}


@pytest.mark.parametrize("form", ENTRIES)
def test_a_truncated_reply_has_at_most_the_verdicts_of_its_whole_entries(form: str) -> None:
    text = json.dumps({"verdicts": ENTRIES[form]})
    for cut in range(len(text)):
        whole = text[:cut].count("}") if text[:cut].endswith("}") else 0
        whole = whole if form == "ours" or whole == 4 else 0  # without numbers: all or none
        assert labels_of(text[:cut], TEXTS) == [*SAID[:whole], *[None] * (4 - whole)]


def test_evidence_quotes_and_reasons_belong_to_their_row() -> None:
    entry = {"id": 2, "evidence": ["C3", "[4, 5]", 6, True, "the text"], "reason": "So."}
    (row,) = read(json.dumps([entry | {"quote": "its words", "label": "Yes, it is", "x": 7}])).rows
    assert (row.number, row.label, row.evidence) == (2, YES, (3, 4, 5, 6))
    assert (row.quote, row.reason, row.residue) == (
        "the text\nits words",
        "So.",
        ("x: 7", "label: it is"),
    )


# ---------------------------------------------------------------- limits and errors


def test_brackets_repairs_and_pieces_of_json_have_limits() -> None:
    nested = ["[" * depth + '{"id":1,"label":"no"}' + "]" * depth for depth in (5, MAX_DEPTH)]
    assert [labels_of(text, TEXTS[:1]) for text in nested] == [[None], [None]]
    assert labels_of('[[{"id":1,"label":"no"}]]', TEXTS[:1]) == [NO]
    start, end = "{'id':1,'label':'no','reason':'", "'}"
    longest = start + "x" * (REPAIR_CHARS - len(start + end)) + end
    assert read(longest).form == "json"
    with pytest.raises(UnreadableReply):
        read(longest.replace("x", "xx", 1))


STATEMENTS = dict(enumerate(TEXTS, 1))


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        ("", "the judge's reply is empty, or contains only its thinking"),
        ("<think>Verdict: yes", "the judge's reply is empty, or contains only its thinking"),
        ("Hello there", "the judge's reply contains no verdict"),
        ('{"verdicts": [', "the judge's reply is JSON without a verdict, or it is broken or cut off"),
        ("{'id':1,'label':'yes','x'}", "the judge's reply is JSON without a verdict, or it is broken or cut off"),
    ],
    ids=lambda value: value[:20],
)  # fmt: skip
def test_an_error_says_what_is_wrong_with_a_reply(reply: str, message: str) -> None:
    with pytest.raises(UnreadableReply) as caught:
        read(reply)
    assert (caught.value.message, caught.value.kind) == (message, "unreadable")


@pytest.mark.parametrize("reader", [read, read_lists])
def test_a_reply_that_is_not_a_string_is_a_type_error(reader: Any) -> None:
    for value in (None, 5, b"yes"):
        with pytest.raises(TypeError, match=f"must be a string, got {type(value).__name__}"):
            reader(value)
