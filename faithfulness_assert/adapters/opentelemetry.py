"""Results as OpenTelemetry events ``gen_ai.evaluation.result``."""

from __future__ import annotations

from time import time_ns

from ..records.result import GradingResult
from .shared import explanation, missing, outcome

try:
    from opentelemetry._logs import Logger, LogRecord, SeverityNumber, get_logger
    from opentelemetry.context import Context
except ImportError as error:
    raise missing(error, "opentelemetry-sdk>=1.45") from error

EVENT = "gen_ai.evaluation.result"


def emit_result(
    result: GradingResult,
    *,
    name: str = "faithfulness",
    response_id: str | None = None,
    context: Context | None = None,
    logger: Logger | None = None,
    texts: bool = False,
) -> None:
    """Emits a result as an event.

    Without a score there is no score value, and the label is the status, such as ``no_context``; a
    grader error has an ``error.type``, such as ``timeout``.

    Args:
        name: ``gen_ai.evaluation.name``.
        response_id: the id of the judged completion, where its span is not at hand.
        context: that of the span that made the answer; None for the current one.
        logger: where it goes; None for one of the global provider.
        texts: whether the explanation may quote the answer; else it only counts.
    """
    attributes = {
        "gen_ai.evaluation.name": name,
        "gen_ai.evaluation.score.value": None if result.score is None else float(result.score),
        "gen_ai.evaluation.score.label": outcome(result),
        "gen_ai.evaluation.explanation": explanation(result) if texts else _counts(result),
        "gen_ai.response.id": response_id,
        "error.type": result.error.kind if result.error else None,
    }
    record = LogRecord(
        timestamp=time_ns(),
        context=context,
        severity_number=SeverityNumber.INFO,
        event_name=EVENT,
        attributes={key: value for key, value in attributes.items() if value is not None},
    )
    (logger or get_logger("faithfulness_assert")).emit(record)


def _counts(result: GradingResult) -> str:
    """What happened, without a word of the answer or the judge."""
    if not result.defined:
        return f"not graded: {result.status}"
    counts = ", ".join(f"{count} {label}" for label, count in result.counts.items() if count)
    return f"{result.status}: {counts or 'no statements'}; passes at {result.threshold:g}"
