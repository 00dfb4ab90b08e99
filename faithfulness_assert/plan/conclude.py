"""The end of a plan: what is known becomes a ``GradingResult``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain
from typing import Any

from ..asking.controls import problem_of
from ..asking.schema import MAX_ERRORS, wrong_label
from ..cases.case import Case
from ..cases.paths import leaves
from ..policy.scoring import on_unit_scale
from ..reading.reconcile import MISSING, Finding
from ..reading.rows import parse_label
from ..records.errors import JudgeError
from ..records.judge import CONTROL_TAKES
from ..records.model import (
    MARKED,
    NEW_LINK,
    NEW_SOURCE,
    NUMBER_FLAG,
    VERBATIM_FLAG,
    WHOLE_ANSWER,
    Evidence,
    Verdict,
)
from ..records.result import GradingResult
from ..records.views import SETUP
from ..text.absent_numbers import EQUALS, absent_numbers, with_computed
from ..text.citations import source_names
from ..text.context_numbers import Numbers
from ..text.sentences import Quotable, resolve
from ..text.strings import clip, found_once, lazy_pattern, one_line, plain_words
from ..text.wrong_words import MOST_WRONG, difference
from .long_contexts import finding_of, shown_shares
from .state import State, without_heading
from .weighing import FINDINGS, CaseFindings, to_entry, weigh, with_warnings

_DIGIT = re.compile(r"\d")
_LINK = lazy_pattern(r"https?://[^\s()<>\[\]\"]{1,2000}")
_ADDS = lazy_pattern(r"total|\bs[ou]m|samt|together|\bin all\b|creas|gr[eo]w|differ|[合总總差]")
"""A sum or a difference of what is listed before it, in lower case."""
MOST_LINKS, MOST_NEW = 100, 5
"""Links that are looked for in a context; and links, and citations, that are named."""
MAX_EXPLANATION = 600
"""Characters of the judge's own reason."""
MAX_LABEL = 40
LEAST_OWN, LEAST_INSIDE = 24, 250
"""Characters of an answer that a retriever hardly finds as a whole (a title may be twice as long),
and of one that is hardly quoted from a longer text."""

NO_CONTROL = (
    f"Use controls='report': a control (a statement with a known verdict) takes {CONTROL_TAKES}."
)


def conclude(state: State) -> GradingResult:
    """The result of a plan that is over: what is known of the case, as its policy weighs it."""
    log, policy = state.log, state.policy
    verdicts = () if state.end or policy.verify == "rubric" else _verdicts(state)
    is_judged = any(v.label for v in verdicts)
    answered = tuple(chain.from_iterable(state.controls.values()))
    passed = [is_passed for _, is_passed in answered]
    is_tested = policy.controls in ("report", "enforce") and is_judged
    is_enforced = policy.controls == "enforce" and bool(verdicts)
    problem, fix = problem_of(answered), ""  # what the judge did wrong has a fix of its own
    if is_enforced and not answered:  # else a run tells once how many cases had none
        problem, fix = "no control could be made", NO_CONTROL
    first_error: dict[int, JudgeError] = {}
    for (_, number), error in state.error_of.items():
        first_error.setdefault(number, error)
    open_firsts = {v.id: state.first_like[v.id] for v in verdicts if v.label is None}
    left_open = {number: first for number, first in open_firsts.items() if first in first_error}
    # A reply that cannot be read is asked for again, so what failed otherwise is the cause.
    errors = [*(first_error[first] for first in left_open.values()), *log.errors]
    failed = (error for error in errors if error.kind != "unreadable")
    findings = CaseFindings(
        verdicts,
        state.audit,
        state.end,
        state.ratings,
        next(failed, errors[0] if errors else None),
        frozenset(left_open),
        (problem, fix) if is_enforced else ("", ""),
        clip(state.explanation, MAX_EXPLANATION),
    )
    fields, weighed = weigh(policy, findings)
    statuses = [error.http_status for error in log.errors if error.http_status]
    entries: dict[str, Any] = {
        "language": state.language if state.language != "en" else None,
        "windows": len(state.windows) if len(state.windows) > 1 else None,
        "replies": {form: log.forms.count(form) for form in dict.fromkeys(log.forms)},
        "schemaErrors": list(dict.fromkeys(log.schema_errors))[:MAX_ERRORS],
        "mismatchedCounts": [{"expected": n, "actual": actual} for n, actual in log.mismatches],
        "truths": [{"passage": s.passage, "text": s.text} for s in state.context]
        if policy.verify == "truths" and verdicts
        else None,
        "inverse": policy.inverse,
        "httpStatus": statuses[0] if statuses else None,
        "controls": {
            "asked": len(answered),
            "passed": passed.count(True),
            "failed": passed.count(False),
            "unanswered": passed.count(None),
        }
        if is_judged and answered
        else None,
        "untested": is_tested and not answered,
        FINDINGS: to_entry(findings),
    }
    metadata = {**weighed, **{name: value for name, value in entries.items() if value}}
    warnings = [*_warnings(state, findings), *([problem] if problem and is_judged else [])]
    return GradingResult(
        **fields,
        skipped=state.skipped,
        citations=state.audit,
        tokens_used=log.usage,
        metadata=with_warnings(metadata, warnings, fields["verdicts"]),
        case_id=state.case.id,
    )


