"""What a run found, in numbers. It keeps no line, so that a run may have any number of them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from ..records.judge import PROMPT_CUT
from ..records.model import (
    CODE_SKIPPED,
    NEW_LINK,
    NEW_SOURCE,
    NOT_JUDGED,
    NUMBER_FLAG,
    THOUGHT_SKIPPED,
    VERBATIM_FLAG,
    WHOLE_ANSWER,
)
from ..records.result import GradingResult
from ..records.result_list import controls_in_words, is_unreliable, untested_in_words
from ..records.views import lost_points
from ..statistics import LEVEL, mean_interval
from ..text.strings import clip, counted, visible

LEAST = 10
"""Scores. An interval from fewer would say too little."""

_SCALE = 10**12  # scores are added as whole numbers: the same sum in every order
_USAGE = ("prompt", "completion", "cached", "reasoning", "num_requests")
SHOWN_GROUPS = 5
MAX_KIND = 60
MAX_MESSAGE = 400

UNSUPPORTED = "unsupported"
_WITH_NUMBER = "passed with a number or unit that is nowhere in the context: check them"
_WITH_COPY = "with a statement that is not supported, though the context has it word for word"
_CUT = "whose prompt the server may have cut, as it counted far fewer tokens than were sent"
CHECKS = {
    NUMBER_FLAG: f"{_WITH_NUMBER} ({NUMBER_FLAG})",
    CODE_SKIPPED: "passed with code, which is skipped: check the words in it",
    THOUGHT_SKIPPED: "passed with what the model thought before, which is skipped: check it",
    NEW_LINK: "passed with a link whose address is nowhere in the context: check it",
    NEW_SOURCE: "passed with a citation that names what the context lacks: check it",
    VERBATIM_FLAG: f"{_WITH_COPY}: check the judge",
    PROMPT_CUT: f"{_CUT}: raise its context length",
    WHOLE_ANSWER: "whose context has the whole answer, word for word: check that it is no copy",
    UNSUPPORTED: "passed with a statement that is not, or not fully, supported",
}
"""What is said of cases with a flag, or with a warning that has these words."""
_IF_PASSED, _WARNED = (
    (NUMBER_FLAG, *NOT_JUDGED, UNSUPPORTED),
    (*NOT_JUDGED, PROMPT_CUT, WHOLE_ANSWER),
)


class Counted(NamedTuple):
    """What is counted of a result, or of several ``cases`` that are alike in all but their cost.

    Args:
        score: None if it means nothing.
        error, message: of a grader error; else None.
        notes: what its metadata says of controls and of the judge, as JSON.
        prompt, completion, cached, reasoning, requests, cost: of all of them.
    """

    status: str
    passed: bool
    score: float | None
    error: str | None
    message: str | None
    estimated: bool
    notes: str
    prompt: int
    completion: int
    cached: int
    reasoning: int
    requests: int
    cost: float | None
    cases: int = 1

    @classmethod
    def of(cls, result: GradingResult) -> Counted:
        """Of one result."""
        error, used = result.error, result.tokens_used
        names = ("controls", "untested", "judgeNote")
        notes = {name: result.metadata[name] for name in names if result.metadata.get(name)}
        flags = {flag for verdict in result.verdicts for flag in verdict.flags}
        warnings = "\n".join(result.warnings)
        flags |= {name for name in _WARNED if name in warnings}
        flags |= {UNSUPPORTED} if result.problems() else set()
        checks = (name for name in CHECKS if result.pass_ or name not in _IF_PASSED)
        notes |= {name: True for name in checks if name in flags}
        return cls(
            result.status,
            result.pass_,
            result.score,
            None if error is None else error.kind,
            None if error is None else error.message,
            used.estimated,
            json.dumps(notes, sort_keys=True),
            *(used.prompt, used.completion, used.cached, used.reasoning, used.num_requests),
            result.cost,
        )


class ErrorGroup(NamedTuple):
    """Errors of one kind; ``message`` is that of one of them."""

    kind: str
    cases: int
    message: str


class Summary:
    """Counts of results, in any order.

    Attributes:
        cases, passed, failed: how many there are. A case that fails has a result that is no error.
        rows: how many a run has, with those that have no result yet; 0 if there is no run.
        not_graded: grader errors, such as a judge that cannot be reached. They say nothing about
            the answers.
        statuses: how many have each status.
        defined: how many have a score that means something.
        tokens: sums of the fields of ``Usage``. Tokens and cost of a run are all that it has spent,
            also on results that others replaced.
        estimated: whether some of them are no more than estimated.
        cost: the sum of the costs; None without prices.
        unpriced: whether some tokens have no cost.
        last_error: the one that was added last, in words.
        found: how many cases there are of each of ``CHECKS``.
        first: the id of one of them, or "".
        lost: what the first case that passed lost points for, in words, where results were seen.
        controls: how many control statements were ``asked``, ``failed`` and ``unanswered``.
        untested: how many cases are those for which no control could be made.
        caveats: what is to be known of a judge, such as the embedded one.
    """

    def __init__(self, rows: int = 0) -> None:
        self.cases = self.passed = self.not_graded = self.defined = 0
        self.untested = 0
        self.found: Counter[str] = Counter()
        self.first: dict[str, str] = {}
        self.lost = ""
        self.caveats: set[str] = set()
        self.statuses: Counter[str] = Counter()
        self.tokens: Counter[str] = Counter()
        self.controls: Counter[str] = Counter()
        self.last_error, self._errors = "", dict[str, ErrorGroup]()
        self.cost: float | None = None
        self.rows = rows
        self.estimated = self.unpriced = False
        self._sum = self._squares = 0

    def add(self, result: GradingResult) -> None:
        """Counts a result."""
        self.add_counted(Counted.of(result), result.case_id or "")
        self.lost = self.lost or (lost_points(result) if result.pass_ else "")

    def add_counted(self, group: Counted, case_id: str = "") -> None:
        """Counts results that are alike, or one with this id."""
        self.cases += group.cases
        self.passed += group.passed * group.cases
        if group.error is not None:
            self.not_graded += group.cases
            self._add_error(group.error, group.message or "", group.cases)
        self.statuses[group.status] += group.cases
        notes = json.loads(group.notes)
        for name, number in notes.get("controls", {}).items():
            self.controls[name] += number * group.cases
        self.untested += "untested" in notes and group.cases
        if caveat := notes.get("judgeNote"):
            self.caveats.add(caveat)
        for name in CHECKS:
            if name in notes:
                self.found[name] += group.cases
                self.first.setdefault(name, case_id)
        self.add_spent(group)
        if group.score is not None:
            whole = round(group.score * _SCALE)
            self.defined += group.cases
            self._sum += whole * group.cases
            self._squares += whole * whole * group.cases

    def add_spent(self, group: Counted) -> None:
        """Counts only what results have cost."""
        used = (group.prompt, group.completion, group.cached, group.reasoning, group.requests)
        for name, number in zip(_USAGE, used, strict=True):
            self.tokens[name] += number
        self.estimated |= group.estimated
        if group.cost is not None:
            self.cost = (self.cost or 0.0) + group.cost
        elif group.prompt or group.completion:
            self.unpriced = True

    def _add_error(self, kind: str, message: str, cases: int) -> None:
        self.last_error = f"last error ({kind}): {message}"
        kind = kind[:MAX_KIND] or "unknown error"  # a file of results may say anything
        message = clip(message, MAX_MESSAGE)
        group = self._errors.get(kind, ErrorGroup(kind, 0, message))
        first = min(group.message, message)  # the same one in every order
        self._errors[kind] = ErrorGroup(kind, group.cases + cases, first)

    @property
    def all_tokens(self) -> int:
        """Those of prompts and replies together."""
        return self.tokens["prompt"] + self.tokens["completion"]

    @property
    def failed(self) -> int:
        """How many cases were graded and do not pass."""
        return self.cases - self.passed - self.not_graded

    @property
    def mean(self) -> float | None:
        """The mean of the scores that mean something; None if there are none."""
        return self._sum / self.defined / _SCALE if self.defined else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Where the mean lies; None if there are fewer than ``LEAST`` scores."""
        if self.mean is None or self.defined < LEAST:
            return None
        count = self.defined
        variance = (self._squares * count - self._sum**2) / (count * (count - 1)) / _SCALE**2
        return mean_interval(self.mean, variance, count)

    @property
    def is_unreliable(self) -> bool:
        """Whether the judge failed so many controls that its scores mean little."""
        return is_unreliable(self.controls)

    def brief(self) -> str:
        """Counts, mean score, and whether the judge is reliable."""
        cases = counted(self.cases, "case")
        if self.rows > self.cases:
            cases = f"{self.cases:,} of {self.rows:,} cases"
        counts = f"{self.passed} passed, {self.failed} failed, {self.not_graded} not graded"
        score = "no case has a score"
        if self.mean is not None:
            score = f"mean score {self.mean:.2f} ({self.defined} with a score)"
        lines = [f"{cases}: {counts}; {score}", *self.checks()]
        if self.controls["asked"]:
            lines.append(controls_in_words(self.controls))
        elif self.untested:
            lines.append(untested_in_words(self.untested, self.cases))
        return "\n".join([*lines, *sorted(self.caveats)])

    def checks(self) -> list[str]:
        """What is to be checked, on a line each."""
        lines = []
        for name, said in CHECKS.items():
            if number := self.found[name]:
                which = clip(self.first.get(name, ""), MAX_KIND)
                such_as = f"; such as {which}" if which else ""
                lost = f": {self.lost}" if name == UNSUPPORTED and self.lost else ""
                lines.append(f"{counted(number, 'case')} {said}{such_as}{lost}")
        return lines

    def __repr__(self) -> str:
        """All of it, which is what a notebook shows."""
        return self.text()

    def text(self, *, spent: bool = True) -> str:
        """All of it, for people, on a few lines; ``spent``: with what it has cost."""
        lines = [self.brief()]
        if (interval := self.interval) and interval[0] < interval[1]:
            low, high = (f"{end:.3f}" for end in interval)
            lines.append(f"the mean score is from {low} to {high} ({LEVEL:.0%} interval)")
        if set(self.statuses) - {"graded"}:
            counts = ", ".join(f"{name} {n:,}" for name, n in self.statuses.most_common())
            lines.append(f"statuses: {counts}")
        lines += self.error_lines()
        if self.tokens["num_requests"] and spent:
            lines.append(self.spent())
        return "\n".join(lines)

    def errors(self) -> list[ErrorGroup]:
        """Why cases could not be graded, the largest group first."""
        return sorted(self._errors.values(), key=lambda group: (-group.cases, *group))

    def error_lines(self) -> Iterator[str]:
        """The largest groups, for people."""
        for group in self.errors()[:SHOWN_GROUPS]:
            such_as = ", such as" if group.cases > 1 else ""
            yield visible(f"not graded: {group.cases:,} x {group.kind}{such_as}: {group.message}")
        if rest := sum(group.cases for group in self.errors()[SHOWN_GROUPS:]):
            yield f"not graded: {rest:,} more, of other kinds"

    def spent(self) -> str:
        """What all of it has cost, on one line."""
        prompt, completion = self.tokens["prompt"], self.tokens["completion"]
        about = "about " if self.estimated else ""
        tokens = f"{about}{prompt:,} prompt and {completion:,} completion tokens"
        least = "at least " if self.unpriced else ""  # some were graded without prices
        cost = "" if self.cost is None else f", cost {least}{money(self.cost)}"
        return f"spent: {counted(self.tokens['num_requests'], 'request')}, {tokens}{cost}"


def money(cost: float) -> str:
    """A cost for people: ``12.35``, ``0.0421``."""
    return f"{cost:,.2f}" if cost >= 1 else f"{cost:.3g}"
