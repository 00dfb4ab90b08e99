"""A reply that is exact is read faster and never differently; of any other nothing is thrown away.

What is not in a row is residue, so that the gate sees it.
"""

import json
import re
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from strategies import examples

from faithfulness_assert import UnreadableReply
from faithfulness_assert.asking.schema import json_schema
from faithfulness_assert.reading.reconcile import read
from faithfulness_assert.reading.rows import Reading, exact_rows
from faithfulness_assert.records.judge import ReplyForm
from faithfulness_assert.records.model import LABELS

MANY, ONE = ReplyForm("verdicts", LABELS), ReplyForm("verdicts", LABELS, numbered=False)
WHY = ReplyForm("verdicts", LABELS, reasons="problems")
OTHERS = [
    ReplyForm("claims", numbered=False),
    ReplyForm("truths"),
    ReplyForm("reason"),
    ReplyForm("ratings", dimensions=("faithfulness", "relevance")),
]
KEYS = st.sampled_from(["id", "evidence", "label", "reason", "error", "statement", "verdicts"])
GAPS = st.sampled_from([(",", ":"), (", ", ": "), (" ,\n", " :\t")])
PIECES = st.sampled_from(
    [*'{}[],:"0197-.e ', '"id":2,', '"label":"no",', "true", "null", "\ufeff", ""]
)
SMALL = st.integers(0, 9) | st.integers(-(10**9) + 1, 10**9 - 1)
ANY = SMALL | st.integers() | st.sampled_from([10**9, -(10**9), 10**20])
WRONG = st.recursive(
    st.sampled_from([None, True, 1.0, -2, 9, "", "1", "no", "overall", *LABELS]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=6,
)  # fmt: skip


def exact_entries(numbers: st.SearchStrategy[int]) -> st.SearchStrategy[list[dict[str, Any]]]:
    """Entries with numbers, or entries without."""
    parts = {"evidence": st.lists(numbers, max_size=4), "label": st.sampled_from(LABELS)}
    alike = (st.fixed_dictionaries({**id_, **parts}) for id_ in ({"id": numbers}, {}))
    return st.one_of(*(st.lists(entry, min_size=1, max_size=6) for entry in alike))


@st.composite
def almost_exact(draw: st.DrawFn) -> str:
    """An exact reply, or one with a wrong value, another key, or a few characters changed."""
    reply: dict[str, Any] = {"verdicts": draw(exact_entries(ANY))}
    if draw(st.booleans()):
        for entry in reply["verdicts"]:
            entry["reason"] = draw(st.sampled_from(["", "It says so.", " Not\u00a0so.", 7]))
    if draw(st.booleans()):
        reply = {"ask": draw(st.sampled_from(["bcdf", "no", "k7f2", "", 1])), **reply}
    if draw(st.booleans()):
        reply["verdicts"][-1][draw(KEYS)] = draw(WRONG)
    text = json.dumps(reply, separators=draw(GAPS))
    for place, piece in draw(st.lists(st.tuples(st.integers(0, 300), PIECES), max_size=2)):
        at = place % (len(text) + 1)
        text = text[:at] + piece + text[at + draw(st.integers(0, 2)) :]
    return text


def conforms(text: str, form: ReplyForm) -> bool:
    """Whether a reply fits the schema of its ask. It may leave out its key, and reasons that may be empty."""
    value = json.loads(text)
    if isinstance(value, dict):
        value = {"ask": "", **value}
        entries = value.get("verdicts") if form.reasons == "problems" else None
        for entry in entries if isinstance(entries, list) else ():
            if isinstance(entry, dict):
                entry.setdefault("reason", "")
    return not list(Draft202012Validator(json_schema(form)).iter_errors(value))


@given(
    almost_exact(),
    st.sampled_from([MANY, ONE, WHY]),
    st.sampled_from([None, {}, {"yes": "contradicted"}, {"supported": "contradicted"}]),
)
def test_an_exact_reply_has_the_rows_that_the_full_reader_finds_and_no_residue(text, form, labels):
    rows = exact_rows(text, form, labels)
    if rows is None:
        return
    full = read(text, labels)
    assert (full.rows, full.form, "".join(full.residue)) == (rows, "json", "")
    assert read(text, labels, form) == full._replace(residue=(), form="schema")
    assert conforms(text, form)


@given(exact_entries(SMALL), GAPS)
def test_every_reply_of_numbers_and_labels_is_exact(said, gaps):
    form = MANY if "id" in said[0] else ONE
    rows = exact_rows(json.dumps({"verdicts": said}, separators=gaps), form)
    assert [(row.number, list(row.evidence), row.label) for row in rows or ()] == [
        (entry.get("id"), entry["evidence"], entry["label"]) for entry in said
    ]


def test_a_form_with_other_labels_or_words_of_the_judge_has_no_exact_reply():
    exact = '{"verdicts":[{"id":1,"evidence":[2],"label":"supported"}]}'
    assert exact_rows(exact, MANY) is not None
    assert [form for form in (ONE, *OTHERS) if exact_rows(exact, form)] == []
    assert exact_rows(exact, MANY, {"supported": "contradicted"}) is None


# ---------------------------------------------------------------- nothing is lost

STRUCTURE = set(
    """verdicts id statement label evidence reason quote result data name arguments json final
    verdict for each in order explanation""".split()
)
"""Keys that say nothing themselves, the words of forms, and what marks a fence."""
NAMES = st.text("klmn", min_size=5, max_size=5) | st.sampled_from(["but", "the", "Not"])
PHRASES = st.lists(NAMES | st.sampled_from(["14", "été"]), min_size=1, max_size=4).map(" ".join)
VALUES = st.recursive(
    PHRASES | st.integers(2, 99),
    lambda inner: st.lists(inner, min_size=1, max_size=2) | st.dictionaries(NAMES, inner, min_size=1),
    max_leaves=4,
)  # fmt: skip
# "@" is what they wrap, each "#" a name or a phrase.
DRESSES = (
    '{"verdicts": @}',
    '{"#": @}',
    '{"result": @, "#": "#"}',
    '{"#": ["#", 3], "data": @}',
    '{"verdicts": @, "verdicts": [{"id": 8, "label": "contradicted", "#": "#"}]}',
    '{"# kone": {"# ktwo": "#"}, "verdicts": @}',
)
LINES = (
    "n. @ – #",
    "(n) @: # [3]",
    "Statement n: @, #\n  - #",
    "n. # # -> @",
    "| n | # | @ | # |",
    "n. #\n   Explanation: #. Verdict: @. #",
    "Statement n: #\nReason: #\nVerdict: @",
    "n: @\n# #",
)
OTHER_LINES = st.sampled_from(["#", "", "* #", "Verdict: #", "7. #"])


def runs(text: str) -> set[str]:
    """The words and numbers of a text."""
    return set(re.findall(r"[^\W_]+", text.casefold()))


def heard(reading: Reading) -> set[str]:
    """The words that a reading still has. A row's whole ``line`` would have them all.

    A row whose labels differ has none of them, and is open.
    """
    parts = [str(part) for row in reading.rows for part in row._replace(line="")]
    parts += LABELS if any(row.label is None for row in reading.rows) else []
    return runs(" ".join([*parts, *reading.residue]))


@st.composite
def entries(draw: st.DrawFn) -> str:
    """An object with a label, parts that were asked for, and others; any of them may come twice."""
    known = st.tuples(st.sampled_from(["reason", "statement", "quote"]), PHRASES)
    evidence = st.tuples(st.just("evidence"), st.lists(st.integers(1, 30) | PHRASES, max_size=3))
    pairs = draw(st.lists(known | evidence | st.tuples(NAMES, VALUES), max_size=4))
    pairs += [("id", draw(st.integers(1, 9))), ("label", draw(st.sampled_from(LABELS)))]
    pairs = draw(st.permutations(pairs))
    dumped = [f'"{key}": {json.dumps(value, ensure_ascii=False)}' for key, value in pairs]
    return f"{{{', '.join(dumped)}}}"


@st.composite
def json_replies(draw: st.DrawFn) -> str:
    """Entries in a dress, with other keys, comments and prose around them."""
    comments = st.sampled_from(["", " // kone ktwo\n", " /* kthree */ "])
    listed = [entry + draw(comments) for entry in draw(st.lists(entries(), min_size=1, max_size=4))]
    text = f"[{', '.join(listed)}]"
    for dress in draw(st.lists(st.sampled_from(DRESSES), max_size=3)):
        text = dress.replace("#", draw(NAMES)).replace("@", text)
    if draw(st.booleans()) and "//" not in text and "/*" not in text:
        text = json.dumps({"name": "knine", "arguments": text}, ensure_ascii=False)
    fenced = f"\n```json\n{text}\n```\n" if draw(st.booleans()) else text
    return draw(st.just("") | PHRASES) + fenced + draw(st.just("") | PHRASES)


@st.composite
def text_replies(draw: st.DrawFn) -> str:
    """Numbered lines with what belongs to them, other lines, and perhaps a final list."""
    lines: list[str] = []
    for number in range(2, draw(st.integers(3, 6))):
        form = draw(st.sampled_from(LINES)).replace("@", draw(st.sampled_from(LABELS)))
        lines += [form.replace("n", str(number), 1), *draw(st.lists(OTHER_LINES, max_size=1))]
    if draw(st.booleans()):
        final = ". ".join(draw(st.lists(st.sampled_from(LABELS), min_size=1)))
        lines += ["", f"Final verdict for each statement in order: {final}.", "", "#"]
    return re.sub("#", lambda _: draw(PHRASES), "\n".join(lines))


@examples(300)
@given(json_replies() | text_replies(), st.booleans())
def test_every_word_of_a_reply_is_in_a_row_or_in_the_residue(reply, single):
    try:
        reading = read(reply, single=single)
    except UnreadableReply:
        assume(False)
    assert runs(reply) - heard(reading) - STRUCTURE == set()
