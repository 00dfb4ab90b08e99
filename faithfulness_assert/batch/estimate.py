"""What a run will use: asks, tokens and cost, before anything is sent.

The plans of the cases are replayed with replies that need no network, and the grader counts their
tokens. Of a large data set, a random sample of cases is planned.
"""

from __future__ import annotations

import json
import math
import random
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from heapq import nsmallest
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from .. import options as table
from ..asking.windows import estimate_tokens
from ..cases.sources import open_data_set
from ..grading import Grader
from ..judges import exact_token_counter, option_names
from ..judges.embedded import EmbeddedJudge
from ..records.checks import check_number
from ..records.judge import Ask, Judge, Reply, ReplyForm, judge_info
from ..records.usage import Usage
from ..settings import SETTING, Choice, choose
from ..text.sentences import sentence_spans
from ..text.strings import counted
from .rows import Row

ANY_MODEL = "openai:MODEL"
"""The judge where none is named: some model behind an API. The default judge would ask nobody."""
SAMPLE = 2000
SEED = 20261122
CERTAIN = 1.96
"""Standard errors within which 95 of 100 estimates lie."""
THINKING = 1000
"""Tokens that a model that thinks spends on it for an ask: a guess, as it depends on the texts."""
RATING = 0.85
REASON = "The context names another number and another place than this."
"""A sentence of a reason or a suggestion."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a run will use if the judge answers every ask at once, and in a usual length.

    Args:
        cases: in the data set.
        planned: how many of them were planned; the others count as these do on average.
        asks, prompt, completion: requests and tokens of all cases.
        cost: in the currency of the given prices; None without prices.
        margin: 95 of 100 such samples are wrong about all tokens by at most this share; 0 if every
            case was planned.
        judge: for which one; ``ANY_MODEL`` if none is named.
        notes: what else is to be known, such as rows that cannot be read, which cost nothing.
    """

    cases: int
    planned: int
    asks: int
    prompt: int
    completion: int
    cost: float | None
    margin: float
    judge: str = ""
    notes: tuple[str, ...] = ()

    @property
    def short(self) -> str:
        """The asks, the tokens and the cost, in a few words."""
        cost = "cost unknown without prices" if self.cost is None else f"cost {self.cost:,.4f}"
        tokens = f"{self.prompt:,} prompt and {self.completion:,} completion tokens"
        return f"about {self.asks:,} asks, {tokens}, {cost}"

    def __str__(self) -> str:
        any_model = "any model behind an API, since no judge is named"
        whom = f"for {any_model if self.judge == ANY_MODEL else self.judge}"
        return "\n".join([f"{counted(self.cases, 'case')}, {whom}: {self.short}", *self.notes])


def estimate_run(
    source: Any,
    *,
    judge: str | Judge = SETTING,
    policy: Any = None,
    threshold: float | None = None,
    sample: int = SAMPLE,
    mapping: Mapping[str, str] | None = None,
    encoding: str | None = None,
    **options: Any,
) -> Estimate:
    """What grading a data set will use. Nothing is sent, and no key is needed.

    Replies that a store (option ``cache``) already has are not taken into account.

    Args:
        source, mapping, encoding: as for ``run``. It is read to the end.
        judge, policy, threshold, options: as for ``Grader``; but where no judge is named, also
            not in the settings, it is some model behind an API.
        sample: the most cases that are planned, from 1. If there are more, they are drawn at
            random, always the same ones.

    Raises:
        ConfigError: as for ``run``, or ``sample`` is not a whole number from 1.
    """
    check_number("sample", sample, 1, 10**9, whole=True)
    data_set = open_data_set(source, mapping=mapping, encoding=encoding)
    table.check_names(options)
    chosen = choose(judge, policy, threshold, options)
    if judge == SETTING and "judge" not in chosen.sources:
        chosen = chosen._replace(judge=ANY_MODEL)
    grader, named = _grader(chosen), chosen.judge
    chance, problem, counts = random.Random(SEED), "", Counter[bool]()  # noqa: S311 - not used for security

    def readable() -> Iterator[Row]:
        nonlocal problem
        for row in data_set.rows():
            counts[not row.problem] += 1
            problem = problem or row.problem
            if not row.problem:
                yield row

    drawn = nsmallest(sample, readable(), key=lambda _: chance.random())
    is_free = isinstance(named, str) and not judge_info(grader.judge).remote  # it takes part itself
    rehearsal = Rehearsal(grader)
    planned = (
        grader.grade(**row.fields) if is_free else grader.replay(row.fields, rehearsal)
        for row in drawn
    )
    results = [result for result in planned if result is not None]
    usages = [result.tokens_used for result in results]
    times = counts[True] / len(drawn) if drawn else 0.0
    costs = [result.cost for result in results if result.cost is not None]
    margin, notes = _margin(usages, counts[True]), []
    if len(drawn) < counts[True]:
        notes.append(f"A random sample of {len(drawn):,} was planned: tokens ± {margin:.1%}.")
    if thinking := rehearsal.thinking:
        notes.append(f"Each ask is taken to think {thinking:,} tokens; it may be far more or less.")
    more = "" if thinking else ", and a model's thinking,"
    notes.append(f"Retries and asks about missing verdicts{more} come on top.")
    if problem:
        unread = f"{counted(counts[False], 'row')} cannot be read and cost nothing"
        notes.append(f"{unread}. The first is {problem}")
    if exact_token_counter(grader.judge_name) is None:
        notes.append("The tokens are estimated from the length of the texts.")
    return Estimate(
        cases=counts.total(),
        planned=len(drawn),
        asks=round(times * sum(usage.num_requests for usage in usages)),
        prompt=round(times * sum(usage.prompt for usage in usages)),
        completion=round(times * sum(usage.completion for usage in usages)),
        cost=None if "prices" not in options else times * math.fsum(costs),
        margin=margin,
        judge=named if isinstance(named, str) else judge_info(named).name,
        notes=tuple(notes),
    )


