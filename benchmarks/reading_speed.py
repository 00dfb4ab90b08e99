"""Time to read the worst megabytes of a reply, compared with ``json.loads`` of a valid one.

    python benchmarks/reading_speed.py [WORD ...]    only inputs with one of the words in their name

Each input has a million characters. It is read for verdicts (with what the gate makes of them), for
lists, for ratings, for a refusal and against the schema, and each of these is timed separately.
"""

from __future__ import annotations

import contextlib
import json
import sys
import time
from collections.abc import Callable

from faithfulness_assert.asking.schema import schema_errors
from faithfulness_assert.reading.json_values import MAX_DEPTH
from faithfulness_assert.reading.lists import read_lists
from faithfulness_assert.reading.ratings import read_ratings
from faithfulness_assert.reading.reader import read
from faithfulness_assert.reading.reconcile import settle
from faithfulness_assert.reading.refusal import is_refusal
from faithfulness_assert.records.ask import ReplyForm
from faithfulness_assert.records.errors import UnreadableReply
from faithfulness_assert.records.model import LABELS
from faithfulness_assert.text.non_claims import accompanies_decline, declines

SIZE = 1_000_000
TARGET = 1.0  # seconds
ENTRY = '{"id":1,"evidence":[17],"label":"supported"},'
DEEP = MAX_DEPTH - 2
GOOD = '{"verdicts":[' + (ENTRY * (SIZE // len(ENTRY)))[:-1] + "]}"

# Name: what comes before, what is repeated, what comes after.
REPEATED = {
    "open brackets": ("", "[", ""),
    "open objects": ("", '{"a":', ""),
    "closed depth": ("[" * (SIZE // 2), "]", ""),
    "closed objects": ('{"a":' * (SIZE // 7), "}", ""),
    "brackets in brackets": ("", "[[[[" * 8 + "]]]]" * 8, ""),
    "quotes": ("", '"', ""),
    "quotes in a bracket": ("{", '"', "}"),
    "single quotes": ("{", "'", "}"),
    "escapes": ('{"', '\\"', ""),
    "backslashes": ('{"', "\\", '"}'),
    "digits": ('{"id":', "1", "}"),
    "digits in a list": ("[", "12345678901234567890123,", "1]"),
    "digits of text": ("Verdict: yes. ", "1", ""),
    "exponents": ("[", "1e999,", "1]"),
    "spaces": ("[", " ", "]"),
    "line breaks": ("Verdict: yes", "\n", "x"),
    "one word": ("", "a", ""),
    "one word behind a verdict": ("Verdict: yes, ", "a", ""),
    "underscores": ("", "_", ""),
    "stars": ("", "* ", ""),
    "no, no": ("", "no, ", "no"),
    "no. no": ("Final verdict for each statement in order: ", "No. ", ""),
    "yes lines": ("", "yes\n", ""),
    "yes, yes": ("Verdict: ", "yes, ", ""),
    "supported because": ("1. supported because ", "it is stated in sentence 1 ", ""),
    "digits one and nought": ("Final verdict for each statement in order: ", "1, ", "x"),
    "numbered lines": ("", "1. yes\n", ""),
    "numbers alone": ("", "1. ", ""),
    "colons": ("1. ", "a: ", "\n2. b"),
    "verdict words": ("", "a verdict: yes ", ""),
    "verdict lines": ("", "2. Verdict: maybe\n", ""),
    "good verdict lines": ("", "Verdict: no\n", ""),
    "final verdicts": ("", "Final verdict: no\n", ""),
    "headings": ("", "### Statement 2\n", "Verdict: no"),
    "markers": ("", "final verdict for each statement in order: ", ""),
    "marker lines": ("", "final verdict for each statement in order: no\n", ""),
    "marker gaps": ("", "final" + " " * 5 + "verdict" + " " * 5 + "for ", ""),
    "think tags": ("", "<think>", ""),
    "think blocks": ("", "<think></think>", ""),
    "closing tags": ("", "</think>", ""),
    "tags in brackets": ("[", "<think>", ""),
    "angle brackets": ("", "<", ""),
    "channels": ("", "<|channel|>final<|message|>", ""),
    "torn channels": ("", "<|channel|>final<|message|>{", ""),
    "fences": ("", "```json\n", ""),
    "fences and objects": ("", "```json\n{}\n```\n", ""),
    "comments": ("{", "// x\n", "}"),
    "block comments": ("{", "/*", "}"),
    "empty objects": ("", "{}", ""),
    "empty lists": ("", "[]", ""),
    "broken objects": ("", "{x}", ""),
    "small broken pieces": ("", "{'id': 1, 'label': no}\n", ""),
    "objects alone": ("", '{"id":1,"label":"no"}\n', ""),
    "entries": ("[", ENTRY, "{}]"),
    "entries that disagree": ("[", '{"id":1,"label":"yes","verdict":"no"},', "{}]"),
    "wrappers": ("[", '{"result":{"data":{"items":[]}}},', "{}]"),
    "deep wrappers": ("[", '{"a":' * DEEP + '{"id":1,"label":"no"}' + "}" * DEEP + ",", "{}]"),
    "deep numbers": ("[", '{"1":' * DEEP + '{"id":1,"label":"no"}' + "}" * DEEP + ",", "{}]"),
    "deep lists": ("[", "[" * DEEP + '{"id":1,"label":"no"}' + "]" * DEEP + ",", "{}]"),
    "entries far down": ('{"a":' * DEEP + "[", ENTRY, "{}]" + "}" * DEEP),
    "wide maps": ('{"verdicts":[', '{"a":1,"1":"no"},', "{}]}"),
    "one key": ("{", '"label":"no",', '"id":1}'),
    "many keys": ("{", '"' + "k" * 30 + '":1,', '"label":"no"}'),
    "denying keys": ("[", '{"not_at_all_supported":1,"label":"yes","id":1},', "{}]"),
    "half denying keys": ("{", '"notnotnotnotnotnotnot":1,', '"id":1,"label":"yes"}'),
    "a long key": ('{"', "not", '":1,"id":1,"label":"yes"}'),
    "a long label": ('{"id":1,"label":"', "no ", '"}'),
    "a long positive label": ('{"id":1,"label":"yes, ', "it is stated ", '"}'),
    "long reasons": ("[", '{"id":1,"reason":"' + "it is so " * 100 + '","label":"no"},', "{}]"),
    "labels with prose": (
        "[",
        '{"id":1,"label":"supported, as it is said in ' + "sentence 3 and " * 20 + '"},',
        "{}]",
    ),
    "packed": ('{"output":"', "{", '"}'),
    "packed objects": ('{"output":"[', '{\\"id\\":1},', '1]"}'),
    "escaped twice": ('"', '\\"', '"'),
    "prose around": ('{"verdict":"yes"}', "the answer is ", ""),
    "prose before": ("", "the answer is ", '{"verdict":"yes"}'),
    "corrections": ("", "Correction: ", '{"verdict":"yes"}'),
    "not the words": ('{"verdict":"yes"} ', "i will ", ""),
    "sentences": ("", "The context says so. ", ""),
    "refusals": ("", "I cannot help with that. ", ""),
    "half refusals": ("", "i am an ai and ", ""),
    "quoted refusals": ("", '"I cannot" ', ""),
    "claims": ('{"claims":["a b"', ',"a b"', "]}"),
    "claim lines": ("", "- It is red.\n", ""),
    "claim bullets": ("", "- - - - ", ""),
    "keys of labels": ("", '"label"', ""),
    "keys with spaces": ("", '"label"' + " " * 40, ""),
    "like keys": ("", "[ a", ""),
    "CJK": ("1. ", "是，", ""),
    "zero width": ('{"id":1,"label":"', "\u200b", '"}'),
    "combining": ('{"id":1,"label":"yes', "\u0301", '"}'),
    "surrogates": ("", "\ud800", ""),
}
STATEMENTS = {1: "The shop is open daily.", 2: "Adults pay 14 euros.", 3: "Dogs are not allowed."}
READERS: dict[str, Callable[[str], object]] = {
    "verdicts": lambda text: settle(read(text), STATEMENTS),
    "single": lambda text: settle(read(text, single=True), {1: STATEMENTS[1]}),
    "lists": lambda text: read_lists(text, STATEMENTS.values()),
    "ratings": lambda text: read_ratings(text, ("faithfulness", "relevance")),
    "refusal": is_refusal,
    "declines": lambda text: (declines(text), accompanies_decline(text)),
    "schema": lambda text: not schema_errors(text, ReplyForm("verdicts", LABELS)),
}


def inputs(only: list[str]) -> dict[str, str]:
    """The inputs by name."""
    wanted = {
        name: parts
        for name, parts in REPEATED.items()
        if not only or any(word in name for word in only)
    }
    return {
        name: before + unit * ((SIZE - len(before) - len(behind)) // len(unit)) + behind
        for name, (before, unit, behind) in wanted.items()
    }


def seconds(reader: Callable[[str], object], text: str) -> float:
    start = time.process_time()
    with contextlib.suppress(UnreadableReply):
        reader(text)
    return time.process_time() - start


def main() -> None:
    floor = min(seconds(json.loads, GOOD) for _ in range(5))
    read("{'verdict': 'no'}")  # imports and compiles what is loaded on first use
    spent = [
        (seconds(reader, text), name, reading)
        for name, text in inputs(sys.argv[1:]).items()
        for reading, reader in READERS.items()
    ]
    worst = sorted(spent, reverse=True)
    for took, name, reading in worst[:12]:
        print(f"{took:7.3f} s  {took / floor:6.1f} × json.loads  {reading:9s} {name}")
    print(f"a valid reply: {seconds(read, GOOD):.3f} s; json.loads of it: {floor:.4f} s")
    print(f"{len(spent)} readings, the worst {worst[0][0]:.3f} s (target < {TARGET:g} s)")
    sys.exit(0 if worst[0][0] < TARGET else 1)


if __name__ == "__main__":
    main()
