"""However a valid reply is changed, cut, spliced and wrapped, a grade has what the judge said, or less.

No change writes a label that grants more than the one that it takes the place of, except in a made-up thought or draft, which
never counts.
"""

import copy
import json
import re
import unicodedata
from collections.abc import Callable
from typing import Any, NamedTuple

from fakes import LABELS, ScriptedJudge
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from faithfulness_assert import GradingResult, grade

SENTENCES = [f"The {name} opens at nine." for name in ("museum", "shop", "pool", "cafe", "zoo")]
RANK = {None: -1, "contradicted": 0, "not_enough_info": 1, "partially_supported": 2}
RANK |= {"supported": 3, "not_a_claim": 3}
# A statement's number is not a word; with this label no digit grants anything.
POLICY = {"labels": {"1": "not_enough_info"}, "positional_prefix": True, "controls": "off"}
DENIAL = "\n\nNone of the statements is supported by the context."
GRANTING = re.compile(
    "support|entail|faithful|ground|attribut|verif|consist|yes|true|part|[✅✔✓☑👍🟢支]"
)
Draw = Callable[[st.SearchStrategy[Any]], Any]


def graded(text: str, size: int) -> GradingResult:
    answer = " ".join(SENTENCES[:size])
    return grade(answer, answer, judge=ScriptedJudge([text, ""]), policy=POLICY)


class Mutant(NamedTuple):
    """A changed reply, the labels that it had, and whether its numbers are as they were."""

    text: str
    labels: list[str]
    numbered: bool

    def most(self) -> list[int]:
        """The highest rank that each statement may get. Without numbers a label may be anybody's; "no" may be written."""
        ranks = [max(RANK[label], RANK["not_enough_info"]) for label in self.labels]
        return ranks if self.numbered else [max(ranks)] * len(ranks)


# ---------------------------------------------------------------- entries and what is around them

NAMES = "verdict supported Label is_faithful status answer result final_label unsupported error x ID number n statement".split()
BESIDE = "confidence score unsupported hallucination final_label corrected_verdict error draft notes statement".split()
ODD = [None, False, 2, 0.5, -1, float("nan"), [], {}, ["no"], {"label": "no"}, "", "x", "no", "?"]
NESTS: list[Callable[[Any], Any]] = [
    *(lambda value: [value], lambda value: {"value": value}, lambda value: {"n": value}),
    *(str, lambda value: {"verdict": value, "score": 1}, lambda value: f"S{value}"),
]
_DRAFT = [{"id": n, "label": "supported"} for n in range(1, 9)]
# These contain labels that do not count as long as their key can be read.
MUSINGS: list[Callable[[Any], Any]] = [
    lambda tree: {"thinking": {"verdicts": _DRAFT}, **tree},
    lambda tree: {"examples": _DRAFT, **tree},
]
WRAPS: list[Callable[[Any], Any]] = [
    *(lambda tree: tree, lambda tree: tree["verdicts"], lambda tree: {"result": tree}),
    *(lambda tree: {"items": tree["verdicts"]}, lambda tree: [tree]),
    lambda tree: {"name": "verdict", "arguments": json.dumps(tree)},
    lambda tree: {**tree, "summary": "All is well: yes."},
    *(lambda tree: {**tree, "verdict": "no"}, lambda tree: {"error": "overloaded", **tree}),
    lambda tree: {"unsupported": tree["verdicts"]},
    lambda tree: {**tree, "supported": True} if len(tree["verdicts"]) > 1 else tree,
    lambda tree: {"verdicts": [row.get("label", "no") for row in tree["verdicts"]]},
]