def _warnings(state: State, findings: CaseFindings) -> list[str]:
    """What any policy warns of, but for the controls."""
    case, log, rated = state.case, state.log, findings.ratings
    is_judged = any(v.label for v in findings.verdicts)
    ignored = f"these fields of the record were ignored: {', '.join(case.ignored)}"
    warnings = [*([ignored] if case.ignored else []), *case.notes, *log.warnings]
    cited = [case.answer[s.start : s.end] for s in state.skipped if s.reason == "citation"]
    if cited or "://" in case.answer:
        warnings += _new_sources(case, cited)
    if is_judged or rated:
        # Without any verdict, the first error is the reason of the result.
        warnings += [f"an ask failed ({e.kind}): {e.message}" for e in log.errors]
    if is_judged and _is_copied(case):
        risk = "if that is a copy of it, all that it says is supported"
        fix = "take the context from the documents alone"
        warnings.append(f"{SETUP}{WHOLE_ANSWER}: {risk}; {fix}")
    for word in filter(None, dict.fromkeys(map(wrong_label, log.schema_errors))):
        if parse_label(word, state.policy.labels) is None:
            unknown = f"the judge's label {clip(word, MAX_LABEL)!r} is none that is known"
            warnings.append(f"{unknown}; the option labels can say what it means")
    if rated:
        warnings += on_unit_scale(rated.ratings)[1]
    if state.likely is not None:
        part = "statements were compared with the parts that share words with them"
        asks = f"to show everything takes {state.likely.everything:,} asks or more"
        warnings.append(f"the context is long: {part}; {asks} at this prompt size")
    return warnings


def _is_copied(case: Case) -> bool:
    """Whether a passage is the answer, a record with it, or a text that has it behind a colon, as
    in the steps of an agent, or a long one anywhere.

    A short answer that is quoted from a longer text is none.
    """
    answer = one_line(case.answer)
    if len(answer) < LEAST_OWN * (1 + answer[-1:].isalnum()):
        return False
    is_long = len(answer) >= LEAST_INSIDE
    most = float("inf") if is_long else 2 * len(answer)
    for passage in case.context:
        inner = leaves(passage.text) if passage.text.lstrip()[:1] in "{[`" else ()
        for text in (passage.text, *inner):
            if isinstance(text, str) and len(answer) <= len(text):
                before, copy, _ = text.partition(answer)
                if copy and before.rstrip(" \n\"'“„«").endswith((":", "=", "：")):
                    return True
                said = one_line(text) if len(text) < most else ""
                if said == answer or (is_long and answer in said):
                    return True
    return False


def _new_sources(case: Case, cited: Sequence[str]) -> list[str]:
    """A warning for each link and each skipped citation that names what the context lacks.

    The judge is shown neither.
    """
    known = "\n".join([*(f"{p.id} {p.text}" for p in case.context), case.question]).casefold()
    links = (link.rstrip("/.,;:!?*_`|'’”") for link in _LINK.findall(case.answer)[:MOST_LINKS])
    new = [
        f"{NEW_LINK} {clip(link)}: its address is nowhere in the context"
        for link in dict.fromkeys(links)
        if link.casefold() not in known
    ][:MOST_NEW]
    for text in dict.fromkeys(cited):
        # A file may have another ending there.
        places = {name: (name.rpartition(".")[0] or name).casefold() for name in source_names(text)}
        names = [name for name, place in places.items() if place not in known][:MOST_NEW]
        if names and len(new) < 2 * MOST_NEW:
            lacks = f"it is skipped, and nowhere in the context is {', '.join(names)}"
            new.append(f"{NEW_SOURCE} “{clip(text)}”: {lacks}")
    return new


# ---------------------------------------------------------------- verdicts


