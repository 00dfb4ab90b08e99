"""The local judge: a checker that runs on this machine, so that no text leaves it.

``local:NAME_OR_PATH`` names a folder, or a model of the Hugging Face hub.

Over the chunks of a context the highest probability of support counts, as the authors of these
checkers do it. Of token labels it is the lowest: every chunk must find every token supported. A
number that is no number is no verdict.
"""

from __future__ import annotations

import asyncio
import json
import math
import os
import re
import time
from collections.abc import Mapping, Sequence
from itertools import chain, groupby
from typing import Any, NamedTuple

from ...asking.ranking import Ranking
from ...asking.schema import MAX_EVIDENCE
from ...records.checks import check_number, check_text
from ...records.errors import JudgeError
from ...records.judge import Ask, JudgeInfo, Numbered, Reply
from ...records.model import Label
from ...records.usage import Usage
from .. import background
from .families import words_in
from .inputs import Chunk, Reader
from .loading import load

NAMED = 3
"""Sentences that a verdict names of a chunk that has more."""
DIGITS = 4
"""Digits of a probability. The batch in which an input is computed changes only later ones."""
_AROUND = " \t\n.,;:!?…\"'“”‘’()"
NOT_A_NUMBER = (
    "the model's output for a statement is not a number: its weights may be damaged, or too large "
    "for its precision (device='cpu' has the highest)"
)
NO_WORD = "the model reads no word in a statement: its tokenizer may be that of another model"
TOO_LONG = "a statement is too long for the model, beside the context: name one that reads more"


