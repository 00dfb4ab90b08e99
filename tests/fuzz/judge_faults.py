"""The ways in which a judge's reply goes wrong, each as a change of a good reply."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from faithfulness_assert import Ask


@dataclass(frozen=True)
class Entry:
    """One verdict as it is written: the number, the word for the label, the statement's text."""

    id: int | None
    word: str
    echo: str = ""
    evidence: tuple[int, ...] = ()
    denied: str = ""  # a second field of the entry that says no, as JSON


@dataclass(frozen=True)
class Content:
    """What a reply says, before it becomes text. A reply that cannot be used says nothing."""

    entries: tuple[Entry, ...] = ()
    claims: tuple[tuple[int | None, str], ...] = ()
    silent: frozenset[int] = frozenset()  # sentences that are said to claim nothing
    overall: str = ""  # a field that says no to the whole, as JSON, or a line of prose
    accused: tuple[int, ...] = ()  # numbers that a note speaks against
    dress: str = "json"
    frame: "tuple[str, Content] | None" = None  # a form for another content, and this one
    text: str | None = None  # where it is not made from the fields above
    finish: str = "stop"
    refused: bool = False
    error: Any = None
    crash: bool = False  # an exception that is not a JudgeError

    @property
    def usable(self) -> bool:
        """Whether the reply may be read at all."""
        return not (self.error or self.crash or self.refused or self.finish != "stop")


OVERALL = (
    '"overall_verdict":"contradicted"',
    '"overall_faithful":false',
    '"all_supported":false',
    '"faithful":false',
    '"passed":false',
    '"summary":{"verdict":"not_supported"}',
    '"conclusion":"The answer is not faithful to the context."',
    "Overall verdict: contradicted",
    "Overall, the answer is not supported by the context.",
)
DENIED = (
    '"final_answer":"No"',
    '"result":"fail"',
    '"verified":false',
    '"matches_context":false',
    '"nli":"contradiction"',
    '"supported":false',
)
NOTES = (
    "Note: statement {0} is actually contradicted by the context.",
    '"hallucinations":["{1}"]',
    '"unsupported_statements":[{0}]',
    '"contradicted_ids":[{0}]',
)
REFUSALS = (
    "I cannot break this down.",
    "There are no claims.",
    "I'm sorry, but I can't help with that.",
    "I cannot determine faithfulness from this context.",
)
REMARKS = ("There are no claims in this sentence.", "I cannot break this down.")


# ---------------------------------------------------------------- what goes wrong

Fault = Callable[[Content, Ask, random.Random], Content]


def _entries(change: Callable[[list[Entry], Ask, random.Random], list[Entry]]) -> Fault:
    """A fault of the entries alone."""
    return lambda good, ask, rng: replace(good, entries=tuple(change(list(good.entries), ask, rng)))


def _drop(items: list[Any], rng: random.Random) -> list[Any]:
    return [item for item in items if rng.random() < 0.5] or items[:1]


def _renumbered(change: Callable[[int], int]) -> Fault:
    return _entries(lambda entries, _ask, _rng: [replace(e, id=change(e.id or 0)) for e in entries])


def _from_one(good: Content, _ask: Ask, _rng: random.Random) -> Content:
    entries = (replace(e, id=i) for i, e in enumerate(good.entries, 1))
    return replace(good, entries=tuple(entries))


def _added(entries: list[Entry], ask: Ask, rng: random.Random) -> list[Entry]:
    extra = Entry(max(ask.ids) + rng.randint(1, 3), "supported")
    return [*_drop(entries, rng), extra, replace(extra, id=900)]


def _conflict(entries: list[Entry], _ask: Ask, rng: random.Random) -> list[Entry]:
    twice = rng.choice(entries)
    other = "supported" if twice.word != "supported" else "contradicted"
    return [*entries, replace(twice, word=other)]


