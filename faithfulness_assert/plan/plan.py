"""The procedure, written once: a generator that yields asks, is sent their outcomes, and returns
the result. It does no I/O and reads no clock.

    split -> claims, truths (by policy) -> verdicts -> ask again what is unresolved
          -> ask again where windows disagree -> explain -> conclude
    or, if the policy is a rubric: ratings -> conclude

``grade_plan`` is the only generator. A stage either asks (what to ask, what the answers mean) or
changes the state without asking; both are pure functions.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator

from ..asking.windows import Budget
from ..cases.case import Case
from ..cases.systems import NAMES_INSIDE
from ..policy.policy import Policy
from ..records.errors import ConfigError, JudgeError, PromptTooLong
from ..records.judge import Ask, Limits, Outcome
from ..records.model import CODE_SKIPPED, THOUGHT_SKIPPED
from ..records.result import GradingResult
from ..text.absent_numbers import absent_numbers
from ..text.context_numbers import Numbers
from ..text.sentences import FIND, language_of, number_sentences
from ..text.statements import split
from ..text.strings import is_blank, lazy_pattern
from ..text.talk import accompanies, beside_denial, declines
from . import long_contexts, verdicts
from .conclude import conclude
from .outcomes import MOST_CUTS, absorb, add_cost, cut_shorter, with_samples
from .state import (
    Answers,
    Asking,
    End,
    Log,
    Stage,
    State,
    as_judged,
    end,
    fit,
    note,
    use_numbers,
    with_statements,
)
from .weighing import internal_error

Plan = Generator[tuple[Ask, ...], tuple[Outcome, ...], "GradingResult"]
Overdue = Callable[[], "JudgeError | None"]

GRADED_ALL_THE_SAME = ("heading", "code", "table header")
"""Skipped spans with which an answer says more than that it declines."""
_FENCE_LINE = lazy_pattern(r"(?m)^[ \t>]*(?:```|~~~)[ \t]*\S*$")
WARNINGS = {
    "thinking": f"{THOUGHT_SKIPPED}, with which the answer begins: it is skipped, and not judged",
    "code": f"{CODE_SKIPPED}: it is skipped, and not judged, with the words in it",
    "context": (
        "the answer is JSON that repeats a context beside the answer: that is skipped, and not "
        "judged"
    ),
}
"""What a reader is told of skipped spans, by their reason; of code, if it has words."""


def grade_plan(
    case: Case,
    policy: Policy,
    language: str = FIND,
    limits: Limits | None = None,
    secret: bytes = b"",
    overdue: Overdue = lambda: None,
) -> Plan:
    """The plan to grade one case. Drive it with ``next`` and ``send``; it returns the result.

    Args:
        case: what is graded.
        policy: how.
        language: of the answer and the context, for the sentence splitter (ISO 639-1); ``auto``:
            that of the answer is found.
        limits: what one ask may hold.
        secret: who does not know it cannot foresee controls and tags.
        overdue: says why nothing more may be done, or None. It is called between the stages before
            the first ask. Later asks are up to whoever drives the plan.
    """
    budget = Budget(limits or Limits())
    state = State(case, policy, budget, language_of(case.answer, language), secret)
    cuts, has_asked = MOST_CUTS, False
    answers: Answers = ()
    try:
        for stage in _stages(case, policy, lambda: state):  # noqa: B023 - as it is by then
            if not has_asked and state.end is None and (error := overdue()):
                state = end(note(state, Log(errors=(error,))), "judge_failed")
            if state.end is not None:
                break
            if not isinstance(stage, Asking):
                state = stage(state)
                continue
            while jobs := stage.jobs(state):
                has_asked = True
                if policy.samples > 1 and jobs[0].ask.kind == "verdicts":
                    jobs = with_samples(state, stage.jobs, jobs)
                outcomes = yield tuple(job.ask for job in jobs)
                state = use_numbers(state, jobs)
                answers = tuple(zip(jobs, outcomes, strict=True))
                too_long = any(isinstance(outcome, PromptTooLong) for outcome in outcomes)
                shorter = None
                if too_long and stage.refit and cuts:
                    shorter = cut_shorter(state, stage.refit, answers)
                state = absorb(state, stage, answers) if shorter is None else shorter
                answers = ()
                if shorter is None:
                    break
                cuts -= 1
        return conclude(state)
    except ConfigError:
        raise
    except Exception as defect:  # noqa: BLE001 - it costs one case, and not a run of a million
        for job, outcome in answers:
            state = add_cost(state, job, outcome)
        return internal_error(defect, policy, case.id, state.log.usage)


def _stages(case: Case, policy: Policy, now: Callable[[], State]) -> Iterator[Stage]:
    """The stages for a case, in their order. Each is loaded only where it is needed.

    ``now`` gives what is known when the stages before are done.
    """
    if case.citation_audit is not None or policy.citations != "off":
        yield _audit
    yield _split
    tries = 1 + policy.reasks
    if policy.verify == "rubric":
        from . import whole_answer as whole

        yield whole.fit_whole
        rating = Asking(whole.rating_jobs, whole.absorb_ratings, refit=whole.fit_whole)
        yield from [rating] * tries
        return
    yield fit
    if policy.split == "claims" or policy.verify == "truths":
        from . import lists

        yield from [Asking(lists.jobs, lists.absorb_reply, lists.absorb_error, fit)] * tries
        yield lists.settle
        yield fit
    if len(now().windows) > 1:
        yield long_contexts.begin
    absorbing = verdicts.absorb_reply, verdicts.absorb_error
    asking = Asking(verdicts.jobs, *absorbing)
    again = [Asking(verdicts.reask_jobs, *absorbing)] * policy.reasks
    yield Asking(verdicts.jobs, *absorbing, long_contexts.refit)
    yield from again
    if now().likely is not None:
        yield long_contexts.go_on
        yield asking
        yield from again
    if len(now().windows) > 1:
        yield asking._replace(jobs=long_contexts.widen_jobs)
    if policy.explain == "judge":
        from . import whole_answer as whole

        yield Asking(whole.explanation_jobs, whole.absorb_explanation, whole.do_without_explanation)


# ---------------------------------------------------------------- before the first ask


def _audit(state: State) -> State:
    """The state with the citation audit: the one that was given, else one of the answer."""
    case = state.case
    if case.citation_audit is not None:
        return state._replace(audit=case.citation_audit)
    from ..text.citation_audit import audit_citations  # its patterns take time to compile

    ids = [passage.id for passage in case.context]
    audit = audit_citations(case.answer, ids, language=state.language, hedges=state.policy.hedges)
    return state._replace(audit=audit)


def _split(state: State) -> State:
    """The state with statements and context sentences, ended if there is nothing to ask."""
    case = state.case
    if state.policy.requires_question and case.question_missing:
        problem = f"question: it is blank, and the policy {state.policy.name!r} needs one"
        return end(state, "invalid_input", problem)
    if is_blank(case.answer):
        return state._replace(end=End("no_statements", "the answer is blank", blank=True))
    language = "" if state.language == "en" else state.language  # which it also is if none is known
    names: dict[str, str] = {}
    for passage in case.context:  # one id with two names has none
        name = passage.name
        names[passage.id] = name if names.get(passage.id, name) == name else ""
    known = Numbers(*(passage.text for passage in case.context), language=language)
    asked = Numbers(case.question, language=language)

    def has_new_number(text: str) -> bool:
        return any(map(str.isdigit, text)) and bool(absent_numbers(text, known, asked))

    parts = split(case.answer, state.language, NAMES_INSIDE, known.text)
    statements = tuple(map(as_judged, parts.statements))
    state = state._replace(sentences=statements, skipped=parts.skipped, known=known, asked=asked)
    state = with_statements(state, statements)
    reasons = {span.reason for span in parts.skipped}
    code = (case.answer[span.start : span.end] for span in parts.skipped if span.reason == "code")
    said = _FENCE_LINE.sub("", "\n".join(code))
    told = reasons if any(map(str.isalpha, said)) else reasons - {"code"}
    warnings = tuple(warning for reason, warning in WARNINGS.items() if reason in told)
    state = note(state, Log(warnings=warnings)) if warnings else state
    if reasons.isdisjoint(GRADED_ALL_THE_SAME):
        declining = False
        for statement in parts.statements:  # the first fact ends it
            is_declining = declines(statement.text)
            if not (is_declining or accompanies(statement.text)):
                break
            if has_new_number(beside_denial(statement.text)):  # such as a telephone number
                break
            declining = declining or is_declining
        else:
            if declining:
                return end(state, "abstained")  # also without a context: it claims nothing
    if all(is_blank(passage.text) for passage in case.context):
        ignored = f"Not read: {', '.join(case.ignored)}; name what was retrieved 'context'"
        why = [case.no_evidence, ignored if case.ignored else ""]
        return end(state, "no_context", ". ".join(filter(None, why)))
    if not statements:
        return end(state, "no_statements", "the answer says nothing that can be checked")
    return state._replace(context=number_sentences(case, state.language), names=names)