def _verdicts(state: State) -> tuple[Verdict, ...]:
    """The verdict on each statement.

    A repeat says the same, and has the same label by as good an evidence. But each statement that
    is judged by itself and earns nothing counts: it may be about another thing.
    """
    numbers = set(state.first_like.values())
    if len(state.windows) == 1:
        findings = {number: state.findings.get((0, number), MISSING) for number in numbers}
    else:
        findings = {number: finding_of(state, number) for number in numbers}
    shares = shown_shares(state, state.likely) if state.likely else {}
    quotes = any(finding.quote for finding in findings.values())
    quotable = Quotable.of(state.context) if quotes else None
    seeing = Seeing(state)
    verdicts, alike = [], dict[tuple[object, ...], int]()
    for statement in state.statements:
        first = state.first_like[statement.id]
        finding, start, end = findings[first], statement.start, statement.end
        evidence, flags = resolve(finding.evidence, finding.quote, state.context, quotable)
        is_proven = bool(evidence) and not (finding.flags or flags)
        earns = finding.label in state.policy.credited
        key = (state.alike[statement.id] if earns else first), finding.label, is_proven
        same = alike.setdefault(key, statement.id)
        more_flags, wrong, says = seeing.of(finding, without_heading(statement), evidence)
        verdicts.append(
            Verdict(
                statement.id,
                statement.text,
                finding.label,
                finding.unresolved,
                evidence,
                finding.reason,
                None if start is None or end is None else (start, end),
                same if same != statement.id else None,
                (*finding.flags, *flags, *more_flags),
                shares.get(first, 1.0),
                wrong=wrong,
                says=says,
                confidence=None if finding.label is None else finding.confidence,
            )
        )
    return tuple(verdicts)


# ---------------------------------------------------------------- what code sees beside the judge

VERBATIM = 12
"""Characters of the shortest statement of which it says something that the context has it."""


class Seeing:
    """What code sees in the statements about a case. It changes no label and raises no score."""

    def __init__(self, state: State) -> None:
        self._known, self._asked, self._context = state.known, state.asked, state.context
        self._statements, self._folded = state.statements, state.known.text.casefold()
        answer = "\n".join([one.text for one in self._statements])
        self._has_equations = any(sign in answer for sign in EQUALS)
        self._is_listed = any(one.is_item for one in self._statements)  # what it may add up

    @found_once
    def _computed(self) -> Numbers:
        """What the question has, and what the statements compute: few ever ask for it."""
        return with_computed(map(without_heading, self._statements), self._known, self._asked)

    def _has_sentence(self, words: str) -> bool:
        """Whether the context has a sentence of these words: within one they may be denied."""
        first = words.split(maxsplit=1)[0]
        texts = (said.text for said in self._context)
        return any(plain_words(text) == words for text in texts if first in text.casefold())

    def of(
        self, finding: Finding, statement: str, evidence: Sequence[Evidence]
    ) -> tuple[tuple[str, ...], tuple[str, ...], str]:
        """Flags of a statement, its wrong words, and what the evidence says in their place.

        A supported statement, or one that was set aside, may get a flag for a number that is
        nowhere. All others get the words that the evidence lacks, beside those that the judge
        marks, and a flag if the context has the statement word for word.
        """
        has_digits, folded = _DIGIT.search(statement) is not None, statement.casefold()
        is_aside = finding.label == "not_a_claim"
        if finding.label is None or (is_aside and not has_digits):
            return (), finding.wrong, ""
        texts = [item.text for item in evidence]
        if is_aside or finding.label == "supported":
            absent: tuple[str, ...] = ()
            said = "\n".join(texts)
            if has_digits:
                absent = absent_numbers(statement, self._known, self._asked, said)
            if absent and (self._is_listed or self._has_equations or _ADDS.search(folded)):
                absent = absent_numbers(statement, self._known, self._computed, said)
            return ((NUMBER_FLAG,), absent, "") if absent else ((), finding.wrong, "")
        flags = (MARKED,) if finding.wrong else ()
        words = plain_words(statement)
        # Most statements have a word that the context lacks, which is quickly seen.
        may_be_there = len(words) >= VERBATIM and all(w in self._folded for w in words.split())
        if may_be_there and self._has_sentence(words):
            flags = (*flags, VERBATIM_FLAG)
        if statement == folded and not (finding.reason or has_digits):
            return flags, finding.wrong, ""
        wrong, says = difference(statement, texts, self._known, finding.reason, self._asked)
        if wrong and has_digits and self._has_equations:
            asked = self._computed
            wrong, says = difference(statement, texts, self._known, finding.reason, asked)
        beside = (word for word in wrong if not any(word in words for words in finding.wrong))
        named = sorted(dict.fromkeys([*finding.wrong, *beside]), key=statement.find)
        return flags, tuple(named[:MOST_WRONG]), says
