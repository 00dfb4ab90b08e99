"""The rules of reading JSON: where thinking ends, what wraps a verdict, what denies it, what numbers it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from faithfulness_assert.reading import RawVerdict, read, read_claims
from faithfulness_assert.reading.json_fixes import REPAIR_CHARS
from faithfulness_assert.reading.json_values import MAX_DEPTH, loads, unwrap
from faithfulness_assert.reading.statement_ids import read_id
from faithfulness_assert.reading.thinking import without_thinking
from faithfulness_assert.records.errors import UnreadableReply

YES, NO, PARTLY, AGAINST = "supported", "not_enough_info", "partially_supported", "contradicted"
NO_JSON_VERDICT = "the judge's reply is JSON without a verdict, or it is broken or cut off"


def pairs(text: str, own: Any = None) -> list[tuple[int | None, str | None]]:
    return [(entry.id, entry.label) for entry in read(text, own).verdicts]


def declined(reader: Any, text: str) -> str:
    with pytest.raises(UnreadableReply) as caught:
        reader(text)
    return caught.value.message


# ---------------------------------------------------------------- thinking

ANALYSIS = "<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>"


@pytest.mark.parametrize(
    "before",
    ["", '" ', '{"a":"x"} ', r"\[ ", "] ", "[]] ", "[[]] ", '["]"] ', r'["\"]"] ', '["["] '],
)
def test_the_last_final_channel_counts_if_no_bracket_is_open_before_it(before: str) -> None:
    assert without_thinking(f"{before}{ANALYSIS}yes<|return|>more") == "yes"


@pytest.mark.parametrize(
    "before",
    [
        "[ ",
        r"[ \] ",
        "[[ ",
        "[[] ",
        "]] [ ",
        '"[ ',
        '["a" ',
        '["[" ',
        r'["\"" ',
        r'["a\" ',
        '["]" ',
        '{"a": {} ',
    ],
)
def test_a_channel_inside_a_value_is_plain_text(before: str) -> None:
    assert without_thinking(f"{before}{ANALYSIS}yes") == f"{before}{ANALYSIS}yes"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (f"{ANALYSIS}a<|end|><|channel|>final<|message|>b<|call|>c", "b"),
        (f'{ANALYSIS}{{"a":1<|channel|>final<|message|>b', ""),
        ("<|channel|>analysis<|message|>hm", ""),
        ("<|channel|> final to=user<|message|>b<|start|>", "b"),
    ],
)
def test_a_reply_in_channels_is_its_last_final_channel(text: str, left: str) -> None:
    assert without_thinking(text) == left


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a<think>b</think>c", "ac"),
        ("a<think>b</think>c<think>d</think>e", "ace"),
        ("<think>a<think>b</think>c", "c"),
        ("<think>a<think>b</think>c</think>d", "d"),
        ("a</think>b", "b"),
        ("a<think>b", "a"),
        ("a<think>b</think>c<think>d", "ac"),
        ("a</think>b<think>c</think>d", "bd"),
        ("<think>[</think>c", "c"),
        ('a" <think>b</think>c', 'a" c'),
        ("a]<think>b</think>c", "a]c"),
        (r"\[<think>b</think>c", r"\[c"),
        ('<think>"</think>["<think>"]', '["<think>"]'),
        ("[think]a[/think]b", "b"),
        ("◁think▷a◁/think▷b", "b"),
        ("<Scratch_Pad>a</scratchpad>b", "b"),
        ("[analysis] b", "[analysis] b"),
        ("<thinker>b", "<thinker>b"),
    ],
)
def test_thinking_is_removed_with_its_tags(text: str, left: str) -> None:
    assert without_thinking(text) == left


@pytest.mark.parametrize(
    "text",
    [
        '{"a":"<think>x"}',
        '["a]<think>b</think>"]',
        '["]","<think>"]',
        r'["\"]<think>"]',
        '"[<think>b</think>c',
        "[[]<think>",
        '[""<think>',
    ],
)
def test_a_tag_inside_a_value_is_not_thinking(text: str) -> None:
    assert without_thinking(text) == text


# ---------------------------------------------------------------- JSON values in text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("[1, -2, 0.5]", [1, -2, 0.5]),
        ("[1e400, -1e400, NaN, Infinity, -Infinity]", [None] * 5),
        (f"[{'9' * 20}, {'9' * 21}]", [int("9" * 20), None]),
        (
            '{"Is_Supported": 1, "is-entailed": 2, "Größe": 3}',
            {"issupported": 1, "isentailed": 2, "grösse": 3},
        ),
        ('{"a": 1, "A": 1}', {"a": 1}),
        ('{"a": [1], "a": {"b": 2}}', {"a": [[1], {"b": 2}]}),
        ('["a\nb"]', ["a\nb"]),
        ("nothing", None),
        ("[" * 100_000, None),
    ],
)
def test_a_value_has_reduced_keys_and_no_number_out_of_range(text: str, value: object) -> None:
    assert loads(text) == value


@pytest.mark.parametrize("text", ['{"a": 1, "a": 2}', '{"a": 1, "a": [1]}', '{"a": {}, "a": "x"}'])
def test_of_two_values_of_one_key_neither_counts(text: str) -> None:
    assert type(loads(text)["a"]).__name__ == "Conflict"


def test_a_long_key_is_reduced_like_a_short_one() -> None:
    assert loads(json.dumps({"A_" * 40: 1, "B_": 2})) == {"a" * 40: 1, "b": 2}


def test_a_reply_is_unwrapped_from_three_json_strings_and_no_more() -> None:
    text = "yes"
    for wraps in range(5):
        assert (unwrap(f"\ufeff {text}\u200b\n") == "yes") == (wraps <= 3)
        text = json.dumps(text)
    assert [unwrap(text) for text in ('"yes', 'yes"', '"a" "b"', '" yes "')] == [
        '"yes',
        'yes"',
        '"a" "b"',
        "yes",
    ]


def nested(depth: int) -> str:
    return "[" * (depth - 1) + '{"id":1,"label":"no"}' + "]" * (depth - 1)


def test_brackets_are_followed_to_a_depth_of_32() -> None:
    assert pairs(nested(MAX_DEPTH)) == [(1, NO)]
    assert declined(read, nested(MAX_DEPTH + 1)) == NO_JSON_VERDICT


def test_nearly_valid_json_is_repaired_up_to_4000_characters() -> None:
    start, end = "{'id':1,'label':'no','reason':'", "'}"
    longest = start + "x" * (REPAIR_CHARS - len(start + end)) + end
    assert pairs(longest) == [(1, NO)]
    assert declined(read, longest.replace("x", "xx", 1)) == NO_JSON_VERDICT


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{'id':1,'label':None}", [(1, None)]),
        ("{'id':1,'label':'yes','reason':None}", [(1, YES)]),
        ('{"id":1,"label":"no",/* why: "label" */}', [(1, NO)]),
        ('{"id":1 "label":"no"}', [(1, NO)]),
        ("{'id':1,'label':'no'} {'id':2,'label':'yes'}", [(1, NO), (2, YES)]),
        ("{'id':1,'label':'no'} Next: {\"id\":2,\"label\":\"yes\",}", [(1, NO), (2, YES)]),
    ],
)
def test_a_repair_changes_only_quotes_commas_and_null(
    text: str, expected: list[tuple[int, str]]
) -> None:
    assert (read(text).form, pairs(text)) == ("repaired", expected)


@pytest.mark.parametrize(
    "text",
    [
        "{'id':1,'label':'yes','x'}",
        "{'id':1,'label':'yes'} {id yes}",
        r"{'id':1,'label':'\u0079es'}",
    ],
)
def test_a_repair_that_would_change_a_word_is_rejected(text: str) -> None:
    assert declined(read, text) == NO_JSON_VERDICT


# ---------------------------------------------------------------- numbers


@pytest.mark.parametrize(
    "value",
    [
        3,
        "3",
        " 3 ",
        "S3",
        "v3:",
        "#3",
        "3.",
        "3)",
        "s-3",
        "no 3",
        "Statement_3",
        "claim #3",
        "S...3",
        " " * 38 + "3",
        "000000003",
    ],
)
def test_a_statement_is_numbered_in_many_ways(value: object) -> None:
    assert read_id(value) == 3


@pytest.mark.parametrize(
    "value",
    [
        True,
        3.0,
        None,
        [3],
        "",
        "x3",
        "3 4",
        "(3)",
        "-3",
        "S....3",
        "s--3",
        " " * 39 + "3",
        "0000000003",
    ],
)
def test_an_invalid_statement_number_is_not_read(value: object) -> None:
    assert read_id(value) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"id":null,"number":4,"label":"no"}', [(4, NO)]),
        ('{"id":null,"label":"no"}', [(None, NO)]),
        ('{"statement":"2","label":"no"}', [(2, NO)]),
        ('{"statement":2,"label":"no"}', [(2, NO)]),
        ('{"id":7,"statement":"2","label":"no"}', [(7, NO)]),
        ('{"statement":"It is.","claim":"S2","label":"no"}', [(2, NO)]),
        ('{"3":{"label":"no"},"4":{"id":5,"label":"no"}}', [(3, NO), (5, NO)]),
        ('{"id":3,"verdicts":["yes"]}', [(3, YES)]),
        ('{"verdicts":{"5":["yes"]}}', [(5, YES)]),
        ('{"id":2,"results":{"1":"yes"}}', [(1, YES)]),
        (
            '{"id":2,"results":{"checks":[{"label":"yes"},{"reason":"?"},3]}}',
            [(2, YES), (2, None), (2, None)],
        ),
        ('[{"id":"x","label":"yes"},{"id":2,"label":"no"}]', [(None, None), (2, NO)]),
        ('{"id":"x","statement":"It is.","label":"yes"}', [(None, YES)]),
    ],
)
def test_the_nearest_number_is_that_of_the_entry(
    text: str, expected: list[tuple[int | None, str | None]]
) -> None:
    assert pairs(text) == expected


# ---------------------------------------------------------------- wrappers


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('[[{"id":1,"label":"no"}]]', [(1, NO)]),
        ('[[["yes","no"]]]', [(None, YES), (None, NO)]),
        ('[["yes","no"],["no"]]', [(None, YES), (None, NO), (None, NO)]),
        ('[null,"no"]', [(None, None), (None, NO)]),
        ('{"results":[1,0]}', [(None, YES), (None, NO)]),
        ('{"labels":["1","0"]}', [(None, YES), (None, NO)]),
        ('{"items":["yes",null]}', [(None, YES), (None, None)]),
        ('Text: {"verdicts":["yes"]}', [(None, YES)]),
        ('Text: {"1":"yes"}', [(1, YES)]),
        (r'\[x {"id":1,"label":"no"}', [(1, NO)]),
        ('```json\n["yes"]\n```', [(None, YES)]),
        ('{"output":["{\\"id\\":1,\\"label\\":\\"no\\"}"]}', [(1, NO)]),
        ('{"x":[{"output":" [{\\"id\\":1,\\"label\\":\\"no\\"}]"}]}', [(1, NO)]),
        ('{"supported":true}', [(None, YES)]),
        ('{"supported":"yes"}', [(None, YES)]),
        ('{"answer":"yes"}', [(None, YES)]),
        ('{"verdict":1}', [(None, YES)]),
        ('{"verdict":"yes","evidence":[],"context":{}}', [(None, YES)]),
        ('{"my_thoughts":{"id":1,"label":"yes"},"r":{"id":1,"label":"no"}}', [(1, NO)]),
    ],
)
def test_verdicts_are_found_in_what_wraps_them(
    text: str, expected: list[tuple[int | None, str | None]]
) -> None:
    assert pairs(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        *(
            "[null,null]",
            '[1,"no"]',
            "[1.0,0.0]",
            '{"items":[1,0]}',
            '{"items":["1","0"]}',
            '{"scores":["yes"]}',
            '{"foo":["yes"]}',
        ),
        *(
            '{"results":["maybe","perhaps"]}',
            '{"results":{"1":"maybe"}}',
            '{"facts":{"1":"yes"}}',
            'Text: ["yes"]',
            'Text: [["yes"]]',
        ),
        *(
            '{"supported":1}',
            '{"answer":true}',
            '{"status":1}',
            '{"verdict":"yes","items":[]}',
            '{"id":1,"correct":true}',
        ),
        *(
            '{"foo":"{\\"id\\":1,\\"label\\":\\"no\\"}"}',
            '{"thinking":{"output":"{\\"id\\":1,\\"label\\":\\"no\\"}"}}',
        ),
        *(
            '{"errors":{"output":"{\\"id\\":1,\\"label\\":\\"no\\"}"}}',
            '{"my_thoughts":{"output":"{\\"id\\":1,\\"label\\":\\"no\\"}"}}',
        ),
        *(
            '{"my_thoughts":{"id":1,"label":"yes"}}',
            '{"example":{"id":1,"label":"yes"}}',
            '{"output":"id 1, label no"}',
        ),
        *(
            '{"id":"x","label":"yes"}',
            '{"id":"x","number":4,"label":"yes"}',
            '{"unsupported":["yes"]}',
            '{"unsupported":[1,0]}',
        ),
    ],
)
def test_json_without_a_verdict_is_reported_as_such(text: str) -> None:
    assert declined(read, text) == NO_JSON_VERDICT


@pytest.mark.parametrize(
    ("beside", "inner", "label"),
    [
        ({"label": "no"}, "yes", None),
        ({"label": "yes"}, "no", None),
        ({"label": "yes"}, "yes", YES),
        ({"label": "no"}, "no", NO),
        ({"label": "no"}, "partially_supported", PARTLY),
        ({"label": "maybe"}, "no", NO),
        ({"label": "yes", "verdict": "maybe"}, "no", NO),
        ({"supported": False}, "yes", None),
        ({"supported": True}, "no", None),
        ({"result": "no"}, "yes", None),
        ({"result": "yes"}, "no", None),
        ({"result": False}, "yes", None),
        ({"result": True}, "no", NO),
        ({"contradicted": True}, "yes", None),
        ({"contradicted": False}, "yes", YES),
        ({"contradicted": True}, "no", NO),
        ({"checked": True}, "yes", YES),
        ({"error": "failed"}, "yes", None),
        ({"error": True}, "no", None),
        ({"error": ""}, "yes", YES),
        ({"error": {"code": 1}}, "yes", None),
    ],
)
def test_a_wrapper_counts_only_if_it_denies_all_of_its_entries(
    beside: dict[str, Any], inner: str, label: str | None
) -> None:
    assert pairs(json.dumps({**beside, "verdicts": [{"id": 1, "label": inner}]})) == [(1, label)]


def test_a_wrapper_of_mixed_verdicts_overrules_nothing() -> None:
    for word in ("yes", "no"):
        assert pairs(
            f'{{"label":"{word}","verdicts":[{{"id":1,"label":"no"}},{{"id":2,"label":"yes"}}]}}'
        ) == [(1, NO), (2, YES)]


def test_a_policys_own_words_count_in_wrappers_maps_and_lists_too() -> None:
    own = {"fine": YES, "bad": AGAINST}
    assert pairs('{"label":"bad","verdicts":[{"id":1,"label":"fine"}]}', own) == [(1, None)]
    assert pairs('{"verdicts":{"1":"fine","2":"bad"}}', own) == [(1, YES), (2, AGAINST)]
    assert pairs(
        '{"a":[{"id":1,"supported":"fine"},{"id":2,"result":"bad"}],"b":[{"verdicts":["bad"]}]}',
        own,
    ) == [
        *[(1, YES), (2, AGAINST)],
        (None, AGAINST),
    ]
    assert pairs('{"id":1,"label":"fine","final_label":"bad"}', own) == [(1, None)]
    assert pairs('{"output":"{\\"id\\":1,\\"label\\":\\"bad\\"}"}', own) == [(1, AGAINST)]
    assert pairs("{'id':1,'label':'bad'}", own) == [(1, AGAINST)]
    assert pairs('{"verdicts":[{"id":1,"evidence":[1,"label":"bad"}]}', own) == [(1, AGAINST)]
    for text in (
        "1. bad\n2. fine",
        "1. bad 2. fine",
        "1. A is b. Verdict: bad\n2. Verdict: fine",
        "1. It is: bad\n2. He is: fine",
    ):
        assert pairs(text, own) == [(1, AGAINST), (2, YES)]
    assert pairs("Final verdict for each statement in order: 1. bad 2. fine", own) == [
        (1, AGAINST),
        (2, YES),
    ]
    assert pairs("1, 0", {"1": AGAINST}) == [(None, AGAINST), (None, NO)]


# ---------------------------------------------------------------- keys that deny


@pytest.mark.parametrize(
    "nothing",
    [
        "",
        " ",
        "-",
        "none",
        "None.",
        "n/a",
        "N/A",
        "na",
        "null",
        "Nothing",
        "- nothing -",
        "no",
        "false",
        0,
        False,
        None,
        [],
        {},
    ],
)
def test_a_denying_key_with_an_empty_value_changes_nothing(nothing: object) -> None:
    for label, beside in ((YES, "contradictions"), (NO, "error"), (PARTLY, "unsupported")):
        assert pairs(json.dumps({"id": 1, "label": label, beside: nothing})) == [(1, label)]


@pytest.mark.parametrize(
    "something", ["x", "X", "the date", "yes", "nothingness", 1, True, ["a"], {"a": 1}]
)
def test_a_denying_key_with_a_value_removes_support(something: object) -> None:
    assert pairs(json.dumps({"id": 1, "label": YES, "contradictions": something})) == [(1, None)]
    assert pairs(json.dumps({"id": 1, "label": NO, "contradictions": something})) == [(1, NO)]
    assert pairs(json.dumps({"id": 1, "label": NO, "error": something})) == [(1, None)]


def test_a_partially_supported_statement_may_have_unsupported_parts() -> None:
    assert [
        pairs(json.dumps({"id": 1, "label": PARTLY, "unsupported": said}))
        for said in ("the date", ["the date"], "yes", True, 1)
    ] == [
        *[[(1, PARTLY)]] * 2,
        *[[(1, None)]] * 3,
    ]


@pytest.mark.parametrize(
    ("entry", "label"),
    [
        ({"label": "yes", "final_label": "maybe"}, None),
        ({"label": "yes", "final_label": "yes"}, YES),
        ({"label": "yes", "first_label": "maybe"}, YES),
        ({"label": "yes", "first_label": "no"}, None),
        ({"label": "yes", "correct": True}, YES),
        ({"label": "contradicted", "supported": True}, None),
        ({"label": "contradicted", "supported": False}, AGAINST),
        ({"label": "yes", "supported": False}, None),
        ({"label": "partially_supported", "supported": False}, PARTLY),
        ({"supported": True, "faithful": False}, None),
        ({"supported": False, "result": "no"}, NO),
        ({"supported": True, "result": "no"}, None),
        ({"supported": True, "result": "Paris"}, YES),
        ({"supported": "maybe", "faithful": True}, None),
        ({"label": "yes", "status": "done"}, YES),
        ({"status": "done"}, None),
        ({"result": True}, YES),
    ],
)
def test_an_entry_has_the_one_label_that_its_keys_agree_on(
    entry: dict[str, Any], label: str | None
) -> None:
    assert pairs(json.dumps({"id": 1, **entry})) == [(1, label)]


@pytest.mark.parametrize(
    ("beside", "expected"),
    [
        ({"evidence": "[1, 2]"}, ((1, 2), "")),
        ({"evidence": "S1; S2"}, ((1, 2), "")),
        ({"evidence": 3, "citations": ["4"]}, ((3, 4), "")),
        ({"sources": [{"id": 4, "text": "It is"}]}, ((4,), "It is")),
        ({"evidence": [" ", True, None, 1.5], "quote": " a  b "}, ((), "a b")),
        ({"evidence": ["1 and 2"], "quotes": ["a", "b"]}, ((), "1 and 2\na\nb")),
    ],
)
def test_evidence_that_is_not_a_number_is_a_quote(
    beside: dict[str, Any], expected: tuple[Any, ...]
) -> None:
    (entry,) = read(json.dumps({"id": 1, "label": "no", **beside})).verdicts
    assert (entry.evidence, entry.quote) == expected


def test_the_first_reason_and_statement_that_are_strings_are_kept() -> None:
    text = '{"id":1,"statement":null,"claim":"a\\ud800","sentence":"b","reason":3,"rationale":"c","analysis":"d","label":"no"}'
    assert read(text).verdicts == (RawVerdict(1, "a\ufffd", "not_enough_info", (), "c"),)


# ---------------------------------------------------------------- error messages


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the judge's reply is empty, or contains only its thinking"),
        ("<think>yes", "the judge's reply is empty, or contains only its thinking"),
        ("Who knows?", "the judge's reply contains no verdict"),
        ("{}", NO_JSON_VERDICT),
        ('{"verdicts":[{"id":1,"label":"yes"', NO_JSON_VERDICT),
        (
            '{"id":1,"label":"yes"} {"label":}',
            "a part of the judge's JSON is broken, and it contains verdicts",
        ),
        (
            '{"id":1,"label":"yes"} Wait, no.',
            "the judge's words around its JSON quote it, take it back or refuse to answer",
        ),
        (
            "{'id':1,'label':'yes'} Wait, no.",
            "the judge's words around its JSON quote it, take it back or refuse to answer",
        ),
        (
            "Verdict: Yes.\nWait, no.",
            "the text after the judge's verdicts takes them back",
        ),
        ("It speaks of a verdict: yes", "the judge's text mentions verdicts in its prose"),
        ("Verdict: Yes\nFinal verdict: Yes", "the judge's text mentions verdicts in its prose"),
        (
            "1. A\n2. B\nVerdict: Yes",
            "the numbers and the verdicts in the judge's text do not pair up",
        ),
        (
            "A. Verdict: No\nFinal verdict for each statement in order: Yes.",
            "the verdicts in the judge's text and its final list disagree",
        ),
        (
            "2. A. Verdict: No\n3. B. Verdict: Yes\nFinal verdict for each statement in order: Yes. No. Yes.",
            "the verdicts in the judge's text and its final list do not pair up",
        ),
        (
            "Final verdict for each statement in order: Yes.\nFinal verdict for each statement in order: No.",
            "the judge's text has several lists of final verdicts that disagree",
        ),
        (
            "Final verdict for each statement in order: Yes. Wait, no.",
            "the judge's final verdicts are quoted, taken back or followed by a refusal",
        ),
    ],
)
def test_the_error_says_what_is_wrong_with_an_unreadable_reply(text: str, message: str) -> None:
    assert declined(read, text) == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Hm", "the judge's reply contains no list of claims"),
        (
            "[1, 2]",
            "the judge's reply is JSON without a list of claims, or it is broken or cut off",
        ),
        ('{"claims":"none"}', "the judge's claims are not a list"),
        ('{"claims":["a",3]}', "a list of claims contains an item that is not a claim"),
        ('{"claims":["a","..."]}', "a list of claims contains an item that is not a claim"),
        ("I'm sorry, but I can't assist with that request.", "the judge refused to list claims"),
    ],
)
def test_the_error_says_what_is_wrong_with_a_list_of_claims(text: str, message: str) -> None:
    assert declined(read_claims, text) == message


# ---------------------------------------------------------------- claims


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[]", ()),
        ('{"claims":[""]}', ()),
        ('{"claims":["a",""]}', ((None, "a"),)),
        ('{"id":1,"claims":[{"claim":"a"}]}', ((1, "a"),)),
        ('{"sentences":[{"index":2,"claims":["a"]}]}', ((2, "a"),)),
        ('{"sentence":4,"claims":[["a"],["b"]]}', ((4, "a"), (4, "b"))),
        ('{"sentence":4,"claims":[{"parts":["a"]}]}', ((4, "a"),)),
        ('{"id":3,"result":{"claims":["a"]}}', ((3, "a"),)),
        ('{"id":3,"result":["a","b"]}', ((3, "a"), (3, "b"))),
        ('{"sentences":[{"id":1,"claims":[]},{"claims":["b"]}]}', ((1, ""), (None, "b"))),
        ('{"2":{"claims":["a"]}}', ((2, "a"),)),
        ('{"evidence":[1,2],"claims":["a"]}', ((None, "a"),)),
        ('{"evidence":[1,2],"parts":["a"]}', ((None, "a"),)),
        ('{"id":1,"claims":[{"claim":"a","claims":["b"]}]}', ((1, "b"),)),
        ('{"claims":["a"]} and {"claims":["b"]} and [1]', ((None, "a"), (None, "b"))),
        ("Claims：\nIt is red.", ((None, "It is red."),)),
        ("Claims: \nIt is red.", ((None, "It is red."),)),
        ("It is red:", ((None, "It is red:"),)),
        ("```\nIt is\n```", ((None, "It is"),)),
        (
            "Statement 1: It is\n(2) It was\n• It has\n> 3) It had",
            tuple((None, claim) for claim in ("It is", "It was", "It has", "It had")),
        ),
        ("1.5 is x", ((None, "1.5 is x"),)),
    ],
)
def test_a_claim_belongs_to_the_nearest_sentence_number(
    text: str, expected: tuple[tuple[int | None, str], ...]
) -> None:
    assert read_claims(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "One",
        "Two words\nOne",
        "Claims:",
        '{"claims":["..."]}',
        '{"claims":[1,2]}',
        '{"claims":[{"claim":3}]}',
    ],
)
def test_a_reply_without_a_claim_is_not_a_list_of_claims(text: str) -> None:
    with pytest.raises(UnreadableReply):
        read_claims(text)
