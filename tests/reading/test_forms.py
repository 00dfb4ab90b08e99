"""JSON in its dresses, labels in theirs, limits and errors. Other forms: see ``test_recorded_replies.py``."""

import json
import re
from typing import Any

import pytest
from reading_replies import labels_of

from faithfulness_assert import UnreadableReply, policies
from faithfulness_assert.reading.lists_and_ratings import read_lists
from faithfulness_assert.reading.reconcile import read, settle
from faithfulness_assert.reading.rows import LABEL_WORDS, normalise, parse_label
from faithfulness_assert.reading.unwrapping import MAX_DEPTH, REPAIR_CHARS

YES, NO, PARTLY, AGAINST = "supported", "not_enough_info", "partially_supported", "contradicted"
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
def test_json_is_read_in_every_dress(form):
    plain = json.dumps({"verdicts": ENTRIES[form]})
    dressed = {name: dress.replace("@", plain) for name, dress in DRESSES.items()}
    dressed |= {name: mend(plain) for name, mend in MENDED.items()}
    if form != "ours":
        del dressed["twice"]  # eight verdicts without numbers for four statements
    read = {name: labels_of(text, TEXTS) for name, text in dressed.items()}
    assert {name: labels for name, labels in read.items() if labels != list(SAID)} == {}


@pytest.mark.parametrize("form", ENTRIES)
def test_a_truncated_reply_has_at_most_the_verdicts_of_its_whole_entries(form):
    text = json.dumps({"verdicts": ENTRIES[form]})
    for cut in range(len(text)):
        whole = text[:cut].count("}") if text[:cut].endswith("}") else 0
        whole = whole if form == "ours" or whole == 4 else 0  # without numbers: all or none
        assert labels_of(text[:cut], TEXTS) == [*SAID[:whole], *[None] * (4 - whole)]


def test_evidence_quotes_and_reasons_belong_to_their_row():
    entry = {"id": 2, "evidence": ["C3", "[4, 5]", 6, True, "the text"], "reason": "So."}
    (row,) = read(json.dumps([entry | {"quote": "its words", "label": "Yes, it is", "x": 7}])).rows
    assert (row.number, row.label, row.evidence) == (2, YES, (3, 4, 5, 6))
    assert (row.quote, row.reason, row.residue) == (
        "the text\nits words",
        "So.",
        ("x: 7", "label: it is"),
    )


# ---------------------------------------------------------------- limits and errors


def test_brackets_repairs_and_pieces_of_json_have_limits():
    nested = ["[" * depth + '{"id":1,"label":"no"}' + "]" * depth for depth in (5, MAX_DEPTH)]
    assert [labels_of(text, TEXTS[:1]) for text in nested] == [[None], [None]]
    assert labels_of('[[{"id":1,"label":"no"}]]', TEXTS[:1]) == [NO]
    start, end = "{'id':1,'label':'no','reason':'", "'}"
    longest = start + "x" * (REPAIR_CHARS - len(start + end)) + end
    assert read(longest).form == "json"
    with pytest.raises(UnreadableReply):
        read(longest.replace("x", "xx", 1))


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
def test_an_error_says_what_is_wrong_with_a_reply(reply, message):
    with pytest.raises(UnreadableReply) as caught:
        read(reply)
    shown = f". It begins with “{reply}”" if reply and "empty" not in message else ""
    assert (caught.value.message, caught.value.kind) == (f"{message}{shown}", "unreadable")


@pytest.mark.parametrize("reader", [read, read_lists])
def test_a_reply_that_is_not_a_string_is_a_type_error(reader):
    for value in (None, 5, b"yes"):
        with pytest.raises(TypeError, match=f"must be a string, got {type(value).__name__}"):
            reader(value)


# ---------------------------------------------------------------- labels


def label_of(value: object) -> str | None:
    """The label that an entry with this value has in the end."""
    return labels_of(json.dumps([{"id": 1, "label": value}]), TEXTS[:1])[0]


