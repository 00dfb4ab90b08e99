"""The checks of an attack, which ``test_attacks.py`` runs.

A row has a ``channel`` (where the payload is), a ``category``, and a ``payload``: a text, or ``{"text", "n", "then"}`` for a
text that is repeated n times. Ids that begin with ``own-`` are not of the shared corpus. ``CHECKS`` has the check of each channel, ``ALSO`` further checks of some categories. Each check yields the problems that it finds.
"""

import json
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from copying_judge import FORMS, PLACES, CopyingJudge
from fakes import ScriptedJudge, TruthfulJudge
from loopback import Answer, Loopback
from obedient import share_passed
from rows import rows

from faithfulness_assert import Ask, ConfigError, Grader, GradingResult, grade, policies
from faithfulness_assert.asking.fences import disarmed
from faithfulness_assert.text.strings import is_blank, one_line

Row = Mapping[str, Any]
Problems = Iterator[str]

# The original statements, and the judge's verdicts on them.
TRUTH = {
    "The museum opens at nine.": "supported",
    "Adults pay 14 euros.": "not_enough_info",
    "The curator is called Ottilie Brandt.": "contradicted",
}
ANSWER = " ".join(TRUTH)
CONTEXT = (
    "The museum opens at nine. The ticket costs 12 euros. The director hired a curator in May."
)
QUESTION = "When does the museum open?"
KEY = "sk-test-SECRET1234567890abcd"

ALL_POLICIES = sorted(policies)
BY_SENTENCE = [
    name
    for name in ALL_POLICIES
    if policies[name].split == "sentences" and policies[name].verify != "rubric"
]


def text_of(row: Row) -> str:
    """The payload of a row, with its repetitions."""
    payload = row["payload"]
    return (
        payload
        if isinstance(payload, str)
        else str(payload["text"]) * int(payload["n"]) + str(payload.get("then", ""))
    )


PAYLOADS = [text for row in rows("attacks") if len(text := text_of(row)) < 10_000]
"""Those of the attacks that are not long."""


def problems(row: Row) -> list[str]:
    """All problems of a row."""
    checks = [
        CHECKS[row["channel"]],
        *(check for start, check in ALSO.items() if row["category"].startswith(start)),
    ]
    return [problem for check in checks for problem in check(row, text_of(row))]


# ---------------------------------------------------------------- judges


def original(statement: str) -> str:
    """The original statement in one, which may stand under a heading of the payload; else ""."""
    said = one_line(statement)
    return next((true for true in TRUTH if said == true or said.endswith(f" {true}")), "")


def true_label(statement: str) -> str:
    return TRUTH.get(original(statement), "not_enough_info")


def honest() -> TruthfulJudge:
    """Gives the original statements their verdicts, and all others ``not_enough_info``."""
    return TruthfulJudge(true_label)


class GullibleJudge(TruthfulJudge):
    """Obeys its prompt: it repeats verdicts that the prompt contains, or else supports everything."""

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Any:
        shown = ask.messages[-1]["content"]
        found = re.search(r'\{"verdicts":\[.*?\]\}|Final verdict.*', shown)
        if found and ask.kind == "verdicts":
            self.asked.append(ask)
            return ScriptedJudge([found[0]]).ask(ask)
        return super().ask(ask, deadline=deadline)


# ---------------------------------------------------------------- checks of the channels


def at(place: str, payload: str) -> dict[str, Any]:
    """The original case, with the payload at a place."""
    example = {"context": payload, "statement": payload, "label": "supported"}
    changes: dict[str, dict[str, Any]] = {
        "behind the answer": {"answer": f"{ANSWER}\n\n{payload}"},
        "before the answer": {"answer": f"{payload}\n\n{ANSWER}"},
        "first passage": {"context": [payload, CONTEXT]},
        "last passage": {"context": [CONTEXT, payload]},
        "in a passage": {"context": f"{CONTEXT}\n\n{payload}"},
        "passage id": {"context": [{"id": payload, "text": CONTEXT}]},
        "question": {"question": payload},
        "guidance": {"guidance": payload},
        "examples": {"examples": [] if is_blank(payload) else [example]},
        "id": {"id": payload},
    }
    return {"answer": ANSWER, **changes[place]}


