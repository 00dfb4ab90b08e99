"""A reply is read correctly or not at all: no verdict is guessed, lost silently or inflated."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from faithfulness_assert.reading import RawVerdict, parse_label, read, read_claims
from faithfulness_assert.reading.reconcile import read_verdicts
from faithfulness_assert.records.errors import UnreadableReply

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[1]
SHARED = ROOT.parent / "shared" / "corpora"
OUTPUTS = [
    json.loads(line)
    for line in (ROOT / "fixtures" / "verdict_outputs.jsonl").read_text("utf-8").splitlines()
]

YES, NO, PARTLY, AGAINST = "supported", "not_enough_info", "partially_supported", "contradicted"


def align(entries: tuple[RawVerdict, ...], n: int, texts: tuple[str, ...] = ()) -> list[str | None]:
    """By number; else by statement text; else by position if the counts agree; else nothing."""
    keys: list[Any] = [entry.id for entry in entries]
    wanted: list[Any] = list(range(1, n + 1))
    if not any(isinstance(key, int) for key in keys):
        keys = [
            texts.index(entry.statement) + 1 if entry.statement in texts else None
            for entry in entries
        ]
    if keys == [None] * n:
        return [entry.label for entry in entries]
    said = [
        {entry.label for key, entry in zip(keys, entries, strict=True) if key == number}
        for number in wanted
    ]
    return [labels.pop() if len(labels) == 1 else None for labels in said]


def attempt(reader: Callable[[str], Any], text: str) -> Any:
    try:
        return reader(text)
    except UnreadableReply as error:
        return error


def aligned(text: str, n: int, texts: tuple[str, ...] = ()) -> list[str | None]:
    found = attempt(read, text)
    return [None] * n if isinstance(found, UnreadableReply) else align(found.verdicts, n, texts)


def pairs(text: str) -> list[tuple[int | None, str | None]]:
    return [(entry.id, entry.label) for entry in read(text).verdicts]


# ---------------------------------------------------------------- recorded outputs


@pytest.mark.parametrize("row", OUTPUTS, ids=lambda row: row["id"])
def test_a_recorded_reply_is_read_correctly_or_left_unresolved(row: dict[str, Any]) -> None:
    found = [
        None if label is None else label == YES
        for label in aligned(row["raw"], row["n_statements"])
    ]
    if row["expect"] == "error":
        assert None in found
    else:
        assert found == row["expect"]


def corpus(name: str) -> list[dict[str, Any]]:
    path = SHARED / name
    if not path.exists():
        pytest.skip(f"{name} lies beside the checkout and is not there")
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


GENERATED = {
    "n_structure_100000_opening_arrays.json": "[" * 100_000,
    "n_structure_open_array_object.json": '[{"":' * 50_000 + "\n",
}
"""The rows that are too large for the corpus, by name."""


def malformed(row: dict[str, Any]) -> str:
    if "gen" in row:
        return GENERATED[row["gen"]]
    return (
        str(row["raw"])
        if row["raw"] is not None
        else base64.b64decode(row["raw_b64"]).decode("utf-8", "surrogateescape")
    )


def test_malformed_json_never_breaks_the_reader() -> None:
    rows = corpus("malformed_json.jsonl")
    for row in rows:
        text = malformed(row)
        for reader in (read, read_claims):
            found = attempt(reader, text)
            assert not isinstance(found, UnreadableReply) or found.message, row["id"]
    assert rows


def test_attacks_in_a_reply_give_no_verdict_that_was_not_said() -> None:
    rows = [row for row in corpus("attacks.jsonl") if row["channel"] == "judge_reply"]
    for row in rows:
        payload = row["payload"]
        text = payload if isinstance(payload, str) else payload["text"] * payload["n"]
        said_yes = (
            isinstance(payload, str) and '"verdict":"yes"' in payload and '"no"' not in payload
        )
        assert (YES in aligned(text, 3)) == said_yes, row["id"]
    assert rows


# ---------------------------------------------------------------- formats of replies

LABELS = [True, False, True, True]
TEXTS = ("The tower is tall.", "It is blue.", "It has 3 floors.", "It stands in Rome.")


def reply(form: str) -> list[dict[str, Any]]:
    """A valid list of verdicts: our form, ragas' 1 and 0, or deepeval's unnumbered yes and no."""
    if form == "ours":
        return [
            {"id": k, "evidence": [k], "label": YES if ok else AGAINST}
            for k, ok in enumerate(LABELS, 1)
        ]
    if form == "ragas":
        return [
            {"statement": text, "reason": "so", "verdict": int(ok)}
            for text, ok in zip(TEXTS, LABELS, strict=True)
        ]
    return [{"reason": "It says so.", "verdict": "yes" if ok else "no"} for ok in LABELS]


def with_words(
    entries: list[dict[str, Any]], yes: object, no: object, *, first_only: bool = False
) -> str:
    key = "label" if "label" in entries[0] else "verdict"
    out = [
        entry | {key: yes if ok else no} if k == 0 or not first_only else entry
        for k, (entry, ok) in enumerate(zip(entries, LABELS, strict=True))
    ]
    return json.dumps({"verdicts": out})


RECOVERABLE = {
    "ok": lambda es: json.dumps({"verdicts": es}),
    "indented": lambda es: json.dumps({"verdicts": es}, indent=2),
    "fenced": lambda es: "```json\n" + json.dumps({"verdicts": es}) + "\n```",
    "prose": lambda es: (
        "Sure! Here is my assessment {as asked}:\n\n"
        + json.dumps({"verdicts": es})
        + "\n\nLet me know if you need [detail]."
    ),
    "trailing_comma": lambda es: re.sub(r"([\]}])", r",\1", json.dumps({"verdicts": es})),
    "single_quotes": lambda es: repr({"verdicts": es}),
    "comments": lambda es: json.dumps({"verdicts": es}).replace("}, ", "}, // next\n"),
    "num_strings": lambda es: with_words(es, "1", "0"),
    "numbers": lambda es: with_words(es, 1, 0),
    "booleans": lambda es: with_words(es, True, False),
    "yes_no": lambda es: with_words(es, "yes", "no"),
    "upper_case": lambda es: with_words(es, "SUPPORTED", "NOT ENOUGH INFO"),
    "verbose_verdict": lambda es: with_words(es, "Yes, supported", "No, not supported"),
    "dressed": lambda es: with_words(es, "**Yes.**", "`No`"),
    "wrapper": lambda es: json.dumps({"result": {"verdicts": es}}),
    "tool_call": lambda es: (
        "<tool_call>"
        + json.dumps({"name": "verdict", "arguments": {"verdicts": es}})
        + "</tool_call>"
    ),
    "packed_arguments": lambda es: json.dumps(
        {"name": "verdict", "arguments": json.dumps({"verdicts": es})}
    ),
    "json_in_a_string": lambda es: json.dumps(json.dumps({"verdicts": es})),
    "bare_list": lambda es: json.dumps(es),
    "lines": lambda es: "\n".join(map(json.dumps, es)),
    "renamed_key": lambda es: json.dumps({"items": es}),
    "think_block": lambda es: (
        '<think>Let me see: {"verdict": 0} would be wrong.</think>\n' + json.dumps({"verdicts": es})
    ),
    "lone_close_tag": lambda es: (
        '{"verdict": 0} would be wrong.</think>\n' + json.dumps({"verdicts": es})
    ),
    "byte_order_mark": lambda es: "\ufeff" + json.dumps({"verdicts": es}),
    "summary_beside": lambda es: json.dumps({"verdict": "yes", "score": 1, "verdicts": es}),
    "upper_case_keys": lambda es: json.dumps(
        {"Verdicts": [{k.title(): v for k, v in e.items()} for e in es]}
    ),
}


@pytest.mark.parametrize("form", ["ours", "ragas", "deepeval"])
@pytest.mark.parametrize("shape", RECOVERABLE)
def test_a_verdict_is_read_in_every_format(shape: str, form: str) -> None:
    found = aligned(RECOVERABLE[shape](reply(form)), len(LABELS), TEXTS)
    assert [label == YES for label in found] == LABELS
    assert None not in found


@pytest.mark.parametrize("shape", ["reordered", "duplicate"])
@pytest.mark.parametrize("form", ["ours", "ragas"])
def test_order_and_repetition_do_not_matter_if_entries_are_named(shape: str, form: str) -> None:
    entries = reply(form)
    changed = entries[::-1] if shape == "reordered" else [entries[0], *entries]
    assert [
        label == YES for label in aligned(json.dumps({"verdicts": changed}), len(LABELS), TEXTS)
    ] == LABELS


LOST = {
    "floats": lambda es: with_words(es, 0.9, 0.2),
    "null_verdict": lambda es: with_words(es, None, None),
    "nan": lambda es: with_words(es, float("nan"), float("inf")),
    "huge": lambda es: with_words(es, 10**30, 10**40),
    "unknown_word": lambda es: with_words(es, "maybe", "not sure"),
    "empty_list": lambda es: json.dumps({"verdicts": []}),
    "empty_object": lambda es: "{}",
    "empty_string": lambda es: "",
    "refusal_text": lambda es: "I'm sorry, but I can't assist with that request.",
    "code": lambda es: "open('PWNED','w').write('the reply was evaluated')",
    "unclosed_thinking": lambda es: "<think>" + json.dumps({"verdicts": es}),
}


@pytest.mark.parametrize("form", ["ours", "ragas", "deepeval"])
@pytest.mark.parametrize("shape", LOST)
def test_an_invalid_verdict_is_not_read(shape: str, form: str) -> None:
    assert aligned(LOST[shape](reply(form)), len(LABELS), TEXTS) == [None] * len(LABELS)


@pytest.mark.parametrize("form", ["ours", "ragas", "deepeval"])
def test_a_truncated_reply_has_no_verdict_wherever_it_is_cut(form: str) -> None:
    text = json.dumps({"verdicts": reply(form)})
    for cut in range(len(text)):
        assert aligned(text[:cut], len(LABELS), TEXTS) == [None] * len(LABELS)


@pytest.mark.parametrize("form", ["ours", "ragas", "deepeval"])
def test_a_number_out_of_range_invalidates_only_its_own_entry(form: str) -> None:
    for bad in (-1, float("nan"), None, 2):
        found = aligned(with_words(reply(form), bad, bad, first_only=True), len(LABELS), TEXTS)
        assert found[0] is None
        assert [label == YES for label in found[1:]] == LABELS[1:]


def test_two_unnumbered_lists_are_not_merged() -> None:
    text = json.dumps({"verdicts": reply("deepeval")})
    assert len(read(text + text).verdicts) == 2 * len(LABELS)


def test_conflicting_objects_are_both_kept() -> None:
    assert pairs(
        '{"verdicts":[{"id":1,"verdict":"yes"}]} Correction: {"verdicts":[{"id":1,"verdict":"no"}]}'
    ) == [(1, YES), (1, NO)]
    assert pairs(
        '{"verdicts":[{"id":1,"verdict":"yes"}],"verdicts":[{"id":1,"verdict":"no"}]}'
    ) == [(1, YES), (1, NO)]


# ---------------------------------------------------------------- labels

LABEL_WORDS = [
    *[
        (value, YES)
        for value in (
            True,
            1,
            1.0,
            "yes",
            "Yes.",
            "**YES**",
            "`true`",
            "1",
            "Supported",
            "FULLY SUPPORTED",
            "fully-supported",
            "“yes”",
        )
    ],
    *[
        (value, YES)
        for value in (
            "Entailment",
            "faithful",
            "oui",
            "sí",
            "si\u0301",
            "да",
            "是",
            "是。",
            "はい",
            "Yes, supported",
            "Yes, it does",
        )
    ],
    *[
        (value, NO)
        for value in (
            False,
            0,
            0.0,
            -0.0,
            "no",
            "NO!",
            "0",
            "Not supported.",
            "not_enough_info",
            "NotEnoughInfo",
            "not-enough-info",
        )
    ],
    *[
        (value, NO)
        for value in (
            "No - x",
            "No, not supported",
            "No, the context never says yes",
            "nein",
            "否",
            "idk",
            "borderline",
            "(No)",
        )
    ],
    *[
        (value, PARTLY)
        for value in (
            "partially_supported",
            "Partial",
            "PARTIALLY SUPPORTED",
            "Partially supported: the date isn't there",
        )
    ],
    *[
        (value, AGAINST)
        for value in (
            "contradicted",
            "Contradictory",
            "REFUTES",
            "Contradicted - it is red",
            "contradiction.",
        )
    ],
    ("not_a_claim", "not_a_claim"),
    ("Not a claim.", "not_a_claim"),
]
NO_LABELS = [
    *(
        None,
        2,
        -1,
        0.5,
        float("nan"),
        float("inf"),
        [],
        {},
        "",
        " ",
        ".",
        "y",
        "n",
        "Y",
        "N",
        "-1",
        "1%",
        "[1]",
        "[0]",
        "0.9",
        "1, 2",
        "1. Rome is old",
    ),
    *(
        "maybe",
        "not sure",
        "Not known",
        "No verdict possible",
        "Unable to determine",
        "yes no",
        "yes/no",
        "supported|contradicted",
        "yes?",
        "nope",
    ),
    *(
        "Yes, but not the date",
        "Yes, no",
        "Supported, contradicted",
        "supported (not really)",
        "Yes - however, it is partly so",
        "Yes, never",
    ),
    *(
        "yes: isn't",
        "Yes, unsupported",
        "Supported: 0",
        "Yes, aber nicht alles",
        "Oui, mais pas tout",
        "是，但是不全",
        "Supported by sentence 3",
    ),
    *(
        "Partially supported, and the rest is contradicted",
        "!supported",
        "~~yes~~",
        "-supported",
        "¬supported",
        "un supported",
        "supported-ish",
    ),
    *(
        "уеs",
        "ѕupported",
        "y\u200bes",
        "Yes, n\u200bot",
        "１",
        "true-ish",
        "Yes, " + "very " * 2000,
    ),
]


@pytest.mark.parametrize(("value", "label"), LABEL_WORDS)
def test_label_words_of_all_judges_are_known(value: object, label: str) -> None:
    assert parse_label(value) == label


@pytest.mark.parametrize("value", NO_LABELS, ids=lambda value: repr(value)[:30])
def test_an_unknown_hedged_or_disguised_word_is_not_a_label(value: object) -> None:
    assert parse_label(value) is None


def test_a_policys_own_words_override_the_table() -> None:
    own: Any = {"no": AGAINST, "ok": YES, "false": AGAINST, "0": AGAINST}
    assert [
        parse_label(value, own) for value in ("No.", "No, it does not", "OK", False, 0, "yes")
    ] == [
        AGAINST,
        AGAINST,
        YES,
        AGAINST,
        AGAINST,
        YES,
    ]
    assert parse_label("OK, but not all", own) is None
    assert [entry.label for entry in read('["no", "ok"]', own).verdicts] == [AGAINST, YES]
    assert [
        entry.label
        for entry in read("Final verdict for each statement in order: No. Ok.", own).verdicts
    ] == [AGAINST, YES]


# ---------------------------------------------------------------- JSON entries


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"1":"yes","2":"no"}', [(1, YES), (2, NO)]),
        ('{"statement_1":{"verdict":"yes"},"statement_2":{"verdict":"no"}}', [(1, YES), (2, NO)]),
        ('{"verdicts":{"2":"no","1":"yes"}}', [(2, NO), (1, YES)]),
        ('[{"id":"S2","verdict":"yes"},{"claim_id":"1","supported":false}]', [(2, YES), (1, NO)]),
        ('{"verdicts":["yes","maybe"]}', [(None, YES), (None, None)]),
        ("[1, 0]", [(None, YES), (None, NO)]),
        ('{"verdicts":[true,false]}', [(None, YES), (None, NO)]),
        ('{"statements":["Yes.","It is so."],"verdicts":["no","no"]}', [(None, NO), (None, NO)]),
        ('{"id":2,"verdict":{"label":"supported"}}', [(2, YES)]),
        (
            '[{"verdict":"yes"},{"reason":"?"},{"verdict":"no"}]',
            [(None, YES), (None, None), (None, NO)],
        ),
        ('{"id":1,"label":"supported","verdict":"no"}', [(1, None)]),
        ('{"id":1,"verdict":"yes","verdict":"no"}', [(1, None)]),
        ('{"id":1,"verdict":"yes","verdict":"yes"}', [(1, YES)]),
        ('{"id":1,"label":"contradicted","supported":false}', [(1, AGAINST)]),
        ('{"id":1,"label":"partially_supported","supported":true}', [(1, None)]),
        ('{"id":1,"answer":"Paris","verdict":"no"}', [(1, NO)]),
        ('{"id":1,"label":"no","parts":[{"id":1,"label":"yes"}]}', [(1, None)]),
        ('{"id":true,"label":"yes"},{"id":2,"label":"no"}', [(None, None), (2, NO)]),
        (
            '{"id":1,"label":"yes","reason":"it says {\\"id\\":2,\\"label\\":\\"yes\\"}"}',
            [(1, YES)],
        ),
        ('{"id":1,"label":"no","evidence":[{"id":1,"label":"yes"}]}', [(1, NO)]),
        ('{"verdict":"pass","verdicts":["no"]}', [(None, NO)]),
        ('{"id":1,"label":"yes","reason":"<think>"}', [(1, YES)]),
        (
            'Sure: [{"id":1,"label":"no","reason":"<think>"},{"id":2,"label":"yes","reason":"</think>"}]',
            [(1, NO), (2, YES)],
        ),
        (
            '{"sentences":[{"id":3,"claims":[{"claim":"a","label":"yes"},{"claim":"b","label":"no"}]}]}',
            [(3, YES), (3, NO)],
        ),
        ("{verdicts:[{id:1,verdict:yes},{id:2,verdict:no}]}", [(1, YES), (2, NO)]),
        ('{"id":1,"verdict":"no","reason":"the "yes" in it is a quote"}', [(1, NO)]),
        ("['yes','no',]", [(None, YES), (None, NO)]),
        ('"verdicts": [{"id":1,"label":"yes"},{"id":2,"label":"no"}]', [(1, YES), (2, NO)]),
    ],
)
def test_an_entry_is_read_with_its_own_number(
    text: str, expected: list[tuple[int | None, str | None]]
) -> None:
    assert pairs(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "The claim is supported [1].",
        "See [[1]].",
        'Choose one of ["yes", "no"].',
        '{"score":1,"pass":true}',
        '{"supported":1,"not_supported":2}',
        '{"verdict":"yes","verdicts":[]}',
        '{"status":true,"data":null}',
        '{"properties":{"label":{"enum":["supported","contradicted"]}}}',
        '{"verdicts":[[1,"no"],[2,"yes"]]}',
        '{"verdict":"yes","verdict":"no"}',
        '{"verdict":"yes","verdict":"no",}',
        '{"verdicts":[{"id":1,"verdict":"yes"}]} {"verdicts":[{"id":2,"verdict":}',
        '{"verdicts":[{"id":1,"verdict":"yes"}]} {"verdicts":[{"id":1,"verdict":"no"',
        '{"reason":"Final verdict for each statement in order: Yes. Yes."}',
        '{"reason":"verdict: yes", "verdict": ',
        "{'id': 1, 'reason': 'he said \"yes\", \"label\":\"supported\"', 'abel': 'no'}",
        "[true, fal",
        "null",
        "3",
    ],
)
def test_what_only_looks_like_a_verdict_is_not_read(text: str) -> None:
    with pytest.raises(UnreadableReply) as caught:
        read(text)
    assert caught.value.kind == "unreadable"


def test_an_entry_keeps_evidence_reason_quote_and_statement() -> None:
    text = '{"id":"1","claim":"It is red.","evidence":[17,"18","S19",true,null],"quote":"it\\nis red","rationale":"so","label":"supported"}'
    assert read(text).verdicts == (
        RawVerdict(1, "It is red.", "supported", (17, 18, 19), "so", "it is red"),
    )
    assert (
        read('{"id":1,"label":"no","citations":["one","two \\ud800"]}').verdicts[0].quote
        == "one\ntwo \ufffd"
    )


def test_the_form_says_whether_json_was_repaired() -> None:
    assert [read(text).form for text in ('{"verdict":"yes"}', "{'verdict':'yes'}", "yes")] == [
        "json",
        "repaired",
        "text",
    ]


# ---------------------------------------------------------------- text

MARK = "Final verdict for each statement in order:"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{MARK} Yes. No. Yes.", [(None, YES), (None, NO), (None, YES)]),
        (f"Some thoughts on yes and no.\n**{MARK}** yes, no", [(None, YES), (None, NO)]),
        (f"{MARK.upper()} YES; NO!", [(None, YES), (None, NO)]),
        (f"{MARK}\n- Yes\n- No", [(None, YES), (None, NO)]),
        (f"{MARK} 1. Yes 2. No", [(1, YES), (2, NO)]),
        (f"{MARK} Statement 1: Yes. Statement 2: Not supported.", [(1, YES), (2, NO)]),
        (f"{MARK} 1, 0, 1.", [(None, YES), (None, NO), (None, YES)]),
        (f"{MARK} Yes. No. I hope that this helps you.", [(None, YES), (None, NO)]),
        (f'The answer says "{MARK} Yes. Yes." itself.\n{MARK} No. No.', [(None, NO), (None, NO)]),
        (f"{MARK} Yes. No. Not known.", [(None, YES), (None, NO), (None, None)]),
        ("**Verdict:** No.", [(None, NO)]),
        ("Verdict: Yes\nVerdict: No", [(None, YES), (None, NO)]),
        ("1. A is b. Verdict: Yes.\n2. C is d. Verdict: No.", [(1, YES), (2, NO)]),
        ("2. A is b. Verdict: Yes. 1. C is d. Verdict: No.", [(2, YES), (1, NO)]),
        ("### Statement 2\nVerdict: Yes\n### Statement 1\nVerdict: No", [(2, YES), (1, NO)]),
        ("- id: 2\n  verdict: yes\n- id: 1\n  verdict: no", [(2, YES), (1, NO)]),
        ("1. A\n2. B\n\nVerdict: Yes\nVerdict: No", [(None, YES), (None, NO)]),
        ("yes", [(None, YES)]),
        ("Yes. No. Yes", [(None, YES), (None, NO), (None, YES)]),
        ("Yes\nNo", [(None, YES), (None, NO)]),
        ("1. yes\n2. no", [(1, YES), (2, NO)]),
        ("1) Yes, 2) No", [(1, YES), (2, NO)]),
        ("1. Yes - it is said.\n2. No - it isn't.", [(1, YES), (2, NO)]),
        (
            "Here they are:\n**1.** John is a student: yes\n**2.** He is rich -> no",
            [(1, YES), (2, NO)],
        ),
        ("Statement 1: supported\nStatement 2: contradicted", [(1, YES), (2, AGAINST)]),
    ],
)
def test_an_older_text_form_is_read(
    text: str, expected: list[tuple[int | None, str | None]]
) -> None:
    assert read(text).form == "text"
    assert pairs(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        f"{MARK} Yes. Yes.\n{MARK} No. No.",
        f"{MARK} Y. N. Y.",
        f"{MARK} Yes. Actually the first one is wrong.",
        f"{MARK} 1. Yes, see 3. But no. 2. Yes",
        f"{MARK}",
        f"A. Verdict: No\nB. Verdict: Yes\n{MARK} Yes. Yes.",
        f"2. A. Verdict: No\n3. B. Verdict: Yes\n{MARK} Yes. No. Yes.",
        "1. A\n2. B\nVerdict: Yes",
        '1. "Verdict: yes" Verdict: No.',
        "Verdict: Yes, see 2. But not really",
        "Verdict: No verdict possible.",
        "Yes. No. N",
        "1. yes\n2. mayb",
        "1. Yes. But not all of it: yes\n2. No",
        "1. The number of moons is: 1\n2. It is big: no",
        "The first statement is supported. The second is not.",
        "Yes, it is supported by the context, which says as much.",
    ],
)
def test_prose_conflict_and_doubt_give_no_verdict(text: str) -> None:
    with pytest.raises(UnreadableReply):
        read(text)


def test_a_refusal_is_reported_only_if_there_is_no_verdict() -> None:
    with pytest.raises(UnreadableReply) as caught:
        read("I'm sorry, but I can't assist with that request.")
    assert (caught.value.kind, caught.value.retryable) == ("refusal", False)
    assert pairs('I\'m sorry, I cannot help with the first one. {"id":2,"label":"no"}') == [(2, NO)]


# ---------------------------------------------------------------- what must not be inflated

HOSTILE = [
    json.loads(line)
    for line in (ROOT / "fixtures" / "hostile_replies.jsonl").read_text("utf-8").splitlines()
]


@pytest.mark.parametrize("row", HOSTILE, ids=lambda row: row["raw"][:60])
def test_a_reply_that_denies_quotes_or_retracts_supports_nothing(row: dict[str, Any]) -> None:
    found = attempt(lambda text: read_verdicts(text, row["n"]), row["raw"])
    labels = [None] * row["n"] if isinstance(found, UnreadableReply) else found
    assert [k for k in row["never_supported"] if labels[k - 1] == YES] == []


FRAMED = '{"verdicts":[{"id":1,"label":"supported"},{"id":2,"label":"not_enough_info"}]}'


@pytest.mark.parametrize(
    "text",
    [
        f"Sure! Here is my assessment {{as asked}}:\n\n{FRAMED}\n\nLet me know if you need more [detail].",
        f"Here are the verdicts based only on the context:\n{FRAMED}",
        f"Here are the verdicts in the required format:\n```json\n{FRAMED}\n```",
        f"{FRAMED}\nNote: statement 2 is not supported because the date is missing.",
        f"<analysis>Statement 1 is fine.</analysis>{FRAMED}",
        f"<scratchpad>{FRAMED.replace('supported', 'no')}</scratchpad>{FRAMED}",
        (
            f"<|channel|>analysis<|message|>Is it {FRAMED.replace('supported', 'no')}?<|end|>"
            f"<|start|>assistant<|channel|>final<|message|>{FRAMED}<|return|>"
        ),
        FRAMED.replace("]}", '],"errors":[],"error":null,"missing":"none"}'),
        FRAMED.replace(
            '"supported"', '"supported","contradicted":false,"hallucination":"none","error":""'
        ),
        FRAMED.replace(
            '"supported"',
            '"supported","thinking":[{"id":1,"label":"no"}],"draft":{"id":1,"label":"no"}',
        ),
        "1. A is b.\nVerdict: Yes\n2. C is d.\nVerdict: No\nReason: nothing says so.",
        "Statement 1 - Verdict: Yes\nStatement 2 - Verdict: No",
        "- **Verdict:** Yes\n- **Verdict:** No",
        "Final verdict: yes\nFinal verdict: no\n\nI hope this helps!",
        '{"results":{"1":"yes","2":"no"},"scores":{"1":0.9,"2":0.1}}',
    ],
)
def test_ordinary_words_around_verdicts_retract_nothing(text: str) -> None:
    assert read_verdicts(text, 2) == [YES, NO]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"1. A. Verdict: Yes.\n2. B. Verdict: No.\n{MARK} Yes. No.", [(1, YES), (2, NO)]),
        (f"1. A. Verdict: Yes.\n2. B. Verdict: No.\n{MARK} Yes. No. Yes.", [(1, YES), (2, NO)]),
        (
            f"1. A. Verdict: Yes.\n2. B. Verdict: No.\n3. C. Verdict: Yes.\n{MARK} Yes. No.",
            [(1, YES), (2, NO), (3, YES)],
        ),
        (f"1. A. Verdict: No.\n2. B. Verdict: Yes.\n{MARK} Yes. Yes.", [(1, None), (2, YES)]),
        (
            f"1. A. Verdict: Yes.\n2. B. Verdict: Yes.\n3. C. Verdict: Yes.\n{MARK} Yes. No.",
            [(1, YES), (2, None), (3, None)],
        ),
        (f"A. Verdict: Yes.\nB. Verdict: No.\n{MARK} Yes. No.", [(None, YES), (None, NO)]),
    ],
)
def test_numbered_verdicts_count_unless_the_list_after_them_differs(
    text: str, expected: list[tuple[int, str | None]]
) -> None:
    assert pairs(text) == expected


def test_only_a_doubtful_word_after_numbered_verdicts_matters() -> None:
    assert pairs("1. Yes.\n2. No.\n\nI'm ready to help. What's your next question?") == [
        (1, YES),
        (2, NO),
    ]
    for after in (
        "Actually, statement 1 is wrong.",
        "Statement 1 is not in the context.",
        "3. Perhaps",
    ):
        with pytest.raises(UnreadableReply):
            read(f"1. Yes.\n2. No.\n\n{after}")


def test_a_list_of_numbers_ends_where_a_key_begins() -> None:
    left_open = '{"verdicts":[{"id":1,"evidence":[1,"label":"supported"},{"id":2,"evidence":[2, 3, "label":"no"}'
    assert (read(f"{left_open}]}}]}}").form, pairs(f"{left_open}]}}]}}")) == (
        "repaired",
        [(1, YES), (2, NO)],
    )
    for cut in (left_open, f"{left_open}]", left_open.replace(',{"id":2', '],{"id":2')):
        with pytest.raises(UnreadableReply):
            read(cut)


def test_a_lone_digit_may_be_a_statement_number_and_grants_nothing() -> None:
    for text in ("1", "1.", " **1** "):
        with pytest.raises(UnreadableReply):
            read(text)
    assert pairs("1, 1") == [(None, YES), (None, YES)]


def test_a_numbered_line_keeps_its_text_so_that_an_echo_is_detected() -> None:
    first, second = read("1. Is aspirin safe for dogs: yes\n2. Yes").verdicts
    assert (first.statement, first.line) == (
        "Is aspirin safe for dogs",
        "Is aspirin safe for dogs: yes",
    )
    assert (second.statement, second.line) == ("", "")


def test_numbers_that_repeat_are_kept_unless_all_are_one() -> None:
    assert pairs("Statement 2. Verdict: yes\nStatement 2. Verdict: yes") == [(2, YES), (2, YES)]
    assert pairs("1. Verdict: yes\n1. Verdict: no") == [(None, YES), (None, NO)]


@pytest.mark.parametrize("reader", [read, read_claims])
@pytest.mark.parametrize("value", [None, 5, b"yes"])
def test_a_reply_that_is_not_a_string_is_a_type_error(
    reader: Callable[[Any], Any], value: object
) -> None:
    with pytest.raises(
        TypeError, match=f"{reader.__name__}: text must be a string, got {type(value).__name__}"
    ):
        reader(value)


# ---------------------------------------------------------------- claims


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            '{"sentences":[{"id":1,"claims":["a b","c d"]},{"id":2,"claims":[]}]}',
            ((1, "a b"), (1, "c d"), (2, "")),
        ),
        ('```json\n{"sentences":[{"id":1,"claims":[]}]}\n```', ((1, ""),)),
        ('{"claims":[]}', ()),
        (
            '{"claims":["a b", {"id":7,"claim":"c"}, {"sentence_id":3,"text":"d"}]}',
            ((None, "a b"), (None, "c"), (3, "d")),
        ),
        ('{"result":{"statements":[{"statement":"a"}]}}', ((None, "a"),)),
        ('["a b","c d"]', ((None, "a b"), (None, "c d"))),
        ('{"id":1,"claims":["a"]}\n{"id":2,"claims":["b"]}', ((1, "a"), (2, "b"))),
        ('{"1":["a"],"2":["b"]}', ((1, "a"), (2, "b"))),
        ("{'claims': ['a b',]}", ((None, "a b"),)),
        (
            "Here they are:\n1. It is red.\n2. It has 3 floors.",
            ((None, "It is red."), (None, "It has 3 floors.")),
        ),
        (
            "- It is red.\n* It costs 3.5 euros.",
            ((None, "It is red."), (None, "It costs 3.5 euros.")),
        ),
    ],
)
def test_claims_are_read_with_the_number_of_their_sentence(
    text: str, expected: tuple[tuple[int | None, str], ...]
) -> None:
    assert read_claims(text) == expected


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", "unreadable"),
        ("{}", "unreadable"),
        ("null", "unreadable"),
        ('{"sentences":[{"id":1}]}', "unreadable"),
        ('{"sentences":[{"id":1,"claims":["a"]},{"id":2}]}', "unreadable"),
        ('{"claims":["a",null]}', "unreadable"),
        ('{"claims":"none"}', "unreadable"),
        ('{"claims":["It is red.","It is', "unreadable"),
        ("<think>- It is red.", "unreadable"),
        ("I'm sorry, but I can't assist with that request.", "refusal"),
    ],
)
def test_an_unreadable_list_of_claims_is_not_an_empty_one(text: str, kind: str) -> None:
    with pytest.raises(UnreadableReply) as caught:
        read_claims(text)
    assert caught.value.kind == kind


# ---------------------------------------------------------------- size

HUGE = {
    "open brackets": "[{" * 50_000,
    "deep": "[" * 100_000 + "]" * 100_000,
    "think tags": "<think>" * 100_000,
    "think blocks": "<think></think>" * 50_000,
    "closing tags": "</think>" * 100_000,
    "fences": "```json\n" * 50_000,
    "empty lists": "[]" * 50_000,
    "broken objects": "{x}" * 50_000,
    "escapes": '{"' + '\\"' * 500_000,
    "one word": "Verdict: yes, " + "a" * 1_000_000,
    "numbers": "1. " * 100_000,
    "almost digits": "1,\n\n" * 100_000 + "x",
    "markers": "final verdict for " * 50_000,
    "stars": "* " * 200_000,
    "hashes": "#" * 500_000,
    "blanks": "[" + " " * 1_000_000,
    "colons": "1. " + "a: " * 100_000 + "\n2. b",
    "quotes to mend": "{" + "'" * 3_900 + "}",
    "channels": "<|channel|>final<|message|>" * 20_000,
    "verdict lines": "2. Verdict: maybe\n" * 50_000,
    "verdict words": "a verdict: yes " * 50_000,
    "prose around": '{"verdict":"yes"}' + "the answer is " * 50_000,
    "repeated yes": "Verdict: " + "yes, " * 100_000,
    "packed": '{"output":"' + "{" * 100_000 + '"}',
}


def test_more_than_ten_thousand_pieces_of_json_are_unreadable() -> None:
    assert len(read('{"id":1,"label":"no"}\n' * 10_000).verdicts) == 10_000
    with pytest.raises(UnreadableReply, match="has more than 10,000 pieces of JSON"):
        read('{"id":1,"label":"no"}\n' * 10_001)


@pytest.mark.parametrize("name", HUGE)
def test_a_huge_reply_is_rejected_in_linear_time(name: str) -> None:
    """Each takes a fraction of a second here, and would take minutes in a reader that backtracks."""
    with pytest.raises(UnreadableReply):
        read(HUGE[name])
    assert isinstance(attempt(read_claims, HUGE[name]), UnreadableReply | tuple)
