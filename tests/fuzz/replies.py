"""Nearly valid replies: a valid reply with known labels is changed, cut, spliced and wrapped.

No change writes a label that grants more than the original one, except in a made-up thinking block or draft, which never counts.
``Mutant.most`` is the most that may be read for each statement.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fakes import LABELS
from hypothesis import strategies as st

_RISING = (None, "contradicted", "not_enough_info", "partially_supported", "supported")
RANK = {**{label: rank for rank, label in enumerate(_RISING, -1)}, "not_a_claim": 3}
_ID_KEY = re.compile(r"\bid\b\W{1,4}:", re.IGNORECASE)
Tree = Any
Draw = Callable[[st.SearchStrategy[Any]], Any]


@dataclass(frozen=True)
class Mutant:
    """A reply's text, the original label of each statement, and whether the numbers are unchanged."""

    text: str
    labels: dict[int, str]
    numbered: bool

    @property
    def most(self) -> dict[int, int]:
        """The highest rank that may be read for each statement: its own, and that of the "no" that a change may write.

        Without trustworthy numbers a label may be anybody's.
        """
        ranks = {
            number: max(RANK[label], RANK["not_enough_info"])
            for number, label in self.labels.items()
        }
        return ranks if self.numbered else dict.fromkeys(ranks, max(ranks.values()))


# ---------------------------------------------------------------- the tree: entries and wrappers


def _entries(tree: Tree) -> list[dict[str, Any]]:
    return [entry for entry in tree["verdicts"] if isinstance(entry, dict)]


def _drop(draw: Draw, tree: Tree) -> None:
    if len(tree["verdicts"]) > 1:
        tree["verdicts"].pop(draw(st.integers(0, len(tree["verdicts"]) - 1)))


def _double(draw: Draw, tree: Tree) -> None:
    tree["verdicts"].insert(0, copy.deepcopy(draw(st.sampled_from(tree["verdicts"]))))


def _shuffle(draw: Draw, tree: Tree) -> None:
    tree["verdicts"] = draw(st.permutations(tree["verdicts"]))


def _reorder_keys(draw: Draw, tree: Tree) -> None:
    for entry in _entries(tree):
        pairs = draw(st.permutations(list(entry.items())))
        entry.clear()
        entry.update(pairs)


LABEL_KEYS = "verdict supported Label is_faithful status answer result final_label judgement unsupported contradicted error x".split()
ODD_VALUES = [None, False, 2, 0.5, -1, float("nan"), [], {}, ["no"], {"label": "no"}]
ODD_VALUES += ["", "x", "no", "?", "not sure"]
STRAY = st.sampled_from(ODD_VALUES).map(copy.deepcopy)
BESIDE = "confidence score unsupported hallucination final_label corrected_verdict error draft notes statement".split()


def _rename_label(draw: Draw, tree: Tree) -> None:
    name = draw(st.sampled_from(LABEL_KEYS))
    for entry in _entries(tree):
        if "label" in entry:
            entry[name] = entry.pop("label")


def _nest_label(draw: Draw, tree: Tree) -> None:
    entry = draw(st.sampled_from(_entries(tree) or [{}]))
    said = entry.get("label")
    dresses = [{"label": said}, [said], {"value": said}, {"verdict": said, "score": 1}]
    if "label" in entry:
        entry["label"] = draw(st.sampled_from(dresses))


def _spoil(draw: Draw, tree: Tree) -> None:
    entry = draw(st.sampled_from(_entries(tree) or [{}]))
    key = draw(st.sampled_from(["label", "evidence", "reason", "x"]))
    entry[key] = draw(STRAY)


def _add(draw: Draw, tree: Tree) -> None:
    """A key beside the label that denies, doubts, or is unrelated."""
    entry = draw(st.sampled_from(_entries(tree) or [{}]))
    entry[draw(st.sampled_from(BESIDE))] = draw(STRAY)


def _stray_item(draw: Draw, tree: Tree) -> None:
    tree["verdicts"].append(draw(STRAY))


TREE_CHANGES = (_drop, _double, _shuffle, _reorder_keys, _rename_label)
TREE_CHANGES += (_nest_label, _spoil, _add, _stray_item)


def _retype_ids(draw: Draw, tree: Tree) -> None:
    kind = draw(st.integers(0, 6))
    for entry in _entries(tree):
        if number := entry.get("id"):
            others = (str(number), float(number), f"S{number}", f"statement_{number}")
            entry["id"] = (*others, [number], {"n": number}, None)[kind]


