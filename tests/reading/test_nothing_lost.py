"""Nothing of a reply is thrown away: what is not in a row is residue, so that the gate sees it."""

from __future__ import annotations

import json
import re

from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import examples

from faithfulness_assert import UnreadableReply
from faithfulness_assert.reading.reconcile import read
from faithfulness_assert.reading.rows import Reading
from faithfulness_assert.records.model import LABELS

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
def test_every_word_of_a_reply_is_in_a_row_or_in_the_residue(reply: str, single: bool) -> None:
    try:
        reading = read(reply, single=single)
    except UnreadableReply:
        assume(False)
    assert runs(reply) - heard(reading) - STRUCTURE == set()
