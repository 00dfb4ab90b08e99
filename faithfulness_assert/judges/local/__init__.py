"""The local judge: a checker that runs on this machine, so that no text leaves it.

``local:NAME_OR_PATH`` names a folder, or a model of the Hugging Face hub.
"""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Sequence
from typing import Any

from ...asking.ranking import Ranking
from ...asking.schema import MAX_EVIDENCE
from ...records.checks import check_number, check_text
from ...records.errors import JudgeError
from ...records.judge import Ask, JudgeInfo, Numbered, Reply, ReplyForm
from ...records.usage import Usage
from .. import background
from .families import words_in
from .inputs import Chunk, Reader
from .loading import Settings, load
from .scores import FIXES, Score, score

NAMED = 3
"""Sentences that a verdict names of a chunk that has more."""


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
        self._model = made = load(Settings(plain, revision if at else None, *own))
        self._support_at = support_at
        self._reader = Reader(made.family, made.tokens, made.most)
        self.info = JudgeInfo(
            name=f"local:{made.files.plain_name}",
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
        """The reply, in the same JSON as that of any judge."""
        model, computed, scores = self._model, iter(outputs), []
        head, order = model.family.head, model.order
        for (_, statement), own in zip(ask.payload.statements, chunks, strict=True):
            said, read = [next(computed) for _ in own], model.tokens.plain(statement)
            scores.append(score(own, said, read, head, order, self._support_at))
        problems = tuple(dict.fromkeys(one.problem for one in scores if one.problem))
        if problems and not any(one.label for one in scores):
            raise JudgeError(problems[0], "unreadable", fix=FIXES[problems[0]])
        warnings = [f"no verdict: {problem}" for problem in problems]
        if not model.files.pinned:
            named = f"NAME@{model.files.commit or 'of a commit'}"
            problem = "no commit of the model is pinned; to repeat the grade, name it"
            warnings.insert(0, f"{problem} {named}")
        items = zip(ask.payload.statements, scores, strict=True)
        rows = [_row(n, text, own, ask.form, ask.payload.sentences) for (n, text), own in items]
        return Reply(
            json.dumps({"verdicts": rows}, separators=(",", ":")),
            Usage(),
            validated=True,
            warnings=tuple(warnings),
            confidence=tuple(one.label and one.confidence for one in scores),
            wrong=tuple(one.wrong for one in scores),
        )


def _row(
    number: int, statement: str, scored: Score, form: ReplyForm, sentences: Numbered
) -> dict[str, Any]:
    """The verdict on a statement as a row; its label is null if there is none."""
    label = scored.label
    if label is not None and label not in form.labels:
        label = "not_enough_info"
    evidence = [] if label in (None, "not_enough_info") else _named(statement, scored, sentences)
    return {
        **({"id": number} if form.numbered else {}),
        "evidence": evidence,
        **({"reason": _reason(scored, evidence)} if form.reasons == "all" else {}),
        "label": label,
    }


def _named(statement: str, scored: Score, sentences: Numbered) -> list[int]:
    """The sentences of the chunk that decided; of a long one those most like the statement."""
    if len(scored.numbers) <= NAMED:
        return list(scored.numbers)
    texts = {number: text for number, text in sentences if number in set(scored.numbers)}
    ranking = Ranking(texts.values(), [range(n, n + 1) for n in range(1, len(texts) + 1)])
    numbers = list(texts)
    best = sorted(numbers[place] for place in ranking.best(statement, "", NAMED))
    return best or numbers[:MAX_EVIDENCE]


def _reason(scored: Score, evidence: Sequence[int]) -> str:
    if scored.problem:
        return scored.problem
    where = f"context sentences {', '.join(map(str, evidence))}"
    if scored.label == "supported":
        return f"{where} support it" if evidence else "the context supports it"
    if scored.label == "contradicted":
        return f"{where} contradict it"
    return f"its probability of support is {scored.support:.2f}"