def _grader(chosen: Choice) -> Grader:
    """The grader, without a store of replies and without a key."""
    judge, policy, threshold, options, _ = chosen
    own = {**options, **table.UNSTORED}
    if "api_key" in option_names(judge):
        own["api_key"] = "none"
    grader = Grader(judge, policy, threshold, **own)
    if (cache := options.get("cache")) and (keep_in := getattr(grader.judge, "keep_in", None)):
        keep_in(Path(cache))  # it may tell that the model thinks
    return grader


def _margin(usages: list[Usage], cases: int) -> float:
    totals = [float(usage.total) for usage in usages]
    if len(totals) >= cases or len(totals) < 2 or not any(totals):
        return 0.0
    left_out = math.sqrt(1 - len(totals) / cases)
    return CERTAIN * stdev(totals) / math.sqrt(len(totals)) * left_out / fmean(totals)


class Rehearsal:
    """Takes the place of a grader's judge: replies as it would in form and length.

    Verdicts come from the embedded judge. In other replies, each sentence is a claim or a truth.

    ``thinking``: the tokens that the judge is taken to think for each ask.
    """

    def __init__(self, grader: Grader) -> None:
        self._count = exact_token_counter(grader.judge_name) or estimate_tokens
        self.thinking = THINKING if getattr(grader.judge, "thinks", False) else 0
        self._judge = EmbeddedJudge()

    def __call__(self, ask: Ask) -> Reply:
        """A reply, with what it would have cost."""
        data = {"ask": ask.echo, **self._reply(ask)}
        text = json.dumps(data, separators=(",", ":"), ensure_ascii=False)
        prompt, completion = ask.size(self._count), self._count(text) + self.thinking
        return Reply(text, Usage(prompt, completion, reasoning=self.thinking, num_requests=1))

    def _reply(self, ask: Ask) -> dict[str, Any]:
        items = ask.payload.items
        if ask.kind == "claims":
            return {"sentences": [{"id": n, "claims": [text]} for n, text in items]}
        if ask.kind == "truths":
            parts = {n: [text[i:j] for i, j in sentence_spans(text)] for n, text in items}
            return {"passages": [{"id": n, "truths": truths} for n, truths in parts.items()]}
        if ask.kind == "ratings":
            return {**dict.fromkeys(ask.form.dimensions, RATING), "suggestions": [REASON]}
        if ask.kind == "reason":
            return {"reason": f"{REASON} {REASON}"}
        return {"verdicts": self._verdicts(ask)}

    def _verdicts(self, ask: Ask) -> list[dict[str, Any]]:
        """The embedded judge's."""
        reply = self._judge.ask(replace(ask, form=ReplyForm("verdicts", ask.form.labels)))
        verdicts: list[dict[str, Any]] = json.loads(reply.text)["verdicts"]
        for verdict in verdicts if ask.form.reasons != "none" else ():
            short = ask.form.reasons == "problems" and verdict["label"] == "supported"
            verdict["reason"] = "" if short else REASON
        return verdicts