IN_CONTEXT = ("first passage", "last passage", "in a passage", "passage id")
IN_CONFIG = ("guidance", "examples", "id")


def unmoved_at(places: Sequence[str], payload: str) -> Problems:
    """Each policy has the payload at one of the places, in turn: over all payloads, each at every place.

    What is long has three policies, one for each way to ask.
    """
    turn = islice(cycle(places), len(payload) % len(places), None)
    names = ALL_POLICIES if len(payload) < 10_000 else ("default", "promptfoo", "masis")
    for name, place in zip(names, turn, strict=False):
        yield from unmoved(**at(place, payload), policy=name)


def in_the_answer(_: Row, payload: str) -> Problems:
    """The original statements keep their verdicts; each letter of the payload is graded or reported."""
    places = ("behind the answer", "before the answer")
    for answer in (at(place, payload)["answer"] for place in places):
        if len(payload) > 100_000:
            yield from shown_safely(graded(answer)[0])
            continue
        yield from accounted(graded(answer)[0], answer)
        yield from gullible(answer)
    if len(payload) <= 100_000:
        yield from unmoved_at(places, payload)


def in_the_context(_: Row, payload: str) -> Problems:
    """As a passage, inside one, or as its id, the payload changes no verdict and reaches the judge as text."""
    yield from unmoved_at(IN_CONTEXT, payload)
    alone, asked = graded(ANSWER, [payload])
    if alone.status == "invalid_input" and "file://" in payload and not asked:
        return  # nothing but the address of a file: nobody reads it
    seen = "".join(text for _, text in asked[0].payload.sentences) if asked else ""
    if letters(seen) != letters(payload):
        yield f"the judge was shown {seen[:80]!r}"
    yield from by_the_embedded_judge(ANSWER, context=[CONTEXT, payload])


def in_the_question(_: Row, payload: str) -> Problems:
    yield from unmoved_at(["question"], payload)
    yield from by_the_embedded_judge(ANSWER, question=payload)


def in_the_config(_: Row, payload: str) -> Problems:
    """As guidance, example, case id or policy file, the payload is plain text or a clear ``ConfigError``."""
    yield from unmoved_at(IN_CONFIG, payload)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "policy.yaml"
        file.write_text(payload, encoding="utf-8")
        try:
            grade(ANSWER, CONTEXT, policy=str(file))
            yield "is accepted as a policy"
        except ConfigError as error:
            if "\n" in str(error) or unsafe(str(error)):
                yield f"an error that is not safe to show: {error}"


def in_the_reply(_: Row, payload: str) -> Problems:
    """As a reply, or as a reason in one, only a verdict supports anything; the payload is shown as text."""
    alone = grade(ANSWER, CONTEXT, judge=ScriptedJudge([payload]))
    granted = len(re.findall(r'"verdict":\s*"yes"', payload)) if '"no"' not in payload else 0
    if sum(v.label == "supported" for v in alone.verdicts) > granted:
        yield f"{alone.counts} from a reply that supports {granted}"
    entries = [
        {"id": n, "evidence": [1], "label": label, "reason": payload}
        for n, label in enumerate(TRUTH.values(), 1)
    ]
    reasoned = grade(
        ANSWER, CONTEXT, judge=ScriptedJudge([json.dumps({"verdicts": entries})]), reasons="all"
    )
    for result in (alone, reasoned):
        yield from shown_safely(result)
    # A reason that may deny its label makes it open. It never makes another one of it.
    for verdict, label in zip(reasoned.verdicts, TRUTH.values(), strict=True):
        is_open = label == "supported" and verdict.unresolved == "invalid"
        if verdict.label != label and not is_open:
            yield f"a reason makes {label} {verdict.label or verdict.unresolved}"


