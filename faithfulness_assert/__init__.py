"""faithfulness_assert grades whether an LLM's answer is faithful to the context that it was given.

    from faithfulness_assert import grade

    result = grade("The tower is 330 m tall.", "The Eiffel Tower is 330 metres tall.")
    result.score, result.pass_, result.reason

Every public name is listed here. Each loads on first use, so importing the package costs almost
nothing.

PYTEST_DONT_REWRITE: otherwise pytest would warn where the package is imported before pytest runs.
"""

from __future__ import annotations

from importlib import import_module

# Type checkers take it as true. To import typing would double the cost of importing this package.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from .cases.case import Case, Passage
    from .grading import Grader, agrade, grade, grade_many
    from .policy.load import policies
    from .policy.policy import Policy
    from .pytest_plugin.assertions import NotGraded, assert_faithful
    from .reading.reconcile import read_verdicts
    from .reading.refusal import is_refusal
    from .records.errors import ConfigError, JudgeError, PromptTooLong, UnreadableReply
    from .records.judge import Ask, Judge, Reply
    from .records.model import CitationAudit, Verdict
    from .records.result import GradingResult
    from .records.result_list import Results, to_frame
    from .records.usage import Usage
    from .text.citation_audit import audit_citations
    from .text.statements import split_statements

__version__ = "0.1.0"

_HOMES = {
    "grading": ("Grader", "agrade", "grade", "grade_many"),
    "policy.policy": ("Policy",),
    "policy.load": ("policies",),
    "pytest_plugin.assertions": ("NotGraded", "assert_faithful"),
    "reading.reconcile": ("read_verdicts",),
    "reading.refusal": ("is_refusal",),
    "records.judge": ("Ask", "Judge", "Reply"),
    "cases.case": ("Case", "Passage"),
    "records.errors": ("ConfigError", "JudgeError", "PromptTooLong", "UnreadableReply"),
    "records.model": ("CitationAudit", "Verdict"),
    "records.result": ("GradingResult",),
    "records.result_list": ("Results", "to_frame"),
    "records.usage": ("Usage",),
    "text.citation_audit": ("audit_citations",),
    "text.statements": ("split_statements",),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}

# In the order in which a reader meets them.
__all__ = ["Grader", "Policy", "agrade", "assert_faithful", "grade", "grade_many", "policies"]
__all__ += ["GradingResult", "Results", "to_frame"]
__all__ += ["ConfigError", "JudgeError", "NotGraded", "PromptTooLong", "UnreadableReply"]
__all__ += ["audit_citations", "is_refusal", "read_verdicts", "split_statements"]
__all__ += ["Ask", "Case", "CitationAudit", "Judge", "Passage", "Reply", "Usage", "Verdict"]


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f".{_HOME[name]}", __name__), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
