"""Grades to try: answers whose labels are known, contexts, policies, and what goes wrong."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from faithfulness_assert.records.judge import Limits

NOUNS = tuple(
    "museum bakery harbour library garden bridge theatre station market castle chapel stadium "
    "airport hotel canal orchard cinema bazaar gallery fountain lighthouse brewery".split()
)
FORMS = {  # a sentence, and the claims that it makes; "{0}" and "{1}" are nouns of its own
    "plain": ("The {0} is open daily.", ("The {0} is open daily.",)),
    "fact": ("Dogs are welcome in the {0}.", ("Dogs are welcome in the {0}.",)),
    "number": ("The {0} has 12 rooms.", ("The {0} has 12 rooms.",)),
    "name": ("The {0} was built by Otto Brandt.", ("The {0} was built by Otto Brandt.",)),
    "pronoun": ("It also has a small {0}.", ("The house also has a small {0}.",)),
    "sign": ('The sign of the {0} says "supported".', ('The sign of the {0} says "supported".',)),
    "claims": (
        "Claims about the {0} are filed online.",
        ("Claims about the {0} are filed online.",),
    ),
    "compound": (
        "The {0} is open daily and the {1} is painted green.",
        ("The {0} is open daily.", "The {1} is painted green."),
    ),
}
ASIDES = ("Would you like to know more?", "I hope this helps!")
LINES = {  # what a line of the context says about a noun
    "supported": "The guide describes the {0} in the same words.",
    "partially_supported": "The guide describes the {0} in part.",
    "contradicted": "The guide describes the {0} quite otherwise.",
}
TORN = {  # facts that one line of the context backs, and another one, far away, contradicts
    "torn": ("supported", "contradicted"),
    "torn_part": ("partially_supported", "contradicted"),
}
FILLERS = tuple(
    f"The town ledger of 18{n} counts {3 * n + 7} houses in the {quarter} quarter."
    for n, quarter in enumerate(("old", "new", "upper", "lower", "northern", "southern"), 41)
)


@dataclass(frozen=True)
class Sentence:
    """A sentence of the answer. ``labels`` are those of its claims; an aside claims nothing."""

    text: str
    nouns: tuple[str, ...] = ()
    claims: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()

    @property
    def aside(self) -> bool:
        """Whether it is a question or a remark to the reader."""
        return not self.claims


def fact(form: str, noun: int, labels: Sequence[str]) -> Sentence:
    """The sentence of this form about the nouns from number ``noun`` on."""
    text, claims = FORMS[form]
    nouns = tuple(NOUNS[(noun + i) % len(NOUNS)] for i in range(len(claims)))
    said = tuple(claim.format(*nouns) for claim in claims)
    return Sentence(text.format(*nouns), nouns, said, tuple(labels[: len(claims)]))


def truth(label: str) -> str:
    """The label that a fact deserves by the whole context."""
    return "contradicted" if label in TORN else label


def together(labels: Sequence[str]) -> str:
    """The label of a sentence whose claims have these labels."""
    if "contradicted" in labels:
        return "contradicted"
    if set(labels) == {"supported"}:
        return "supported"
    some = {"supported", "partially_supported"} & set(labels)
    return "partially_supported" if some else "not_enough_info"


@dataclass(frozen=True)
class Scenario:
    """One grade. Faults are names of :data:`VERDICT_FAULTS` and so on; past their end all is well."""

    policy: str
    sentences: tuple[Sentence, ...]
    options: Mapping[str, Any] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    remote: bool = False
    fillers: int = 0
    bullets: bool = False
    lump: int = 0  # characters of a line of the context without a space
    claim_faults: tuple[str, ...] = ()
    truth_faults: tuple[str, ...] = ()
    verdict_faults: tuple[str, ...] = ()
    seed: int = 0

    @property
    def answer(self) -> str:
        """The sentences, in a paragraph or as a list."""
        texts = [sentence.text for sentence in self.sentences]
        return "\n".join(f"- {text}" for text in texts) if self.bullets else " ".join(texts)

    @property
    def context(self) -> list[str]:
        """A passage for each noun that the context knows, among fillers."""
        known = {
            noun: TORN.get(label, (label,))
            for sentence in self.sentences
            for noun, label in zip(sentence.nouns, sentence.labels, strict=True)
            if label != "not_enough_info"
        }
        first = [LINES[said[0]].format(noun) for noun, said in known.items()]
        last = [LINES[said[1]].format(noun) for noun, said in known.items() if len(said) > 1]
        fillers = [FILLERS[i % len(FILLERS)] for i in range(self.fillers)]
        mixed: list[str] = list(FILLERS[:1])
        for i, text in enumerate(first):
            mixed += [*fillers[2 * i : 2 * i + 2], text]
        lump = [f"The ledger says {'zq7' * (self.lump // 3)}."] if self.lump else []
        return [*mixed, *fillers[2 * len(first) :], *lump, *last]

    @property
    def faults(self) -> tuple[str, ...]:
        """All faults by name, with their stage."""
        stages = ("claim", "truth", "verdict")
        return tuple(
            f"{stage}:{name}"
            for stage in stages
            for name in getattr(self, f"{stage}_faults")
            if name != "clean"
        )