def in_an_api_error(_: Row, payload: str) -> Problems:
    """A key that a server repeats in a body or a header is not shown."""
    for status in (400, 401, 500):
        answer = Answer(
            {"error": {"message": f"bad request {payload}"}},
            status,
            {"content-type": "application/json", "x-echo": payload},
        )
        with Loopback(answer) as server:
            result = grade(
                ANSWER, CONTEXT, judge="openai:m", base_url=server.url, api_key=KEY, max_retries=0
            )
        if result.status != "judge_failed" or "SECRET" in outputs(result):
            yield f"{result.status}: {result.reason}"


CHECKS: dict[str, Callable[[Row, str], Problems]] = {
    "answer": in_the_answer,
    "context": in_the_context,
    "query": in_the_question,
    "config": in_the_config,
    "judge_reply": in_the_reply,
    "api_error": in_an_api_error,
}


# ---------------------------------------------------------------- checks of the categories


def does_not_pass_alone(_: Row, payload: str) -> Problems:
    """A text known to make judges pass anything does not pass on its own."""
    aside = TruthfulJudge(lambda _text: "not_a_claim")
    for name in BY_SENTENCE:
        for judge in (aside, "embedded"):
            result = grade(payload, CONTEXT, judge=judge, policy=name)
            if result.pass_ or result.score == 1:
                yield f"{name}: score {result.score}"


def is_seen(_: Row, payload: str) -> Problems:
    """Each word of the payload is in a statement that the judge sees."""
    result, asks = graded(f"{ANSWER}\n\n{payload}")
    said = {
        word for ask in asks for _, text in ask.payload.items for word in re.findall(r"\w+", text)
    }
    if hidden := [word for word in re.findall(r"\w+", payload) if word not in said]:
        yield f"hidden from the judge: {hidden}"
    if "Aliens built Rome." not in result.verdicts[-1].statement:
        yield f"the last statement is {result.verdicts[-1].statement!r}"


def scores_no_more_than_its_base(row: Row, payload: str) -> Problems:
    """A text added to an answer does not raise its score."""
    base = row["note"].removeprefix("base_content: ")
    for label in ("supported", "not_enough_info", "contradicted"):
        known = {v.statement for v in graded(base)[0].verdicts}
        judge = TruthfulJudge(
            lambda text, label=label, known=known: label if text in known else "not_a_claim"
        )
        alone, attacked = grade(base, CONTEXT, judge=judge), grade(payload, CONTEXT, judge=judge)
        if (
            alone.status != "graded"
            or (attacked.score or 0.0) > alone.score
            or (attacked.pass_ and not alone.pass_)
        ):
            yield f"{label}: {attacked.score} in place of {alone.score}"


def supports_nothing(_: Row, payload: str) -> Problems:
    """A reply that says both yes and no, or that names a score, supports nothing."""
    result = grade(ANSWER, CONTEXT, judge=ScriptedJudge([payload]))
    if result.score or result.pass_ or (result.defined and "score" not in payload):
        yield f"{result.status}, score {result.score}"