def _granted(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """The entries, all supported: what a reply says that then takes it back."""
    return tuple(replace(entry, word="supported") for entry in entries)


def _overruled(good: Content, _ask: Ask, rng: random.Random) -> Content:
    return replace(good, entries=_granted(good.entries), overall=rng.choice(OVERALL))


def _noted(good: Content, ask: Ask, rng: random.Random) -> Content:
    number, text = rng.choice(ask.payload.items)
    note = rng.choice(NOTES).format(number, text)
    return replace(good, entries=_granted(good.entries), overall=note, accused=(number,))


def _denied(entries: list[Entry], _ask: Ask, rng: random.Random) -> list[Entry]:
    place = rng.randrange(len(entries))
    wrong = replace(entries[place], word="supported", denied=rng.choice(DENIED))
    return [*entries[:place], wrong, *entries[place + 1 :]]


def _words(entry: Entry) -> Entry:
    word = "yes" if entry.word in ("supported", "yes") else "no"
    return replace(entry, word=word)


def _positional(count: int) -> Fault:
    """Verdicts without numbers, by ``count`` too many (or too few)."""

    def fault(good: Content, _ask: Ask, rng: random.Random) -> Content:
        entries = [replace(entry, id=None) for entry in good.entries]
        keep = max(len(entries) + count, 1)
        entries = (entries + entries[-1:] * max(count, 0))[:keep]
        dress = rng.choice(("final", "lines", "json", "list"))
        spoken = entries if dress in ("json", "list") else [_words(entry) for entry in entries]
        return replace(good, entries=tuple(spoken), dress=dress)

    return fault


def _just_yes(good: Content, _ask: Ask, rng: random.Random) -> Content:
    dress = rng.choice(("final", "lines", "list"))
    return replace(good, entries=(Entry(None, "yes"),), dress=dress)


def _numbered(good: Content, _ask: Ask, _rng: random.Random) -> Content:
    return replace(good, entries=tuple(map(_words, good.entries)), dress="numbered")


def _echoed(entries: list[Entry], ask: Ask, rng: random.Random) -> list[Entry]:
    texts = dict(ask.payload.items)
    said = [replace(e, id=None, echo=texts[e.id or ask.ids[0]]) for e in _drop(entries, rng)]
    rng.shuffle(said)
    return said


def _echo_shifted(entries: list[Entry], ask: Ask, _rng: random.Random) -> list[Entry]:
    texts = dict(ask.payload.items)
    return [replace(e, id=(e.id or 0) + 1, echo=texts[e.id or ask.ids[0]]) for e in entries]


def _mixed_labels(entries: list[Entry], _ask: Ask, rng: random.Random) -> list[Entry]:
    words = ("yes", "no", "idk", "partially_supported", "maybe", "supported", "contradicted")
    return [replace(e, word=rng.choice(words)) for e in entries]


def _false_evidence(entries: list[Entry], _ask: Ask, _rng: random.Random) -> list[Entry]:
    return [replace(e, word="supported", evidence=(97,)) for e in entries]


def _says_before(form: str) -> Fault:
    """A reply in which a draft stands, "{0}", that grants everything. It is not what it says."""

    def fault(good: Content, _ask: Ask, _rng: random.Random) -> Content:
        draft = replace(good, entries=_granted(good.entries))
        return replace(good, frame=(form, draft))

    return fault


def _neighbours(entries: list[Entry], ask: Ask, _rng: random.Random) -> list[Entry]:
    """Verdicts for numbers around those that were asked for: other statements of the case."""
    around = {n + step for n in ask.ids for step in (-2, -1, 1, 2)} - set(ask.ids)
    return [*entries, *(Entry(n, "supported") for n in sorted(around) if n > 0)]


def _all(word: str) -> Fault:
    return _entries(lambda entries, _ask, _rng: [replace(e, word=word) for e in entries])


VERDICT_FAULTS: dict[str, Fault] = {
    "drop": _entries(lambda entries, _ask, rng: _drop(entries, rng)),
    "last_only": _entries(lambda entries, _ask, _rng: entries[-1:]),
    "first_only": _entries(lambda entries, _ask, _rng: entries[:1]),
    "none": _entries(lambda _entries, _ask, _rng: []),
    "zero_based": _renumbered(lambda number: number - 1),
    "shifted": _renumbered(lambda number: number + 1),
    "shifted_drop": _entries(
        lambda entries, _ask, _rng: [replace(e, id=(e.id or 0) + 1) for e in entries[:-1]]
    ),
    "from_one": _from_one,
    "added": _entries(_added),
    "neighbours": _entries(_neighbours),
    "last_unnumbered": _entries(lambda entries, _ask, _rng: [replace(entries[-1], id=None)]),
    "agree_twice": _entries(lambda entries, _ask, _rng: [*entries, *entries[:1]]),
    "conflict": _entries(_conflict),
    "overruled": _overruled,
    "noted": _noted,
    "denied": _entries(_denied),
    "positional": _positional(0),
    "too_few": _positional(-1),
    "too_many": _positional(1),
    "just_yes": _just_yes,
    "numbered_words": _numbered,
    "echoed": _entries(_echoed),
    "echo_shifted": _entries(_echo_shifted),
    "mixed_labels": _entries(_mixed_labels),
    "false_evidence": _entries(_false_evidence),
    "set_aside": _all("not_a_claim"),
    "idk": _all("idk"),
    "all_yes": _all("supported"),
    "two_drafts": _says_before("{0}\nWait, I must correct that:\n{1}"),
    "thought": _says_before("<think>{0}</think>{1}"),
}


def _claims(change: Callable[[list[Any], Ask, random.Random], list[Any]]) -> Fault:
    """A fault of the claims alone."""
    return lambda good, ask, rng: replace(good, claims=tuple(change(list(good.claims), ask, rng)))


def _moved(claims: list[Any], ask: Ask, _rng: random.Random) -> list[Any]:
    return [(ask.ids[-1], text) for _, text in claims[:1]] + claims[1:]


def _shared(claims: list[Any], ask: Ask, _rng: random.Random) -> list[Any]:
    return [(number, claims[0][1]) for number in ask.ids] if claims else []


def _remarks(good: Content, ask: Ask, rng: random.Random) -> Content:
    number = rng.choice(ask.ids)
    kept = tuple(claim for claim in good.claims if claim[0] != number)
    return replace(good, claims=(*kept, (number, rng.choice(REMARKS))))


def _flat(keep: int | None, dress: str = "json") -> Fault:
    return lambda good, _ask, _rng: replace(
        good, claims=tuple((None, text) for _, text in good.claims[:keep]), dress=dress
    )


CLAIM_FAULTS: dict[str, Fault] = {
    "drop": lambda good, _ask, rng: replace(
        good, claims=tuple(_drop(list(good.claims), rng)), silent=frozenset()
    ),
    "first_only": _claims(lambda claims, _ask, _rng: claims[:1]),
    "moved": _claims(_moved),
    "shared": _claims(_shared),
    "twice": _claims(lambda claims, _ask, _rng: [*claims, *claims[:1]]),
    "flat": _flat(None),
    "flat_one": _flat(1),
    "prose": _flat(None, "prose"),
    "none": lambda good, ask, _rng: replace(good, claims=(), silent=frozenset(ask.ids)),
    "all_on_first": _claims(lambda claims, ask, _rng: [(ask.ids[0], text) for _, text in claims]),
    "unknown_ids": _claims(lambda claims, ask, _rng: [(n + max(ask.ids), t) for n, t in claims]),
    "shifted": _claims(lambda claims, _ask, _rng: [(n + 1, t) for n, t in claims]),
    "zero_based": _claims(lambda claims, _ask, _rng: [(n - 1, t) for n, t in claims]),
    "remarks": _remarks,
}
_OF_TRUTHS = ("drop", "first_only", "flat", "flat_one", "none", "shifted", "unknown_ids", "remarks")
TRUTH_FAULTS: dict[str, Fault] = {name: CLAIM_FAULTS[name] for name in _OF_TRUTHS}


def _truncated(good: Content, _ask: Ask, _rng: random.Random) -> Content:
    return replace(good, finish="length")


def _says(*texts: str) -> Fault:
    return lambda _good, _ask, rng: Content(text=rng.choice(texts))


def _empty(_good: Content, ask: Ask, rng: random.Random) -> Content:
    text = rng.choice(("", "{}", "[]"))
    return Content(text=text, silent=frozenset(ask.ids) if text == "[]" else frozenset())


ANY_FAULTS: dict[str, Fault] = {
    "refusal": _says(*REFUSALS),
    "empty": _empty,
    "chatter": _says("Yes and no.", "All statements look fine to me.", "Great answer!"),
    "refusal_field": lambda good, _ask, _rng: replace(good, refused=True),
    "truncated": _truncated,
    "filtered": lambda good, _ask, _rng: replace(good, finish="content_filter"),
    "timeout": lambda good, _ask, _rng: replace(good, error="timeout"),
    "transport": lambda good, _ask, _rng: replace(good, error="transport"),
    "crash": lambda good, _ask, _rng: replace(good, crash=True),
}
FAULTS_OF: dict[str, dict[str, Fault]] = {
    "claim": CLAIM_FAULTS,
    "truth": TRUTH_FAULTS,
    "verdict": VERDICT_FAULTS,
    "reason": {},
}
REPEATS = ("repeat", "stale")