class LocalJudge:
    """Labels statements with a checker that runs on this machine.

    It reads each statement with each part of the context that the model can read at once. The same
    ask gets the same reply, whatever else is asked at the time. The question is read only by
    families that were trained with one.

    Args:
        model: a folder, or the name of a model on the Hugging Face hub: NAME, or NAME@REVISION
            with a commit, tag or branch. Without one, its newest commit is taken; the judge's name
            says which.
        family: how the model is asked, where its config and its name do not say it: ``pair``,
            ``minicheck``, ``true``, ``hhem`` or ``lettucedetect``.
        label_order: the label of each of the model's outputs, where its config does not name them;
            or the two words that a model writes for supported and not supported; default 1, 0.
        support_at: from 0 to 1; a probability of support above this one is enough.
        device: ``cpu``, ``cuda``, ``cuda:1``, ``mps``, or ``auto``: a GPU if there is one.
        max_prompt_tokens: the most tokens of one input. Default: what the model was made for.

    Raises:
        ConfigError: there is no such model, it cannot be loaded, or an option does not fit it.
    """

    def __init__(
        self,
        model: str,
        *,
        family: str | None = None,
        label_order: Sequence[str] | str | None = None,
        support_at: float = 0.5,
        device: str = "auto",
        max_prompt_tokens: int | None = None,
    ) -> None:
        check_number("support_at", support_at, 0, 1)
        check_number("max_prompt_tokens", max_prompt_tokens, 32, 10**6, whole=True, optional=True)
        name, device = check_text("model", model), check_text("device", device)
        plain, at, revision = (name, "", "") if os.path.isdir(name) else name.partition("@")
        own = family, words_in(label_order), device, max_prompt_tokens
        self._model = made = load(plain, revision if at else None, *own)
        files = made.files
        known = f"{files.name}@{files.commit[:12]}" if files.commit else files.folder.name
        self._support_at = support_at
        self._reader = Reader(made.family, made.tokens, made.most)
        self.info = JudgeInfo(
            name=f"local:{known}",  # on every machine: without the path of a folder
            keeps_deadline=True,
            any_loop=True,
            deterministic=True,
            never_contradicts="contradicted" not in made.order,
            asks=frozenset({"verdicts"}),
            identity={
                "judge": "local",
                "files": made.fingerprint,
                "family": made.family.name,
                "labels": list(made.order),
                "support_at": support_at,
                "tokens": made.most,
                "runtime": made.runtime,
            },
        )

    def ask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        """A verdict for each statement of ``ask``.

        Raises:
            JudgeError: the ask is not for verdicts; the time is up; or the model cannot compute it.
        """
        return background.wait(self.aask(ask, deadline=deadline))

    async def aask(self, ask: Ask, /, *, deadline: float | None = None) -> Reply:
        """The same as a coroutine, for any event loop.

        Raises:
            JudgeError: see ``ask``.
        """
        if ask.kind != "verdicts":
            raise JudgeError(
                "a local judge only gives verdicts: use a policy that splits into sentences "
                "(split='sentences'), or name an LLM for the rest with claims_judge",
                "unreadable",
            )
        chunks = await background.in_thread(self._reader.chunks, ask.payload)
        left = None if deadline is None else max(deadline - time.monotonic(), 0)
        computing = self._model.batcher.submit([chunk.input for own in chunks for chunk in own])
        try:
            computed = asyncio.gather(*map(asyncio.wrap_future, computing))
            outputs = await asyncio.wait_for(computed, left)
        except (asyncio.TimeoutError, TimeoutError):
            raise JudgeError(
                "the local judge ran out of time",
                "timeout",
                retryable=True,
                fix="Pass a later deadline or a lower concurrency, or use a smaller model or "
                "a GPU.",
            ) from None
        finally:
            for future in computing:  # of which nobody needs the rest
                future.cancel()
        return self._reply(ask, chunks, outputs)

    def _reply(self, ask: Ask, chunks: list[list[Chunk]], outputs: list[Any]) -> Reply:
        """The reply, in the same JSON as that of any judge. A label is null if there is none."""
        model, computed = self._model, iter(outputs)
        sentences, form = ask.payload.sentences, ask.form
        scores, rows = list[Score](), []
        for (number, statement), own in zip(ask.payload.items, chunks, strict=True):
            scored = self._score(own, [next(computed) for _ in own], statement)
            label = scored.label
            if label is not None and label not in form.labels:
                label = "not_enough_info"
            is_open = label in (None, "not_enough_info")
            evidence = [] if is_open else _named(statement, scored, sentences)
            row: dict[str, Any] = {"id": number} if form.numbered else {}
            row["evidence"] = evidence
            if form.reasons == "all":
                row["reason"] = scored.problem or f"probability of support {scored.support:.2f}"
            rows.append({**row, "label": label})
            scores.append(scored)
        problems = tuple(dict.fromkeys(one.problem for one in scores if one.problem))
        if problems and not any(one.label for one in scores):
            raise JudgeError(problems[0], "unreadable")
        warnings = [f"no verdict: {problem}" for problem in problems]
        if not model.files.pinned:
            named = f"NAME@{model.files.commit or 'of a commit'}"
            problem = "no commit of the model is pinned; to repeat the grade, name it"
            warnings.insert(0, f"{problem} {named}")
        return Reply(
            json.dumps({"verdicts": rows}, separators=(",", ":")),
            Usage(),
            validated=True,
            warnings=tuple(warnings),
            confidence=tuple(one.label and one.confidence for one in scores),
            wrong=tuple(one.wrong for one in scores),
        )

    def _score(self, chunks: Sequence[Chunk], outputs: Sequence[Any], statement: str) -> Score:
        """What the model says of a statement, by its outputs for each chunk with it."""
        order = self._model.order
        if not chunks:
            return Score(problem=TOO_LONG)
        if self._model.family.head == "tokens":
            return self._of_tokens(chunks, outputs, self._model.tokens.plain(statement))
        rows = (row[0] if isinstance(row[0], list) else row for row in outputs)
        shares = [probabilities(row, order) for row in rows]
        if not all(math.isfinite(value) for one in shares for value in one.values()):
            return Score(problem=NOT_A_NUMBER)
        support = max(one.get("supported", 0.0) for one in shares)
        labels: tuple[Label, ...] = ("supported", "partially_supported", "contradicted")
        for label in labels:
            values = [one.get(label, 0.0) for one in shares]
            if max(values) > (self._support_at if label == "supported" else 0.5):
                best = values.index(max(values))
                return Score(label, values[best], chunks[best].numbers, support)
        return Score("not_enough_info", round(1 - support, DIGITS), (), support)

    def _of_tokens(self, chunks: Sequence[Chunk], outputs: Sequence[Any], statement: str) -> Score:
        """The score of a statement, as the model reads it, of labels of its tokens."""
        lowest: dict[tuple[int, int], float] = {}
        least = []  # of each chunk, that of the token that it supports the least
        for chunk, rows in zip(chunks, outputs, strict=True):
            shares = {
                (start, end): probabilities(rows[token], self._model.order)
                for token, start, end in chunk.input.places
            }
            own = {span: share.get("supported", math.nan) for span, share in shares.items()}
            least.append(min(own.values(), default=math.nan))
            for span, chance in own.items():
                known = lowest.get(span, 1.0)
                lowest[span] = min(chance, known, key=lambda x: (not math.isnan(x), x))
        if not lowest or any(map(math.isnan, lowest.values())):
            return Score(problem=NOT_A_NUMBER if lowest else NO_WORD)
        support = min(lowest.values())
        if support > self._support_at:
            return Score("supported", support, chunks[least.index(max(least))].numbers, support)
        marked = [span for span, chance in sorted(lowest.items()) if chance <= self._support_at]
        wrong = _words(statement, marked)
        return Score("not_enough_info", round(1 - support, DIGITS), (), support, wrong)


