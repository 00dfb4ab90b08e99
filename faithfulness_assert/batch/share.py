"""What makes a grader in another process, or on another node, and what it may use there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..drive import ASKS_AT_ONCE
from ..grading import Grader
from ..records.judge import judge_info
from .limits import limited
from .partition import computes_here, grade_rows
from .patience import PatientJudge

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from .rows import Line, Row


class GraderSettings(NamedTuple):
    """What ``Grader`` takes, so that another process can make the same one."""

    judge: Any
    policy: Any
    threshold: float | None
    options: Mapping[str, Any]

    def grader(self) -> Grader:
        """A new grader."""
        return Grader(self.judge, self.policy, self.threshold, **self.options)


class Share(NamedTuple):
    """What one of several graders may use.

    Args:
        concurrency: asks under way at once; None: 8, or 1 for a judge that computes here.
        requests_per_minute, tokens_per_minute: None for no limit.
    """

    concurrency: int | None = None
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None

    def of(self, graders: int) -> Share:
        """The share of one of so many graders. Each has the whole concurrency.

        Requests are whole ones: each grader rounds its share up, so it is rounded down here.
        """
        requests, tokens = self.requests_per_minute, self.tokens_per_minute
        if requests:
            requests = requests // graders or requests / graders
        return Share(self.concurrency, requests, tokens and tokens / graders)

    def most_graders(self, wanted: int) -> int:
        """So many graders, but not more than requests per minute: each sends one at once."""
        return max(1, min(wanted, int(self.requests_per_minute or wanted)))

    def ready(self, grader: Grader) -> Grader:
        """The grader within these limits, and waiting for a server that is down for a while."""
        grader.judge = limited(
            grader.judge,
            requests_per_minute=self.requests_per_minute,
            tokens_per_minute=self.tokens_per_minute,
        )
        if judge_info(grader.judge).any_loop and hasattr(grader.judge, "aask"):
            grader.judge = PatientJudge(grader.judge)
        return grader

    def asks_at_once(self, grader: Grader) -> int:
        """How many asks of this grader are under way at once."""
        return self.concurrency or (1 if computes_here(grader) else ASKS_AT_ONCE)

    def graded(self, rows: Iterable[Row], grader: Grader) -> Iterator[Line]:
        """The results of these rows, as they finish."""
        return grade_rows(rows, grader, concurrency=self.asks_at_once(grader))