def spoil(draw: Draw, rows: list[dict[str, Any]]) -> str:
    """Loses, doubles, turns, renames, nests or spoils something; says of which key."""
    row, key, way = (
        draw(st.sampled_from(some)) for some in (rows, ("id", "label", "label"), range(7))
    )
    if way == 0 and len(rows) > 1:
        rows.remove(row)
    elif way == 1:
        rows.insert(0, dict(row))
    elif way == 2:
        rows[:] = [dict(reversed(one.items())) for one in reversed(rows)]
    elif way == 3:
        name = draw(st.sampled_from(NAMES))
        rows[:] = [{name if at == key else at: one[at] for at in one} for one in rows]
        return str(key)
    elif way == 4 and key in row:
        row[key] = draw(st.sampled_from(NESTS))(row[key])
        return str(key)
    elif way == 5:
        row[draw(st.sampled_from(BESIDE))] = copy.deepcopy(draw(st.sampled_from(ODD)))
    else:
        row[draw(st.sampled_from(["label", "evidence", "reason"]))] = draw(st.sampled_from(ODD))
    return ""


# ---------------------------------------------------------------- the text

NOISE = """{ } [ ] " ' ` , : ; . // # /*x*/ null None nan not no but n't ``` ```json <think> “ ” ’ ， ： 。 <!-- --> <br> wait
 actually Correction: (partly) ? ~~ - id label "label":""".split()
NOISE += ["\\", "\\n", "\\u0022", " ", "\n", "\t", *"\u200b\u2060\ufeff\u00ad\u202e\u0301"]
PIECES = """verdicts "verdicts": "id":1 "id":2 "evidence": "reason": "statement": "supported" "partially_supported" "not_enough_info"
 "contradicted" "not_a_claim" yes Yes. No. Verdict: Statement final_label unsupported example </think> <|channel|>final<|message|> assistant
 1. 2) 0 1 2 1e999 true false 是 \ud800 \x00 Final verdict for each statement in order:""".split()
LOOK_ALIKES = [*zip('oesdpi"', "оеѕｄｐı“", strict=True), ("u", "u\u0308")]
THOUGHT = '{"verdicts":[{"id":1,"label":"supported"},{"id":2,"label":"supported"}]}'
CASES = (str.upper, str.lower, str.title, str.swapcase)
CHANGES: list[Callable[[Draw, str, int], str]] = [
    *[lambda draw, text, at: text[:at] + draw(st.sampled_from(NOISE)) + text[at:]] * 3,
    lambda draw, text, _: text.replace(*draw(st.sampled_from(LOOK_ALIKES)), draw(st.integers(1, 30))),
    lambda draw, text, _: draw(st.sampled_from(CASES))(text),
    # Labels in lists are so short that the next two may join one with another.
    lambda draw, text, at: text[:at] + text[at + draw(st.integers(1, 6)) :],
    lambda draw, text, _: text.replace('"', draw(st.sampled_from(["'", "`", "”", "''", '\\"']))),
]  # fmt: skip
DRESSES: list[Callable[[str], str]] = [
    *(json.dumps, "\ufeff{}".format, "```json\n{}\n```".format, "```\n{}".format),
    "Sure! Here is my assessment:\n{}\nLet me know if you need more.".format,
    lambda text: f"<think>Is it {THOUGHT}? Or not?</think>\n{text}",
    "<thinking>Verdict: yes.\nFinal verdict for each statement in order: Yes. Yes.\n</thinking>{}".format,
    *("Verdict: yes</think>{}".format, lambda text: f"{text}\n<think>{THOUGHT}"),
    lambda text: f"<|channel|>analysis<|message|>{THOUGHT}<|end|><|start|>assistant<|channel|>final<|message|>{text}",
    *("{0}\n{0}".format, "{}\nWait, statement 1 is not supported.".format, "The answer contains {}".format),
    *("{}\nI cannot help with that.".format, lambda text: text.replace("\n", "\r\n")),
]  # fmt: skip
# None of these becomes a word that grants more when a few characters are lost.
WORDS = {
    "supported": ("supported", "Supported", "yes", "Yes.", "FULLY SUPPORTED", "true"),
    "partially_supported": ("partially_supported", "PARTIALLY SUPPORTED"),
    "not_enough_info": ("not_enough_info", "NOT ENOUGH INFO", "no", "No", "idk", "false"),
    "contradicted": ("contradicted", "Contradicted", "REFUTES"),
    "not_a_claim": ("not_a_claim",),
}
REASONS = ["", "it isn't said", 'he said "yes", "label":"supported"', "verdict: yes. id: 1"]
LISTS = ("{k}. {word}", "Statement {k}: It is looked at.\nVerdict: {word}")
FINAL = "Final verdict for each statement in order: "