def _rename_ids(draw: Draw, tree: Tree) -> None:
    name = draw(st.sampled_from("statement_id ID number index n claim statement".split()))
    for entry in _entries(tree):
        if "id" in entry:
            entry[name] = entry.pop("id")


def _flat(draw: Draw, tree: Tree) -> None:
    """Labels alone, in the order of the entries."""
    tree["verdicts"] = [entry.get("label") for entry in _entries(tree)] or ["no"]


ID_CHANGES = (_retype_ids, _rename_ids, _flat)

WRAPS: tuple[Callable[[Tree], Tree], ...] = (
    lambda tree: tree["verdicts"],
    lambda tree: {"result": tree},
    lambda tree: {"items": tree["verdicts"]},
    lambda tree: [tree],
    lambda tree: {"name": "verdict", "arguments": json.dumps(tree)},
    lambda tree: {**tree, "summary": "All is well: yes."},
    lambda tree: {**tree, "verdict": "no"},
    lambda tree: {"error": "model overloaded", **tree},
    lambda tree: {"unsupported": tree["verdicts"]},
    lambda tree: {**tree, "supported": True} if len(tree["verdicts"]) > 1 else tree,
)
# These contain labels that do not count as long as their key can be read: the text around them stays valid.
_DRAFT = [{"id": k, "label": "supported"} for k in range(1, 9)]
MUSINGS: tuple[Callable[[Tree], Tree], ...] = (
    lambda tree: {"thinking": {"verdicts": _DRAFT}, **tree},
    lambda tree: {"examples": _DRAFT, **tree},
)


# ---------------------------------------------------------------- the text

# No closing tag: everything before it is thinking, so only the tail of a cut word would be left.
NOISE = """{ } [ ] " ' ` , : ; . // # /*x*/ null None nan not no but n't ``` ```json <think> “ ” ’ ， ： 。 <!-- --> <br> wait
 actually Correction: (partly) ? ~~ - id label "label":""".split()
NOISE += ["\\", "\\n", "\\u0022", " ", "\n", "\t", *"\u200b\u2060\ufeff\u00ad\u202e\u0301"]
# Of what replies are made, in any order.
PIECES = """verdicts "verdicts": "id":1 "id":2 "evidence": "reason": "statement": "supported" "partially_supported" "not_enough_info"
 "contradicted" "not_a_claim" yes Yes. No. Verdict: Statement final_label unsupported example </think> <|channel|>final<|message|> assistant
 1. 2) 0 1 2 1e999 true false 是 \ud800 \x00 Final verdict for each statement in order:""".split()
PIECES += NOISE


def _insert(draw: Draw, text: str) -> str:
    at = draw(st.integers(0, len(text)))
    return text[:at] + draw(st.sampled_from(NOISE)) + text[at:]


def _delete(draw: Draw, text: str) -> str:
    """A few characters, too few to join a statement with the label of the next."""
    at = draw(st.integers(0, len(text)))
    return text[:at] + text[at + draw(st.integers(1, 6)) :]


LOOK_ALIKES = [*zip('oesdpi"', "оеѕｄｐı“", strict=True), ("u", "u\u0308")]


def _look_alike(draw: Draw, text: str) -> str:
    one, other = draw(st.sampled_from(LOOK_ALIKES))
    return text.replace(one, other, draw(st.integers(1, 30)))


def _requote(draw: Draw, text: str) -> str:
    return text.replace('"', draw(st.sampled_from(["'", "`", "”", "''", '\\"'])))


def _recase(draw: Draw, text: str) -> str:
    return draw(st.sampled_from([str.upper, str.lower, str.title, str.swapcase]))(text)


TEXT_CHANGES = (_insert, _insert, _insert, _delete, _look_alike, _requote, _recase)
# Labels in lists are so short that a lost character may join two of them.
LIST_CHANGES = (_insert, _insert, _look_alike, _recase)

