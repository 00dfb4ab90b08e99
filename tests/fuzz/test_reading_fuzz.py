"""However a reply is changed, the reader returns what the judge said, or nothing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from faithfulness_assert.reading import read
from faithfulness_assert.reading.labels import parse_label
from faithfulness_assert.reading.lists import read_lists
from faithfulness_assert.reading.reconcile import EARNING, settle
from faithfulness_assert.records.errors import UnreadableReply
from faithfulness_assert.records.model import LABELS

if TYPE_CHECKING:
    from collections.abc import Callable

    Labels = dict[int, str]

PIECES = (
    *(
        "{",
        "}",
        "[",
        "]",
        '"',
        "'",
        "\\",
        ",",
        ":",
        "\n",
        " ",
        "```json\n",
        "```",
        "//",
        "<think>",
        "</think>",
        "null",
        "NaN",
        "1e999",
        "1",
        "0",
    ),
    *(
        '"verdicts":',
        '"id":1',
        '"id":2',
        '"label":',
        '"supported"',
        '"no"',
        "yes",
        "Yes.",
        "No.",
        "not",
        "1.",
        "2)",
        "Statement 3:",
        "verdict:",
    ),
    *(
        "Final verdict for each statement in order:",
        '{"id":1,"verdict":"yes"}',
        "\ud800",
        "\x00",
        "\u200b",
        "\u202e",
        "。",
        "：",
        "是",
    ),
)
chaos = st.one_of(st.text(), st.lists(st.sampled_from(PIECES), max_size=40).map("".join))


def attempt(reader: Callable[[str], Any], text: str) -> Any:
    try:
        return reader(text)
    except UnreadableReply as error:
        return error


@given(chaos, st.sampled_from((read, read_lists)))
def test_any_text_is_read_or_unreadable_and_can_be_encoded(
    text: str, reader: Callable[[str], Any]
) -> None:
    found = attempt(reader, text)
    if isinstance(found, UnreadableReply):
        assert found.kind in ("unreadable", "refusal")
        assert found.message
    else:
        texts = (
            [claim for _, claim in found]
            if reader is read_lists
            else [row.statement + row.reason + row.quote for row in found.rows]
        )
        assert all(isinstance(said.encode(), bytes) for said in texts)  # no lone surrogate


@given(chaos)
def test_every_reading_has_a_known_label(text: str) -> None:
    assert parse_label(text) in (None, *LABELS)
    found = attempt(read, text)
    rows = () if isinstance(found, UnreadableReply) else found.rows
    assert all(row.label in (None, *LABELS) for row in rows)
    assert isinstance(found, UnreadableReply) or rows


@st.composite
def verdicts(draw: Any) -> tuple[list[dict[str, Any]], Labels]:
    """Entries in our form, and what they say. Reasons may quote verdicts."""
    labels = draw(st.lists(st.sampled_from(LABELS), min_size=1, max_size=9))
    reasons = st.sampled_from(
        (
            "",
            "it isn't said",
            "see [2], {so}",
            'he said "yes", "label":"supported"',
            "verdict: yes. id: 1",
            "<think> </think>",
        )
    )
    entries = [
        {"id": k, "evidence": [k], "reason": draw(reasons), "label": label}
        for k, label in enumerate(labels, 1)
    ]
    return entries, dict(enumerate(labels, 1))


def holds(text: str, true: Labels) -> bool:
    """Whether each statement has its true label, one that earns nothing, or none."""
    try:
        findings = settle(read(text), dict.fromkeys(true, "")).findings
    except UnreadableReply:
        return True
    return all(
        finding.label == true[number] or finding.label not in EARNING
        for number, finding in findings.items()
    )


DRESSES: dict[str, Callable[[str], str]] = {
    "fence": lambda text: f"```json\n{text}\n```",
    "prose": lambda text: f"Sure! {{Here}} they are [1]:\n{text}\nAnything else [or not]?",
    "think": lambda text: f'<think>Is it {{"id":1,"label":"supported"}}?</think>{text}',
    "twice": lambda text: f"{text}\n{text}",
    "string": json.dumps,
    "wrapper": lambda text: f'{{"result":{text}}}',
    "commas": lambda text: text.replace("}]", "},]"),
    "comments": lambda text: text.replace("}, ", "}, // \n"),
}


@given(
    verdicts(),
    st.lists(st.sampled_from(sorted(DRESSES)), max_size=3),
    st.randoms(use_true_random=False),
    st.booleans(),
)
def test_wrapped_shuffled_and_repeated_replies_keep_their_meaning(
    made: tuple[list[dict[str, Any]], Labels], dresses: list[str], random: Any, pythonic: bool
) -> None:
    entries, true = made
    some = [entry for entry in entries for _ in range(random.choice((0, 1, 1, 1, 2)))]
    random.shuffle(some)
    text = repr({"verdicts": some}) if pythonic else json.dumps({"verdicts": some})
    for name in dresses:
        text = DRESSES[name](text)
    assert holds(text, true)


@given(verdicts(), st.data())
def test_a_truncated_reply_has_no_verdict_but_those_of_its_whole_entries(
    made: tuple[list[dict[str, Any]], Labels], data: st.DataObject
) -> None:
    text = json.dumps({"verdicts": made[0]})
    cut = data.draw(st.integers(0, len(text) - 1))
    found = attempt(read, text[:cut])
    rows = () if isinstance(found, UnreadableReply) else found.rows
    assert dict(enumerate((row.label for row in rows), 1)).items() <= made[1].items()
    assert not rows or text[:cut].endswith("}")


@given(verdicts(), st.data(), st.integers(1, 3), st.sampled_from((json.dumps, repr)))
def test_a_changed_character_never_raises_a_label(
    made: tuple[list[dict[str, Any]], Labels],
    data: st.DataObject,
    times: int,
    dumps: Callable[[Any], str],
) -> None:
    entries, true = made
    keys = data.draw(
        st.sampled_from(
            (["id", "label"], ["label"], ["reason", "label"], ["id", "evidence", "reason", "label"])
        )
    )
    text = dumps({"verdicts": [{key: entry[key] for key in keys} for entry in entries]})
    for _ in range(times):
        at = data.draw(st.integers(0, len(text) - 1))
        text = (
            text[:at]
            + data.draw(st.sampled_from(["", text[at] * 2, *"{}[]\",:' \n"]))
            + text[at + 1 :]
        )
    assert holds(text, true)


WORDS = {
    "supported": ("Yes", "supported", "YES"),
    "not_enough_info": ("No", "not supported", "Not enough info"),
    "contradicted": ("Contradicted",),
}
FORMS: tuple[Callable[[list[str]], str], ...] = (
    lambda words: "Final verdict for each statement in order: " + ". ".join(words) + ".",
    lambda words: "Final verdict for each statement in order: " + ", ".join(words),
    lambda words: "\n".join(f"{k}. {word}" for k, word in enumerate(words, 1)),
    lambda words: "\n".join(f"{k}. It is so. Verdict: {word}." for k, word in enumerate(words, 1)),
    lambda words: "\n".join(words),
    lambda words: json.dumps({"verdicts": words}),
    lambda words: json.dumps([{"verdict": word} for word in words]),
)


@given(
    st.lists(st.sampled_from(sorted(WORDS)), min_size=1, max_size=8),
    st.sampled_from(FORMS),
    st.data(),
)
def test_every_form_of_list_is_read_in_its_order(
    labels: list[str], form: Callable[[list[str]], str], data: st.DataObject
) -> None:
    words = [data.draw(st.sampled_from(WORDS[label])) for label in labels]
    assert [row.label for row in read(form(words)).rows] == labels


@given(
    st.sampled_from(("yes", "supported", "true", "fully supported")),
    st.sampled_from((", ", ". ", ": ", " - ", " (", "\n")),
    st.text(),
)
def test_a_positive_word_before_a_negation_earns_nothing(
    word: str, delimiter: str, rest: str
) -> None:
    for negation in (
        "not",
        "no",
        "never",
        "isn't",
        "without",
        "but",
        "partially",
        "contradicted",
        "false",
        "nicht",
    ):
        label = f"{word}{delimiter}{rest} {negation} "
        assert parse_label(label) is None
        (finding,) = settle(
            read(json.dumps([{"label": label, "id": 1}])), {1: "It is."}
        ).findings.values()
        assert finding.label not in EARNING