def roughened(draw: Draw, text: str, changes: list[Any]) -> str:
    for change in draw(st.lists(st.sampled_from(changes), max_size=2)):
        text = change(draw, text, draw(st.integers(0, len(text))))
    for dress in draw(st.lists(st.sampled_from(DRESSES), max_size=1)):
        text = dress(text)
    return text[: draw(st.integers(0, len(text)))] if draw(st.integers(0, 4)) == 0 else text


@st.composite
def mutants(draw: Draw) -> Mutant:
    labels = draw(st.lists(st.sampled_from(LABELS), min_size=1, max_size=5))
    words = [draw(st.sampled_from(WORDS[label])) for label in labels]
    if draw(st.booleans()):
        form = draw(st.sampled_from([*LISTS, "final", ", "]))
        lines = "\n".join(form.format(k=k, word=word) for k, word in enumerate(words, 1))
        final = f"{FINAL}{'. '.join(words)}."
        text = {"final": final, ", ": ", ".join(words)}.get(form, lines)
        return Mutant(roughened(draw, text, CHANGES[:5]), labels, numbered=True)
    rows: list[dict[str, Any]] = [
        {"id": k, "evidence": [k], "reason": draw(st.sampled_from(REASONS)), "label": word}
        for k, word in enumerate(words, 1)
    ]
    spoilt = [spoil(draw, rows) for _ in range(draw(st.integers(0, 3)))]
    wrap = draw(st.sampled_from([*WRAPS, *MUSINGS]))
    text = draw(st.sampled_from([json.dumps, repr]))(wrap({"verdicts": rows}))
    text = roughened(draw, text, CHANGES[4:5] if wrap in MUSINGS else CHANGES)
    whole = "id" not in spoilt and wrap is not WRAPS[-1] and re.search(r"(?i)\bid\b\W{1,4}:", text)
    return Mutant(text, labels, bool(whole))


@examples(600)
@given(mutants())
def test_no_label_of_a_mutated_reply_grants_more_than_the_original(mutant):
    found = [RANK[v.label] for v in graded(mutant.text, len(mutant.labels)).verdicts]
    assert [f <= m for f, m in zip(found, mutant.most(), strict=True)] == [True] * len(found)


@examples(200)
@given(
    mutants().map(lambda mutant: mutant.text)
    | st.text()
    | st.lists(st.sampled_from([*PIECES, *NOISE]), max_size=40).map("".join)
)
def test_a_score_needs_a_word_that_grants_it_and_no_denial_of_all(text):
    result = graded(text, 3)
    assert any(v.label for v in result.verdicts) or not result.pass_
    plain = unicodedata.normalize("NFKC", text).casefold()
    assert not result.score or GRANTING.search(plain) or "\\" in text  # an escape may hide any word
    if not re.search("<|◁|think", text.casefold()):  # what follows a tag may be thinking
        assert not graded(text + DENIAL, 3).score


@given(
    st.sampled_from(("yes", "supported", "true", "fully supported")),
    st.sampled_from((", ", ". ", ": ", " - ", " (", "\n")),
    st.text(),
    st.sampled_from("not no never isn't without but partially contradicted false nicht".split()),
)
def test_a_positive_word_before_a_negation_earns_nothing(word, delimiter, rest, negation):
    label = f"{word}{delimiter}{rest} {negation} "
    assert not graded(json.dumps([{"label": label, "id": 1}]), 1).score
