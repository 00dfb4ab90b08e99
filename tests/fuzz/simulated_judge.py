"""A judge that knows the truth and goes wrong in the ways in which real judges do.

:class:`SimulatedJudge` answers the asks of one :class:`Scenario`. It keeps what each reply says as
data (:class:`Content`), so that the oracle never has to read a reply.
"""

import json
import random
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace

from fuzz.judge_faults import ANY_FAULTS, FAULTS_OF, Content, Entry
from fuzz.scenario import LINES, Scenario, together

from faithfulness_assert import Ask, JudgeError, Reply


@dataclass(frozen=True)
class Turn:
    """One ask with what was replied. ``attempt`` counts the asks of the same kind and context."""

    ask: Ask
    content: Content
    text: str
    attempt: int
    fault: str


def render(content: Content, ask: Ask) -> str:
    """The reply as text."""
    if content.text is not None:
        return content.text
    if content.frame:
        form, draft = content.frame
        return form.format(render(draft, ask), render(replace(content, frame=None), ask))
    body = _body(content, ask)
    if content.overall.startswith('"') and body.endswith("}"):
        body = f"{body[:-1]},{content.overall}}}"
    elif content.overall:
        body = f"{body}\n{content.overall}"
    return body


def _body(content: Content, ask: Ask) -> str:
    if content.dress in ("final", "numbered", "lines"):
        return _as_words(content)
    if ask.kind != "verdicts":
        return _as_claims(content, ask)
    listed = ",".join(map(_entry_json, content.entries))
    return f"[{listed}]" if content.dress == "list" else f'{{"verdicts":[{listed}]}}'


def _entry_json(entry: Entry) -> str:
    fields = {
        "id": entry.id,
        "statement": entry.echo or None,
        "evidence": list(entry.evidence),
        "label": entry.word,
    }
    body = json.dumps({name: value for name, value in fields.items() if value is not None})
    return f"{body[:-1]},{entry.denied}}}" if entry.denied else body


def _as_words(content: Content) -> str:
    words = [entry.word.capitalize() for entry in content.entries]
    if content.dress == "final":
        return f"Final verdict for each statement in order: {'. '.join(words)}."
    if content.dress == "lines":
        return "\n".join(f"verdict: {word.lower()}" for word in words)
    return "\n".join(f"{entry.id}. {entry.word.capitalize()}" for entry in content.entries)


def _as_claims(content: Content, ask: Ask) -> str:
    key, item = ("passages", "truths") if ask.kind == "truths" else ("sentences", "claims")
    if any(number is None for number, _ in content.claims):
        texts = [text for _, text in content.claims]
        return "\n".join(texts) if content.dress == "prose" else json.dumps({item: texts})
    rows: dict[int, list[str]] = {number: [] for number in content.silent}
    for number, text in content.claims:
        rows.setdefault(number or 0, []).append(text)
    return json.dumps({key: [{"id": n, item: texts} for n, texts in sorted(rows.items())]})


# ---------------------------------------------------------------- the judge