@pytest.mark.parametrize(
    ("label", "values"),
    [
        (YES, [True, 1, 1.0, "1", "yes", "Yes.", "**YES**", "`true`", "FULLY SUPPORTED"]),
        (YES, ["fully-supported", "“yes”", "Entailment", "faithful", "ＳＵＰＰＯＲＴＥＤ", "✅", "✔️", "(Yes)"]),
        (YES, ["Yes, it does", "Supported by sentence 3", "The statement is clearly supported."]),
        (NO, [False, 0, 0.0, "0", "no", "NO!", "Not supported.", "NotEnoughInfo", "not-enough-info"]),
        (NO, ["not\\_enough\\_info", "idk", "borderline", "i don’t know", "❌", "👎", "No, the context never says yes"]),
        (PARTLY, ["partially_supported", "Partial", "PARTIALLY SUPPORTED"]),
        (PARTLY, ["Partially supported: the tower is there, but it isn't tall"]),
        (AGAINST, ["contradicted", "Contradictory", "REFUTES", "contradiction.", "Contradicted - it is low"]),
        ("not_a_claim", ["not_a_claim", "Not a claim."]),
    ],
)  # fmt: skip
def test_the_words_of_all_judges_are_labels_in_any_case_and_dress(label, values):
    assert [(value, label_of(value)) for value in values] == [(value, label) for value in values]


@pytest.mark.parametrize(
    "value",
    [
        *(None, 2, -1, 0.5, float("nan"), float("inf"), [], {}),
        *("", " ", ".", "y", "n", "maybe", "not sure", "yes no", "yes/no", "nope", "yes?", "-1", "1%"),
        *("!supported", "~~yes~~", "-supported", "¬supported", "un supported", "supported-ish", "true-ish"),
        *("уеs", "ѕupported", "y\u200bes", "oui", "да", "是", "Supported housing", "Yes man"),
    ],
    ids=repr,
)  # fmt: skip
def test_an_unknown_hedged_disguised_or_foreign_word_is_no_label(value):
    assert label_of(value) is None


@pytest.mark.parametrize(
    "rest",
    [
        *(", but not the date", ", no", ", contradicted", " (not really)", ", unsupported"),
        *(" - however, it is partly so", ", as 3 of 4 say so", ": it is 20%", ", it is ❌"),
        *(", aber klein", "|contradicted", ", " + "it is so " * 3000),
    ],
    ids=lambda rest: rest[:20],
)  # fmt: skip
def test_what_follows_a_label_that_earns_something_must_be_quiet(rest):
    assert label_of(f"Supported{rest}") is None
    assert label_of(f"Contradicted{rest}") == AGAINST


@pytest.mark.parametrize("reply", ["Supported: isn't", "Supported: 0", "Contradicted: Yes"])
def test_a_label_before_a_colon_is_a_field_whose_answer_must_agree(reply):
    assert label_of(reply) is None


def test_each_word_is_listed_once_and_in_the_form_that_it_is_looked_up_in():
    words = [word for listed in LABEL_WORDS.values() for word in listed.split()]
    assert len(words) == len(set(words))
    assert [word for word in words if normalise(word) != word] == []
    assert {word: parse_label(f" **{word.upper()}.** ") for word in words} == {
        word: NO if label == "no" else label
        for label, listed in LABEL_WORDS.items()
        for word in listed.split()
    }


def test_a_policys_own_words_are_labels_in_every_form_and_override_ours():
    own = {"no": AGAINST, "ok": YES, "belegt": YES, "false": AGAINST, "0": AGAINST}
    said = (False, 0, "No.", "**OK**", "Belegt", "yes")
    assert [parse_label(value, own) for value in said] == [*[AGAINST] * 3, *[YES] * 3]
    for reply in (
        '["no", "ok"]',
        '{"1": "no", "2": "ok"}',
        '{"verdicts":[{"id":1,"label":"no"},{"id":2,"label":"OK"}]}',
        "{'verdicts':[{'id':1,'label':'no'},{'id':2,'label':'ok',}]}",
        '{"output":"[{\\"id\\":1,\\"label\\":\\"no\\"},{\\"id\\":2,\\"label\\":\\"ok\\"}]"}',
        "1. No.\n2. Ok.",
        "Verdict: no\nVerdict: ok",
        "1. It is so. Verdict: no\n2. It is so. Verdict: ok",
        "Final verdict for each statement in order: No. Ok.",
    ):
        assert [row.label for row in read(reply, own).rows] == [AGAINST, YES], reply
    assert [row.label for row in read("Ok, it does", own, single=True).rows] == [YES]


@pytest.mark.parametrize("policy", policies.values(), ids=policies.keys())
def test_the_label_names_mean_themselves_under_every_policy(policy):
    for label in policy.judged:
        reading = read(json.dumps([{"id": 1, "label": label}]), policy.labels)
        assert settle(reading, {1: TEXTS[0]}).findings[1].label == label
