"""How often an answer is graded before it passes or fails, and the marker that says so:
``@pytest.mark.faithfulness(trials=5, min_pass=4, judge=..., ...)``.
"""

from __future__ import annotations

from dataclasses import replace
from math import fsum
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from ..judges import option_names
from ..options import GRADER_NAMES, taken_by
from ..policy.load import find_policy
from ..records.checks import check_number
from ..records.errors import ConfigError, suggest
from ..records.usage import Usage

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ..records.result import GradingResult

MAX_TRIALS = 1000
NAMES = GRADER_NAMES | {"judge", "policy", "threshold", "trials", "min_pass"}


class Marked(NamedTuple):
    """What the markers of a test say: how often to grade, and with which options."""

    trials: int
    min_pass: int
    options: Mapping[str, Any]


def read_markers(markers: Iterable[pytest.Mark]) -> Marked:
    """What these markers say together; the first one is that of the test itself.

    Raises:
        ConfigError: an unknown name, or a value that cannot be used.
    """
    given: dict[str, Any] = {}
    for marker in markers:
        if marker.args:
            raise ConfigError("takes names only, as faithfulness(trials=5, min_pass=4)")
        given = {**marker.kwargs, **given}
    for name in given.keys() - NAMES:
        raise ConfigError(f"{name}: unknown option. {suggest(name, NAMES)}")
    trials = given.pop("trials", 1)
    check_number("trials", trials, 1, MAX_TRIALS, whole=True)
    min_pass = given.pop("min_pass", trials)
    check_number("min_pass", min_pass, 1, trials, whole=True)
    return Marked(trials, min_pass, given)


def check_marker(metafunc: pytest.Metafunc) -> None:
    """Stops collecting a test if its marker cannot be used."""
    if problem := _problem(metafunc):
        pytest.fail(f"{metafunc.definition.nodeid}: marker faithfulness: {problem}", pytrace=False)


def _problem(metafunc: pytest.Metafunc) -> str:
    """Why the markers of a test cannot be used; "" if they can."""
    try:
        marked = read_markers(metafunc.definition.iter_markers("faithfulness"))
        _check_options(marked.options)
    except ConfigError as error:
        return str(error)
    used = "faithfulness" in metafunc.fixturenames
    return "" if used else "the test does not use the fixture `faithfulness`, which reads it"


def _check_options(options: Mapping[str, Any]) -> None:
    """Raises ``ConfigError`` for a judge, policy or threshold that cannot be used."""
    changes = taken_by("policy", options)
    if options.get("threshold") is not None:
        changes["threshold"] = options["threshold"]
    find_policy(options.get("policy", "default"), changes, options.get("policy_options") or {})
    option_names(options.get("judge", "embedded"))


# ---------------------------------------------------------------- trials


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