# ---------------------------------------------------------------- what the outputs say


class Score(NamedTuple):
    """What a checker says of one statement.

    Args:
        label: None if it says nothing.
        confidence: the probability of the label, in [0, 1].
        numbers: the sentences of the chunk that decided it.
        support: the probability that the statement is supported.
        wrong: the words that nothing supports, as the statement has them.
        problem: why there is no label.
    """

    label: Label | None = None
    confidence: float = 0.0
    numbers: tuple[int, ...] = ()
    support: float = 0.0
    wrong: tuple[str, ...] = ()
    problem: str = ""


def probabilities(outputs: Sequence[float], order: Sequence[Label]) -> Mapping[Label, float]:
    """The probability of each label: by softmax, or by the logistic function of a single output."""
    if len(order) == 1:
        value = outputs[0]
        chance = math.exp(min(value, 0.0)) / (1 + math.exp(-abs(value)))
        return {order[0]: round(chance, DIGITS) if math.isfinite(value) else math.nan}
    if not all(map(math.isfinite, outputs)):
        return {order[0]: math.nan}
    highest = max(outputs)
    weights = [math.exp(value - highest) for value in outputs]
    total = math.fsum(weights)
    sums: dict[Label, float] = dict.fromkeys(order, 0.0)
    for label, weight in zip(order, weights, strict=True):
        sums[label] += weight / total
    return {label: round(chance, DIGITS) for label, chance in sums.items()}


def _words(text: str, marked: Sequence[tuple[int, int]]) -> tuple[str, ...]:
    """The whole words at these places, each run of neighbours as one text, without repeats.

    A mark that is nothing but punctuation or white space names no word.
    """
    marks = (range(*span) for span in marked if text[slice(*span)].strip(_AROUND))
    wrong = set(chain.from_iterable(marks))
    words = (word.span() for word in re.finditer(r"\S+", text))
    runs = groupby(words, key=lambda span: not wrong.isdisjoint(range(*span)))
    spans = [list(run) for is_wrong, run in runs if is_wrong]
    return tuple(dict.fromkeys(text[run[0][0] : run[-1][1]].strip(_AROUND) for run in spans))


def _named(statement: str, scored: Score, sentences: Numbered) -> list[int]:
    """The sentences of the chunk that decided; of a long one those most like the statement."""
    if len(scored.numbers) <= NAMED:
        return list(scored.numbers)
    texts = {number: text for number, text in sentences if number in set(scored.numbers)}
    ranking = Ranking(texts.values(), [range(n, n + 1) for n in range(1, len(texts) + 1)])
    numbers = list(texts)
    best = sorted(numbers[place] for place in ranking.best(statement, "", NAMED))
    return best or numbers[:MAX_EVIDENCE]
