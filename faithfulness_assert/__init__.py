"""faithfulness_assert grades whether an LLM's answer is faithful to the context that it was given.

    from faithfulness_assert import grade

    result = grade("The tower is 330 m tall.", "The Eiffel Tower is 330 metres tall.")
    result.score, result.pass_, result.reason

Every public name is listed here; each loads on first use, so that importing the package costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # type checkers take it as true; importing typing would double what importing this package costs
if TYPE_CHECKING:
    from .case import Case, Passage
    from .citations import audit_citations
    from .errors import ConfigError, JudgeError, UnreadableReply
    from .grading import Grader, agrade, grade, grade_many
    from .model import Ask, CitationAudit, Judge, Reply, Usage, Verdict
    from .policy import Policy
    from .presets import policies
    from .reading.refusal import is_refusal
    from .reconcile import read_verdicts
    from .result import GradingResult
    from .statements import split_statements

__version__ = "0.1.0"

_HOMES = {
    "citations": ("audit_citations",),
    "errors": ("ConfigError", "JudgeError", "UnreadableReply"),
    "grading": ("Grader", "agrade", "grade", "grade_many"),
    "case": ("Case", "Passage"),
    "model": ("Ask", "CitationAudit", "Judge", "Reply", "Usage", "Verdict"),
    "policy": ("Policy",),
    "presets": ("policies",),
    "reading.refusal": ("is_refusal",),
    "reconcile": ("read_verdicts",),
    "result": ("GradingResult",),
    "statements": ("split_statements",),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [  # noqa: RUF022 - in the order in which a reader meets them
    "grade",
    "agrade",
    "grade_many",
    "Grader",
    "Policy",
    "policies",
    "GradingResult",
    "ConfigError",
    "JudgeError",
    "UnreadableReply",
    "split_statements",
    "read_verdicts",
    "is_refusal",
    "audit_citations",
    "Case",
    "Passage",
    "Verdict",
    "Judge",
    "Ask",
    "Reply",
    "Usage",
    "CitationAudit",
]


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f".{_HOME[name]}", __name__), name)
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
