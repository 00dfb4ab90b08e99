"""A scorer for Inspect: ``Task(dataset, solver, scorer=faithfulness("openai:MODEL"))``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ..cases.systems import names
from ..records.errors import ConfigError
from ..records.result import GradingResult
from .shared import SETTING, explanation, facts, make_grader, missing

try:
    from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
    from inspect_ai.solver import TaskState
except ImportError as error:
    raise missing(error, "inspect-ai>=0.3.280") from error

if TYPE_CHECKING:
    from .shared import AnyPolicy, GraderOptions, Judge, Unpack


@scorer(metrics=[mean(), stderr()])
def faithfulness(
    judge: str | Judge = SETTING,
    policy: AnyPolicy | None = None,
    threshold: float | None = None,
    *,
    case: Callable[[TaskState], Mapping[str, Any]] | None = None,
    **options: Unpack[GraderOptions],
) -> Scorer:
    """Whether the context in a sample's metadata supports the model's output.

    A result without a score is unscored: Inspect leaves it out of the metrics, and counts it.

    Args:
        judge, policy, threshold, options: see ``faithfulness_assert.Grader``.
        case: what to grade, from the state: a mapping with ``answer``, ``context`` and
            ``question``. None: the output, the metadata's ``context`` (or another system's name
            for it) and the input; without such a context, the results of tools are the evidence.

    Raises:
        ConfigError: as Grader; also for a secret among the options, because Inspect writes them
            into its log.
    """
    address = urlsplit(str(options.get("base_url") or ""))
    named = options.get("api_key") or options.get("extra_headers")
    if named or "@" in address.netloc or address.query:
        raise ConfigError(
            "api_key, extra_headers, base_url: Inspect writes a scorer's options into its log. "
            "Set a secret in the environment instead, as OPENAI_API_KEY or OPENAI_BASE_URL"
        )
    grader = make_grader(judge, policy, threshold, options)

    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001
        result = await grader.agrade_case((case or _case)(state))
        shown: dict[str, Any] = {
            "answer": state.output.completion,
            "explanation": explanation(result),
            "metadata": facts(result),
        }
        if result.score is not None:
            return Score(value=result.score, **shown)
        return Score.unscored(reason=_reason(result), **shown)

    return score


def _case(state: TaskState) -> dict[str, Any]:
    values = (state.metadata[name] for name in names("context") if name in state.metadata)
    case = {"answer": state.output.completion, "context": next(values, None)}
    if case["context"] is None and any(message.role == "tool" for message in state.messages):
        return {**case, "messages": state.messages}
    return {**case, "question": state.input_text}


def _reason(result: GradingResult) -> str:
    """Inspect's word for why there is no score."""
    if result.status == "abstained":
        return "refusal"
    failed = result.error is not None and result.error.kind != "input"
    return "grader_failed" if failed else "scoring_failed"