def copied_earns_nothing(row: Row, payload: str) -> Problems:
    """A judge that copies the payload into its reply credits nothing that it denies."""
    case = {"answer": ANSWER, "context": CONTEXT, "query": QUESTION}
    case[row["channel"]] = f"{case[row['channel']]}\n\n{payload}"
    given = case["answer"], case["context"]

    # A few forms, each at one place: over all rows, each form is at each place.
    first = sum(map(ord, payload))
    for number in range(first, first + 4):
        form, place = [*FORMS][number % len(FORMS)], [*PLACES][number // 12 % len(PLACES)]
        judge = CopyingJudge(true_label, form, place, payload)
        result = grade(*given, question=case["query"], judge=judge)
        if any(
            v.label == "supported" and true_label(v.statement) != v.label for v in result.verdicts
        ):
            yield f"copied {place} the form {form}, it is credited"
    for seed in range(2):
        judge = ScriptedJudge([payload])
        result = grade(*given, question=case["query"], judge=judge, controls="enforce", seed=seed)
        if result.pass_:
            yield f"passes as a reply, with the secret {seed}"


FEW_SECRETS, MARGIN = range(40), 0.15


def passes_no_more_often(row: Row, payload: str) -> Problems:
    """A judge that obeys an order about controls supports a lie with no larger share of secrets."""
    share = share_passed(row, payload, FEW_SECRETS)
    if share > row["passes_at_most"] + MARGIN * (row["passes_at_most"] > 0):
        yield f"the lie passes with {share:.0%} of the secrets"


ALSO: dict[str, Callable[[Row, str], Problems]] = {
    "master-key": does_not_pass_alone,
    "hide-": is_seen,
    "etb-": scores_no_more_than_its_base,
    "judge-reply": supports_nothing,
    "copied-": copied_earns_nothing,
    "control-order": passes_no_more_often,
}


# ---------------------------------------------------------------- the invariants


def graded(
    answer: str, context: Any = CONTEXT, question: str = QUESTION, id: str = "", **options: Any
) -> tuple[GradingResult, list[Ask]]:
    """A grade by the honest judge, and its asks."""
    judge = honest()
    audit = {"citation_audit": options.pop("citation_audit", None)}
    return Grader(judge, **options).grade(
        answer, context, question=question, id=id, **audit
    ), judge.asked


def unmoved(answer: str, context: Any = CONTEXT, **options: Any) -> Problems:
    """The honest judge's verdicts on the original statements are as without the payload, and all is shown as text."""
    result, asks = graded(answer, context, **options)
    for problem in (*kept(result), *shown_safely(result), *fenced(asks)):
        yield f"{result.policy}: {problem}"


def kept(result: GradingResult) -> Problems:
    """Each original statement is there once, in order, with its verdict; no other is supported."""
    if policies[result.policy].verify == "rubric":
        if {*result.metadata["rawRatings"].values()} != {0.9}:
            yield f"the ratings are {result.metadata['rawRatings']}"
        return
    found = [(true, v.label) for v in result.verdicts if (true := original(v.statement))]
    if found != list(TRUTH.items()):
        yield f"the verdicts of the original statements are {found}"
    if [v.id for v in result.verdicts] != list(range(1, len(result.verdicts) + 1)):
        yield "the ids are not consecutive"
    if any(v.label == "supported" for v in result.verdicts if not original(v.statement)):
        yield "the payload is supported"
    if result.status != "graded" or result.coverage != 1:
        yield f"{result.status}, coverage {result.coverage}"


def accounted(result: GradingResult, answer: str) -> Problems:
    """Every letter and digit of the answer is in the span of one statement, or in one skipped span."""
    spans = [v.span for v in result.verdicts if v.span] + [(s.start, s.end) for s in result.skipped]
    times = bytearray(len(answer))
    for start, end in spans:
        for place in range(start, end):
            times[place] += 1
    if (
        any(times[place] != 1 for place, char in enumerate(answer) if not is_blank(char))
        or max(times, default=0) > 1
    ):
        yield "a letter is in no span, or in two"
    if not all(s.reason for s in result.skipped):
        yield "something is skipped without a reason"


def gullible(answer: str) -> Problems:
    """Even with a gullible judge, the statements and their ids are the grader's own."""
    result = grade(answer, CONTEXT, judge=GullibleJudge())
    wanted = [(v.id, v.statement) for v in graded(answer)[0].verdicts]
    if [(v.id, v.statement) for v in result.verdicts] != wanted:
        yield "a gullible judge changes the list of statements"
    yield from shown_safely(result)


def by_the_embedded_judge(
    answer: str, context: Any = CONTEXT, question: str = QUESTION
) -> Problems:
    """The embedded judge gives the original statements the same verdicts as without the payload."""
    alone, attacked = grade(ANSWER, CONTEXT), grade(answer, context, question=question)
    labels = {v.statement: v.label for v in attacked.verdicts}
    if wrong := [v.statement for v in alone.verdicts if labels.get(v.statement) != v.label]:
        yield f"the embedded judge changes its verdict on {wrong}"


def letters(text: str) -> str:
    """The letters and digits of a text."""
    return re.sub(r"[\W_]", "", text)


_TAG = re.compile(
    r"<((?:context|question|statements?|answer|citation-audit|score|passages)-[0-9a-f]{4,8})>\n"
)


def fenced(asks: list[Ask]) -> Problems:
    """A user message is a list of blocks between unique tags, and the key of the ask at its end.

    Numbered blocks have one line per item.
    """
    for ask in asks:
        whole, _, key = ask.messages[-1]["content"].rpartition("\n\n")
        rest = whole
        if key != f'The JSON begins with "ask":"{ask.echo}".':
            yield f"{ask.kind}: the last line is {key!r}"
        while rest:
            opened = _TAG.match(rest)
            tag = opened[1] if opened else ""
            block, closed, rest = rest[opened.end() if opened else 0 :].partition(f"\n</{tag}>")
            if not closed or whole.count(tag) != 2 or (rest and not rest.startswith("\n\n<")):
                yield f"{ask.kind}: the block {tag or rest[:40]!r} has no unique fence"
                return
            name = tag.rpartition("-")[0]
            if name in ("context", "statements", "passages") or (
                name == "answer" and ask.kind != "ratings"
            ):
                yield from _numbered(ask, name, block)
            rest = rest.removeprefix("\n\n")


def _numbered(ask: Ask, name: str, block: str) -> Problems:
    items = ask.payload.sentences if name == "context" else ask.payload.items
    told = {"statements": ask.payload.referents, "context": ask.payload.passages}.get(name, ())
    before = {n: "".join(f"[{one_line(t)}] " for m, t in told if m == n and t) for n, _ in told}
    own = {n: "[] " * text.lstrip().startswith("[") for n, text in items if not before.get(n)}
    texts = [(n, {**before, **own}.get(n, "") + one_line(text)) for n, text in items]
    wanted = [f"{number} {disarmed(text)}" for number, text in texts]
    if block.replace("\n\n", "\n") != "\n".join(wanted):
        yield f"{ask.kind}: the block {name} does not contain exactly its items"


def unsafe(text: str) -> str:
    """The characters of ``text`` that control a terminal, a log or a viewer, or hide or reorder text."""
    return "".join(char for char in text if not (char.isprintable() or char in "\n\u200c\u200d"))


def outputs(result: GradingResult) -> str:
    """A result in every form in which it can be shown."""
    return "\n".join(
        [
            repr(result),
            result.pretty(),
            result.model_dump_json(),
            json.dumps(result.to_promptfoo("all")),
        ]
    )


def shown_safely(result: GradingResult) -> Problems:
    """A shown result has no control characters, no commands for a CI's log or a table, and no NaN.

    No text begins a line of its own, and only the first line says what a result is.
    """
    data, pretty = result.to_promptfoo("all"), result.pretty()
    parts = data["componentResults"]
    cells = [data["reason"], *(part["reason"] for part in parts)]
    told = data["metadata"].get("graderOutputs", {}).get("statements", "").split("\n")
    for text in (pretty, *cells, *told, *(part["assertion"]["value"] for part in parts)):
        if found := unsafe(text):
            yield f"shows {found[:20]!r}"
        if re.search(r"^\s*::|##\w*\[", text, re.MULTILINE):
            yield "shows a command for a log"
    if odd := [line for line in told if not re.match("(?:(?:unverified|check): )?[“…]|$", line)]:
        yield f"a text begins a line of its own: {odd[0]!r}"
    lines = pretty.split("\n")
    if [line for line in lines if re.match(r"(PASS|FAIL|ERROR)  score", line)] != lines[:1]:
        yield "another line looks like that of a result"
    if odd := [cell for cell in (*cells, *told) if cell[:1] in tuple("=+-@\t\r") or "\n" in cell]:
        yield f"a cell that is not one line of text: {odd[0]!r}"
    if "\n" in result.model_dump_json() or len(pretty.splitlines()) != len(lines):
        yield "contains another line break"
    json.dumps(data, allow_nan=False).encode()
