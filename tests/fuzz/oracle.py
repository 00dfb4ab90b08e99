"""The reference for whole grades: what a result may say, worked out again from the transcript.

Nothing here uses the package's own reading, matching or scoring. :func:`violations` holds a result
against two laws and against the formulas of the systems:

- Credit: a statement earns something at most once, and only where a single reply, read against
  what its own ask showed, gives it that label, and neither that reply nor a later one says no.
- Conservation: each sentence of the answer ends in exactly one place, a verdict or a skipped span.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from itertools import pairwise
from typing import Any

from fuzz.judge_faults import REMARKS
from fuzz.oracle_reader import Reader, Said
from fuzz.oracle_systems import System, passes, score_of, system_of
from fuzz.scenario import ASIDES, Scenario, Sentence, together, truth
from fuzz.simulated_judge import SimulatedJudge, Turn
from own_policy import with_own_policy

from faithfulness_assert import GradingResult, Verdict, grade

MAX_WORD = 200  # characters; a longer word of the context may be cut


@dataclass(frozen=True)
class Grade:
    """A grade with all that is known about it."""

    scenario: Scenario
    system: System
    turns: tuple[Turn, ...]
    result: GradingResult

    @property
    def counted(self) -> list[Verdict]:
        """The verdicts that count: under ``dedupe`` exact repeats count once."""
        return [v for v in self.result.verdicts if not (self.system.dedupe and v.repeat_of)]

    @property
    def places(self) -> list[tuple[int, int, Sentence]]:
        """Where each sentence stands in the answer."""
        found, start = [], 0
        for sentence in self.scenario.sentences:
            start = self.scenario.answer.index(sentence.text, start)
            found.append((start, start + len(sentence.text), sentence))
            start += len(sentence.text)
        return found


Problems = Iterator[str]


def run(scenario: Scenario) -> Grade:
    """Grades a scenario."""
    judge = SimulatedJudge(scenario)
    result = grade(
        scenario.answer,
        scenario.context,
        judge=judge,
        **with_own_policy({"policy": scenario.policy, **scenario.options}),
    )
    return Grade(scenario, system_of(scenario), tuple(judge.turns), result)


def run_and_check(scenario: Scenario) -> tuple[str, list[str]]:
    """The status of the grade of a scenario, and what is wrong with it.

    Each problem begins with the name of the law that is broken.
    """
    try:
        held = run(scenario)
    except Exception as error:  # noqa: BLE001 - whatever it raises is what we look for
        return "raised", [f"raises: {type(error).__name__}: {error}"]
    problems = [f"{name}: {problem}" for name, law in LAWS.items() for problem in law(held)]
    return held.result.status, problems


def violations(scenario: Scenario) -> list[str]:
    """What is wrong with the grade of a scenario."""
    return run_and_check(scenario)[1]


def _graded(law: Callable[[Grade], Problems]) -> Callable[[Grade], Problems]:
    """A law of graded results alone."""
    return wraps(law)(lambda held: law(held) if held.result.status == "graded" else iter(()))


def complete(held: Grade) -> Problems:
    """The result is complete, and its figures agree with its verdicts."""
    result = held.result
    json.dumps(result.to_promptfoo("all"), allow_nan=False)
    result.pretty()
    if (result.error is None) == result.metadata["graderError"]:
        yield f"{result.status}: metadata does not tell whether it is a grader error"
    if result.status != "graded":
        empty = result.status == "no_statements" and _claims_nothing(held)
        if result.pass_ and not empty:
            yield f"{result.status} passes"
        return
    counts = Counter(v.label or "unresolved" for v in held.counted)
    if {name: n for name, n in result.counts.items() if n} != dict(counts):
        yield f"counts {dict(result.counts)} for {dict(counts)}"
    known = sum(v.label is not None for v in held.counted) / len(held.counted)
    if abs(result.coverage - known) > 1e-9:
        yield f"coverage {result.coverage} for {known}"


@_graded
def formula(held: Grade) -> Problems:
    """Score and pass follow from the labels."""
    labels = [v.label for v in held.counted]
    score = score_of(held.system, labels)
    if score is None or abs(score - held.result.score) > 1e-9:
        yield f"score {held.result.score} for {labels}, not {score}"
    elif held.result.pass_ != passes(held.system, score, labels):
        yield f"pass is {held.result.pass_} for {score} with {labels}"
    if None in labels and held.system.on_missing == "error":
        yield "graded though a statement got no verdict"


@_graded
def credit(held: Grade) -> Problems:
    """Each label that earns something was given by a reply, and nothing spoke against it."""
    reader = Reader(held.system, held.turns)
    for v in held.counted:
        label = "supported" if "lowered" in v.flags else v.label
        if label and _earns(held.system, label):
            problem = _unfounded(held, reader, v, label)
            if problem:
                yield f"{label} for {v.id} {v.statement!r}: {problem}"


def _earns(system: System, label: str) -> bool:
    """Whether a label raises the score; under ``inverse`` that is one that is worth less."""
    weight = system.weights.get(label)
    if weight is None:
        return False
    return weight < max(system.weights.values()) if system.inverse else weight > 0


def _unfounded(held: Grade, reader: Reader, v: Verdict, label: str) -> str:
    """Why a verdict may not have its label; "" where it may."""
    *parts, whole = _last_words(held, reader, v)
    if _is_repeated(held, v):  # nobody can say which of its asks is about which of its places
        known = {word for words in (*parts, whole) for word in words}
        known |= _called(held, reader, v.statement)
        return "" if label in known else "no reply gives it that label"
    if whole:
        return "" if whole[-1] == label else f"the ask with all evidence says {whole[-1]}"
    last = [words[-1] for words in parts if words]
    if label not in last:
        return f"no reply gives it that label (replies: {last})"
    if "contradicted" in last and label != "contradicted" and not held.system.inverse:
        return f"another window says contradicted (windows: {last})"
    return "a later reply speaks against it" if "against" in last else ""


def _called(held: Grade, reader: Reader, text: str) -> set[str]:
    """What replies say of a text, under any number."""
    return {
        reader.said(turn).named.get(number, "")
        for turn in held.turns
        if turn.ask.kind == "verdicts"
        for number, said in turn.ask.payload.items
        if said == text
    }


def _is_plain(turn: Turn) -> bool:
    """Whether a reply is as it should be, apart from what it leaves out."""
    content, asked = turn.content, set(turn.ask.ids)
    odd = content.overall or content.accused or content.frame or content.text is not None
    listed = [entry.id for entry in content.entries]
    plain = not any(entry.echo or entry.denied for entry in content.entries)
    return not odd and plain and set(listed) <= asked and len(set(listed)) == len(listed)


def _is_repeated(held: Grade, v: Verdict) -> bool:
    """Whether a statement counts more than once."""
    return sum(other.statement == v.statement for other in held.counted) > 1


def _last_words(held: Grade, reader: Reader, v: Verdict) -> list[list[str]]:
    """By context shown, what replies say of a statement, in their order; last, of all evidence.

    A reply that says nothing of the statement is left out; "against" stands for one that only
    speaks against it.
    """
    found: dict[Any, list[str]] = {}
    whole: list[str] = []
    own: dict[int, Any] = {}  # which window each number of it stood for
    windows = held.result.metadata.get("windows", 1)
    odd: set[Any] = set()  # windows that may be asked again: the grader may drop an odd reply
    about = {id(turn): number for turn, number in _turns_about(held, v)}
    for turn in held.turns:
        said = reader.said(turn) if turn.ask.kind == "verdicts" else Said()
        for denied in said.denied & own.keys():
            if _earns(held.system, (own[denied] or [""])[-1]):
                own[denied].append("against")
        if id(turn) not in about:
            continue
        number = about[id(turn)]
        word = "against" if number in said.against else said.named.get(number, "")
        asides = ("not_a_claim",) if held.system.asides and v.statement in ASIDES else ()
        word = "" if word not in ("against", *asides, *held.system.weights) else word
        words = found.setdefault(turn.ask.payload.sentences, [])
        last = {window[-1] for window in found.values() if window}
        # A window that has answered is not asked again, unless it is all the evidence there is.
        answered = words[-1:] not in ([], ["against"]) and turn.ask.payload.sentences not in odd
        again = windows > 1 and answered and _differ(last)
        plain = _is_plain(turn)
        odd |= set() if plain else {turn.ask.payload.sentences}
        asked = whole if again or len(found) > windows else words
        asked += [word] if word else []
        own[number] = asked
    return [*list(found.values())[:windows], whole]


def _differ(words: set[str]) -> bool:
    """Whether windows say what makes the grader ask once more, with the evidence of both."""
    return "contradicted" in words and bool({"supported", "partially_supported"} & words)


@_graded
def silence(held: Grade) -> Problems:
    """What a reply calls contradicted does not get a label that earns more."""
    if held.system.inverse:
        return
    reader = Reader(held.system, held.turns)
    for v in held.counted:
        *parts, whole = _last_words(held, reader, v)
        last = whole[-1:] or [words[-1] for words in parts if words]
        alone = not _is_repeated(held, v)
        if alone and "contradicted" in last and v.label not in ("contradicted", None):
            yield f"{v.statement!r} was called contradicted, and is {v.label} (windows: {last})"


@_graded
def once(held: Grade) -> Problems:
    """A statement earns something as often as the answer makes it, and no more."""
    weights = held.system.weights
    earned = Counter(v.statement for v in held.counted if weights.get(v.label or "", 0) > 0)
    for statement, times in earned.items():
        made = sum(
            statement == s.text or statement in s.claims or (not s.aside and _shares(statement, s))
            for s in held.scenario.sentences
        )
        if times > max(made, 1):
            yield f"{statement!r} counts {times} times, and the answer makes it {made} times"


def _shares(statement: str, sentence: Sentence) -> bool:
    words = set(statement.rstrip(".").split())
    return bool(words & set(sentence.nouns))


def conserved(held: Grade) -> Problems:
    """Each sentence is in one place: the spans of its own verdicts, or a span that was skipped."""
    result, answer = held.result, held.scenario.answer
    if result.status not in ("graded", "no_statements"):
        return
    if result.status == "no_statements" and not _claims_nothing(held):
        yield "the answer has facts, and no reply says that it has none"
    judged = {v.span for v in result.verdicts if v.span}
    skipped = {(s.start, s.end) for s in result.skipped}
    seen = {i for start, end in judged | skipped for i in range(start, end)}
    lost = [i for i, c in enumerate(answer) if i not in seen and not c.isspace() and c not in "-*"]
    if lost:
        yield f"characters {lost[0]} to {lost[-1]} are in no span: {answer[lost[0] : lost[-1] + 1]!r}"
    spans = sorted(judged | skipped)
    crossing = [(a, b) for a, b in pairwise(spans) if b[0] < a[1]]
    if crossing or judged & skipped:
        yield f"spans overlap: {crossing or judged & skipped}"
    yield from _facts_kept(held) if result.status == "graded" else ()


def _claims_nothing(held: Grade) -> bool:
    """Whether a reply says of each sentence that is not an aside that it claims nothing."""
    silent = {
        text
        for turn in held.turns
        for number, text in turn.ask.payload.items
        if turn.ask.kind == "claims" and turn.content.usable
        # A bare empty list names no sentence: also one that answers an earlier ask is about this one.
        if number in turn.content.silent or turn.content.text == "[]"
    }
    return all(s.aside or s.text in silent for s in held.scenario.sentences)


def _facts_kept(held: Grade) -> Problems:
    for start, end, sentence in held.places:
        if sentence.aside:
            continue
        own = [v for v in held.result.verdicts if v.span and v.span[0] < end and start < v.span[1]]
        if not any(_shares(v.statement, sentence) for v in own):
            other = [v.statement for v in own] or "no verdict"
            yield f"{sentence.text!r} is not graded; in its place: {other}"
        if not any(v.label != "not_a_claim" for v in own) and own:
            yield f"{sentence.text!r} is a fact and is set aside"


@_graded
def foreign(held: Grade) -> Problems:
    """Only sentences of the answer and claims that a reply gave are graded."""
    given = {text.strip() for turn in held.turns for _, text in turn.content.claims}
    own = {sentence.text for sentence in held.scenario.sentences}
    for v in held.result.verdicts:
        if v.statement not in own | given or v.statement in REMARKS:
            yield f"{v.statement!r} is graded as a statement"


def _turns_about(held: Grade, v: Verdict) -> list[tuple[Turn, int]]:
    """The asks for a verdict on a statement, with its number there.

    An ask with controls has its own numbers. A statement that the answer repeats is told from its
    repeats by its place, where all of them are asked about; else by its number, if it has that.
    """
    alike = [w.id for w in held.result.verdicts if w.statement == v.statement and not w.repeat_of]
    own = v.repeat_of or v.id
    found = []
    for turn in held.turns:
        numbers = [n for n, text in turn.ask.payload.items if text == v.statement]
        if turn.ask.kind != "verdicts" or not numbers:
            continue
        number = own if own in numbers else numbers[0]
        found.append((turn, numbers[alike.index(own)] if len(numbers) == len(alike) else number))
    return found


@_graded
def shown(held: Grade) -> Problems:
    """Every line of the context is shown with each statement, or the facts that were found in it.

    Where that takes very many asks, less may be shown, and that is told.
    """
    listed = _listed_passages(held)
    for v in held.counted:
        if v.shown < 1:
            if not any("to show everything takes" in w for w in held.result.metadata["warnings"]):
                yield f"{v.statement!r} was shown {v.shown:.0%} of the context, and nothing tells"
            if _earns(held.system, "not_enough_info"):
                yield f"{v.statement!r} was shown {v.shown:.0%}, and earns something unsupported"
            continue
        asked = [turn for turn, _ in _turns_about(held, v)]
        lines = {line for turn in asked for _, line in turn.ask.payload.sentences}
        for line in held.scenario.context:
            whole = max(map(len, line.split())) < MAX_WORD  # a longer word may be cut
            if whole and line not in lines and line not in listed:
                yield f"{v.statement!r} was judged without {line[:60]!r}"
                return


def _listed_passages(held: Grade) -> set[str]:
    """The passages of which a reply lists what they say."""
    found: set[str] = set()
    for turn in held.turns:
        if turn.ask.kind == "truths" and turn.content.usable:
            texts = dict(turn.ask.payload.items)
            only = next(iter(texts)) if len(texts) == 1 else None
            found |= {texts.get(only if n is None else n, "") for n, _ in turn.content.claims}
    return found


def within(held: Grade) -> Problems:
    """No ask is larger than its judge can take."""
    limits = held.scenario.limits
    for turn in held.turns:
        ask = turn.ask
        if limits.statements and len(ask.ids) > limits.statements and ask.kind == "verdicts":
            yield f"{len(ask.ids)} statements in one ask, with at most {limits.statements}"
        if limits.prompt_tokens and tokens(ask.messages) > limits.prompt_tokens:
            size = tokens(ask.messages)
            yield f"an ask ({ask.kind}) of {size} tokens, with at most {limits.prompt_tokens}"


def tokens(messages: Sequence[Mapping[str, str]]) -> int:
    """The tokens of a prompt, as they are estimated: an ask is the same on every machine."""
    texts = [message["content"] for message in messages]
    ascii_chars = [sum(char < "\x80" for char in text) for text in texts]
    return sum(-(-n // 4) + len(text) - n for text, n in zip(texts, ascii_chars, strict=True))


@_graded
def clean(held: Grade) -> Problems:
    """With a judge that makes no mistake, labels are the true ones, and nothing is unresolved."""
    if held.scenario.faults or any(v.shown < 1 for v in held.result.verdicts):
        return
    if held.result.metadata.get("windows", 1) > 1:
        compound = any(len(s.claims) > 1 for s in held.scenario.sentences)
        if compound and held.system.split == "sentences":
            return  # its two halves may stand in two windows
    got = Counter(v.label for v in held.result.verdicts)
    wanted = Counter(_true_labels(held))
    if got != wanted:
        yield f"labels {dict(got)}, in truth {dict(wanted)}"


def _true_labels(held: Grade) -> Iterator[str]:
    system = held.system
    for sentence in held.scenario.sentences:
        if sentence.aside:
            if system.split == "sentences":
                yield "not_a_claim" if system.asides else "not_enough_info"
        elif system.split == "sentences":
            yield _weighed(system, together([truth(label) for label in sentence.labels]))
        else:
            yield from (_weighed(system, truth(label)) for label in sentence.labels)


def _weighed(system: System, label: str) -> str:
    return label if label in system.weights else "not_enough_info"


_ALL: Sequence[Callable[[Grade], Problems]] = (complete, formula, credit, silence, once)
_ALL += (conserved, foreign, shown, within, clean)
LAWS = {law.__name__: law for law in _ALL}
