"""``doctor`` asks the judge, and says which server answered and what it does with our requests."""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from ..asking.schema import json_schema
from ..grading import Grader
from ..judges import background
from ..judges.dialects import (
    MODELS_PATH,
    UNKNOWN,
    entry_of,
    models_in,
    names_of_models,
    recognise,
    stated_window,
)
from ..judges.remote.connection import Answer
from ..judges.remote.redaction import safe_text
from ..judges.remote.remote_judge import RemoteJudge
from ..records.ask import Ask, Payload, ReplyForm
from ..records.errors import FaithfulnessError, JudgeError
from ..records.judge import judge_info
from ..text.strings import clip
from .check import Check

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ..records.model import Label
    from ..settings import Chosen

CASE = ("The museum opens at nine.", "The museum opens at nine. It closes at five.")
DEADLINE = 60.0  # seconds, for the grade and for the ask after it
SECONDS = 10.0  # for the list of models
FEW = 5
"""Models of the server that are named where it does not know ours."""
_QUESTION = (
    'Is 2 more than 1? Answer only with JSON of this form: {"verdicts": [{"id": 1, "evidence": [], '
    '"label": "..."}]}'
)


@dataclass(slots=True)
class Exchanges:
    """What went over the network while the judge was asked."""

    requests: list[dict[str, Any]] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)

    def add(self, request: dict[str, Any], answer: Answer) -> None:
        """Keeps a request and its answer."""
        self.requests.append(request)
        self.answers.append(answer)


def judge_checks(spec: str, chosen: Chosen) -> Iterator[Check]:
    """Grades one case: a real grade would get the same answer or error from the judge."""
    seen = Exchanges()
    try:
        options = {**chosen.options, "cache": None}  # or nobody would be asked
        given = (spec, chosen.policy, chosen.threshold)
        grader = Grader(*given, deadline=DEADLINE, **options)
        judge = grader.judge
        if isinstance(judge, RemoteJudge):
            judge.watch = seen.add
        result = grader.grade(*CASE)
    except FaithfulnessError as error:
        yield Check("fail", f"judge {spec}: {error}")
        return
    if result.error is None:
        score = "undefined" if result.score is None else f"{result.score:.2f}"
        cost = f"{result.latency_ms:.0f} ms, {result.tokens_used.total} tokens"
        yield Check("ok", f"judge {spec} answers: score {score} in {cost}")
    else:
        yield Check("fail", f"judge {spec}: {result.reason}")
    yield from _model_checks(judge_info(judge).identity or {})
    if isinstance(judge, RemoteJudge):
        yield from _server_checks(judge, seen, graded=result.error is None)
        judge.close()


def _model_checks(told: Mapping[str, Any]) -> Iterator[Check]:
    """How a local judge understands its model, for the eye: nothing else shows a wrong order."""
    if told.get("judge") == "local":
        means = f"family {told['family']}, its outputs mean {', '.join(told['labels'])}"
        reads = f"it reads {told['tokens']:,} tokens, by {told['runtime']}"
        yield Check("ok", f"model: {means}; {reads}")


def _server_checks(judge: RemoteJudge, seen: Exchanges, *, graded: bool) -> Iterator[Check]:
    """Which server it is, what it does with our requests, and how much it reads."""
    models: list[Mapping[str, Any]] = []
    if judge.provider.name == "openai" and seen.answers:
        listed = background.wait(_listed(judge))
        models = models_in(listed) if listed else []
        yield _dialect(judge, [*seen.answers, *([listed] if listed else [])], models)
    if not graded:
        if models and entry_of(_model(judge), models) is None:
            few = islice(names_of_models(models), FEW)
            names = ", ".join(clip(safe_text(name, judge.secrets), 60) for name in few)
            yield Check("warn", f"model: {_model(judge)} is not in its list, which has: {names}")
        return
    yield from _structured(judge, seen)
    yield _window(judge, models)


async def _listed(judge: RemoteJudge) -> Answer | None:
    """The answer of the server to a request for its list of models."""
    connection = await background.in_thread(judge.connection, MODELS_PATH, "GET")
    try:
        answer = await connection.send({}, SECONDS)
    finally:
        await connection.close()
    return answer if isinstance(answer, Answer) else None


def _dialect(judge: RemoteJudge, answers: list[Answer], models: list[Mapping[str, Any]]) -> Check:
    host = urlsplit(str(judge.info.identity["base_url"])).hostname or ""  # type: ignore[index]
    name, sign = recognise(host, answers, models)
    if name == UNKNOWN:
        return Check("ok", f"server: {UNKNOWN}")
    return Check("ok", f"server: {name} (known by {sign})")


# ---------------------------------------------------------------- what it does with requests


def _structured(judge: RemoteJudge, seen: Exchanges) -> Iterator[Check]:
    """What had to be left out, and whether the server keeps to the schema that is sent.

    Labels that only the schema names show it: a model cannot guess them.
    """
    labels = cast("tuple[Label, ...]", (f"a{secrets.token_hex(4)}", f"b{secrets.token_hex(4)}"))
    form = ReplyForm("verdicts", labels)
    ask = Ask(
        messages=({"role": "user", "content": _QUESTION},),
        form=form,
        ids=(1,),
        max_tokens=352,
        payload=Payload(((1, "2 is more than 1."),)),
        schema=json_schema(form),
    )
    try:
        reply = judge.ask(ask, deadline=time.monotonic() + DEADLINE)
    except JudgeError as error:
        yield Check("warn", f"structured output: could not be tested: {error}")
        return
    for warning in judge.left_out:
        yield Check("warn", f"left out: {warning}")
    if not judge.left_out:
        yield Check("ok", "left out: nothing")
    if not _has_schema(seen.requests[-1]):
        said = "no JSON Schema could be sent; replies are read as they come"
        yield Check("warn", f"structured output: {said}")
    elif any(label in reply.text for label in labels):
        yield Check("ok", "structured output: the server keeps to the JSON Schema")
    else:
        said = "the server takes a JSON Schema and ignores it; replies are read as they come"
        yield Check("warn", f"structured output: {said}")


def _has_schema(request: Mapping[str, Any]) -> bool:
    return any("schema" in str(request.get(name)) for name in ("response_format", "output_config"))


def _window(judge: RemoteJudge, models: list[Mapping[str, Any]]) -> Check:
    """How long an ask may be, and from where that is known."""
    limits = judge.info.limits
    entry = entry_of(_model(judge), models)
    stated = stated_window(entry) if entry else None
    total, prompt = limits.total_tokens, limits.prompt_tokens
    sent = f"asks have at most {total:,}" if total else f"prompts have at most {prompt:,}"
    if stated:
        known = f"{stated[0]:,} tokens ({stated[1]} in its list of models)"
    elif total:
        known = f"{total:,} tokens for this model"
    else:
        known = "not known"
    learned = "fewer once the server finds one too long"
    return Check("ok", f"context window: {known}. {sent.capitalize()}, {learned}")


def _model(judge: RemoteJudge) -> str:
    return judge.info.name.partition(":")[2]