class SimulatedJudge:
    """Answers the asks of one scenario and remembers them in ``turns``."""

    name = "simulated"
    keeps_deadline = True

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.limits, self.remote = scenario.limits, scenario.remote
        self.turns: list[Turn] = []
        self._lock = threading.Lock()

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        """The reply with the fault that the scenario has for this attempt."""
        with self._lock:
            turn = self._turn(ask)
            self.turns.append(turn)
        content = turn.content
        if content.crash:
            raise ValueError("the judge is broken")
        if content.error:
            raise JudgeError("it failed", content.error)
        text = turn.text if content.finish == "stop" else turn.text[: len(turn.text) * 2 // 3]
        refusal = "I will not." if content.refused else None
        return Reply(text, finish_reason=content.finish, refusal=refusal)

    def _turn(self, ask: Ask) -> Turn:
        attempt = self._attempt(ask)
        fault = self._fault(ask, attempt)
        rng = random.Random(f"{self.scenario.seed}/{ask.kind}/{ask.payload}/{attempt}")
        content = self._content(ask, fault, attempt, rng)
        return Turn(ask, content, render(content, ask), attempt, fault)

    def _attempt(self, ask: Ask) -> int:
        """How often all of this was asked before, in the same context.

        A sentence that the answer repeats may be in several first asks.
        """
        same = [
            texts_of(turn.ask)
            for turn in self.turns
            if _stage(turn.ask) == _stage(ask)
            and turn.ask.payload.sentences == ask.payload.sentences
        ]
        times = (sum(text in texts for texts in same) for text in texts_of(ask))
        return min(times, default=0)

    def _fault(self, ask: Ask, attempt: int) -> str:
        """Windows take turns with the faults, so that one may be well where another is not."""
        faults: tuple[str, ...] = getattr(self.scenario, f"{_stage(ask)}_faults", ())
        shown = ask.payload.sentences
        window = 0 if not shown or shown[0][0] == 1 else shown[0][0] % 2 + 1
        place = attempt + window
        return faults[place] if place < len(faults) else "clean"

    def _content(self, ask: Ask, fault: str, attempt: int, rng: random.Random) -> Content:
        if fault in ("repeat", "stale"):
            before = [t for t in self.turns if t.attempt < attempt or _stage(t.ask) != _stage(ask)]
            before = [t for t in before if t.ask.kind == ask.kind or fault == "stale"]
            if before:
                return replace(before[0].content, text=before[0].text)
        good = self.good(ask)
        broken = ANY_FAULTS.get(fault) or FAULTS_OF[_stage(ask)].get(fault)
        return broken(good, ask, rng) if broken else good

    def good(self, ask: Ask) -> Content:
        """The reply without a fault: the truth, in the form that was asked for."""
        if ask.kind == "reason":
            return Content(text='{"reason":"The judge says why."}')
        if ask.kind == "truths":
            return Content(claims=tuple(_pieces(ask)))
        if ask.kind == "claims":
            return self._claims(ask)
        return Content(tuple(self._said(ask, n, text) for n, text in ask.payload.items))

    def _claims(self, ask: Ask) -> Content:
        known = {sentence.text: sentence for sentence in self.scenario.sentences}
        claims, silent = [], set()
        for number, text in ask.payload.items:
            own = known[text].claims if text in known else (text,)
            claims += [(number, claim) for claim in own]
            silent |= set() if own else {number}
        return Content(claims=tuple(claims), silent=frozenset(silent))

    def _said(self, ask: Ask, number: int, text: str) -> Entry:
        word, evidence = self.truth(text, ask)
        return Entry(number if ask.form.numbered else None, word, evidence=evidence)

    def truth(self, text: str, ask: Ask) -> tuple[str, tuple[int, ...]]:
        """The label of a statement by what the ask shows, and the numbers of its evidence."""
        shown = ask.payload.sentences
        for sentence in self.scenario.sentences:
            if text == sentence.text:
                return _label(sentence.nouns, shown, ask)
            if text in sentence.claims:
                return _label((sentence.nouns[sentence.claims.index(text)],), shown, ask)
        same = tuple(n for n, line in shown if line == text)  # a control
        return ("supported" if same else _allowed("contradicted", ask)), same


def _label(
    nouns: Sequence[str], shown: Sequence[tuple[int, str]], ask: Ask
) -> tuple[str, tuple[int, ...]]:
    if not nouns:
        return _allowed("not_a_claim", ask), ()
    found = [{n: line for n, line in shown if f" {noun} " in line} for noun in nouns]
    pairs = zip(nouns, found, strict=True)
    labels = [_by_lines(noun, set(lines.values())) for noun, lines in pairs]
    return _allowed(together(labels), ask), tuple(n for lines in found for n in lines)


def _by_lines(noun: str, lines: set[str]) -> str:
    """What these lines of the context make of a fact about a noun."""
    said = {label for label, line in LINES.items() if line.format(noun) in lines}
    order = ("contradicted", "supported", "partially_supported")
    return next((label for label in order if label in said), "not_enough_info")


def _allowed(label: str, ask: Ask) -> str:
    """The label, or the next one that the ask has."""
    return label if label in ask.form.labels else "not_enough_info"


def _pieces(ask: Ask) -> list[tuple[int | None, str]]:
    """The sentences of passages, each as a truth."""
    return [
        (number, f"{truth.rstrip('.')}.")
        for number, text in ask.payload.items
        for truth in text.split(". ")
    ]


def texts_of(ask: Ask) -> set[str]:
    """What an ask is about. Its numbers may be its own."""
    return {text for _, text in ask.payload.items}


def _stage(ask: Ask) -> str:
    kinds = {"claims": "claim", "truths": "truth", "reason": "reason"}
    return kinds.get(ask.kind, "verdict")