THOUGHT = '{"verdicts":[{"id":1,"label":"supported"},{"id":2,"label":"supported"}]}'
DRESSES: tuple[Callable[[str], str], ...] = (
    lambda text: f"```json\n{text}\n```",
    lambda text: f"```\n{text}",
    lambda text: f"Sure! Here is my assessment:\n{text}\nLet me know if you need more.",
    lambda text: f"<think>Is it {THOUGHT}? Or not?</think>\n{text}",
    lambda text: (
        f"<thinking>Verdict: yes.\nFinal verdict for each statement in order: Yes. Yes.\n</thinking>{text}"
    ),
    lambda text: f"Verdict: yes</think>{text}",
    lambda text: f"{text}\n<think>{THOUGHT}",
    lambda text: (
        f"<|channel|>analysis<|message|>{THOUGHT}<|end|><|start|>assistant<|channel|>final<|message|>{text}"
    ),
    lambda text: f"{text}\n{text}",
    lambda text: f"{text}\nWait, statement 1 is not supported.",
    lambda text: f"{text}\nI cannot help with that.",
    lambda text: f"The answer contains {text}",
    lambda text: "\ufeff" + text,
    lambda text: text.replace("\n", "\r\n"),
    json.dumps,
)

# Words for each label. None becomes a word that grants more when a few characters are lost.
WORDS = {
    "supported": ("supported", "Supported", "yes", "Yes.", "FULLY SUPPORTED", "true"),
    "partially_supported": ("partially_supported", "PARTIALLY SUPPORTED"),
    "not_enough_info": ("not_enough_info", "NOT ENOUGH INFO", "no", "No", "idk", "false"),
    "contradicted": ("contradicted", "Contradicted", "REFUTES"),
    "not_a_claim": ("not_a_claim",),
}
REASONS = ("", "it isn't said", 'he said "yes", "label":"supported"', "verdict: yes. id: 1")
REASONS += ("<think> </think>", "see [2], {so}")
LISTS: tuple[Callable[[list[str]], str], ...] = (
    lambda words: "Final verdict for each statement in order: " + ". ".join(words) + ".",
    lambda words: "\n".join(f"{k}. {word}" for k, word in enumerate(words, 1)),
    lambda words: "\n".join(
        f"Statement {k}: It is looked at.\nVerdict: {word}" for k, word in enumerate(words, 1)
    ),
    lambda words: (
        "\n".join(f"{k}. It is looked at. Verdict: {word}." for k, word in enumerate(words, 1))
        + f"\nFinal verdict for each statement in order: {', '.join(words)}"
    ),
    lambda words: ", ".join(words),
)


@st.composite
def json_mutants(draw: Draw) -> Mutant:
    """A JSON reply whose tree, text and surroundings were changed."""
    labels = dict(enumerate(draw(st.lists(st.sampled_from(LABELS), min_size=1, max_size=5)), 1))
    entries = [
        {
            "id": k,
            "evidence": [k],
            "reason": draw(st.sampled_from(REASONS)),
            "label": draw(st.sampled_from(WORDS[label])),
        }
        for k, label in labels.items()
    ]
    tree: Tree = {"verdicts": entries}
    ids = draw(st.lists(st.sampled_from(ID_CHANGES), max_size=1))
    for change in [*draw(st.lists(st.sampled_from(TREE_CHANGES), max_size=3)), *ids]:
        change(draw, tree)
    wrap = draw(st.sampled_from([lambda tree: tree, *WRAPS, *MUSINGS]))
    tree = wrap(tree)
    text = draw(
        st.sampled_from(
            [json.dumps, repr, lambda value: json.dumps(value, indent=1, ensure_ascii=False)]
        )
    )(tree)
    text = _roughened(draw, text, (_recase,) if wrap in MUSINGS else TEXT_CHANGES)
    return Mutant(text, labels, numbered=not ids and _ID_KEY.search(text) is not None)


@st.composite
def list_mutants(draw: Draw) -> Mutant:
    """A plain-text reply in one of the forms of older prompts, changed."""
    labels = dict(enumerate(draw(st.lists(st.sampled_from(LABELS), min_size=1, max_size=5)), 1))
    text = draw(st.sampled_from(LISTS))(
        [draw(st.sampled_from(WORDS[label])) for label in labels.values()]
    )
    return Mutant(_roughened(draw, text, LIST_CHANGES), labels, numbered=True)


def _roughened(draw: Draw, text: str, changes: tuple[Callable[[Draw, str], str], ...]) -> str:
    for change in draw(st.lists(st.sampled_from(changes), max_size=2)):
        text = change(draw, text)
    for dress in draw(st.lists(st.sampled_from(DRESSES), max_size=2)):
        text = dress(text)
    return text[: draw(st.integers(0, len(text)))] if draw(st.integers(0, 4)) == 0 else text


mutants = json_mutants() | list_mutants()
