"""What all adapters share: the grader, a case in another system's values, a result in its words.

In no system does a result that is not ``defined`` become a score.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..cases.fields import find_fields
from ..cases.systems import FROM
from ..conversations.plain_data import as_json
from ..grading import Grader
from ..options import DEADLINE, hide_key
from ..records.errors import pip_install
from ..records.judge import Judge as Judge
from ..records.result import GradingResult
from ..settings import SETTING as SETTING
from ..settings import AnyPolicy as AnyPolicy

if TYPE_CHECKING:
    from typing_extensions import Unpack as Unpack

    from ..options import GraderOptions as GraderOptions

PATIENCE = 0.9
"""The share of a system's own timeout after which a grade ends, so that it can still say why."""


def missing(error: ImportError, *requirements: str) -> ImportError:
    """The error for a package that an adapter needs and cannot import."""
    advice = f"This adapter needs: {pip_install(*requirements)}"
    return ImportError(f"{error}. {advice}", name=error.name, path=error.path)


def make_grader(
    judge: str | Judge,
    policy: AnyPolicy | None,
    threshold: float | None,
    options: GraderOptions,
    *,
    system_timeout: float | None = None,
) -> Grader:
    """The grader with these options, which become unreadable for a debugger where they are secret.

    Without a ``deadline`` among them, a grade ends before the ``system_timeout`` (seconds).
    """
    hide_key(options)
    if system_timeout:
        options.setdefault("deadline", min(DEADLINE, PATIENCE * system_timeout))
    return Grader(judge, policy, threshold, **options)


def case_in(
    inputs: Any, outputs: Any, metadata: Any = None, context: Any = None
) -> Mapping[str, Any]:
    """The case in what went into an application, and what came out of it.

    The fields are found under the names that are usual in other systems, as in their exports. The
    ``context``, if there is one, comes before all others. A text is never searched: a model may
    have written it.
    """
    record = {
        "input": inputs if isinstance(inputs, Mapping) else {"question": inputs},
        "output": outputs if isinstance(outputs, Mapping) else {"answer": outputs},
        "metadata": metadata if isinstance(metadata, Mapping) else {},
        **({"context": context} if context else {}),
    }
    plain = as_json(record)
    return find_fields([plain], {FROM: "langfuse"}).split(plain)[0]


def outcome(result: GradingResult) -> str:
    """``pass`` or ``fail``; without a score the status, such as ``judge_failed``."""
    if not result.defined:
        return result.status
    return "pass" if result.pass_ else "fail"


def explanation(result: GradingResult) -> str:
    """What happened, for a person. It quotes statements of the answer."""
    return result.reason or outcome(result)


def facts(result: GradingResult) -> dict[str, Any]:
    """What else a system may keep: plain JSON, without texts of the case."""
    return {
        "outcome": outcome(result),
        "status": result.status,
        "threshold": result.threshold,
        "policy": result.policy,
        "judge": result.judge,
        "coverage": result.coverage,
        "counts": dict(result.counts),
        "tokens": result.tokens_used.total,
    }
