"""How often an answer is graded before it passes or fails."""

from __future__ import annotations

from dataclasses import replace
from math import fsum
from typing import TYPE_CHECKING

from ..records.usage import Usage

if TYPE_CHECKING:
    from ..records.result import GradingResult


class Trials:
    """The results of one answer, graded again and again until the outcome is decided.

    A grader error is neither a pass nor a failure. If the other trials do not decide the outcome,
    the answer is not graded.

    Args:
        trials: the most times that it is graded, from 1.
        min_pass: how many of them must pass.
    """

    def __init__(self, trials: int, min_pass: int) -> None:
        self.trials, self.min_pass = trials, min_pass
        self.results: list[GradingResult] = []

    def add(self, result: GradingResult) -> None:
        """Adds the result of a trial."""
        self.results.append(result)

    @property
    def passed(self) -> int:
        """How many trials passed."""
        return sum(result.pass_ for result in self.results)

    @property
    def failed(self) -> int:
        """How many trials were graded and did not pass."""
        return sum(not result.pass_ and result.error is None for result in self.results)

    @property
    def open(self) -> bool:
        """Whether another trial may change the outcome."""
        left, most_failures = self.trials - len(self.results), self.trials - self.min_pass
        decided = self.passed >= self.min_pass or self.failed > most_failures
        may_pass, may_fail = self.passed + left >= self.min_pass, self.failed + left > most_failures
        return not decided and left > 0 and (may_pass or may_fail)

    def result(self) -> GradingResult:
        """The last result that has the outcome of all, with what all of them have cost."""
        if self.passed >= self.min_pass:
            last = [result for result in self.results if result.pass_]
        elif self.failed > self.trials - self.min_pass:
            last = [r for r in self.results if not r.pass_ and r.error is None]
        else:
            last = [result for result in self.results if result.error is not None]
        costs = [result.cost for result in self.results if result.cost is not None]
        used = sum((result.tokens_used for result in self.results), Usage())
        return replace(last[-1], tokens_used=used, cost=fsum(costs) if costs else None)

    def note(self) -> str:
        """What is said of several trials; "" for one."""
        if self.trials == 1:
            return ""
        errors = len(self.results) - self.passed - self.failed
        of = f"{self.passed} passed, {self.failed} failed, {errors} not graded"
        return f"trials: {of}; {self.min_pass} of {self.trials} must pass"
